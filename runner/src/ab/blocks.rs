//! The schedule of the timed samples, and what they decide.
//!
//! Samples are taken in blocks of six: base, head and the placebo, which is base once more, in a random order, then
//! in the reverse order. A steady drift of the machine cancels within a block, and other effects of the order affect
//! all three equally. A block gives two ratios, the geometric means of head by base and of the placebo by base. If
//! the placebo differs from base, head may differ too although it is equal, and nothing is decided. The rule that
//! ends a comparison depends only on its past samples, and its interval contains the median ratio at all times at
//! once ([`ikeru_reports::statistics::sequential`]). The level is that of the whole session, shared equally by the
//! timed cells; a fifth of it belongs to the placebo. Variants of several cells are compared as wholes too, at half of the
//! level. Comparisons of scores, if there are any, have half of everything.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use ikeru_core::Random;
use ikeru_reports::decisions::Timed;
use ikeru_reports::statistics::contrast::Contrast;
use ikeru_reports::statistics::decision::LEVEL;
use ikeru_reports::statistics::sequential::Sequence;
use ikeru_reports::statistics::{self, Estimate, median};

use super::BuildSide;
use super::preview::{ended, is_late};
use crate::campaign::schedule::{Pick, Round, Schedule, Taken};
use crate::execute::{Outcome, Sample};

/// The clock by which samples are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Clock {
    /// Time that passes.
    Wall,
    /// Time that processors work; for machines that others use too.
    Cpu,
}

impl Clock {
    /// The time of one answer in a sample; `None` if the sample has none.
    pub fn of(self, sample: &Sample) -> Option<Timed> {
        let time = match self {
            Self::Wall => sample.batch,
            // The time of a command is known when its processes have ended.
            Self::Cpu => sample.cpu.or(sample.process_cpu),
        };
        let nanoseconds = time.map(|time| time.as_nanos() as f64);
        Timed::new(sample.outcome, nanoseconds, sample.iterations as f64)
    }
}

/// A cell that both builds answer, and the samples of its time.
#[derive(Debug, Clone)]
pub struct Timing {
    /// The place of its stage, and its place there.
    pub cell: (usize, usize),
    /// The label of its variant.
    pub label: String,
    /// Head by base, one ratio per block.
    pub sequence: Sequence,
    /// Base by itself, from the same blocks.
    pub placebo: Sequence,
    /// Nanoseconds of an answer, by side.
    pub times: [Vec<f64>; 3],
    /// A build that did not answer any more or was not judged, and how its sample ended, as a word and in full.
    pub failed: Option<(BuildSide, Outcome, String)>,
    /// Blocks that were dropped, because the CPU time of a sample is not known.
    pub dropped: usize,
    /// The ratios of each block, head by base and placebo by base, with the number of the block in the session.
    blocks: Vec<(usize, [f64; 2])>,
    spent: Duration,
}

/// The times of a variant on all its cells, if there are several.
#[derive(Debug, Clone, Copy)]
pub struct Together {
    /// The place of its first cell.
    pub cell: (usize, usize),
    /// The number of cells with a whole block.
    pub cells: usize,
    /// The geometric mean of the cells' ratios, with the least and the greatest of them.
    pub ratio: Estimate,
    /// What all blocks decide; *within* is what each cell decides.
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

/// The share of the level that belongs to the placebo.
const OF_PLACEBO: f64 = 0.2;

/// The share of the level of times that belongs to the variants as wholes, if one of them has several cells; they share it
/// equally.
const OF_VARIANTS: f64 = 0.5;

/// The share of the level that belongs to the comparisons of scores, if there are any; they share it equally.
pub const OF_SCORES: f64 = 0.5;

impl Timing {
    /// The timings of `cells`, each with the label of its variant, none of them decided. The chance of any wrong
    /// decision, also of one about scores if there are any, stays within [`LEVEL`].
    pub fn among(cells: &[((usize, usize), String)], with_scores: bool) -> Vec<Self> {
        let variants = of_several_cells(cells.iter().map(|(cell, label)| (cell.0, label)));
        let of_cells = match variants.is_empty() {
            true => 1.0,
            false => 1.0 - OF_VARIANTS,
        };
        let level = of_cells * level_of_times(with_scores) / cells.len().max(1) as f64;
        let timing = |(cell, label): &((usize, usize), String)| {
            let [sequence, placebo] = sequences(level);
            Self {
                cell: *cell,
                label: label.clone(),
                sequence,
                placebo,
                times: Default::default(),
                failed: None,
                dropped: 0,
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
            let mut blocks: Vec<_> = own.iter().flat_map(|it| &it.blocks).collect();
            blocks.sort_by_key(|(number, _)| *number);
            let mut both = sequences(level);
            for (_, ratios) in blocks {
                both.iter_mut()
                    .zip(ratios)
                    .for_each(|(one, ratio)| one.push(*ratio));
            }
            let logs = own.iter().filter_map(|it| it.sequence.ratio());
            let logs = statistics::sorted(&logs.map(|it| it.value.ln()).collect::<Vec<_>>());
            let (low, high) = (*logs.first()?, *logs.last()?);
            let mid = logs.iter().sum::<f64>() / logs.len() as f64;
            let ratio = Estimate::within(low, mid, high).map(f64::exp);
            let is_within =
                |it: &&Self| matches!(it.decision(margin), HeadIs::Within | HeadIs::Faster);
            let decision = match decided(&both[0], &both[1], margin) {
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
                decision,
            })
        };
        variants.iter().filter_map(one).collect()
    }

    /// The decision of the blocks so far, if head may be slower by `margin` (0.01 for 1 %).
    pub fn decision(&self, margin: f64) -> HeadIs {
        decided(&self.sequence, &self.placebo, margin)
    }

    /// The median time of one answer in nanoseconds, if there is one.
    pub fn time(&self, side: BuildSide) -> Option<f64> {
        median(&self.times[side as usize])
    }

    /// The expected further time that decides an undecided comparison, if head may be slower by `margin`; `None` if it
    /// is unknown or above a thousand times the time so far. The interval shrinks with the root of the number of blocks;
    /// before there is one, the time is `at least` that of the fewest blocks that decide.
    pub fn needs(&self, margin: f64) -> Option<(Duration, &'static str)> {
        let ratio = self.sequence.ratio().filter(|_| self.is_open(margin))?;
        let ends = ratio.interval?;
        let [low, mid, high] = [ends.low, ratio.value, ends.high].map(f64::ln);
        if low.is_infinite() || high.is_infinite() {
            let pairs = self.sequence.pairs();
            let more = self.sequence.fewest().saturating_sub(pairs) as f64 / pairs as f64;
            return Some((self.spent.mul_f64(more), "at least"));
        }
        let bound = margin.ln_1p();
        let is_faster = -mid;
        let is_within = if margin > 0.0 { bound - mid } else { 0.0 };
        let distance = is_faster.max(is_within).max(mid - bound);
        let growth = ((high - mid).max(mid - low) / distance).powi(2) - 1.0;
        let is_known = (0.0..1e3).contains(&growth);
        is_known.then(|| (self.spent.mul_f64(growth), "about"))
    }

    /// Returns whether more blocks may decide the comparison.
    pub fn is_open(&self, margin: f64) -> bool {
        self.failed.is_none() && self.decision(margin) == HeadIs::Undecided
    }

    /// Adds a whole block of samples, which is the block `number` of the session.
    fn add(&mut self, number: usize, block: &[Taken], clock: Clock) {
        let mut times: [Vec<f64>; 3] = Default::default();
        for Taken { pick, sample, .. } in block {
            let side = BuildSide::ALL[pick.cell % BuildSide::ALL.len()];
            let is_answer = |time: &Timed| !time.stopped || is_late(sample);
            match clock.of(sample).filter(is_answer) {
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
        let log = |times: &[f64]| times.iter().map(|time| time.ln()).sum::<f64>();
        let by_base = |side: BuildSide| ((log(&times[side as usize]) - log(&times[0])) / 2.0).exp();
        let ratios = [BuildSide::Head, BuildSide::Placebo].map(by_base);
        self.sequence.push(ratios[0]);
        self.placebo.push(ratios[1]);
        self.blocks.push((number, ratios));
        for (all, new) in self.times.iter_mut().zip(times) {
            all.extend(new);
        }
    }
}

/// Those of several cells among variants, which are stages with labels.
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

/// The sequences of head and of the placebo that share `level`.
fn sequences(level: f64) -> [Sequence; 2] {
    [1.0 - OF_PLACEBO, OF_PLACEBO].map(|share| Sequence::new(share * level))
}

/// What two sequences decide, if head may be slower by `margin`.
fn decided(head: &Sequence, placebo: &Sequence, margin: f64) -> HeadIs {
    let of_placebo = Contrast::of_sequence(placebo).interval;
    if of_placebo.is_some_and(|ends| ends.low > 1.0 || ends.high < 1.0) {
        return HeadIs::Withheld;
    }
    match Contrast::of_sequence(head).interval {
        Some(ends) if ends.low > 1.0 + margin => HeadIs::Slower,
        Some(ends) if ends.high < 1.0 => HeadIs::Faster,
        Some(ends) if margin > 0.0 && ends.high <= 1.0 + margin => HeadIs::Within,
        _ => HeadIs::Undecided,
    }
}

/// The schedule: blocks of the cell with the least time spent among those that are open, so that slow cells do not use
/// up the time of fast ones. A block that `end` cuts short is dropped.
pub struct BlockSchedule<'a> {
    /// The timings so far.
    pub timings: Vec<Timing>,
    /// The clock by which samples are compared.
    pub clock: Clock,
    /// Head may be slower by this part.
    pub margin: f64,
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
            self.timings[at].add(number, last, self.clock);
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
        let before = 2 * timing.sequence.pairs() as u32;
        let halves = [(0, there), (1, back)].into_iter();
        let order = halves.flat_map(|(second, sides)| sides.map(|side| (second, side)));
        let picks = order.map(|(second, side)| {
            let repeat = before + second;
            Pick {
                stage: timing.cell.0,
                cell: side.copy_of(timing.cell.1),
                repeat,
                // The preview was the first attempt at the first repeat.
                attempt: u32::from(repeat == 0),
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
mod tests {
    use ikeru_reports::records::Rows;

    use super::*;

    fn sample(nanoseconds: f64) -> Sample {
        Sample {
            outcome: Outcome::Solved,
            batch: Some(Duration::from_nanos((nanoseconds * 1e3) as u64)),
            iterations: 1000,
            ..Sample::default()
        }
    }

    /// A microsecond kernel on a shared machine: drift, jitter, an occasional disturbance, and samples that are
    /// slower the later they come in a block.
    struct Machine {
        random: Random,
        taken: u32,
    }

    impl Machine {
        fn time(&mut self, place: usize, side: BuildSide, slower: f64) -> f64 {
            self.taken += 1;
            let drift = 1.0 + 0.2 * (f64::from(self.taken) / 150.0).sin();
            let jitter = 1.0 + 0.04 * self.random.unit();
            let order = 1.0 + 0.01 * place as f64;
            let rare = if self.random.chance(0.03) { 1.5 } else { 1.0 };
            let build = if side == BuildSide::Head { slower } else { 1.0 };
            1000.0 * drift * jitter * order * rare * build
        }
    }

    fn side(pick: &Pick) -> BuildSide {
        BuildSide::ALL[pick.cell % 3]
    }

    /// Drives the schedule over `cells` cells of one stage with at most `most` blocks; `take` makes the samples from
    /// their place in the block.
    fn driven(
        seed: u64,
        margin: f64,
        (cells, most): (usize, usize),
        take: &mut dyn FnMut(usize, &Pick) -> Sample,
    ) -> Vec<Timing> {
        // Each cell is of a variant of its own.
        let places: Vec<_> = (0..cells)
            .map(|cell| ((0, cell), cell.to_string()))
            .collect();
        let far = Instant::now() + Duration::from_secs(3600);
        let mut blocks = BlockSchedule {
            timings: Timing::among(&places, false),
            clock: Clock::Wall,
            margin,
            end: far,
            random: Random::new("ab", seed),
            seen: &|| (),
            last: None,
        };
        let mut last = Vec::new();
        for _ in 0..most {
            let Some(round) = blocks.next(&last) else {
                return blocks.timings;
            };
            assert_eq!(round.end, Some(far));
            let picks = round.picks.iter().enumerate();
            let taken = picks.map(|(place, pick)| Taken {
                pick: *pick,
                canary: None,
                sample: take(place, pick),
            });
            last = taken.collect();
        }
        let _ = blocks.next(&last);
        blocks.timings
    }

    /// A session over `cells` cells whose head is `slower`, with `blocks` blocks for each.
    fn session(
        seed: u64,
        slower: f64,
        margin: f64,
        (cells, blocks): (usize, usize),
    ) -> Vec<HeadIs> {
        let mut machine = Machine {
            random: Random::new("ab-machine", seed),
            taken: 0,
        };
        let timings = driven(seed, margin, (cells, blocks * cells), &mut |place, pick| {
            sample(machine.time(place, side(pick), slower))
        });
        timings
            .iter()
            .map(|timing| timing.decision(margin))
            .collect()
    }

    #[test]
    fn the_rows_of_the_placebo_are_known_by_their_label() {
        let rows = BuildSide::ALL.map(|side| format!("1,solver@{}\n", side.name()));
        let rows = Rows::of_table(&format!("schema,label\n{}", rows.concat()));
        let kept = rows.without_placebo(&rows.all()).into_owned();
        assert_eq!(
            rows.distinct("label", &kept),
            ["solver@base", "solver@head"]
        );
    }

    #[test]
    fn two_hundred_sessions_of_one_build_raise_no_more_alarms_than_said() {
        for margin in [0.0, 0.01] {
            let is_alarmed = |seed: &u64| {
                let decisions = session(*seed, 1.0, margin, (5, 100));
                // A placebo that differs is an alarm too.
                decisions
                    .iter()
                    .any(|it| matches!(it, HeadIs::Slower | HeadIs::Faster | HeadIs::Withheld))
            };
            let alarms = (0..200).filter(is_alarmed).count();
            println!("alarms in 200 sessions with a margin of {margin}: {alarms}");
            assert!(alarms <= 10, "{alarms} with a margin of {margin}");
        }
    }

    #[test]
    fn three_percent_are_found_and_one_percent_within_the_margin_is_not() {
        let all =
            |slower, margin| (0..50).flat_map(move |seed| session(seed, slower, margin, (1, 300)));
        let found = all(1.03, 0.01).filter(|it| *it == HeadIs::Slower).count();
        assert!(found >= 48, "{found} of 50");
        let faster = all(0.97, 0.01).filter(|it| *it == HeadIs::Faster).count();
        assert!(faster >= 48, "{faster} of 50");
        let alarms = all(1.005, 0.02).filter(|it| *it == HeadIs::Slower).count();
        assert!(alarms <= 2, "{alarms} of 50");
        let within = all(1.0, 0.03).filter(|it| *it == HeadIs::Within).count();
        assert!(within >= 48, "{within} of 50");
    }

    /// What 12 cells of one variant decide together and each alone, after `blocks` blocks of each; head is slower by `slower`
    /// of the cell.
    fn together(
        seed: u64,
        blocks: usize,
        slower: &dyn Fn(usize) -> f64,
    ) -> (Together, Vec<HeadIs>) {
        let mut machine = Machine {
            random: Random::new("ab-together", seed),
            taken: 0,
        };
        let mut timings = driven(seed, 0.01, (12, 12 * blocks), &mut |place, pick| {
            sample(machine.time(place, side(pick), slower(pick.cell / 3)))
        });
        timings.iter_mut().for_each(|timing| timing.label.clear());
        let all = Timing::together(&timings, 0.01, false);
        let alone = timings.iter().map(|timing| timing.decision(0.01));
        (all[0], alone.collect())
    }

    #[test]
    fn many_cells_decide_together_what_none_decides_alone() {
        for (factor, expected) in [(0.5, HeadIs::Faster), (1.3, HeadIs::Slower)] {
            let (all, alone) = together(1, 3, &|cell| factor * (1.0 + 0.01 * cell as f64));
            assert_eq!((all.decision, all.cells), (expected, 12));
            assert!(alone.iter().all(|it| *it == HeadIs::Undecided), "{alone:?}");
            let ends = all.ratio.interval.expect("ends");
            assert!(ends.low < all.ratio.value && all.ratio.value < ends.high);
        }
        // Nine cells are a little faster, three are much slower: the mean contradicts the signs.
        let (all, _) = together(1, 9, &|cell| if cell < 9 { 0.8 } else { 9.0 });
        assert_eq!(all.decision, HeadIs::Undecided);
    }

    #[test]
    fn cells_of_one_build_raise_no_more_alarms_together_than_said() {
        let is_alarmed = |seed: &u64| together(*seed, 20, &|_| 1.0).0.decision != HeadIs::Undecided;
        let alarms = (0..200).filter(is_alarmed).count();
        assert!(alarms <= 5, "{alarms} of 200 at half of 5 %");
    }

    #[test]
    fn blocks_are_balanced_and_both_orders_come() {
        let mut picks = Vec::new();
        driven(1, 0.0, (1, 40), &mut |_, pick| {
            picks.push(*pick);
            sample(1000.0)
        });
        use BuildSide::{Base, Head, Placebo};
        let seen: Vec<BuildSide> = picks.iter().map(side).collect();
        let blocks: Vec<&[BuildSide]> = seen.chunks(6).collect();
        assert!(blocks.contains(&&[Base, Head, Placebo, Placebo, Head, Base][..]));
        assert!(blocks.contains(&&[Head, Base, Placebo, Placebo, Base, Head][..]));
        for of in BuildSide::ALL {
            assert_eq!(seen.iter().filter(|side| **side == of).count(), 80);
        }
        // No two samples of a build have one identity; the preview was the first attempt at the first repeat.
        let mut samples: Vec<_> = picks
            .iter()
            .map(|it| (it.cell, it.repeat, it.attempt))
            .collect();
        samples.sort_unstable();
        samples.dedup();
        assert_eq!(samples.len(), picks.len());
        assert!(!samples.contains(&(0, 0, 0)) && samples.contains(&(0, 0, 1)));
    }

    #[test]
    fn a_build_that_fails_ends_its_timing() {
        let timings = driven(
            1,
            0.0,
            (2, 100),
            &mut |_, pick| match (pick.cell / 3, side(pick)) {
                (0, BuildSide::Head) => Sample::failed(Outcome::Crashed, "gone"),
                (_, BuildSide::Head) => sample(1100.0),
                (_, BuildSide::Base | BuildSide::Placebo) => sample(1000.0),
            },
        );
        let gone = Some((
            BuildSide::Head,
            Outcome::Crashed,
            "crashed: gone".to_owned(),
        ));
        assert_eq!(timings[0].failed, gone);
        assert_eq!(timings[1].decision(0.0), HeadIs::Slower);
        assert_eq!(timings[1].sequence.pairs(), 8, "at a level shared by two");
    }

    #[test]
    fn times_beside_scores_have_half_of_the_level() {
        let needed = |with_scores| {
            let mut timing = Timing::among(&[((0, 0), String::new())], with_scores).remove(0);
            let blocks = (1..).find(|_| {
                timing.sequence.push(1.1);
                timing.decision(0.0) == HeadIs::Slower
            });
            blocks.expect("decided")
        };
        assert_eq!([false, true].map(needed), [7, 8]);
    }

    /// On a busy machine the CPU time of a short answer may not be known.
    #[test]
    fn an_answer_whose_time_is_not_known_is_no_failure() {
        let mut taken = 0;
        let timings = driven(3, 0.0, (1, 100), &mut |_, pick| {
            taken += 1;
            let mut sample = sample(if side(pick) == BuildSide::Head {
                1100.0
            } else {
                1000.0
            });
            if taken % 7 == 0 {
                sample.batch = None;
            }
            sample
        });
        assert_eq!(timings[0].failed, None);
        assert_eq!(timings[0].decision(0.0), HeadIs::Slower);
    }

    #[test]
    fn where_base_differs_from_itself_nothing_is_decided() {
        // A machine that favours the processes of the placebo.
        let mut machine = Machine {
            random: Random::new("ab-machine", 3),
            taken: 0,
        };
        let timings = driven(3, 0.01, (1, 300), &mut |place, pick| {
            let colder = if side(pick) == BuildSide::Placebo {
                0.97
            } else {
                1.0
            };
            sample(colder * machine.time(place, side(pick), 1.04))
        });
        assert_eq!(timings[0].decision(0.01), HeadIs::Withheld);
        assert!(!timings[0].is_open(0.01), "more blocks do not help");
    }
}
