//! Rank 0: an executor whose samples are taken by other ranks.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use ikeru_core::{AnyInstance, BoundPolicy, Incumbent};
use ikeru_reports::records::Sample;

use super::message::RankMessage;
use super::post::Post;
use super::united::united;
use crate::cores::{self, CorePlace};
use crate::execute::Executor;
use crate::interrupt;
use crate::plan::{Cell, Stage};

/// The interval at which a waiting thread checks whether the run should stop.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Hands out cells and subproblems, and relays rises.
pub(super) struct Leader<'a> {
    post: &'a Post,
    free: Mutex<Vec<usize>>,
    freed: Condvar,
    /// For each rank, the route of its messages to the thread that waits for its sample.
    routes: Arc<Mutex<Vec<Option<Route>>>>,
}

type Route = Sender<(usize, RankMessage)>;

impl<'a> Leader<'a> {
    /// The leader of all other ranks.
    pub fn new(post: &'a Post) -> Self {
        Self {
            post,
            free: Mutex::new((1..post.size).collect()),
            freed: Condvar::new(),
            routes: Arc::new(Mutex::new(vec![None; post.size])),
        }
    }

    /// Ends the other ranks.
    pub fn end(&self) {
        for rank in 1..self.post.size {
            self.post.send(rank, RankMessage::End);
        }
    }

    /// Waits for `count` free ranks and takes them.
    fn acquire(&self, count: usize) -> Result<Vec<usize>> {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            interrupt::check()?;
            if free.len() >= count {
                let rest = free.len() - count;
                return Ok(free.split_off(rest));
            }
            let waited = self.freed.wait_timeout(free, LOOK_EVERY);
            free = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn release(&self, members: &[usize]) {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        free.extend(members);
        self.freed.notify_all();
    }

    /// Waits for a message to this thread. The thread that holds the inbox meanwhile distributes all arriving
    /// messages to the threads that wait for them.
    fn receive(&self, own: &Receiver<(usize, RankMessage)>) -> Result<(usize, RankMessage)> {
        loop {
            interrupt::check()?;
            if let Ok(message) = own.try_recv() {
                return Ok(message);
            }
            match self.post.inbox.try_lock() {
                Ok(inbox) => match inbox.recv_timeout(LOOK_EVERY) {
                    Ok((from, message)) => {
                        let routes = self.routes.lock().unwrap_or_else(PoisonError::into_inner);
                        if let Some(Some(route)) = routes.get(from) {
                            let _ = route.send((from, message));
                        }
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => {
                        return Err(anyhow!("the thread of MPI ended"));
                    }
                },
                // Another thread distributes messages, also those of this thread.
                Err(_) => match own.recv_timeout(Duration::from_millis(1)) {
                    Ok(message) => return Ok(message),
                    Err(_) => continue,
                },
            }
        }
    }

    /// One search by `members`.
    fn search(&self, stage: &Stage, cell: &Cell, members: &[usize]) -> Result<Sample> {
        let (route, own) = channel();
        {
            let mut routes = self.routes.lock().unwrap_or_else(PoisonError::into_inner);
            for rank in members {
                routes[*rank] = Some(route.clone());
            }
        }
        for (number, rank) in members.iter().enumerate() {
            let take = RankMessage::Take {
                experiment: stage.experiment.clone(),
                cell: cell.id.to_string(),
                number,
                size: members.len(),
            };
            self.post.send(*rank, take);
        }
        let direction = stage.problem.direction();
        let mut run = LeaderRun {
            began: Instant::now(),
            took: Duration::ZERO,
            ready: 0,
            next: 0,
            best: Incumbent::new(direction),
            relayed: 0,
            samples: Vec::new(),
        };
        let shares = cell.bound_policy == BoundPolicy::Shared;
        while run.samples.len() < members.len() {
            let (from, message) = self.receive(&own)?;
            match message {
                RankMessage::Ready => self.prepared(&mut run, members),
                RankMessage::Want => {
                    self.post.send(from, RankMessage::Next(run.next));
                    run.next += 1;
                }
                RankMessage::Rise(score) if shares && run.best.improve(score) => {
                    for rank in members.iter().filter(|rank| **rank != from) {
                        self.post.send(*rank, RankMessage::Bound(score));
                        run.relayed += 1;
                    }
                }
                RankMessage::Solved => run.took = run.began.elapsed(),
                RankMessage::Taken(sample) => {
                    // A rank that could not prepare counts as prepared, so that the others begin.
                    if sample.batch.is_none() {
                        self.prepared(&mut run, members);
                    }
                    run.samples.push(*sample);
                }
                RankMessage::Mistake(text) => return Err(anyhow!(text)),
                _ => {}
            }
        }
        if members.len() == 1 {
            return run.samples.pop().ok_or_else(|| anyhow!("no sample came"));
        }
        Ok(united(run.samples, direction, run.took, run.relayed))
    }

    /// One more rank is prepared; the last one lets all begin.
    fn prepared(&self, run: &mut LeaderRun, members: &[usize]) {
        run.ready += 1;
        if run.ready == members.len() {
            run.began = Instant::now();
            let members = members.iter();
            members.for_each(|rank| self.post.send(*rank, RankMessage::Go));
        }
    }
}

/// The state of a running search.
struct LeaderRun {
    /// The time at which all ranks were prepared.
    began: Instant,
    /// The time from then to the last rank's end.
    took: Duration,
    ready: usize,
    next: usize,
    best: Incumbent,
    relayed: u64,
    samples: Vec<Sample>,
}

impl Executor for Leader<'_> {
    type Prepared<'a> = ();

    fn sample(
        &self,
        stage: &Stage,
        cell: &Cell,
        _: &dyn AnyInstance,
        _: &mut Option<()>,
    ) -> Result<Sample> {
        cores::go(CorePlace::of_solver(stage.mode, cell.threads));
        let members = self.acquire(cell.ranks as usize)?;
        let sample = self.search(stage, cell, &members);
        self.release(&members);
        sample
    }
}
