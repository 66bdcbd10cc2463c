//! What a running variant may touch besides its instance: the incumbent, the deadline, its counters.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::{Duration, Instant};

use crate::Score;

/// The best score known so far, shared by workers. It only rises; a minimizing problem negates its scores.
#[derive(Debug)]
pub struct Incumbent(AtomicI64);

impl Incumbent {
    /// No score known yet.
    #[must_use]
    pub const fn new() -> Self {
        Self(AtomicI64::new(Score::MIN))
    }

    /// The best score known so far; [`Score::MIN`] if none is.
    #[inline]
    #[must_use]
    pub fn get(&self) -> Score {
        // Relaxed is enough: the value alone decides, no other memory is published with it.
        self.0.load(Ordering::Relaxed)
    }

    /// Raises the incumbent to `score`; whether that was an improvement.
    #[inline]
    pub fn raise(&self, score: Score) -> bool {
        self.0.fetch_max(score, Ordering::Relaxed) < score
    }

    /// Forgets everything, for the next run.
    pub fn reset(&self) {
        self.0.store(Score::MIN, Ordering::Relaxed);
    }
}

impl Default for Incumbent {
    fn default() -> Self {
        Self::new()
    }
}

/// When a search should give up, asked cooperatively. Cheap to copy into worker threads.
#[derive(Debug, Clone, Copy)]
pub struct Deadline<'a> {
    at: Option<Instant>,
    stop: Option<&'a AtomicBool>,
}

impl<'a> Deadline<'a> {
    /// Never.
    #[must_use]
    pub const fn never() -> Self {
        Self {
            at: None,
            stop: None,
        }
    }

    /// `limit` from now.
    #[must_use]
    pub fn after(limit: Duration) -> Self {
        Self {
            at: Instant::now().checked_add(limit),
            stop: None,
        }
    }

    /// The same, and also as soon as `stop` is set (an interrupt from the keyboard).
    #[must_use]
    pub fn or_stop(self, stop: &'a AtomicBool) -> Self {
        Self {
            stop: Some(stop),
            ..self
        }
    }

    /// Whether the time is over. Reads the clock: in a hot loop ask through a [`Ticker`].
    #[must_use]
    pub fn passed(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
            || self.at.is_some_and(|at| Instant::now() >= at)
    }

    /// Time left; `None` if there is no limit.
    #[must_use]
    pub fn left(&self) -> Option<Duration> {
        self.at
            .map(|at| at.saturating_duration_since(Instant::now()))
    }

    /// A ticker that reads the clock once in `every` ticks.
    #[must_use]
    pub fn ticker(self, every: u32) -> Ticker<'a> {
        Ticker {
            deadline: self,
            every,
            left: 0,
            passed: false,
        }
    }
}

/// Asks a [`Deadline`] rarely enough for a hot loop; once it has passed, it stays passed.
#[derive(Debug, Clone)]
pub struct Ticker<'a> {
    deadline: Deadline<'a>,
    every: u32,
    left: u32,
    passed: bool,
}

impl Ticker<'_> {
    /// Whether the deadline has passed, as of the last look at the clock.
    #[inline]
    pub fn passed(&mut self) -> bool {
        if self.left == 0 {
            self.left = self.every;
            self.passed = self.passed || self.deadline.passed();
        }
        self.left -= 1;
        self.passed
    }
}

/// A variant's own deterministic work, by name: `nodes`, `expansions`, `cuts_bound`, …
///
/// Count in local variables and add once at the end; a name must be in the problem's
/// [`counters`](crate::Problem::counters) table.
#[derive(Debug, Clone, Default)]
pub struct Counters(Vec<(&'static str, u64)>);

impl Counters {
    /// Adds to the counter `name`.
    pub fn add(&mut self, name: &'static str, amount: u64) {
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some((_, total)) => *total += amount,
            None => self.0.push((name, amount)),
        }
    }

    /// The counter `name`; 0 if it was never added to.
    #[must_use]
    pub fn get(&self, name: &str) -> u64 {
        self.0
            .iter()
            .find(|(known, _)| *known == name)
            .map_or(0, |(_, total)| *total)
    }

    /// All counters in the order of their first use.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, u64)> + '_ {
        self.0.iter().copied()
    }

    /// Forgets everything but keeps its memory.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

/// Whether parallel workers of one search prune with each other's best score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum BoundPolicy {
    /// Every worker knows only its own best score.
    Private,
    /// All workers share one [`Incumbent`].
    #[default]
    Shared,
}

impl BoundPolicy {
    /// The word in files and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Private => "private",
            Self::Shared => "shared",
        }
    }
}

/// What a variant may touch besides its instance.
#[derive(Debug)]
pub struct Search<'a> {
    /// The best score known so far. A variant raises it as it finds better ones, also when it is
    /// alone: whoever watches the run reports it if the run is cut short.
    pub incumbent: &'a Incumbent,
    /// Whether parallel workers share that score.
    pub bound_policy: BoundPolicy,
    /// How many threads the variant may use, itself included. At least 1.
    pub threads: usize,
    /// When to give up.
    pub deadline: Deadline<'a>,
    /// The variant's own deterministic work.
    pub counters: Counters,
}

impl<'a> Search<'a> {
    /// One thread, no deadline, a shared bound: for tests and benches.
    #[must_use]
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
    fn the_incumbent_only_rises() {
        let incumbent = Incumbent::new();
        assert!(incumbent.raise(3));
        assert!(!incumbent.raise(2));
        assert!(!incumbent.raise(3));
        assert_eq!(incumbent.get(), 3);
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
