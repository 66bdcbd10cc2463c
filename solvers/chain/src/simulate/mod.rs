//! Chains: every group of four or more connected puyos of a colour vanishes, the columns fall, again.
//!
//! One file per kernel, all exactly equal on every board:
//!
//! | kernel | idea |
//! |---|---|
//! | [`flood`] | the naive one: a flood fill from every cell |
//! | [`bitboard`] | planes of 128 bits, groups by counting neighbours |
//! | `avx2` | the same, all colours at once, falling by `pext` and `pdep` |
//! | `steps` | the same, many boards at once |
//!
//! [`resolve`] and [`place`] are those of the fastest one that this machine has.

#[cfg(target_arch = "x86_64")]
mod avx2;
pub mod bitboard;
#[cfg(target_arch = "x86_64")]
mod detected;
pub mod flood;
#[cfg(target_arch = "x86_64")]
mod steps;

use std::sync::LazyLock;

use crate::board::Board;
use crate::fields::FieldOutcome;
use crate::placement::{Piece, Placement};

/// One of the kernels: each of its functions does the same on every board as the naive one's.
#[derive(Debug, Clone, Copy)]
pub struct Simulator {
    /// Lets the chain happen on a settled board, which ends settled and without groups of four.
    pub resolve: fn(&mut Board) -> Chain,
    /// The board after a piece was legally placed and the chain has happened.
    pub place: fn(&Board, Piece, Placement) -> (Board, Chain),
    /// The board that is left when the puyos of `group`, all of one colour, vanish together with those dropped
    /// on them (as many as they lack to four, at least one), and the chain that follows. The board has no
    /// group of four.
    pub fire: fn(&Board, u128) -> (Board, Chain),
    /// Lets the chain happen on the settled board of each outcome, whose chain has no step yet.
    pub outcomes: fn(&mut [FieldOutcome]),
}

impl Simulator {
    /// The naive one.
    pub const FLOOD: Self = Self {
        resolve: flood::resolve,
        place: |board, piece, placement| placed(board, piece, placement, flood::resolve),
        fire: flood::fire,
        outcomes: |outcomes| resolve_each(outcomes, flood::resolve),
    };
    /// The portable bitboard.
    pub const BITBOARD: Self = Self {
        resolve: bitboard::resolve,
        place: |board, piece, placement| placed(board, piece, placement, bitboard::resolve),
        fire: bitboard::fire,
        outcomes: |outcomes| resolve_each(outcomes, bitboard::resolve),
    };

    /// The bitboard for AVX2, where the processor has the instructions.
    pub fn avx2() -> Option<Self> {
        #[cfg(target_arch = "x86_64")]
        return detected::simulator();
        #[cfg(not(target_arch = "x86_64"))]
        None
    }

    /// The fastest one that this machine has.
    #[inline]
    pub fn fastest() -> Self {
        *FASTEST
    }
}

/// Chosen once, at the first chain.
static FASTEST: LazyLock<Simulator> =
    LazyLock::new(|| Simulator::avx2().unwrap_or(Simulator::BITBOARD));

#[inline]
fn placed(
    board: &Board,
    piece: Piece,
    placement: Placement,
    resolve: impl Fn(&mut Board) -> Chain,
) -> (Board, Chain) {
    let mut after = *board;
    after.place(piece, placement);
    let chain = resolve(&mut after);
    (after, chain)
}

/// The outcome of every board, one by one.
#[inline]
pub(crate) fn resolve_each(
    outcomes: &mut [FieldOutcome],
    mut resolve: impl FnMut(&mut Board) -> Chain,
) {
    for outcome in outcomes {
        outcome.chain = resolve(&mut outcome.rest);
    }
}

/// [`Simulator::resolve`] of the fastest simulator.
#[inline]
pub fn resolve(board: &mut Board) -> Chain {
    (FASTEST.resolve)(board)
}

/// [`Simulator::place`] of the fastest simulator: faster than placing and resolving one by one.
#[inline]
pub fn place(board: &Board, piece: Piece, placement: Placement) -> (Board, Chain) {
    (FASTEST.place)(board, piece, placement)
}

/// [`Simulator::fire`] of the fastest simulator.
#[inline]
pub fn fire(board: &Board, group: u128) -> (Board, Chain) {
    (FASTEST.fire)(board, group)
}

/// Puyos that must be dropped on `group` to let it vanish.
#[inline]
pub(crate) fn missing(group: u128) -> u32 {
    4_u32.saturating_sub(group.count_ones()).max(1)
}

/// What a simulation looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FloodWork {
    /// Cells scanned for groups.
    pub cells: u64,
    /// Groups of any size.
    pub groups: u64,
    /// Puyos of these groups.
    pub puyos: u64,
}

impl FloodWork {
    /// Adds `more`.
    pub fn add(&mut self, more: Self) {
        self.cells += more.cells;
        self.groups += more.groups;
        self.puyos += more.puyos;
    }
}

/// The chain that happened while a board was resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Chain {
    /// How often something vanished: "an N-chain".
    pub steps: u32,
    /// Vanished puyos, garbage included.
    pub cleared: u32,
    /// Formula 6.1 of the thesis: `3N(N−1) + Σ i·(cᵢ − 4)`, cᵢ = all puyos vanished in step i.
    pub attack: u32,
}

impl Chain {
    /// A chain of `steps` groups of four.
    pub fn of_fours(steps: u32) -> Self {
        let mut chain = Self::default();
        (0..steps).for_each(|_| chain.push(4));
        chain
    }

    /// Appends a step in which `cleared` puyos vanished, four or more.
    #[inline]
    pub fn push(&mut self, cleared: u32) {
        // 3N(N−1) − 3(N−1)(N−2) = 6(N−1)
        self.attack += 6 * self.steps;
        self.steps += 1;
        self.cleared += cleared;
        self.attack += self.steps * (cleared - 4);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attack_is_formula_6_1() {
        for cleared in [vec![], vec![4], vec![4, 4, 4], vec![5, 4, 9], vec![4; 19]] {
            let mut chain = Chain::default();
            for &count in &cleared {
                chain.push(count);
            }
            let n = cleared.len() as u32;
            let extra: u32 = (1..).zip(&cleared).map(|(i, count)| i * (count - 4)).sum();
            assert_eq!(chain.attack, 3 * n * n.saturating_sub(1) + extra);
            assert_eq!((chain.steps, chain.cleared), (n, cleared.iter().sum()));
        }
    }
}
