//! The puzzle by the numbers of its text: ends of edges, the order of the scan, which edges a segment can pass at all.

use crate::puzzle::{Edge, EdgeOperation, Puzzle, Vertex};
use ikeru_core::Score;

/// A vertex in the order of the scan.
pub struct LayoutPlace {
    /// The vertex.
    pub number: Vertex,
    /// Its place in its line.
    pub place: usize,
    /// The edge to the next place.
    pub along: Option<Edge>,
    /// The edge to the next line.
    pub across: Option<Edge>,
}

/// The puzzle by the numbers of its text.
pub struct Layout {
    /// How many vertices there are.
    pub vertices: usize,
    /// Both ends of every edge, the lower number first.
    pub ends: Vec<(Vertex, Vertex)>,
    /// An edge that leads to the vertex from a lower number; none does to vertex 0.
    entered: Vec<Edge>,
    /// What passing each edge does.
    pub operations: Vec<EdgeOperation>,
    /// Whether the route so far leaves the edge.
    pub free: Vec<bool>,
    /// Where the route so far ends.
    pub start: Vertex,
    /// Where every trail ends.
    pub goal: Vertex,
    /// The score at `start`.
    pub start_score: Score,
    /// Vertices in a line: the shorter side.
    pub line: usize,
    /// All vertices, line by line.
    pub order: Vec<LayoutPlace>,
}

impl Layout {
    pub(super) fn of(puzzle: &Puzzle) -> Self {
        let (width, height) = (puzzle.board().width(), puzzle.board().height());
        // The text has the edges to the right of a row, then those downward.
        let (mut right, mut down) = (vec![None; width * height], vec![None; width * height]);
        let mut ends = Vec::new();
        for y in 0..height {
            for x in 0..width - 1 {
                right[y * width + x] = Some(ends.len());
                ends.push((y * width + x, y * width + x + 1));
            }
            for x in (0..width).filter(|_| y + 1 < height) {
                down[y * width + x] = Some(ends.len());
                ends.push((y * width + x, (y + 1) * width + x));
            }
        }
        let mut entered = vec![0; width * height];
        for (edge, (_, to)) in ends.iter().enumerate() {
            entered[*to] = edge;
        }
        let operations = puzzle.board().operations().to_vec();
        let mut free = vec![true; ends.len()];
        let mut start_score = 1;
        for step in puzzle.route().windows(2) {
            let (low, high) = (step[0].min(step[1]), step[0].max(step[1]));
            let edge = if high == low + 1 && right[low].is_some() {
                right[low]
            } else {
                down[low]
            };
            if let Some(edge) = edge {
                free[edge] = false;
                start_score = match operations[edge] {
                    EdgeOperation::Add(addend) => start_score + addend,
                    EdgeOperation::Multiply(factor) => start_score * factor,
                };
            }
        }
        let upright = width <= height;
        let (line, lines) = if upright {
            (width, height)
        } else {
            (height, width)
        };
        let order = (0..lines * line).map(|at| {
            let (outer, place) = (at / line, at % line);
            let number = if upright { at } else { place * width + outer };
            let (along, across) = if upright {
                (&right, &down)
            } else {
                (&down, &right)
            };
            LayoutPlace {
                number,
                place,
                along: along[number],
                across: across[number],
            }
        });
        Self {
            vertices: width * height,
            order: order.collect(),
            start: puzzle.route().last().copied().unwrap_or(0),
            goal: puzzle.goal(),
            entered,
            ends,
            operations,
            free,
            start_score,
            line,
        }
    }

    /// What the edge multiplies by.
    pub fn factor(&self, edge: Edge) -> i64 {
        match self.operations[edge] {
            EdgeOperation::Multiply(factor) => factor,
            EdgeOperation::Add(_) => 1,
        }
    }

    /// All free edges that multiply by something else than 1.
    pub(super) fn factors(&self) -> Vec<Edge> {
        let multiplies = |edge: &Edge| self.free[*edge] && self.factor(*edge) != 1;
        (0..self.ends.len()).filter(multiplies).collect()
    }

    /// No trail scores more: all that can be added above zero, times all factors above one.
    pub(super) fn ceiling(&self) -> Option<Score> {
        let (mut sum, mut product) = (self.start_score.max(0), 1_i64);
        for edge in (0..self.ends.len()).filter(|edge| self.free[*edge]) {
            match self.operations[edge] {
                EdgeOperation::Add(addend) => sum = sum.checked_add(addend.max(0))?,
                EdgeOperation::Multiply(factor) => product = product.checked_mul(factor.max(1))?,
            }
        }
        sum.checked_mul(product)
    }

    /// Which side of a boundary each vertex is on; `None` if the edges bound no set of vertices.
    pub fn sides(&self, boundary: &[Edge]) -> Option<Vec<bool>> {
        let mut crosses = vec![false; self.ends.len()];
        for edge in boundary {
            crosses[*edge] = true;
        }
        let mut side = vec![false; self.vertices];
        for vertex in 1..self.vertices {
            let edge = self.entered[vertex];
            side[vertex] = side[self.ends[edge].0] != crosses[edge];
        }
        let agrees =
            |edge: usize| (side[self.ends[edge].0] != side[self.ends[edge].1]) == crosses[edge];
        (0..self.ends.len()).all(agrees).then_some(side)
    }

    /// Takes away the edges that no trail between `ends` can pass. False if there is no such trail.
    ///
    /// With one more edge that joins the ends, a trail is part of a closed one. A closed trail passes no
    /// bridge, an edge whose ends are not connected without it. So what is left when all bridges are gone, around the start.
    pub fn keep_passable(&self, costs: &mut [Option<i64>], (from, to): (Vertex, Vertex)) -> bool {
        let mut edges: Vec<(Vertex, Vertex, Option<Edge>)> = (0..costs.len())
            .filter(|edge| costs[*edge].is_some())
            .map(|edge| (self.ends[edge].0, self.ends[edge].1, Some(edge)))
            .collect();
        if from != to {
            edges.push((from, to, None));
        }
        let bridge = bridges(self.vertices, &edges);
        if edges
            .iter()
            .zip(&bridge)
            .any(|(edge, bridge)| edge.2.is_none() && *bridge)
        {
            return false;
        }
        let mut group: Vec<usize> = (0..self.vertices).collect();
        for (edge, _) in edges.iter().zip(&bridge).filter(|(_, bridge)| !**bridge) {
            join(&mut group, edge.0, edge.1);
        }
        let home = root(&group, from);
        for ((one, _, edge), bridge) in edges.iter().zip(&bridge) {
            if let Some(edge) = edge
                && (*bridge || root(&group, *one) != home)
            {
                costs[*edge] = None;
            }
        }
        true
    }
}

/// The group of a vertex in a union–find forest.
fn root(group: &[usize], mut vertex: usize) -> usize {
    while group[vertex] != vertex {
        vertex = group[vertex];
    }
    vertex
}

fn join(group: &mut [usize], one: usize, two: usize) -> bool {
    let (one, two) = (root(group, one), root(group, two));
    group[one] = two;
    one != two
}

/// Which edges are bridges: those of a spanning forest that no other edge spans.
///
/// The path between the ends of each edge outside the forest is merged into one group; an edge of the forest
/// within a group is no bridge.
fn bridges(vertices: usize, edges: &[(Vertex, Vertex, Option<Edge>)]) -> Vec<bool> {
    let mut group: Vec<usize> = (0..vertices).collect();
    let in_forest: Vec<bool> = edges
        .iter()
        .map(|edge| join(&mut group, edge.0, edge.1))
        .collect();
    let mut around = vec![Vec::new(); vertices];
    for (edge, _) in edges.iter().zip(&in_forest).filter(|(_, inside)| **inside) {
        around[edge.0].push(edge.1);
        around[edge.1].push(edge.0);
    }
    // Parents and depths in the forest.
    let (mut parent, mut depth) = (vec![usize::MAX; vertices], vec![usize::MAX; vertices]);
    for start in 0..vertices {
        if depth[start] != usize::MAX {
            continue;
        }
        (parent[start], depth[start]) = (start, 0);
        let mut stack = vec![start];
        while let Some(vertex) = stack.pop() {
            for &next in &around[vertex] {
                if depth[next] == usize::MAX {
                    (parent[next], depth[next]) = (vertex, depth[vertex] + 1);
                    stack.push(next);
                }
            }
        }
    }
    // The group of a vertex is named by its vertex nearest to the root.
    let mut merged: Vec<usize> = (0..vertices).collect();
    for (edge, _) in edges.iter().zip(&in_forest).filter(|(_, inside)| !**inside) {
        let (mut one, mut two) = (root(&merged, edge.0), root(&merged, edge.1));
        while one != two {
            if depth[one] < depth[two] {
                (one, two) = (two, one);
            }
            merged[one] = parent[one];
            one = root(&merged, one);
        }
    }
    let bridge = |(edge, inside): (&(Vertex, Vertex, Option<Edge>), &bool)| {
        *inside && root(&merged, edge.0) != root(&merged, edge.1)
    };
    edges.iter().zip(&in_forest).map(bridge).collect()
}
