//! The state that a running variant shares with its caller: the incumbent, the deadline, the counters.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

#[cfg(not(target_has_atomic = "64"))]
use crate::score_cell::ScoreCell;
#[cfg(target_has_atomic = "64")]
use crate::sync::atomic::AtomicI64 as ScoreCell;
use crate::sync::atomic::{AtomicBool, Ordering};
use crate::sync::thread::{self, ThreadId};
use crate::sync::{Mutex, PoisonError};
use crate::{Direction, Refusal, Score};

/// The best score known so far, shared by workers. It only gets better.
#[derive(Debug)]
pub struct Incumbent {
    score: ScoreCell,
    minimizes: bool,
    log: Option<Mutex<Log>>,
}

/// A better score, with the time and the thread that found it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rise {
    /// Time since the answer began.
    pub after: Duration,
    /// The score.
    pub score: Score,
    /// The thread, numbered by its first rise, from 0.
    pub worker: u32,
}

/// The rises since the last reset.
#[derive(Debug)]
struct Log {
    began: Instant,
    rises: Vec<(Instant, Score, ThreadId)>,
    /// The number of a rise, from 1, and the flag that this rise sets.
    stop: Option<(usize, Arc<AtomicBool>)>,
}

impl Incumbent {
    /// An incumbent without a score, for a problem whose scores are better in this direction.
    pub const fn new(direction: Direction) -> Self {
        let minimizes = matches!(direction, Direction::Minimize);
        Self {
            score: ScoreCell::new(Self::worst(minimizes)),
            minimizes,
            log: None,
        }
    }

    /// The same with a log of its rises. Each rise then costs one clock read and one lock.
    pub fn logged(direction: Direction) -> Self {
        Self {
            log: Some(Mutex::new(Log {
                began: Instant::now(),
                rises: Vec::new(),
                stop: None,
            })),
            ..Self::new(direction)
        }
    }

    /// The same, and the rise of this number, from 1, sets `stop`: a search that checks `stop` then
    /// ends with what it has found until then.
    pub fn stopping(direction: Direction, rise: usize, stop: Arc<AtomicBool>) -> Self {
        let mut incumbent = Self::logged(direction);
        if let Some(Ok(log)) = incumbent.log.as_mut().map(Mutex::get_mut) {
            log.stop = Some((rise, stop));
        }
        incumbent
    }

    const fn worst(minimizes: bool) -> Score {
        if minimizes { Score::MAX } else { Score::MIN }
    }

    /// The best score known so far, or the worst possible score if there is none. For hot loops.
    #[inline]
    pub fn get(&self) -> Score {
        // Relaxed is enough: the value alone decides, no other memory is published with it.
        self.score.load(Ordering::Relaxed)
    }

    /// The best score known so far.
    pub fn best(&self) -> Option<Score> {
        Some(self.get()).filter(|score| *score != Self::worst(self.minimizes))
    }

    /// Returns whether `score` is better than `other`.
    pub fn is_better(&self, score: Score, other: Score) -> bool {
        if self.minimizes {
            return score < other;
        }
        score > other
    }

    /// Makes `score` the incumbent if it is better; returns whether it was better.
    #[inline]
    pub fn improve(&self, score: Score) -> bool {
        let is_better = if self.minimizes {
            self.score.fetch_min(score, Ordering::Relaxed) > score
        } else {
            self.score.fetch_max(score, Ordering::Relaxed) < score
        };
        if is_better && let Some(log) = &self.log {
            let rise = (Instant::now(), score, thread::current().id());
            let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
            log.rises.push(rise);
            if let Some((_, stop)) = log.stop.as_ref().filter(|(at, _)| *at == log.rises.len()) {
                stop.store(true, Ordering::Relaxed);
            }
        }
        is_better
    }

    /// The rises since the last reset in the order in which they were logged, each better than the previous one; empty
    /// without a log.
    pub fn rises(&self) -> Vec<Rise> {
        let Some(log) = &self.log else {
            return Vec::new();
        };
        let log = log.lock().unwrap_or_else(PoisonError::into_inner);
        let mut threads = Vec::new();
        let mut rises: Vec<Rise> = Vec::new();
        for &(at, score, thread) in &log.rises {
            // Two threads may log their rises in another order than they improved the score.
            let is_worse = |last: &Rise| !self.is_better(score, last.score);
            if rises.last().is_some_and(is_worse) {
                continue;
            }
            let known = threads.iter().position(|known| *known == thread);
            let worker = known.unwrap_or_else(|| {
                threads.push(thread);
                threads.len() - 1
            });
            rises.push(Rise {
                after: at.saturating_duration_since(log.began),
                score,
                worker: u32::try_from(worker).unwrap_or(u32::MAX),
            });
        }
        rises
    }

    /// Forgets everything, for the next run.
    pub fn reset(&self) {
        let worst = Self::worst(self.minimizes);
        self.score.store(worst, Ordering::Relaxed);
        if let Some(log) = &self.log {
            let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
            log.rises.clear();
            log.began = Instant::now();
        }
    }
}

/// The time at which a search should give up; the search checks it. Cheap to copy into worker threads.
#[derive(Debug, Clone, Copy)]
pub struct Deadline<'a> {
    at: Option<Instant>,
    stop: Option<&'a AtomicBool>,
    /// True if tickers check the deadline at every tick.
    at_once: bool,
}

impl<'a> Deadline<'a> {
    /// A deadline that never passes.
    pub const fn never() -> Self {
        Self {
            at: None,
            stop: None,
            at_once: false,
        }
    }

    /// A deadline `limit` from now.
    pub fn after(limit: Duration) -> Self {
        Self {
            at: Instant::now().checked_add(limit),
            ..Self::never()
        }
    }

    /// The same deadline, which also passes as soon as `stop` is set (an interrupt from the keyboard).
    pub fn or_stop(self, stop: &'a AtomicBool) -> Self {
        Self {
            stop: Some(stop),
            ..self
        }
    }

    /// A deadline that passes as soon as `stop` is set and that tickers check at every tick: for searches that are
    /// recorded, not timed.
    pub fn at_once(stop: &'a AtomicBool) -> Self {
        Self {
            at_once: true,
            ..Self::never().or_stop(stop)
        }
    }

    /// Returns whether the deadline has passed. Reads the clock if there is a time limit: use a [`Ticker`] in a hot
    /// loop.
    pub fn passed(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
            || self.at.is_some_and(|at| Instant::now() >= at)
    }

    /// [`passed`](Self::passed), for preparations.
    ///
    /// # Errors
    /// [`Refusal::Timeout`] if it has passed.
    pub fn check(&self) -> Result<(), Refusal> {
        if self.passed() {
            return Err(Refusal::Timeout);
        }
        Ok(())
    }

    /// The time left; `None` if there is no time limit.
    pub fn left(&self) -> Option<Duration> {
        Some(self.at?.saturating_duration_since(Instant::now()))
    }

    /// The number of ticks between two checks: `ticks`, or 1 for [`at_once`](Self::at_once).
    pub fn every(&self, ticks: u32) -> u32 {
        if self.at_once { 1 } else { ticks }
    }

    /// A ticker that checks the deadline at its first tick and then at every `every`-th tick.
    pub fn ticker(self, every: u32) -> Ticker<'a> {
        Ticker {
            deadline: self,
            every: self.every(every),
            left: 0,
            passed: false,
        }
    }
}

/// Checks a [`Deadline`] rarely enough for a hot loop; once it has passed, it stays passed.
#[derive(Debug, Clone)]
pub struct Ticker<'a> {
    deadline: Deadline<'a>,
    every: u32,
    left: u32,
    passed: bool,
}

impl Ticker<'_> {
    /// Counts one tick and returns whether the deadline had passed at the last check.
    #[inline]
    pub fn passed(&mut self) -> bool {
        if self.left == 0 {
            self.left = self.every;
            self.passed = self.passed || self.deadline.passed();
        }
        self.left -= 1;
        self.passed
    }

    /// [`passed`](Self::passed), for preparations.
    ///
    /// # Errors
    /// [`Refusal::Timeout`] if the deadline has passed.
    #[inline]
    pub fn check(&mut self) -> Result<(), Refusal> {
        if self.passed() {
            return Err(Refusal::Timeout);
        }
        Ok(())
    }
}

/// A variant's own deterministic work, by name: `nodes`, `expansions`, `cuts_bound`, …
///
/// Count in local variables and add once at the end; a name must be in the problem's
/// [`counters`](crate::ProblemInfo::counters) table.
///
/// PERF: the first four counters are stored inline. One allocation and its release take a tenth of the time of a
/// `reach` question that takes 0.2 µs.
#[derive(Debug, Clone, Default)]
pub struct Counters {
    first: [(&'static str, u64); 4],
    further: Vec<(&'static str, u64)>,
}

impl Counters {
    /// Adds `amount` to the counter `name`.
    pub fn add(&mut self, name: &'static str, amount: u64) {
        let known = self.first.iter_mut().chain(&mut self.further);
        for (counter, total) in known {
            if *counter == name || counter.is_empty() {
                *counter = name;
                *total += amount;
                return;
            }
        }
        self.further.push((name, amount));
    }

    /// The counter `name`; 0 if it was never added to.
    pub fn get(&self, name: &str) -> u64 {
        self.iter()
            .find(|(known, _)| *known == name)
            .map_or(0, |(_, total)| total)
    }

    /// All counters in the order of their first use.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, u64)> + '_ {
        let all = self.first.iter().chain(&self.further).copied();
        all.take_while(|(name, _)| !name.is_empty())
    }

    /// Removes all counters but keeps the allocated memory.
    pub fn clear(&mut self) {
        self.first = Default::default();
        self.further.clear();
    }
}

crate::names! {
    /// The choice whether parallel workers of one search prune with each other's best score.
    #[derive(Hash, Default, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum BoundPolicy {
        /// Every worker knows only its own best score.
        Private = "private",
        /// All workers share one [`Incumbent`].
        #[default]
        Shared = "shared",
    }
}

impl BoundPolicy {
    /// Returns whether a variant's counters are equal in every repeat on `threads` threads. They are equal on one
    /// thread, and if no worker prunes with a score of another worker, because the time at which such a score arrives
    /// varies.
    pub fn repeats_counters(self, threads: usize) -> bool {
        threads == 1 || self == Self::Private
    }
}

/// The state that a running variant shares with its caller.
#[derive(Debug)]
pub struct Search<'a> {
    /// The best score known so far. A variant reports each better score here, also on one thread: a
    /// timeout reports this score.
    pub incumbent: &'a Incumbent,
    /// The choice whether parallel workers share that score.
    pub bound_policy: BoundPolicy,
    /// The number of threads that the variant may use, including its own. At least 1.
    pub threads: usize,
    /// The time at which the variant gives up.
    pub deadline: Deadline<'a>,
    /// The variant's own deterministic work.
    pub counters: Counters,
}

impl<'a> Search<'a> {
    /// One thread, no deadline, a shared bound: for tests and benches.
    pub fn new(incumbent: &'a Incumbent) -> Self {
        Self {
            incumbent,
            bound_policy: BoundPolicy::Shared,
            threads: 1,
            deadline: Deadline::never(),
            counters: Counters::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_incumbent_only_gets_better() {
        let highest = Incumbent::new(Direction::Maximize);
        assert_eq!(highest.best(), None);
        assert!(highest.improve(3) && !highest.improve(2) && !highest.improve(3));
        assert_eq!((highest.get(), highest.best()), (3, Some(3)));
        let lowest = Incumbent::new(Direction::Minimize);
        assert_eq!(lowest.best(), None);
        assert!(lowest.improve(3) && lowest.improve(2) && !lowest.improve(3));
        assert_eq!(lowest.best(), Some(2));
        lowest.reset();
        assert_eq!(lowest.best(), None);
    }

    #[test]
    fn a_log_has_every_rise_with_its_thread_and_forgets_them() {
        let incumbent = Incumbent::logged(Direction::Maximize);
        incumbent.improve(3);
        incumbent.improve(2);
        thread::scope(|scope| {
            scope.spawn(|| incumbent.improve(5));
        });
        incumbent.improve(9);
        let rises = incumbent.rises();
        let seen: Vec<_> = rises.iter().map(|rise| (rise.score, rise.worker)).collect();
        assert_eq!(seen, [(3, 0), (5, 1), (9, 0)]);
        assert!(rises.is_sorted_by_key(|rise| rise.after));
        incumbent.reset();
        assert_eq!((incumbent.rises(), incumbent.best()), (Vec::new(), None));
        let plain = Incumbent::new(Direction::Minimize);
        plain.improve(1);
        assert_eq!(plain.rises(), []);
    }

    /// Three threads improve a score, the second rise stops a fourth one.
    #[cfg(shuttle)]
    #[test]
    fn schedules_of_rises_and_a_stop() {
        crate::sync::check(2_000, || {
            let stop = Arc::new(AtomicBool::new(false));
            let incumbent = &Incumbent::stopping(Direction::Maximize, 2, Arc::clone(&stop));
            let better = thread::scope(|scope| {
                scope.spawn(|| {
                    let mut ticker = Deadline::at_once(&stop).ticker(1);
                    while !ticker.passed() {
                        thread::yield_now();
                    }
                    assert!(incumbent.get() >= 2, "stopped before the second rise");
                });
                let improves = [3, 2, 1].map(|score| scope.spawn(move || incumbent.improve(score)));
                let better = improves.map(|thread| thread.join().expect("no panic"));
                // The second rise, if there was none among them.
                incumbent.improve(4);
                better
            });
            let rises = incumbent.rises();
            assert!(better[0], "the best score is always a rise");
            assert!(rises.is_sorted_by(|one, next| one.score < next.score));
            assert_eq!(rises.last().map(|rise| rise.score), incumbent.best());
            assert_eq!(incumbent.best(), Some(4));
        });
    }

    #[test]
    fn a_passed_deadline_stays_passed() {
        let stop = AtomicBool::new(false);
        let mut ticker = Deadline::never().or_stop(&stop).ticker(2);
        assert!(!ticker.passed());
        stop.store(true, Ordering::Relaxed);
        assert!(!ticker.passed(), "the second tick does not look");
        assert!(ticker.passed());
        stop.store(false, Ordering::Relaxed);
        assert!(ticker.passed() && ticker.passed() && ticker.passed());
    }

    #[test]
    fn counters_add_up_by_name() {
        let mut counters = Counters::default();
        counters.add("nodes", 2);
        counters.add("cuts", 1);
        counters.add("nodes", 3);
        assert_eq!((counters.get("nodes"), counters.get("none")), (5, 0));
        assert_eq!(
            counters.iter().collect::<Vec<_>>(),
            [("nodes", 5), ("cuts", 1)]
        );
    }
}
