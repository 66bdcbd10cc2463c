//! The Lagrangian relaxation of one node: the dual function at given multipliers, and what its solution violates.
//!
//! For integer multipliers μ and π every value below is an integer, so that the bound is exact and can be
//! compared with the incumbent without tolerance.

use ikeru_core::Ticker;

use super::cuts::{ConnectivityCut, MAX_CUTS, Multipliers, cut_bytes, decide, separate};
use super::model::{Decisions, Model};
use super::primal;
use super::record::Prices;
use super::subproblem::{Subproblem, segments};
use super::workspace::Workspace;
use crate::puzzle::Trail;
use crate::tjoin::frontier::EdgeCost;
use crate::tjoin::grid::{Edge, JoinGrid};

/// How the evaluation of a node ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Nothing in it is better than the incumbent.
    FathomedByBound,
    /// It has no trail.
    Infeasible,
    /// To be branched.
    Open,
    /// The deadline passed.
    Interrupted,
}

/// The relaxation of one node at its current multipliers.
#[derive(Debug)]
pub struct Relaxation<C> {
    /// The segments.
    pub segments: Vec<Subproblem<C>>,
    /// The part of the dual function that no segment decides.
    constant: i64,
    /// Edges that some segment may pass, and T of the union of all segments; with one segment no union is needed.
    pub union: Option<(Vec<bool>, Vec<u32>)>,
    /// μ, a multiplier per edge.
    pub multipliers: Vec<f32>,
    /// The same in whole units: what counts.
    whole: Vec<C>,
    /// The connectivity cuts, with their multipliers.
    pub cuts: Vec<ConnectivityCut>,
    /// The edges that each segment passes.
    pub solutions: Vec<Vec<Edge>>,
    /// The solutions at the multipliers before.
    before: Vec<Vec<Edge>>,
    /// Which of those were connected.
    connected: Vec<bool>,
    /// The edges of the union.
    pub joined: Vec<Edge>,
    /// Whether the segments are trails that share no edge.
    feasible: bool,
}

impl<C: EdgeCost> Relaxation<C> {
    /// The relaxation of a node with these decisions, at the multipliers that its parent left, with its cuts of the
    /// segments below `cut_segments`; `None` if the node has no trail.
    pub fn new(
        model: &Model,
        decisions: &Decisions,
        parent: &Multipliers,
        cut_segments: usize,
    ) -> Option<Self> {
        let (segments, constant) = segments::<C>(model, decisions)?;
        let edges = model.grid.edge_count();
        let union = (segments.len() > 1).then(|| {
            let usable = |edge: usize| segments.iter().any(|segment| segment.costs[edge].present());
            let mut odd = vec![0; model.grid.rows];
            for segment in &segments {
                odd.iter_mut()
                    .zip(&segment.odd)
                    .for_each(|(sum, row)| *sum ^= row);
            }
            ((0..edges).map(usable).collect(), odd)
        });
        let mut multipliers = parent.coupling.clone();
        multipliers.resize(edges, 0.0);
        let kept = |cut: &&ConnectivityCut| usize::from(cut.segment) < cut_segments;
        let mut cuts: Vec<ConnectivityCut> = parent.cuts.iter().filter(kept).cloned().collect();
        for fixed in &decisions.fixed {
            decide(&model.grid, &mut cuts, fixed);
        }
        Some(Self {
            solutions: vec![Vec::new(); segments.len()],
            before: vec![Vec::new(); segments.len()],
            connected: vec![true; segments.len()],
            segments,
            constant,
            union,
            multipliers,
            whole: vec![C::default(); edges],
            cuts,
            joined: Vec::new(),
            feasible: false,
        })
    }

    /// The dual function L(μ, π) at the current multipliers: an upper bound, scaled.
    ///
    /// # Errors
    /// [`Status::Infeasible`] if some segment has no T-join, [`Status::Interrupted`] if the deadline passed.
    pub fn bound(
        &mut self,
        workspace: &mut Workspace<C>,
        ticker: &mut Ticker,
    ) -> Result<i64, Status> {
        workspace.tally.iterations += 1;
        let mut total = self.constant;
        for (whole, multiplier) in self.whole.iter_mut().zip(&self.multipliers) {
            *whole = C::of(*multiplier as i64);
        }
        std::mem::swap(&mut self.solutions, &mut self.before);
        for (index, segment) in self.segments.iter().enumerate() {
            if ticker.passed() {
                return Err(Status::Interrupted);
            }
            subtract(&segment.costs, &self.whole, &mut workspace.costs);
            for cut in self
                .cuts
                .iter()
                .filter(|cut| usize::from(cut.segment) == index)
            {
                total += cut.relax(segment, &mut workspace.costs);
            }
            let solution = &mut self.solutions[index];
            let mut stop = || ticker.passed();
            let best =
                workspace
                    .frontier
                    .best_until(&workspace.costs, &segment.odd, solution, &mut stop);
            total += best.ok_or_else(|| without(ticker))?.wide();
        }
        if let Some((usable, odd)) = &self.union {
            for ((cost, multiplier), usable) in
                workspace.costs.iter_mut().zip(&self.whole).zip(usable)
            {
                *cost = if *usable { *multiplier } else { C::ABSENT };
            }
            let (joined, mut stop) = (&mut self.joined, || ticker.passed());
            let best = workspace
                .frontier
                .best_until(&workspace.costs, odd, joined, &mut stop);
            total += best.ok_or_else(|| without(ticker))?.wide();
        }
        Ok(total)
    }

    /// The whole multipliers that [`bound`](Self::bound) had, which gave `bound`.
    pub fn prices(&self, bound: i64) -> Prices {
        let priced = self.cuts.iter().filter(|cut| cut.multiplier as i64 != 0);
        Prices {
            bound,
            coupling: self.whole.iter().map(|whole| whole.wide()).collect(),
            cuts: priced.cloned().collect(),
        }
    }

    /// Bytes that it keeps.
    pub fn bytes(&self) -> usize {
        let segments = self.segments.iter();
        let segments: usize = segments.map(|segment| size_of_val(&*segment.costs)).sum();
        let solutions = self.solutions.iter().chain(&self.before);
        let solutions: usize = solutions.map(|solution| size_of_val(&**solution)).sum();
        let edges = self.multipliers.len();
        size_of::<Self>()
            + segments
            + solutions
            + edges * (size_of::<f32>() + size_of::<C>() + size_of::<bool>() + size_of::<Edge>())
            + cut_bytes(&self.cuts)
    }

    /// Separates violated cuts, and looks for edges passed twice.
    pub fn inspect(&mut self, grid: &JoinGrid, workspace: &mut Workspace<C>) {
        if self.cuts.len() > MAX_CUTS / 2 {
            self.cuts
                .retain(|cut| cut.multiplier > 0.0 || cut.edge.is_none());
        }
        let kept = self.cuts.len();
        let components = &mut workspace.components;
        for (index, (segment, solution)) in self.segments.iter().zip(&self.solutions).enumerate() {
            // PERF: what did not change has been looked at; one segment in three.
            if *solution != self.before[index] || solution.is_empty() {
                let cuts = &mut self.cuts;
                self.connected[index] =
                    separate(grid, index as u8, segment, solution, components, cuts);
            }
        }
        workspace.tally.cuts += (self.cuts.len() - kept) as u64;
        self.feasible = self.connected.iter().all(|connected| *connected) && self.disjoint();
    }

    /// Whether no edge is passed twice.
    fn disjoint(&self) -> bool {
        let mut passed = vec![false; self.multipliers.len()];
        let mut edges = self.solutions.iter().flatten();
        edges.all(|edge| !std::mem::replace(&mut passed[usize::from(*edge)], true))
    }

    /// A trail along the solutions if they are one, else, if `anyway`, one by the primal heuristic.
    pub fn trail(
        &self,
        model: &Model,
        workspace: &mut Workspace<C>,
        decisions: &Decisions,
        anyway: bool,
        ticker: &mut Ticker,
    ) -> Option<Trail> {
        let segments = primal::Segments {
            model,
            sequence: &decisions.sequence,
            segments: &self.segments,
        };
        if decisions.complete() && self.feasible {
            return segments.trail(&self.solutions);
        }
        if !anyway {
            return None;
        }
        let whole = &self.whole;
        let relaxed = |costs: &[C], into: &mut [C]| subtract(costs, whole, into);
        segments.heuristic(workspace, relaxed, ticker)
    }
}

/// Why there is no T-join: the deadline may have passed.
fn without(ticker: &mut Ticker) -> Status {
    if ticker.seen() {
        Status::Interrupted
    } else {
        Status::Infeasible
    }
}

/// `costs` less the multipliers; absent ones stay so, as multipliers are far smaller.
fn subtract<C: EdgeCost>(costs: &[C], multipliers: &[C], into: &mut [C]) {
    for ((into, cost), multiplier) in into.iter_mut().zip(costs).zip(multipliers) {
        *into = *cost - *multiplier;
    }
}
