//! Two colours for bipartite maps: after a given number of steps only vertices of one colour can be reached, which
//! halves the work.

use crate::graph::{Graph, Vertex};

/// The vertices in two classes with edges only between the classes. If the map is not bipartite, each class is the
/// whole map.
#[derive(Debug, Clone)]
pub struct Classes {
    /// The vertices of each class, in rising order.
    pub vertices: [Vec<Vertex>; 2],
    /// True if edges lead only from one class to the other.
    pub bipartite: bool,
}

impl Classes {
    /// The classes of `graph`.
    pub fn of(graph: &Graph) -> Self {
        match colours(graph) {
            Some(colours) => {
                let class = |colour| {
                    let wanted = |vertex: &Vertex| colours[*vertex as usize] == colour;
                    graph.all().filter(wanted).collect()
                };
                Self {
                    vertices: [class(0), class(1)],
                    bipartite: true,
                }
            }
            None => {
                let all: Vec<Vertex> = graph.all().collect();
                Self {
                    vertices: [all.clone(), all],
                    bipartite: false,
                }
            }
        }
    }
}

impl Classes {
    /// The place of each of `vertices` vertices: its class (the first, if each class is the whole map) and its index
    /// in the class.
    pub fn places(&self, vertices: usize) -> Vec<(u8, u32)> {
        let mut places = vec![(0, 0); vertices];
        for (colour, class) in self.vertices.iter().enumerate().rev() {
            for (place, &vertex) in class.iter().enumerate() {
                places[vertex as usize] = (colour as u8, place as u32);
            }
        }
        places
    }
}

/// The entry of the class `colour`, and the entry of the other class.
pub fn from_and_to<T>(classes: &mut [T; 2], colour: usize) -> (&mut T, &mut T) {
    let [zero, one] = classes;
    if colour == 0 {
        (zero, one)
    } else {
        (one, zero)
    }
}

/// A colour for every vertex such that neighbours differ; `None` if the graph has a cycle of odd length.
fn colours(graph: &Graph) -> Option<Vec<u8>> {
    const NONE: u8 = 2;
    let mut colours = vec![NONE; graph.vertices()];
    let mut waiting = Vec::new();
    for root in graph.all() {
        if colours[root as usize] != NONE {
            continue;
        }
        colours[root as usize] = 0;
        waiting.push(root);
        while let Some(vertex) = waiting.pop() {
            let other = 1 - colours[vertex as usize];
            for &head in graph.neighbours(vertex) {
                let colour = &mut colours[head as usize];
                if *colour == NONE {
                    *colour = other;
                    waiting.push(head);
                } else if *colour != other {
                    return None;
                }
            }
        }
    }
    Some(colours)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_even_loop_has_two_classes_and_an_odd_one_has_not() {
        let square = Classes::of(&Graph::from_edges(5, &[(0, 1), (1, 2), (2, 3), (3, 0)]));
        assert!(square.bipartite);
        assert_eq!(square.vertices, [vec![0, 2, 4], vec![1, 3]]);
        let triangle = Classes::of(&Graph::from_edges(3, &[(0, 1), (1, 2), (2, 0)]));
        assert!(!triangle.bipartite);
        assert_eq!(triangle.vertices, [vec![0, 1, 2], vec![0, 1, 2]]);
    }
}
