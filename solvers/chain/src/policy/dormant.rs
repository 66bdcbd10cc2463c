//! What a board promises: its shape, and the longest chain that sleeps in it.
//!
//! A chain sleeps where one to three puyos of a colour, dropped on one column, complete a group. The
//! dropped puyos vanish with the group, so that what follows depends on the group alone: each is
//! fired once, from however many columns it can be reached.

use super::Work;
use super::landing::beside;
use crate::board::{Board, LANE, PuyoColour};
use crate::matching::Contacts;
use crate::simulate::{Chain, fire, missing};

/// What a chain of N steps is worth: the attack of N groups of four. More puyos at a step would lift
/// the attack, but they are lost to the chain.
pub(super) fn worth(chain: Chain) -> u32 {
    3 * chain.steps * chain.steps.saturating_sub(1)
}

/// Puyos of one colour that a sleeping chain may still need.
const MISSING: u32 = 3;
/// What each of them but the first takes from its worth.
const MISSING_COST: u32 = 4;

/// The largest [`worth`] of a chain that up to [`MISSING`] puyos of one of the first `colours`
/// colours, dropped on one column, start.
pub(super) fn sleeping(board: &Board, colours: usize, work: &mut Work) -> u32 {
    let mut planes = [0; PuyoColour::COUNT];
    for (plane, colour) in planes.iter_mut().zip(PuyoColour::all().take(colours)) {
        *plane = board.plane(colour);
    }
    let (size, mut best) = (board.size(), 0);
    let mut fired = Fired::default();
    for (column, &height) in board.heights()[..size.width()].iter().enumerate() {
        let free = size.height() as u32 - u32::from(height);
        if free == 0 {
            continue;
        }
        let near = beside(1 << (LANE as usize * column + usize::from(height)));
        for plane in &planes[..colours] {
            if near & plane == 0 {
                continue;
            }
            // A stable board's groups have at most three puyos: two steps reach all.
            let group = (0..2).fold(near & plane, |group, _| group | beside(group) & plane);
            let missing = missing(group);
            if missing <= MISSING.min(free) && fired.insert(group) {
                work.chains += 1;
                let cost = MISSING_COST * (missing - 1);
                best = best.max(worth(fire(board, group)).saturating_sub(cost));
            }
        }
    }
    best
}

/// The groups fired so far: at most three beside the top of each column.
#[derive(Default)]
struct Fired {
    groups: [u128; 24],
    count: usize,
}

impl Fired {
    /// Whether `group` was not there.
    fn insert(&mut self, group: u128) -> bool {
        if self.groups[..self.count].contains(&group) {
            return false;
        }
        self.groups[self.count] = group;
        self.count += 1;
        true
    }
}

/// Shape points that a point of [`worth`] outweighs.
pub(super) const SHAPE: i32 = 16;

/// How well a board is built: equal neighbours, an even surface that is higher at the walls.
pub(super) fn shape(board: &Board) -> i32 {
    let contacts = Contacts::of(board).count() as i32;
    let heights = &board.heights()[..board.size().width()];
    let mean = heights.iter().map(|&h| i32::from(h)).sum::<i32>() / heights.len() as i32;
    let last = heights.len() - 1;
    let uneven: i32 = heights
        .iter()
        .enumerate()
        .map(|(column, &height)| {
            let wall = i32::from(column == 0 || column == last);
            (i32::from(height) - mean - wall).pow(2)
        })
        .sum();
    SHAPE * contacts - 8 * uneven
}
