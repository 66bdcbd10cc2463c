//! The search of the template policy when every leaf violates all templates: it looks at most two pieces ahead for
//! ways to clear the wrong stones.
//!
//! The value of a leaf is the maximum over the templates of (G − (B + 0.3·D) + 0.3·C) / capitals. The groups take
//! colours greedily, the group with the most stones first. G is the number of capitals of the right colour, B that of
//! capitals with a wrong stone, D that of stones from the lowest wrong stone of each column to its top, and C that of
//! contacts between wrong stones and stones of the same colour.

use std::sync::Arc;

use ikeru_chain::simulate::bitboard::beside;
use ikeru_chain::{Board, Piece, Placement, PuyoColour};

use super::PolicyWork;
use super::landing::{ContactTable, Landings};
use crate::matching::{MAX_GROUPS, Matcher, bits};

/// The search.
pub struct Repair {
    matcher: Arc<Matcher>,
    landings: Landings,
}

impl Repair {
    /// A search for the templates of `matcher`.
    pub fn new(matcher: Arc<Matcher>) -> Self {
        Self {
            landings: Landings::new(matcher.size()),
            matcher,
        }
    }

    /// The first placement towards the leaf of the largest value; `None` if there is no legal placement.
    pub fn choose(
        &self,
        board: &Board,
        pieces: &[Piece],
        work: &mut PolicyWork,
    ) -> Option<Placement> {
        let mut best = None;
        self.expand(board, pieces, None, &mut best, work);
        best.map(|(_, placement)| placement)
    }

    fn expand(
        &self,
        board: &Board,
        pieces: &[Piece],
        first: Option<Placement>,
        best: &mut Option<(f64, Placement)>,
        work: &mut PolicyWork,
    ) {
        if work.is_late() {
            return;
        }
        let mut dead_end = true;
        if let [piece, rest @ ..] = pieces {
            let table = ContactTable::new(board, *piece);
            for landing in self.landings.of(*piece) {
                let Some(cells) = landing.cells(board) else {
                    continue;
                };
                dead_end = false;
                work.placements += 1;
                let mut below = *board;
                below.place(*piece, landing.placement);
                if table.vanishes(cells) {
                    work.resolve(&mut below);
                }
                self.expand(&below, rest, first.or(Some(landing.placement)), best, work);
            }
        }
        if dead_end && let Some(first) = first {
            // A board on which the next piece has no legal placement is worth less than any leaf.
            let lost = if pieces.is_empty() { 0.0 } else { -1000.0 };
            let value = self.value(board) + lost;
            if best.is_none_or(|(known, _)| value > known) {
                *best = Some((value, first));
            }
        }
    }

    /// The best repair value over all templates.
    fn value(&self, board: &Board) -> f64 {
        let mut planes = [0; PuyoColour::COUNT];
        for colour in PuyoColour::all() {
            planes[colour.index()] = board.plane(colour);
        }
        let values =
            (0..self.matcher.count()).map(|number| self.template_value(number, board, &planes));
        values.fold(f64::NEG_INFINITY, f64::max)
    }

    fn template_value(
        &self,
        number: usize,
        board: &Board,
        planes: &[u128; PuyoColour::COUNT],
    ) -> f64 {
        let groups = self.matcher.groups(number);
        let occupied = board.occupied();
        let mut order: [(u32, usize); MAX_GROUPS] = [(0, 0); MAX_GROUPS];
        let order = &mut order[..groups.len()];
        for (group, slot) in order.iter_mut().enumerate() {
            *slot = ((groups[group] & occupied).count_ones(), group);
        }
        order.sort_by_key(|&(stones, group)| (std::cmp::Reverse(stones), group));
        // For each colour, the groups that may no longer take it.
        let mut barred = [0_u32; PuyoColour::COUNT];
        let (mut good, mut wrong) = (0, 0_u128);
        for &(stones, group) in order.iter().take_while(|(stones, _)| *stones > 0) {
            let mut most = 0;
            let mut taken = None;
            for (colour, &plane) in planes.iter().enumerate() {
                let count = (plane & groups[group]).count_ones();
                if count > most && barred[colour] >> group & 1 == 0 {
                    (most, taken) = (count, Some(colour));
                }
            }
            if let Some(colour) = taken {
                barred[colour] |= self.matcher.differing(number, group);
            }
            if most < stones {
                let right = taken.map_or(0, |colour| planes[colour]);
                wrong |= groups[group] & occupied & !right;
            }
            good += most;
        }
        let bad = f64::from(wrong.count_ones()) + 0.3 * f64::from(buried(board, wrong));
        let contacts: u32 = planes
            .iter()
            .map(|plane| {
                let stones = bits(plane & wrong);
                stones
                    .map(|bit| (beside(1 << bit) & plane).count_ones())
                    .sum::<u32>()
            })
            .sum();
        (f64::from(good) - bad + 0.3 * f64::from(contacts))
            / f64::from(self.matcher.capital_count(number))
    }
}

/// The number of stones from the lowest wrong stone of each column to its top.
fn buried(board: &Board, wrong: u128) -> u32 {
    let columns = 0..board.size().width();
    columns
        .map(|column| match (wrong >> (16 * column)) as u16 {
            0 => 0,
            lane => u32::from(board.heights()[column]) - lane.trailing_zeros(),
        })
        .sum()
}
