//! The portable bitboard simulator: whole planes at once, one shift per neighbour.
//!
//! A cell belongs to a group of four or more exactly if it is a *seed* or adjacent to one, where seeds are
//! the cells with three neighbours or more in their group, and the cells with two that touch another
//! cell with two. So one expansion finds what a flood fill finds.

use crate::board::{Board, LANE, PuyoColour};
use crate::simulate::{Chain, missing};

/// Lets the chain happen.
pub fn resolve(board: &mut Board) -> Chain {
    let mut chain = Chain::default();
    go_on(board, &mut chain);
    chain
}

/// The board that is left when `group` vanishes, and the chain that follows.
pub(crate) fn fire(board: &Board, group: u128) -> (Board, Chain) {
    let mut after = *board;
    let mut chain = Chain::default();
    let vanishing = group | beside(group) & board.garbage();
    chain.push(vanishing.count_ones() + missing(group));
    fall(&mut after, vanishing);
    go_on(&mut after, &mut chain);
    (after, chain)
}

/// Lets vanish and fall until nothing vanishes any more, each step pushed to `chain`.
fn go_on(board: &mut Board, chain: &mut Chain) {
    let mut colours = [0; PuyoColour::COUNT];
    loop {
        let mut vanishing = 0;
        for (colour, known) in PuyoColour::all().zip(&mut colours) {
            let plane = board.plane(colour);
            // Only what has moved can have found new neighbours.
            if plane != *known {
                *known = plane;
                vanishing |= groups_of_four(plane);
            }
        }
        if vanishing == 0 {
            return;
        }
        vanishing |= beside(vanishing) & board.garbage();
        chain.push(vanishing.count_ones());
        fall(board, vanishing);
    }
}

/// The cells of `plane` in groups of four or more.
#[inline]
pub fn groups_of_four(plane: u128) -> u128 {
    let up = plane & (plane >> 1);
    let down = plane & (plane << 1);
    let right = plane & (plane >> LANE);
    let left = plane & (plane << LANE);
    let (both_vertical, some_vertical) = (up & down, up | down);
    let (both_horizontal, some_horizontal) = (left & right, left | right);
    let three = (both_vertical & some_horizontal) | (both_horizontal & some_vertical);
    let two = both_vertical | both_horizontal | (some_vertical & some_horizontal);
    let seeds = three | (two & beside(two));
    seeds | (beside(seeds) & plane)
}

/// The cells adjacent to those of `plane`; bits outside the board may be among them.
#[inline]
pub const fn beside(plane: u128) -> u128 {
    (plane << 1) | (plane >> 1) | (plane << LANE) | (plane >> LANE)
}

/// The cells of any colour that are adjacent to two or more of `plane`.
#[inline]
pub const fn two_beside(plane: u128) -> u128 {
    let (below, above) = (plane << 1, plane >> 1);
    let (left, right) = (plane << LANE, plane >> LANE);
    (below & above) | (left & right) | ((below | above) & (left | right))
}

/// Removes the puyos of `vanishing` and lets those above them fall.
fn fall(board: &mut Board, vanishing: u128) {
    for column in 0..board.size().width() {
        let shift = LANE as usize * column;
        let gone = (vanishing >> shift) as u16;
        if gone == 0 {
            continue;
        }
        for plane in &mut board.planes {
            let lane = (*plane >> shift) as u16;
            *plane ^= u128::from(lane ^ squeeze(lane, gone)) << shift;
        }
        board.heights[column] -= gone.count_ones() as u8;
    }
}

/// `lane` without the bits at the places of `gone`, those above moved down.
fn squeeze(mut lane: u16, mut gone: u16) -> u16 {
    // From the highest down, so that the places below stay true.
    while gone != 0 {
        let place = gone.ilog2();
        let below = (1 << place) - 1;
        lane = (lane & below) | ((lane >> 1) & !below);
        gone &= below;
    }
    lane
}
