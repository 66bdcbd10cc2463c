//! Which cores a thread may run on: one for timing, the others for whatever else the program does.

use std::cell::Cell;
use std::sync::OnceLock;

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// The cores that this thread was given, and how they are shared out.
pub struct Cores {
    all: Option<CpuSet>,
    timing: Option<CpuSet>,
    rest: Option<CpuSet>,
    /// Where the thread was put last, so that it is not put there again before every sample.
    place: Cell<Place>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    All,
    Timing,
    Rest,
}

impl Cores {
    /// The cores of this thread.
    #[must_use]
    pub fn of_this_thread() -> Self {
        let all = sched_getaffinity(None).ok();
        GIVEN.get_or_init(|| all);
        // The last core: the first one takes most of the system's interrupts.
        let last = all
            .as_ref()
            .and_then(|all| (0..CpuSet::MAX_CPU).rev().find(|core| all.is_set(*core)));
        let timing = last.map(|last| {
            let mut timing = CpuSet::new();
            timing.set(last);
            timing
        });
        let rest = all
            .zip(timing)
            .and_then(|(all, timing)| without(all, &timing));
        Self {
            all,
            timing,
            rest,
            place: Cell::new(Place::All),
        }
    }

    /// Pins this thread to the timing core, or lets it go. Threads that it starts inherit what
    /// holds then. A system that refuses leaves the thread where it is.
    pub fn pin(&self, pinned: bool) {
        self.go(if pinned { Place::Timing } else { Place::All });
    }

    /// Moves this thread, and those that it starts from now on, off the timing core where there is
    /// another.
    pub fn keep_off(&self) {
        self.go(Place::Rest);
    }

    fn go(&self, place: Place) {
        if self.place.replace(place) == place {
            return;
        }
        let cores = match place {
            Place::All => &self.all,
            Place::Timing => &self.timing,
            Place::Rest => &self.rest,
        };
        move_to(cores.as_ref());
    }
}

/// The cores of the thread that asked first, before anything was pinned.
static GIVEN: OnceLock<Option<CpuSet>> = OnceLock::new();

/// A pinned thread that waits for a process which it started on its core: off that core, where there is
/// another, until this is dropped.
pub struct Aside {
    back: Option<CpuSet>,
}

impl Aside {
    /// Steps aside.
    #[must_use]
    pub fn step() -> Self {
        let now = sched_getaffinity(None).ok();
        let given = GIVEN.get().copied().flatten();
        let rest = now.zip(given).and_then(|(now, given)| without(given, &now));
        let back = now.filter(|_| rest.is_some());
        move_to(rest.as_ref());
        Self { back }
    }
}

impl Drop for Aside {
    fn drop(&mut self) {
        move_to(self.back.as_ref());
    }
}

/// What of `all` is not in `taken`; `None` if that is nothing.
fn without(mut all: CpuSet, taken: &CpuSet) -> Option<CpuSet> {
    (0..CpuSet::MAX_CPU)
        .filter(|core| taken.is_set(*core))
        .for_each(|core| all.unset(core));
    (all.count() > 0).then_some(all)
}

fn move_to(cores: Option<&CpuSet>) {
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
        cores.pin(true);
        let aside = Aside::step();
        assert!(before.len() == 1 || now() == before[..before.len() - 1]);
        drop(aside);
        assert_eq!(now(), timing);
        cores.pin(false);
        assert_eq!(now(), before);
        // Nothing to step aside from.
        drop(Aside::step());
        assert_eq!(now(), before);
    }
}
