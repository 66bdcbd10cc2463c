//! Kernel module with `unsafe`: runs code with AVX2 and BMI2 if the machine has them.
#![expect(
    unsafe_code,
    reason = "vector instructions, only after they were detected"
)]

/// Runs `work` compiled for AVX2, BMI1 and BMI2, if the machine has them; all that `work` calls must
/// be inlined to profit.
#[cfg(target_arch = "x86_64")]
#[inline]
pub fn with_avx2<R>(work: impl FnOnce() -> R) -> Option<R> {
    #[target_feature(enable = "avx2,bmi1,bmi2")]
    fn inner<R>(work: impl FnOnce() -> R) -> R {
        work()
    }
    let there = is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2");
    // SAFETY: the features were just detected.
    there.then(|| unsafe { inner(work) })
}

/// Runs nothing: this kind of machine has no AVX2.
#[cfg(not(target_arch = "x86_64"))]
pub fn with_avx2<R>(_: impl FnOnce() -> R) -> Option<R> {
    None
}

/// Bit `i` of `bits` at the `i`-th one of `mask`. `BMI2` is `true` only inside of [`with_avx2`].
#[inline(always)]
pub fn deposit<const BMI2: bool>(bits: u64, mask: u64) -> u64 {
    #[cfg(target_arch = "x86_64")]
    if BMI2 {
        // SAFETY: inside of `with_avx2`, after detection.
        return unsafe { std::arch::x86_64::_pdep_u64(bits, mask) };
    }
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

    #[test]
    fn both_deposits_agree() {
        let cases = [
            (0b101, 0b1011_0100),
            (!0, 0),
            (u64::MAX, u64::MAX),
            (0x1234_5678, 0x0f0f_f0f0_3c3c_c3c3),
        ];
        for (bits, mask) in cases {
            let portable = deposit::<false>(bits, mask);
            if let Some(found) = with_avx2(|| deposit::<true>(bits, mask)) {
                assert_eq!(found, portable);
            }
        }
        assert_eq!(deposit::<false>(0b101, 0b1011_0100), 0b0010_0100);
    }
}
