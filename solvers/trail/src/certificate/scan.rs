//! The verifier's own best T-join: vertex by vertex, with a bit for each edge that leads on.
//!
//! The state is the set of edges passed that lead from a vertex done to one that is not: one edge to the next line for
//! each place in a line, and the edge to the next place. A vertex takes two of them and gives two; how many of the four are passed is
//! odd where the vertex is in T, even elsewhere.

use super::layout::Layout;

/// No edge set at all; sums of costs are far smaller.
const NONE: i64 = -(1 << 61);

/// The largest sum of the absolute values of all costs.
pub const MOST: i64 = 1 << 58;

/// The highest cost of an edge set whose odd vertices are exactly `odd`; `None` if there is none. `costs` and
/// `odd` are by the board's numbers; an edge without cost cannot be passed.
pub fn best(layout: &Layout, costs: &[Option<i64>], odd: &[bool]) -> Option<i64> {
    let mut sums = vec![NONE; 2 << layout.line];
    sums[0] = 0;
    for vertex in &layout.order {
        let cost = |edge: Option<usize>| edge.and_then(|edge| costs[edge]);
        let (along, across) = (cost(vertex.along), cost(vertex.across));
        step(
            &mut sums,
            vertex.place,
            layout.line,
            odd[vertex.number],
            along,
            across,
        );
    }
    (sums[0] > NONE / 2).then_some(sums[0])
}

/// One vertex: the edges that lead to it at bit `place` and at bit `line` become those that lead on.
fn step(
    sums: &mut [i64],
    place: usize,
    line: usize,
    odd: bool,
    along: Option<i64>,
    across: Option<i64>,
) {
    let (with_along, with_across) = (along.unwrap_or(0), across.unwrap_or(0));
    let (low, high) = sums.split_at_mut(1 << line);
    let pairs = low.chunks_mut(2 << place).zip(high.chunks_mut(2 << place));
    for (low, high) in pairs {
        let (neither, up) = low.split_at_mut(1 << place);
        let (left, both) = high.split_at_mut(1 << place);
        let states = neither.iter_mut().zip(up).zip(left.iter_mut().zip(both));
        for ((neither, up), (left, both)) in states {
            let (mut even, mut uneven) = ((*neither).max(*both), (*up).max(*left));
            if odd {
                (even, uneven) = (uneven, even);
            }
            *neither = even;
            *up = if across.is_some() {
                uneven + with_across
            } else {
                NONE
            };
            *left = if along.is_some() {
                uneven + with_along
            } else {
                NONE
            };
            *both = if along.is_some() && across.is_some() {
                even + with_along + with_across
            } else {
                NONE
            };
        }
    }
}
