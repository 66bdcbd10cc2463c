//! Contains `unsafe`: calls of the functions for AVX2, BMI2 and POPCNT if the processor supports them.
#![expect(
    unsafe_code,
    reason = "calls functions compiled for detected processor features"
)]

use super::{Simulator, avx2, steps, triggers};

/// The simulator of [`avx2`] and [`steps`]; `None` if the processor lacks the instructions.
pub fn simulator() -> Option<Simulator> {
    let all = is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("popcnt");
    all.then_some(Simulator {
        // SAFETY: the features that these functions are compiled for were just detected.
        resolve: |board| unsafe { avx2::resolve(board) },
        place: |board, piece, placement| unsafe { avx2::place(board, piece, placement) },
        fire: |board, group| unsafe { avx2::fire(board, group) },
        // SAFETY: as above.
        outcomes: |outcomes| unsafe { steps::outcomes(outcomes) },
        steps: |boards, steps| unsafe { steps::steps(boards, steps) },
        triggers: |boards, colours, found| unsafe { triggers::triggers(boards, colours, found) },
        fire_each: |boards, fired, chains| unsafe { steps::fire_each(boards, fired, chains) },
        contacts: |planes| unsafe { triggers::contacts(planes) },
    })
}
