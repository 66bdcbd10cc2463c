//! The puzzle with the vertex and edge numbers of its text: the ends of edges, the order of the scan, the edges that a
//! segment can pass at all.

use ikeru_core::Score;
use ikeru_trail::puzzle::{Edge, EdgeOperation, Puzzle, Vertex};

/// A vertex in the order of the scan.
pub struct LayoutPlace {
    /// The vertex's number.
    pub number: Vertex,
    /// Its place in its line.
    pub place: usize,
    /// The edge to the next place.
    pub along: Option<Edge>,
    /// The edge to the next line.
    pub across: Option<Edge>,
}

/// The puzzle with the vertex and edge numbers of its text.
pub struct Layout {
    /// The number of vertices.
    pub vertices: usize,
    /// Both ends of every edge, the lower number first.
    pub ends: Vec<(Vertex, Vertex)>,
    /// For each vertex an edge from a vertex with a lower number; unused for vertex 0, which has none.
    entered: Vec<Edge>,
    /// The operation of each edge.
    pub operations: Vec<EdgeOperation>,
    /// True for each edge that the route so far has not passed.
    pub free: Vec<bool>,
    /// The last vertex of the route so far.
    pub start: Vertex,
    /// The last vertex of every trail.
    pub goal: Vertex,
    /// The score at `start`.
    pub start_score: Score,
    /// The number of vertices in a line, which is along the shorter side.
    pub line: usize,
    /// All vertices, line by line.
    pub order: Vec<LayoutPlace>,
}

impl Layout {
    pub(crate) fn of(puzzle: &Puzzle) -> Self {
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

    /// The factor of the edge; 1 for an addition.
    pub fn factor(&self, edge: Edge) -> i64 {
        match self.operations[edge] {
            EdgeOperation::Multiply(factor) => factor,
            EdgeOperation::Add(_) => 1,
        }
    }

    /// All free edges with a factor other than 1.
    pub(crate) fn factors(&self) -> Vec<Edge> {
        let multiplies = |edge: &Edge| self.free[*edge] && self.factor(*edge) != 1;
        (0..self.ends.len()).filter(multiplies).collect()
    }

    /// An upper bound on the score of every trail: the score so far plus all free additions above zero, times all free
    /// factors above one.
    pub(crate) fn ceiling(&self) -> Option<Score> {
        let (mut sum, mut product) = (self.start_score.max(0), 1_i64);
        for edge in (0..self.ends.len()).filter(|edge| self.free[*edge]) {
            match self.operations[edge] {
                EdgeOperation::Add(addend) => sum = sum.checked_add(addend.max(0))?,
                EdgeOperation::Multiply(factor) => product = product.checked_mul(factor.max(1))?,
            }
        }
        sum.checked_mul(product)
    }

    /// The side of the boundary on which each vertex is; `None` if the edges are not the boundary of a vertex set.
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

    /// Removes the costs of the edges that no trail between the two ends can pass. Returns false if there is no such
    /// trail.
    ///
    /// With one more edge that joins the ends, a trail becomes part of a closed trail. A closed trail passes no
    /// bridge (an edge whose ends are not connected without it). The passable edges are therefore those in the
    /// component of the start after all bridges are removed.
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

/// The representative of a vertex's group in a union–find forest.
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

/// Returns for each edge whether it is a bridge: an edge of a spanning forest that is on no cycle.
///
/// The forest path between the ends of each edge outside the forest is merged into one group; a forest edge within a
/// group is not a bridge.
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
    // The representative of a group is its vertex nearest to the root.
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
