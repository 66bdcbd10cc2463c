//! The thread pool of a parallel variant, and work that several threads take in turn.

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::sync::Mutex;
use crate::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

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

/// Numbers for several workers, each handed out once, until all are taken or a worker fails.
#[derive(Debug)]
pub struct Handout<E> {
    count: usize,
    next: AtomicUsize,
    stop: AtomicBool,
    failure: Mutex<Option<E>>,
}

impl<E> Handout<E> {
    /// The numbers below `count`.
    pub fn of(count: usize) -> Self {
        Self {
            count,
            next: AtomicUsize::new(0),
            stop: AtomicBool::new(false),
            failure: Mutex::new(None),
        }
    }

    /// The next number; `None` if there is none, or if a worker has failed.
    pub fn take(&self) -> Option<usize> {
        if self.stop.load(Ordering::Relaxed) {
            return None;
        }
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        (number < self.count).then_some(number)
    }

    /// Hands out no further number. The first of several errors is kept.
    pub fn fail(&self, error: E) {
        self.stop.store(true, Ordering::Relaxed);
        if let Ok(mut failure) = self.failure.lock() {
            failure.get_or_insert(error);
        }
    }

    /// The end of the work.
    ///
    /// # Errors
    /// The error of the worker that failed first.
    pub fn result(self) -> Result<(), E> {
        let failure = self.failure.into_inner().ok().flatten();
        failure.map_or(Ok(()), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three workers take numbers, and one of them fails at `failing`.
    fn work_off(failing: Option<usize>) {
        const COUNT: usize = 5;
        let numbers = Handout::of(COUNT);
        let taken = Mutex::new(Vec::new());
        crate::sync::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    while let Some(number) = numbers.take() {
                        taken.lock().expect("no worker panics").push(number);
                        if failing == Some(number) {
                            numbers.fail(number);
                        }
                    }
                });
            }
        });
        let mut taken = taken.into_inner().expect("no worker panics");
        taken.sort_unstable();
        let all: Vec<usize> = (0..taken.len()).collect();
        assert_eq!(taken, all, "a number was taken twice or left out");
        match failing {
            None => assert_eq!((all.len(), numbers.result()), (COUNT, Ok(()))),
            Some(number) => {
                assert!(all.len() > number);
                assert_eq!(numbers.result(), Err(number));
            }
        }
    }

    #[cfg(not(shuttle))]
    #[test]
    fn every_number_is_taken_once_or_the_failure_is_told() {
        for failing in [None, Some(0), Some(4)] {
            work_off(failing);
        }
    }

    #[cfg(shuttle)]
    #[test]
    fn schedules_of_workers_lose_no_number_and_no_failure() {
        crate::sync::check(5_000, || work_off(None));
        crate::sync::check(5_000, || work_off(Some(0)));
        crate::sync::check(5_000, || work_off(Some(3)));
    }
}
