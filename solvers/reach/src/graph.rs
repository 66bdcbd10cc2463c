//! An undirected simple graph as flat arrays. The module checks that a map is legal (no loops, no double edges, both
//! directions of every edge); it does not know players or steps.

use std::fmt;
use std::ops::Range;

/// A vertex number, from 0.
pub type Vertex = u32;

/// An undirected simple graph: the neighbours of all vertices, one list after another.
///
/// An *arc* is one direction of an edge; arc `a` of [`arcs`](Graph::arcs)`(v)` leads from `v` to
/// `head(a)`, so arcs are numbered `0..2·edges` in the order of the lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Graph {
    /// The start of the list of each vertex, and the end of the last list.
    offsets: Box<[u32]>,
    /// The lists, with neighbours in the order of the map.
    heads: Box<[Vertex]>,
    max_degree: usize,
}

/// An error in the list of one vertex.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GraphError {
    /// The vertex with this list.
    pub vertex: Vertex,
    /// The fault in the list.
    pub fault: Fault,
}

/// A fault that a list of neighbours cannot have in an undirected simple graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The vertex is its own neighbour.
    Loop,
    /// A neighbour is listed twice.
    Double(Vertex),
    /// A neighbour does not list the vertex in turn.
    OneSided(Vertex),
}

impl fmt::Display for GraphError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let vertex = self.vertex;
        match self.fault {
            Fault::Loop => write!(f, "vertex {vertex} is its own neighbour, expected another"),
            Fault::Double(other) => write!(
                f,
                "vertex {vertex} names its neighbour {other} twice, expected once"
            ),
            Fault::OneSided(other) => write!(
                f,
                "vertex {vertex} names {other} but {other} does not name {vertex}, expected both or none"
            ),
        }
    }
}

/// The most arcs of a graph: arc numbers are `u32`.
pub const MAX_ARCS: usize = u32::MAX as usize / 2;

impl Graph {
    /// The graph whose vertex `v` has the neighbours `heads[offsets[v]..offsets[v + 1]]`.
    ///
    /// # Errors
    /// The first list with a loop or a double edge, or with an edge that its other vertex does not list.
    ///
    /// # Panics
    /// If `offsets` does not end with `heads.len()` or a head is not a vertex.
    pub fn new(offsets: Vec<u32>, heads: Vec<Vertex>) -> Result<Self, GraphError> {
        let graph = Self::unchecked(offsets, heads);
        graph.check()?;
        Ok(graph)
    }

    /// The graph with `edges`; every vertex lists its neighbours in the order of the edges. The edges must form a
    /// simple graph.
    pub fn from_edges(vertices: usize, edges: &[(Vertex, Vertex)]) -> Self {
        let mut offsets = vec![0_u32; vertices + 1];
        for &(a, b) in edges {
            offsets[a as usize + 1] += 1;
            offsets[b as usize + 1] += 1;
        }
        for vertex in 0..vertices {
            offsets[vertex + 1] += offsets[vertex];
        }
        let mut next = offsets.clone();
        let mut heads = vec![0; 2 * edges.len()];
        for &(a, b) in edges {
            for (tail, head) in [(a, b), (b, a)] {
                heads[next[tail as usize] as usize] = head;
                next[tail as usize] += 1;
            }
        }
        let graph = Self::unchecked(offsets, heads);
        debug_assert_eq!(graph.check(), Ok(()));
        graph
    }

    fn unchecked(offsets: Vec<u32>, heads: Vec<Vertex>) -> Self {
        assert_eq!(offsets.last().copied(), Some(heads.len() as u32));
        let max_degree = offsets.windows(2).map(|pair| pair[1] - pair[0]).max();
        Self {
            max_degree: max_degree.unwrap_or(0) as usize,
            offsets: offsets.into_boxed_slice(),
            heads: heads.into_boxed_slice(),
        }
    }

    fn check(&self) -> Result<(), GraphError> {
        let fault = |vertex, fault| Err(GraphError { vertex, fault });
        let mut named_by = vec![Vertex::MAX; self.vertices()];
        for vertex in self.all() {
            for &head in self.neighbours(vertex) {
                if head == vertex {
                    return fault(vertex, Fault::Loop);
                }
                if named_by[head as usize] == vertex {
                    return fault(vertex, Fault::Double(head));
                }
                named_by[head as usize] = vertex;
            }
        }
        // If every edge has both directions, sorting the arcs by head and tail gives the same pairs as sorting by
        // tail and head.
        let mut incoming = self.offsets.to_vec();
        let mut tails = vec![Vertex::MAX; self.heads.len()];
        for vertex in self.all() {
            for &head in self.neighbours(vertex) {
                let place = &mut incoming[head as usize];
                if *place < self.offsets[head as usize + 1] {
                    tails[*place as usize] = vertex;
                    *place += 1;
                } else {
                    // More vertices name `head` than it names: find one that it does not name.
                    let stranger = self.all().find(|&tail| {
                        self.neighbours(tail).contains(&head)
                            && !self.neighbours(head).contains(&tail)
                    });
                    let tail = stranger.unwrap_or(vertex);
                    return fault(tail, Fault::OneSided(head));
                }
            }
        }
        let mut own: Vec<Vertex> = Vec::new();
        for vertex in self.all() {
            own.clear();
            own.extend_from_slice(self.neighbours(vertex));
            own.sort_unstable();
            let naming = &tails[self.arcs(vertex)];
            for (&mine, &theirs) in own.iter().zip(naming) {
                if mine < theirs {
                    return fault(vertex, Fault::OneSided(mine));
                }
                if mine > theirs {
                    return fault(theirs, Fault::OneSided(vertex));
                }
            }
        }
        Ok(())
    }

    /// The number of vertices.
    pub fn vertices(&self) -> usize {
        self.offsets.len() - 1
    }

    /// All vertices, from 0.
    pub fn all(&self) -> Range<Vertex> {
        0..self.vertices() as Vertex
    }

    /// The number of edges.
    pub fn edges(&self) -> usize {
        self.heads.len() / 2
    }

    /// The number of arcs: two for each edge.
    pub fn arc_count(&self) -> usize {
        self.heads.len()
    }

    /// The largest number of neighbours of any vertex.
    pub fn max_degree(&self) -> usize {
        self.max_degree
    }

    /// The number of neighbours of `vertex`.
    pub fn degree(&self, vertex: Vertex) -> usize {
        self.arcs(vertex).len()
    }

    /// The arcs that leave `vertex`.
    #[inline]
    pub fn arcs(&self, vertex: Vertex) -> Range<usize> {
        self.offsets[vertex as usize] as usize..self.offsets[vertex as usize + 1] as usize
    }

    /// The neighbours of `vertex`, in the order of its arcs.
    #[inline]
    pub fn neighbours(&self, vertex: Vertex) -> &[Vertex] {
        &self.heads[self.arcs(vertex)]
    }

    /// The vertex to which `arc` leads.
    #[inline]
    pub fn head(&self, arc: usize) -> Vertex {
        self.heads[arc]
    }

    /// For every arc, the arc of the opposite direction.
    pub fn reverse_arcs(&self) -> Vec<u32> {
        let mut reverse = vec![0_u32; self.heads.len()];
        // If tails are visited in rising order, the k-th visit to a head comes from its k-th neighbour by number.
        let mut by_number: Vec<u32> = (0..self.heads.len() as u32).collect();
        for vertex in self.all() {
            by_number[self.arcs(vertex)].sort_unstable_by_key(|&arc| self.heads[arc as usize]);
        }
        let mut next = self.offsets.to_vec();
        for tail in self.all() {
            for arc in self.arcs(tail) {
                let place = &mut next[self.heads[arc] as usize];
                reverse[arc] = by_number[*place as usize];
                *place += 1;
            }
        }
        reverse
    }

    /// The graph without the edges at the vertices `removed`.
    pub fn without(&self, removed: &[Vertex]) -> Self {
        let mut gone = vec![false; self.vertices()];
        for &vertex in removed {
            gone[vertex as usize] = true;
        }
        let mut offsets = vec![0_u32];
        let mut heads = Vec::with_capacity(self.heads.len());
        for vertex in self.all() {
            if !gone[vertex as usize] {
                let kept = self.neighbours(vertex).iter();
                heads.extend(kept.copied().filter(|&head| !gone[head as usize]));
            }
            offsets.push(heads.len() as u32);
        }
        Self::unchecked(offsets, heads)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(lists: &[&[Vertex]]) -> Result<Graph, GraphError> {
        let mut offsets = vec![0];
        let mut heads = Vec::new();
        for list in lists {
            heads.extend_from_slice(list);
            offsets.push(heads.len() as u32);
        }
        Graph::new(offsets, heads)
    }

    #[test]
    fn a_triangle_with_a_tail() {
        let graph = graph(&[&[2, 1], &[0, 2], &[3, 1, 0], &[2]]).expect("a legal graph");
        assert_eq!(
            (graph.vertices(), graph.edges(), graph.max_degree()),
            (4, 4, 3)
        );
        let reverse = graph.reverse_arcs();
        for tail in graph.all() {
            for arc in graph.arcs(tail) {
                let back = reverse[arc] as usize;
                assert_eq!(graph.head(back), tail);
                assert_eq!(reverse[back] as usize, arc);
                assert!(graph.arcs(graph.head(arc)).contains(&back));
            }
        }
        let pruned = graph.without(&[2]);
        assert_eq!(pruned.neighbours(0), [1]);
        assert_eq!((pruned.degree(2), pruned.degree(3)), (0, 0));
    }

    #[test]
    fn edges_and_lists_give_the_same_graph() {
        let edges = [(0, 2), (0, 1), (2, 3), (1, 2)];
        let listed = graph(&[&[2, 1], &[0, 2], &[0, 3, 1], &[2]]);
        assert_eq!(Ok(Graph::from_edges(4, &edges)), listed);
    }

    #[test]
    fn illegal_lists_name_the_vertex() {
        let fault = |lists: &[&[Vertex]]| graph(lists).map_err(|error| (error.vertex, error.fault));
        assert_eq!(fault(&[&[1], &[0, 1]]), Err((1, Fault::Loop)));
        assert_eq!(fault(&[&[1, 1], &[0]]), Err((0, Fault::Double(1))));
        assert_eq!(fault(&[&[1], &[]]), Err((0, Fault::OneSided(1))));
        assert_eq!(fault(&[&[], &[0]]), Err((1, Fault::OneSided(0))));
        assert_eq!(fault(&[&[1], &[2], &[0]]), Err((0, Fault::OneSided(1))));
        assert_eq!(
            fault(&[&[1], &[0, 2], &[3], &[2]]),
            Err((1, Fault::OneSided(2)))
        );
    }
}
