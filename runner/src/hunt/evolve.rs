//! The search: candidates are drawn from the archive, crossed and mutated until the time is up; then the best finds are
//! measured anew and made smaller.

use std::time::{Duration, Instant};

use anyhow::Result;
use ikeru_core::{AnyInstance, Random, SettingKind, Value};
use ikeru_reports::statistics::median;

use super::archive::{Archive, HuntFind, Winner};
use super::candidate::{HuntCandidate, SearchSpace};
use super::rivals::{RivalCosts, RivalMetric, Rivals, Unfit};
use crate::interrupt;

/// The share of the budget for making finds smaller.
const SHRINKING: f64 = 0.2;
/// The number of random candidates before candidates are bred from the archive.
const FOUNDERS: usize = 24;
/// The share of the lead that a smaller find must keep.
const KEPT: f64 = 0.9;
/// The number of further measurements of a find if times are compared: the search selects the luckiest measurements.
const AGAIN: usize = 5;

/// The results of a search.
pub struct Hunted {
    /// The kept finds of each winner, most one-sided first.
    pub finds: Vec<(Winner, Vec<HuntFind>)>,
    /// Candidates whose instance both variants answered.
    pub met: usize,
    /// Candidates that were refused or not answered.
    pub unfit: usize,
    /// Instances with a wrong answer, a crash, or proven answers that differ.
    pub mistakes: Vec<(HuntCandidate, String)>,
}

/// One evaluated candidate, for the file of all of them.
pub struct Evaluated<'a> {
    /// The recipe of its instance.
    pub candidate: &'a HuntCandidate,
    /// The instance's size.
    pub size: u64,
    /// The costs of both variants, or the reason why they cannot be compared.
    pub met: Result<RivalCosts, &'a Unfit>,
}

/// The search in one space.
pub struct Hunt<'a> {
    /// The space of candidates.
    pub ground: &'a SearchSpace,
    /// The two variants.
    pub rivals: &'a Rivals,
    /// The time limit of the search.
    pub budget: Duration,
    /// The number of finds kept for each winner.
    pub keep: usize,
    /// Called for every evaluated candidate.
    pub seen: &'a mut dyn FnMut(&Evaluated) -> Result<()>,
}

impl Hunt<'_> {
    /// Searches.
    ///
    /// # Errors
    /// A setting that does not fit, or an error of `seen`.
    pub fn run(&mut self, random: &mut Random) -> Result<Hunted> {
        let started = Instant::now();
        let (searching, end) = (
            started + self.budget.mul_f64(1.0 - SHRINKING),
            started + self.budget,
        );
        let mut archive = Archive::default();
        let mut hunted = Hunted {
            finds: Vec::new(),
            met: 0,
            unfit: 0,
            mistakes: Vec::new(),
        };
        let mut drawn = 0;
        while !is_over(searching) {
            let candidate = self.next(&archive, drawn, random);
            drawn += 1;
            if let Some(find) = self.meet(candidate, random, &mut hunted)? {
                archive.offer(&find);
            }
        }
        for way in Winner::ALL {
            let mut kept = Vec::new();
            for find in archive.best(way).into_iter().take(self.keep) {
                let Some(confirmed) = self.confirmed(find, random)? else {
                    continue;
                };
                let smaller = self.smaller(confirmed, way, end, random)?;
                kept.push(smaller);
            }
            kept.retain(|find| way.lead(&find.bout) > 0.0);
            kept.sort_by(|a, b| way.lead(&b.bout).total_cmp(&way.lead(&a.bout)));
            kept.dedup_by(|a, b| a.candidate == b.candidate);
            hunted.finds.push((way, kept));
        }
        Ok(hunted)
    }

    fn next(&self, archive: &Archive, drawn: usize, random: &mut Random) -> HuntCandidate {
        let by_chance = |random: &mut Random| {
            let mut candidate = self.ground.first(random);
            for _ in 0..random.between(0, 4) {
                candidate = self.ground.mutated(&candidate, random);
            }
            candidate
        };
        // Some random candidates at any time: the archive alone would breed within its families.
        if drawn < FOUNDERS || random.chance(0.1) {
            return by_chance(random);
        }
        let Some(parent) = archive.draw(random).map(|find| find.candidate.clone()) else {
            return by_chance(random);
        };
        let child = match archive.draw(random).filter(|_| random.chance(0.3)) {
            Some(other) => self.ground.crossed(&parent, &other.candidate, random),
            None => parent,
        };
        self.ground.mutated(&child, random)
    }

    fn meet(
        &mut self,
        candidate: HuntCandidate,
        random: &mut Random,
        hunted: &mut Hunted,
    ) -> Result<Option<HuntFind>> {
        let Some(instance) = self.ground.grow(&candidate) else {
            hunted.unfit += 1;
            return Ok(None);
        };
        let met = self.rivals.meet(instance.as_ref(), random.index(2))?;
        if interrupt::flag().load(std::sync::atomic::Ordering::Relaxed) {
            // The signal may have cut the measurement short.
            return Ok(None);
        }
        let size = instance.size();
        (self.seen)(&Evaluated {
            candidate: &candidate,
            size,
            met: met.as_ref().copied(),
        })?;
        Ok(match met {
            Ok(bout) => {
                hunted.met += 1;
                Some(HuntFind {
                    candidate,
                    size,
                    bout,
                })
            }
            Err(Unfit::Unanswered) => {
                hunted.unfit += 1;
                None
            }
            Err(Unfit::Mistake(why)) => {
                hunted.mistakes.push((candidate, why));
                None
            }
        })
    }

    /// The find measured anew, without the sample that selected it; `None` if it cannot be measured again.
    fn confirmed(&self, find: HuntFind, random: &mut Random) -> Result<Option<HuntFind>> {
        let bout = match self.ground.grow(&find.candidate) {
            Some(instance) => self.median_bout(instance.as_ref(), random)?,
            None => None,
        };
        Ok(bout.map(|bout| HuntFind { bout, ..find }))
    }

    /// The costs of both variants: the counters of one bout, or the median times of several bouts.
    fn median_bout(
        &self,
        instance: &dyn AnyInstance,
        random: &mut Random,
    ) -> Result<Option<RivalCosts>> {
        let count = if self.rivals.cost == RivalMetric::Time {
            AGAIN
        } else {
            1
        };
        let mut bouts = Vec::new();
        for _ in 0..count {
            match self.rivals.meet(instance, random.index(2))? {
                Ok(bout) => bouts.push(bout),
                Err(_) => return Ok(None),
            }
        }
        let side = |side: usize| {
            median(
                &bouts
                    .iter()
                    .map(|bout| bout.costs[side])
                    .collect::<Vec<_>>(),
            )
        };
        let stopped = [0, 1].map(|side| bouts.iter().any(|bout| bout.stopped[side]));
        Ok(side(0).zip(side(1)).map(|(one, other)| RivalCosts {
            costs: [one, other],
            stopped,
        }))
    }

    /// A nearly equally one-sided find with smaller parameters and fewer changed words, as far as time allows.
    fn smaller(
        &self,
        mut find: HuntFind,
        way: Winner,
        end: Instant,
        random: &mut Random,
    ) -> Result<HuntFind> {
        let needed = KEPT * way.lead(&find.bout);
        let mut changed = true;
        while changed {
            changed = false;
            for candidate in self.simpler(&find.candidate) {
                if is_over(end) {
                    return Ok(find);
                }
                let Some(instance) = self.ground.grow(&candidate) else {
                    continue;
                };
                let bout = self.median_bout(instance.as_ref(), random)?;
                if let Some(bout) = bout.filter(|bout| way.lead(bout) >= needed) {
                    find = HuntFind {
                        candidate,
                        size: instance.size(),
                        bout,
                    };
                    changed = true;
                    break;
                }
            }
        }
        Ok(find)
    }

    /// Candidates that are simpler in one way: half of the changed words, a word less, a number nearer to its least.
    fn simpler(&self, candidate: &HuntCandidate) -> Vec<HuntCandidate> {
        let mut simpler = Vec::new();
        let edits = &candidate.edits;
        let with = |edits| HuntCandidate {
            edits,
            ..candidate.clone()
        };
        if edits.len() > 1 {
            let (front, back) = edits.split_at(edits.len() / 2);
            simpler.extend([with(front.to_vec()), with(back.to_vec())]);
        }
        simpler.extend((0..edits.len()).map(|gone| {
            let mut fewer = edits.clone();
            fewer.remove(gone);
            with(fewer)
        }));
        for free in &self.ground.free {
            let name = free.info.name;
            let now = candidate
                .parameters
                .value(name)
                .cloned()
                .or_else(|| free.info.default());
            let (SettingKind::Int { .. }, Some(Value::Int(now))) = (free.info.kind, now) else {
                continue;
            };
            let least = free.range.0 as i64;
            for smaller in [least.midpoint(now), now - 1] {
                if (least..now).contains(&smaller) {
                    let mut parameters = candidate.parameters.clone();
                    parameters.set(name, Value::Int(smaller));
                    simpler.push(HuntCandidate {
                        parameters,
                        ..candidate.clone()
                    });
                }
            }
        }
        simpler
    }
}

fn is_over(end: Instant) -> bool {
    Instant::now() >= end || interrupt::flag().load(std::sync::atomic::Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry;

    #[test]
    fn a_hunt_finds_both_ways_and_makes_them_no_larger() {
        let (problem, generator) = registry::generator("trail.random").expect("built in");
        let sets = ikeru_core::testing::settings("width=3..4 height=3..4");
        let ground = SearchSpace::new(problem, generator, &sets).expect("a ground");
        let rivals = Rivals {
            problem,
            names: ["dominance".to_owned(), "dfs+bound".to_owned()],
            cost: RivalMetric::Counter("nodes".to_owned()),
            limit: Duration::from_secs(2),
        };
        let mut all = Vec::new();
        let mut hunt = Hunt {
            ground: &ground,
            rivals: &rivals,
            budget: Duration::from_secs(3),
            keep: 2,
            seen: &mut |seen| {
                all.extend(seen.met.ok());
                Ok(())
            },
        };
        let hunted = hunt.run(&mut Random::new("hunt", 1)).expect("hunted");
        assert!(hunted.mistakes.is_empty(), "{:?}", hunted.mistakes);
        assert_eq!(hunted.met, all.len());
        for (way, finds) in &hunted.finds {
            let most = all
                .iter()
                .map(|bout| way.lead(bout))
                .fold(f64::MIN, f64::max);
            let Some(best) = finds.first() else {
                assert!(most <= 0.0, "{way:?} has no find of {most}");
                continue;
            };
            // The kept find is nearly as one-sided as the best one seen, and its candidate produces the same instance
            // again.
            assert!(way.lead(&best.bout) >= KEPT * most - 1e-9, "{way:?}");
            let instance = ground.grow(&best.candidate).expect("an instance");
            assert_eq!(instance.size(), best.size);
            let again = rivals
                .meet(instance.as_ref(), 0)
                .expect("met")
                .expect("a bout");
            assert_eq!(again, best.bout, "counters are the same again");
        }
    }
}
