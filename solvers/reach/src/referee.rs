//! The referee: replays routes, and decides every vertex by counting walks, a method that no variant uses.
//!
//! *Replay.* For a sample of the vertices that an answer claims, a route is reconstructed ([`Witness`]) and checked
//! on the map, rule by rule.
//!
//! *Count.* Let `n_k(u)` be the number of walks of k steps without U-turns that end at `u`, one number for each
//! holder of the god, and `W_k(u→v)` the number of those whose last step is u→v. Entering `v` maps the holders by
//! `T_v` (the identity if no player is on `v`). A walk of k+1 steps is a walk of k steps and a further step that is
//! not a U-turn:
//!
//! ```text
//! n_{k+1}(u) = T_u · ( Σ_{v~u} n_k(v) − Q_k(u) ),   Q_k(u) = Σ_{v~u} W_k(u→v)
//! Q_k(u)     = (free(u) − [k≥2]) · n_{k−1}(u) + Σ_{occupied v~u} ( W_{k−1}(v→u) + W_k(u→v) )
//! ```
//!
//! Here free(u) is the number of neighbours of `u` without a player. Without players this is the recurrence of the
//! non-backtracking matrix, `A_{k+1} = A_k·A − A_{k−1}·(D − I)`: two vectors over vertices, no arrival directions.
//! Counts are kept modulo the prime 2⁶¹ − 1. A residue other than 0 proves that a walk exists; a residue of 0 means
//! that none exists, and is wrong with probability 2⁻⁶¹. If the question allows U-turns, nothing is subtracted.
//!
//! An answer may declare its god-free set, or without the god its only set, an inner or an outer [`Approximation`]: errors
//! on that side are then counted, and errors on the other side are wrong.

use std::sync::OnceLock;

use ikeru_core::{Checked, Deadline, Refereed, Rejection, Score, Wrong};

use crate::answer::{Answer, Approximation, VertexSets};
use crate::graph::Vertex;
use crate::instance::Instance;
use crate::recurrence::{Counts, count_walks, entered};
use crate::tree_width;
use crate::witness::Witness;

/// The most entries that a witness may keep (8 bytes each).
const WITNESS_LIMIT: usize = 16_000_000;
/// The most route steps that are replayed in total.
const REPLAY_LIMIT: usize = 20_000_000;

/// The referee of one question.
pub type QuestionReferee = Box<dyn Fn(&Instance, &Answer, Deadline) -> Refereed + Send + Sync>;

/// The referee of one question, which computes the bound on the tree width of its map at the first answer.
pub fn referee() -> QuestionReferee {
    let width = OnceLock::new();
    Box::new(move |instance, answer, deadline| {
        let mut checked = check(instance, answer, deadline)?;
        let graph = &instance.map.graph;
        if graph.vertices() <= tree_width::MOST_VERTICES {
            let width = *width.get_or_init(|| tree_width::at_most(graph));
            checked.measures.push(("tree_width_at_most", width as f64));
        }
        Ok(checked)
    })
}

/// Checks every row of `answer`.
///
/// # Errors
/// Names the first vertex for which the answer is wrong; [`Rejection::Timeout`] if the deadline passes first.
pub(crate) fn check(instance: &Instance, answer: &Answer, deadline: Deadline) -> Refereed {
    let shape = (instance.start_count(), instance.graph.vertices());
    for sets in [&answer.reachable, answer.god_free()] {
        if (sets.rows(), sets.vertices()) != shape {
            return Err(Wrong(format!(
                "{} sets of {} vertices, expected {} of {}",
                sets.rows(),
                sets.vertices(),
                shape.0,
                shape.1
            ))
            .into());
        }
    }
    let mut replayer = Replayer::new(instance);
    let mut errors = 0;
    for row in 0..shape.0 {
        let counts = count_walks(instance, instance.start(row), deadline);
        errors += check_row(instance, answer, row, &counts.ok_or(Rejection::Timeout)?)?;
        replayer.replay_row(answer, row, deadline)?;
    }
    let mut target_reached = None;
    if let Some(target) = instance.question.target {
        check_target(instance, answer, target)?;
        replayer.replayed += 1;
        let reached = answer.reachable.contains(0, target);
        target_reached = Some(("target_reached", f64::from(u8::from(reached))));
    }
    let (reachable, god_free) = (answer.reachable.count(), answer.god_free().count());
    let inexact = answer.god_free_is != Approximation::Exact;
    Ok(Checked {
        score: Some(reachable as Score),
        measures: [
            ("reachable", reachable as f64),
            ("god_free", god_free as f64),
            ("routes_replayed", replayer.replayed as f64),
            ("edges", instance.graph.edges() as f64),
        ]
        .into_iter()
        .chain(target_reached)
        .chain(inexact.then_some(("errors", errors as f64)))
        .collect(),
    })
}

/// Compares one row with the counts, vertex by vertex, and returns the number of permitted errors of an approximate
/// god-free set.
fn check_row(
    instance: &Instance,
    answer: &Answer,
    row: usize,
    counts: &[Counts],
) -> Result<u64, Wrong> {
    let start = instance.start(row);
    let steps = instance.question.steps;
    let god_counts = instance.question.holder().is_some();
    let judge = |sets: &VertexSets, vertex: Vertex, exists: bool, what: &str| match (
        sets.contains(row, vertex),
        exists,
    ) {
        (true, false) => Err(Wrong(format!(
            "vertex {vertex} is claimed {what} from {start} in {steps} steps, but no walk ends there"
        ))),
        (false, true) => Err(Wrong(format!(
            "vertex {vertex} is {what} from {start} in {steps} steps, but missing"
        ))),
        _ => Ok(()),
    };
    let mut errors = 0;
    for (vertex, counts) in counts.iter().enumerate() {
        let vertex = vertex as Vertex;
        let elsewhere = counts[1..].iter().any(|&count| count != 0);
        let reached = elsewhere || counts[0] != 0;
        // A target asks about its vertex alone.
        let is_exact = answer.god_free_is == Approximation::Exact;
        if god_counts || is_exact || instance.question.target.is_some() {
            judge(&answer.reachable, vertex, reached, "reachable")?;
        }
        let free = if god_counts { elsewhere } else { reached };
        let claimed = answer.god_free().contains(row, vertex);
        if (reached || !god_counts) && answer.god_free_is.may_differ(claimed, free) {
            errors += 1;
        } else {
            judge(answer.god_free(), vertex, free, "reachable god-free")?;
        }
    }
    Ok(errors)
}

fn check_target(instance: &Instance, answer: &Answer, target: Vertex) -> Result<(), Wrong> {
    let reached = answer.reachable.contains(0, target);
    let god_free = answer.god_free().contains(0, target);
    match &answer.route {
        None if reached => Err(Wrong(format!("no route to {target}, which is reachable"))),
        None => Ok(()),
        Some(route) => replay(instance, instance.start(0), route, target, god_free),
    }
}

/// Replays reconstructed routes of claimed vertices, within a budget of steps.
struct Replayer<'a> {
    instance: &'a Instance,
    /// Every `stride`-th claimed vertex is replayed.
    stride: usize,
    replayed: u64,
}

impl<'a> Replayer<'a> {
    fn new(instance: &'a Instance) -> Self {
        let sets = instance.start_count() * 2;
        let steps = sets
            .saturating_mul(instance.graph.vertices())
            .saturating_mul(instance.question.steps + 1);
        Self {
            instance,
            stride: steps.div_ceil(REPLAY_LIMIT).max(1),
            replayed: 0,
        }
    }

    fn replay_row(
        &mut self,
        answer: &Answer,
        row: usize,
        deadline: Deadline,
    ) -> Result<(), Rejection> {
        // With many starts, every `stride`-th row is a sufficient sample.
        if !row.is_multiple_of(self.stride.min(answer.reachable.rows())) {
            return Ok(());
        }
        let Some(witness) = Witness::new(self.instance, row, WITNESS_LIMIT, deadline) else {
            return if deadline.passed() {
                Err(Rejection::Timeout)
            } else {
                Ok(())
            };
        };
        let start = self.instance.start(row);
        for (sets, god_free) in [(&answer.reachable, false), (answer.god_free(), true)] {
            for vertex in sets.iter(row).step_by(self.stride) {
                if deadline.passed() {
                    return Err(Rejection::Timeout);
                }
                let Some(route) = witness.route(vertex, god_free) else {
                    if (god_free || answer.with_god.is_none())
                        && answer.god_free_is == Approximation::Outer
                    {
                        continue;
                    }
                    return Err(Wrong(format!(
                        "no route from {start} to {vertex} can be reconstructed"
                    ))
                    .into());
                };
                replay(self.instance, start, &route, vertex, god_free)?;
                self.replayed += 1;
            }
        }
        Ok(())
    }
}

/// Checks `route` by the rules.
fn replay(
    instance: &Instance,
    start: Vertex,
    route: &[Vertex],
    target: Vertex,
    god_free: bool,
) -> Result<(), Wrong> {
    let question = &instance.question;
    let wrong = |why: &str| Err(Wrong(format!("the route {route:?} to {target} {why}")));
    if route.len() != question.steps + 1 {
        return wrong("has another number of steps than asked");
    }
    if route.first() != Some(&start) || route.last() != Some(&target) {
        return wrong("does not lead from the start to the target");
    }
    if !question.uturns && route.windows(3).any(|three| three[0] == three[2]) {
        return wrong("steps straight back");
    }
    let mut holder = question.holder();
    for step in route.windows(2) {
        if !instance.map.graph.neighbours(step[0]).contains(&step[1]) {
            return wrong("takes an edge that is not there");
        }
        if question.blocked.contains(&step[1]) {
            return wrong("enters a blocked vertex");
        }
        holder = holder.map(|holder| entered(&question.others, step[1], holder));
    }
    if god_free && holder == Some(0) {
        return wrong("ends with the god on player 0");
    }
    Ok(())
}
