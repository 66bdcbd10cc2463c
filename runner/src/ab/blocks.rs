//! The schedule of the timed samples, and what they decide.
//!
//! Samples are taken in blocks of six: base, head and the placebo, which is base once more, in a random order, then
//! in the reverse order. A steady drift of the machine cancels within a block, and other effects of the order affect
//! all three equally. If the builds are equal, which of the three pairs is head's is a fair die, and the session bets on it
//! ([`ikeru_compare::die`]): the rule that ends a comparison depends only on its past samples, and its interval
//! holds at all times at once. If the placebo differs from base, head may differ too although it is equal, and nothing is
//! decided. The level is that of the whole session, shared equally by the
//! timed cells; a fifth of it belongs to the placebo. If each side is linked several times, the blocks of a cell are of each
//! pair of layouts in turn, their number is fixed, and the pairs of layouts are the sample ([`ikeru_compare::layouts`]).
//! Variants of several cells are compared as wholes too, at half of the
//! level. Comparisons of scores, if there are any, have half of everything.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use ikeru_compare::LEVEL;
use ikeru_compare::die::Die;
use ikeru_core::Random;
use ikeru_reports::decisions::Timed;
use ikeru_reports::metric::Metric;
use ikeru_reports::statistics::{self, Estimate, median};
use ikeru_reports::units::count;

use super::BuildSide;
use super::preview::{ended, is_late};
use crate::campaign::schedule::{Pick, Round, Schedule, Taken};
use crate::execute::{Outcome, Sample};

/// The time of one answer in a sample: CPU time, or the time that passed; `None` if the sample has none.
fn time(sample: &Sample, clock: &Metric) -> Option<Timed> {
    let time = match clock {
        // The time of a command is known when its processes have ended.
        Metric::Cpu => sample.cpu.or(sample.process_cpu),
        _ => sample.batch,
    };
    let nanoseconds = time.map(|time| time.as_nanos() as f64);
    Timed::new(sample.outcome, nanoseconds, sample.iterations as f64)
}

/// A cell that both builds answer, and the samples of its time.
#[derive(Debug, Clone)]
pub struct Timing {
    /// The place of its stage, and its place there.
    pub cell: (usize, usize),
    /// The label of its variant.
    pub label: String,
    /// Head by base and placebo, one bet per block.
    pub head: Die,
    /// The placebo by base, from the same blocks.
    pub placebo: Die,
    /// Nanoseconds of an answer, by side.
    pub times: [Vec<f64>; 3],
    /// A build that did not answer any more or was not judged, and how its sample ended, as a word and in full.
    pub failed: Option<(BuildSide, Outcome, String)>,
    /// Blocks that were dropped, because the CPU time of a sample is not known.
    pub dropped: usize,
    /// The number of blocks, if it is fixed.
    planned: Option<usize>,
    /// The logarithms of each block, of base, head and placebo, with the number of the block in the session and that of its
    /// layout, from 0.
    blocks: Vec<(usize, usize, [[f64; 2]; 3])>,
    spent: Duration,
}

/// The times of a variant on all its cells, if there are several.
#[derive(Debug, Clone)]
pub struct Together {
    /// The place of its first cell.
    pub cell: (usize, usize),
    /// The number of cells with a whole block.
    pub cells: usize,
    /// The geometric mean of the cells' ratios, with the least and the greatest of them.
    pub ratio: Estimate,
    /// The test of head on all blocks; its interval is that of the median ratio, or of the mean one over the layouts.
    pub head: Die,
    /// The decision of all blocks; `Within` if each cell is within the margin or faster.
    pub decision: HeadIs,
}

/// The decision about a cell's time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeadIs {
    /// Head takes longer, by more than the margin.
    Slower,
    /// Head takes less time.
    Faster,
    /// Head does not take longer by more than the margin.
    Within,
    /// The blocks so far do not decide it.
    Undecided,
    /// Base differs from itself, so a difference is no evidence about head.
    Withheld,
}

/// The number of blocks of each cell and pair of layouts.
pub const ROUNDS: usize = 10;

/// The share of the level that belongs to the placebo.
const OF_PLACEBO: f64 = 0.2;

/// The share of the level of times that belongs to the variants as wholes, if one of them has several cells; they share it
/// equally.
const OF_VARIANTS: f64 = 0.5;

/// The share of the level that belongs to the comparisons of scores, if there are any; they share it equally.
pub const OF_SCORES: f64 = 0.5;

impl Timing {
    /// The timings of `cells`, each with the label of its variant, none of them decided. The chance of any wrong
    /// decision, also of one about scores if there are any, stays within [`LEVEL`]. With `layouts`, pairs of these are the
    /// sample.
    pub fn among(
        cells: &[((usize, usize), String)],
        margin: f64,
        with_scores: bool,
        layouts: Option<u32>,
    ) -> Vec<Self> {
        let variants = of_several_cells(cells.iter().map(|(cell, label)| (cell.0, label)));
        let of_cells = match variants.is_empty() {
            true => 1.0,
            false => 1.0 - OF_VARIANTS,
        };
        let level = of_cells * level_of_times(with_scores) / cells.len().max(1) as f64;
        let timing = |(cell, label): &((usize, usize), String)| {
            let [head, placebo] = bets(level, margin, layouts.is_some());
            Self {
                cell: *cell,
                label: label.clone(),
                head,
                placebo,
                times: Default::default(),
                failed: None,
                dropped: 0,
                planned: layouts.map(|layouts| ROUNDS * layouts as usize),
                blocks: Vec::new(),
                spent: Duration::ZERO,
            }
        };
        cells.iter().map(timing).collect()
    }

    /// The times of each variant of several cells on all of them. If the builds are equal, a block's ratio is above 1 as
    /// often as below, on whichever cell, so the blocks of all cells are one sequence. It decides that head is slower, or
    /// faster, on some of the cells; the sentence needs the mean on the same side.
    pub fn together(timings: &[Self], margin: f64, with_scores: bool) -> Vec<Together> {
        let variants = of_several_cells(timings.iter().map(|it| (it.cell.0, &it.label)));
        let level = OF_VARIANTS * level_of_times(with_scores) / variants.len().max(1) as f64;
        let one = |(stage, label): &(usize, &String)| {
            let own = timings
                .iter()
                .filter(|it| it.cell.0 == *stage && it.label == **label);
            let own: Vec<&Self> = own.filter(|it| !it.blocks.is_empty()).collect();
            let of_cell = |(source, it): (usize, &&Self)| {
                it.blocks
                    .iter()
                    .map(move |block| (source, *block))
                    .collect::<Vec<_>>()
            };
            let mut blocks: Vec<_> = own.iter().enumerate().flat_map(of_cell).collect();
            blocks.sort_by_key(|(_, (number, ..))| *number);
            let of_layouts = own.first()?.head.layouts().is_some();
            let [mut head, mut placebo] = bets(level, margin, of_layouts);
            for (source, (_, layout, block)) in blocks {
                push([&mut head, &mut placebo], (source, layout), block);
            }
            let logs = own.iter().filter_map(|it| it.head.ratio());
            let logs = statistics::sorted(&logs.map(|it| it.value.ln()).collect::<Vec<_>>());
            let (low, high) = (*logs.first()?, *logs.last()?);
            let mid = logs.iter().sum::<f64>() / logs.len() as f64;
            let ratio = Estimate::within(low, mid, high).map(f64::exp);
            let is_within =
                |it: &&Self| matches!(it.decision(margin), HeadIs::Within | HeadIs::Faster);
            let decision = match decided(&head, &placebo, margin) {
                HeadIs::Slower if ratio.value <= 1.0 + margin => HeadIs::Undecided,
                HeadIs::Faster if ratio.value >= 1.0 => HeadIs::Undecided,
                HeadIs::Within | HeadIs::Undecided if own.iter().all(is_within) => HeadIs::Within,
                HeadIs::Within => HeadIs::Undecided,
                decision => decision,
            };
            let (cell, cells) = (own[0].cell, own.len());
            Some(Together {
                cell,
                cells,
                ratio,
                head,
                decision,
            })
        };
        variants.iter().filter_map(one).collect()
    }

    /// The decision of the blocks so far, if head may be slower by `margin` (0.01 for 1 %).
    pub fn decision(&self, margin: f64) -> HeadIs {
        decided(&self.head, &self.placebo, margin)
    }

    /// The median time of one answer in nanoseconds, if there is one.
    pub fn time(&self, side: BuildSide) -> Option<f64> {
        median(&self.times[side as usize])
    }

    /// The expected further time that decides an undecided comparison, if head may be slower by `margin`; `None` if it
    /// is unknown or above a thousand times the time so far. The interval shrinks with the root of the number of blocks;
    /// before there is one, the time is `at least` that of the fewest blocks that decide.
    pub fn needs(&self, margin: f64) -> Option<(Duration, &'static str)> {
        let bet = &self.head;
        let ends = bet
            .ratio()
            .filter(|_| self.planned.is_none() && self.is_open(margin))?;
        let ends = ends.interval?;
        if ends.low <= 0.0 || ends.high.is_infinite() {
            let more = bet.fewest().saturating_sub(bet.blocks()) as f64 / bet.blocks() as f64;
            return Some((self.spent.mul_f64(more), "at least"));
        }
        let more = self.growth(margin)? - 1.0;
        Some((self.spent.mul_f64(more), "about"))
    }

    /// What is expected to decide an undecided comparison whose sample is layouts; `None` if it is unknown.
    pub fn needs_layouts(&self, margin: f64) -> Option<String> {
        let present = self.head.layouts()?.count() as f64;
        if self.decision(margin) != HeadIs::Undecided {
            return None;
        }
        if self.is_open(margin) {
            return Some("a longer --budget".to_owned());
        }
        let layouts = (self.growth(margin)? * present).ceil();
        Some(format!("about {} layouts", count(layouts as usize)))
    }

    /// The factor by which the sample has to grow until the interval, which shrinks with the root of its size, decides;
    /// `None` above a thousand.
    fn growth(&self, margin: f64) -> Option<f64> {
        let ratio = self.head.ratio()?;
        let ends = ratio.interval?;
        let [low, mid, high] = [ends.low, ratio.value, ends.high].map(f64::ln);
        let bound = margin.ln_1p();
        let is_faster = -mid;
        let is_within = if margin > 0.0 { bound - mid } else { 0.0 };
        let distance = is_faster.max(is_within).max(mid - bound);
        let growth = ((high - mid).max(mid - low) / distance).powi(2);
        (1.0..1e3).contains(&growth).then_some(growth)
    }

    /// Returns whether more blocks may decide the comparison.
    pub fn is_open(&self, margin: f64) -> bool {
        if let Some(planned) = self.planned {
            // The number of blocks must not depend on the difference so far.
            let is_withheld = self.placebo.side(0.0).is_some();
            return self.failed.is_none() && self.head.blocks() < planned && !is_withheld;
        }
        let is_probably_faster = || self.head.middle() < Some(-margin.ln_1p());
        self.failed.is_none()
            && match self.decision(margin) {
                HeadIs::Undecided => true,
                HeadIs::Within => is_probably_faster(),
                HeadIs::Slower | HeadIs::Faster | HeadIs::Withheld => false,
            }
    }

    /// Adds a whole block of samples, which is the block `number` of the session.
    fn add(&mut self, (number, layout): (usize, usize), block: &[Taken], clock: &Metric) {
        let mut times: [Vec<f64>; 3] = Default::default();
        for Taken { pick, sample, .. } in block {
            let side = BuildSide::ALL[pick.cell % BuildSide::ALL.len()];
            let is_answer = |time: &Timed| !time.stopped || is_late(sample);
            match time(sample, clock).filter(is_answer) {
                Some(time) => times[side as usize].push(time.time),
                // The system interrupted the process for so long that its CPU time is not known.
                None if sample.outcome == Outcome::Solved => {
                    self.dropped += 1;
                    return;
                }
                None => {
                    self.failed = Some((side, sample.outcome, ended(sample)));
                    return;
                }
            }
        }
        let block = times.each_ref().map(|pair| [pair[0].ln(), pair[1].ln()]);
        push([&mut self.head, &mut self.placebo], (0, layout), block);
        self.blocks.push((number, layout, block));
        for (all, new) in self.times.iter_mut().zip(times) {
            all.extend(new);
        }
    }
}

/// The variants that have several cells. A variant is a stage and a label.
fn of_several_cells<'a>(
    cells: impl Iterator<Item = (usize, &'a String)>,
) -> Vec<(usize, &'a String)> {
    let mut counts: BTreeMap<(usize, &String), usize> = BTreeMap::new();
    cells.for_each(|variant| *counts.entry(variant).or_default() += 1);
    counts.retain(|_, count| *count > 1);
    counts.into_keys().collect()
}

/// The level of all decisions about times.
fn level_of_times(with_scores: bool) -> f64 {
    LEVEL * if with_scores { 1.0 - OF_SCORES } else { 1.0 }
}

/// The bets on head and on the placebo that share `level`. The placebo has the layout of base: blocks are its sample also where
/// pairs of layouts are that of head.
fn bets(level: f64, margin: f64, of_layouts: bool) -> [Die; 2] {
    let of_head = (1.0 - OF_PLACEBO) * level;
    let head = match of_layouts {
        true => Die::over_layouts(of_head),
        false => Die::new(of_head, &[0.0, margin.ln_1p()]),
    };
    [head, Die::new(OF_PLACEBO * level, &[0.0])]
}

/// Adds a block of a source and a layout, the logarithms of base, head and placebo, to the bets on head and on the placebo.
fn push(
    [head, of_placebo]: [&mut Die; 2],
    source: (usize, usize),
    [base, own, placebo]: [[f64; 2]; 3],
) {
    head.push(source, &[own, base, placebo]);
    of_placebo.push(source, &[placebo, base]);
}

/// What two bets decide, if head may be slower by `margin`.
fn decided(head: &Die, placebo: &Die, margin: f64) -> HeadIs {
    if placebo.side(0.0).is_some() {
        return HeadIs::Withheld;
    }
    match (head.side(margin.ln_1p()), head.side(0.0)) {
        (Some(Ordering::Greater), _) => HeadIs::Slower,
        (_, Some(Ordering::Less)) => HeadIs::Faster,
        (Some(Ordering::Less), _) if margin > 0.0 => HeadIs::Within,
        _ => HeadIs::Undecided,
    }
}

/// The schedule: blocks of the cell with the least time spent among those that are open, so that slow cells do not use
/// up the time of fast ones. A block that `end` cuts short is dropped.
pub struct BlockSchedule<'a> {
    /// The timings so far.
    pub timings: Vec<Timing>,
    /// The clock by which samples are compared.
    pub clock: Metric,
    /// Head may be slower by this part.
    pub margin: f64,
    /// The number of layouts; 1 if each side has one program.
    pub layouts: usize,
    /// The end of the schedule.
    pub end: Instant,
    /// The order of the sides.
    pub random: Random,
    /// Called before each block.
    pub seen: &'a dyn Fn(),
    /// The timing of the last block, and when the block began; `None` before the first one.
    pub last: Option<(usize, Instant)>,
}

impl Schedule for BlockSchedule<'_> {
    fn next(&mut self, last: &[Taken]) -> Option<Round> {
        if let Some((at, began)) = self.last.take() {
            let number = self.timings.iter().map(|it| it.blocks.len()).sum();
            let layout = self.timings[at].head.blocks() % self.layouts;
            self.timings[at].add((number, layout), last, &self.clock);
            // The spent time is at least the time of the answers, so that recorded samples produce the same schedule
            // when they are replayed.
            let answered = last.iter().filter_map(|taken| taken.sample.batch).sum();
            self.timings[at].spent += began.elapsed().max(answered);
        }
        (self.seen)();
        let timings = self.timings.iter().enumerate();
        let open = timings.filter(|(_, timing)| timing.is_open(self.margin));
        let (at, timing) = open.min_by_key(|(_, timing)| timing.spent)?;
        self.last = Some((at, Instant::now()));
        let mut there = BuildSide::ALL;
        self.random.shuffle(&mut there);
        let mut back = there;
        back.reverse();
        let (round, layout) = (
            timing.head.blocks() / self.layouts,
            timing.head.blocks() % self.layouts,
        );
        let before = 2 * round as u32;
        let halves = [(0, there), (1, back)].into_iter();
        let order = halves.flat_map(|(second, sides)| sides.map(|side| (second, side)));
        let picks = order.map(|(second, side)| {
            let repeat = before + second;
            Pick {
                stage: timing.cell.0,
                cell: side.copy_of(timing.cell.1, (layout, self.layouts)),
                repeat,
                // The preview was the first attempt at the first repeat.
                attempt: u32::from(repeat == 0 && layout == 0),
                follows: false,
            }
        });
        Some(Round {
            picks: picks.collect(),
            end: Some(self.end),
            is_extra: false,
        })
    }
}

#[cfg(test)]
mod tests;
