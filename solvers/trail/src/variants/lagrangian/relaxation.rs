//! The Lagrangian relaxation of one node: the dual function at given multipliers, and the cuts that its solution
//! violates.
//!
//! For integer multipliers μ and π every value below is an integer, so that the bound is exact and can be compared with
//! the incumbent without a tolerance.

use std::borrow::Cow;

use ikeru_core::Ticker;

use super::cuts::{ConnectivityCut, MAX_CUTS, Multipliers, cut_bytes, decide, separate, turn};
use super::model::{BranchDecision, Decisions, Fixed, Model};
use super::primal;
use super::record::NodeRecord;
use super::scratch::Scratch;
use super::subproblem::{Subproblem, segments};
use crate::puzzle::Trail;
use crate::tjoin::frontier::EdgeCost;
use crate::tjoin::grid::{JoinGrid, contains, insert};

/// The result of a node's evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// The node has no trail that is better than the incumbent.
    FathomedByBound,
    /// The node has no trail.
    Infeasible,
    /// The node is suspended or to be branched.
    Open,
    /// The deadline passed.
    Interrupted,
}

/// The relaxation of one node at its current multipliers.
#[derive(Debug, Default)]
pub struct Relaxation<C> {
    /// The segments.
    pub segments: Vec<Subproblem<C>>,
    /// The part of the dual function that does not depend on the solutions.
    constant: i64,
    /// The union of all segments: the cost zero for edges that some segment may pass, absent for the others; and its T.
    union: (Vec<C>, Vec<u64>),
    /// μ, a multiplier per edge.
    pub multipliers: Vec<f32>,
    /// The multipliers truncated to whole units, which the bound uses.
    whole: Vec<C>,
    /// The connectivity cuts, with their multipliers.
    pub cuts: Vec<ConnectivityCut>,
    /// The set of `×` edges whose directions are not decided.
    undirected: Vec<u64>,
    /// The edges that each segment passes, at the current and at the previous multipliers.
    passed: Vec<u64>,
    before: Vec<u64>,
    /// True for each segment whose solution is connected.
    connected: Vec<bool>,
    /// The edges of the union.
    pub joined: Vec<u64>,
    /// True if the segments are trails that share no edge, and agree on the directions of `×` edges.
    feasible: bool,
}

impl<C: EdgeCost> Relaxation<C> {
    /// Makes this the relaxation of a node with these decisions, with the multipliers of its parent and the parent's
    /// cuts of the segments below `cut_segments`; `None` if the node has no trail.
    pub fn renew(
        &mut self,
        model: &Model,
        decisions: &Decisions,
        parent: &Multipliers,
        cut_segments: usize,
    ) -> Option<()> {
        self.constant = segments(model, decisions, &mut self.segments)?;
        let (edges, words) = (model.grid.edge_count(), model.grid.words());
        let segments = &self.segments;
        let (costs, odd) = &mut self.union;
        fill(costs, edges, C::ABSENT);
        fill(odd, model.grid.rows, 0);
        for segment in segments {
            for (cost, own) in costs.iter_mut().zip(&segment.costs) {
                *cost = if own.present() { C::default() } else { *cost };
            }
            let rows = odd.iter_mut().zip(&segment.odd);
            rows.for_each(|(sum, row)| *sum ^= row);
        }
        fill(&mut self.undirected, words, 0);
        for edge in segments.iter().filter_map(|segment| segment.undirected) {
            costs[usize::from(edge)] = C::ABSENT;
            insert(&mut self.undirected, edge);
        }
        self.multipliers.clone_from(&parent.coupling);
        self.multipliers.resize(edges, 0.0);
        let kept = |cut: &&ConnectivityCut| usize::from(cut.segment) < cut_segments;
        self.cuts.clear();
        self.cuts.extend(parent.cuts.iter().filter(kept).cloned());
        for fixed in &decisions.fixed {
            decide(&model.grid, &mut self.cuts, fixed);
        }
        turn(&model.grid, &mut self.cuts, decisions);
        fill(&mut self.passed, segments.len() * words, 0);
        fill(&mut self.before, segments.len() * words, 0);
        fill(&mut self.joined, words, 0);
        fill(&mut self.connected, segments.len(), true);
        fill(&mut self.whole, edges, C::default());
        Some(())
    }

    /// Returns whether there are several segments, which the union couples.
    pub fn is_coupled(&self) -> bool {
        self.segments.len() > 1
    }

    /// The dual function L(μ, π) at the current multipliers: an upper bound, scaled.
    ///
    /// # Errors
    /// [`Status::Infeasible`] if some segment has no T-join, [`Status::Interrupted`] if the deadline passed.
    pub fn bound(&mut self, scratch: &mut Scratch<C>, ticker: &mut Ticker) -> Result<i64, Status> {
        scratch.tally.iterations += 1;
        let mut total = self.constant;
        for (whole, multiplier) in self.whole.iter_mut().zip(&self.multipliers) {
            *whole = C::whole(*multiplier);
        }
        std::mem::swap(&mut self.passed, &mut self.before);
        let words = self.words();
        for (index, segment) in self.segments.iter().enumerate() {
            if ticker.passed() {
                return Err(Status::Interrupted);
            }
            price(&segment.costs, &self.whole, &mut scratch.costs, C::sub);
            if let Some(edge) = segment.undirected.map(usize::from) {
                scratch.costs[edge] = segment.costs[edge] + self.whole[edge];
            }
            let own = |cut: &&ConnectivityCut| usize::from(cut.segment) == index;
            for cut in self.cuts.iter().filter(own) {
                total += cut.relax(segment, &mut scratch.costs);
            }
            let solution = &mut self.passed[index * words..][..words];
            total += best(scratch, &segment.odd, solution)?;
            segment.pass(solution);
        }
        if self.is_coupled() {
            let (costs, odd) = &self.union;
            price(costs, &self.whole, &mut scratch.costs, C::add);
            total += best(scratch, odd, &mut self.joined)?;
        }
        Ok(total)
    }

    /// Records `bound` with the truncated multipliers with which [`bound`](Self::bound) computed it, if it is the lowest
    /// of its node.
    pub fn record(&self, bound: i64, record: &mut NodeRecord) {
        if record.bound.is_none_or(|known| bound < known) {
            let priced = self.cuts.iter().filter(|cut| cut.multiplier as i64 != 0);
            record.bound = Some(bound);
            record.prices = self.whole.iter().map(|whole| whole.wide()).collect();
            record.cuts = priced.cloned().collect();
        }
    }

    /// Bytes of the relaxation.
    pub fn bytes(&self) -> usize {
        let segments = self.segments.iter();
        let segments: usize = segments.map(|segment| size_of_val(&*segment.costs)).sum();
        let edges = self.multipliers.len();
        size_of::<Self>()
            + segments
            + size_of_val(&*self.passed) * 2
            + edges * (size_of::<f32>() + size_of::<C>() + size_of::<bool>())
            + cut_bytes(&self.cuts)
    }

    /// Separates violated cuts and tests whether the solutions are feasible.
    pub fn inspect(&mut self, grid: &JoinGrid, scratch: &mut Scratch<C>) {
        if self.cuts.len() > MAX_CUTS / 2 {
            self.cuts
                .retain(|cut| cut.multiplier > 0.0 || cut.edge.is_none());
        }
        let (kept, words) = (self.cuts.len(), self.words());
        for (index, segment) in self.segments.iter().enumerate() {
            // PERF: unchanged solutions, one in four, are not inspected again.
            let solution = &self.passed[index * words..][..words];
            if *solution != self.before[index * words..][..words] {
                let cuts = &mut self.cuts;
                self.connected[index] =
                    separate(grid, index as u8, segment, solution, scratch, cuts);
            }
        }
        scratch.tally.cuts += (self.cuts.len() - kept) as u64;
        self.feasible = self.connected.iter().all(|connected| *connected)
            && (1..self.segments.len()).all(|segment| self.agrees(segment))
            && self.disjoint();
    }

    /// Words of a set of edges.
    pub fn words(&self) -> usize {
        self.joined.len()
    }

    /// The edges that a segment passes, as a set.
    pub fn solution(&self, segment: usize) -> &[u64] {
        &self.passed[segment * self.words()..][..self.words()]
    }

    /// The edges that each segment passes, as sets.
    pub fn solutions(&self) -> impl ExactSizeIterator<Item = &[u64]> {
        self.passed.chunks_exact(self.words())
    }

    /// Returns whether a segment and the one before agree on the direction of the `×` edge between them.
    fn agrees(&self, segment: usize) -> bool {
        let passes = |segment, edge| contains(self.solution(segment), edge);
        let edge = self.segments[segment].undirected;
        edge.is_none_or(|edge| passes(segment, edge) == passes(segment - 1, edge))
    }

    /// Returns whether no edge is in two segments, but undirected ones.
    fn disjoint(&self) -> bool {
        (0..self.words()).all(|word| {
            let directed = !self.undirected[word];
            let mut sets = self.passed.iter().skip(word).step_by(self.words());
            let passed = sets.try_fold(0, |passed, set| {
                (passed & set & directed == 0).then_some(passed | set)
            });
            passed.is_some()
        })
    }

    /// The trail along the solutions if they form one, else, if `anyway`, a trail by the primal heuristic.
    pub fn trail(
        &self,
        model: &Model,
        scratch: &mut Scratch<C>,
        decisions: &Decisions,
        anyway: bool,
        ticker: &mut Ticker,
    ) -> Option<Trail> {
        let feasible = decisions.complete() && self.feasible;
        if !feasible && !anyway {
            return None;
        }
        // The directions that the segments before the `×` edges have chosen.
        let (mut directed, mut built) = (Cow::Borrowed(decisions), Vec::new());
        for (step, solution) in self.solutions().enumerate() {
            if let Some(edge) = decisions.undirected(&model.grid, step) {
                directed.to_mut().fixed.push(Fixed {
                    segment: step as u8,
                    decision: BranchDecision::Direction,
                    passes: !contains(solution, edge),
                });
            }
        }
        let segments = match &directed {
            Cow::Borrowed(_) => &self.segments,
            Cow::Owned(directed) => {
                segments(model, directed, &mut built)?;
                &built
            }
        };
        let segments = primal::Segments {
            model,
            decisions: &directed,
            segments,
        };
        if feasible {
            let sets = self.passed.iter().zip(self.undirected.iter().cycle());
            let sets: Vec<u64> = sets.map(|(set, undirected)| set & !undirected).collect();
            return segments.trail(sets.chunks_exact(self.words()));
        }
        let whole = &self.whole;
        let relaxed = |costs: &[C], into: &mut [C]| price(costs, whole, into, C::sub);
        segments.heuristic(scratch, relaxed, ticker)
    }
}

/// Makes `list` a list of `count` times `value`.
pub fn fill<T: Clone>(list: &mut Vec<T>, count: usize, value: T) {
    list.clear();
    list.resize(count, value);
}

/// The best T-join by the costs in `scratch`.
fn best<C: EdgeCost>(
    scratch: &mut Scratch<C>,
    odd: &[u64],
    passed: &mut [u64],
) -> Result<i64, Status> {
    let best = scratch.joins.best(&scratch.costs, odd, passed);
    best.map(C::wide).ok_or(Status::Infeasible)
}

/// Combines `costs` with the multipliers; absent costs stay absent, because multipliers are far smaller.
fn price<C: EdgeCost>(costs: &[C], multipliers: &[C], into: &mut [C], with: impl Fn(C, C) -> C) {
    for ((into, cost), multiplier) in into.iter_mut().zip(costs).zip(multipliers) {
        *into = with(*cost, *multiplier);
    }
}
