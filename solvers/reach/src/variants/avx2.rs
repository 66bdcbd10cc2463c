//! Kernel module with `unsafe`: runs code with AVX2 and BMI2 if the machine has them.
#![expect(
    unsafe_code,
    reason = "vector instructions, only after they were detected"
)]

/// Proof that AVX2, BMI1 and BMI2 are there: made by [`with_avx2`] alone.
#[derive(Debug, Clone, Copy)]
pub struct Detected(());

/// Runs `work` compiled for AVX2, BMI1 and BMI2, if the machine has them; all that `work` calls must
/// be inlined to profit.
#[inline]
pub fn with_avx2<R>(work: impl FnOnce(Detected) -> R) -> Option<R> {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2,bmi1,bmi2")]
        fn inner<R>(work: impl FnOnce(Detected) -> R) -> R {
            work(Detected(()))
        }
        let there = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2");
        // SAFETY: the features were just detected.
        there.then(|| unsafe { inner(work) })
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = work;
        None
    }
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

    #[test]
    fn both_deposits_agree() {
        let cases = [
            (0b101, 0b1011_0100),
            (!0, 0),
            (u64::MAX, u64::MAX),
            (0x1234_5678, 0x0f0f_f0f0_3c3c_c3c3),
        ];
        for (bits, mask) in cases {
            let portable = deposit(None, bits, mask);
            if let Some(found) = with_avx2(|detected| deposit(Some(detected), bits, mask)) {
                assert_eq!(found, portable);
            }
        }
        assert_eq!(deposit(None, 0b101, 0b1011_0100), 0b0010_0100);
    }
}
