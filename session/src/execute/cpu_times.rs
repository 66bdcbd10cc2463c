//! The CPU time of a cell, by the clocks of its thread and of its process.

use std::time::{Duration, Instant};

use ikeru_bench_data::Mode;

use super::timing::Times;
use crate::system::{self, CpuClock};

/// The clocks of this thread and of its process that can report the CPU time of a cell.
pub(super) struct CpuTimes {
    clocks: [Option<CpuClock>; 2],
    began: [Option<Duration>; 2],
    /// True if the clock of the process advances only at the kernel's ticks.
    is_coarse: bool,
    /// The time that the thread had waited for a processor, where the clock is coarse.
    waited: Option<Duration>,
    /// The wall clock, which is read last.
    pub(super) started: Instant,
}

/// With a limit of CPU time, as by `ulimit -t`, the kernel sums the time of a process only at its ticks. A shorter time
/// than this is not reliable.
const TICKS: Duration = Duration::from_millis(40);

impl CpuTimes {
    /// Reads the clocks.
    // PERF: each clock that is read takes a call of the kernel, twice a sample: 0.3 µs.
    pub(super) fn begin(mode: Mode, threads: u32) -> Self {
        let is_isolated = mode == Mode::Isolated;
        let is_coarse = is_isolated && system::is_cpu_limited();
        let thread = threads == 1 && (is_coarse || !is_isolated);
        let clocks = [
            thread.then_some(CpuClock::Thread),
            is_isolated.then_some(CpuClock::Process),
        ];
        Self {
            clocks,
            began: clocks.map(|clock| clock.and_then(system::cpu_time)),
            is_coarse,
            waited: is_coarse.then(system::waited).flatten(),
            started: Instant::now(),
        }
    }

    /// The wall time since then, and the CPU time of [`CpuTimes::work`].
    pub(super) fn times(&self) -> Times {
        let elapsed = self.started.elapsed();
        (elapsed, self.work(elapsed))
    }

    /// The CPU time since then that is this cell's alone, if it is known. Isolated mode uses the clock of the
    /// process: a variant on one thread may work on another thread than the calling one, as trails of large boards do
    /// for a deeper stack. If that clock is coarse, the clock of the thread is used, provided that the thread worked most
    /// of the time that it did not wait for a processor.
    pub(super) fn work(&self, elapsed: Duration) -> Option<Duration> {
        let since = |of: usize| {
            let now = self.clocks[of].and_then(system::cpu_time)?;
            Some(now.saturating_sub(self.began[of]?))
        };
        let waited = || Some(system::waited()?.saturating_sub(self.waited?));
        let is_own = |thread: Duration| {
            2 * thread >= elapsed || 2 * (thread + waited().unwrap_or_default()) >= elapsed
        };
        match (since(0), since(1)) {
            (Some(thread), Some(_)) if is_own(thread) => Some(thread),
            (_, Some(process)) => Some(process).filter(|time| !self.is_coarse || *time >= TICKS),
            (thread, None) => thread,
        }
    }
}
