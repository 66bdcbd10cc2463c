//! The groups that one or two puyos complete, with AVX2: two colours in one 256-bit register.

use std::arch::x86_64::*;

use super::avx2::{halves, vector};
use super::{Trigger, bitboard, missing};
use crate::board::Board;

/// See [`bitboard::triggers`].
#[target_feature(enable = "avx2,bmi2,popcnt")]
pub(super) fn triggers(boards: &[Board], colours: usize, found: &mut Vec<Trigger>) {
    for (at, board) in (0..).zip(boards) {
        let [code0, code1, code2] = board.planes.map(|plane| vector(plane));
        let tops = (board.occupied() + board.floor()) & board.inside();
        let roomy = halves(vector(tops & (board.inside() >> 1)));
        let tops = _mm256_broadcastsi128_si256(vector(tops));
        // The colours of a pair differ in the lowest bit of their code.
        let pairs = [
            _mm_andnot_si128(code1, code2),
            _mm_and_si128(code1, code2),
            _mm_andnot_si128(code2, code1),
        ];
        for (first, pair) in (0..colours).step_by(2).zip(pairs) {
            let two = [_mm_andnot_si128(code0, pair), _mm_and_si128(code0, pair)];
            let open = _mm256_and_si256(tops, completed(_mm256_set_m128i(two[1], two[0])));
            let open = [
                _mm256_castsi256_si128(open),
                _mm256_extracti128_si256::<1>(open),
            ];
            for (plane, open) in two.into_iter().zip(open).take(colours - first) {
                of_colour(at, plane, [halves(open), roomy], found);
            }
        }
    }
}

/// The cells next to a pair of each plane, or to two of its cells.
#[inline]
#[target_feature(enable = "avx2,bmi2,popcnt")]
fn completed(planes: __m256i) -> __m256i {
    let around = |planes| {
        let below = _mm256_slli_epi16::<1>(planes);
        let above = _mm256_srli_epi16::<1>(planes);
        let left = _mm256_slli_si256::<2>(planes);
        let right = _mm256_srli_si256::<2>(planes);
        let (vertical, horizontal) = (_mm256_or_si256(below, above), _mm256_or_si256(left, right));
        let two = _mm256_or_si256(
            _mm256_or_si256(
                _mm256_and_si256(below, above),
                _mm256_and_si256(left, right),
            ),
            _mm256_and_si256(vertical, horizontal),
        );
        (_mm256_or_si256(vertical, horizontal), two)
    };
    let (beside, two_beside) = around(planes);
    _mm256_or_si256(two_beside, around(_mm256_and_si256(planes, beside)).0)
}

/// Adds the groups of a colour that are completed in the cells `open`; two puyos need a `roomy` cell.
#[inline]
#[target_feature(enable = "avx2,bmi2,popcnt")]
fn of_colour(at: u32, plane: __m128i, [open, roomy]: [[u64; 2]; 2], found: &mut Vec<Trigger>) {
    let first = found.len();
    for half in 0..2 {
        let mut left = open[half];
        while left != 0 {
            let top = left & left.wrapping_neg();
            left ^= top;
            let cell = [[top, 0], [0, top]][half].map(|half| half as i64);
            let mut group = near(_mm_set_epi64x(cell[1], cell[0]), plane);
            // Groups of a stable board have at most three puyos, so two steps reach all of them.
            for _ in 0..2 {
                group = _mm_or_si128(group, near(group, plane));
            }
            let [low, high] = halves(group).map(u128::from);
            let group = high << 64 | low;
            let trigger = Trigger {
                board: at,
                group,
                missing: missing(group),
            };
            let has_room = trigger.missing == 1 || top & roomy[half] != 0;
            if has_room && !found[first..].contains(&trigger) {
                found.push(trigger);
            }
        }
    }
}

/// The cells of `plane` next to `cells`.
#[inline]
#[target_feature(enable = "avx2,bmi2,popcnt")]
fn near(cells: __m128i, plane: __m128i) -> __m128i {
    let vertical = _mm_or_si128(_mm_slli_epi16::<1>(cells), _mm_srli_epi16::<1>(cells));
    let horizontal = _mm_or_si128(_mm_slli_si128::<2>(cells), _mm_srli_si128::<2>(cells));
    _mm_and_si128(_mm_or_si128(vertical, horizontal), plane)
}

/// [`bitboard::contacts`], compiled for these processors.
#[target_feature(enable = "avx2,bmi2,popcnt")]
pub(super) fn contacts(planes: &[u128; 3]) -> u32 {
    bitboard::contacts(planes)
}
