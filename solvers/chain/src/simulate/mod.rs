//! Simulates chains: every group of four or more connected puyos of a colour vanishes, the columns fall, and this
//! repeats until no group is left.
//!
//! Each kernel has one file; all kernels give the same results on every board:
//!
//! | kernel | idea |
//! |---|---|
//! | [`flood`] | naive: a flood fill from every cell |
//! | [`bitboard`] | planes of 128 bits, groups by counting neighbours |
//! | `avx2` | the same, all colours at once, falling by `pext` and `pdep` |
//! | `steps` | the same, many boards at once |
//! | `triggers` | the groups that one or two puyos complete, two colours at once |
//!
//! [`resolve`] and [`place`] call the fastest kernel that the processor supports.

#[cfg(target_arch = "x86_64")]
mod avx2;
pub mod bitboard;
#[cfg(target_arch = "x86_64")]
mod detected;
pub mod flood;
#[cfg(target_arch = "x86_64")]
mod steps;
#[cfg(target_arch = "x86_64")]
mod triggers;

use std::sync::LazyLock;

use crate::board::Board;
use crate::placement::{Piece, Placement};

/// The functions of one kernel. Each function gives the same result on every board as that of the naive kernel.
#[derive(Debug, Clone, Copy)]
pub struct Simulator {
    /// Simulates the chain on a settled board, which is settled and without groups of four afterwards.
    pub resolve: fn(&mut Board) -> Chain,
    /// Places a piece legally and simulates the chain; returns the board that is left and the chain.
    pub place: fn(&Board, Piece, Placement) -> (Board, Chain),
    /// Removes the puyos of `group`, all of one colour, as if they vanished with the puyos dropped on them (as many
    /// as a group of four needs, at least one), and simulates the chain. The board must have no group of four.
    pub fire: fn(&Board, u128) -> (Board, Chain),
    /// Simulates the chain on the settled board of each outcome, whose chain has no step yet.
    pub outcomes: fn(&mut [FieldOutcome]),
    /// The number of steps of the chain on each settled board.
    pub steps: fn(&[Board], &mut [u32]),
    /// Adds the triggers of each board, in the order of the boards, for the first `n` colours. The boards must be
    /// settled and have no group of four.
    pub triggers: fn(&[Board], usize, &mut Vec<Trigger>),
    /// [`fire`](Self::fire)s each trigger of the boards and replaces the list by their chains.
    pub fire_each: fn(&[Board], &[Trigger], &mut Vec<LatentChain>),
    /// The number of pairs of neighbours of one colour, given the planes of a board.
    pub contacts: fn(&[u128; 3]) -> u32,
}

impl Simulator {
    /// The naive simulator.
    pub const FLOOD: Self = Self {
        resolve: flood::resolve,
        place: |board, piece, placement| placed(board, piece, placement, flood::resolve),
        fire: flood::fire,
        outcomes: |outcomes| resolve_each(outcomes, flood::resolve),
        steps: |boards, steps| steps_one_by_one(boards, steps, flood::resolve),
        triggers: bitboard::triggers,
        fire_each: |boards, fired, chains| fire_one_by_one(boards, fired, chains, flood::fire),
        contacts: bitboard::contacts,
    };
    /// The portable bitboard simulator.
    pub const BITBOARD: Self = Self {
        resolve: bitboard::resolve,
        place: |board, piece, placement| placed(board, piece, placement, bitboard::resolve),
        fire: bitboard::fire,
        outcomes: |outcomes| resolve_each(outcomes, bitboard::resolve),
        steps: |boards, steps| steps_one_by_one(boards, steps, bitboard::resolve),
        triggers: bitboard::triggers,
        fire_each: |boards, fired, chains| fire_one_by_one(boards, fired, chains, bitboard::fire),
        contacts: bitboard::contacts,
    };

    /// The bitboard simulator for AVX2; `None` if the processor lacks the instructions.
    pub fn avx2() -> Option<Self> {
        #[cfg(target_arch = "x86_64")]
        return detected::simulator();
        #[cfg(not(target_arch = "x86_64"))]
        None
    }

    /// The fastest simulator that the processor supports.
    #[inline]
    pub fn fastest() -> Self {
        *FASTEST
    }
}

/// The fastest simulator, chosen at the first use.
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

/// Resolves the board of every outcome, one after another.
#[inline]
pub(crate) fn resolve_each(
    outcomes: &mut [FieldOutcome],
    mut resolve: impl FnMut(&mut Board) -> Chain,
) {
    for outcome in outcomes {
        outcome.chain = resolve(&mut outcome.rest);
    }
}

/// The number of steps of the chain of every board, one after another.
#[inline]
pub(crate) fn steps_one_by_one(
    boards: &[Board],
    steps: &mut [u32],
    mut resolve: impl FnMut(&mut Board) -> Chain,
) {
    for (board, steps) in boards.iter().zip(steps) {
        *steps = resolve(&mut { *board }).steps;
    }
}

/// Fires the triggers, one after another.
#[inline]
fn fire_one_by_one(
    boards: &[Board],
    fired: &[Trigger],
    chains: &mut Vec<LatentChain>,
    fire: impl Fn(&Board, u128) -> (Board, Chain),
) {
    let latent = |trigger: &Trigger| {
        let (rest, chain) = fire(&boards[trigger.board as usize], trigger.group);
        let left = rest.planes;
        LatentChain { chain, left }
    };
    chains.clear();
    chains.extend(fired.iter().map(latent));
}

/// [`Simulator::resolve`] of the fastest simulator.
#[inline]
pub fn resolve(board: &mut Board) -> Chain {
    (FASTEST.resolve)(board)
}

/// [`Simulator::place`] of the fastest simulator: faster than [`Board::place`] followed by [`resolve`].
#[inline]
pub fn place(board: &Board, piece: Piece, placement: Placement) -> (Board, Chain) {
    (FASTEST.place)(board, piece, placement)
}

/// A group that one or two puyos dropped on a column complete, so that it vanishes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Trigger {
    /// The index of its board.
    pub board: u32,
    /// The puyos of the group.
    pub group: u128,
    /// The number of puyos to drop.
    pub missing: u32,
}

/// The chain that a trigger starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LatentChain {
    /// The chain.
    pub chain: Chain,
    /// The planes of the board that is left.
    pub left: [u128; 3],
}

/// The number of puyos that must be dropped on `group` to make it vanish.
#[inline]
pub(crate) fn missing(group: u128) -> u32 {
    4_u32.saturating_sub(group.count_ones()).max(1)
}

/// The work of a flood-fill simulation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FloodWork {
    /// The number of cells scanned for groups.
    pub cells: u64,
    /// The number of groups found, of any size.
    pub groups: u64,
    /// The number of puyos in these groups.
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

/// The outcome of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FieldOutcome {
    /// The chain.
    pub chain: Chain,
    /// The field that is left.
    pub rest: Board,
}

/// The chain of a resolved board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Chain {
    /// The number of steps in which puyos vanished: the N of an "N-chain".
    pub steps: u32,
    /// The number of vanished puyos, including garbage.
    pub cleared: u32,
    /// Formula 6.1 of the thesis: `3N(N−1) + Σ i·(cᵢ − 4)`, where cᵢ is the number of all puyos vanished in step i.
    pub attack: u32,
}

impl Chain {
    /// A chain of `steps` groups of four.
    pub fn of_fours(steps: u32) -> Self {
        let mut chain = Self::default();
        (0..steps).for_each(|_| chain.push(4));
        chain
    }

    /// Appends a step in which `cleared` puyos, at least four, vanished.
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
