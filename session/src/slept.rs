//! Whether this machine slept: SIGSTOP to all processes, a paused guest or container. Nobody ran meanwhile, so times and
//! timeouts of that moment tell nothing of a solver.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::cores::{self, CorePlace};

/// The interval at which the thread wakes, and the delay that no load explains.
const TICK: Duration = Duration::from_millis(100);
const SLEPT: Duration = Duration::from_millis(1500);

static BEGAN: OnceLock<Instant> = OnceLock::new();
/// Milliseconds from the beginning to the last tick.
static LAST: AtomicU64 = AtomicU64::new(0);
static COUNT: AtomicU32 = AtomicU32::new(0);

fn since_tick() -> Duration {
    let began = BEGAN.get().map_or(Duration::ZERO, Instant::elapsed);
    began.saturating_sub(Duration::from_millis(LAST.load(Ordering::SeqCst)))
}

/// Starts the thread that notices sleep, once. Without it nothing is noticed.
pub fn watch() {
    let mut is_first = false;
    let began = *BEGAN.get_or_init(|| {
        is_first = true;
        Instant::now()
    });
    let ticks = move || {
        loop {
            thread::sleep(TICK);
            COUNT.fetch_add(u32::from(since_tick() > SLEPT), Ordering::SeqCst);
            let now = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
            LAST.store(now, Ordering::SeqCst);
        }
    };
    // Not on the core of the samples.
    let spawn = || thread::Builder::new().spawn(ticks);
    if is_first && cores::at(CorePlace::Rest, spawn).is_err() {
        LAST.store(u64::MAX, Ordering::SeqCst);
    }
}

/// How often the machine slept, also a moment ago, before the thread woke.
pub fn count() -> u32 {
    COUNT.load(Ordering::SeqCst) + u32::from(since_tick() > SLEPT)
}
