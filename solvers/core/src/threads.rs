//! The thread pool of a parallel variant.

use rayon::{ThreadPool, ThreadPoolBuilder};

/// A pool that a prepared solver keeps: it is built at the first question and again when a question allows another
/// number of threads.
#[derive(Debug, Default)]
pub struct Threads {
    pool: Option<ThreadPool>,
    stack_bytes: Option<usize>,
}

impl Threads {
    /// A pool whose threads have a stack of their own size; `None`: as the system has it.
    pub fn with_stack(stack_bytes: Option<usize>) -> Self {
        Self {
            pool: None,
            stack_bytes,
        }
    }

    /// A pool of exactly `threads` threads; `None` where the system gives no more threads.
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
}
