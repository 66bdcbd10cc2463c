//! A comparison in blocks that is valid after every block: a bet on a die.
//!
//! A block has two values of each of several sides, in an order by lot and then in the reverse order, so that the pairs of
//! places are mirrored and a steady drift is in all of them alike. If the sides are equal, *which* of the pairs is the first
//! side's is a fair die, given the values, for every distribution. Gamblers with fixed stakes bet on it: with the
//! stake θ, a capital is multiplied by exp(θ·S) / mean of exp(θ·Sₖ), where S is the first side's and Sₖ each side's sum of
//! residuals, scaled and clipped. This is a martingale, so the probability that the mean capital *ever* reaches 1/α is at
//! most α (Ville 1939). The shifts of the first side that are not refuted are a confidence sequence.

use std::cmp::Ordering;
use std::collections::HashMap;

use ikeru_statistics::{Estimate, Interval, median};

use crate::decide::Leveled;
use crate::layouts::LayoutPairs;
use crate::paired::last_inside;

/// The gamblers' stakes.
// In simulations with normal noise of 2 %, a difference of 1 % needs 177 samples in the median; with the bet on signs 372.
const STAKES: [f64; 14] = [
    -2.0, -1.0, -0.5, -0.3, -0.18, -0.1, -0.05, 0.05, 0.1, 0.18, 0.3, 0.5, 1.0, 2.0,
];

/// Residuals are clipped at this number of scales.
const CLIP: f64 = 3.0;

/// The standard deviation of a normal distribution by its median absolute deviation.
const DEVIATION: f64 = 1.4826;

/// The logarithms of one block: a pair of each side, the first side's first.
type Block = Vec<[f64; 2]>;

/// A growing number of blocks.
#[derive(Debug, Clone)]
pub struct Die {
    level: f64,
    /// The blocks, with source and layout of each: each source has a separate scale.
    blocks: Vec<((usize, usize), Block)>,
    /// True if pairs of layouts are the sample.
    is_of_layouts: bool,
    /// The bets that the first side's shift is this one.
    bets: Vec<(f64, Bet)>,
}

/// The shift of the first side of a block from the mean of the others.
pub(crate) fn shift(block: &[[f64; 2]]) -> f64 {
    let mean = |pair: &[f64; 2]| f64::midpoint(pair[0], pair[1]);
    let others: f64 = block[1..].iter().map(mean).sum();
    mean(&block[0]) - others / (block.len() - 1) as f64
}

/// The bet on one shift.
#[derive(Debug, Clone, Default)]
struct Bet {
    /// The median absolute residuals of the blocks of each source, ascending.
    scales: HashMap<usize, Vec<f64>>,
    /// The logarithm of each gambler's capital.
    capital: [f64; STAKES.len()],
    /// The side of the shift on which the first side is, once it is decided.
    decision: Option<Ordering>,
}

impl Bet {
    fn push(&mut self, source: usize, block: &Block, shift: f64, level: f64) {
        let side = |(at, pair): (usize, &[f64; 2])| {
            pair.map(|value| value - if at == 0 { shift } else { 0.0 })
        };
        let pairs: Vec<[f64; 2]> = block.iter().enumerate().map(side).collect();
        let middle = median(&pairs.concat()).unwrap_or(0.0);
        let residuals: Vec<f64> = pairs.concat().iter().map(|value| value - middle).collect();
        let sizes: Vec<f64> = residuals.iter().map(|it| it.abs()).collect();
        let own = median(&sizes).unwrap_or(0.0);
        let known = self.scales.entry(source).or_default();
        known.insert(known.partition_point(|it| *it < own), own);
        let scale = (DEVIATION * median(known).unwrap_or(0.0)).max(1e-12);
        let clipped = |value: f64| (value / scale).clamp(-CLIP, CLIP);
        let sums: Vec<f64> = residuals
            .chunks(2)
            .map(|pair| pair.iter().map(|value| clipped(*value)).sum())
            .collect();
        for (capital, stake) in self.capital.iter_mut().zip(STAKES) {
            let all: f64 = sums.iter().map(|sum| (stake * sum).exp()).sum();
            *capital += stake * sums[0] - (all / sums.len() as f64).ln();
        }
        let capital = self.capital.map(f64::exp);
        if self.decision.is_none()
            && capital.iter().sum::<f64>() / STAKES.len() as f64 >= 1.0 / level
        {
            let side: f64 = capital
                .iter()
                .zip(STAKES)
                .map(|(capital, stake)| capital * stake)
                .sum();
            self.decision = Some(side.total_cmp(&0.0));
        }
    }
}

impl Die {
    /// No block yet. A shift is refuted wrongly with a probability of at most `level`; the shifts `limits` are decided block by
    /// block.
    pub fn new(level: f64, limits: &[f64]) -> Self {
        Self {
            level,
            blocks: Vec::new(),
            is_of_layouts: false,
            bets: limits
                .iter()
                .map(|limit| (*limit, Bet::default()))
                .collect(),
        }
    }

    /// No block yet of several pairs of layouts. There is no bet: the interval is that of [`LayoutPairs`], to be read once.
    pub fn over_layouts(level: f64) -> Self {
        Self {
            is_of_layouts: true,
            ..Self::new(level, &[])
        }
    }

    /// The pairs of layouts, if they are the sample.
    pub fn layouts(&self) -> Option<LayoutPairs> {
        let blocks = self.blocks.iter();
        let shifts = blocks.map(|((source, layout), block)| (*source, *layout, shift(block)));
        self.is_of_layouts.then(|| LayoutPairs::of(shifts))
    }

    /// Adds a block of a source and a layout: logarithms, the first side's first.
    pub fn push(&mut self, (source, layout): (usize, usize), block: &[[f64; 2]]) {
        for (shift, bet) in &mut self.bets {
            bet.push(source, &block.to_vec(), *shift, self.level);
        }
        self.blocks.push(((source, layout), block.to_vec()));
    }

    /// The number of blocks.
    pub fn blocks(&self) -> usize {
        self.blocks.len()
    }

    /// The probability that a shift is refuted wrongly.
    pub fn level(&self) -> f64 {
        self.level
    }

    /// The side of `limit` on which the first side's shift is, if it is decided. A decision stays.
    pub fn side(&self, limit: f64) -> Option<Ordering> {
        if let Some(pairs) = self.layouts() {
            let (estimate, level) = (pairs.mean(self.level)?, self.level);
            let estimate = estimate.map(|value| value - limit);
            return Leveled { estimate, level }.side();
        }
        let known = self.bets.iter().find(|(shift, _)| *shift == limit);
        known.map_or_else(|| self.bet(limit).decision, |(_, bet)| bet.decision)
    }

    fn bet(&self, shift: f64) -> Bet {
        let mut bet = Bet::default();
        for ((source, _), block) in &self.blocks {
            bet.push(*source, block, shift, self.level);
        }
        bet
    }

    /// The fewest blocks that decide, if the first side is as far from the others as the clip allows.
    pub fn fewest(&self) -> usize {
        let sides = self.blocks.first().map_or(3, |(_, block)| block.len());
        let apart: Block = (0..sides)
            .map(|at| {
                if at == 0 {
                    [1e3; 2]
                } else {
                    [1e-3 * at as f64, 0.0]
                }
            })
            .collect();
        let mut bet = Bet::default();
        let decides = |_: &usize| {
            bet.push(0, &apart, 0.0, self.level);
            bet.decision.is_some()
        };
        (1..1_000).find(decides).unwrap_or(1_000)
    }

    /// The shift of the first side from the others: the median over the blocks; `None` without a block.
    pub fn middle(&self) -> Option<f64> {
        let shifts = self.blocks.iter().map(|(_, block)| shift(block));
        median(&shifts.collect::<Vec<_>>())
    }

    /// The first side by the others: the median over the blocks, with the interval of the shifts that are not refuted; `None`
    /// without a block. An end is open as long as nothing is known.
    pub fn ratio(&self) -> Option<Estimate> {
        if let Some(pairs) = self.layouts() {
            return Some(pairs.mean(self.level)?.map(f64::exp));
        }
        let middle = self.middle()?;
        let all = self
            .blocks
            .iter()
            .flat_map(|(_, block)| block.iter().flatten());
        // A shift beyond every value.
        let far = all.map(|it| (it - middle).abs()).fold(1.0, f64::max);
        let is_refuted = |shift: f64| self.bet(shift).decision.is_some();
        let end = |sign: f64| {
            let out = middle + sign * far;
            is_refuted(out).then(|| last_inside(middle, out, is_refuted))
        };
        let interval = Interval {
            low: end(-1.0).unwrap_or(f64::NEG_INFINITY),
            high: end(1.0).unwrap_or(f64::INFINITY),
        };
        Some(Estimate::of(middle, Some(interval)).map(f64::exp))
    }
}

#[cfg(test)]
mod tests {
    use ikeru_core::Random;

    use super::*;
    use crate::tests::normal;

    /// A block of six places with noise of 2 %, of which the mirrored pair of the first side is drawn; it takes longer by
    /// `effect`. `rough`: long tails and a drift that bends.
    fn block(random: &mut Random, effect: f64, rough: bool) -> Vec<[f64; 2]> {
        let (slope, bend) = (0.024 * normal(random), 0.024 * normal(random));
        let mut value = |place: usize| {
            let at = place as f64 / 2.5 - 1.0;
            let tail = if rough && random.chance(0.05) {
                -0.2 * random.unit().max(1e-9).ln()
            } else {
                0.0
            };
            let drift = if rough {
                slope * at + bend * (at * at - 0.5)
            } else {
                0.0
            };
            0.02 * normal(random) + tail + drift
        };
        let six: Vec<f64> = (0..6).map(&mut value).collect();
        let mut places = [0, 1, 2];
        random.shuffle(&mut places);
        let pair = |(side, place): (usize, &usize)| {
            let shift = if side == 0 { effect } else { 0.0 };
            [six[*place] + shift, six[5 - *place] + shift]
        };
        places.iter().enumerate().map(pair).collect()
    }

    /// The samples until the decision and its side, for 300 sessions of at most `most` blocks.
    fn sessions(effect: f64, rough: bool, most: usize) -> Vec<(usize, Option<Ordering>)> {
        let mut random = Random::new("die", (effect * 1e4) as u64);
        let session = |_| {
            let mut die = Die::new(0.04, &[0.0]);
            while die.blocks() < most && die.side(0.0).is_none() {
                die.push((0, 0), &block(&mut random, effect, rough));
            }
            (6 * die.blocks(), die.side(0.0))
        };
        (0..300).map(session).collect()
    }

    #[test]
    fn differences_are_found_with_few_samples_and_equal_sides_rarely_differ() {
        let middle = |found: &[(usize, Option<Ordering>)]| {
            let counts: Vec<f64> = found.iter().map(|(count, _)| *count as f64).collect();
            median(&counts).expect("sessions")
        };
        for (effect, rough, most) in [
            (0.01, false, 190.0),
            (0.05, false, 36.0),
            (0.01, true, 450.0),
        ] {
            let found = sessions(effect, rough, 400);
            let count = middle(&found);
            assert!(count <= most, "{count} samples ({effect}, {rough})");
            let wrong = found
                .iter()
                .filter(|(_, side)| *side == Some(Ordering::Less))
                .count();
            assert!(wrong <= 3, "{wrong} on the other side");
        }
        for rough in [false, true] {
            let found = sessions(0.0, rough, 200);
            let alarms = found.iter().filter(|(_, side)| side.is_some()).count();
            assert!(alarms <= 20, "{alarms} of 300 at 4 % ({rough})");
        }
    }

    #[test]
    fn the_interval_holds_the_shift_and_decides_as_the_bets_do() {
        let mut random = Random::new("die-interval", 1);
        let mut missed = 0;
        for _ in 0..200 {
            let mut die = Die::new(0.05, &[0.0, 0.01]);
            (0..30).for_each(|_| die.push((0, 0), &block(&mut random, 0.03, true)));
            let ends = die.ratio().and_then(|it| it.interval).expect("blocks");
            missed += usize::from(!(ends.low.ln()..=ends.high.ln()).contains(&0.03));
            for limit in [0.0, 0.01] {
                let is_above = ends.low.ln() > limit;
                assert_eq!(
                    is_above,
                    die.side(limit) == Some(Ordering::Greater),
                    "{ends:?} {limit}"
                );
            }
        }
        assert!(missed <= 12, "{missed} of 200");
    }

    #[test]
    fn few_blocks_decide_what_is_plain() {
        assert_eq!(Die::new(0.04, &[]).fewest(), 5);
        let mut die = Die::new(0.04, &[0.0]);
        let blocks = (1..).find(|_| {
            die.push((0, 0), &[[0.7, 0.71], [0.0, 0.01], [0.01, 0.0]]);
            die.side(0.0) == Some(Ordering::Greater)
        });
        assert!(blocks.is_some_and(|blocks| blocks <= 8), "{blocks:?}");
    }
}
