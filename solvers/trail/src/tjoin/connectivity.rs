//! The edges that a trail can pass at all, the connected components of an edge set, Euler trails.

use super::grid::{Edge, JoinGrid, Vertex};

/// Which edges some trail from `from` to `to` can pass, if only those with `open[edge]` may be
/// passed; empty if none leads there.
///
/// Join both ends by one more edge: an edge lies on a trail between them if and only if it lies in the
/// same 2-edge-connected component as that edge (Menger). Bridges are found by depth-first search.
pub fn passable(grid: &JoinGrid, open: &[bool], from: Vertex, to: Vertex) -> Option<Vec<bool>> {
    let mut search = Bridges {
        grid,
        open,
        virtual_ends: (from, to),
        order: vec![0; grid.around.len()],
        visited: 0,
        stack: Vec::with_capacity(grid.around.len()),
        component: vec![false; grid.around.len()],
    };
    search.visit(from, None);
    // What is left on the stack has no bridge between itself and `from`.
    for vertex in std::mem::take(&mut search.stack) {
        search.component[usize::from(vertex)] = true;
    }
    let inside = |vertex: Vertex| search.component[usize::from(vertex)];
    if !inside(to) {
        return None;
    }
    let both = |edge: usize| inside(grid.ends[edge].0) && inside(grid.ends[edge].1);
    Some(
        (0..grid.edge_count())
            .map(|edge| open[edge] && both(edge))
            .collect(),
    )
}

/// The joining edge of [`passable`] in the search for bridges.
const JOINING: Edge = Edge::MAX;

struct Bridges<'a> {
    grid: &'a JoinGrid,
    open: &'a [bool],
    virtual_ends: (Vertex, Vertex),
    /// When a vertex was first seen, from 1; 0 not yet.
    order: Vec<u32>,
    visited: u32,
    stack: Vec<Vertex>,
    component: Vec<bool>,
}

impl Bridges<'_> {
    /// The earliest vertex that the subtree of `vertex` reaches without the edge it was entered by.
    /// A subtree that reaches nothing earlier hangs on a bridge and leaves the stack.
    fn visit(&mut self, vertex: Vertex, entered: Option<Edge>) -> u32 {
        self.visited += 1;
        let own = self.visited;
        self.order[usize::from(vertex)] = own;
        self.stack.push(vertex);
        let depth = self.stack.len();
        let mut earliest = own;
        let grid = self.grid;
        for (edge, next) in &grid.around[usize::from(vertex)] {
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
            self.stack.truncate(depth - 1);
        }
        earliest
    }

    /// When the vertex across `edge` was first seen, or what its subtree reaches if that is now.
    fn reach(&mut self, vertex: Vertex, edge: Edge) -> u32 {
        match self.order[usize::from(vertex)] {
            0 => self.visit(vertex, Some(edge)),
            seen => seen,
        }
    }
}

/// Connected components of an edge set, over all vertices: union–find. Keeps its memory.
#[derive(Debug, Default)]
pub struct Components {
    /// A forest whose roots name the components; no vertex comes after its parent.
    parent: Vec<Vertex>,
}

impl Components {
    /// Joins the ends of `edges`.
    // PERF: the last vertex is the root, as T-joins have their last edges first: then trees stay flat.
    pub fn unite(&mut self, grid: &JoinGrid, edges: impl IntoIterator<Item = Edge>) {
        self.parent.clear();
        self.parent.extend(0..grid.around.len() as Vertex);
        for edge in edges {
            let (from, to) = grid.ends[usize::from(edge)];
            let (from, to) = (self.find(from), self.find(to));
            self.parent[usize::from(from.min(to))] = from.max(to);
        }
    }

    /// The components of all vertices.
    // PERF: parents go first, so that each vertex finds its root in one step.
    pub fn all(&mut self) -> &[Vertex] {
        for vertex in (0..self.parent.len()).rev() {
            let parent = self.parent[vertex];
            self.parent[vertex] = self.parent[usize::from(parent)];
        }
        &self.parent
    }

    /// The component of a vertex, named by its last vertex.
    #[inline]
    pub fn of(&self, mut vertex: Vertex) -> Vertex {
        loop {
            let parent = self.parent[usize::from(vertex)];
            if parent == vertex {
                return vertex;
            }
            vertex = parent;
        }
    }

    fn find(&mut self, mut vertex: Vertex) -> Vertex {
        loop {
            let parent = self.parent[usize::from(vertex)];
            if parent == vertex {
                return vertex;
            }
            let grand = self.parent[usize::from(parent)];
            self.parent[usize::from(vertex)] = grand;
            vertex = grand;
        }
    }
}

/// Appends to `trail` the vertices after `from` of an Euler trail that passes all `edges` once
/// (Hierholzer). They must be connected and have no odd vertices but the two ends.
pub fn euler_trail(grid: &JoinGrid, edges: &[Edge], from: Vertex, trail: &mut Vec<Vertex>) {
    let mut left = vec![false; grid.edge_count()];
    for edge in edges {
        left[usize::from(*edge)] = true;
    }
    let mut stack = vec![from];
    let mut backward = Vec::with_capacity(edges.len() + 1);
    while let Some(&vertex) = stack.last() {
        let mut around = grid.around[usize::from(vertex)].iter();
        match around.find(|(edge, _)| left[usize::from(*edge)]) {
            Some(&(edge, next)) => {
                left[usize::from(edge)] = false;
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
