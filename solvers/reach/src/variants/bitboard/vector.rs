//! Kernel module with `unsafe`: vectors of half rows of 16, 32 or 64 bits, with AVX2.
//!
//! The methods are inlined into `avx2::run_with`, where each becomes one to three instructions.
#![expect(
    unsafe_code,
    reason = "vector instructions, only after they were detected"
)]

use std::arch::x86_64::*;

use super::lanes::{HalfRows, Stored};
use crate::variants::avx2::Detected;

/// One AVX2 register of half rows of `BITS` bits, with the proof that the machine has AVX2.
#[derive(Clone, Copy)]
pub struct Vector<const BITS: usize>(__m256i, Detected);

impl<const BITS: usize> HalfRows for Vector<BITS> {
    const BITS: usize = BITS;
    type Proof = Detected;
    #[inline(always)]
    fn load(detected: Detected, stored: &Stored) -> Self {
        let from = std::ptr::from_ref(stored).cast();
        // SAFETY: AVX2 was detected; `Stored` is 32 bytes, aligned to 32.
        Self(unsafe { _mm256_load_si256(from) }, detected)
    }

    #[inline(always)]
    fn proof(self) -> Detected {
        self.1
    }

    #[inline(always)]
    fn store(self, stored: &mut Stored) {
        let to = std::ptr::from_mut(stored).cast();
        // SAFETY: `self` proves AVX2; `Stored` is 32 bytes, aligned to 32.
        unsafe { _mm256_store_si256(to, self.0) };
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
    fn xor(self, other: Self) -> Self {
        // SAFETY: `self` proves AVX2.
        Self(unsafe { _mm256_xor_si256(self.0, other.0) }, self.1)
    }

    #[inline(always)]
    fn without(self, other: Self) -> Self {
        // SAFETY: `self` proves AVX2.
        Self(unsafe { _mm256_andnot_si256(other.0, self.0) }, self.1)
    }

    #[inline(always)]
    fn left(self) -> Self {
        // SAFETY: `self` proves AVX2.
        let moved = unsafe {
            match BITS {
                16 => _mm256_slli_epi16::<1>(self.0),
                32 => _mm256_slli_epi32::<1>(self.0),
                _ => _mm256_slli_epi64::<1>(self.0),
            }
        };
        Self(moved, self.1)
    }

    #[inline(always)]
    fn right(self) -> Self {
        // SAFETY: `self` proves AVX2.
        let moved = unsafe {
            match BITS {
                16 => _mm256_srli_epi16::<1>(self.0),
                32 => _mm256_srli_epi32::<1>(self.0),
                _ => _mm256_srli_epi64::<1>(self.0),
            }
        };
        Self(moved, self.1)
    }

    #[inline(always)]
    fn up(self, below: Self) -> Self {
        // SAFETY: `self` proves AVX2.
        let moved = unsafe {
            let low = _mm256_permute2x128_si256::<0x21>(below.0, self.0);
            match BITS {
                16 => _mm256_alignr_epi8::<14>(self.0, low),
                32 => _mm256_alignr_epi8::<12>(self.0, low),
                _ => _mm256_alignr_epi8::<8>(self.0, low),
            }
        };
        Self(moved, self.1)
    }

    #[inline(always)]
    fn down(self, above: Self) -> Self {
        // SAFETY: `self` proves AVX2.
        let moved = unsafe {
            let high = _mm256_permute2x128_si256::<0x21>(self.0, above.0);
            match BITS {
                16 => _mm256_alignr_epi8::<2>(high, self.0),
                32 => _mm256_alignr_epi8::<4>(high, self.0),
                _ => _mm256_alignr_epi8::<8>(high, self.0),
            }
        };
        Self(moved, self.1)
    }

    #[inline(always)]
    fn highest(self) -> Self {
        // SAFETY: `self` proves AVX2.
        Self(unsafe { _mm256_srli_epi64::<63>(self.0) }, self.1)
    }

    #[inline(always)]
    fn lowest(self) -> Self {
        // SAFETY: `self` proves AVX2.
        Self(unsafe { _mm256_slli_epi64::<63>(self.0) }, self.1)
    }

    #[inline(always)]
    fn is_empty(self) -> bool {
        // SAFETY: `self` proves AVX2.
        unsafe { _mm256_testz_si256(self.0, self.0) != 0 }
    }
}
