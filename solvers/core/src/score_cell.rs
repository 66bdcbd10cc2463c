//! A sequence lock for the score that threads share on targets without 64-bit atomics: two halves and a version. It has
//! the methods of `AtomicI64` that the incumbent calls.
//!
//! A writer makes the version odd, writes the halves and makes the version even again. A reader repeats if it read an
//! odd version or if the version changed while it read the halves. Therefore no reader returns a torn score.

use crate::Score;
use crate::sync::atomic::{AtomicU32, Ordering, fence};
use crate::sync::spin_loop;

/// A score that threads share. The methods accept an ordering only to match the signatures of `AtomicI64`; every access
/// orders at least as much as `Relaxed`.
#[derive(Debug)]
pub struct ScoreCell {
    /// Odd while a writer is at work.
    version: AtomicU32,
    low: AtomicU32,
    high: AtomicU32,
}

const fn halves(score: Score) -> (u32, u32) {
    (score as u32, (score >> 32) as u32)
}

fn joined(low: u32, high: u32) -> Score {
    (u64::from(high) << 32 | u64::from(low)).cast_signed()
}

impl ScoreCell {
    /// Holds `score`.
    pub const fn new(score: Score) -> Self {
        let (low, high) = halves(score);
        Self {
            version: AtomicU32::new(0),
            low: AtomicU32::new(low),
            high: AtomicU32::new(high),
        }
    }

    /// The score.
    #[inline]
    pub fn load(&self, _ordering: Ordering) -> Score {
        self.read().0
    }

    /// Replaces the score.
    pub fn store(&self, score: Score, _ordering: Ordering) {
        self.update(|_| Some(score));
    }

    /// Replaces the score if `score` is lower; returns the previous score.
    pub fn fetch_min(&self, score: Score, _ordering: Ordering) -> Score {
        self.update(|old| Some(score).filter(|new| *new < old))
    }

    /// Replaces the score if `score` is higher; returns the previous score.
    pub fn fetch_max(&self, score: Score, _ordering: Ordering) -> Score {
        self.update(|old| Some(score).filter(|new| *new > old))
    }

    /// An untorn score and its version.
    #[inline]
    fn read(&self) -> (Score, u32) {
        loop {
            let version = self.version.load(Ordering::Acquire);
            let score = joined(
                self.low.load(Ordering::Relaxed),
                self.high.load(Ordering::Relaxed),
            );
            fence(Ordering::Acquire);
            if version.is_multiple_of(2) && self.version.load(Ordering::Relaxed) == version {
                return (score, version);
            }
            spin_loop();
        }
    }

    /// Replaces the score by the result of `change` if there is one; returns the previous score.
    fn update(&self, change: impl Fn(Score) -> Option<Score>) -> Score {
        loop {
            let (old, version) = self.read();
            let Some(new) = change(old) else { return old };
            let claimed = self.version.compare_exchange(
                version,
                version.wrapping_add(1),
                Ordering::Acquire,
                Ordering::Relaxed,
            );
            if claimed.is_ok() {
                fence(Ordering::Release);
                let (low, high) = halves(new);
                self.low.store(low, Ordering::Relaxed);
                self.high.store(high, Ordering::Relaxed);
                self.version
                    .store(version.wrapping_add(2), Ordering::Release);
                return old;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ORDER: Ordering = Ordering::Relaxed;

    #[test]
    fn it_behaves_as_an_atomic_score() {
        for start in [0, -1, i64::MIN, i64::MAX, 1 << 32] {
            let cell = ScoreCell::new(start);
            let model = std::sync::atomic::AtomicI64::new(start);
            for score in [5, -5, 1 << 40, -(1 << 40), i64::MAX, i64::MIN, 7] {
                assert_eq!(cell.fetch_max(score, ORDER), model.fetch_max(score, ORDER));
                assert_eq!(
                    cell.fetch_min(score / 2, ORDER),
                    model.fetch_min(score / 2, ORDER)
                );
                assert_eq!(cell.load(ORDER), model.load(ORDER));
            }
            cell.store(start, ORDER);
            assert_eq!(cell.load(ORDER), start);
        }
    }

    /// A score with equal halves; the halves of a torn score would differ.
    fn twin(half: u32) -> Score {
        joined(half, half)
    }

    #[test]
    fn no_reader_sees_half_of_a_score_and_no_better_one_is_lost() {
        let cell = ScoreCell::new(twin(0));
        const LAST: u32 = 20_000;
        std::thread::scope(|scope| {
            for writer in 0..3 {
                let cell = &cell;
                scope.spawn(move || {
                    for half in (writer..=LAST).step_by(3) {
                        cell.fetch_max(twin(half), ORDER);
                    }
                });
            }
            scope.spawn(|| {
                let mut before = twin(0);
                while before < twin(LAST) {
                    let now = cell.load(ORDER);
                    let (low, high) = halves(now);
                    assert_eq!(low, high, "torn");
                    assert!(now >= before, "a score got worse");
                    before = now;
                }
            });
        });
        assert_eq!(cell.load(ORDER), twin(LAST));
    }

    #[cfg(shuttle)]
    #[test]
    fn schedules_of_writers_and_a_reader() {
        crate::sync::check(2_000, || {
            let cell = &ScoreCell::new(twin(0));
            crate::sync::thread::scope(|scope| {
                for half in [2, 3, 1] {
                    scope.spawn(move || cell.fetch_max(twin(half), ORDER));
                }
                let (first, second) = (cell.load(ORDER), cell.load(ORDER));
                assert!(halves(first).0 == halves(first).1, "torn");
                assert!(halves(second).0 == halves(second).1, "torn");
                assert!(first <= second, "a score got worse");
            });
            assert_eq!(cell.load(ORDER), twin(3));
        });
    }
}
