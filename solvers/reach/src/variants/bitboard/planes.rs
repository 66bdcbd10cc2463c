//! The planes of a board of half rows, and a step without meetings.

use super::lanes::{HalfRowBlock, HalfRows, Lanes};
use super::{EAST, NORTH, SOUTH, WEST};

/// The rows by parity.
pub type Rows<L> = [L; 2];
/// One board for each direction of arrival.
pub type Planes<L> = [Rows<L>; 4];

/// Makes one step from squares of `COLOUR`.
///
/// PERF: the masks apply to walks that leave a square, not to those that arrive, so that AVX-512 joins and masks in
/// one instruction.
#[inline(always)]
pub fn advance<V: HalfRows, const N: usize, const COLOUR: usize>(
    planes: &Planes<Lanes<V, N>>,
    masks: &[Planes<HalfRowBlock<N>>; 2],
) -> Planes<Lanes<V, N>> {
    let proof = planes[EAST][0].proof();
    let edge = |way: usize, parity: usize| Lanes::load(proof, &masks[COLOUR][way][parity]);
    let [east, west, north, south] = *planes;
    let mut next = *planes;
    for parity in 0..2 {
        let vertical = north[parity].or(south[parity]);
        let sideways = east[parity].or(west[parity]);
        let eastward = east[parity].or(vertical).and(edge(EAST, parity));
        let westward = west[parity].or(vertical).and(edge(WEST, parity));
        let northward = north[parity].or(sideways).and(edge(NORTH, parity));
        let southward = south[parity].or(sideways).and(edge(SOUTH, parity));
        // The squares in rows of this parity are in odd columns if `COLOUR + parity` is odd, else in even ones.
        [next[EAST][parity], next[WEST][parity]] = if (COLOUR + parity) % 2 == 1 {
            [eastward.left(), westward]
        } else {
            [eastward, westward.right()]
        };
        // Rows 2j and 2j+1 share a lane.
        [next[NORTH][1 - parity], next[SOUTH][1 - parity]] = if parity == 0 {
            [northward.down(), southward]
        } else {
            [northward, southward.up()]
        };
    }
    next
}
