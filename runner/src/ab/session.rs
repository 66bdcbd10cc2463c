//! Which sample comes next, and what is decided.
//!
//! Samples come in blocks of four in the order base, head, head, base or the other way round, by a fair coin. Within a
//! block a steady drift of the machine cancels, and whatever is left of the order meets both builds alike. A block
//! gives one ratio, the geometric mean of head by base. Whether a comparison goes on depends on its own past alone, and
//! its interval holds the median ratio at all times at once ([`ikeru_reports::statistics::sequential`]). The level
//! is that of the whole session, shared equally by the cells that are timed.

use std::time::{Duration, Instant};

use anyhow::Result;
use ikeru_core::{Direction, Random};
use ikeru_reports::decisions::Timed;
use ikeru_reports::records::Outcome;
use ikeru_reports::statistics::decision::LEVEL;
use ikeru_reports::statistics::median;
use ikeru_reports::statistics::sequential::{MedianRatio, Sequence};

use crate::execute::Sample;

/// One of the two builds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// What is compared with.
    Base,
    /// What is compared.
    Head,
}

impl Side {
    /// Its word in tables and in `samples.csv`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Base => "base",
            Self::Head => "head",
        }
    }

    fn other(self) -> Self {
        match self {
            Self::Base => Self::Head,
            Self::Head => Self::Base,
        }
    }
}

/// What is timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Clock {
    /// Time that passes.
    Wall,
    /// Time that processors work; for machines that others use too.
    Cpu,
}

impl Clock {
    /// What a sample says of the time of one answer; `None` if it has none.
    pub fn of(self, sample: &Sample) -> Option<Timed> {
        let time = match self {
            Self::Wall => sample.batch,
            Self::Cpu => sample.cpu,
        };
        let nanoseconds = time.map(|time| time.as_nanos() as f64);
        Timed::new(sample.outcome, nanoseconds, sample.iterations as f64)
    }
}

/// What both builds answered to a cell, before any clock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Look {
    /// Whether the cell can be timed, and if not, why.
    pub standing: Standing,
    /// What is not the same in both answers: a score, a counter. One line each.
    pub news: Vec<String>,
    /// The score of head is worse, or both claim a proof and differ.
    pub is_worse: bool,
}

/// Which of the builds answers a cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// Both.
    Both,
    /// Base alone, and what became of head: a regression.
    Lost(String),
    /// Head alone, and what became of base.
    Gained(String),
    /// None, and what became of them.
    Neither(String),
    /// One of them does not know the variant or a setting.
    Unknown(Side, String),
}

impl Look {
    /// Of a cell's first sample by each build; an error if the build could not be asked. Counters are compared if they
    /// are the same in every answer of one build.
    pub fn of(
        base: Result<Sample, String>,
        head: Result<Sample, String>,
        (better, counts_alike): (Direction, bool),
    ) -> Self {
        let plain = |standing| Self {
            standing,
            news: Vec::new(),
            is_worse: false,
        };
        let (base, head) = match (base, head) {
            (Ok(base), Ok(head)) => (base, head),
            (Err(why), _) => return plain(Standing::Unknown(Side::Base, why)),
            (_, Err(why)) => return plain(Standing::Unknown(Side::Head, why)),
        };
        let is_solved = |sample: &Sample| sample.outcome == Outcome::Solved;
        match (is_solved(&base), is_solved(&head)) {
            (true, true) => {}
            (true, false) => return plain(Standing::Lost(ended(&head))),
            (false, true) => return plain(Standing::Gained(ended(&base))),
            (false, false) => {
                let why = match (ended(&base), ended(&head)) {
                    (base, head) if base == head => base,
                    (base, head) => format!("base {base}, head {head}"),
                };
                return plain(Standing::Neither(why));
            }
        }
        let mut news = Vec::new();
        let mut is_worse = false;
        if let (Some(before), Some(now)) = (base.score, head.score)
            && before != now
        {
            let both_proven = base.proven && head.proven;
            is_worse = both_proven
                || match better {
                    Direction::Maximize => now < before,
                    Direction::Minimize => now > before,
                    Direction::Equal => true,
                };
            let proven = if both_proven {
                ", both claimed as proven"
            } else {
                ""
            };
            news.push(format!("score {before} → {now}{proven}"));
        }
        if counts_alike {
            news.extend(changed_counters(&base, &head));
        }
        Self {
            standing: Standing::Both,
            news,
            is_worse,
        }
    }
}

/// How a sample ended, with its detail.
pub fn ended(sample: &Sample) -> String {
    match sample.detail.as_str() {
        "" => sample.outcome.name().to_owned(),
        detail => format!("{}: {detail}", sample.outcome.name()),
    }
}

fn changed_counters(base: &Sample, head: &Sample) -> Vec<String> {
    let of = |sample: &Sample, wanted: &str| {
        let mut all = sample.counters.iter();
        all.find(|(name, _)| name == wanted)
            .map(|(_, count)| *count)
    };
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in base.counters.iter().chain(&head.counters) {
        if !names.contains(&name.as_ref()) {
            names.push(name);
        }
    }
    let word = |count: Option<u64>| count.map_or("none".to_owned(), |count| count.to_string());
    let changed = names.into_iter().filter_map(|name| {
        let (before, now) = (of(base, name), of(head, name));
        (before != now).then(|| format!("{name} {} → {}", word(before), word(now)))
    });
    changed.collect()
}

/// A cell that both builds answer, and what is known of head's time by base's.
#[derive(Debug, Clone)]
pub struct Duel {
    /// Its place among the cells.
    pub cell: usize,
    /// Head by base, one ratio per block.
    pub sequence: Sequence,
    /// Nanoseconds of an answer, of base and of head.
    pub times: [Vec<f64>; 2],
    /// A build that did not answer any more, and what became of it.
    pub failed: Option<(Side, String)>,
    spent: Duration,
}

/// What a session says of a cell's time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Head takes longer, by more than the margin.
    Slower,
    /// Head takes less time.
    Faster,
    /// Head does not take longer by more than the margin.
    Within,
    /// The blocks so far do not decide it.
    Undecided,
}

impl Duel {
    /// The duels of `cells`, none of them decided. The chance of any wrong decision stays within [`LEVEL`].
    pub fn among(cells: &[usize]) -> Vec<Self> {
        let level = LEVEL / cells.len().max(1) as f64;
        let duel = |cell: &usize| Self {
            cell: *cell,
            sequence: Sequence::new(level),
            times: [Vec::new(), Vec::new()],
            failed: None,
            spent: Duration::ZERO,
        };
        cells.iter().map(duel).collect()
    }

    /// What the blocks so far say, if head may be slower by `margin` (0.01 for 1 %).
    pub fn verdict(&self, margin: f64) -> Verdict {
        match self.sequence.ratio() {
            Some(MedianRatio { low, .. }) if low > 1.0 + margin => Verdict::Slower,
            Some(MedianRatio { high, .. }) if high < 1.0 => Verdict::Faster,
            Some(MedianRatio { high, .. }) if margin > 0.0 && high <= 1.0 + margin => {
                Verdict::Within
            }
            _ => Verdict::Undecided,
        }
    }

    /// The median time of one answer in nanoseconds, if there is one.
    pub fn time(&self, side: Side) -> Option<f64> {
        median(&self.times[side as usize])
    }

    fn is_open(&self, margin: f64) -> bool {
        self.failed.is_none() && self.verdict(margin) == Verdict::Undecided
    }
}

/// The place of a sample in a session.
#[derive(Debug, Clone, Copy)]
pub struct Turn {
    /// The cell's place among the cells.
    pub cell: usize,
    /// The cell's block, from 0.
    pub block: usize,
    /// From 0 to 3.
    pub place: usize,
    /// The build that takes it.
    pub side: Side,
}

/// Takes blocks until every duel is decided, or until `end`. The next duel is the one with the least time spent, so that
/// slow cells do not use up the time of fast ones. A block that `end` cuts short is dropped.
///
/// # Errors
/// Those of `take`.
pub fn decide(
    duels: &mut [Duel],
    (clock, margin): (Clock, f64),
    end: Instant,
    random: &mut Random,
    take: &mut dyn FnMut(Turn) -> Result<Sample>,
) -> Result<()> {
    loop {
        let open = duels.iter_mut().filter(|duel| duel.is_open(margin));
        let Some(duel) = open.min_by_key(|duel| duel.spent) else {
            return Ok(());
        };
        let started = Instant::now();
        let first = if random.chance(0.5) {
            Side::Base
        } else {
            Side::Head
        };
        let order = [first, first.other(), first.other(), first];
        let mut times = [Vec::new(), Vec::new()];
        for (place, side) in order.into_iter().enumerate() {
            if Instant::now() >= end {
                return Ok(());
            }
            let (cell, block) = (duel.cell, duel.sequence.pairs());
            let turn = Turn {
                cell,
                block,
                place,
                side,
            };
            let sample = take(turn)?;
            match clock.of(&sample).filter(|time| !time.stopped) {
                Some(time) => times[side as usize].push(time.time),
                None => {
                    duel.failed = Some((side, ended(&sample)));
                    break;
                }
            }
        }
        duel.spent += started.elapsed();
        if let [[a, b], [c, d]] = [&times[0][..], &times[1][..]] {
            duel.sequence.push(((c * d) / (a * b)).sqrt());
            for (all, block) in duel.times.iter_mut().zip(&times) {
                all.extend(block);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(nanoseconds: f64) -> Sample {
        Sample {
            outcome: Outcome::Solved,
            batch: Some(Duration::from_nanos((nanoseconds * 1e3) as u64)),
            iterations: 1000,
            ..Sample::default()
        }
    }

    /// A microsecond kernel on a shared machine: drift, jitter, now and then a disturbance, and a second sample of a
    /// kind that is slower than the first because of what the first left behind.
    struct Machine {
        random: Random,
        taken: u32,
    }

    impl Machine {
        fn time(&mut self, turn: Turn, slower: f64) -> f64 {
            self.taken += 1;
            let drift = 1.0 + 0.2 * (f64::from(self.taken) / 150.0).sin();
            let jitter = 1.0 + 0.04 * self.random.unit();
            let order = 1.0 + 0.01 * turn.place as f64;
            let rare = if self.random.chance(0.03) { 1.5 } else { 1.0 };
            let build = if turn.side == Side::Head { slower } else { 1.0 };
            1000.0 * drift * jitter * order * rare * build
        }
    }

    /// A session over `cells` cells whose head is `slower`, with `blocks` blocks for each.
    fn session(seed: u64, slower: f64, margin: f64, (cells, blocks): (usize, u32)) -> Vec<Verdict> {
        let mut machine = Machine {
            random: Random::new("ab-machine", seed),
            taken: 0,
        };
        let mut duels = Duel::among(&(0..cells).collect::<Vec<_>>());
        let most = 4 * blocks * cells as u32;
        let mut random = Random::new("ab", seed);
        let far = Instant::now() + Duration::from_secs(3600);
        let stopped = decide(
            &mut duels,
            (Clock::Wall, margin),
            far,
            &mut random,
            &mut |turn| {
                anyhow::ensure!(machine.taken < most, "the budget is used up");
                Ok(sample(machine.time(turn, slower)))
            },
        );
        drop(stopped);
        duels.iter().map(|duel| duel.verdict(margin)).collect()
    }

    #[test]
    fn two_hundred_sessions_of_one_build_raise_no_more_alarms_than_said() {
        for margin in [0.0, 0.01] {
            let is_alarmed = |seed: &u64| {
                let verdicts = session(*seed, 1.0, margin, (5, 100));
                verdicts
                    .iter()
                    .any(|it| matches!(it, Verdict::Slower | Verdict::Faster))
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
        let found = all(1.03, 0.01).filter(|it| *it == Verdict::Slower).count();
        assert!(found >= 48, "{found} of 50");
        let faster = all(0.97, 0.01).filter(|it| *it == Verdict::Faster).count();
        assert!(faster >= 48, "{faster} of 50");
        let alarms = all(1.005, 0.02).filter(|it| *it == Verdict::Slower).count();
        assert!(alarms <= 2, "{alarms} of 50");
        let within = all(1.0, 0.03).filter(|it| *it == Verdict::Within).count();
        assert!(within >= 48, "{within} of 50");
    }

    #[test]
    fn blocks_are_balanced_and_both_orders_come() {
        let mut seen = Vec::new();
        let mut duels = Duel::among(&[0]);
        let far = Instant::now() + Duration::from_secs(3600);
        let mut random = Random::new("ab", 1);
        let _ = decide(
            &mut duels,
            (Clock::Wall, 0.0),
            far,
            &mut random,
            &mut |turn| {
                anyhow::ensure!(seen.len() < 160, "enough");
                seen.push(turn.side);
                Ok(sample(1000.0))
            },
        );
        use Side::{Base, Head};
        let blocks: Vec<&[Side]> = seen.chunks(4).collect();
        assert!(blocks.contains(&&[Base, Head, Head, Base][..]));
        assert!(blocks.contains(&&[Head, Base, Base, Head][..]));
        assert_eq!(seen.iter().filter(|side| **side == Base).count(), 80);
    }

    #[test]
    fn a_build_that_fails_ends_its_duel() {
        let mut duels = Duel::among(&[0, 1]);
        let far = Instant::now() + Duration::from_secs(3600);
        let mut random = Random::new("ab", 1);
        let ended = decide(
            &mut duels,
            (Clock::Wall, 0.0),
            far,
            &mut random,
            &mut |turn| {
                Ok(match (turn.cell, turn.side) {
                    (0, Side::Head) => Sample::failed(Outcome::Crashed, "gone"),
                    (_, Side::Head) => sample(1100.0),
                    (_, Side::Base) => sample(1000.0),
                })
            },
        );
        assert!(ended.is_ok());
        assert_eq!(
            duels[0].failed,
            Some((Side::Head, "crashed: gone".to_owned()))
        );
        assert_eq!(duels[1].verdict(0.0), Verdict::Slower);
        assert_eq!(duels[1].sequence.pairs(), 8, "at a level shared by two");
    }

    #[test]
    fn what_changed_is_said_before_any_clock() {
        let counted = |score, proven, nodes| Sample {
            score: Some(score),
            proven,
            counters: vec![("nodes".into(), nodes)],
            ..sample(1.0)
        };
        let look = |base, head| Look::of(Ok(base), Ok(head), (Direction::Maximize, true));
        let same = look(counted(5, true, 9), counted(5, true, 9));
        assert_eq!(
            (same.standing, same.news.len(), same.is_worse),
            (Standing::Both, 0, false)
        );
        let more = look(counted(5, true, 9), counted(5, true, 12));
        assert_eq!(
            (more.news, more.is_worse),
            (vec!["nodes 9 → 12".to_owned()], false)
        );
        assert!(look(counted(5, false, 9), counted(4, false, 9)).is_worse);
        assert!(!look(counted(5, false, 9), counted(6, false, 9)).is_worse);
        assert!(
            look(counted(5, true, 9), counted(6, true, 9)).is_worse,
            "one of them is wrong"
        );
        let shared = (Direction::Maximize, false);
        let chance = Look::of(Ok(counted(5, true, 9)), Ok(counted(5, true, 12)), shared);
        assert_eq!(chance.news, Vec::<String>::new());
        let crashed = Sample::failed(Outcome::Crashed, "gone");
        let lost = look(counted(5, true, 9), crashed.clone());
        assert_eq!(lost.standing, Standing::Lost("crashed: gone".to_owned()));
        let unknown = Look::of(
            Err("unknown variant".to_owned()),
            Ok(crashed),
            (Direction::Maximize, true),
        );
        assert_eq!(
            unknown.standing,
            Standing::Unknown(Side::Base, "unknown variant".to_owned())
        );
    }
}
