//! Kernel module with `unsafe`: 16 lanes of 16 bits, by AVX2 and portably, behind one trait.
#![cfg_attr(
    target_arch = "x86_64",
    expect(
        unsafe_code,
        reason = "vector instructions, only after they were detected"
    )
)]

/// 16 lanes of 16 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(align(32))]
pub struct Block(pub [u16; 16]);

impl Block {
    pub const EMPTY: Self = Self([0; 16]);
}

/// What a step needs of a vector of 16 lanes.
pub trait Lanes: Copy {
    /// What proves that the machine has the instructions.
    type Proof: Copy;
    fn load(proof: Self::Proof, block: &Block) -> Self;
    /// That there is a value proves it too.
    fn proof(self) -> Self::Proof;
    fn store(self) -> Block;
    fn or(self, other: Self) -> Self;
    fn and(self, other: Self) -> Self;
    /// The bits of `self` that `other` does not have.
    fn without(self, other: Self) -> Self;
    /// Every lane one bit to the left, its highest bit lost.
    fn left(self) -> Self;
    /// Every lane one bit to the right.
    fn right(self) -> Self;
    /// Lane j moves to lane j+1, the last is lost.
    fn up(self) -> Self;
    /// Lane j moves to lane j−1, the first is lost.
    fn down(self) -> Self;
    fn is_empty(self) -> bool;
}

/// 64-bit words, four lanes in each.
#[derive(Clone, Copy)]
pub struct Portable([u64; 4]);

impl Lanes for Portable {
    type Proof = ();
    #[inline(always)]
    fn proof(self) {}
    #[inline(always)]
    fn load((): (), block: &Block) -> Self {
        let word = |at: usize| {
            (0..4).fold(0, |word, lane| {
                word | u64::from(block.0[4 * at + lane]) << (16 * lane)
            })
        };
        Self([word(0), word(1), word(2), word(3)])
    }
    #[inline(always)]
    fn store(self) -> Block {
        Block(std::array::from_fn(|lane| {
            (self.0[lane / 4] >> (16 * (lane % 4))) as u16
        }))
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        Self(std::array::from_fn(|at| self.0[at] | other.0[at]))
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Self(std::array::from_fn(|at| self.0[at] & other.0[at]))
    }
    #[inline(always)]
    fn without(self, other: Self) -> Self {
        Self(std::array::from_fn(|at| self.0[at] & !other.0[at]))
    }
    #[inline(always)]
    fn left(self) -> Self {
        Self(self.0.map(|word| word << 1 & 0xfffe_fffe_fffe_fffe))
    }
    #[inline(always)]
    fn right(self) -> Self {
        Self(self.0.map(|word| word >> 1 & 0x7fff_7fff_7fff_7fff))
    }
    #[inline(always)]
    fn up(self) -> Self {
        let [a, b, c, d] = self.0;
        Self([
            a << 16,
            b << 16 | a >> 48,
            c << 16 | b >> 48,
            d << 16 | c >> 48,
        ])
    }
    #[inline(always)]
    fn down(self) -> Self {
        let [a, b, c, d] = self.0;
        Self([
            a >> 16 | b << 48,
            b >> 16 | c << 48,
            c >> 16 | d << 48,
            d >> 16,
        ])
    }
    #[inline(always)]
    fn is_empty(self) -> bool {
        self.0 == [0; 4]
    }
}

#[cfg(target_arch = "x86_64")]
pub use x86::Avx2;

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::{Block, Lanes};
    use crate::variants::avx2::Detected;

    /// One AVX2 register, and the proof that there are such.
    #[derive(Clone, Copy)]
    pub struct Avx2(__m256i, Detected);

    // The methods are inlined into `avx2::run`, where each becomes one or two instructions.
    impl Lanes for Avx2 {
        type Proof = Detected;
        #[inline(always)]
        fn proof(self) -> Detected {
            self.1
        }
        #[inline(always)]
        fn load(detected: Detected, block: &Block) -> Self {
            // SAFETY: AVX2 was detected; a `Block` is 32 bytes, aligned to 32.
            Self(
                unsafe { _mm256_load_si256(std::ptr::from_ref(block).cast()) },
                detected,
            )
        }
        #[inline(always)]
        fn store(self) -> Block {
            let mut block = Block::EMPTY;
            // SAFETY: `self` proves AVX2; a `Block` is 32 bytes, aligned to 32.
            unsafe { _mm256_store_si256(std::ptr::from_mut(&mut block).cast(), self.0) };
            block
        }
        #[inline(always)]
        fn or(self, other: Self) -> Self {
            // SAFETY: `self` proves AVX2.
            Self(unsafe { _mm256_or_si256(self.0, other.0) }, self.1)
        }
        #[inline(always)]
        fn and(self, other: Self) -> Self {
            // SAFETY: `self` proves AVX2.
            Self(unsafe { _mm256_and_si256(self.0, other.0) }, self.1)
        }
        #[inline(always)]
        fn without(self, other: Self) -> Self {
            // SAFETY: `self` proves AVX2.
            Self(unsafe { _mm256_andnot_si256(other.0, self.0) }, self.1)
        }
        #[inline(always)]
        fn left(self) -> Self {
            // SAFETY: `self` proves AVX2.
            Self(unsafe { _mm256_add_epi16(self.0, self.0) }, self.1)
        }
        #[inline(always)]
        fn right(self) -> Self {
            // SAFETY: `self` proves AVX2.
            Self(unsafe { _mm256_srli_epi16::<1>(self.0) }, self.1)
        }
        #[inline(always)]
        fn up(self) -> Self {
            // The low half with zeros below it, then 16 bits taken from there.
            // SAFETY: `self` proves AVX2.
            Self(
                unsafe {
                    let below = _mm256_permute2x128_si256::<0x08>(self.0, self.0);
                    _mm256_alignr_epi8::<14>(self.0, below)
                },
                self.1,
            )
        }
        #[inline(always)]
        fn down(self) -> Self {
            // SAFETY: `self` proves AVX2.
            Self(
                unsafe {
                    let above = _mm256_permute2x128_si256::<0x81>(self.0, self.0);
                    _mm256_alignr_epi8::<2>(above, self.0)
                },
                self.1,
            )
        }
        #[inline(always)]
        fn is_empty(self) -> bool {
            // SAFETY: `self` proves AVX2.
            unsafe { _mm256_testz_si256(self.0, self.0) != 0 }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::variants::avx2::{self, Detected, Work};

    /// Every operation on some blocks, as blocks.
    fn results<L: Lanes>(proof: L::Proof) -> Vec<Block> {
        let one = Block(std::array::from_fn(|lane| {
            0x8001_u16.rotate_left(lane as u32) ^ 0x1234
        }));
        let two = Block(std::array::from_fn(|lane| {
            (lane as u16 + 1).wrapping_mul(0x1f3d)
        }));
        let (a, b) = (L::load(proof, &one), L::load(proof, &two));
        assert_eq!(a.store(), one);
        assert!(!a.is_empty() && L::load(proof, &Block::EMPTY).is_empty());
        let all = [
            a.or(b),
            a.and(b),
            a.without(b),
            a.left(),
            b.right(),
            a.up(),
            b.down(),
        ];
        all.map(L::store).to_vec()
    }

    #[test]
    fn lanes_move_as_their_names_say() {
        let block = Block(std::array::from_fn(|lane| lane as u16 + 0x8000));
        let lanes = Portable::load((), &block);
        assert_eq!(lanes.up().store().0[..3], [0, 0x8000, 0x8001]);
        assert_eq!(lanes.down().store().0[13..], [0x800e, 0x800f, 0]);
        assert_eq!(lanes.left().store().0[3], 6);
        assert_eq!(lanes.right().store().0[3], 0x4001);
    }

    /// The results of the best lanes.
    struct Best;

    impl Work for Best {
        type Output = Vec<Block>;
        #[inline(always)]
        fn run(self, detected: Option<Detected>) -> Vec<Block> {
            #[cfg(target_arch = "x86_64")]
            if let Some(detected) = detected {
                return results::<Avx2>(detected);
            }
            let _ = detected;
            results::<Portable>(())
        }
    }

    #[test]
    fn both_paths_agree() {
        assert_eq!(avx2::run(Best), results::<Portable>(()));
    }
}
