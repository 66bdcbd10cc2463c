//! Kernel module with `unsafe`: runs code with AVX2 and BMI2 if the machine has them.
#![cfg_attr(
    target_arch = "x86_64",
    expect(
        unsafe_code,
        reason = "vector instructions, only after they were detected"
    )
)]

/// Proof that the machine has AVX2, BMI1 and BMI2; only [`detect`] creates it.
#[derive(Debug, Clone, Copy)]
pub struct Detected(());

/// Code to run with the best instructions of the machine.
///
/// Implementations need `#[inline(always)]`, and so do all functions they call that should use these instructions. (A
/// closure cannot have the attribute, and code that is not inlined is compiled without them.)
pub trait VectorWork {
    /// The result.
    type Output;
    /// Runs the code; `detected` proves AVX2, BMI1 and BMI2.
    fn run(self, detected: Option<Detected>) -> Self::Output;
}

/// Detects AVX2, BMI1 and BMI2.
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

/// Returns whether the machine has AVX-512 with three-operand logical instructions and 32 vector registers.
#[inline]
pub fn has_avx512() -> bool {
    #[cfg(target_arch = "x86_64")]
    return is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512bw");
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// Runs `work`, compiled for AVX2, BMI1 and BMI2 if the machine has them.
#[inline]
pub fn run<W: VectorWork>(work: W) -> W::Output {
    match detect() {
        Some(detected) => run_with(detected, work),
        None => work.run(None),
    }
}

/// Runs `work`, compiled for AVX2, BMI1 and BMI2.
#[inline]
pub fn run_with<W: VectorWork>(detected: Detected, work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2,bmi1,bmi2")]
        fn inner<W: VectorWork>(detected: Detected, work: W) -> W::Output {
            work.run(Some(detected))
        }
        /// The same with three-operand logical instructions and twice the registers.
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

/// Moves bit `i` of `bits` to the place of the `i`-th set bit of `mask`: one instruction if the machine has it.
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
