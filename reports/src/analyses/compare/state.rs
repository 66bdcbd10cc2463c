//! Detects that the machine was in another state during a part of one side.
//!
//! The tests of a row assume that the samples of a side are exchangeable. A slow period of the machine within one side
//! violates this: all its samples are longer, and more samples do not help. A row is not decided if it has one of three
//! signs. First, the canary deviated for more samples of one side than of the other. Second, the samples of a side
//! whose canary deviated are longer or shorter than its others. Third, neighbours in time within a side have higher or
//! lower ranks than chance explains (a scan statistic, whose limit is found by permutation). A period that covers a
//! whole run leaves no such sign; `ab` is the command for that case.

use ikeru_core::Random;

use super::join::{ComparedRow, TakenAt};
use super::terms::CompareTerms;
use crate::statistics::median;

/// The probability that a side of exchangeable samples is mistaken for one with a slow period.
const LEVEL: f64 = 0.02;
const PERMUTATIONS: usize = 499;
/// The smallest number of samples that are tested for a period.
const FEWEST: usize = 6;
/// The largest number of groups of neighbours that are permuted.
const MOST: usize = 60;
/// The largest accepted difference between the two sides' shares of samples with a deviating canary.
const CANARIES: f64 = 0.2;
/// Samples with a deviating canary differ from the others if the ratio of the medians is above `APART`, and if a share
/// of at least `IN_ORDER` of all pairs of a deviating and another sample has the same order.
const APART: f64 = 1.1;
const IN_ORDER: f64 = 0.95;

/// The disturbance of a row's comparison in words, if one is found.
pub(super) fn disturbance(row: &ComparedRow, terms: &CompareTerms) -> Option<String> {
    if !terms.metric.is_time() || is_apart(row) {
        return None;
    }
    let sides: [Vec<TakenAt>; 2] = [0, 1].map(|side| {
        let pairs = row.pairs.iter();
        pairs
            .flat_map(|pair| pair.taken[side].iter().copied())
            .collect()
    });
    // The state of the machine is that of both sides where these take turns.
    if row.is_of_one_run && take_turns(&sides) {
        return None;
    }
    let [a, b] = sides.each_ref().map(|side| {
        let beside = side.iter().filter(|taken| taken.suspect).count();
        beside as f64 / side.len().max(1) as f64
    });
    if (a - b).abs() > CANARIES {
        let [a, b] = [a, b].map(|share| (100.0 * share).round());
        return Some(format!(
            "the canary deviated beside {a} % of the samples of A and {b} % of B"
        ));
    }
    let first = |is: fn(&[TakenAt]) -> bool| {
        let mut names = ["A", "B"].into_iter().zip(&sides);
        names.find(|(_, side)| is(side)).map(|(name, _)| name)
    };
    let said = "the canary deviated beside the longer or the shorter samples of";
    let beside = first(follows_canary).map(|name| format!("{said} {name}"));
    let period = || first(has_period).map(|name| format!("{name} has a slow or a fast period"));
    beside.or_else(period)
}

/// Returns whether the samples of both sides were taken in turns, as those of one run: in random order every second sample
/// is followed by one of the other side.
fn take_turns(sides: &[Vec<TakenAt>; 2]) -> bool {
    let of = |side: usize| sides[side].iter().map(move |one| (one.started, side));
    let mut all: Vec<(f64, usize)> = of(0).chain(of(1)).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let turns = all.windows(2).filter(|pair| pair[0].1 != pair[1].1);
    4 * turns.count() >= all.len()
}

/// Returns whether all samples of one side are longer than all of the other on every question: a period within a side
/// does not explain that.
fn is_apart(row: &ComparedRow) -> bool {
    let all = |is: fn(f64, f64) -> bool| {
        row.pairs.iter().all(|pair| {
            let (mut of_a, of_b) = (pair.a.values.iter(), &pair.b.values);
            of_a.all(|a| of_b.iter().all(|b| is(*a, *b)))
        })
    };
    all(|a, b| a < b) || all(|a, b| a > b)
}

/// Returns whether the samples with a deviating canary are longer or shorter than the others.
fn follows_canary(side: &[TakenAt]) -> bool {
    let (beside, others): (Vec<TakenAt>, Vec<TakenAt>) = side.iter().partition(|one| one.suspect);
    let ratios = |side: &[TakenAt]| side.iter().map(|one| one.ratio).collect::<Vec<_>>();
    let (beside, others) = (ratios(&beside), ratios(&others));
    let Some((above, below)) = median(&beside).zip(median(&others)) else {
        return false;
    };
    let longer = beside
        .iter()
        .flat_map(|one| others.iter().filter(move |other| one > *other));
    let share = longer.count() as f64 / (beside.len() * others.len()) as f64;
    (above / below).max(below / above) > APART && share.max(1.0 - share) >= IN_ORDER
}

/// Returns whether neighbours in time are more alike than chance explains.
fn has_period(side: &[TakenAt]) -> bool {
    let mut side = side.to_vec();
    if side.len() < FEWEST || side.windows(2).all(|pair| pair[0].ratio == pair[1].ratio) {
        return false;
    }
    side.sort_by(|a, b| a.started.total_cmp(&b.started));
    let group = side.len().div_ceil(MOST);
    let mean =
        |own: &[TakenAt]| own.iter().map(|one| one.ratio.ln()).sum::<f64>() / own.len() as f64;
    let means = side.chunks(group).map(mean);
    let mut ranks = ranks(&means.collect::<Vec<_>>());
    let seen = scan(&ranks);
    let mut random = Random::new("scan", ranks.len() as u64);
    let higher = (0..PERMUTATIONS).filter(|_| {
        random.shuffle(&mut ranks);
        scan(&ranks) >= seen
    });
    (higher.count() + 1) as f64 / (PERMUTATIONS + 1) as f64 <= LEVEL
}

/// The ranks minus their mean; ties have their mean rank.
fn ranks(values: &[f64]) -> Vec<f64> {
    let rank = |value: &f64| {
        let below = values.iter().filter(|other| *other < value).count() as f64;
        let above = values.iter().filter(|other| *other > value).count() as f64;
        (below - above) / 2.0
    };
    values.iter().map(rank).collect()
}

/// The largest squared sum of neighbouring ranks divided by its variance, up to a constant factor.
fn scan(ranks: &[f64]) -> f64 {
    let count = ranks.len();
    let mut largest: f64 = 0.0;
    for from in 0..count {
        let mut sum = 0.0;
        for (length, rank) in (1..).zip(&ranks[from..]) {
            sum += rank;
            if length > 1 && length + 1 < count {
                let variance = (length * (count - length)) as f64;
                largest = largest.max(sum * sum / variance);
            }
        }
    }
    largest
}
