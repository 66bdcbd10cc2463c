//! The cores that a thread may run on: one core for timing, the others for all other work of the program.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::OnceLock;

use anyhow::{Result, bail};

use crate::system;

type CpuSet = BTreeSet<usize>;

/// The cores that this thread may use, and their division into timing core and rest.
pub struct Cores {
    all: Option<CpuSet>,
    timing: Option<CpuSet>,
    rest: Option<CpuSet>,
    /// The current placement, so that the thread is not moved again before every sample.
    place: Cell<CorePlace>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum CorePlace {
    All,
    Timing,
    Rest,
}

impl Cores {
    /// The cores of this thread.
    pub fn of_this_thread() -> Self {
        let all = system::affinity();
        GIVEN.get_or_init(|| all.clone());
        let timing = all.as_ref().and_then(timing_core).map(only);
        let rest = without(all.as_ref(), timing.as_ref());
        Self {
            all,
            timing,
            rest,
            place: Cell::new(CorePlace::All),
        }
    }

    /// Pins this thread to the timing core, or unpins it. Threads that it starts inherit its placement at that time.
    /// If the system refuses, the thread stays where it is.
    pub fn pin(&self, pinned: bool) {
        self.go(if pinned {
            CorePlace::Timing
        } else {
            CorePlace::All
        });
    }

    /// Moves this thread, and threads that it starts later, off the timing core if there is another core.
    pub fn keep_off(&self) {
        self.go(CorePlace::Rest);
    }

    fn go(&self, place: CorePlace) {
        if self.place.replace(place) == place {
            return;
        }
        let cores = match place {
            CorePlace::All => &self.all,
            CorePlace::Timing => &self.timing,
            CorePlace::Rest => &self.rest,
        };
        move_to(cores.as_ref());
    }
}

/// The core on which samples are timed: the last of the cores with the highest clock. The first core handles most of
/// the system's interrupts, and a processor may have slower cores.
fn timing_core(all: &CpuSet) -> Option<usize> {
    fastest(all.iter().copied(), |core| {
        let file = format!("/sys/devices/system/cpu/cpu{core}/cpufreq/cpuinfo_max_freq");
        std::fs::read_to_string(file).ok()?.trim().parse().ok()
    })
}

/// The last of the cores with the highest clock, as far as the system reports clocks.
fn fastest(
    cores: impl Iterator<Item = usize>,
    clock: impl Fn(usize) -> Option<u64>,
) -> Option<usize> {
    cores.max_by_key(|core| (clock(*core), *core))
}

fn only(core: usize) -> CpuSet {
    CpuSet::from([core])
}

/// The text of `run.toml` about the core on which samples of one thread are timed, or a note that the system refuses.
pub fn pinning() -> String {
    let all = system::affinity().unwrap_or_default();
    match timing_core(&all) {
        Some(core) => {
            let pinned = system::move_to(&only(core));
            move_to(Some(&all));
            match pinned {
                true => format!("pinned to core {core}"),
                false => "not pinned: the system refuses".to_owned(),
            }
        }
        None => format!("not pinned: {} pins no thread", system::HERE.system),
    }
}

/// Refuses timing if a thread cannot be pinned to one core.
///
/// # Errors
/// The system refuses to pin.
pub fn check_pinning() -> Result<()> {
    if !pinning().starts_with("pinned") {
        bail!("isolated timing needs a pinned core, and the system refuses to pin");
    }
    Ok(())
}

/// The cores of the first thread that asked, before any thread was pinned.
static GIVEN: OnceLock<Option<CpuSet>> = OnceLock::new();

/// Moves a pinned thread off its core while it waits for a process that it started there, if there is another core.
/// Dropping this moves it back.
pub struct Aside {
    back: Option<CpuSet>,
}

impl Aside {
    /// Moves this thread off its core.
    pub fn step() -> Self {
        let now = system::affinity();
        let given = GIVEN.get().and_then(Option::as_ref);
        let rest = without(given, now.as_ref());
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

/// The cores of `all` that are not in `taken`; `None` if there are none.
fn without(all: Option<&CpuSet>, taken: Option<&CpuSet>) -> Option<CpuSet> {
    let rest = all? - taken?;
    (!rest.is_empty()).then_some(rest)
}

fn move_to(cores: Option<&CpuSet>) {
    if let Some(cores) = cores {
        system::move_to(cores);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cores on which this thread may run now.
    fn now() -> Vec<usize> {
        let cores = system::affinity().expect("a system that tells");
        cores.into_iter().collect()
    }

    #[test]
    fn the_timing_core_is_the_last_of_the_fastest() {
        let clock =
            |clocks: &'static [Option<u64>]| move |core: usize| clocks.get(core).copied().flatten();
        let fast_and_slow = clock(&[Some(5_000), Some(5_000), Some(3_800), Some(3_800)]);
        assert_eq!(fastest(0..4, fast_and_slow), Some(1));
        assert_eq!(fastest(0..3, |_| None), Some(2));
        assert_eq!(fastest(0..3, clock(&[Some(1), None, None])), Some(0));
        assert_eq!(fastest(0..0, |_| Some(1)), None);
    }

    #[test]
    fn where_samples_are_timed_is_told_and_nothing_stays_pinned() {
        let before = now();
        let told = pinning();
        assert!(told.starts_with("pinned to core "), "{told}");
        assert_eq!(now(), before);
    }

    #[test]
    fn the_timing_core_is_nobody_elses() {
        let before = now();
        let cores = Cores::of_this_thread();
        cores.pin(true);
        let timing = now();
        assert_eq!(timing.len(), 1);
        let others: Vec<usize> = before
            .iter()
            .copied()
            .filter(|core| *core != timing[0])
            .collect();
        assert_eq!(others.len(), before.len() - 1);
        cores.keep_off();
        if before.len() > 1 {
            let inherited = std::thread::spawn(now).join().expect("a thread");
            assert_eq!(inherited, others);
        }
        cores.pin(true);
        let aside = Aside::step();
        assert!(before.len() == 1 || now() == others);
        drop(aside);
        assert_eq!(now(), timing);
        cores.pin(false);
        assert_eq!(now(), before);
        // There is nothing to move away from.
        drop(Aside::step());
        assert_eq!(now(), before);
    }
}
