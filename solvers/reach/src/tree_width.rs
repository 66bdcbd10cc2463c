//! An upper bound on the tree width of a map, by elimination: it counts for algorithms that cut a map at few vertices, and
//! for none of the variants.

use std::collections::BTreeSet;

use crate::graph::{Graph, Vertex};

/// The largest map whose bound is computed, in vertices.
pub const MOST_VERTICES: usize = 4096;

/// Where every vertex has more neighbours than this, all vertices that are left are one bag: an elimination takes the square
/// of its neighbours.
const MOST_NEIGHBOURS: usize = 100;

/// The most neighbours of a vertex when it is eliminated, always one with the fewest: its neighbours then become neighbours
/// of each other. The bags of a tree decomposition are a vertex and its neighbours at that time.
pub fn at_most(graph: &Graph) -> usize {
    let beside = |vertex| graph.neighbours(vertex).iter().copied();
    let mut around: Vec<BTreeSet<Vertex>> = graph
        .all()
        .map(|vertex| beside(vertex).filter(|other| *other != vertex).collect())
        .collect();
    let sizes = graph
        .all()
        .map(|vertex| (around[vertex as usize].len(), vertex));
    let mut left: BTreeSet<(usize, Vertex)> = sizes.collect();
    let mut width = 0;
    while let Some((size, vertex)) = left.pop_first() {
        if size > MOST_NEIGHBOURS {
            return width.max(left.len());
        }
        width = width.max(size);
        let neighbours = std::mem::take(&mut around[vertex as usize]);
        for &one in &neighbours {
            let own = &mut around[one as usize];
            left.remove(&(own.len(), one));
            own.remove(&vertex);
            own.extend(neighbours.iter().filter(|other| **other != one));
            left.insert((own.len(), one));
        }
    }
    width
}

#[cfg(test)]
mod tests {
    use super::*;
    use ikeru_core::Random;

    /// The tree width by every order of elimination.
    fn exact(left: &BTreeSet<Vertex>, graph: &Graph) -> usize {
        let beside = |vertex: Vertex| {
            // The vertices left that a path over eliminated ones connects with it.
            let (mut seen, mut stack) = (BTreeSet::from([vertex]), vec![vertex]);
            while let Some(here) = stack.pop() {
                for &next in graph.neighbours(here) {
                    if seen.insert(next) && !left.contains(&next) {
                        stack.push(next);
                    }
                }
            }
            seen.intersection(left).count() - 1
        };
        let without = |vertex: Vertex| left.iter().copied().filter(|one| *one != vertex).collect();
        let orders = left
            .iter()
            .map(|vertex| beside(*vertex).max(exact(&without(*vertex), graph)));
        orders.min().unwrap_or(0)
    }

    #[test]
    fn the_bound_is_no_less_than_the_tree_width_and_equal_for_trees_and_cycles() {
        let mut random = Random::new("tree width", 1);
        let mut equal = 0;
        for _ in 0..60 {
            let vertices = 2 + random.index(5) as Vertex;
            let edges = (0..vertices).flat_map(|a| (0..a).map(move |b| (b, a)));
            let edges: Vec<_> = edges.filter(|_| random.chance(0.6)).collect();
            let graph = Graph::from_edges(vertices as usize, &edges);
            let (bound, width) = (at_most(&graph), exact(&graph.all().collect(), &graph));
            assert!(bound >= width, "{edges:?}: {bound} and {width}");
            equal += usize::from(bound == width);
        }
        assert!(equal > 50, "{equal}");
        let path: Vec<_> = (1..40).map(|a| (a - 1, a)).collect();
        assert_eq!(at_most(&Graph::from_edges(40, &path)), 1);
        let all: Vec<_> = (0..300).flat_map(|a| (0..a).map(move |b| (b, a))).collect();
        assert_eq!(at_most(&Graph::from_edges(300, &all)), 299);
        let cycle = [path, vec![(0, 39)]].concat();
        assert_eq!(at_most(&Graph::from_edges(40, &cycle)), 2);
    }
}
