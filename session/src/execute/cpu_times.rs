//! The CPU time of a cell, by the clock of its thread or of its process.

use std::time::{Duration, Instant};

use ikeru_bench_data::Mode;

use super::timing::Times;
use crate::system::{self, CpuClock};

/// The clock that can report the CPU time of a cell.
pub(super) struct CpuTimes {
    clock: Option<CpuClock>,
    began: Option<Duration>,
    /// The wall clock, which is read last.
    pub(super) started: Instant,
}

impl CpuTimes {
    /// Reads the clocks. Isolated mode uses the clock of the process: a variant on one thread may work on another thread than
    /// the calling one, as trails of large boards do for a deeper stack. With a limit of CPU time, as by `ulimit -t`, that clock
    /// advances only at the kernel's ticks, and the CPU time is not known.
    // PERF: each clock that is read takes a call of the kernel, twice a sample: 0.3 µs.
    pub(super) fn begin(mode: Mode, threads: u32) -> Self {
        let clock = match mode {
            Mode::Isolated => (!system::is_cpu_limited()).then_some(CpuClock::Process),
            Mode::Contended => (threads == 1).then_some(CpuClock::Thread),
        };
        Self {
            clock,
            began: clock.and_then(system::cpu_time),
            started: Instant::now(),
        }
    }

    /// The wall time since then, and the CPU time of [`CpuTimes::work`].
    pub(super) fn times(&self) -> Times {
        let elapsed = self.started.elapsed();
        (elapsed, self.work())
    }

    /// The CPU time since then that is this cell's alone, if it is known.
    pub(super) fn work(&self) -> Option<Duration> {
        let now = system::cpu_time(self.clock?)?;
        Some(now.saturating_sub(self.began?))
    }
}
