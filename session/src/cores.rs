//! The cores that a thread may run on: one core for timing, the others for all other work of the program.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::LazyLock;

use ikeru_bench_data::Mode;

use crate::system;

type CpuSet = BTreeSet<usize>;

/// The place of a thread. Threads and processes that it starts inherit its place at that time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CorePlace {
    /// On any core.
    All,
    /// On the core on which samples of one thread are timed.
    Timing,
    /// On any core but that one, if there is another.
    Rest,
}

thread_local! {
    /// The place of this thread, so that it is not moved again before every sample.
    static PLACE: Cell<CorePlace> = const { Cell::new(CorePlace::All) };
}

impl CorePlace {
    /// The place of a solver with this number of threads, which is timed in isolated mode only.
    pub fn of_solver(mode: Mode, threads: u32) -> Self {
        match (mode, threads) {
            (Mode::Isolated, 1) => Self::Timing,
            _ => Self::All,
        }
    }

    /// The place of a thread that waits for a process of this place.
    pub fn beside(self) -> Self {
        match self {
            Self::Timing => Self::Rest,
            other => other,
        }
    }
}

/// The cores of each place. The first thread that asks is not moved yet.
static CORES: LazyLock<[Option<CpuSet>; 3]> = LazyLock::new(|| {
    let all = system::affinity();
    let timing = all.as_ref().and_then(timing_core);
    let timing = timing.map(|core| CpuSet::from([core]));
    let rest = all.as_ref().zip(timing.as_ref());
    let rest = rest.map(|(all, timing)| all - timing);
    let rest = rest.filter(|rest| !rest.is_empty());
    [all, timing, rest]
});

/// Moves this thread to `place`. If the system refuses, the thread stays where it is.
pub fn go(place: CorePlace) {
    if PLACE.replace(place) != place
        && let Some(cores) = &CORES[place as usize]
    {
        system::move_to(None, cores);
    }
}

/// Moves the first thread of a process to `place`; returns whether the system did.
pub fn send(process: u32, place: CorePlace) -> bool {
    let cores = CORES[place as usize].as_ref();
    cores.is_some_and(|cores| system::move_to(Some(process), cores))
}

/// Returns whether there is another core than that on which samples are timed.
pub fn has_rest() -> bool {
    CORES[CorePlace::Rest as usize].is_some()
}

/// Runs `work` with this thread at `place`, and moves the thread back.
pub fn at<T>(place: CorePlace, work: impl FnOnce() -> T) -> T {
    let before = PLACE.get();
    go(place);
    let done = work();
    go(before);
    done
}

/// The core on which samples are timed: the last of the cores with the highest clock. The first core handles most of
/// the system's interrupts, and a processor may have slower cores.
fn timing_core(all: &CpuSet) -> Option<usize> {
    fastest(all, |core| {
        let file = format!("/sys/devices/system/cpu/cpu{core}/cpufreq/cpuinfo_max_freq");
        std::fs::read_to_string(file).ok()?.trim().parse().ok()
    })
}

/// The last of the cores with the highest clock, as far as the system reports clocks.
fn fastest(all: &CpuSet, clock: impl Fn(usize) -> Option<u64>) -> Option<usize> {
    all.iter().copied().max_by_key(|core| (clock(*core), *core))
}

/// The text of `run.toml` about the core on which samples of one thread are timed, or a note that the system refuses.
pub fn pinning() -> String {
    let all = system::affinity().unwrap_or_default();
    match timing_core(&all) {
        Some(core) => {
            let pinned = system::move_to(None, &CpuSet::from([core]));
            system::move_to(None, &all);
            match pinned {
                true => format!("pinned to core {core}"),
                false => "not pinned: the system refuses".to_owned(),
            }
        }
        None => format!("not pinned: {} pins no thread", system::HERE.system),
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
        assert_eq!(fastest(&(0..4).collect(), fast_and_slow), Some(1));
        assert_eq!(fastest(&(0..3).collect(), |_| None), Some(2));
        assert_eq!(
            fastest(&(0..3).collect(), clock(&[Some(1), None, None])),
            Some(0)
        );
        assert_eq!(fastest(&CpuSet::new(), |_| Some(1)), None);
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
        go(CorePlace::Timing);
        let timing = now();
        assert_eq!(timing.len(), 1);
        let others: Vec<usize> = before
            .iter()
            .copied()
            .filter(|core| *core != timing[0])
            .collect();
        assert_eq!(others.len(), before.len() - 1);
        go(CorePlace::Rest);
        if before.len() > 1 {
            let inherited = std::thread::spawn(now).join().expect("a thread");
            assert_eq!(inherited, others);
            assert_eq!(at(CorePlace::Timing, now), timing);
            assert_eq!(now(), others);
        }
        go(CorePlace::All);
        assert_eq!(now(), before);
    }

    #[test]
    fn only_one_thread_in_isolated_mode_is_pinned() {
        let place = CorePlace::of_solver(Mode::Isolated, 1);
        assert_eq!(
            (place, place.beside()),
            (CorePlace::Timing, CorePlace::Rest)
        );
        for (mode, threads) in [(Mode::Isolated, 2), (Mode::Contended, 1)] {
            let place = CorePlace::of_solver(mode, threads);
            assert_eq!((place, place.beside()), (CorePlace::All, CorePlace::All));
        }
    }
}
