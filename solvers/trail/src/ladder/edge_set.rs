//! Sets of edges as bits: one machine word for boards up to 6×6, two up to 8×8, eight up to 16×16, and any
//! number on the heap for larger boards.

use std::fmt::Debug;

/// A set of passed edges with the operations of a search, each on a few edges at once.
pub trait EdgeSet: Clone + Eq + Debug + Send + Sync + 'static {
    /// Up to four edges: the edges of a move, or all edges at a vertex.
    type Few: Copy + Debug + Send + Sync;
    /// An element that no set has: the [`exits`](super::graph::Move::exits) of a move to the goal.
    const NO_EDGE: Self::Few;
    /// The empty set of a board with `edges` edges.
    fn empty(edges: usize) -> Self;
    /// Makes a `Few` of up to four edges.
    fn few(edges: impl Iterator<Item = usize>) -> Self::Few;
    /// The edges of two moves, each of at most two edges.
    fn join(one: Self::Few, two: Self::Few) -> Self::Few;
    /// The union of this set and `edges`.
    fn with(&self, edges: Self::Few) -> Self;
    /// Returns whether any of `edges` is in this set.
    fn meets(&self, edges: Self::Few) -> bool;
    /// Returns whether all of `edges` are in this set.
    fn contains(&self, edges: Self::Few) -> bool;
    /// The number of `edges` that are not in this set.
    fn lacks(&self, edges: Self::Few) -> u32;
    /// A hash of the bits.
    fn fold(&self) -> u64;
    /// Bytes of a set on a board with `edges` edges.
    fn bytes(_edges: usize) -> usize {
        size_of::<Self>()
    }
}

/// A set whose size is known at compile time. Its highest bit is never an edge.
pub trait FixedSet: EdgeSet {
    /// The number of edges that it can hold.
    const CAPACITY: usize;
}

macro_rules! word {
    ($word:ty) => {
        impl FixedSet for $word {
            const CAPACITY: usize = Self::BITS as usize - 1;
        }

        impl EdgeSet for $word {
            type Few = Self;
            const NO_EDGE: Self = 1 << Self::CAPACITY;
            fn empty(_edges: usize) -> Self {
                0
            }
            fn few(edges: impl Iterator<Item = usize>) -> Self {
                edges.fold(0, |set, edge| set | 1 << edge)
            }
            fn join(one: Self, two: Self) -> Self {
                one | two
            }
            #[inline]
            fn with(&self, edges: Self) -> Self {
                self | edges
            }
            #[inline]
            fn meets(&self, edges: Self) -> bool {
                self & edges != 0
            }
            #[inline]
            fn contains(&self, edges: Self) -> bool {
                edges & !self == 0
            }
            #[inline]
            fn lacks(&self, edges: Self) -> u32 {
                (edges & !self).count_ones()
            }
            #[inline]
            fn fold(&self) -> u64 {
                spread(*self as u64 ^ spread((*self as u128 >> 64) as u64))
            }
        }
    };
}

word!(u64);
word!(u128);

/// Words of a [`WideSet`].
const WORDS: usize = 8;

/// A set of up to 511 edges: 16×16 vertices have 480.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WideSet([u64; WORDS]);

impl FixedSet for WideSet {
    const CAPACITY: usize = WORDS * 64 - 1;
}

impl EdgeSet for WideSet {
    type Few = Self;
    const NO_EDGE: Self = {
        let mut words = [0; WORDS];
        words[WORDS - 1] = 1 << 63;
        Self(words)
    };
    fn empty(_edges: usize) -> Self {
        Self([0; WORDS])
    }
    fn few(edges: impl Iterator<Item = usize>) -> Self {
        let mut words = [0; WORDS];
        for edge in edges {
            words[edge / 64] |= 1 << (edge % 64);
        }
        Self(words)
    }
    fn join(one: Self, two: Self) -> Self {
        one.with(two)
    }
    fn with(&self, edges: Self) -> Self {
        Self(std::array::from_fn(|word| self.0[word] | edges.0[word]))
    }
    fn meets(&self, edges: Self) -> bool {
        self.0.iter().zip(edges.0).any(|(a, b)| a & b != 0)
    }
    fn contains(&self, edges: Self) -> bool {
        self.lacks(edges) == 0
    }
    fn lacks(&self, edges: Self) -> u32 {
        let words = self.0.iter().zip(edges.0);
        words.map(|(a, b)| (b & !a).count_ones()).sum()
    }
    fn fold(&self) -> u64 {
        fold(&self.0)
    }
}

/// A set of any size, on the heap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Large(Box<[u64]>);

impl Large {
    /// Fills the unused places of a `Few`.
    const NONE: u32 = u32::MAX;
    /// An edge that no set has.
    const NEVER: u32 = u32::MAX - 1;

    fn has(&self, edge: u32) -> bool {
        let word = self.0.get(edge as usize / 64);
        word.is_some_and(|word| word >> (edge % 64) & 1 == 1)
    }

    fn each(edges: [u32; 4]) -> impl Iterator<Item = u32> {
        edges.into_iter().take_while(|edge| *edge != Self::NONE)
    }
}

impl EdgeSet for Large {
    type Few = [u32; 4];
    const NO_EDGE: [u32; 4] = [Self::NEVER, Self::NONE, Self::NONE, Self::NONE];
    fn empty(edges: usize) -> Self {
        Self(vec![0; edges.div_ceil(64)].into())
    }
    fn few(edges: impl Iterator<Item = usize>) -> [u32; 4] {
        let mut few = [Self::NONE; 4];
        for (place, edge) in few.iter_mut().zip(edges) {
            *place = edge as u32;
        }
        few
    }
    fn join(one: [u32; 4], two: [u32; 4]) -> [u32; 4] {
        Self::few(
            Self::each(one)
                .chain(Self::each(two))
                .map(|edge| edge as usize),
        )
    }
    fn with(&self, edges: [u32; 4]) -> Self {
        let mut set = self.clone();
        for edge in Self::each(edges) {
            set.0[edge as usize / 64] |= 1 << (edge % 64);
        }
        set
    }
    fn meets(&self, edges: [u32; 4]) -> bool {
        Self::each(edges).any(|edge| self.has(edge))
    }
    fn contains(&self, edges: [u32; 4]) -> bool {
        Self::each(edges).all(|edge| self.has(edge))
    }
    fn lacks(&self, edges: [u32; 4]) -> u32 {
        Self::each(edges)
            .map(|edge| u32::from(!self.has(edge)))
            .sum()
    }
    fn fold(&self) -> u64 {
        fold(&self.0)
    }
    fn bytes(edges: usize) -> usize {
        size_of::<Self>() + 8 * edges.div_ceil(64)
    }
}

fn fold(words: &[u64]) -> u64 {
    words.iter().fold(0, |hash, word| spread(hash ^ word))
}

/// A bijection that spreads every bit upward (Fibonacci hashing, then the high half is XORed into the low half).
#[inline]
fn spread(bits: u64) -> u64 {
    let product = bits.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    product ^ product >> 32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn laws<S: EdgeSet>(board: usize) {
        let edges = [0, 1, board / 2, board - 1];
        let single = |edge: usize| S::few(std::iter::once(edge));
        let (none, all) = (S::empty(board), S::few(edges.into_iter()));
        let full = none.with(all);
        for edge in edges {
            let (one, set) = (single(edge), none.with(single(edge)));
            assert!(full.meets(one) && full.contains(one) && full.lacks(one) == 0);
            assert!(!none.meets(one) && !none.contains(one) && none.lacks(one) == 1);
            assert!(set.meets(all) && !set.contains(all) && set.lacks(all) == 3);
            assert!(!set.meets(S::NO_EDGE) && !set.contains(S::NO_EDGE));
            assert_eq!(set.with(all), full);
        }
        let pair = S::join(single(0), single(board - 1));
        assert!(full.contains(pair) && none.with(single(0)).lacks(pair) == 1);
        assert_ne!(full.fold(), none.fold());
        assert!(S::bytes(board) * 8 >= board);
    }

    #[test]
    fn sets_of_every_width_obey_the_same_laws() {
        laws::<u64>(u64::CAPACITY);
        laws::<u128>(u128::CAPACITY);
        laws::<WideSet>(WideSet::CAPACITY);
        laws::<Large>(8_064);
        laws::<Large>(8_065);
    }
}
