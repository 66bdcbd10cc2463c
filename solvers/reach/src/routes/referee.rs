//! Counts routes once more: the recurrence of the non-backtracking matrix over vertices.
//!
//! With adjacency matrix A and degrees D, the routes of k steps by their last vertex obey
//! `p₀ = e(start)`, `p₁ = A·p₀`, `p₂ = A·p₁ − D·p₀`, `p_{k+1} = A·p_k − (D − I)·p_{k−1}`.

use super::natural::{Natural, add, subtract_multiple};
use super::words_needed;
use crate::instance::Instance;

/// The number of routes.
pub fn routes(instance: &Instance) -> Natural {
    let graph = instance.map.graph.without(&instance.question.blocked);
    // One word more, since A·p_k is larger than what remains of it.
    let width = words_needed(instance) + 1;
    let vertices = graph.vertices();
    let mut now = vec![0; vertices * width];
    let mut before = now.clone();
    now[instance.start(0) as usize * width] = 1;
    for step in 0..instance.question.steps {
        let mut next = vec![0; vertices * width];
        for vertex in graph.all() {
            let own = vertex as usize * width..(vertex as usize + 1) * width;
            for &other in graph.neighbours(vertex) {
                let other = other as usize * width;
                add(&mut next[own.clone()], &now[other..other + width]);
            }
            // Turning back needs a step before; only the very first had all exits free.
            let returning =
                graph.degree(vertex) as u64 - u64::from(step >= 2 && graph.degree(vertex) > 0);
            subtract_multiple(&mut next[own.clone()], returning, &before[own]);
        }
        before = std::mem::replace(&mut now, next);
    }
    let mut sum = vec![0; width];
    now.chunks_exact(width)
        .for_each(|routes| add(&mut sum, routes));
    Natural::from_words(&sum)
}
