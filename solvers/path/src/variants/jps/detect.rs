//! Kernel module with `unsafe`: runs code with POPCNT, BMI1 and BMI2 if the machine has them.
#![cfg_attr(
    target_arch = "x86_64",
    expect(unsafe_code, reason = "instructions, only after they were detected")
)]

/// Code to run with the best bit instructions of the machine.
///
/// Implementations need `#[inline(always)]`, and so do all functions they call that should use these instructions.
pub trait BitWork {
    /// The result.
    type Output;
    /// Runs the code.
    fn run(self) -> Self::Output;
}

/// Runs `work`, compiled for POPCNT, BMI1 and BMI2 if the machine has them.
#[inline]
pub fn run<W: BitWork>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("popcnt")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
    {
        #[target_feature(enable = "popcnt,bmi1,bmi2")]
        fn inner<W: BitWork>(work: W) -> W::Output {
            work.run()
        }
        // SAFETY: the features were detected.
        return unsafe { inner(work) };
    }
    work.run()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts the bits of a number.
    struct Ones(u64);

    impl BitWork for Ones {
        type Output = u32;
        #[inline(always)]
        fn run(self) -> u32 {
            self.0.count_ones()
        }
    }

    #[test]
    fn work_has_one_result_with_all_instructions() {
        assert_eq!(run(Ones(0b1011)), 3);
    }
}
