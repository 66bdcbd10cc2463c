//! The board prepared for the dynamic program: transposed if needed so that a row is the shorter side, with the
//! horizontal edges of all rows first, then the vertical edges.

use crate::puzzle::{self, EdgeOperation, Puzzle};

/// An edge in the order of the dynamic program: horizontal edges row by row, then vertical edges row by row.
pub type Edge = u16;
/// A vertex of the transposed board, `row * columns + column`.
pub type Vertex = u16;

/// A `×` edge other than `×1`, which counts as `+0`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FactorEdge {
    /// The edge.
    pub edge: Edge,
    /// The factor, 0 or at least 2.
    pub factor: i64,
}

/// A puzzle's free edges in the order of the dynamic program.
#[derive(Debug)]
pub struct JoinGrid {
    /// Vertices in a row: the shorter side.
    pub columns: usize,
    /// Vertices in a column: the longer side.
    pub rows: usize,
    /// Both ends of every edge, the upper or left one first.
    pub ends: Vec<(Vertex, Vertex)>,
    /// Edges and neighbours of every vertex, and their number.
    around: Vec<([(Edge, Vertex); 4], usize)>,
    /// The addend of each edge; `None` for a `×` edge and for an edge already passed.
    pub additions: Vec<Option<i64>>,
    /// The `×` edges, the largest factor first.
    pub factors: Vec<FactorEdge>,
    /// The vertex at which the search begins.
    pub start: Vertex,
    /// The last vertex of the trail.
    pub goal: Vertex,
    /// The score at `start`.
    pub start_score: i64,
    turned: bool,
}

/// The mark of an edge in fingerprints (the mixing function of splitmix64).
fn mark(edge: Edge) -> u64 {
    let mixed = (u64::from(edge) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}

/// The edges of a bit set.
pub fn edges_of(set: &[u64]) -> impl Iterator<Item = Edge> + Clone + '_ {
    set.iter().enumerate().flat_map(|(word, bits)| {
        let mut left = *bits;
        std::iter::from_fn(move || {
            let edge = (left != 0).then(|| 64 * word + left.trailing_zeros() as usize);
            left &= left.wrapping_sub(1);
            edge.map(|edge| edge as Edge)
        })
    })
}

/// Adds `edge` to a set.
#[inline]
pub fn insert(set: &mut [u64], edge: Edge) {
    set[usize::from(edge / 64)] |= 1 << (edge % 64);
}

/// Returns whether a set contains `edge`.
#[inline]
pub fn contains(set: &[u64], edge: Edge) -> bool {
    set[usize::from(edge / 64)] >> (edge % 64) & 1 == 1
}

impl JoinGrid {
    /// The free edges of `puzzle`.
    pub fn new(puzzle: &Puzzle) -> Self {
        let board = puzzle.board();
        let turned = board.width() > board.height();
        let (columns, rows) = if turned {
            (board.height(), board.width())
        } else {
            (board.width(), board.height())
        };
        let mut grid = Self {
            columns,
            rows,
            ends: Vec::new(),
            around: vec![Default::default(); columns * rows],
            additions: Vec::new(),
            factors: Vec::new(),
            start: 0,
            goal: 0,
            start_score: puzzle.position_score(),
            turned,
        };
        grid.start = grid.vertex(puzzle, puzzle.position());
        grid.goal = grid.vertex(puzzle, puzzle.goal());
        let horizontal = (0..rows).flat_map(|row| {
            (0..columns - 1).map(move |column| (row * columns + column, row * columns + column + 1))
        });
        let vertical = (0..(rows - 1) * columns).map(|upper| (upper, upper + columns));
        let passed = puzzle.passed_edges();
        for (from, to) in horizontal.chain(vertical) {
            let (from, to) = (from as Vertex, to as Vertex);
            let edge = grid.ends.len() as Edge;
            grid.ends.push((from, to));
            for (vertex, other) in [(from, to), (to, from)] {
                let (around, count) = &mut grid.around[usize::from(vertex)];
                around[*count] = (edge, other);
                *count += 1;
            }
            let (a, b) = (
                grid.board_vertex(puzzle, from),
                grid.board_vertex(puzzle, to),
            );
            let free = board
                .edge_between(a, b)
                .filter(|number| !passed.contains(number));
            let mut addition = None;
            match free.map(|number| board.operations()[number]) {
                Some(EdgeOperation::Add(addend)) => addition = Some(addend),
                Some(EdgeOperation::Multiply(1)) => addition = Some(0),
                Some(EdgeOperation::Multiply(factor)) => {
                    grid.factors.push(FactorEdge { edge, factor });
                }
                None => {}
            }
            grid.additions.push(addition);
        }
        grid.factors.sort_by_key(|factor| -factor.factor);
        grid
    }

    /// A hash of a set of edges; on boards of at most 64 edges it is the set itself.
    #[inline]
    pub fn fingerprint(&self, edges: &[Edge]) -> u64 {
        let edges = edges.iter();
        if self.edge_count() <= 64 {
            return edges.fold(0, |set, edge| set | 1 << edge);
        }
        edges.fold(0, |sum, edge| sum ^ mark(*edge))
    }

    /// Words of a set of edges.
    pub fn words(&self) -> usize {
        self.edge_count().div_ceil(64)
    }

    /// Edges and neighbours of `vertex`.
    #[inline]
    pub fn around(&self, vertex: Vertex) -> &[(Edge, Vertex)] {
        let (around, count) = &self.around[usize::from(vertex)];
        &around[..*count]
    }

    /// The number of vertices.
    pub fn vertex_count(&self) -> usize {
        self.around.len()
    }

    /// The number of edges.
    pub fn edge_count(&self) -> usize {
        self.ends.len()
    }

    /// The puzzle's number of a vertex.
    pub fn board_vertex(&self, puzzle: &Puzzle, vertex: Vertex) -> puzzle::Vertex {
        let (row, column) = (
            usize::from(vertex) / self.columns,
            usize::from(vertex) % self.columns,
        );
        let (x, y) = if self.turned {
            (row, column)
        } else {
            (column, row)
        };
        y * puzzle.board().width() + x
    }

    fn vertex(&self, puzzle: &Puzzle, number: puzzle::Vertex) -> Vertex {
        let (x, y) = (
            number % puzzle.board().width(),
            number / puzzle.board().width(),
        );
        let (row, column) = if self.turned { (x, y) } else { (y, x) };
        (row * self.columns + column) as Vertex
    }

    /// Toggles `vertex` in a set of vertices with one mask per row.
    #[inline]
    pub fn toggle(&self, odd: &mut [u64], vertex: Vertex) {
        let vertex = usize::from(vertex);
        odd[vertex / self.columns] ^= 1 << (vertex % self.columns);
    }

    /// Toggles both ends of `edge`.
    pub fn toggle_ends(&self, odd: &mut [u64], edge: Edge) {
        let (from, to) = self.ends[usize::from(edge)];
        self.toggle(odd, from);
        self.toggle(odd, to);
    }

    /// The set of the indices of all factors; there must be at most 64 factors.
    pub fn all_factors(&self) -> u64 {
        let absent = 64 - self.factors.len() as u32;
        u64::MAX.checked_shr(absent).unwrap_or(0)
    }

    /// The factors of a set of indices, with their indices.
    pub fn factors_in(&self, set: u64) -> impl Iterator<Item = (usize, FactorEdge)> + '_ {
        let chosen = self.factors.iter().copied().enumerate();
        chosen.filter(move |(index, _)| set >> index & 1 == 1)
    }

    /// The product of all factors times the sum of all |additions|, the |score| at the start, and one multiplier per
    /// edge, of which each may be as large as the largest |addition|; `None` if it overflows.
    pub fn largest_sum(&self) -> Option<i64> {
        let mut factors = self.factors.iter().map(|factor| factor.factor.max(1));
        let product = factors.try_fold(1_i64, i64::checked_mul)?;
        let sizes = self.additions.iter().flatten().map(|addend| addend.abs());
        let largest = sizes.clone().max().unwrap_or(0);
        let multipliers = largest.checked_mul(self.edge_count() as i64)?;
        let sum = sizes.sum::<i64>().checked_add(multipliers)?;
        let start = self.start_score.checked_abs()?;
        Some(sum.checked_add(start)?.checked_mul(product)?.max(1))
    }
}
