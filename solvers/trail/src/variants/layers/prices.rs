//! The bound of a node: prices that make its layers independent, found by a subgradient method.
//!
//! For integer prices μ and π every value below is an integer, so that the bound is exact and can be
//! compared with the incumbent without tolerance.

use std::sync::Arc;

use ikeru_core::{Score, Ticker};

use super::cuts::{Cut, MAX_CUTS, violated};
use super::field::Field;
use super::incumbent::{Best, construct, replay};
use super::node::{Layer, Memory, Node, layers};
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
/// Share of the last solution in the average that branching looks at.
const NEWEST: f32 = 0.1;

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
        let cuts = node.memory.cuts.iter().filter(kept).cloned().collect();
        Some(Self {
            field,
            work,
            solutions: vec![Vec::new(); layers.len()],
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

    /// The bound at the current prices; `None` if some layer has no T-join.
    fn bound(&mut self) -> Option<i64> {
        let work = &mut *self.work;
        work.tally.iterations += 1;
        let mut total = self.constant;
        for (whole, price) in self.whole.iter_mut().zip(&self.prices) {
            *whole = L::of(*price as i64);
        }
        for (index, layer) in self.layers.iter().enumerate() {
            price_out(&layer.costs, &self.whole, &mut work.costs);
            for cut in self
                .cuts
                .iter()
                .filter(|cut| usize::from(cut.layer) == index)
            {
                total += cut.charge(layer, &mut work.costs);
            }
            let solution = &mut self.solutions[index];
            total += work.kernel.best(&work.costs, &layer.odd, solution)?.wide();
        }
        if let Some((usable, odd)) = &self.union {
            for ((cost, price), usable) in work.costs.iter_mut().zip(&self.whole).zip(usable) {
                *cost = if *usable { *price } else { L::ABSENT };
            }
            total += work.kernel.best(&work.costs, odd, &mut self.joined)?.wide();
        }
        Some(total)
    }

    /// Looks for violated cuts and for lines passed twice.
    fn inspect(&mut self) {
        let mut uses = vec![0_u8; self.field.grid.lines()];
        let mut connected = true;
        if self.cuts.len() > MAX_CUTS / 2 {
            self.cuts.retain(|cut| cut.price > 0.0);
        }
        for (index, layer) in self.layers.iter().enumerate() {
            let solution = &self.solutions[index];
            for line in solution {
                uses[usize::from(*line)] += 1;
            }
            let cuts = &mut self.cuts;
            let tally = &mut self.work.tally;
            let add = |cut: Cut| {
                let known = |other: &Cut| {
                    (other.layer, other.line) == (cut.layer, cut.line)
                        && other.boundary == cut.boundary
                };
                if cuts.len() < MAX_CUTS && !cuts.iter().any(known) {
                    tally.cuts += 1;
                    cuts.push(cut);
                }
            };
            let pieces = &mut self.work.pieces;
            connected &= violated(&self.field.grid, index as u8, layer, solution, pieces, add);
        }
        self.feasible = connected && uses.iter().all(|uses| *uses < 2);
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
        let squares = |numbers: &[f32]| numbers.iter().map(|number| number * number).sum::<f32>();
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

/// `costs` less the prices; absent ones stay so, as prices are far smaller.
fn price_out<L: Lane>(costs: &[L], prices: &[L], into: &mut [L]) {
    for ((into, cost), price) in into.iter_mut().zip(costs).zip(prices) {
        *into = *cost - *price;
    }
}

/// Bounds `node` until it cannot beat the best trail or the bound stops falling; makes incumbents
/// where the sequence is complete,
/// and everywhere in the first `dive`.
pub fn evaluate<L: Lane>(
    field: &Field,
    node: &mut Node,
    work: &mut Work<L>,
    best: &Best,
    ticker: &mut Ticker,
    dive: bool,
) -> Verdict {
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
    let mut shares = vec![
        0.5_f32;
        if complete {
            lines * relaxation.layers.len()
        } else {
            0
        }
    ];
    let mut memory = Memory::default();
    let (mut lowest, mut stride, mut waited) = (i64::MAX, 1.0, 0);
    for iteration in 0..limit {
        if ticker.passed() {
            return Verdict::Interrupted;
        }
        let Some(bound) = relaxation.bound() else {
            work.tally.infeasible += 1;
            return Verdict::Infeasible;
        };
        if bound < lowest {
            lowest = bound;
            waited = 0;
            memory.prices.clone_from(&relaxation.prices);
            memory.cuts.clone_from(&relaxation.cuts);
        } else {
            waited += 1;
            if waited == PATIENCE {
                waited = 0;
                stride *= 0.5;
            }
        }
        node.bound = node.bound.min(lowest);
        if best.beats(field.score(node.bound)) {
            work.tally.bounded += 1;
            return Verdict::Bounded;
        }
        relaxation.inspect();
        let mut trail = None;
        if complete && relaxation.feasible {
            trail = replay(field, node, &relaxation.layers, &relaxation.solutions);
        } else if iteration % ITERATIONS_PER_INCUMBENT == 10 && (complete || dive)
            || best.score() == Score::MIN
        {
            let costs = |layer: &Layer<L>, costs: &mut [L]| {
                price_out(&layer.costs, &relaxation.whole, costs);
            };
            trail = construct(field, node, &relaxation.layers, relaxation.work, costs);
        }
        if trail.is_some_and(|trail| best.offer(trail)) {
            relaxation.work.tally.incumbents += 1;
            if best.beats(field.score(node.bound)) {
                relaxation.work.tally.bounded += 1;
                return Verdict::Bounded;
            }
        }
        if complete {
            average(&mut shares, &relaxation.solutions, lines);
        }
        let target = best.target(field.scale, bound);
        if !relaxation.step((bound - target).max(1) as f32, stride) {
            break;
        }
    }
    node.branch = complete
        .then(|| branching(&shares, &relaxation.layers, lines))
        .flatten();
    node.memory = Arc::new(memory);
    Verdict::Open
}

/// Moves the average towards the last solution.
fn average(shares: &mut [f32], solutions: &[Vec<Line>], lines: usize) {
    for share in shares.iter_mut() {
        *share *= 1.0 - NEWEST;
    }
    for (index, solution) in solutions.iter().enumerate() {
        for line in solution {
            shares[index * lines + usize::from(*line)] += NEWEST;
        }
    }
}

/// The most undecided (line, layer) by the average solution.
fn branching<L: Lane>(shares: &[f32], layers: &[Layer<L>], lines: usize) -> Option<(Line, u8)> {
    let mut best = None;
    let mut nearest = f32::MAX;
    for (index, layer) in layers.iter().enumerate() {
        for line in (0..lines).filter(|line| layer.costs[*line].present()) {
            let distance = (shares[index * lines + line] - 0.5).abs();
            if distance < nearest {
                nearest = distance;
                best = Some((line as Line, index as u8));
            }
        }
    }
    best
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
