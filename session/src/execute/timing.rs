//! The time of a sample: answers to warm up, then a batch that is long enough for the clocks.

use std::borrow::Cow;
use std::hint::black_box;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use ikeru_core::{AnySolver, Deadline, Ended, Search};

use super::cpu_times::CpuTimes;
use super::{Phase, Task, Watch};

/// A solver with the time of its preparation and the number of answers in its last sample.
pub struct Prepared<'a> {
    /// The solver, with its last answer.
    pub solver: Box<dyn AnySolver + 'a>,
    pub(super) took: Duration,
    pub(super) iterations: u64,
    /// The first answer after the preparation.
    pub(super) first: Option<FirstAnswer>,
    /// True if fresh solvers were compared with this one.
    pub(super) is_known: bool,
    /// True if the next sample needs a new preparation: the first answer was wrong, or the process failed.
    pub(super) is_spent: bool,
    /// The CPU time of the first answer, if fresh solvers in this process seem to remember it.
    pub(super) outlived: Option<Duration>,
}

impl<'a> Prepared<'a> {
    /// A solver whose preparation took this time.
    pub fn of(solver: Box<dyn AnySolver + 'a>, took: Duration) -> Self {
        Self {
            solver,
            took,
            iterations: 1,
            first: None,
            is_known: false,
            is_spent: false,
            outlived: None,
        }
    }
}

/// The answer of a solver that was just prepared.
#[derive(Debug, Clone)]
pub(super) struct FirstAnswer {
    /// Wall and CPU time.
    pub times: Times,
    pub counters: Vec<(Cow<'static, str>, u64)>,
}

/// Wall time and CPU time of a batch.
pub(super) type Times = (Duration, Option<Duration>);

/// Answers until [`is_warm`]; the first answer took `first`. Estimates from that how many answers a
/// sample needs. An answer that is not solved is the sample itself.
pub(super) fn warm_up<'a>(
    task: &Task,
    prepared: &mut Prepared,
    search: &mut Search<'a>,
    (first, watch): (Duration, &Watch<'a>),
) -> Option<Times> {
    let (mut answers, mut took) = (1, first);
    while !is_warm(task.warm_up, (answers, took)) {
        let started = Instant::now();
        let times = batch(task, prepared, search, (1, watch));
        if prepared.solver.ended() != Some(Ended::Solved) {
            return Some(times);
        }
        answers += 1;
        took += started.elapsed();
    }
    prepared.iterations = enough(task.sample, (answers, took));
    None
}

/// Returns whether `answers` that took `took` are a warm-up: they took `whole`, or a fifth of it and are at least ten, so that
/// kernels below 100 µs are warm after 1 ms of 5.
fn is_warm(whole: Duration, (answers, took): (u64, Duration)) -> bool {
    const MANY: u64 = 10;
    took >= whole || (answers >= MANY && took >= whole / 5)
}

/// The number of answers that would last 1.2 times `sample`, estimated from `answers` that took `took`. The margin
/// makes batches that are too short rare.
fn enough(sample: Duration, (answers, took): (u64, Duration)) -> u64 {
    let ratio = 1.2 * sample.as_secs_f64() / took.as_secs_f64().max(1e-9);
    ((answers as f64 * ratio).ceil() as u64).clamp(1, MOST_ANSWERS)
}

/// The maximum number of answers in a batch.
const MOST_ANSWERS: u64 = 1 << 40;

/// The maximum number of repetitions of a batch that was stopped although a single answer keeps the limit.
const DISTURBED: u32 = 3;

/// Enlarges the batch until it lasts at least `sample`.
pub(super) fn fill<'a>(
    task: &Task,
    prepared: &mut Prepared,
    search: &mut Search<'a>,
    watch: &Watch<'a>,
) -> Times {
    let mut disturbed = 0;
    loop {
        let iterations = prepared.iterations;
        let times = batch(task, prepared, search, (iterations, watch));
        let solved = prepared.solver.ended() == Some(Ended::Solved);
        let answers = u32::try_from(iterations).unwrap_or(u32::MAX);
        let is_within = times.0 <= task.limit.saturating_mul(answers);
        if iterations > 1 && !(solved && is_within) && task.foreign.is_none() {
            // The limit is for one answer: is it the answer that takes so long, or was the batch disturbed?
            prepared.iterations = 1;
            (watch.begins)(Phase::Answering);
            let single = batch(task, prepared, search, (1, watch));
            disturbed += 1;
            let is_solved = prepared.solver.ended() == Some(Ended::Solved);
            if !is_solved || disturbed > DISTURBED || watch.stop.load(Ordering::Relaxed) {
                return single;
            }
            prepared.iterations = enough(task.sample, (1, single.0));
            (watch.begins)(Phase::Answering);
            continue;
        }
        if !solved || times.0 >= task.sample || iterations >= MOST_ANSWERS {
            return times;
        }
        prepared.iterations = enough(task.sample, (iterations, times.0)).max(iterations + 1);
    }
}

/// Asks `iterations` times. The limit is for one answer, but reading the clock for each answer would cost as much as
/// a short answer. A batch therefore has a single deadline: the limit plus its planned length. A foreign solver keeps
/// the limit itself; its batch ends at the first question without an answer, and only the time of this question is
/// returned.
pub(super) fn batch<'a>(
    task: &Task,
    prepared: &mut Prepared,
    search: &mut Search<'a>,
    (iterations, watch): (u64, &Watch<'a>),
) -> Times {
    let planned = match iterations {
        0 | 1 => Duration::ZERO,
        _ => task.sample * 3,
    };
    let mut used = CpuTimes::begin(task.mode, task.threads);
    let deadline = Deadline::after(task.limit.saturating_add(planned));
    // A signal is no part of a schedule of threads.
    #[cfg(shuttle)]
    let _ = watch;
    #[cfg(not(shuttle))]
    let deadline = deadline.or_stop(watch.stop);
    search.deadline = deadline;
    for _ in 0..iterations {
        let began = task.foreign.is_some().then(Instant::now);
        search.incumbent.reset();
        search.counters.clear();
        prepared.solver.solve(search);
        black_box(&prepared.solver);
        if let Some(began) = began
            && prepared.solver.ended() != Some(Ended::Solved)
        {
            (used.started, prepared.iterations) = (began, 1);
            break;
        }
    }
    let times = used.times();
    if prepared.first.is_none() && prepared.solver.ended() == Some(Ended::Solved) {
        let counters = counted(search);
        prepared.first = Some(FirstAnswer { times, counters });
    }
    times
}

/// The counters of the last answer.
pub(super) fn counted(search: &Search) -> Vec<(Cow<'static, str>, u64)> {
    let counters = search.counters.iter();
    counters.map(|(name, value)| (name.into(), value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_kernel_is_warm_after_a_fifth() {
        let micros = Duration::from_micros;
        let is_warm = |answers, took| is_warm(micros(5_000), (answers, micros(took)));
        assert!(is_warm(50, 1_000) && is_warm(10, 1_000) && is_warm(1, 5_000));
        assert!(!is_warm(9, 4_000) && !is_warm(1_000, 999));
        assert!(super::is_warm(Duration::ZERO, (1, Duration::ZERO)));
    }

    #[test]
    fn a_batch_is_as_large_as_its_answers_are_short() {
        let sample = Duration::from_millis(2);
        let of = |answers, took| enough(sample, (answers, took));
        assert_eq!(of(10, Duration::from_millis(5)), 5);
        assert_eq!(of(5_000, Duration::from_millis(5)), 2_400);
        assert_eq!(of(1, Duration::from_secs(3)), 1);
        assert_eq!(of(1, Duration::ZERO), 2_400_000);
        assert_eq!(of(u64::MAX, Duration::ZERO), MOST_ANSWERS);
    }
}
