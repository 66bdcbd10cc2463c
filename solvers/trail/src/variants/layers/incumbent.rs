//! Trails from layers: the best trail so far, and how a complete sequence gives one.

use std::sync::{Mutex, PoisonError};

use ikeru_core::{Incumbent, Score, Ticker};

use super::field::Field;
use super::node::{Layer, Node};
use super::prices::Work;
use crate::puzzle::Trail;
use crate::tjoin::connected::euler_trail;
use crate::tjoin::grid::Line;
use crate::tjoin::kernel::Lane;

/// Times that every layer is improved on the lines that the others leave.
const IMPROVEMENTS: usize = 2;

/// The best trail of a worker, or of all of them.
#[derive(Debug)]
pub struct Best<'a> {
    score: Incumbent,
    trail: Mutex<Option<Trail>>,
    /// Raised beside, for whoever watches the run.
    watched: &'a Incumbent,
}

impl<'a> Best<'a> {
    /// None yet.
    #[must_use]
    pub fn new(watched: &'a Incumbent) -> Self {
        Self {
            score: Incumbent::new(),
            trail: Mutex::new(None),
            watched,
        }
    }

    /// Its score, [`Score::MIN`] if there is none.
    #[must_use]
    pub fn score(&self) -> Score {
        self.score.get()
    }

    /// Whether nothing up to `bound` is better.
    #[must_use]
    pub fn beats(&self, bound: Score) -> bool {
        bound <= self.score.get()
    }

    /// Keeps `trail` if it is better; whether it was.
    pub fn offer(&self, trail: Trail) -> bool {
        self.watched.raise(trail.score);
        let mut kept = self.trail.lock().unwrap_or_else(PoisonError::into_inner);
        let better = self.score.raise(trail.score);
        if better {
            *kept = Some(trail);
        }
        better
    }

    /// The trail.
    #[must_use]
    pub fn into_trail(self) -> Option<Trail> {
        self.trail
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// The trail along connected, disjoint layers.
pub fn replay<L>(
    field: &Field,
    node: &Node,
    layers: &[Layer<L>],
    solutions: &[Vec<Line>],
) -> Option<Trail> {
    let grid = &field.grid;
    let mut points = Vec::new();
    for (index, (layer, solution)) in layers.iter().zip(solutions).enumerate() {
        let lines: Vec<Line> = solution.iter().chain(&layer.passed).copied().collect();
        euler_trail(grid, &lines, layer.from, &mut points);
        if let Some(step) = node.sequence.get(index) {
            points.push(step.ends(grid).1);
        }
    }
    let mut vertices = field.puzzle.route().to_vec();
    vertices.extend(points.iter().map(|point| grid.vertex(field.puzzle, *point)));
    field.puzzle.replay(vertices).ok()
}

/// A trail by solving one layer after another on the lines that are left, first with `priced` costs,
/// then improving each with its own; `None` also if the deadline passes before there is one.
pub fn construct<L: Lane>(
    field: &Field,
    node: &Node,
    layers: &[Layer<L>],
    work: &mut Work<L>,
    priced: impl Fn(&Layer<L>, &mut [L]),
    ticker: &mut Ticker,
) -> Option<Trail> {
    let mut taken = vec![false; field.grid.lines()];
    for line in layers.iter().flat_map(|layer| &layer.passed) {
        taken[usize::from(*line)] = true;
    }
    let mut paths: Vec<Vec<Line>> = Vec::with_capacity(layers.len());
    for layer in layers {
        if ticker.passed() {
            return None;
        }
        let mut costs = std::mem::take(&mut work.costs);
        priced(layer, &mut costs);
        work.costs = costs;
        let path = alone(field, layer, &taken, work)?;
        mark(&mut taken, &path, true);
        paths.push(path);
    }
    for _ in 0..IMPROVEMENTS {
        for (layer, path) in layers.iter().zip(&mut paths) {
            if ticker.passed() {
                break;
            }
            mark(&mut taken, path, false);
            work.costs.copy_from_slice(&layer.costs);
            let gain = |path: &[Line]| -> i64 {
                let lines = path.iter().chain(&layer.passed);
                lines
                    .filter_map(|line| field.grid.additions[usize::from(*line)])
                    .sum()
            };
            if let Some(other) = alone(field, layer, &taken, work)
                && gain(&other) > gain(path)
            {
                *path = other;
            }
            mark(&mut taken, path, true);
        }
    }
    replay(field, node, layers, &paths)
}

fn mark(taken: &mut [bool], path: &[Line], value: bool) {
    for line in path {
        taken[usize::from(*line)] = value;
    }
}

/// The best T-join of `layer` by `work.costs` without `taken` lines, less the pieces apart from its
/// start. `None` if it has none, or leaves out an edge that the layer passes in any case.
fn alone<L: Lane>(
    field: &Field,
    layer: &Layer<L>,
    taken: &[bool],
    work: &mut Work<L>,
) -> Option<Vec<Line>> {
    let grid = &field.grid;
    for (cost, taken) in work.costs.iter_mut().zip(taken) {
        if *taken {
            *cost = L::ABSENT;
        }
    }
    let mut path = Vec::new();
    work.kernel.best(&work.costs, &layer.odd, &mut path)?;
    work.pieces
        .join(grid, path.iter().chain(&layer.passed).copied());
    let home = work.pieces.of(layer.from);
    let at_home = |line: Line| work.pieces.of(grid.ends[usize::from(line)].0) == home;
    if !layer.passed.iter().all(|line| at_home(*line)) {
        return None;
    }
    path.retain(|line| at_home(*line));
    Some(path)
}
