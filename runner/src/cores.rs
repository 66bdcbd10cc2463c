//! Which cores a thread may run on: one for timing, the others for whatever else the program does.

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// The cores that this thread was given, and how they are shared out.
pub struct Cores {
    all: Option<CpuSet>,
    timing: Option<CpuSet>,
    rest: Option<CpuSet>,
}

impl Cores {
    /// The cores of this thread.
    #[must_use]
    pub fn of_this_thread() -> Self {
        let all = sched_getaffinity(None).ok();
        // The last core: the first one takes most of the system's interrupts.
        let last = all
            .as_ref()
            .and_then(|all| (0..CpuSet::MAX_CPU).rev().find(|core| all.is_set(*core)));
        let timing = last.map(|last| {
            let mut timing = CpuSet::new();
            timing.set(last);
            timing
        });
        let rest = all.as_ref().zip(last).and_then(|(all, last)| {
            let mut rest = *all;
            rest.unset(last);
            (rest.count() > 0).then_some(rest)
        });
        Self { all, timing, rest }
    }

    /// Pins this thread to the timing core, or lets it go. Threads that it starts inherit what
    /// holds then. A system that refuses leaves the thread where it is.
    pub fn pin(&self, pinned: bool) {
        move_to(if pinned { &self.timing } else { &self.all });
    }

    /// Moves this thread, and those that it starts from now on, off the timing core where there is
    /// another.
    pub fn keep_off(&self) {
        move_to(&self.rest);
    }
}

fn move_to(cores: &Option<CpuSet>) {
    if let Some(cores) = cores {
        let _ = sched_setaffinity(None, cores);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cores on which this thread may run now.
    fn now() -> Vec<usize> {
        let cores = sched_getaffinity(None).expect("a system that tells");
        (0..CpuSet::MAX_CPU)
            .filter(|core| cores.is_set(*core))
            .collect()
    }

    #[test]
    fn the_timing_core_is_nobody_elses() {
        let before = now();
        let cores = Cores::of_this_thread();
        cores.pin(true);
        let timing = now();
        assert_eq!(timing, [*before.last().expect("a core")]);
        cores.keep_off();
        if before.len() > 1 {
            let inherited = std::thread::spawn(now).join().expect("a thread");
            assert_eq!(inherited, before[..before.len() - 1]);
        }
        cores.pin(false);
        assert_eq!(now(), before);
    }
}
