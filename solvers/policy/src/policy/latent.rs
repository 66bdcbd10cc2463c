//! The evaluation of a board by its best latent chain, by the board that this chain leaves, and by the shape of the
//! board.
//!
//! A chain is latent if one or two puyos of one colour, dropped on one column, complete a group and so start it. The
//! dropped puyos vanish with the group, so the chain depends only on the group. Each group is fired once, even if it
//! can be completed in several columns.

use ikeru_chain::simulate::bitboard::{beside, two_beside};
use ikeru_chain::simulate::fire;
use ikeru_chain::{Board, Chain, Size};

use super::PolicyWork;
use super::landing::without_lowest;
use crate::matching::Contacts;

/// The heuristic value of a chain of N steps: the attack of N groups of four. More puyos in a step would raise the
/// attack, but they could not be used to lengthen the chain.
pub(super) fn heuristic_value(chain: Chain) -> u32 {
    3 * chain.steps * chain.steps.saturating_sub(1)
}

/// The heuristic value that a latent chain loses if it needs a second puyo.
const MISSING_COST: u32 = 4;
/// Shape points for each point of [`heuristic_value`].
pub(super) const SHAPE: i32 = 16;
/// Shape points for each pair of equal neighbours.
const CONTACT: i32 = 16;
/// Shape points for each such pair on the board that the latent chain leaves: the chain may be extended there.
const CONTACT_LEFT: i32 = 40;
/// The shape points lost for each unit of [`unevenness`].
const UNEVEN: i32 = 12;
/// The rows by which the columns at the walls should exceed the mean height.
const WALL: i32 = 2;

/// The evaluation of `board` in a game of the first `colours` colours, in shape points.
pub(super) fn evaluate(board: &Board, colours: usize, work: &mut PolicyWork) -> i32 {
    let mut best = 0;
    let mut left = *board;
    for_each_trigger(board, colours, |group, missing| {
        work.chains += 1;
        let (rest, chain) = fire(board, group);
        let value = heuristic_value(chain).saturating_sub(MISSING_COST * (missing - 1));
        if value > best {
            (best, left) = (value, rest);
        }
    });
    let contacts = CONTACT * Contacts::of(board).count() as i32;
    let contacts_left = match best {
        0 => 0,
        _ => CONTACT_LEFT * Contacts::of(&left).count() as i32,
    };
    SHAPE * best as i32 + contacts + contacts_left - UNEVEN * unevenness(board)
}

/// The largest attack that one or two puyos of any of the first `colours` colours, dropped on one column, start on
/// `board`.
pub(super) fn largest_attack(board: &Board, colours: usize, work: &mut PolicyWork) -> u32 {
    let mut largest = 0;
    for_each_trigger(board, colours, |group, _| {
        work.chains += 1;
        let (_, chain) = fire(board, group);
        largest = largest.max(chain.attack);
    });
    largest
}

/// Calls `found` once for every group that one or two puyos dropped on a column complete, with the number of these
/// puyos.
///
/// PERF: bench `policies`, move/beam: bit-parallel over columns, because most columns are next to no such group; a
/// placement took 410 ns in all, and 470 ns with a test of every column and colour.
#[inline]
fn for_each_trigger(board: &Board, colours: usize, mut found: impl FnMut(u128, u32)) {
    let inside = board.inside();
    // The lowest free cell of every column that has one, and those with another free cell above.
    let tops = (board.occupied() + board.floor()) & inside;
    let roomy = tops & (inside >> 1);
    for plane in &board.colour_planes()[..colours] {
        let paired = plane & beside(*plane);
        let mut seen = Groups::default();
        let mut open = tops & (two_beside(*plane) | beside(paired));
        while open != 0 {
            let top = open & open.wrapping_neg();
            open ^= top;
            // Groups of a stable board have at most three puyos, so two steps reach all of them.
            let group = (0..2).fold(beside(top) & plane, |group, _| {
                group | beside(group) & plane
            });
            let is_pair = without_lowest(without_lowest(group)) == 0;
            let (missing, room) = if is_pair { (2, roomy) } else { (1, tops) };
            if top & room != 0 && seen.insert(group) {
                found(group, missing);
            }
        }
    }
}

/// The groups of a colour found so far: at most one for each column.
#[derive(Default)]
struct Groups {
    groups: [u128; Size::MAX_WIDTH],
    count: usize,
}

impl Groups {
    /// Adds `group` and returns whether it is new.
    fn insert(&mut self, group: u128) -> bool {
        if self.groups[..self.count].contains(&group) {
            return false;
        }
        self.groups[self.count] = group;
        self.count += 1;
        true
    }
}

/// The sum over the columns of the squared difference between actual and desired height.
fn unevenness(board: &Board) -> i32 {
    let heights = &board.heights()[..board.size().width()];
    let mean = heights.iter().map(|&h| i32::from(h)).sum::<i32>() / heights.len() as i32;
    let last = heights.len() - 1;
    let squares = heights.iter().enumerate().map(|(column, &height)| {
        let wall = if column == 0 || column == last {
            WALL
        } else {
            0
        };
        (i32::from(height) - mean - wall).pow(2)
    });
    squares.sum()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use ikeru_chain::{PuyoColour, generate};
    use ikeru_core::Random;

    use super::*;

    /// The groups that one or two puyos dropped on each column complete, column by column.
    fn triggers(board: &Board) -> HashSet<(u128, u32)> {
        let size = board.size();
        let mut found = HashSet::new();
        for column in 0..size.width() {
            let height = usize::from(board.heights()[column]);
            for colour in PuyoColour::all() {
                let (top, plane) = (Board::bit(column, height), board.plane(colour));
                let mut group = beside(top) & plane;
                for _ in 0..size.cells() {
                    group |= beside(group) & plane;
                }
                let missing = match group.count_ones() {
                    0 | 1 => continue,
                    2 => 2,
                    _ => 1,
                };
                if height + missing <= size.height() {
                    found.insert((group, missing as u32));
                }
            }
        }
        found
    }

    #[test]
    fn every_trigger_is_found_once() {
        let mut random = Random::new("test.dormant", 1);
        for number in 0..300 {
            let size = match number % 3 {
                0 => Size::new(8, 15).expect("the largest board"),
                1 => Size::new(3, 5).expect("a small board"),
                _ => Size::THESIS,
            };
            let stones = size.cells() - random.index(size.cells() / 2);
            let Ok(board) = generate::stable_field(&mut random, size, stones, 6) else {
                continue;
            };
            let mut found = Vec::new();
            for_each_trigger(&board, PuyoColour::COUNT, |group, missing| {
                found.push((group, missing));
            });
            let once: HashSet<_> = found.iter().copied().collect();
            assert_eq!(once.len(), found.len(), "\n{board}");
            assert_eq!(once, triggers(&board), "\n{board}");
        }
    }

    #[test]
    fn a_latent_chain_and_what_it_leaves_raise_the_evaluation() {
        let value = |text: &str| {
            let board = ikeru_chain::format::read_field(text).expect("a field");
            evaluate(&board, 4, &mut PolicyWork::default())
        };
        let two_steps = value("G.....\nRRR...\nGGG...\n");
        let one_step = value("Y.....\nRRR...\nGGG...\n");
        assert!(two_steps > one_step, "{two_steps} and {one_step}");
        let joined = value("G.....\nRRR...\nGGG.BB\n");
        let apart = value("G.....\nRRR...\nGGG.BY\n");
        assert_eq!(joined - apart, CONTACT + CONTACT_LEFT);
    }
}
