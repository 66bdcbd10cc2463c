//! The verifier's separate computation of best T-joins: dynamic programming vertex by vertex.
//!
//! The state is the set of passed edges between the vertices that are done and those that are not: for each place in a
//! line the edge to the next line, and the edge to the next place. Each vertex replaces two edges of the state by two
//! others. The number of passed edges among these four is odd if the vertex is in T, else even.

use crate::layout::Layout;

/// The value of a state without an edge set. The absolute values of sums of costs are far smaller.
const NONE: i64 = -(1 << 61);

/// The largest sum of the absolute values of all costs.
pub const MOST: i64 = 1 << 58;

/// The highest cost of an edge set whose odd vertices are exactly `odd`; `None` if there is none. `costs` and
/// `odd` are indexed by the board's numbers; an edge without a cost cannot be passed.
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

/// Processes one vertex: at the bits `place` and `line` of the state, the edges that enter the vertex are replaced by
/// those that leave it.
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
