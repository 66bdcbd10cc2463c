//! Recognises a grid from its graph, because map files do not describe rows.

use crate::graph::{Graph, Vertex};

/// The shape of a grid map whose vertices are numbered along rows. The last row may be short.
///
/// Every edge joins `v` with `v + 1` in the same row or with `v + width`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GridShape {
    /// The number of vertices in a row.
    pub width: usize,
    /// The number of rows.
    pub height: usize,
}

impl GridShape {
    /// The shape of `graph`, if it is a grid or a part of one.
    ///
    /// Neighbours differ by 1 or by the width, so the first difference other than 1 is the only possible width. If
    /// all differences are 1, or there are no edges, all vertices are one row.
    pub fn of(graph: &Graph) -> Option<Self> {
        let mut width = graph.vertices() as Vertex;
        'vertices: for vertex in graph.all() {
            for &head in graph.neighbours(vertex) {
                if head > vertex + 1 {
                    width = head - vertex;
                    break 'vertices;
                }
            }
        }
        // The column of the vertex to the right.
        let mut right = 0;
        for vertex in graph.all() {
            right = if right + 1 == width { 0 } else { right + 1 };
            let mut fits = graph.degree(vertex) <= 4;
            for head in four_neighbours(graph, vertex) {
                let ahead = head.saturating_sub(vertex);
                fits &= (ahead == 0) | (ahead == width) | ((ahead == 1) & (right != 0));
            }
            if !fits {
                return None;
            }
        }
        Some(Self {
            width: width as usize,
            height: graph.vertices().div_ceil(width as usize),
        })
    }

    /// The row and column of `vertex`.
    pub fn place(&self, vertex: Vertex) -> (usize, usize) {
        (vertex as usize / self.width, vertex as usize % self.width)
    }
}

/// The first four neighbours of `vertex`; missing ones are replaced by `vertex`.
///
/// PERF: the number of neighbours is unpredictable for branches, so a loop over exactly four makes the preparation of
/// `bitboard` faster (bench `bitboard/prepare`).
#[inline]
pub fn four_neighbours(graph: &Graph, vertex: Vertex) -> [Vertex; 4] {
    let neighbours = graph.neighbours(vertex);
    std::array::from_fn(|slot| *neighbours.get(slot).unwrap_or(&vertex))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(vertices: usize, edges: &[(Vertex, Vertex)]) -> Option<(usize, usize)> {
        let grid = GridShape::of(&Graph::from_edges(vertices, edges));
        grid.map(|grid| (grid.width, grid.height))
    }

    #[test]
    fn widths_that_fit() {
        assert_eq!(shape(6, &[(0, 1), (1, 2), (0, 3), (4, 5)]), Some((3, 2)));
        assert_eq!(shape(5, &[(0, 1), (1, 4)]), Some((3, 2)));
        assert_eq!(shape(4, &[(0, 1), (2, 3)]), Some((4, 1)));
        assert_eq!(shape(4, &[(0, 2), (1, 3), (0, 1)]), Some((2, 2)));
        assert_eq!(shape(1, &[]), Some((1, 1)));
    }

    #[test]
    fn rows_must_not_wrap_and_differences_must_be_two() {
        assert_eq!(shape(6, &[(2, 3), (0, 3)]), None);
        assert_eq!(shape(6, &[(0, 2), (0, 3)]), None);
        assert_eq!(shape(3, &[(0, 1), (1, 2), (0, 2)]), None);
    }
}
