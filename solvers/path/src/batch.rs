//! From one query to many: what a variant answers one query with, and how a batch runs over threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ikeru_core::{Attempt, BoxedSolve, Deadline, Search, Solve, Ticker};
use rayon::ThreadPool;
use rayon::iter::{IntoParallelRefMutIterator, ParallelIterator};

use crate::GridPath;
use crate::answer::{Answer, Frames};
use crate::cost::Length;
use crate::exact::Exact;
use crate::instance::{Instance, Query};

/// Squares between two looks at the clock.
const TICKS: u32 = 1024;

/// Queries that a worker takes at a time: enough that taking them costs nothing, few enough that
/// the last ones are shared out evenly.
const CHUNK: usize = 64;

/// Why a query was not answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    /// The deadline passed.
    OutOfTime,
    /// The costs on the way are too large for the search's numbers: a search with exact lengths answers.
    TooLong,
}

/// The work of a finder, summed over its queries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Work {
    /// Squares (or jump points) expanded.
    pub expansions: u64,
    /// Steps (or jumps) looked at.
    pub generated: u64,
    /// Entries put into the open list.
    pub queued: u64,
}

/// Answers one query after the other, keeping its memory between them.
pub trait Finder: Send {
    /// Appends the answer of `query` to `answer`.
    ///
    /// # Errors
    /// When the deadline passes first or the costs are too large; then nothing is appended.
    fn find(
        &mut self,
        query: Query,
        answer: &mut Answer,
        work: &mut Work,
        ticker: &mut Ticker,
    ) -> Result<(), Stopped>;

    /// Bytes that the preparation keeps, shared by all finders.
    fn table_bytes(&self) -> u64 {
        0
    }

    /// Whether its ways are proven shortest.
    fn optimal(&self) -> bool {
        true
    }

    /// Whether a way of this length that it found is shortest, whatever numbers it computes with.
    fn proves(&self, length: Length) -> bool;

    /// How its steps can be drawn, if they can.
    fn frames(&self) -> Option<Frames> {
        None
    }
}

/// The solver of an instance made of finders, one for each thread.
pub fn solver<'a, F: Finder + 'a>(
    instance: &'a Instance,
    make: impl Fn() -> F + Send + 'a,
) -> BoxedSolve<'a, GridPath> {
    Box::new(Batch {
        instance,
        workers: vec![Worker::new(make())],
        make,
        pool: None,
    })
}

struct Worker<'a, F> {
    finder: F,
    /// For the queries that are beyond the finder's numbers.
    exact: Option<Exact<'a>>,
    work: Work,
    parts: Vec<(usize, Answer)>,
}

impl<'a, F: Finder> Worker<'a, F> {
    fn new(finder: F) -> Self {
        Self {
            finder,
            exact: None,
            work: Work::default(),
            parts: Vec::new(),
        }
    }

    fn answer(
        &mut self,
        instance: &'a Instance,
        queries: &[Query],
        ticker: &mut Ticker,
        answer: &mut Answer,
    ) -> Result<(), Stopped> {
        for query in queries {
            if ticker.passed() {
                return Err(Stopped::OutOfTime);
            }
            match self.finder.find(*query, answer, &mut self.work, ticker) {
                Err(Stopped::TooLong) => {}
                Err(Stopped::OutOfTime) => return Err(Stopped::OutOfTime),
                Ok(()) => {
                    let last = answer.way(answer.len() - 1);
                    let proven = last.is_none_or(|way| self.finder.proves(way.length));
                    if proven || !self.finder.optimal() {
                        continue;
                    }
                    answer.pop();
                }
            }
            let exact = self.exact.get_or_insert_with(|| Exact::new(instance));
            exact.find(*query, answer, &mut self.work, ticker)?;
        }
        Ok(())
    }

    /// Takes chunks until none is left. Nothing is shared but the number of the next one.
    fn take_chunks(
        &mut self,
        instance: &'a Instance,
        next: &AtomicUsize,
        deadline: Deadline,
    ) -> Result<(), Stopped> {
        let mut ticker = deadline.ticker(TICKS);
        loop {
            // Relaxed: the counter alone is shared, the answers meet when the threads join.
            let start = next.fetch_add(CHUNK, Ordering::Relaxed);
            let Some(rest) = instance
                .queries
                .get(start..)
                .filter(|rest| !rest.is_empty())
            else {
                return Ok(());
            };
            let mut part = Answer::new();
            self.answer(
                instance,
                &rest[..CHUNK.min(rest.len())],
                &mut ticker,
                &mut part,
            )?;
            self.parts.push((start, part));
        }
    }
}

struct Batch<'a, F, M> {
    instance: &'a Instance,
    workers: Vec<Worker<'a, F>>,
    make: M,
    pool: Option<Arc<ThreadPool>>,
}

impl<F: Finder, M: Fn() -> F> Batch<'_, F, M> {
    fn alone(&mut self, deadline: Deadline) -> Result<Answer, Stopped> {
        let mut answer = Answer::new();
        let mut ticker = deadline.ticker(TICKS);
        self.workers[0].answer(
            self.instance,
            &self.instance.queries,
            &mut ticker,
            &mut answer,
        )?;
        Ok(answer)
    }

    fn together(&mut self, threads: usize, deadline: Deadline) -> Result<Answer, Stopped> {
        while self.workers.len() < threads {
            self.workers.push(Worker::new((self.make)()));
        }
        if self
            .pool
            .as_ref()
            .is_none_or(|pool| pool.current_num_threads() != threads)
        {
            let built = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            self.pool = built.ok().map(Arc::new);
        }
        let Some(pool) = self.pool.clone() else {
            // The system gives no more threads: one is enough for the same answer.
            return self.alone(deadline);
        };
        let instance = self.instance;
        let next = AtomicUsize::new(0);
        let workers = &mut self.workers[..threads];
        pool.install(|| {
            workers
                .par_iter_mut()
                .try_for_each(|worker| worker.take_chunks(instance, &next, deadline))
        })?;
        let mut parts: Vec<_> = workers.iter_mut().flat_map(|w| w.parts.drain(..)).collect();
        parts.sort_unstable_by_key(|(start, _)| *start);
        let mut answer = Answer::new();
        for (_, part) in &parts {
            answer.append(part);
        }
        Ok(answer)
    }
}

impl<F: Finder, M: Fn() -> F + Send> Solve<GridPath> for Batch<'_, F, M> {
    fn solve(&mut self, search: &mut Search) -> Attempt<Answer> {
        let chunks = self.instance.queries.len().div_ceil(CHUNK);
        let threads = search.threads.min(chunks);
        let answered = if threads > 1 {
            self.together(threads, search.deadline)
        } else {
            self.alone(search.deadline)
        };
        for worker in &mut self.workers {
            let work = std::mem::take(&mut worker.work);
            worker.parts.clear();
            search.counters.add("expansions", work.expansions);
            search.counters.add("generated", work.generated);
            search.counters.add("queued", work.queued);
        }
        match answered {
            Ok(mut answer) => {
                let finder = &self.workers[0].finder;
                answer.optimal = finder.optimal();
                answer.frames = finder.frames();
                answer.claim(self.instance.question.costs);
                if answer.ways().any(|way| way.is_some()) {
                    search.incumbent.raise(-answer.claimed);
                }
                Attempt::Solved(answer)
            }
            Err(_) => Attempt::Timeout {
                best: None,
                bound: None,
            },
        }
    }

    fn table_bytes(&self) -> u64 {
        self.workers[0].finder.table_bytes()
    }
}
