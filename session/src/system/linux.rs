//! Functions of Linux only: pinning, and processes that adopt orphans.

use std::collections::BTreeSet;

use rustix::process::{Pid, getpid, set_child_subreaper};
use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};

/// The cores on which this thread may run.
pub fn affinity() -> Option<BTreeSet<usize>> {
    let cores = sched_getaffinity(None).ok()?;
    let all = 0..CpuSet::MAX_CPU;
    Some(all.filter(|core| cores.is_set(*core)).collect())
}

/// Moves this thread, or the first one of `process`, to the cores; returns whether the system did.
pub fn move_to(process: Option<u32>, cores: &BTreeSet<usize>) -> bool {
    let mut set = CpuSet::new();
    cores.iter().for_each(|core| set.set(*core));
    let pid = process.map(|number| i32::try_from(number).ok().and_then(Pid::from_raw));
    pid != Some(None) && sched_setaffinity(pid.flatten(), &set).is_ok()
}

/// The core on which this thread runs.
pub fn this_core() -> Option<u32> {
    u32::try_from(sched_getcpu()).ok()
}

/// Makes processes whose parent has ended children of this program; returns whether the system does.
pub fn adopt_orphans() -> bool {
    set_child_subreaper(Some(getpid())).is_ok()
}
