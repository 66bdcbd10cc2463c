//! Recognises a grid from the graph alone: a map file says nothing of rows.

use crate::graph::{Graph, Vertex};

/// The shape of a grid map whose vertices are numbered along rows, the last row possibly short.
///
/// Every edge joins `v` with `v + 1` in the same row or with `v + width`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grid {
    /// Vertices in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
}

impl Grid {
    /// The shape of `graph`, if it is (part of) a grid.
    ///
    /// The largest difference between neighbours is the only width that can fit; if it is 1 (or
    /// there are no edges), all vertices are one row.
    pub fn of(graph: &Graph) -> Option<Self> {
        let later = |vertex: Vertex| {
            let neighbours = graph.neighbours(vertex).iter().copied();
            neighbours.filter(move |&head| head > vertex)
        };
        let differences = graph
            .all()
            .flat_map(|vertex| later(vertex).map(move |head| head - vertex));
        let width = match differences.max() {
            None | Some(1) => graph.vertices() as Vertex,
            Some(most) => most,
        };
        let fits = |vertex: Vertex, head: Vertex| {
            head - vertex == width || (head - vertex == 1 && !head.is_multiple_of(width))
        };
        let all_fit = graph
            .all()
            .all(|vertex| later(vertex).all(|head| fits(vertex, head)));
        all_fit.then(|| Self {
            width: width as usize,
            height: graph.vertices().div_ceil(width as usize),
        })
    }

    /// Row and column of `vertex`.
    pub fn place(&self, vertex: Vertex) -> (usize, usize) {
        (vertex as usize / self.width, vertex as usize % self.width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(vertices: usize, edges: &[(Vertex, Vertex)]) -> Option<(usize, usize)> {
        let grid = Grid::of(&Graph::from_edges(vertices, edges));
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
