//! The bound of a node: prices that make its layers independent, found by a subgradient method.
//!
//! For integer prices μ and π every value below is an integer, so that the bound is exact and can be
//! compared with the incumbent without tolerance.

use std::sync::Arc;

use ikeru_core::{Score, Ticker};

use super::branching::{Shares, boundary};
use super::cuts::{Cut, MAX_CUTS, decide, separate};
use super::field::Field;
use super::incumbent::{Best, construct, replay};
use super::node::{Layer, Memory, Node, layers};
use crate::puzzle::Trail;
use crate::tjoin::connected::Pieces;
use crate::tjoin::grid::Line;
use crate::tjoin::kernel::{Kernel, Lane};

/// How often the prices of a node move at most: while the order of factors is open, …
const ITERATIONS_PREFIX: u32 = 20;
/// … when it is decided, …
const ITERATIONS_COMPLETE: u32 = 150;
/// … and when edges are fixed beside (the parent's prices are nearly right).
const ITERATIONS_FIXED: u32 = 50;
/// Iterations between two attempts to make a trail of the layers.
const ITERATIONS_PER_INCUMBENT: u32 = 25;
/// Iterations without a better bound after which steps are halved.
const PATIENCE: u32 = 8;
/// Lines for each iteration of a window, after which the fall of a complete sequence's bound is looked at: …
const LINES_PER_ITERATION: u32 = 5;
/// … so many windows more must seem to bring it to its target, else its time is better spent on branching.
// PERF: without this 5x7 boards took 1.2 times the iterations, the slowest 7x7 twice (example `proofs`).
const HOPE: i64 = 8;

/// What a bound did to its node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing better in it.
    Bounded,
    /// No trail in it.
    Infeasible,
    /// To be branched.
    Open,
    /// The deadline passed.
    Interrupted,
}

/// Deterministic work.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tally {
    /// Nodes evaluated.
    pub nodes: u64,
    /// Nodes bounded.
    pub bounded: u64,
    /// Nodes without a trail.
    pub infeasible: u64,
    /// Evaluations of prices.
    pub iterations: u64,
    /// Connectivity cuts found.
    pub cuts: u64,
    /// Incumbents raised.
    pub incumbents: u64,
}

/// The memory of one worker.
#[derive(Debug)]
pub struct Work<L> {
    /// The scan.
    pub kernel: Kernel<L>,
    /// Its work so far.
    pub tally: Tally,
    /// Costs with prices, for one scan.
    pub costs: Vec<L>,
    /// For the connectivity of layers.
    pub pieces: Pieces,
}

impl<L: Lane> Work<L> {
    /// For the board of `field`.
    #[must_use]
    pub fn new(field: &Field) -> Self {
        Self {
            kernel: Kernel::new(field.grid.columns, field.grid.rows),
            tally: Tally::default(),
            costs: vec![L::ABSENT; field.grid.lines()],
            pieces: Pieces::default(),
        }
    }
}

/// The relaxation of one node at its current prices.
struct Relaxation<'w, 'f, L> {
    field: &'f Field<'f>,
    work: &'w mut Work<L>,
    layers: Vec<Layer<L>>,
    constant: i64,
    /// Lines that some layer may pass, and T of the union of all layers; with one layer no union is needed.
    union: Option<(Vec<bool>, Vec<u32>)>,
    /// μ, a price per line.
    prices: Vec<f32>,
    /// The same in whole units: what counts.
    whole: Vec<L>,
    /// The last direction of the prices.
    direction: Vec<f32>,
    cuts: Vec<Cut>,
    /// The lines that each layer passes.
    solutions: Vec<Vec<Line>>,
    /// What they were at the prices before.
    before: Vec<Vec<Line>>,
    /// Which of those were connected.
    connected: Vec<bool>,
    /// The lines of the union.
    joined: Vec<Line>,
    /// Whether the layers are trails that share no line.
    feasible: bool,
    /// Which layer passes which line, for the cuts.
    passes: Vec<bool>,
    /// The slack of every cut.
    slacks: Vec<f32>,
}

impl<'w, 'f, L: Lane> Relaxation<'w, 'f, L> {
    fn new(field: &'f Field<'f>, work: &'w mut Work<L>, node: &Node) -> Option<Self> {
        let (layers, constant) = layers::<L>(field, node)?;
        let lines = field.grid.lines();
        let union = (layers.len() > 1).then(|| {
            let usable = |line: usize| layers.iter().any(|layer| layer.costs[line].present());
            let mut odd = vec![0; field.grid.rows];
            for layer in &layers {
                odd.iter_mut()
                    .zip(&layer.odd)
                    .for_each(|(sum, row)| *sum ^= row);
            }
            ((0..lines).map(usable).collect(), odd)
        });
        let mut prices = node.memory.prices.clone();
        prices.resize(lines, 0.0);
        let kept = |cut: &&Cut| usize::from(cut.layer) < node.cut_layers;
        let mut cuts: Vec<Cut> = node.memory.cuts.iter().filter(kept).cloned().collect();
        for fixed in &node.fixed {
            decide(&mut cuts, fixed);
        }
        Some(Self {
            field,
            work,
            solutions: vec![Vec::new(); layers.len()],
            before: vec![Vec::new(); layers.len()],
            connected: vec![true; layers.len()],
            layers,
            constant,
            union,
            prices,
            whole: vec![L::default(); lines],
            direction: vec![0.0; lines],
            cuts,
            joined: Vec::new(),
            feasible: false,
            passes: Vec::new(),
            slacks: Vec::new(),
        })
    }

    /// The bound at the current prices.
    ///
    /// # Errors
    /// [`Verdict::Infeasible`] if some layer has no T-join, [`Verdict::Interrupted`] if the deadline passed.
    fn bound(&mut self, ticker: &mut Ticker) -> Result<i64, Verdict> {
        let work = &mut *self.work;
        work.tally.iterations += 1;
        let mut total = self.constant;
        for (whole, price) in self.whole.iter_mut().zip(&self.prices) {
            *whole = L::of(*price as i64);
        }
        std::mem::swap(&mut self.solutions, &mut self.before);
        for (index, layer) in self.layers.iter().enumerate() {
            if ticker.passed() {
                return Err(Verdict::Interrupted);
            }
            price_out(&layer.costs, &self.whole, &mut work.costs);
            for cut in self
                .cuts
                .iter()
                .filter(|cut| usize::from(cut.layer) == index)
            {
                total += cut.charge(layer, &mut work.costs);
            }
            let solution = &mut self.solutions[index];
            let best = work.kernel.best(&work.costs, &layer.odd, solution);
            total += best.ok_or(Verdict::Infeasible)?.wide();
        }
        if let Some((usable, odd)) = &self.union {
            for ((cost, price), usable) in work.costs.iter_mut().zip(&self.whole).zip(usable) {
                *cost = if *usable { *price } else { L::ABSENT };
            }
            let best = work.kernel.best(&work.costs, odd, &mut self.joined);
            total += best.ok_or(Verdict::Infeasible)?.wide();
        }
        Ok(total)
    }

    /// Looks for violated cuts and for lines passed twice.
    fn inspect(&mut self) {
        if self.cuts.len() > MAX_CUTS / 2 {
            self.cuts
                .retain(|cut| cut.price > 0.0 || cut.line.is_none());
        }
        let kept = self.cuts.len();
        let (grid, pieces) = (&self.field.grid, &mut self.work.pieces);
        for (index, (layer, solution)) in self.layers.iter().zip(&self.solutions).enumerate() {
            // PERF: what did not change has been looked at; one layer in three.
            if *solution != self.before[index] || solution.is_empty() {
                let cuts = &mut self.cuts;
                self.connected[index] = separate(grid, index as u8, layer, solution, pieces, cuts);
            }
        }
        self.work.tally.cuts += (self.cuts.len() - kept) as u64;
        self.feasible = self.connected.iter().all(|connected| *connected) && self.disjoint();
    }

    /// Whether no line is passed twice.
    fn disjoint(&self) -> bool {
        let mut passed = vec![false; self.field.grid.lines()];
        let mut lines = self.solutions.iter().flatten();
        lines.all(|line| !std::mem::replace(&mut passed[usize::from(*line)], true))
    }

    /// A trail along the layers if they are one, else, if `anyway`, one made of what they promise.
    fn trail(&mut self, node: &Node, anyway: bool, ticker: &mut Ticker) -> Option<Trail> {
        if node.complete() && self.feasible {
            return replay(self.field, node, &self.layers, &self.solutions);
        }
        let whole = &self.whole;
        let priced = |layer: &Layer<L>, costs: &mut [L]| price_out(&layer.costs, whole, costs);
        anyway
            .then(|| construct(self.field, node, &self.layers, self.work, priced, ticker))
            .flatten()
    }

    /// Moves the prices so that a linear bound would fall from `excess` above the target to
    /// `1 − stride` of it (Polyak's step along the deflected subgradient). False if nothing moves.
    fn step(&mut self, excess: f32, stride: f32) -> bool {
        for change in &mut self.direction {
            *change *= 0.5;
        }
        if self.union.is_some() {
            for line in self.solutions.iter().flatten() {
                self.direction[usize::from(*line)] += 1.0;
            }
            for line in &self.joined {
                self.direction[usize::from(*line)] -= 1.0;
            }
        }
        self.measure_cuts();
        let norm = squares(&self.direction) + squares(&self.slacks);
        if norm == 0.0 {
            return false;
        }
        let length = stride * excess / norm;
        let quarter = (L::LIMIT / 4) as f32;
        let highest = quarter / self.prices.len() as f32;
        for (price, change) in self.prices.iter_mut().zip(&self.direction) {
            *price = (*price + length * change).clamp(-highest, highest);
        }
        let crossed: usize = self.cuts.iter().map(|cut| cut.boundary.len() + 2).sum();
        let highest = quarter / crossed.max(1) as f32;
        for (cut, slack) in self.cuts.iter_mut().zip(&self.slacks) {
            cut.price = (cut.price - length * slack).clamp(0.0, highest);
        }
        true
    }

    /// The slack of every cut, as far as its price can follow it.
    fn measure_cuts(&mut self) {
        let lines = self.field.grid.lines();
        self.passes.clear();
        self.passes.resize(lines * self.layers.len(), false);
        for (index, (layer, solution)) in self.layers.iter().zip(&self.solutions).enumerate() {
            for line in solution.iter().chain(&layer.passed) {
                self.passes[index * lines + usize::from(*line)] = true;
            }
        }
        self.slacks.clear();
        for cut in &self.cuts {
            let passes = &self.passes[usize::from(cut.layer) * lines..][..lines];
            let slack = cut.slack(|line| passes[usize::from(line)]) as f32;
            self.slacks.push(if cut.price == 0.0 {
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

/// `costs` less the prices; absent ones stay so, as prices are far smaller.
fn price_out<L: Lane>(costs: &[L], prices: &[L], into: &mut [L]) {
    for ((into, cost), price) in into.iter_mut().zip(costs).zip(prices) {
        *into = *cost - *price;
    }
}

/// How the bound of a node has fallen.
struct Descent {
    lowest: i64,
    /// The prices of the lowest bound; those of its cuts are with the cuts.
    prices: Vec<f32>,
    /// Share of Polyak's step.
    stride: f32,
    /// Iterations since the bound last fell or the steps were halved.
    waited: u32,
    /// The lowest bound when the last window ended.
    marked: i64,
}

impl Descent {
    fn new() -> Self {
        Self {
            lowest: i64::MAX,
            prices: Vec::new(),
            stride: 1.0,
            waited: 0,
            marked: i64::MAX,
        }
    }

    fn take<L>(&mut self, bound: i64, relaxation: &mut Relaxation<L>) {
        if bound < self.lowest {
            self.lowest = bound;
            self.waited = 0;
            self.prices.clone_from(&relaxation.prices);
            for cut in &mut relaxation.cuts {
                cut.at_lowest = cut.price;
            }
            return;
        }
        self.waited += 1;
        if self.waited == PATIENCE {
            self.waited = 0;
            self.stride *= 0.5;
        }
    }

    /// At the end of a window: whether [`HOPE`] more like it would not bring the bound to `target`.
    fn stalled(&mut self, target: i64) -> bool {
        let fallen = self.marked.saturating_sub(self.lowest);
        self.marked = self.lowest;
        fallen.saturating_mul(HOPE) < self.lowest - target
    }
}

/// Bounds `node` until it cannot beat the best trail or the bound stops falling; makes incumbents
/// where the sequence is complete, and everywhere in the first `dive`.
pub fn evaluate<L: Lane>(
    field: &Field,
    node: &mut Node,
    work: &mut Work<L>,
    best: &Best,
    ticker: &mut Ticker,
    dive: bool,
) -> Verdict {
    if ticker.passed() {
        return Verdict::Interrupted;
    }
    work.tally.nodes += 1;
    let complete = node.complete();
    let limit = match (complete, node.fixed.is_empty()) {
        (false, _) => ITERATIONS_PREFIX,
        (true, true) => ITERATIONS_COMPLETE,
        (true, false) => ITERATIONS_FIXED,
    };
    let Some(mut relaxation) = Relaxation::new(field, work, node) else {
        work.tally.infeasible += 1;
        return Verdict::Infeasible;
    };
    let lines = field.grid.lines();
    let window = (lines as u32 / LINES_PER_ITERATION).max(PATIENCE);
    let mut shares = Shares::new(if complete { relaxation.layers.len() } else { 0 }, lines);
    let mut descent = Descent::new();
    for iteration in 0..limit {
        let bound = match relaxation.bound(ticker) {
            Ok(bound) => bound,
            Err(verdict) => {
                work.tally.infeasible += u64::from(verdict == Verdict::Infeasible);
                return verdict;
            }
        };
        descent.take(bound, &mut relaxation);
        node.bound = node.bound.min(descent.lowest);
        if best.beats(field.score(node.bound)) {
            work.tally.bounded += 1;
            return Verdict::Bounded;
        }
        relaxation.inspect();
        let try_anyway = iteration % ITERATIONS_PER_INCUMBENT == 10 && (complete || dive)
            || best.score() == Score::MIN;
        let trail = relaxation.trail(node, try_anyway, ticker);
        if trail.is_some_and(|trail| best.offer(trail)) {
            relaxation.work.tally.incumbents += 1;
            if best.beats(field.score(node.bound)) {
                relaxation.work.tally.bounded += 1;
                return Verdict::Bounded;
            }
        }
        if complete {
            shares.average(&relaxation.solutions);
            let window_ends = (iteration + 1) % window == 0;
            if window_ends && descent.stalled(best.target(field.scale, descent.lowest)) {
                break;
            }
        }
        let target = best.target(field.scale, bound);
        if !relaxation.step((bound - target).max(1) as f32, descent.stride) {
            break;
        }
    }
    let gap = descent.lowest - best.target(field.scale, descent.lowest);
    let mut cuts = relaxation.cuts;
    for cut in &mut cuts {
        cut.price = cut.at_lowest;
    }
    node.branch = boundary(node, &cuts, gap).or_else(|| shares.line(&relaxation.layers));
    node.memory = Arc::new(Memory {
        prices: descent.prices,
        cuts,
    });
    Verdict::Open
}

impl Best<'_> {
    /// Where the prices should bring the bound: just below what could beat the best trail, or, while
    /// there is none, a little below the bound.
    fn target(&self, scale: i64, bound: i64) -> i64 {
        match self.score() {
            Score::MIN => bound - bound.abs() / 20 - 1,
            score => (score + 1) * scale - 1,
        }
    }
}
