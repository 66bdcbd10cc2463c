//! The extremes found so far: the most one-sided candidate for each winner and each size.
//!
//! The archive keeps the best of every size and not the best of all, so that the search does not concentrate on one
//! family (quality diversity, MAP-Elites by Mouret & Clune 2015, with size as the only dimension).

use std::collections::BTreeMap;

use ikeru_core::Random;

use super::candidate::HuntCandidate;
use super::rivals::RivalCosts;

/// A candidate with its result.
#[derive(Debug, Clone, PartialEq)]
pub struct HuntFind {
    /// The recipe of its instance.
    pub candidate: HuntCandidate,
    /// The instance's size.
    pub size: u64,
    /// The costs of both variants.
    pub bout: RivalCosts,
}

/// Which variant is the better one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Winner {
    /// The first.
    First,
    /// The second.
    Second,
}

impl Winner {
    /// Both.
    pub const ALL: [Self; 2] = [Self::First, Self::Second];

    /// The logarithm of the factor by which that variant is better; negative if it is worse.
    pub fn lead(self, bout: &RivalCosts) -> f64 {
        match self {
            Self::First => -bout.ratio(),
            Self::Second => bout.ratio(),
        }
    }
}

/// The most one-sided find of each winner and size class.
#[derive(Debug, Default)]
pub struct Archive(BTreeMap<(Winner, u32), HuntFind>);

impl Archive {
    /// Keeps `find` if it is more one-sided than the known find of its size class.
    pub fn offer(&mut self, find: &HuntFind) {
        for way in Winner::ALL {
            let place = (way, size_class(find.size));
            let known = self.0.get(&place);
            if known.is_none_or(|known| way.lead(&find.bout) > way.lead(&known.bout)) {
                self.0.insert(place, find.clone());
            }
        }
    }

    /// A random find of either winner and any size.
    pub fn draw(&self, random: &mut Random) -> Option<&HuntFind> {
        let way = Winner::ALL[random.index(2)];
        let all: Vec<&HuntFind> = self.of(way).collect();
        // Two finds are drawn and the more one-sided one is taken: one-sided finds are preferred, and every size
        // remains possible.
        let drawn = (0..2)
            .filter(|_| !all.is_empty())
            .map(|_| all[random.index(all.len())]);
        drawn.max_by(|a, b| way.lead(&a.bout).total_cmp(&way.lead(&b.bout)))
    }

    /// The finds of a winner, the most one-sided first, without those on which the other variant is better.
    pub fn best(&self, way: Winner) -> Vec<HuntFind> {
        let mut all: Vec<HuntFind> = self.of(way).cloned().collect();
        all.retain(|find| way.lead(&find.bout) > 0.0);
        all.sort_by(|a, b| way.lead(&b.bout).total_cmp(&way.lead(&a.bout)));
        all
    }

    fn of(&self, way: Winner) -> impl Iterator<Item = &HuntFind> {
        self.0
            .iter()
            .filter(move |((own, _), _)| *own == way)
            .map(|(_, find)| find)
    }
}

/// Sizes within a factor of two are one class.
fn size_class(size: u64) -> u32 {
    size.max(1).ilog2()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(size: u64, costs: [f64; 2]) -> HuntFind {
        HuntFind {
            candidate: HuntCandidate {
                seed: size,
                ..HuntCandidate::default()
            },
            size,
            bout: RivalCosts {
                costs,
                stopped: [false, false],
            },
        }
    }

    #[test]
    fn the_most_one_sided_of_each_size_is_kept_for_both_ways() {
        let mut archive = Archive::default();
        for one in [
            find(8, [10.0, 20.0]),
            find(9, [10.0, 90.0]),
            find(70, [30.0, 10.0]),
            find(71, [20.0, 10.0]),
        ] {
            archive.offer(&one);
        }
        let sizes = |way| {
            archive
                .best(way)
                .iter()
                .map(|find| find.size)
                .collect::<Vec<_>>()
        };
        assert_eq!(sizes(Winner::First), [9]);
        assert_eq!(sizes(Winner::Second), [70]);
        let random = &mut Random::new("test", 1);
        let drawn: Vec<u64> = (0..50)
            .filter_map(|_| Some(archive.draw(random)?.size))
            .collect();
        assert!(
            [8, 9, 70, 71]
                .iter()
                .filter(|size| drawn.contains(size))
                .count()
                >= 3,
            "{drawn:?}"
        );
        assert!(Archive::default().draw(random).is_none());
    }
}
