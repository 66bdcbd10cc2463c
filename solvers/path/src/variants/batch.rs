//! Batches of queries, distributed over threads with one finder for each thread.

use std::sync::atomic::{AtomicUsize, Ordering};

use ikeru_core::{Attempt, BoxedSolve, Deadline, Search, Solve, Threads};
use rayon::iter::{IntoParallelRefMutIterator, ParallelIterator};

use super::exact::Exact;
use super::finder::{Finder, FinderCounts, QueryWork, Searched, Stopped};
use crate::GridPath;
use crate::answer::Answer;
use crate::instance::{Instance, Query};

/// The number of queries that a worker takes at a time: enough to make taking them cheap, few enough to distribute
/// the last ones evenly.
const CHUNK: usize = 64;

/// A solver of an instance with one finder for each thread.
pub fn solver<'a, F: Finder + 'a>(
    instance: &'a Instance,
    make: impl Fn() -> F + Send + 'a,
) -> BoxedSolve<'a, GridPath> {
    Box::new(QueryBatch {
        instance,
        workers: vec![BatchWorker::new(make())],
        make,
        threads: Threads::default(),
    })
}

struct BatchWorker<'a, F> {
    finder: F,
    /// The search for queries whose costs or paths are too long for the finder.
    exact: Option<Exact<'a>>,
    counts: FinderCounts,
    parts: Vec<(usize, Answer)>,
}

impl<'a, F: Finder> BatchWorker<'a, F> {
    fn new(finder: F) -> Self {
        Self {
            finder,
            exact: None,
            counts: FinderCounts::default(),
            parts: Vec::new(),
        }
    }

    fn answer(
        &mut self,
        instance: &'a Instance,
        queries: &[Query],
        work: &mut QueryWork,
        answer: &mut Answer,
    ) -> Searched {
        let guarantee = self.finder.guarantee();
        for query in queries {
            if work.ticker.passed() {
                return Err(Stopped::OutOfTime);
            }
            match self.finder.find(*query, answer, work) {
                Err(Stopped::TooLong) => {}
                Err(Stopped::OutOfTime) => return Err(Stopped::OutOfTime),
                Ok(()) => {
                    let last = answer.path(answer.len() - 1);
                    let proven = last.is_none_or(|path| guarantee.proves(path.length));
                    if proven || !guarantee.admissible {
                        continue;
                    }
                    answer.pop();
                }
            }
            let exact = self.exact.get_or_insert_with(|| Exact::new(instance));
            exact.find(*query, answer, work)?;
        }
        Ok(())
    }

    /// Takes chunks until none is left. The workers share only the index of the next query.
    fn take_chunks(
        &mut self,
        instance: &'a Instance,
        next: &AtomicUsize,
        deadline: Deadline,
    ) -> Searched {
        let mut work = QueryWork::new(deadline);
        let taken = self.take_until_none(instance, next, &mut work);
        self.counts = work.counts;
        taken
    }

    fn take_until_none(
        &mut self,
        instance: &'a Instance,
        next: &AtomicUsize,
        work: &mut QueryWork,
    ) -> Searched {
        loop {
            // Relaxed: only the counter is shared; the answers are collected after the threads have joined.
            let start = next.fetch_add(CHUNK, Ordering::Relaxed);
            let Some(rest) = instance
                .queries
                .get(start..)
                .filter(|rest| !rest.is_empty())
            else {
                return Ok(());
            };
            let mut part = Answer::new();
            self.answer(instance, &rest[..CHUNK.min(rest.len())], work, &mut part)?;
            self.parts.push((start, part));
        }
    }
}

struct QueryBatch<'a, F, M> {
    instance: &'a Instance,
    workers: Vec<BatchWorker<'a, F>>,
    make: M,
    threads: Threads,
}

impl<F: Finder, M: Fn() -> F> QueryBatch<'_, F, M> {
    fn alone(&mut self, deadline: Deadline) -> Searched<Answer> {
        let mut answer = Answer::new();
        let mut work = QueryWork::new(deadline);
        let worker = &mut self.workers[0];
        let queries = &self.instance.queries;
        let answered = worker.answer(self.instance, queries, &mut work, &mut answer);
        worker.counts = work.counts;
        answered.map(|()| answer)
    }

    fn together(&mut self, threads: usize, deadline: Deadline) -> Searched<Answer> {
        while self.workers.len() < threads {
            self.workers.push(BatchWorker::new((self.make)()));
        }
        let Some(pool) = self.threads.pool(threads) else {
            // The system provides no further threads; one thread gives the same answer.
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

impl<F: Finder, M: Fn() -> F + Send> Solve<GridPath> for QueryBatch<'_, F, M> {
    fn solve(&mut self, search: &mut Search) -> Attempt<Answer> {
        let chunks = self.instance.queries.len().div_ceil(CHUNK);
        let threads = search.threads.min(chunks);
        let answered = if threads > 1 {
            self.together(threads, search.deadline)
        } else {
            self.alone(search.deadline)
        };
        for worker in &mut self.workers {
            let counts = std::mem::take(&mut worker.counts);
            worker.parts.clear();
            search.counters.add("expansions", counts.expansions);
            search.counters.add("generated", counts.generated);
            search.counters.add("queued", counts.queued);
            if worker.finder.jumps() {
                search.counters.add("words", counts.words);
            }
        }
        match answered {
            Ok(mut answer) => {
                let finder = &self.workers[0].finder;
                answer.optimal = finder.guarantee().admissible;
                answer.frames = finder.frames();
                answer.claim(self.instance.question.costs);
                if answer.paths().any(|path| path.is_some()) {
                    search.incumbent.improve(answer.claimed);
                }
                if answer.optimal {
                    Attempt::proven(answer)
                } else {
                    Attempt::unproven(answer)
                }
            }
            Err(_) => Attempt::nothing(),
        }
    }

    fn table_bytes(&self) -> u64 {
        self.workers[0].finder.table_bytes()
    }
}
