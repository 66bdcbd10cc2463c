//! The thread pool of a parallel variant.

use rayon::{ThreadPool, ThreadPoolBuilder};

/// The pool of a prepared solver. It is built at the first use and rebuilt when another number of threads is requested.
#[derive(Debug, Default)]
pub struct Threads {
    pool: Option<ThreadPool>,
    stack_bytes: Option<usize>,
}

impl Threads {
    /// A pool whose threads have a stack of `stack_bytes`; `None` uses the default of the system.
    pub fn with_stack(stack_bytes: Option<usize>) -> Self {
        Self {
            pool: None,
            stack_bytes,
        }
    }

    /// A pool of exactly `threads` threads; `None` if the pool cannot be built.
    pub fn pool(&mut self, threads: usize) -> Option<&ThreadPool> {
        let fits = |pool: &ThreadPool| pool.current_num_threads() == threads;
        if !self.pool.as_ref().is_some_and(fits) {
            let mut builder = ThreadPoolBuilder::new().num_threads(threads);
            if let Some(bytes) = self.stack_bytes {
                builder = builder.stack_size(bytes);
            }
            self.pool = builder.build().ok();
        }
        self.pool.as_ref()
    }

    /// Runs `work` with the numbers of `threads` threads, each on its thread; `None` if the pool cannot be built.
    #[cfg(not(shuttle))]
    pub fn broadcast<T: Send>(
        &mut self,
        threads: usize,
        work: impl Fn(usize) -> T + Sync,
    ) -> Option<Vec<T>> {
        let pool = self.pool(threads)?;
        Some(pool.broadcast(|thread| work(thread.index())))
    }

    /// The same on new threads, because a schedule cannot contain the threads of a pool.
    #[cfg(shuttle)]
    pub fn broadcast<T: Send>(
        &mut self,
        threads: usize,
        work: impl Fn(usize) -> T + Sync,
    ) -> Option<Vec<T>> {
        crate::sync::thread::scope(|scope| {
            let start = |number| {
                let work = &work;
                scope.spawn(move || work(number))
            };
            let started: Vec<_> = (0..threads).map(start).collect();
            let ends = started.into_iter().map(|thread| thread.join().ok());
            ends.collect()
        })
    }
}
