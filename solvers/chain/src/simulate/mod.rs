//! Chains: every group of four or more connected puyos of a colour vanishes, the columns fall, again.
//!
//! One file per kernel, all exactly equal on every board:
//!
//! | kernel | idea |
//! |---|---|
//! | [`flood`] | the naive one: a flood fill from every cell |
//! | [`bitboard`] | planes of 128 bits, groups by counting neighbours |
//! | [`avx2`] | the same, two colours at once, falling by `pext` and `pdep` |
//!
//! [`resolve`] is the fastest one that this machine has.

#[cfg(target_arch = "x86_64")]
pub mod avx2;
pub mod bitboard;
pub mod flood;

use std::sync::LazyLock;

use crate::board::Board;

/// A function that lets a chain happen.
pub type Kernel = fn(&mut Board) -> Chain;

/// What happened while a board was resolved.
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

/// Lets the chain happen on a settled board, which ends settled and without groups of four.
#[inline]
pub fn resolve(board: &mut Board) -> Chain {
    FASTEST(board)
}

/// Chosen once, at the first chain.
static FASTEST: LazyLock<Kernel> = LazyLock::new(|| avx2_kernel().unwrap_or(bitboard::resolve));

/// The AVX2 kernel, where the processor has what it needs.
#[must_use]
pub fn avx2_kernel() -> Option<Kernel> {
    #[cfg(target_arch = "x86_64")]
    return avx2::kernel();
    #[cfg(not(target_arch = "x86_64"))]
    None
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
