//! Connectivity cuts, found lazily and priced.
//!
//! A T-join may hold cycles apart from its trail. Let such a piece have the points U, none of them an
//! end of its layer, and let e be one of its edges. A trail that passes e must come into U and leave
//! it again: x(δ(U)) ≥ 2·xₑ, where δ(U) are the lines with one end in U. With a price π ≥ 0 the term
//! π·(x(δ(U)) − 2·xₑ) joins the layer's objective: never negative for a trail, negative for the piece.
//! Edges that the layer passes in any case count as constants.

use std::sync::Arc;

use super::node::{Fixed, Layer, Question};
use crate::tjoin::connected::Pieces;
use crate::tjoin::grid::{Grid, Line, Point};
use crate::tjoin::kernel::Lane;

/// The cuts of one node at most: more make each evaluation slower than they make bounds better.
pub const MAX_CUTS: usize = 64;

/// x(δ(U)) ≥ 2·xₑ in one layer, or x(δ(U)) ≥ 2 where that is decided.
#[derive(Debug, Clone, PartialEq)]
pub struct Cut {
    /// The layer's index.
    pub layer: u8,
    /// e; none where the layer is decided to pass the boundary.
    pub line: Option<Line>,
    /// δ(U), rising.
    pub boundary: Arc<[Line]>,
    /// π, scaled.
    pub price: f32,
    /// π where the bound of its node was lowest.
    pub at_lowest: f32,
}

impl Cut {
    /// Adds the priced term to `costs` of `layer`; what remains of it as a constant.
    pub fn charge<L: Lane>(&self, layer: &Layer<L>, costs: &mut [L]) -> i64 {
        let price = self.price as i64;
        if price == 0 {
            return 0;
        }
        let mut constant = 0;
        let mut charge = |line: Line, amount: i64| {
            let cost = &mut costs[usize::from(line)];
            if cost.present() {
                *cost = *cost + L::of(amount);
            } else if layer.passed.contains(&line) {
                constant += amount;
            }
        };
        for line in self.boundary.iter() {
            charge(*line, price);
        }
        match self.line {
            Some(line) => charge(line, -2 * price),
            None => constant -= 2 * price,
        }
        constant
    }

    /// Whether both are about the same points in the same layer.
    #[must_use]
    pub fn same_boundary(&self, other: &Self) -> bool {
        self.layer == other.layer && self.boundary == other.boundary
    }

    /// x(δ(U)) − 2·xₑ, given which lines the layer passes.
    #[must_use]
    pub fn slack(&self, passes: impl Fn(Line) -> bool + Copy) -> i32 {
        let crossed = self.boundary.iter().filter(|line| passes(**line));
        let crossed = crossed.count() as i32;
        crossed - 2 * i32::from(self.line.is_none_or(passes))
    }
}

/// Replaces the cuts of a boundary by the one that a decision on it needs, if any.
pub fn decide(cuts: &mut Vec<Cut>, fixed: &Fixed) {
    let Question::Boundary(boundary) = &fixed.question else {
        return;
    };
    let decided = Cut {
        layer: fixed.layer,
        line: None,
        boundary: Arc::clone(boundary),
        price: 0.0,
        at_lowest: 0.0,
    };
    let same = |cut: &Cut| cut.same_boundary(&decided);
    let price = cuts.iter().filter(|cut| same(cut)).map(|cut| cut.price);
    let price = price.sum();
    cuts.retain(|cut| !same(cut));
    if fixed.passes {
        cuts.push(Cut {
            price,
            at_lowest: price,
            ..decided
        });
    }
}

/// Looks for violated cuts of a layer's solution: one around each piece apart from the layer's start,
/// and one around everything apart from the start's piece. Adds those that `cuts` lacks, up to
/// [`MAX_CUTS`]. Whether the solution is connected.
pub fn separate<L: Lane>(
    grid: &Grid,
    index: u8,
    layer: &Layer<L>,
    solution: &[Line],
    pieces: &mut Pieces,
    cuts: &mut Vec<Cut>,
) -> bool {
    let lines = || layer.passed.iter().chain(solution).copied();
    pieces.join(grid, lines());
    let home = pieces.of(layer.from);
    if lines().all(|line| pieces.of(grid.ends[usize::from(line)].0) == home) {
        return true;
    }
    let piece_of = pieces.all();
    // The edge of each piece for its cut.
    let mut apart: Vec<(Point, Line)> = Vec::new();
    // An edge passed in any case makes the cut strongest, then the one worth most.
    let worth = |line: Line| {
        let cost = layer.costs[usize::from(line)];
        if cost.present() {
            cost.wide()
        } else {
            i64::MAX
        }
    };
    for line in lines() {
        let piece = piece_of[usize::from(grid.ends[usize::from(line)].0)];
        if piece == home {
            continue;
        }
        match apart.iter_mut().find(|(known, _)| *known == piece) {
            Some((_, best)) if worth(line) > worth(*best) => *best = line,
            Some(_) => {}
            None => apart.push((piece, line)),
        }
    }
    let chosen = apart.iter().map(|(_, line)| *line);
    let Some(outside) = chosen.max_by_key(|line| worth(*line)) else {
        return true;
    };
    let mut boundary = Vec::new();
    for (piece, line) in apart.into_iter().chain([(home, outside)]) {
        let inside = |point: Point| piece_of[usize::from(point)] == piece;
        // Without branches: which lines cross cannot be predicted.
        boundary.resize(grid.lines(), 0);
        let mut crossing = 0;
        for (line, (a, b)) in grid.ends.iter().enumerate() {
            boundary[crossing] = line as Line;
            crossing += usize::from(inside(*a) != inside(*b));
        }
        boundary.truncate(crossing);
        let known = |cut: &Cut| {
            cut.layer == index
                && cut.line.is_none_or(|known| known == line)
                && *cut.boundary == *boundary
        };
        if cuts.len() < MAX_CUTS && !cuts.iter().any(known) {
            cuts.push(Cut {
                layer: index,
                line: Some(line),
                boundary: boundary.as_slice().into(),
                price: 0.0,
                at_lowest: 0.0,
            });
        }
    }
    false
}
