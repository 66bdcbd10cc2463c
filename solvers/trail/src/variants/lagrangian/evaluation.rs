//! The bound of a node: iterations of the subgradient method until the node is fathomed or to be branched.
//!
//! A node whose bound falls below the bound of a waiting node is *suspended*. Its evaluation continues when its bound
//! is the highest again. Thus no iteration lowers a bound that the final incumbent already fathoms, even if the
//! incumbent is found late.

use std::sync::Arc;

use ikeru_core::{Score, Ticker};

use super::branching::{boundary, direction, forced_direction};
use super::cuts::Multipliers;
use super::model::{Decisions, Model};
use super::node::Node;
use super::primal::BestTrail;
use super::progress::NodeProgress;
use super::relaxation::Status;
use super::workspace::Workspace;
use crate::tjoin::frontier::EdgeCost;
use crate::tjoin::grid::JoinGrid;

/// The most iterations of a node: while the order of factors is open, plus two for each factor to come, …
// PERF: 20 for all such nodes take 1.25 times the T-joins of 14x14 boards with six factors, and as many of boards with four
// (example `proofs`).
const ITERATIONS_PREFIX: u32 = 12;
/// … when it is decided but not the directions, …
const ITERATIONS_UNDIRECTED: u32 = 20;
/// … and when directions or edges are fixed, or there are no factors.
const ITERATIONS_FIXED: u32 = 30;
/// Iterations between two runs of the primal heuristic.
// PERF: 25 takes 1.1 to 1.3 times the T-joins (example `proofs`).
const ITERATIONS_PER_INCUMBENT: u32 = 5;
/// The least iterations before a node is suspended: loading its memory must be worthwhile.
// PERF: suspended nodes save a fifth of the T-joins of 10x10 boards with six factors, a sixth of 9x9 with five, a ninth
// of 7x7 (example `proofs`).
const ITERATIONS_AT_ONCE: u32 = 2;

/// The inputs of an evaluation except the node.
pub struct Context<'a> {
    /// See [`Model`].
    pub model: &'a Model<'a>,
    /// The incumbent.
    pub best: &'a BestTrail<'a>,
    /// True if the evaluation is part of a dive: then it is not suspended and tries the primal heuristic.
    pub dive: bool,
    /// The highest bound of the waiting nodes; `None` if this node need not wait for them.
    pub waiting: &'a dyn Fn() -> Option<i64>,
}

impl Context<'_> {
    /// Lowers the bound of `node` until it is fathomed, suspended or to be branched. Tries the primal heuristic at
    /// every iteration while there is no incumbent, and every `ITERATIONS_PER_INCUMBENT` iterations in a dive or if
    /// the sequence is complete.
    pub fn evaluate<C: EdgeCost>(
        &self,
        node: &mut Node<C>,
        workspace: &mut Workspace<C>,
        ticker: &mut Ticker,
    ) -> Status {
        if ticker.passed() {
            return Status::Interrupted;
        }
        let mut progress = match node.suspended.take() {
            Some(progress) => progress,
            None => {
                workspace.scratch.tally.nodes += 1;
                let mut progress = workspace.spare.take().unwrap_or_default();
                let (parent, segments) = (&node.multipliers, node.cut_segments);
                let begun = progress.renew(self.model, &node.decisions, parent, segments);
                if begun.is_none() {
                    workspace.spare = Some(progress);
                    workspace.scratch.tally.infeasible += 1;
                    return Status::Infeasible;
                }
                let new = node.cut_segments;
                let built = &mut workspace.scratch.segments;
                node.branch = forced_direction(self.model, &node.decisions, new, built);
                if node.branch.is_some() {
                    workspace.spare = Some(progress);
                    node.evaluated = true;
                    return Status::Open;
                }
                progress
            }
        };
        let limit = limit(&self.model.grid, &node.decisions);
        let waits_from = progress.iterations + ITERATIONS_AT_ONCE;
        while progress.iterations < limit {
            let bound = match progress.relaxation.bound(&mut workspace.scratch, ticker) {
                Ok(bound) => bound,
                Err(status) => {
                    let infeasible = u64::from(status == Status::Infeasible);
                    workspace.scratch.tally.infeasible += infeasible;
                    workspace.spare = Some(progress);
                    return status;
                }
            };
            let relaxation = &progress.relaxation;
            workspace.record(&node.decisions, |record| relaxation.record(bound, record));
            if self.fathoms(node, &mut progress, bound, workspace, ticker) {
                workspace.scratch.tally.fathomed += 1;
                workspace.spare = Some(progress);
                return Status::FathomedByBound;
            }
            if !self.moves_on(node, &mut progress, bound) {
                break;
            }
            let waits = !self.dive && (waits_from..limit).contains(&progress.iterations);
            if waits && (self.waiting)().is_some_and(|bound| bound > node.bound) {
                node.suspended = Some(progress);
                return Status::Open;
            }
        }
        self.finish(&mut progress, node);
        workspace.spare = Some(progress);
        Status::Open
    }

    /// Records a bound of `node` and looks for a trail; returns whether the incumbent fathoms the node.
    fn fathoms<C: EdgeCost>(
        &self,
        node: &mut Node<C>,
        progress: &mut NodeProgress<C>,
        bound: i64,
        workspace: &mut Workspace<C>,
        ticker: &mut Ticker,
    ) -> bool {
        let NodeProgress {
            iterations,
            relaxation,
            subgradient,
            ..
        } = progress;
        subgradient.record(bound, relaxation);
        node.bound = node.bound.min(subgradient.lowest);
        let score = self.model.score(node.bound);
        if self.best.fathoms(score) {
            return true;
        }
        relaxation.inspect(&self.model.grid, &mut workspace.scratch);
        let tries = self.dive || node.decisions.complete();
        let anyway =
            *iterations % ITERATIONS_PER_INCUMBENT == 4 && tries || self.best.score() == Score::MIN;
        let trail = relaxation.trail(
            self.model,
            &mut workspace.scratch,
            &node.decisions,
            anyway,
            ticker,
        );
        if trail.is_some_and(|trail| self.best.offer(trail)) {
            workspace.scratch.tally.incumbents += 1;
            return self.best.fathoms(score);
        }
        false
    }

    /// Moves the multipliers for the next iteration; returns false if another iteration is not worthwhile.
    fn moves_on<C: EdgeCost>(
        &self,
        node: &Node<C>,
        progress: &mut NodeProgress<C>,
        bound: i64,
    ) -> bool {
        let NodeProgress {
            iterations,
            relaxation,
            subgradient,
            average,
            ..
        } = progress;
        *iterations += 1;
        if node.decisions.complete() {
            average.update(relaxation.solutions());
        }
        let excess = (bound - self.target(bound)).max(1) as f32;
        subgradient.step(relaxation, excess)
    }

    /// Stores in `node` the branch and the multipliers for its children.
    fn finish<C: EdgeCost>(&self, progress: &mut NodeProgress<C>, node: &mut Node<C>) {
        let NodeProgress {
            relaxation,
            subgradient,
            average,
            ..
        } = progress;
        for cut in &mut relaxation.cuts {
            cut.multiplier = cut.at_lowest;
        }
        let gap = subgradient.lowest - self.target(subgradient.lowest);
        let (grid, decisions) = (&self.model.grid, &node.decisions);
        node.branch = boundary(grid, decisions, &relaxation.cuts, gap)
            .or_else(|| direction(grid, decisions, &subgradient.multipliers))
            .or_else(|| average.most_fractional(&relaxation.segments));
        node.multipliers = Arc::new(Multipliers {
            coupling: subgradient.multipliers.clone(),
            cuts: relaxation.cuts.clone(),
        });
        node.cut_segments = usize::MAX;
        node.evaluated = true;
    }

    /// The target of the bound: just below the bound of a better score than the incumbent, or, while there is no
    /// incumbent, slightly below the current bound.
    fn target(&self, bound: i64) -> i64 {
        match self.best.score() {
            Score::MIN => bound - bound.abs() / 20 - 1,
            score => (score + 1) * self.model.scale - 1,
        }
    }
}

/// The most iterations of a node.
fn limit(grid: &JoinGrid, decisions: &Decisions) -> u32 {
    let to_come = decisions.coming | decisions.undecided;
    let mut steps = 0..decisions.sequence.len();
    let undirected = steps.any(|step| decisions.undirected(grid, step).is_some());
    match to_come.count_ones() {
        0 if undirected => ITERATIONS_UNDIRECTED,
        0 => ITERATIONS_FIXED,
        factors => ITERATIONS_PREFIX + 2 * factors,
    }
}

#[cfg(test)]
mod tests {
    use ikeru_core::testing::generate;
    use ikeru_core::{Deadline, Direction, Incumbent};

    use super::*;
    use crate::TrailProblem;

    #[test]
    fn a_suspended_node_ends_as_one_that_is_not() {
        let mut suspensions = 0;
        for seed in 0..8 {
            let puzzle = generate::<TrailProblem>("trail.random", "width=6", seed);
            let model = Model::new::<i32>(&puzzle).expect("small numbers");
            let mut evaluated = |waiting: Option<i64>| {
                let incumbent = Incumbent::new(Direction::Maximize);
                let best = BestTrail::new(&incumbent, &incumbent);
                let mut workspace = Workspace::<i32>::new(&model);
                let mut ticker = Deadline::never().ticker(1);
                let context = Context {
                    model: &model,
                    best: &best,
                    dive: false,
                    waiting: &|| waiting,
                };
                let mut node = Node::root(&model);
                let decisions = &mut node.decisions;
                decisions.sequence.push(0);
                decisions.coming = std::mem::take(&mut decisions.undecided) & !1;
                loop {
                    let status = context.evaluate(&mut node, &mut workspace, &mut ticker);
                    if node.suspended.is_none() {
                        let multipliers = node.multipliers.coupling.clone();
                        break (status, node.bound, node.branch, multipliers, best.score());
                    }
                    assert_eq!(status, Status::Open);
                    suspensions += 1;
                }
            };
            assert_eq!(evaluated(None), evaluated(Some(i64::MAX)), "seed {seed}");
        }
        assert!(suspensions >= 8, "{suspensions} suspensions");
    }
}
