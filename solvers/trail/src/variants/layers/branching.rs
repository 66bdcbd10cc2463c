//! What a node decides next besides the order of the `×` edges: whether a layer crosses a boundary, or
//! whether it passes one line.

use std::sync::Arc;

use super::cuts::Cut;
use super::node::{Branch, Layer, Node, Question};
use crate::tjoin::grid::Line;
use crate::tjoin::kernel::Lane;

/// Share of the last solution in the average that [`Shares::line`] looks at.
const NEWEST: f32 = 0.1;
/// Cuts that must share a boundary before it is decided on: …
const LINES_OF_BOUNDARY: usize = 3;
/// … and so large a part of the gap must their prices be together.
const PART_OF_GAP: f32 = 0.03;

/// The boundary of `cuts` whose prices are highest in all, if its layer is no rest and they are many and
/// high: one decision replaces them. `gap` is what the bound exceeds its target by.
///
/// A piece apart that is worth much lets one cut after another be found, each with the same boundary and another
/// line of the piece, and their prices rise slowly. Where the layer is decided not to cross the boundary,
/// the piece is gone; where it is decided to cross it, one cut says so for all lines.
// PERF: the nine of a thousand 7x7 boards that were slowest without it took 5 times the scans (example `proofs`).
#[must_use]
pub fn boundary(node: &Node, cuts: &[Cut], gap: i64) -> Option<Branch> {
    let segments = node.sequence.len() + usize::from(node.complete());
    let conditional = || {
        let priced = cuts.iter().filter(|cut| cut.price > 0.0);
        priced.filter(|cut| cut.line.is_some() && usize::from(cut.layer) < segments)
    };
    let mut dearest = None;
    let mut highest = PART_OF_GAP * gap as f32;
    for cut in conditional() {
        let same = || conditional().filter(|other| other.same_boundary(cut));
        let price = same().map(|other| other.price).sum();
        if price > highest && same().count() >= LINES_OF_BOUNDARY {
            highest = price;
            dearest = Some((cut.layer, Question::Boundary(Arc::clone(&cut.boundary))));
        }
    }
    dearest
}

/// How often each layer passed each line of late.
pub struct Shares {
    lines: usize,
    /// From 0 to 1, layer by layer.
    shares: Vec<f32>,
}

impl Shares {
    /// Nothing known of `layers`.
    pub fn new(layers: usize, lines: usize) -> Self {
        Self {
            lines,
            shares: vec![0.5; layers * lines],
        }
    }

    /// Moves the average towards the last solution.
    pub fn average(&mut self, solutions: &[Vec<Line>]) {
        for share in &mut self.shares {
            *share *= 1.0 - NEWEST;
        }
        for (shares, solution) in self.shares.chunks_exact_mut(self.lines).zip(solutions) {
            for line in solution {
                shares[usize::from(*line)] += NEWEST;
            }
        }
    }

    /// The line and layer to decide on: undecided, and of weight. Weights count because the other side
    /// of a cheap decision has nearly the same bound.
    // PERF: the share alone made 1.3 times the nodes on the slowest 7x7 boards (example `proofs`).
    pub fn line<L: Lane>(&self, layers: &[Layer<L>]) -> Option<Branch> {
        let mut best = None;
        let mut highest = f32::MIN;
        let shares = self.shares.chunks_exact(self.lines);
        for (index, (shares, layer)) in shares.zip(layers).enumerate() {
            let usable = layer.costs.iter().zip(shares).enumerate();
            for (line, (cost, share)) in usable.filter(|(_, (cost, _))| cost.present()) {
                let worth = share * (1.0 - share) * cost.wide().unsigned_abs() as f32;
                if worth > highest {
                    highest = worth;
                    best = Some((index as u8, Question::Line(line as Line)));
                }
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use ikeru_core::{Attempt, Deadline, Incumbent, Problem, Random, Search, Settings};

    use super::super::field::Field;
    use super::super::incumbent::Best;
    use super::super::node::Fixed;
    use super::super::prices::{Verdict, Work, evaluate};
    use super::*;
    use crate::TrailProblem;
    use crate::puzzle::{Board, Operation, Puzzle};

    fn optimum(puzzle: &Puzzle) -> i64 {
        let mut variants = TrailProblem::variants().iter();
        let variant = variants.find(|variant| variant.name == "dfs+bound");
        let prepare = variant.expect("a variant").prepare;
        let mut solver =
            prepare(puzzle, &Settings::new(), Deadline::never()).expect("a small board");
        let incumbent = Incumbent::new();
        match solver.solve(&mut Search::new(&incumbent)) {
            Attempt::Solved(answer) => TrailProblem::score(&answer).expect("a trail"),
            Attempt::Timeout { .. } => panic!("no deadline"),
        }
    }

    #[test]
    fn one_side_of_a_decided_boundary_holds_the_optimum() {
        let mut random = Random::new("trail boundaries", 1);
        let mut infeasible = 0;
        for _ in 0..400 {
            let add = |_| Operation::Add(random.between(-9, 6));
            let operations = (0..24).map(add).collect();
            let board = Arc::new(Board::new(4, 4, operations).expect("a board"));
            let (start, goal) = (random.index(16), random.index(16));
            let puzzle = Puzzle::new(board, vec![start], goal).expect("a question");
            let field = Field::new::<i32>(&puzzle).expect("small numbers");
            let ends = [field.grid.start, field.grid.goal];
            let inside: Vec<bool> = (0..16)
                .map(|point| !ends.contains(&point) && random.chance(0.4))
                .collect();
            let lines = field.grid.ends.iter().zip(0..);
            let crossing =
                lines.filter(|((a, b), _)| inside[usize::from(*a)] != inside[usize::from(*b)]);
            let boundary: Arc<[Line]> = crossing.map(|(_, line)| line).collect();
            let side = |passes| {
                let mut node = Node::root(&field);
                node.fixed.push(Fixed {
                    layer: 0,
                    question: Question::Boundary(Arc::clone(&boundary)),
                    passes,
                });
                let incumbent = Incumbent::new();
                let (mut work, best) = (Work::<i32>::new(&field), Best::new(&incumbent));
                let mut ticker = Deadline::never().ticker(1);
                match evaluate(&field, &mut node, &mut work, &best, &mut ticker, false) {
                    Verdict::Infeasible => None,
                    _ => Some(field.score(node.bound)),
                }
            };
            let (crossing, apart) = (side(true), side(false));
            infeasible += u32::from(apart.is_none());
            assert!(
                crossing.max(apart) >= Some(optimum(&puzzle)),
                "{puzzle:?} {boundary:?}"
            );
        }
        assert!(infeasible > 0, "no boundary stood between start and goal");
    }
}
