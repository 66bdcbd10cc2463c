//! The threads of rayon's global pool, on which plans and reports are made.

use std::io::ErrorKind;
use std::num::NonZero;
use std::sync::{Arc, Mutex, mpsc};
use std::thread;

use rayon::{ThreadBuilder, ThreadPoolBuilder};

/// Starts the pool with one thread per core, or with `RAYON_NUM_THREADS`. If the system refuses one of them, the current
/// thread does all the work; rayon itself would panic.
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
    let started: Vec<_> = (0..wanted).map_while(start).collect();
    let pool = ThreadPoolBuilder::new();
    // It fails if a pool already exists.
    let _ = if started.len() == wanted {
        let give = move |member| give.send(member).map_err(|_| ErrorKind::Other.into());
        pool.num_threads(wanted).spawn_handler(give).build_global()
    } else {
        // The others are left to the commands that the run starts.
        drop(give);
        started.into_iter().for_each(|thread| drop(thread.join()));
        pool.num_threads(1).use_current_thread().build_global()
    };
}
