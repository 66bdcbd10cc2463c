//! The portable bitboard simulator: it processes whole planes, with one shift per neighbour.
//!
//! A cell belongs to a group of four or more if and only if it is a *seed* or is adjacent to a seed of its colour.
//! Seeds are the cells with at least three neighbours in their group, and the cells with two neighbours that are
//! adjacent to another cell with two. One expansion of the seeds therefore finds the same groups as a flood fill.

use crate::board::{Board, LANE, PuyoColour};
use crate::simulate::{Chain, Trigger, missing};

/// Simulates the chain.
pub fn resolve(board: &mut Board) -> Chain {
    let mut chain = Chain::default();
    go_on(board, &mut chain);
    chain
}

/// The board that is left after `group` vanishes, and the chain. See [`Simulator::fire`](crate::simulate::Simulator).
pub(crate) fn fire(board: &Board, group: u128) -> (Board, Chain) {
    let mut after = *board;
    let mut chain = Chain::default();
    let vanishing = group | beside(group) & board.garbage();
    chain.push(vanishing.count_ones() + missing(group));
    fall(&mut after, vanishing);
    go_on(&mut after, &mut chain);
    (after, chain)
}

/// Simulates steps until no puyo vanishes and appends each step to `chain`.
fn go_on(board: &mut Board, chain: &mut Chain) {
    let mut colours = [0; PuyoColour::COUNT];
    loop {
        let mut vanishing = 0;
        for (colour, known) in PuyoColour::all().zip(&mut colours) {
            let plane = board.plane(colour);
            // A colour whose plane has not changed has no new groups.
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

/// The cells adjacent to those of `plane`; may include bits outside the board.
#[inline]
pub const fn beside(plane: u128) -> u128 {
    (plane << 1) | (plane >> 1) | (plane << LANE) | (plane >> LANE)
}

/// The cells, whether occupied or not, that are adjacent to two or more cells of `plane`.
#[inline]
pub const fn two_beside(plane: u128) -> u128 {
    let (below, above) = (plane << 1, plane >> 1);
    let (left, right) = (plane << LANE, plane >> LANE);
    (below & above) | (left & right) | ((below | above) & (left | right))
}

/// Adds every group of the first `colours` colours that one or two puyos dropped on a column complete.
///
/// PERF: bit-parallel over columns, because most columns are next to no such group: a placement of `beam` took 410 ns
/// in all with this function, and 470 ns with a test of every column and colour.
pub(crate) fn triggers(boards: &[Board], colours: usize, found: &mut Vec<Trigger>) {
    for (at, board) in (0..).zip(boards) {
        let inside = board.inside();
        // The lowest free cell of every column that has one, and those with another free cell above.
        let tops = (board.occupied() + board.floor()) & inside;
        let roomy = tops & (inside >> 1);
        for plane in &board.colour_planes()[..colours] {
            let paired = plane & beside(*plane);
            let first = found.len();
            let mut open = tops & (two_beside(*plane) | beside(paired));
            while open != 0 {
                let top = open & open.wrapping_neg();
                open ^= top;
                // Groups of a stable board have at most three puyos, so two steps reach all of them.
                let group = (0..2).fold(beside(top) & plane, |group, _| {
                    group | beside(group) & plane
                });
                // Every group has two puyos at least. This is shorter than a count where no instruction counts bits.
                let others = group & (group - 1);
                let is_pair = others & (others - 1) == 0;
                let (missing, room) = if is_pair { (2, roomy) } else { (1, tops) };
                let trigger = Trigger {
                    board: at,
                    group,
                    missing,
                };
                if top & room != 0 && !found[first..].contains(&trigger) {
                    found.push(trigger);
                }
            }
        }
    }
}

/// The number of pairs of neighbours of one colour, given the planes of a board.
#[inline(always)]
pub(crate) fn contacts(planes: &[u128; 3]) -> u32 {
    let same = |shift: u32| {
        let differing = planes
            .iter()
            .fold(0, |any, plane| any | plane ^ (plane >> shift));
        ((planes[1] | planes[2]) & !differing).count_ones()
    };
    same(1) + same(LANE)
}

/// Removes the puyos of `vanishing` and drops the puyos above them.
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

/// `lane` without the bits at the places of `gone`; the bits above them move down.
fn squeeze(mut lane: u16, mut gone: u16) -> u16 {
    // From the highest place down, so that the lower places stay valid.
    while gone != 0 {
        let place = gone.ilog2();
        let below = (1 << place) - 1;
        lane = (lane & below) | ((lane >> 1) & !below);
        gone &= below;
    }
    lane
}
