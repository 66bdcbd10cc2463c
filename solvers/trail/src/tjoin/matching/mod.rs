//! Best T-joins by minimum-weight matching, for boards too wide for [`frontier`](super::frontier).
//!
//! # Reduction
//! With an edge of positive cost the rest of the edge set is better than without it. Such edges are passed at first, the
//! parity of both ends flips, and the edge costs its amount to be given up: a minimum-weight T-join with weights |cost|
//! remains (Edmonds and Johnson 1973). It is a matching of the vertices of T along shortest paths.
//!
//! # Sparse blossom
//! The matching is found without the distances between all pairs (Higgott and Gidney 2023, arXiv:2303.15933). Each
//! vertex of T has a *region*, a ball that grows with the time. Regions that meet become part of *alternating trees*:
//! outer regions grow, inner regions shrink, matched regions rest. A tree that meets another tree is matched with it; a
//! tree that meets itself contracts an odd cycle of regions into a *blossom*, a region that grows around them. A blossom
//! that has shrunk to nothing is divided again. When no tree is left, the radii are an optimal dual solution.
//!
//! Times and radii are whole numbers: weights are doubled, because two regions that grow meet in the middle.
//!
//! | module | owns |
//! |---|---|
//! | `flood` | regions on the board: arrivals, collisions and their times |
//! | `trees` | alternating trees, blossoms and the matching |

mod flood;
mod trees;

use super::frontier::Number;
use super::grid::{Edge, contains};
use flood::Flood;
use trees::Trees;

/// Finds best T-joins; keeps its memory between calls.
#[derive(Debug)]
pub struct Matching {
    trees: Trees,
    columns: usize,
    rows: usize,
}

impl Matching {
    /// A solver for boards of `columns` × `rows`.
    pub fn new(columns: usize, rows: usize) -> Self {
        Self {
            trees: Trees::new(Flood::new(columns, rows)),
            columns,
            rows,
        }
    }

    /// Writes the best edge set whose odd vertices are exactly `odd` (one mask per row) to `passed`, one bit per
    /// edge, and returns its cost; `None` if there is none. `costs` has an entry per edge. The cost is that of
    /// [`Frontier`](super::frontier::Frontier); of several best edge sets it may be another one.
    pub fn best<C: Number>(&mut self, costs: &[C], odd: &[u64], passed: &mut [u64]) -> Option<C> {
        passed.fill(0);
        let flood = &mut self.trees.flood;
        flood.clear();
        for (row, mask) in odd.iter().enumerate().take(self.rows) {
            for column in (0..self.columns).filter(|column| mask >> column & 1 == 1) {
                flood.flip((row * self.columns + column) as u32);
            }
        }
        for (edge, cost) in costs.iter().enumerate() {
            let weight = cost.present().then(|| cost.wide());
            flood.weigh(edge as Edge, weight.map(|weight| 2 * weight.abs()));
            if weight.is_some_and(|weight| weight > 0) {
                passed[edge / 64] |= 1 << (edge % 64);
                flood.flip_ends(edge as Edge);
            }
        }
        self.trees.run(passed)?;
        let chosen = (0..costs.len()).filter(|edge| contains(passed, *edge as Edge));
        let best: i64 = chosen.map(|edge| costs[edge].wide()).sum();
        Some(C::of(best))
    }

    /// Bytes of the tables.
    pub fn bytes(&self) -> u64 {
        self.trees.flood.bytes()
    }
}

#[cfg(test)]
mod tests {
    use ikeru_core::Random;
    use ikeru_core::testing::trials;

    use super::*;
    use crate::tjoin::frontier::Frontier;
    use crate::tjoin::grid::edges_of;

    fn edge_count(columns: usize, rows: usize) -> usize {
        rows * (columns - 1) + (rows - 1) * columns
    }

    /// Costs of many kinds: ties, many zeros, missing edges, mostly positive or negative, large numbers.
    fn random_costs(random: &mut Random, columns: usize, rows: usize) -> (Vec<i32>, Vec<u64>) {
        let span = [1, 3, 9, 200, 100_000][random.index(5)];
        let shift = [0, 0, span / 2, -span / 2][random.index(4)];
        let absent = [0.0, 0.15, 0.4][random.index(3)];
        let zero = [0.0, 0.0, 0.7][random.index(3)];
        let cost = |_| match random.chance(absent) {
            true => i32::ABSENT,
            false if random.chance(zero) => 0,
            false => (random.between(-span, span) + shift) as i32,
        };
        let costs = (0..edge_count(columns, rows)).map(cost).collect();
        let mut odd = vec![0; rows];
        for _ in 0..2 * random.index(4) {
            odd[random.index(rows)] ^= 1 << random.index(columns);
        }
        (costs, odd)
    }

    /// The odd vertices of an edge set.
    fn odd_vertices(columns: usize, rows: usize, set: &[u64]) -> Vec<u64> {
        let mut odd = vec![0; rows];
        let horizontal = rows * (columns - 1);
        for edge in edges_of(set).map(usize::from) {
            if edge < horizontal {
                odd[edge / (columns - 1)] ^= 3 << (edge % (columns - 1));
            } else {
                let (row, column) = ((edge - horizontal) / columns, (edge - horizontal) % columns);
                odd[row] ^= 1 << column;
                odd[row + 1] ^= 1 << column;
            }
        }
        odd
    }

    /// Compares both kernels; returns true if there is a T-join.
    fn agree(matching: &mut Matching, columns: usize, rows: usize, random: &mut Random) -> bool {
        let (costs, odd) = random_costs(random, columns, rows);
        let words = edge_count(columns, rows).div_ceil(64);
        let (mut one, mut two) = (vec![0; words], vec![0; words]);
        let expected = Frontier::new(columns, rows).best(&costs, &odd, &mut one);
        let best = matching.best(&costs, &odd, &mut two);
        assert_eq!(best, expected, "{columns} x {rows} {costs:?} {odd:?}");
        if best.is_some() {
            assert_eq!(odd_vertices(columns, rows, &two), odd);
            assert!(edges_of(&two).all(|edge| costs[usize::from(edge)].present()));
        }
        best.is_some()
    }

    #[test]
    fn matching_finds_the_costs_of_frontier_dynamic_programming() {
        let mut random = Random::new("matching", 1);
        let mut found = 0;
        for _ in 0..trials(10_000) {
            let (columns, rows) = (1 + random.index(7), 2 + random.index(7));
            let mut matching = Matching::new(columns, rows);
            // The memory of one call must not influence the next one.
            let feasible = (0..10).filter(|_| agree(&mut matching, columns, rows, &mut random));
            found += feasible.count() as u64;
        }
        assert!(found > 4 * trials(10_000), "{found} have a T-join");
        for side in [12, 13] {
            let mut matching = Matching::new(side, side);
            for _ in 0..40 {
                agree(&mut matching, side, side, &mut random);
            }
        }
    }

    #[test]
    fn a_wide_board_has_its_known_optimum() {
        // Each side of the border has an even number of odd vertices, and one more is paired around each corner.
        for side in [19, 41, 63] {
            let edges = edge_count(side, side);
            let mut passed = vec![0; edges.div_ceil(64)];
            let mut matching = Matching::new(side, side);
            let best = matching.best(&vec![1; edges], &vec![0; side], &mut passed);
            assert_eq!(best, Some((edges - 2 * (side - 1)) as i32));
            let odd = vec![1 << (side - 1); 1];
            let alone = matching.best(&vec![1; edges], &odd, &mut passed);
            assert_eq!(alone, None, "a single odd vertex");
            let wide: Vec<i64> = vec![i64::LIMIT / edges as i64; edges];
            let best = matching.best(&wide, &vec![0; side], &mut passed);
            let expected = (edges - 2 * (side - 1)) as i64 * wide[0];
            assert_eq!(best, Some(expected));
        }
    }
}
