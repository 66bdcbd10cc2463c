//! A search by a team of processes: each process makes the same split, then each worker takes parts of it.
//!
//! The split is a search by one worker until enough nodes wait. It uses only scores that it found itself, so that every
//! process ends with the same nodes, bounds, multipliers and suspended evaluations. The nodes are dealt round-robin to
//! the parts, the highest bound first. Each part then has high and low bounds, and the number of a part is enough to
//! assign it. The process that takes a part searches it best first with a separate queue. Under the shared policy the
//! best score of all processes fathoms nodes. Under the private policy only scores of the split and of the same part
//! do, so that the work does not depend on the process that takes the part, or on the time.
//!
//! While nodes with higher bounds wait, a queue suspends nodes that the final incumbent already fathoms. In a queue
//! that begins with a single node, nodes hardly ever wait.
// PERF: over 2 and 4 ranks of MPI, boards of 10x10 with six factors take 0.96 and 1.13 times the iterations of one
// process; with two parts for each worker 1.3 and 1.6 times, with one part for each node 2.3 and 2.7 times (modelled
// ranks). With 8 to 64 nodes for each worker the difference is at most a quarter.

use ikeru_core::sync::{Mutex, PoisonError};
use ikeru_core::{Attempt, BoundPolicy, Direction, Incumbent, Score, Search, Team};

use super::branch_and_bound::{Rest, Shared, TreeWorker, attempt, count_work, on_threads};
use super::model::Model;
use super::node::Node;
use super::primal::BestTrail;
use super::workspace::Workspace;
use crate::puzzle::{Answer, Trail};
use crate::tjoin::frontier::EdgeCost;

/// The number of waiting nodes for each worker of the team at which the split ends.
const NODES_PER_WORKER: usize = 16;

/// The attempt of this process, by `workers` (at least one), one thread for each. The split ends early if its nodes
/// take more than half of `memory`. A worker whose queue takes more than its share of the remaining memory gives up
/// its part.
pub fn solve<C: EdgeCost>(
    model: &Model,
    workers: &mut [Workspace<C>],
    search: &mut Search,
    team: &dyn Team,
    memory: usize,
) -> Attempt<Answer> {
    let own = Incumbent::new(Direction::Maximize);
    let best = BestTrail::new(&own, search.incumbent);
    let all = team.size() * workers.len();
    let wanted = all * NODES_PER_WORKER;
    let queue = split(model, &mut workers[0], search, &best, (wanted, memory));
    if team.number() > 0 {
        workers[0].scratch.count_anew();
    }
    let (_, kept) = queue.waiting();
    let known = best.score();
    let best = best.into_trail();
    let nodes = match queue.end(model) {
        Ok(nodes) => nodes,
        Err(rest) => {
            count_work(search, workers);
            return attempt(search, best, Some(rest));
        }
    };
    let mut dealt: Vec<Vec<Node<C>>> = (0..all).map(|_| Vec::new()).collect();
    for (node, part) in nodes.into_iter().zip((0..all).cycle()) {
        dealt[part].push(node);
    }
    let parts = TeamParts {
        model,
        search,
        team,
        dealt: Mutex::new(dealt),
        known,
        memory: memory.saturating_sub(kept) / workers.len(),
    };
    let found = on_threads(workers, |_, workspace| parts.take_all(workspace), || ());
    count_work(search, workers);
    let (trails, rests): (Vec<_>, Vec<_>) = found.into_iter().unzip();
    let trails = trails.into_iter().flatten().chain(best);
    let best = trails.max_by_key(|trail| trail.score);
    let rest = rests.into_iter().fold(None, both);
    match search.incumbent.best() {
        // Another process has the answer; this process found nothing better.
        told @ Some(_) if best.is_none() && rest.is_none() => Attempt::Timeout {
            best: None,
            bound: told,
        },
        _ => attempt(search, best, rest),
    }
}

/// Searches until `wanted` nodes wait that may contain a better trail, or until they take more than half of `memory`.
fn split<C: EdgeCost>(
    model: &Model,
    workspace: &mut Workspace<C>,
    search: &Search,
    best: &BestTrail,
    (wanted, memory): (usize, usize),
) -> Shared<C> {
    let queue = Shared::new(1, memory);
    let worker = TreeWorker {
        model,
        best,
        shared: &queue,
    };
    let mut ticker = search
        .deadline
        .ticker(workspace.scratch.joins.calls_per_look());
    worker.dive(vec![Node::root(model)], workspace, &mut ticker);
    let mut branched = 0;
    loop {
        let fathomed = queue.drop_fathomed(|bound| best.fathoms(model.score(bound)));
        workspace.scratch.tally.fathomed += fathomed;
        let (nodes, bytes) = queue.waiting();
        let enough = nodes >= wanted || bytes > memory / 2;
        if enough || !worker.step(&mut branched, workspace, &mut ticker) {
            break;
        }
    }
    drop(worker);
    queue
}

/// The parts of the split.
struct TeamParts<'a, 's, C> {
    model: &'a Model<'a>,
    search: &'a Search<'s>,
    team: &'a dyn Team,
    /// The nodes of each part; empty if the part was taken.
    dealt: Mutex<Vec<Vec<Node<C>>>>,
    /// The best score that the split found.
    known: Score,
    /// The most bytes of waiting nodes in the queue of one part.
    memory: usize,
}

impl<C: EdgeCost> TeamParts<'_, '_, C> {
    /// Takes parts and searches them until none is left; returns the best trail and the nodes left open.
    fn take_all(&self, workspace: &mut Workspace<C>) -> (Option<Trail>, Option<Rest>) {
        let Self { model, search, .. } = *self;
        let own = Incumbent::new(Direction::Maximize);
        let private = search.bound_policy == BoundPolicy::Private;
        let incumbent = if private { &own } else { search.incumbent };
        let best = BestTrail::new(incumbent, search.incumbent);
        let mut ticker = search
            .deadline
            .ticker(workspace.scratch.joins.calls_per_look());
        let mut rest = None;
        while let Some(nodes) = self.next() {
            if private {
                own.reset();
                own.improve(self.known);
            }
            let queue = Shared::new(1, self.memory);
            queue.push(nodes);
            let worker = TreeWorker {
                model,
                best: &best,
                shared: &queue,
            };
            worker.explore(workspace, &mut ticker);
            drop(worker);
            rest = both(rest, queue.end(model).err());
        }
        (best.into_trail(), rest)
    }

    /// The nodes of the next part that no process has taken.
    fn next(&self) -> Option<Vec<Node<C>>> {
        let number = self.team.next();
        let mut dealt = self.dealt.lock().unwrap_or_else(PoisonError::into_inner);
        dealt.get_mut(number).map(std::mem::take)
    }
}

/// Merges the rests of two searches.
fn both(one: Option<Rest>, other: Option<Rest>) -> Option<Rest> {
    match (one, other) {
        (Some(one), Some(other)) => Some(Rest {
            bound: one.bound.max(other.bound),
            full: one.full || other.full,
        }),
        _ => one.or(other),
    }
}
