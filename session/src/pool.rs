//! The threads of rayon's global pool, on which plans and reports are made.

use std::num::NonZero;
use std::sync::{Arc, Mutex, mpsc};
use std::thread;

use rayon::{ThreadBuilder, ThreadPoolBuilder};

/// Starts the pool with as many threads as the system allows, at most one per core or `RAYON_NUM_THREADS`. Without any, the
/// current thread does all the work. rayon itself would panic.
pub fn start() {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let asked = std::env::var("RAYON_NUM_THREADS").ok();
    let asked = asked.and_then(|text| text.parse().ok());
    let wanted = asked.filter(|threads| *threads > 0).unwrap_or(cores);
    // The pool fails as a whole, so its threads are there before it.
    let (give, take) = mpsc::channel::<ThreadBuilder>();
    let take = Arc::new(Mutex::new(take));
    let start = |_| {
        let take = Arc::clone(&take);
        let work = move || {
            let member = take.lock().ok().and_then(|take| take.recv().ok());
            member.map(ThreadBuilder::run)
        };
        thread::Builder::new().spawn(work).ok()
    };
    let started = (0..wanted).map_while(start).count();
    let pool = ThreadPoolBuilder::new().num_threads(started.max(1));
    // It fails if a pool already exists.
    let _ = match started {
        0 => pool.use_current_thread().build_global(),
        _ => {
            let give = move |member| {
                give.send(member)
                    .map_err(|_| std::io::ErrorKind::Other.into())
            };
            pool.spawn_handler(give).build_global()
        }
    };
}
