//! A column of half rows as one value: `N` vectors of 256 bits, with AVX2 ([`vector`](super::vector)) or portable
//! code.

/// 256 bits in memory; half rows begin at the lowest bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(align(32))]
pub struct Stored(pub [u64; 4]);

/// `256 · N` bits of half rows in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HalfRowBlock<const N: usize>(pub [Stored; N]);

impl<const N: usize> HalfRowBlock<N> {
    pub const EMPTY: Self = Self([Stored([0; 4]); N]);

    /// A block with only the bit `bit`, or none if it is beyond the block.
    ///
    /// PERF: all words are computed, because loading a vector would have to wait for the store of a single changed
    /// word.
    #[inline(always)]
    pub fn bit(bit: usize) -> Self {
        let mut block = Self::EMPTY;
        for (vector, stored) in block.0.iter_mut().enumerate() {
            for (at, word) in stored.0.iter_mut().enumerate() {
                *word = u64::from(4 * vector + at == bit / 64) << (bit % 64);
            }
        }
        block
    }

    /// Adds `bits` from `first` on, within one word of 64 bits.
    #[inline(always)]
    pub fn add(&mut self, first: usize, bits: u64) {
        self.0[first / 256].0[first / 64 % 4] |= bits << (first % 64);
    }
}

/// The operations of a step on 256 bits of half rows.
pub trait HalfRows: Copy {
    /// The number of bits of a half row.
    const BITS: usize;
    /// A proof that the machine has the instructions.
    type Proof: Copy;
    fn load(proof: Self::Proof, stored: &Stored) -> Self;
    /// The proof, which follows from the existence of a value.
    fn proof(self) -> Self::Proof;
    fn store(self, stored: &mut Stored);
    fn or(self, other: Self) -> Self;
    fn and(self, other: Self) -> Self;
    /// The bits that are in one of them only.
    fn xor(self, other: Self) -> Self;
    /// The bits of `self` that are not in `other`.
    fn without(self, other: Self) -> Self;
    /// Every half row one bit to the left, its highest bit lost.
    fn left(self) -> Self;
    /// Every half row one bit to the right.
    fn right(self) -> Self;
    /// Half row j moves to j+1; the last half row of `below` becomes the first.
    fn up(self, below: Self) -> Self;
    /// Half row j moves to j−1; the first half row of `above` becomes the last.
    fn down(self, above: Self) -> Self;
    /// The highest bit of every half row of 64 bits as its lowest bit: the bit that [`left`](Self::left) loses.
    fn highest(self) -> Self;
    /// The lowest bit of every half row of 64 bits as its highest bit: the bit that [`right`](Self::right) loses.
    fn lowest(self) -> Self;
    fn is_empty(self) -> bool;
}

/// Four words of half rows of `BITS` bits.
#[derive(Clone, Copy)]
pub struct Portable<const BITS: usize>([u64; 4]);

impl<const BITS: usize> Portable<BITS> {
    /// The lowest bit of every half row.
    const LOWEST: u64 = u64::MAX / (u64::MAX >> (64 - BITS));

    #[inline(always)]
    fn both(self, other: Self, join: impl Fn(u64, u64) -> u64) -> Self {
        Self(std::array::from_fn(|word| {
            join(self.0[word], other.0[word])
        }))
    }
}

impl<const BITS: usize> HalfRows for Portable<BITS> {
    const BITS: usize = BITS;
    type Proof = ();
    #[inline(always)]
    fn proof(self) {}
    #[inline(always)]
    fn load((): (), stored: &Stored) -> Self {
        Self(stored.0)
    }
    #[inline(always)]
    fn store(self, stored: &mut Stored) {
        stored.0 = self.0;
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        self.both(other, |one, two| one | two)
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        self.both(other, |one, two| one & two)
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        self.both(other, |one, two| one ^ two)
    }
    #[inline(always)]
    fn without(self, other: Self) -> Self {
        self.both(other, |one, two| one & !two)
    }
    #[inline(always)]
    fn left(self) -> Self {
        Self(self.0.map(|word| word << 1 & !Self::LOWEST))
    }
    #[inline(always)]
    fn right(self) -> Self {
        Self(self.0.map(|word| word >> 1 & !(Self::LOWEST << (BITS - 1))))
    }
    #[inline(always)]
    fn up(self, below: Self) -> Self {
        let [a, b, c, d] = self.0;
        // Two shifts by half, because a shift by 64 is not allowed.
        let word = |high: u64, low: u64| high << (BITS / 2) << (BITS / 2) | low >> (64 - BITS);
        Self([word(a, below.0[3]), word(b, a), word(c, b), word(d, c)])
    }
    #[inline(always)]
    fn down(self, above: Self) -> Self {
        let [a, b, c, d] = self.0;
        let word = |low: u64, high: u64| low >> (BITS / 2) >> (BITS / 2) | high << (64 - BITS);
        Self([word(a, b), word(b, c), word(c, d), word(d, above.0[0])])
    }
    #[inline(always)]
    fn highest(self) -> Self {
        Self(self.0.map(|word| word >> 63))
    }
    #[inline(always)]
    fn lowest(self) -> Self {
        Self(self.0.map(|word| word << 63))
    }
    #[inline(always)]
    fn is_empty(self) -> bool {
        self.0 == [0; 4]
    }
}

/// `256 · N / V::BITS` half rows.
#[derive(Clone, Copy)]
pub struct Lanes<V, const N: usize>([V; N]);

// Loops instead of closures, because code that is not inlined is compiled without vector instructions.
impl<V: HalfRows, const N: usize> Lanes<V, N> {
    #[inline(always)]
    pub fn proof(self) -> V::Proof {
        self.0[0].proof()
    }

    #[inline(always)]
    pub fn load(proof: V::Proof, block: &HalfRowBlock<N>) -> Self {
        let mut loaded = [V::load(proof, &block.0[0]); N];
        for (loaded, stored) in loaded.iter_mut().zip(&block.0) {
            *loaded = V::load(proof, stored);
        }
        Self(loaded)
    }

    #[inline(always)]
    pub fn store(self) -> HalfRowBlock<N> {
        let mut block = HalfRowBlock::EMPTY;
        for (vector, stored) in self.0.into_iter().zip(&mut block.0) {
            vector.store(stored);
        }
        block
    }

    #[inline(always)]
    pub fn or(mut self, other: Self) -> Self {
        for (one, two) in self.0.iter_mut().zip(other.0) {
            *one = one.or(two);
        }
        self
    }

    #[inline(always)]
    pub fn and(mut self, other: Self) -> Self {
        for (one, two) in self.0.iter_mut().zip(other.0) {
            *one = one.and(two);
        }
        self
    }

    #[inline(always)]
    pub fn same(self, other: Self) -> bool {
        let mut differing = self.0[0].without(self.0[0]);
        for (one, two) in self.0.into_iter().zip(other.0) {
            differing = differing.or(one.xor(two));
        }
        differing.is_empty()
    }

    /// The vector `at`.
    #[inline(always)]
    pub fn vector(&mut self, at: usize) -> &mut V {
        &mut self.0[at % N]
    }

    /// Every half row one bit to the left, its highest bit lost.
    #[inline(always)]
    pub fn left(mut self) -> Self {
        for vector in &mut self.0 {
            *vector = vector.left();
        }
        self
    }

    /// Every half row one bit to the right.
    #[inline(always)]
    pub fn right(mut self) -> Self {
        for vector in &mut self.0 {
            *vector = vector.right();
        }
        self
    }

    /// Half row j moves to j+1, and the last to the first, where the edges of a map leave no walks.
    #[inline(always)]
    pub fn up(self) -> Self {
        let mut moved = self;
        for at in 0..N {
            moved.0[at] = self.0[at].up(self.0[(at + N - 1) % N]);
        }
        moved
    }

    /// Half row j moves to j−1, the first to the last.
    #[inline(always)]
    pub fn down(self) -> Self {
        let mut moved = self;
        for at in 0..N {
            moved.0[at] = self.0[at].down(self.0[(at + 1) % N]);
        }
        moved
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::variants::avx2::{self, Detected, VectorWork};

    /// Every operation on some blocks, as blocks.
    fn results<V: HalfRows, const N: usize>(proof: V::Proof) -> Vec<HalfRowBlock<N>> {
        let word = |at: usize| 0x8001_1234_9f3d_0357_u64.rotate_left(at as u32 * 7);
        let block = |by: usize| {
            HalfRowBlock(std::array::from_fn(|vector| {
                Stored(std::array::from_fn(|at| word(by * (4 * vector + at + 1))))
            }))
        };
        let (one, two) = (block(1), block(5));
        let (a, b) = (Lanes::<V, N>::load(proof, &one), Lanes::load(proof, &two));
        assert_eq!(a.store(), one);
        let mut nothing = Lanes::<V, N>::load(proof, &HalfRowBlock::EMPTY);
        assert!(!{ a }.vector(0).is_empty() && nothing.vector(0).is_empty());
        let (x, y) = (a.0[0], b.0[0]);
        let ends = [x.without(y), x.xor(y), x.highest(), x.lowest()].map(|ends| Lanes([ends; N]));
        let all = [a.or(b), a.and(b), a.left(), b.right(), a.up(), b.down()];
        all.into_iter().chain(ends).map(Lanes::store).collect()
    }

    /// The half row `lane`.
    fn half<const BITS: usize, const N: usize>(block: &HalfRowBlock<N>, lane: usize) -> u64 {
        let bit = lane * BITS;
        block.0[bit / 256].0[bit / 64 % 4] >> (bit % 64) & (u64::MAX >> (64 - BITS))
    }

    fn lanes<const BITS: usize, const N: usize>() {
        let mut block = HalfRowBlock::<N>::EMPTY;
        let count = 256 * N / BITS;
        for lane in 0..count {
            // The lowest bit, the highest bit, and between them a bit for the number of the lane.
            block.add(lane * BITS, 1);
            block.add(lane * BITS + BITS - 1, 1);
            block.add(lane * BITS + 1 + lane % (BITS - 2), 1);
        }
        let expected = |lane: usize| 1 | 1 << (BITS - 1) | 2 << (lane % (BITS - 2));
        let lanes = Lanes::<Portable<BITS>, N>::load((), &block);
        for lane in 0..count {
            assert_eq!(half::<BITS, N>(&block, lane), expected(lane));
            let half = |lanes: Lanes<Portable<BITS>, N>| half::<BITS, N>(&lanes.store(), lane);
            let top = 1 << (BITS - 1);
            assert_eq!(half(lanes.left()), (expected(lane) & !top) << 1);
            assert_eq!(half(lanes.right()), expected(lane) >> 1);
            assert_eq!(half(lanes.up()), expected((lane + count - 1) % count));
            assert_eq!(half(lanes.down()), expected((lane + 1) % count));
        }
    }

    #[test]
    fn lanes_move_as_their_names_say() {
        lanes::<16, 1>();
        lanes::<32, 2>();
        lanes::<32, 4>();
        lanes::<64, 2>();
    }

    /// The results of the best lanes.
    struct Best<const BITS: usize, const N: usize>;

    impl<const BITS: usize, const N: usize> VectorWork for Best<BITS, N> {
        type Output = Vec<HalfRowBlock<N>>;
        #[inline(always)]
        fn run(self, detected: Option<Detected>) -> Vec<HalfRowBlock<N>> {
            #[cfg(target_arch = "x86_64")]
            if let Some(detected) = detected {
                return results::<super::super::vector::Vector<BITS>, N>(detected);
            }
            let _ = detected;
            results::<Portable<BITS>, N>(())
        }
    }

    #[test]
    fn both_paths_agree() {
        assert_eq!(avx2::run(Best::<16, 1>), results::<Portable<16>, 1>(()));
        assert_eq!(avx2::run(Best::<32, 4>), results::<Portable<32>, 4>(()));
        assert_eq!(avx2::run(Best::<64, 2>), results::<Portable<64>, 2>(()));
    }
}
