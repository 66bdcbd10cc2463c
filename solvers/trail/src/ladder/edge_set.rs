//! Sets of edges as bits: one machine word for boards up to 5×6 and 6×6, more for larger ones.

use std::hash::Hash;

/// A set of edges. The highest bit is never an edge, so that a set can be told from any full board.
pub trait EdgeSet: Copy + Eq + Hash + Send + Sync + 'static {
    /// Edges that it can hold.
    const CAPACITY: usize;
    /// No edge.
    const EMPTY: Self;
    /// The element that no board has.
    const NO_EDGE: Self;
    /// One edge.
    fn single(edge: usize) -> Self;
    /// This set and another.
    fn union(self, other: Self) -> Self;
    /// Whether both have an edge in common.
    fn meets(self, other: Self) -> bool;
    /// Whether every element is in `other`.
    fn within(self, other: Self) -> bool;
    /// Elements that are not in `other`.
    fn count_outside(self, other: Self) -> u32;
    /// The bits folded to a hash.
    fn fold(self) -> u64;
}

macro_rules! word {
    ($word:ty) => {
        impl EdgeSet for $word {
            const CAPACITY: usize = Self::BITS as usize - 1;
            const EMPTY: Self = 0;
            const NO_EDGE: Self = 1 << Self::CAPACITY;
            #[inline]
            fn single(edge: usize) -> Self {
                1 << edge
            }
            #[inline]
            fn union(self, other: Self) -> Self {
                self | other
            }
            #[inline]
            fn meets(self, other: Self) -> bool {
                self & other != 0
            }
            #[inline]
            fn within(self, other: Self) -> bool {
                self & !other == 0
            }
            #[inline]
            fn count_outside(self, other: Self) -> u32 {
                (self & !other).count_ones()
            }
            #[inline]
            fn fold(self) -> u64 {
                spread(self as u64 ^ spread((self as u128 >> 64) as u64))
            }
        }
    };
}

word!(u64);
word!(u128);

/// Words of a [`Wide`] set.
const WORDS: usize = 8;
/// Edges of the largest board that any set holds: 16×16 vertices have 480.
pub const WIDEST: usize = WORDS * 64 - 1;

/// A set of up to [`WIDEST`] edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Wide([u64; WORDS]);

impl EdgeSet for Wide {
    const CAPACITY: usize = WIDEST;
    const EMPTY: Self = Self([0; WORDS]);
    const NO_EDGE: Self = {
        let mut words = [0; WORDS];
        words[WORDS - 1] = 1 << 63;
        Self(words)
    };
    fn single(edge: usize) -> Self {
        let mut words = [0; WORDS];
        words[edge / 64] = 1 << (edge % 64);
        Self(words)
    }
    fn union(self, other: Self) -> Self {
        Self(std::array::from_fn(|word| self.0[word] | other.0[word]))
    }
    fn meets(self, other: Self) -> bool {
        self.0.iter().zip(other.0).any(|(a, b)| a & b != 0)
    }
    fn within(self, other: Self) -> bool {
        self.count_outside(other) == 0
    }
    fn count_outside(self, other: Self) -> u32 {
        let words = self.0.iter().zip(other.0);
        words.map(|(a, b)| (a & !b).count_ones()).sum()
    }
    fn fold(self) -> u64 {
        self.0.iter().fold(0, |hash, word| spread(hash ^ word))
    }
}

/// A bijection that spreads every bit upward (Fibonacci hashing, then the high half folded in).
#[inline]
fn spread(bits: u64) -> u64 {
    let product = bits.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    product ^ product >> 32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn laws<S: EdgeSet>() {
        let edges = [0, 1, S::CAPACITY / 2, S::CAPACITY - 1];
        let all = edges
            .iter()
            .fold(S::EMPTY, |set, edge| set.union(S::single(*edge)));
        for edge in edges {
            assert!(S::single(edge).meets(all) && S::single(edge).within(all));
            assert!(!S::single(edge).within(S::EMPTY) && !S::single(edge).meets(S::NO_EDGE));
            assert_eq!(all.count_outside(S::single(edge)), 3);
        }
        assert!(!S::NO_EDGE.within(all));
        assert_ne!(all.fold(), S::EMPTY.fold());
    }

    #[test]
    fn sets_of_every_width_obey_the_same_laws() {
        laws::<u64>();
        laws::<u128>();
        laws::<Wide>();
    }
}
