//! The threads, locks and atomic numbers of parallel searches: those of `std`, or those of `shuttle` under `--cfg shuttle`, whose
//! tests run a search under many schedules of its threads.

#[cfg(not(shuttle))]
pub use std::{
    hint::spin_loop,
    sync::{Condvar, Mutex, MutexGuard, PoisonError, atomic},
    thread,
};

#[cfg(shuttle)]
pub use shuttle::{
    hint::spin_loop,
    sync::{Condvar, Mutex, MutexGuard, PoisonError, atomic},
};

/// The threads of `shuttle`, with the builder of scoped threads that it lacks.
#[cfg(shuttle)]
pub mod thread {
    pub use shuttle::thread::*;
    pub use std::thread::panicking;

    /// A scope of threads. The end of the last thread wakes the owner of a scope of `shuttle`, whatever the owner waits for: one
    /// more thread lives until `work` has ended.
    pub fn scope<'env, T>(work: impl for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> T) -> T {
        let (end, ended) = shuttle::sync::mpsc::channel::<()>();
        shuttle::thread::scope(|scope| {
            scope.spawn(move || ended.recv());
            let result = work(scope);
            drop(end);
            result
        })
    }

    /// Starts threads; none is ever refused.
    #[derive(Debug, Default)]
    pub struct Builder;

    impl Builder {
        /// A builder.
        pub fn new() -> Self {
            Self
        }

        /// The same builder: no thread has a name.
        pub fn name(self, _name: String) -> Self {
            self
        }

        /// The same builder: all threads have the stack of [`check`](super::check).
        pub fn stack_size(self, _bytes: usize) -> Self {
            self
        }

        /// Starts a thread.
        ///
        /// # Errors
        /// None.
        pub fn spawn_scoped<'scope, T: Send + 'scope>(
            self,
            scope: &'scope Scope<'scope, '_>,
            work: impl FnOnce() -> T + Send + 'scope,
        ) -> std::io::Result<ScopedJoinHandle<'scope, T>> {
            Ok(scope.spawn(work))
        }
    }
}

/// Runs `test` under `count` random schedules, and under as many with at most three preemptions.
///
/// # Panics
/// If one of them fails, or if all its threads wait.
#[cfg(shuttle)]
pub fn check(count: usize, test: fn()) {
    use shuttle::scheduler::{PctScheduler, RandomScheduler};
    let mut config = shuttle::Config::default();
    config.stack_size = 1 << 20;
    config.silence_warnings = true;
    let random = RandomScheduler::new_from_seed(1, count);
    shuttle::Runner::new(random, config.clone()).run(test);
    let few = PctScheduler::new_from_seed(1, 3, count);
    shuttle::Runner::new(few, config).run(test);
}
