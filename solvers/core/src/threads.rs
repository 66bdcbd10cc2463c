//! The thread pool of a parallel variant.

use rayon::{ThreadPool, ThreadPoolBuilder};

/// A pool that a prepared solver keeps: it is built at the first question and again when a question allows another
/// number of threads.
#[derive(Debug, Default)]
pub struct Threads(Option<ThreadPool>);

impl Threads {
    /// A pool of exactly `threads` threads; `None` where the system gives no more threads.
    pub fn pool(&mut self, threads: usize) -> Option<&ThreadPool> {
        let fits = |pool: &ThreadPool| pool.current_num_threads() == threads;
        if !self.0.as_ref().is_some_and(fits) {
            self.0 = ThreadPoolBuilder::new().num_threads(threads).build().ok();
        }
        self.0.as_ref()
    }
}
