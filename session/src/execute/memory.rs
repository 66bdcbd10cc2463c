//! The check for answers and work outside of the clock: repeated answers that a solver remembers, and work that it
//! leaves to its end. Answers are compared by CPU time where it is known ([`Task::cost`]), so that other processes raise no
//! doubt.
//!
//! A batch asks one question again and again. A solver that keeps its answer would be timed at the cost of a look-up.
//! The first answer of a solver that was just prepared is therefore compared with the batch: its counters must equal
//! those of the last answer, and its time must be near that of one answer. If they differ, fresh solvers are prepared
//! and asked once. They find the program and its data warm, so only memory in the solver explains a time that stays
//! longer. The sample is then a first answer, including the end of its solver.
//!
//! The quick experiments on a busy machine had one cell of 3,229 whose first answers all lasted more than four times
//! as long and 10 µs longer. It has a table of 25 MB, and the system creates the pages of a table at their first use;
//! declared tables are therefore granted a time per page, which is measured before a doubt is raised. Solvers on several threads start them at the first answer,
//! and foreign programs may compile themselves: their first answers are reported if they last a hundred times as
//! long, and the sample stays.

use std::borrow::Cow;
use std::hint::black_box;
use std::time::Duration;

use ikeru_core::{AnyInstance, Ended, Refusal};

use ikeru_bench_data::Mode;
use ikeru_reports::records::has_other_threads;

use crate::system::{self, CpuClock};

use super::cpu_times::CpuTimes;
use super::timing::{FirstAnswer, Prepared, batch, counted};
use super::{Phase, Sample, Task, Watch};

/// The reason why a sample is doubtful, and the answer that replaces it.
pub(super) struct Doubt {
    pub detail: String,
    pub instead: Option<FirstAnswer>,
    /// True if none of its times can be trusted.
    pub is_untimed: bool,
}

/// A first answer that takes this many times as long as a repeated one is examined, if it is also longer by
/// [`LEAST`].
const FACTOR: u32 = 4;
/// The same factor for solvers on several threads and for foreign solvers.
const FACTOR_OF_OTHERS: u32 = 100;
/// The same factor for the first answer of a process, which finds everything cold.
const FACTOR_OF_PROCESS: u32 = 20;
const LEAST_OF_PROCESS: Duration = Duration::from_micros(300);
const LEAST: Duration = Duration::from_micros(10);
/// The time granted per page of a table: the system creates a page at its first use.
const PER_PAGE: Duration = Duration::from_nanos(250);
/// The same time in a process that had no such table before. The allocator keeps the pages for later solvers.
const PER_PAGE_OF_PROCESS: Duration = Duration::from_nanos(1_500);
/// An honest first answer needs at most this many times the [`page_cost`] for each of its pages.
const PAGES_VARY: u32 = 3;
/// Solvers that are prepared and asked in less than this time are always examined for work that they leave to their
/// end.
const CHEAP: Duration = Duration::from_millis(2);
/// The end of a solver is reported if it takes longer than half an answer, and longer than this in addition to what a
/// first answer is granted. Honest ends took 66 µs at most.
const LONG_END: Duration = Duration::from_micros(200);
/// A solver with larger tables, in bytes, is not prepared a second time while the first one exists.
const MOST_BYTES: u64 = 256 << 20;
/// The maximum number of solvers that are prepared anew.
const TRIES: usize = 3;

/// The doubt about a batch of `prepared`, one answer of which took `each`; `None` if there is none.
pub(super) fn doubt<'a>(
    task: &Task,
    question: &'a dyn AnyInstance,
    prepared: &mut Prepared,
    (each, counters): (Duration, Vec<(Cow<'static, str>, u64)>),
    watch: &Watch<'a>,
) -> Result<Option<Doubt>, Refusal> {
    let Some(first) = prepared.first.clone() else {
        return Ok(None);
    };
    let is_alone = task.threads == 1 && task.foreign.is_none();
    let factor = if is_alone { FACTOR } else { FACTOR_OF_OTHERS };
    let bytes = prepared.solver.table_bytes();
    let pages = u32::try_from(bytes >> 12).unwrap_or(u32::MAX);
    let mut least = LEAST + PER_PAGE * pages;
    let is_longer = |time: Duration, least| time > factor * each && time > each + least;
    let is_late = |end: Duration, least: Duration| end > each / 2 && end > least + LONG_END;
    let repeats = task.threads > 1 || first.counters == counters;
    if let Some(first) = prepared.outlived {
        return Ok(Some(outliving(first, each)));
    }
    let is_cheap = is_alone && prepared.took + each < CHEAP && !prepared.is_known;
    if bytes > MOST_BYTES || (repeats && !is_cheap && !is_longer(task.cost(first.times), least)) {
        return Ok(None);
    }
    prepared.is_known = true;
    let first_cpu = first.times.1.unwrap_or_default();
    let (mut shortest, mut end) = (first, Duration::MAX);
    for _ in 0..TRIES {
        let (answer, ended) = anew(task, question, watch)?;
        end = end.min(ended);
        if task.cost(answer.times) < task.cost(shortest.times) {
            shortest = answer;
        }
        let time = task.cost(shortest.times);
        if repeats && pages > 0 && (is_longer(time, least) || is_late(end, least)) {
            least = least.max(LEAST + PAGES_VARY * page_cost() * pages);
        }
        if repeats && !is_longer(time, least) && !is_late(end, least) {
            prepared.first = Some(shortest);
            let is_outlived = is_alone && is_static(first_cpu, each, pages);
            prepared.outlived = is_outlived.then_some(first_cpu);
            return Ok(prepared.outlived.map(|first| outliving(first, each)));
        }
    }
    let (time, whole) = (task.cost(shortest.times), shortest.times.0 + end);
    let what = if !repeats {
        "the counters of repeated answers are not those of the first".to_owned()
    } else if is_longer(time, least) {
        format!("a repeated answer takes {each:?}, the first of a fresh solver {time:?}")
    } else {
        format!("an answer takes {each:?}, the end of its solver {end:?}")
    };
    shortest.times = (whole, shortest.times.1.map(|cpu| cpu + end));
    let why = match is_alone {
        true => "the sample is a first answer with the end of its solver",
        false => "remembered, or threads or programs that start slowly",
    };
    Ok(Some(Doubt {
        detail: format!("{what}: {why}"),
        instead: is_alone.then_some(shortest),
        is_untimed: false,
    }))
}

/// Returns whether only memory beyond the solver, such as a table of the process, explains the CPU time of the first
/// answer in this process: fresh solvers answer much faster.
fn is_static(first: Duration, each: Duration, pages: u32) -> bool {
    let is_beyond = |per_page: Duration| first > each + LEAST_OF_PROCESS + per_page * pages;
    first > FACTOR_OF_PROCESS * each
        && is_beyond(PER_PAGE_OF_PROCESS)
        && is_beyond(PAGES_VARY * page_cost())
}

/// The number of pages that [`page_cost`] uses: more than an allocator keeps.
const MEASURED_PAGES: usize = 4096;

/// The CPU time of making a page of new memory: 0.25 µs on a desktop, 1.5 to 3 µs in virtual machines.
fn page_cost() -> Duration {
    let before = system::cpu_time(CpuClock::Thread);
    let mut memory = vec![0_u8; MEASURED_PAGES << 12];
    memory.chunks_mut(1 << 12).for_each(|page| page[0] = 1);
    black_box(&memory);
    let after = system::cpu_time(CpuClock::Thread);
    let took = after
        .zip(before)
        .map(|(after, before)| after.saturating_sub(before));
    took.unwrap_or_default() / MEASURED_PAGES as u32
}

fn outliving(first: Duration, each: Duration) -> Doubt {
    Doubt {
        detail: format!(
            "the first answer of the process took {first:?}, those of later solvers {each:?}: remembered beyond the solver"
        ),
        instead: None,
        is_untimed: true,
    }
}

/// The first answer of a solver that is prepared for it, and the time of the solver's end.
fn anew<'a>(
    task: &Task,
    question: &'a dyn AnyInstance,
    watch: &Watch<'a>,
) -> Result<(FirstAnswer, Duration), Refusal> {
    (watch.begins)(Phase::Preparing);
    let mut fresh = Prepared::of(task.prepare(question)?, Duration::ZERO);
    (watch.begins)(Phase::Answering);
    let mut search = task.search(watch);
    let times = batch(task, &mut fresh, &mut search, (1, watch));
    if fresh.solver.ended() != Some(Ended::Solved) {
        return Err(Refusal::Timeout);
    }
    let answer = FirstAnswer {
        times,
        counters: counted(&search),
    };
    let used = CpuTimes::begin(task.mode, task.threads);
    drop(fresh);
    Ok((answer, task.cost(used.times())))
}

/// Writes the doubt into a solved sample. Returns whether a first answer replaces it.
pub(super) fn tell(doubt: Option<Doubt>, sample: &mut Sample, task: &Task) -> bool {
    let Some(doubt) = doubt else {
        let [wall, cpu] =
            [sample.batch, sample.cpu].map(|time| time.map_or(0.0, |time| time.as_nanos() as f64));
        let is_single = task.threads == 1 && task.mode == Mode::Isolated;
        if is_single && has_other_threads(wall, cpu) {
            let work = cpu / wall;
            sample.detail = format!("{work:.1} times its wall time of CPU time, on one thread");
        }
        return false;
    };
    sample.detail = doubt.detail;
    if doubt.is_untimed {
        (sample.batch, sample.cpu) = (None, None);
    }
    let Some(first) = doubt.instead else {
        return false;
    };
    (sample.batch, sample.cpu) = (Some(first.times.0), first.times.1);
    sample.iterations = 1;
    sample.counters = first.counters;
    true
}
