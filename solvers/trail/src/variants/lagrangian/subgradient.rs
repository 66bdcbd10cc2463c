//! The bound of a node by the subgradient method: Polyak's step with a step-halving rule and a tailing-off test.

use std::sync::Arc;

use ikeru_core::{Score, Ticker};

use super::branching::{PrimalAverage, boundary};
use super::model::Model;
use super::node::{Multipliers, Node};
use super::primal::BestTrail;
use super::record::{Prices, Record};
use super::relaxation::{Relaxation, Status};
use super::workspace::Workspace;
use crate::tjoin::frontier::Cost;

/// Iterations of a node at most: while the order of factors is open, …
const ITERATIONS_PREFIX: u32 = 20;
/// … when it is decided, …
const ITERATIONS_COMPLETE: u32 = 150;
/// … and when edges are fixed too (the parent's multipliers are nearly right).
const ITERATIONS_FIXED: u32 = 50;
/// Iterations between two runs of the primal heuristic.
const ITERATIONS_PER_INCUMBENT: u32 = 25;
/// The step-halving rule: iterations without a better bound after which the step factor is halved.
const HALVING_INTERVAL: u32 = 8;
/// The tailing-off test of a complete sequence: a window has one iteration for so many edges, …
const EDGES_PER_ITERATION: u32 = 5;
/// … and so many windows more must promise to bring the bound to its target, else the node is branched.
// PERF: without this 5x7 boards took 1.2 times the iterations, the slowest 7x7 twice (example `proofs`).
const TAILING_OFF_WINDOWS: i64 = 8;

/// The state of the subgradient method at one node.
struct Subgradient {
    /// The lowest bound so far.
    lowest: i64,
    /// The multipliers of the lowest bound; those of its cuts are with the cuts.
    multipliers: Vec<f32>,
    /// The factor of Polyak's step, in (0, 1].
    step_factor: f32,
    /// Iterations since the bound last fell or the steps were halved.
    waited: u32,
    /// The lowest bound when the last window ended.
    marked: i64,
    /// The last direction of the multipliers.
    direction: Vec<f32>,
    /// Which segment passes which edge: `segment · edges + edge`.
    passes: Vec<bool>,
    /// The slack of every cut.
    slacks: Vec<f32>,
}

impl Subgradient {
    fn new(edges: usize) -> Self {
        Self {
            lowest: i64::MAX,
            multipliers: Vec::new(),
            step_factor: 1.0,
            waited: 0,
            marked: i64::MAX,
            direction: vec![0.0; edges],
            passes: Vec::new(),
            slacks: Vec::new(),
        }
    }

    /// Takes note of a bound; halves the step factor where it has not fallen for [`HALVING_INTERVAL`] iterations.
    fn record<C>(&mut self, bound: i64, relaxation: &mut Relaxation<C>) {
        if bound < self.lowest {
            self.lowest = bound;
            self.waited = 0;
            self.multipliers.clone_from(&relaxation.multipliers);
            for cut in &mut relaxation.cuts {
                cut.at_lowest = cut.multiplier;
            }
            return;
        }
        self.waited += 1;
        if self.waited == HALVING_INTERVAL {
            self.waited = 0;
            self.step_factor *= 0.5;
        }
    }

    /// The tailing-off test at the end of a window: whether [`TAILING_OFF_WINDOWS`] more like it would not bring the
    /// bound to `target`.
    fn tails_off(&mut self, target: i64) -> bool {
        let fallen = self.marked.saturating_sub(self.lowest);
        self.marked = self.lowest;
        fallen.saturating_mul(TAILING_OFF_WINDOWS) < self.lowest - target
    }

    /// Polyak's step along the deflected subgradient, the violations plus half the previous direction: a linear bound
    /// would fall from `excess` above the target to `1 − step_factor` of it. False if nothing moves.
    fn step<C: Cost>(&mut self, relaxation: &mut Relaxation<C>, excess: f32) -> bool {
        for change in &mut self.direction {
            *change *= 0.5;
        }
        if relaxation.union.is_some() {
            for edge in relaxation.solutions.iter().flatten() {
                self.direction[usize::from(*edge)] += 1.0;
            }
            for edge in &relaxation.joined {
                self.direction[usize::from(*edge)] -= 1.0;
            }
        }
        self.measure_cuts(relaxation);
        let norm = squares(&self.direction) + squares(&self.slacks);
        if norm == 0.0 {
            return false;
        }
        let length = self.step_factor * excess / norm;
        let quarter = (C::LIMIT / 4) as f32;
        let highest = quarter / relaxation.multipliers.len() as f32;
        for (multiplier, change) in relaxation.multipliers.iter_mut().zip(&self.direction) {
            *multiplier = (*multiplier + length * change).clamp(-highest, highest);
        }
        let crossed: usize = relaxation
            .cuts
            .iter()
            .map(|cut| cut.boundary.len() + 2)
            .sum();
        let highest = quarter / crossed.max(1) as f32;
        for (cut, slack) in relaxation.cuts.iter_mut().zip(&self.slacks) {
            cut.multiplier = (cut.multiplier - length * slack).clamp(0.0, highest);
        }
        true
    }

    /// The slack of every cut, as far as its multiplier can follow it.
    fn measure_cuts<C: Cost>(&mut self, relaxation: &Relaxation<C>) {
        let edges = relaxation.model.grid.edge_count();
        self.passes.clear();
        self.passes.resize(edges * relaxation.segments.len(), false);
        for (index, (segment, solution)) in relaxation
            .segments
            .iter()
            .zip(&relaxation.solutions)
            .enumerate()
        {
            for edge in solution.iter().chain(&segment.passed) {
                self.passes[index * edges + usize::from(*edge)] = true;
            }
        }
        self.slacks.clear();
        for cut in &relaxation.cuts {
            let passes = &self.passes[usize::from(cut.segment) * edges..][..edges];
            let slack = cut.slack(|edge| passes[usize::from(edge)]) as f32;
            self.slacks.push(if cut.multiplier == 0.0 {
                slack.min(0.0)
            } else {
                slack
            });
        }
    }
}

/// The sum of the squares, in eight parts that need not wait for each other.
fn squares(numbers: &[f32]) -> f32 {
    let mut sums = [0.0; 8];
    for eight in numbers.chunks(8) {
        for (sum, number) in sums.iter_mut().zip(eight) {
            *sum += number * number;
        }
    }
    sums.iter().sum()
}

/// Lowers the bound of `node` until it is fathomed or the bound tails off; tries the primal heuristic
/// where the sequence is complete, and everywhere in a `dive`.
pub fn evaluate<C: Cost>(
    model: &Model,
    node: &mut Node,
    workspace: &mut Workspace<C>,
    best: &BestTrail,
    ticker: &mut Ticker,
    dive: bool,
) -> Status {
    let mut prices = workspace.records.is_some().then(Prices::default);
    let status = lower_bound(model, node, workspace, best, ticker, dive, &mut prices);
    if let (Some(records), Some(prices)) = (&mut workspace.records, prices) {
        let record = Record {
            prices,
            infeasible: status == Status::Infeasible,
            branch: node.branch.clone(),
        };
        records.insert(node.decisions.clone(), record);
    }
    status
}

/// As [`evaluate`]; `prices` become those of the lowest bound where they are wanted.
fn lower_bound<C: Cost>(
    model: &Model,
    node: &mut Node,
    workspace: &mut Workspace<C>,
    best: &BestTrail,
    ticker: &mut Ticker,
    dive: bool,
    prices: &mut Option<Prices>,
) -> Status {
    if ticker.passed() {
        return Status::Interrupted;
    }
    workspace.tally.nodes += 1;
    let complete = node.decisions.complete();
    let limit = match (complete, node.decisions.fixed.is_empty()) {
        (false, _) => ITERATIONS_PREFIX,
        (true, true) => ITERATIONS_COMPLETE,
        (true, false) => ITERATIONS_FIXED,
    };
    let Some(mut relaxation) = Relaxation::new(model, workspace, node) else {
        workspace.tally.infeasible += 1;
        return Status::Infeasible;
    };
    let edges = model.grid.edge_count();
    let window = (edges as u32 / EDGES_PER_ITERATION).max(HALVING_INTERVAL);
    let mut average = PrimalAverage::new(
        if complete {
            relaxation.segments.len()
        } else {
            0
        },
        edges,
    );
    let mut subgradient = Subgradient::new(edges);
    for iteration in 0..limit {
        let bound = match relaxation.bound(ticker) {
            Ok(bound) => bound,
            Err(status) => {
                let infeasible = u64::from(status == Status::Infeasible);
                relaxation.workspace.tally.infeasible += infeasible;
                return status;
            }
        };
        if let Some(prices) = prices.as_mut().filter(|prices| bound < prices.bound) {
            *prices = relaxation.prices(bound);
        }
        subgradient.record(bound, &mut relaxation);
        node.bound = node.bound.min(subgradient.lowest);
        if best.fathoms(model.score(node.bound)) {
            relaxation.workspace.tally.fathomed += 1;
            return Status::FathomedByBound;
        }
        relaxation.inspect();
        let try_anyway = iteration % ITERATIONS_PER_INCUMBENT == 10 && (complete || dive)
            || best.score() == Score::MIN;
        let trail = relaxation.trail(node, try_anyway, ticker);
        if trail.is_some_and(|trail| best.offer(trail)) {
            relaxation.workspace.tally.incumbents += 1;
            if best.fathoms(model.score(node.bound)) {
                relaxation.workspace.tally.fathomed += 1;
                return Status::FathomedByBound;
            }
        }
        if complete {
            average.update(&relaxation.solutions);
            let window_ends = (iteration + 1) % window == 0;
            if window_ends && subgradient.tails_off(target(best, model.scale, subgradient.lowest)) {
                break;
            }
        }
        let excess = (bound - target(best, model.scale, bound)).max(1) as f32;
        if !subgradient.step(&mut relaxation, excess) {
            break;
        }
    }
    let gap = subgradient.lowest - target(best, model.scale, subgradient.lowest);
    let mut cuts = relaxation.cuts;
    for cut in &mut cuts {
        cut.multiplier = cut.at_lowest;
    }
    node.branch = boundary(&node.decisions, &cuts, gap)
        .or_else(|| average.most_fractional(&relaxation.segments));
    node.multipliers = Arc::new(Multipliers {
        coupling: subgradient.multipliers,
        cuts,
    });
    Status::Open
}

/// Where the multipliers should bring the bound: just below what could beat the incumbent, or, while there is
/// none, a little below the bound.
fn target(best: &BestTrail, scale: i64, bound: i64) -> i64 {
    match best.score() {
        Score::MIN => bound - bound.abs() / 20 - 1,
        score => (score + 1) * scale - 1,
    }
}
