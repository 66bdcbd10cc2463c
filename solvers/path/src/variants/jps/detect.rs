//! Kernel module with `unsafe`: runs code with POPCNT, BMI1 and BMI2 if the machine has them.
#![cfg_attr(
    target_arch = "x86_64",
    expect(unsafe_code, reason = "instructions, only after they were detected")
)]

/// Something to do with the best instructions on bits that the machine has.
///
/// Implementations say `#[inline(always)]`, and so does all they call that should profit.
pub trait BitWork {
    /// The result.
    type Output;
    /// Runs the code.
    fn run(self) -> Self::Output;
}

/// Does `work`, compiled for POPCNT, BMI1 and BMI2 if the machine has them.
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
