//! A node: a prefix of the sequence of `×` edges, the set still to come, and fixed edges. What its
//! layers are, and how it branches.

use std::cmp::Ordering;
use std::sync::Arc;

use super::cuts::Cut;
use super::field::Field;
use crate::tjoin::connected::passable;
use crate::tjoin::grid::{Grid, Line, Point};
use crate::tjoin::kernel::Lane;

/// A `×` edge passed in a direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// Its index among the grid's factors.
    pub factor: u8,
    /// From its upper or left end to the other.
    pub forward: bool,
}

impl Step {
    /// Where it is entered and where it is left.
    #[must_use]
    pub fn ends(self, grid: &Grid) -> (Point, Point) {
        let (a, b) = grid.ends[usize::from(grid.factors[usize::from(self.factor)].line)];
        if self.forward { (a, b) } else { (b, a) }
    }
}

/// What is decided where the order of `×` edges leaves the bound above the best trail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Question {
    /// Whether the layer passes one edge (then no other layer does).
    Line(Line),
    /// Whether the layer passes any line of a boundary around points apart from its start: at least two
    /// then, else none beyond it either.
    Boundary(Arc<[Line]>),
}

/// A question about one layer.
pub type Branch = (u8, Question);

/// A decided question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fixed {
    /// The layer.
    pub layer: u8,
    /// What was asked.
    pub question: Question,
    /// The answer.
    pub passes: bool,
}

/// What a node hands on to its children: where their prices begin.
#[derive(Debug, Default)]
pub struct Memory {
    /// A price per line; empty before the first.
    pub prices: Vec<f32>,
    /// Cuts with their prices.
    pub cuts: Vec<Cut>,
}

impl Memory {
    fn bytes(&self) -> usize {
        let cuts = self.cuts.iter();
        let boundaries: usize = cuts.map(|cut| size_of_val(&*cut.boundary)).sum();
        size_of_val(self.prices.as_slice()) + size_of_val(self.cuts.as_slice()) + boundaries
    }
}

/// A node of the search.
#[derive(Debug, Clone)]
pub struct Node {
    /// Nothing in this node scores more than this, scaled.
    pub bound: i64,
    /// Whether the bound is its own; before that it is its parent's.
    pub evaluated: bool,
    /// The `×` edges in the order of the trail, as far as decided.
    pub sequence: Vec<Step>,
    /// Factors that come after them in an order not yet decided.
    pub coming: u64,
    /// Factors that may come or not; only while the sequence is empty.
    pub undecided: u64,
    /// Decisions beside the order: on boundaries of segments, and on lines when the sequence is complete.
    pub fixed: Vec<Fixed>,
    /// The next such decision.
    pub branch: Option<Branch>,
    /// Prices to begin with.
    pub memory: Arc<Memory>,
    /// Cuts in memory hold for layers below this: what was the rest of the parent ends elsewhere now.
    pub cut_layers: usize,
}

impl Node {
    /// Everything undecided.
    #[must_use]
    pub fn root(field: &Field) -> Self {
        let factors = field.grid.factors.len();
        Self {
            bound: field.grid.ceiling() * field.scale,
            evaluated: false,
            sequence: Vec::new(),
            coming: 0,
            undecided: if factors == 0 {
                0
            } else {
                u64::MAX >> (64 - factors)
            },
            fixed: Vec::new(),
            branch: None,
            memory: Arc::default(),
            cut_layers: usize::MAX,
        }
    }

    /// Whether all `×` edges of the trail and their order are decided.
    #[must_use]
    pub fn complete(&self) -> bool {
        self.coming | self.undecided == 0
    }

    /// Bytes that it keeps, its share of the prices that it has in common with its siblings among them.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of::<Queued>()
            + size_of_val(self.sequence.as_slice())
            + size_of_val(self.fixed.as_slice())
            + self.memory.bytes() / Arc::strong_count(&self.memory)
    }

    /// How far it is decided.
    fn depth(&self) -> usize {
        self.sequence.len() + self.fixed.len() + self.coming.count_ones() as usize
    }

    /// Its parts, each with one decision more; none if nothing is left to decide.
    #[must_use]
    pub fn children(&self) -> Vec<Self> {
        let child = Self {
            evaluated: false,
            branch: None,
            cut_layers: usize::MAX,
            ..self.clone()
        };
        if let Some((layer, question)) = &self.branch {
            let fix = |passes| {
                let mut child = child.clone();
                child.fixed.push(Fixed {
                    layer: *layer,
                    question: question.clone(),
                    passes,
                });
                child
            };
            return vec![fix(true), fix(false)];
        }
        if self.undecided != 0 {
            let lowest = self.undecided & self.undecided.wrapping_neg();
            let undecided = self.undecided & !lowest;
            let with = Self {
                undecided,
                coming: self.coming | lowest,
                ..child.clone()
            };
            return vec![with, Self { undecided, ..child }];
        }
        if self.coming != 0 {
            let coming = (0..64).filter(|factor| self.coming >> factor & 1 == 1);
            let steps = coming.flat_map(|factor| {
                [true, false].map(|forward| Step {
                    factor: factor as u8,
                    forward,
                })
            });
            let append = |step: Step| {
                let mut child = child.clone();
                child.cut_layers = child.sequence.len();
                child.coming &= !(1 << step.factor);
                child.sequence.push(step);
                child
            };
            return steps.map(append).collect();
        }
        Vec::new()
    }
}

/// A node in the queue: the highest bound first, then the most decided, then the oldest.
#[derive(Debug)]
pub struct Queued {
    /// The node.
    pub node: Node,
    /// Rises with every node queued.
    pub serial: u64,
    /// What it keeps in memory.
    pub bytes: usize,
}

impl Ord for Queued {
    fn cmp(&self, other: &Self) -> Ordering {
        let (a, b) = (&self.node, &other.node);
        (a.bound.cmp(&b.bound))
            .then(a.depth().cmp(&b.depth()))
            .then(other.serial.cmp(&self.serial))
    }
}

impl PartialOrd for Queued {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Queued {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Queued {}

/// One segment of the trail, or the rest of it, as a T-join with costs.
#[derive(Debug)]
pub struct Layer<L> {
    /// Where it begins.
    pub from: Point,
    /// Where it ends.
    pub to: Point,
    /// Scaled cost per line without prices; absent where it cannot pass.
    pub costs: Vec<L>,
    /// T, one mask per row, after taking the `passed` edges out.
    pub odd: Vec<u32>,
    /// Edges that it passes in any case.
    pub passed: Vec<Line>,
}

/// The layers of `node` and the part of the bound that no layer decides; `None` if it has no trail.
pub fn layers<L: Lane>(field: &Field, node: &Node) -> Option<(Vec<Layer<L>>, i64)> {
    let grid = &field.grid;
    let to_come = |set: u64| grid.factors_in(set).map(|(_, factor)| factor.factor);
    let all = node.coming | node.undecided;
    let highest: i64 = to_come(all).map(|factor| factor.max(1)).product();
    let lowest = to_come(all).min().map_or(1, |factor| factor.min(1));
    // What the score is multiplied by from each segment's end on, the last segment first.
    let mut product: i64 = to_come(node.coming).product();
    let mut products = Vec::with_capacity(node.sequence.len());
    for step in node.sequence.iter().rev() {
        product *= grid.factors[usize::from(step.factor)].factor;
        products.push(product);
    }
    let start_factor = if field.grid.start_score >= 0 {
        product
            * to_come(node.undecided)
                .map(|factor| factor.max(1))
                .product::<i64>()
    } else {
        product
            * to_come(node.undecided)
                .map(|factor| factor.min(1))
                .product::<i64>()
    };
    let mut constant = start_factor * grid.start_score * field.scale;

    let mut from = grid.start;
    let mut built = Vec::with_capacity(node.sequence.len() + 1);
    for index in 0..=node.sequence.len() {
        let last = index == node.sequence.len();
        let (to, next, weights) = if last {
            (grid.goal, grid.goal, (highest, lowest))
        } else {
            let (to, next) = node.sequence[index].ends(grid);
            let product = products[products.len() - 1 - index];
            (to, next, (product, product))
        };
        let rest = if last {
            (node.coming, node.undecided)
        } else {
            (0, 0)
        };
        let (layer, certain) = layer(field, node, index as u8, (from, to), weights, rest)?;
        constant += certain;
        built.push(layer);
        from = next;
    }
    (!crowded(grid, &built)).then_some((built, constant))
}

/// Whether more layers need an edge at some point than there are: each has one at its odd points.
fn crowded<L: Lane>(grid: &Grid, layers: &[Layer<L>]) -> bool {
    let at = |point: usize| (point / grid.columns, point % grid.columns);
    grid.around.iter().enumerate().any(|(point, lines)| {
        let (row, column) = at(point);
        let odd = layers
            .iter()
            .filter(|layer| layer.odd[row] >> column & 1 == 1);
        let usable = |line: &usize| layers.iter().any(|layer| layer.costs[*line].present());
        let lines = lines.iter().map(|(line, _)| usize::from(*line));
        odd.count() > lines.filter(usable).count()
    })
}

/// The layer `index` from `ends.0` to `ends.1`: `+` weighs `weights.0`, `-` weighs `weights.1`; the
/// factors of `rest.0` must be passed, those of `rest.1` may. With it the cost of its fixed edges.
fn layer<L: Lane>(
    field: &Field,
    node: &Node,
    index: u8,
    (from, to): (Point, Point),
    weights: (i64, i64),
    rest: (u64, u64),
) -> Option<(Layer<L>, i64)> {
    let grid = &field.grid;
    let weight = |addend: i64| {
        let weight = if addend >= 0 { weights.0 } else { weights.1 };
        addend * weight * field.scale
    };
    let mut costs: Vec<Option<i64>> = grid
        .additions
        .iter()
        .map(|addition| addition.map(weight))
        .collect();
    for (_, factor) in grid.factors_in(rest.0 | rest.1) {
        costs[usize::from(factor.line)] = Some(0);
    }
    for fixed in &node.fixed {
        match &fixed.question {
            Question::Line(line) if (fixed.layer == index) != fixed.passes => {
                costs[usize::from(*line)] = None;
            }
            Question::Boundary(boundary) if fixed.layer == index && !fixed.passes => {
                for line in boundary.iter() {
                    costs[usize::from(*line)] = None;
                }
            }
            _ => {}
        }
    }
    let open: Vec<bool> = costs.iter().map(Option::is_some).collect();
    let passable = passable(grid, &open, from, to)?;

    let mut odd = vec![0; grid.rows];
    grid.toggle(&mut odd, from);
    grid.toggle(&mut odd, to);
    let own = node
        .fixed
        .iter()
        .filter(|fixed| fixed.layer == index && fixed.passes)
        .filter_map(|fixed| match fixed.question {
            Question::Line(line) => Some(line),
            Question::Boundary(_) => None,
        });
    let forced = grid.factors_in(rest.0).map(|(_, factor)| factor.line);
    let passed: Vec<Line> = own.chain(forced).collect();
    let mut certain = 0;
    for line in &passed {
        if !passable[usize::from(*line)] {
            return None;
        }
        certain += costs[usize::from(*line)].take().unwrap_or(0);
        grid.toggle_ends(&mut odd, *line);
    }
    let lanes = costs
        .iter()
        .zip(&passable)
        .map(|(cost, passable)| match cost {
            Some(cost) if *passable => L::of(*cost),
            _ => L::ABSENT,
        });
    let costs = lanes.collect();
    Some((
        Layer {
            from,
            to,
            costs,
            odd,
            passed,
        },
        certain,
    ))
}
