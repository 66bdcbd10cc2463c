//! Kernel module with `unsafe`: runs code with AVX2 and BMI2 if the machine has them.
#![cfg_attr(
    target_arch = "x86_64",
    expect(
        unsafe_code,
        reason = "vector instructions, only after they were detected"
    )
)]

/// Proof that AVX2, BMI1 and BMI2 are there: made by [`detect`] alone.
#[derive(Debug, Clone, Copy)]
pub struct Detected(());

/// Something to do with the best instructions that the machine has.
///
/// Implementations say `#[inline(always)]`, and so does all they call that should profit. (A closure
/// cannot say so, and what is not inlined is compiled without those instructions.)
pub trait VectorWork {
    /// The result.
    type Output;
    /// Runs the code; `detected` if AVX2, BMI1 and BMI2 are there.
    fn run(self, detected: Option<Detected>) -> Self::Output;
}

/// Proof that AVX2, BMI1 and BMI2 are there, if they are.
#[inline]
pub fn detect() -> Option<Detected> {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
    {
        return Some(Detected(()));
    }
    None
}

/// Whether there are AVX-512's three operands in one logical instruction, and its 32 registers.
#[inline]
pub fn has_avx512() -> bool {
    #[cfg(target_arch = "x86_64")]
    return is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512bw");
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// Does `work`, compiled for AVX2, BMI1 and BMI2 if the machine has them.
#[inline]
pub fn run<W: VectorWork>(work: W) -> W::Output {
    match detect() {
        Some(detected) => run_with(detected, work),
        None => work.run(None),
    }
}

/// Does `work`, compiled for AVX2, BMI1 and BMI2.
#[inline]
pub fn run_with<W: VectorWork>(detected: Detected, work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2,bmi1,bmi2")]
        fn inner<W: VectorWork>(detected: Detected, work: W) -> W::Output {
            work.run(Some(detected))
        }
        /// The same with three operands in one logical instruction and twice the registers.
        #[target_feature(enable = "avx2,bmi1,bmi2,avx512f,avx512vl,avx512bw")]
        fn inner_avx512<W: VectorWork>(detected: Detected, work: W) -> W::Output {
            work.run(Some(detected))
        }
        if has_avx512() {
            // SAFETY: the features were detected.
            return unsafe { inner_avx512(detected, work) };
        }
        // SAFETY: `detected` proves the features.
        unsafe { inner(detected, work) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    work.run(Some(detected))
}

/// Bit `i` of `bits` at the `i`-th one of `mask`: one instruction if it is there.
#[inline(always)]
pub fn deposit(detected: Option<Detected>, bits: u64, mask: u64) -> u64 {
    #[cfg(target_arch = "x86_64")]
    if let Some(Detected(())) = detected {
        // SAFETY: BMI2 was detected.
        return unsafe { std::arch::x86_64::_pdep_u64(bits, mask) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = detected;
    let (mut left, mut index, mut result) = (mask, 0, 0);
    while left != 0 {
        let lowest = left & left.wrapping_neg();
        result |= lowest * (bits >> index & 1);
        left ^= lowest;
        index += 1;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bits and a mask to deposit.
    struct Case(u64, u64);

    impl VectorWork for Case {
        type Output = u64;
        #[inline(always)]
        fn run(self, detected: Option<Detected>) -> u64 {
            deposit(detected, self.0, self.1)
        }
    }

    #[test]
    fn both_deposits_agree() {
        let cases = [
            (0b101, 0b1011_0100),
            (!0, 0),
            (u64::MAX, u64::MAX),
            (0x1234_5678, 0x0f0f_f0f0_3c3c_c3c3),
        ];
        for (bits, mask) in cases {
            assert_eq!(run(Case(bits, mask)), deposit(None, bits, mask));
        }
        assert_eq!(deposit(None, 0b101, 0b1011_0100), 0b0010_0100);
    }
}
