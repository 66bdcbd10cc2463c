//! The primal side: the incumbent, and the heuristic that builds trails from the subproblems' solutions.

use ikeru_core::sync::{Mutex, PoisonError};
use ikeru_core::{Incumbent, Score, Ticker};

use super::model::{Decisions, Model};
use super::scratch::Scratch;
use super::subproblem::Subproblem;
use crate::puzzle::Trail;
use crate::tjoin::connectivity::euler_trail;
use crate::tjoin::frontier::EdgeCost;
use crate::tjoin::grid::{JoinGrid, contains, edges_of};

/// The incumbent of one worker or of all workers: the best score so far, and the best trail found by them.
#[derive(Debug)]
pub struct BestTrail<'a> {
    incumbent: &'a Incumbent,
    trail: Mutex<Option<Trail>>,
    /// Receives every improvement too, for observers of the run.
    watched: &'a Incumbent,
}

impl<'a> BestTrail<'a> {
    /// Begins without a trail. `incumbent` fathoms nodes; `watched` receives the scores, and may be the same incumbent.
    pub fn new(incumbent: &'a Incumbent, watched: &'a Incumbent) -> Self {
        Self {
            incumbent,
            trail: Mutex::new(None),
            watched,
        }
    }

    /// The best score, [`Score::MIN`] if there is none.
    pub fn score(&self) -> Score {
        self.incumbent.get()
    }

    /// Returns whether a node with this upper bound is fathomed: it contains no better trail.
    pub fn fathoms(&self, bound: Score) -> bool {
        bound <= self.incumbent.get()
    }

    /// Keeps `trail` if it is better than the incumbent; returns whether it was.
    pub fn offer(&self, trail: Trail) -> bool {
        let mut kept = self.trail.lock().unwrap_or_else(PoisonError::into_inner);
        let better = self.incumbent.improve(trail.score);
        self.watched.improve(trail.score);
        // The incumbent may have been reset while the trail was kept.
        let best = kept.as_ref().map(|best| best.score);
        if better && best < Some(trail.score) {
            *kept = Some(trail);
        }
        better
    }

    /// The best trail found, if any.
    pub fn into_trail(self) -> Option<Trail> {
        self.trail
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// The segments of a node's trail.
#[derive(Clone, Copy)]
pub struct Segments<'a, C> {
    /// See [`Model`].
    pub model: &'a Model<'a>,
    /// The `×` edges between the segments, with their directions, as far as decided.
    pub decisions: &'a Decisions,
    /// The subproblem of each segment.
    pub segments: &'a [Subproblem<C>],
}

impl<C> Segments<'_, C> {
    /// The trail along the solutions of all segments, which must be connected and disjoint.
    pub fn trail<'s>(&self, solutions: impl Iterator<Item = &'s [u64]>) -> Option<Trail> {
        let (grid, puzzle) = (&self.model.grid, self.model.puzzle);
        let mut walk = Vec::new();
        for (index, (segment, solution)) in self.segments.iter().zip(solutions).enumerate() {
            euler_trail(grid, solution, segment.from, &mut walk);
            walk.extend(self.decisions.ends(grid, index).map(|(_, left)| left));
        }
        let mut vertices = puzzle.route().to_vec();
        vertices.extend(walk.iter().map(|vertex| grid.board_vertex(puzzle, *vertex)));
        puzzle.replay(vertices).ok()
    }
}

impl<C: EdgeCost> Segments<'_, C> {
    /// Builds a trail: solves one segment after another on the edges that are left, with its `relaxed` costs, and then
    /// improves each segment with its original costs on the edges that the others leave free. `None` if there is none, or if
    /// the deadline passes first.
    pub fn heuristic(
        &self,
        scratch: &mut Scratch<C>,
        relaxed: impl Fn(&[C], &mut [C]),
        ticker: &mut Ticker,
    ) -> Option<Trail> {
        let grid = &self.model.grid;
        let mut taken = vec![0; grid.words()];
        for segment in self.segments {
            segment.pass(&mut taken);
        }
        let mut paths: Vec<Vec<u64>> = Vec::with_capacity(self.segments.len());
        for segment in self.segments {
            if ticker.passed() {
                return None;
            }
            relaxed(&segment.costs, &mut scratch.costs);
            let path = solve_alone(grid, segment, &taken, scratch)?;
            join(&mut taken, &path);
            paths.push(path);
        }
        for (segment, path) in self.segments.iter().zip(&mut paths) {
            if ticker.passed() {
                break;
            }
            let others = taken.iter_mut().zip(&*path);
            others.for_each(|(taken, own)| *taken &= !own);
            scratch.costs.copy_from_slice(&segment.costs);
            let gain = |path: &[u64]| -> i64 {
                let additions = edges_of(path).map(|edge| grid.additions[usize::from(edge)]);
                additions.flatten().sum()
            };
            if let Some(other) = solve_alone(grid, segment, &taken, scratch)
                && gain(&other) > gain(path)
            {
                *path = other;
            }
            join(&mut taken, path);
        }
        self.trail(paths.iter().map(Vec::as_slice))
    }
}

/// Adds a set of edges to another.
fn join(all: &mut [u64], more: &[u64]) {
    all.iter_mut()
        .zip(more)
        .for_each(|(all, more)| *all |= more);
}

/// The component at the segment's start of its best T-join by `scratch.costs` without the `taken` edges. `None` if
/// there is no T-join, or if the component lacks an edge that the segment must pass.
fn solve_alone<C: EdgeCost>(
    grid: &JoinGrid,
    segment: &Subproblem<C>,
    taken: &[u64],
    scratch: &mut Scratch<C>,
) -> Option<Vec<u64>> {
    edges_of(taken).for_each(|edge| scratch.costs[usize::from(edge)] = C::ABSENT);
    let mut path = vec![0; grid.words()];
    scratch
        .joins
        .best(&scratch.costs, &segment.odd, &mut path)?;
    segment.pass(&mut path);
    scratch.linked.keep(grid, &mut path, segment.from);
    let kept = segment.passed.iter().all(|edge| contains(&path, *edge));
    kept.then_some(path)
}
