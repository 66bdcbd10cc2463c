//! A comparison over layouts: both sides are linked several times, each time with their code at other addresses.
//!
//! The layouts of a session are fixed, so a bet on its blocks would in the end decide a difference of these layouts alone. Here
//! the sample is the pairs of a layout of each side: the interval is Student's t over the pairs, each with the trimmed mean of
//! its blocks. It is read once, after a number of blocks that does not depend on their differences.

use std::collections::BTreeMap;

use ikeru_statistics::interval::t_mean_at;
use ikeru_statistics::sample::CensoredSample;
use ikeru_statistics::{Estimate, mean};

use crate::center::{Center, EffectScale};

/// The fewest pairs of layouts with an interval. Five pairs have one of ±1.3 of their standard deviations at 4 %; three would
/// have one of ±2.8, and could not show that their distribution has long tails.
pub const FEWEST: usize = 5;

/// The mean shift of each pair of layouts over its sources, with its variance from the scatter of the blocks.
#[derive(Debug, Clone)]
pub struct LayoutPairs(Vec<(f64, f64)>);

impl LayoutPairs {
    /// The pairs of blocks: source, layout, and the shift of the first side. A pair that lacks a source is left out.
    pub(crate) fn of(blocks: impl Iterator<Item = (usize, usize, f64)>) -> Self {
        let mut ratios: BTreeMap<usize, BTreeMap<usize, CensoredSample>> = BTreeMap::new();
        for (source, layout, shift) in blocks {
            let of_layout = ratios.entry(layout).or_default();
            of_layout
                .entry(source)
                .or_default()
                .values
                .push(shift.exp());
        }
        let most = ratios.values().map(BTreeMap::len).max();
        let pair = |own: &BTreeMap<usize, CensoredSample>| {
            let sources = own.values();
            let centers = sources.map(|one| Center::of(one, EffectScale::Logarithm));
            let centers: Vec<Center> = centers.collect::<Option<_>>()?;
            let size = centers.len() as f64;
            let variance: f64 = centers.iter().map(|it| it.variance).sum();
            let middle: f64 = centers.iter().map(|it| it.mean).sum();
            Some((middle / size, variance / size.powi(2)))
        };
        let whole = ratios.values().filter(|own| Some(own.len()) == most);
        Self(whole.filter_map(pair).collect())
    }

    /// The number of pairs.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// The factor by which the choice of a pair of layouts moves the ratio: the standard deviation of the pairs, without the
    /// scatter of their blocks; `None` of fewer than two pairs.
    pub fn spread(&self) -> Option<f64> {
        let (means, variances): (Vec<f64>, Vec<f64>) = self.0.iter().copied().unzip();
        let middle = mean(&means).filter(|_| means.len() > 1)?;
        let squares: f64 = means.iter().map(|it| (it - middle).powi(2)).sum();
        let variance = squares / (means.len() as f64 - 1.0) - mean(&variances)?;
        Some(variance.max(0.0).sqrt().exp())
    }

    /// The mean shift, with Student's interval over the pairs.
    pub(crate) fn mean(&self, level: f64) -> Option<Estimate> {
        let means: Vec<f64> = self.0.iter().map(|pair| pair.0).collect();
        let estimate = t_mean_at(&means, level)?;
        let interval = estimate.interval.filter(|_| means.len() >= FEWEST);
        Some(Estimate::of(estimate.value, interval))
    }
}

#[cfg(test)]
mod tests {
    use ikeru_core::Random;

    use crate::die::Die;
    use crate::tests::normal;

    /// A session of `layouts` pairs with `rounds` blocks of each of two sources: each layout of a side is moved by 2 % at
    /// random, a block by 1 %, the first side by `effect`, and the second source by 3 % more.
    fn session(random: &mut Random, effect: f64, layouts: usize, rounds: usize) -> Die {
        let mut test = Die::over_layouts(0.05);
        for layout in 0..layouts {
            let [own, other] = [0, 1].map(|_| 0.02 * normal(random));
            for at in 0..2 * rounds {
                let source = at % 2;
                let mut value = || 0.01 * normal(random);
                let moved = own + effect.ln_1p() + 0.03 * source as f64 - 0.015;
                let first = [0, 1].map(|_| moved + value());
                let others = [0, 1].map(|_| [0, 1].map(|_| other + value()));
                test.push((source, layout), &[first, others[0], others[1]]);
            }
        }
        test
    }

    fn counted(effect: f64, limit: f64, sessions: usize) -> usize {
        let mut random = Random::new("layouts", (1e3 * effect) as u64);
        let mut test = || session(&mut random, effect, 8, 5);
        (0..sessions)
            .filter(|_| test().side(f64::ln_1p(limit)).is_some())
            .count()
    }

    #[test]
    fn layouts_alone_are_rarely_decided_and_slowdowns_are_found() {
        let equal = counted(0.0, 0.0, 1000);
        assert!(equal <= 65, "{equal} of 1000 at 5 %");
        let found = counted(0.08, 0.01, 200);
        assert!(found >= 190, "{found} of 200");
        // The same blocks, bet on one after the other, decide the difference of these layouts.
        let mut random = Random::new("layouts-bet", 1);
        let decided = (0..100).filter(|_| {
            let mut die = Die::new(0.05, &[0.0]);
            let [own, other] = [0, 1].map(|_| 0.02 * normal(&mut random));
            for _ in 0..100 {
                let mut pair = |moved: f64| [0, 1].map(|_| moved + 0.01 * normal(&mut random));
                die.push((0, 0), &[pair(own), pair(other), pair(other)]);
            }
            die.side(0.0).is_some()
        });
        let decided = decided.count();
        assert!(decided >= 70, "{decided} of 100");
    }

    #[test]
    fn the_spread_is_that_of_the_layouts_without_the_blocks() {
        let mut random = Random::new("layouts-spread", 1);
        let test = session(&mut random, 0.0, 400, 4);
        let pairs = test.layouts().expect("layouts");
        let spread = pairs.spread().expect("pairs").ln();
        assert!((spread - 0.02 * 2_f64.sqrt()).abs() < 0.003, "{spread}");
        assert_eq!((pairs.count(), test.blocks()), (400, 3200));
    }

    #[test]
    fn fewer_than_five_pairs_decide_nothing_and_a_pair_counts_if_it_has_all_sources() {
        let mut random = Random::new("layouts-few", 1);
        for (layouts, expected) in [(4, false), (5, true)] {
            let test = session(&mut random, 1.0, layouts, 2);
            assert_eq!(test.side(0.0).is_some(), expected, "{layouts}");
            assert_eq!(
                test.ratio().and_then(|it| it.interval).is_some(),
                expected,
                "{layouts}"
            );
        }
        let mut test = session(&mut random, 0.0, 5, 2);
        test.push((0, 5), &[[9.0; 2], [0.0; 2], [0.0; 2]]);
        assert_eq!(test.layouts().map(|it| it.count()), Some(5));
    }
}
