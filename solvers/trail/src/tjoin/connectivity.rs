//! Blocks without bridges, connected components of an edge set, Euler trails.

use super::grid::{Edge, JoinGrid, Vertex, contains, edges_of, insert};

/// The 2-edge-connected component of each vertex in the graph of the `open` edges and one more edge between the two
/// `joined` vertices, if they differ. A component is named after one of its vertices; the component of the first
/// `joined` vertex is named after that vertex.
pub fn blocks(grid: &JoinGrid, open: &[bool], joined: (Vertex, Vertex)) -> Vec<Vertex> {
    let vertices = grid.vertex_count();
    let mut search = Bridges {
        grid,
        open,
        virtual_ends: joined,
        order: vec![0; vertices],
        visited: 0,
        stack: Vec::with_capacity(vertices),
        blocks: vec![0; vertices],
    };
    for vertex in std::iter::once(joined.0).chain(0..vertices as Vertex) {
        if search.order[usize::from(vertex)] == 0 {
            search.visit(vertex, None);
            // No bridge separates the vertices left on the stack from `vertex`.
            search.leave(0, vertex);
        }
    }
    search.blocks
}

/// The joining edge of [`blocks`] in the search for bridges.
const JOINING: Edge = Edge::MAX;

struct Bridges<'a> {
    grid: &'a JoinGrid,
    open: &'a [bool],
    virtual_ends: (Vertex, Vertex),
    /// The order in which vertices were first seen, from 1; 0 if not yet seen.
    order: Vec<u32>,
    visited: u32,
    stack: Vec<Vertex>,
    /// The result of [`blocks`].
    blocks: Vec<Vertex>,
}

impl Bridges<'_> {
    /// Removes the vertices from `depth` on from the stack and assigns them to the block `name`.
    fn leave(&mut self, depth: usize, name: Vertex) {
        for vertex in self.stack.drain(depth..) {
            self.blocks[usize::from(vertex)] = name;
        }
    }

    /// The order of the earliest vertex that the subtree of `vertex` reaches without the edge by which it was
    /// entered. If that is `vertex` itself, the edge is a bridge and the block of `vertex` is removed from the stack.
    fn visit(&mut self, vertex: Vertex, entered: Option<Edge>) -> u32 {
        self.visited += 1;
        let own = self.visited;
        self.order[usize::from(vertex)] = own;
        self.stack.push(vertex);
        let depth = self.stack.len();
        let mut earliest = own;
        let grid = self.grid;
        for (edge, next) in grid.around(vertex) {
            if self.open[usize::from(*edge)] && entered != Some(*edge) {
                earliest = earliest.min(self.reach(*next, *edge));
            }
        }
        let (from, to) = self.virtual_ends;
        if (vertex == from || vertex == to) && from != to && entered != Some(JOINING) {
            let next = if vertex == from { to } else { from };
            earliest = earliest.min(self.reach(next, JOINING));
        }
        if earliest == own && entered.is_some() {
            self.leave(depth - 1, vertex);
        }
        earliest
    }

    /// The order of the vertex across `edge` if it was seen before, else the result of [`visit`](Self::visit).
    fn reach(&mut self, vertex: Vertex, edge: Edge) -> u32 {
        match self.order[usize::from(vertex)] {
            0 => self.visit(vertex, Some(edge)),
            seen => seen,
        }
    }
}

/// An edge set as bit sets of the upper and left ends of its edges, and one of its components. It keeps its memory.
// PERF: boards up to 8 x 8 need one word, and a component spreads over all its vertices at once. With union-find the
// cuts of a 5x7 board took 21 % of the time of `lagrangian`, with bit sets 14 % (`perf`).
#[derive(Debug, Default)]
pub struct Linked {
    /// The left ends of horizontal edges and the upper ends of vertical edges, with a word of zeros at both ends.
    right: Vec<u64>,
    down: Vec<u64>,
    /// The vertices of the component, in the same layout.
    component: Vec<u64>,
}

impl Linked {
    /// Sets the edge set to `edges`.
    pub fn set(&mut self, grid: &JoinGrid, edges: &[u64]) {
        let words = grid.vertex_count().div_ceil(64);
        for bits in [&mut self.right, &mut self.down, &mut self.component] {
            bits.clear();
            bits.resize(words + 2, 0);
        }
        let word = |at: usize| edges.get(at).copied().unwrap_or(0);
        let from =
            |at: usize| word(at / 64) >> (at % 64) | word(at / 64 + 1) << 1 << (63 - at % 64);
        let held = grid.columns - 1;
        for row in 0..grid.rows {
            let bits = from(row * held) & ((1 << held) - 1);
            let at = row * grid.columns;
            self.right[at / 64 + 1] |= bits << (at % 64);
            self.right[at / 64 + 2] |= bits >> 1 >> (63 - at % 64);
        }
        for at in 0..words {
            self.down[at + 1] = from(grid.rows * held + 64 * at);
        }
    }

    /// Sets the component to that of `from`.
    pub fn spread(&mut self, grid: &JoinGrid, from: Vertex) {
        let (right, down, columns) = (&self.right, &self.down, grid.columns as u32);
        let seen = &mut self.component;
        seen.fill(0);
        seen[usize::from(from) / 64 + 1] = 1 << (from % 64);
        let mut grew = true;
        while std::mem::take(&mut grew) {
            for word in 1..seen.len() - 1 {
                let (right_here, down_here) = (right[word], down[word]);
                let (before, after) = (seen[word - 1], seen[word + 1]);
                let mut next = seen[word]
                    | (before & right[word - 1]) >> 63
                    | (before & down[word - 1]) >> (64 - columns)
                    | after << 63 & right_here
                    | after << (64 - columns) & down_here;
                let mut here = 0;
                while here != next {
                    here = next;
                    next |= (here & right_here) << 1
                        | here >> 1 & right_here
                        | (here & down_here) << columns
                        | here >> columns & down_here;
                }
                grew |= here != seen[word];
                seen[word] = here;
            }
        }
    }

    /// Writes the edges of the grid with exactly one end in the component to `into`, in ascending order.
    pub fn boundary(&self, grid: &JoinGrid, into: &mut Vec<Edge>) {
        into.clear();
        let (columns, vertices) = (grid.columns, grid.vertex_count());
        let mut crossing = |apart: usize, edge_of: &dyn Fn(usize) -> Option<usize>| {
            for word in 1..self.component.len() - 1 {
                let (here, after) = (self.component[word], self.component[word + 1]);
                let mut ends = here ^ (here >> apart | after << (64 - apart));
                while ends != 0 {
                    let vertex = (word - 1) * 64 + ends.trailing_zeros() as usize;
                    ends &= ends - 1;
                    into.extend(edge_of(vertex).map(|edge| edge as Edge));
                }
            }
        };
        crossing(1, &|vertex| {
            (vertex % columns + 1 != columns).then(|| vertex - vertex / columns)
        });
        let horizontal = grid.rows * (columns - 1);
        crossing(columns, &|vertex| {
            (vertex + columns < vertices).then_some(horizontal + vertex)
        });
    }

    /// Returns whether the component contains all edges of the set.
    pub fn is_all(&self) -> bool {
        let edges = self.right.iter().zip(&self.down);
        let mut words = edges.zip(&self.component);
        words.all(|((right, down), seen)| (right | down) & !seen == 0)
    }

    /// Returns whether the upper or left end of `edge` is in the component.
    #[inline]
    pub fn reaches(&self, grid: &JoinGrid, edge: Edge) -> bool {
        let vertex = grid.ends[usize::from(edge)].0;
        self.component[usize::from(vertex) / 64 + 1] >> (vertex % 64) & 1 == 1
    }

    /// Removes from `edges` those that are not in the component of `from`; returns whether none was removed.
    pub fn keep(&mut self, grid: &JoinGrid, edges: &mut [u64], from: Vertex) -> bool {
        self.set(grid, edges);
        self.spread(grid, from);
        let all = edges.to_vec();
        edges.fill(0);
        let kept = edges_of(&all).filter(|edge| self.reaches(grid, *edge));
        kept.for_each(|edge| insert(edges, edge));
        self.is_all()
    }
}

/// Appends to `trail` the vertices after `from` of an Euler trail that passes each of `edges` once
/// (Hierholzer). The edges must be connected and have no odd vertices except the two ends.
pub fn euler_trail(grid: &JoinGrid, edges: &[u64], from: Vertex, trail: &mut Vec<Vertex>) {
    let mut left = edges.to_vec();
    let mut stack = vec![from];
    let mut backward = Vec::new();
    while let Some(&vertex) = stack.last() {
        let mut around = grid.around(vertex).iter();
        match around.find(|(edge, _)| contains(&left, *edge)) {
            Some(&(edge, next)) => {
                left[usize::from(edge / 64)] ^= 1 << (edge % 64);
                stack.push(next);
            }
            None => {
                backward.push(vertex);
                stack.pop();
            }
        }
    }
    trail.extend(backward.iter().rev().skip(1));
}
