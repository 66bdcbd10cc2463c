//! Unsafe kernel module: how many steps many chains have, two boards at a time, with AVX2 and BMI2.
//!
//! A step of a chain is one long sequence of instructions that wait for each other; two boards in one loop fill the gaps.
//! What a lane does next does not depend on a branch: when nothing vanishes on its board, the next board takes its place by a
//! selection, so that no chain's end is mispredicted.
//!
//! Boards of the first four colours without garbage only: the third plane then holds the occupied cells and need not fall with the others.
#![expect(
    unsafe_code,
    reason = "calls functions compiled for detected processor features"
)]

use std::arch::x86_64::{
    __m128i, _mm_and_si128, _mm_andnot_si128, _mm_blendv_epi8, _mm_cmpeq_epi64, _mm_cvtsi128_si64,
    _mm_or_si128, _mm_set_epi64x, _mm_setzero_si128, _mm_shuffle_epi32, _mm256_castsi256_si128,
    _mm256_extracti128_si256, _mm256_or_si256, _pdep_u64, _pext_u64,
};

use super::avx2::{expand, halves, pair, resolve, seeds, settled_lanes, vector};
use super::count_each;
use crate::board::{Board, Size};

/// The kernel.
///
/// # Safety
/// The processor must have AVX2, BMI2 and POPCNT.
pub(super) unsafe fn count(boards: &[Board], steps: &mut [u32]) {
    let count = boards.len().min(steps.len());
    let (boards, mut steps) = (&boards[..count], &mut steps[..count]);
    if boards.iter().all(is_plain) {
        // SAFETY: as the caller grants.
        return unsafe { count_plain(boards, steps) };
    }
    for run in boards.chunk_by(|a, b| is_plain(a) == is_plain(b)) {
        let (counts, more) = steps.split_at_mut(run.len());
        // SAFETY: as the caller grants.
        unsafe {
            if is_plain(&run[0]) {
                count_plain(run, counts);
            } else {
                count_each(run, counts, |board| resolve(board));
            }
        }
        steps = more;
    }
}

/// Whether a board has nothing but the first four colours.
#[inline]
fn is_plain(board: &Board) -> bool {
    (board.planes[0] | board.planes[1]) & !board.planes[2] == 0
}

/// Half of `boards` in each of two lanes.
#[target_feature(enable = "avx2,bmi2,popcnt")]
fn count_plain(boards: &[Board], steps: &mut [u32]) {
    let (first, second) = boards.split_at(boards.len() / 2);
    let (first_steps, second_steps) = steps.split_at_mut(first.len());
    let mut lanes = [
        Lane::new(first, first_steps),
        Lane::new(second, second_steps),
    ];
    while lanes.iter().any(|lane| lane.at < lane.boards.len()) {
        // PERF: example `simulators`. Detection of both, then the fall of both: a processor looks some two
        // hundred instructions ahead, less than a whole step of one board. On a calm machine this takes 0.65 of the
        // time of whole chains on full random fields, 0.62 on half-filled ones and 0.80 on chains of 19 steps (medians
        // of `puyo-simulators`). It is bound by instructions, so that it gains little beside a busy hyperthread.
        let [first, second] = &mut lanes;
        let found = [first.vanishing(), second.vanishing()];
        first.fall(found[0]);
        second.fall(found[1]);
    }
}

/// Boards one after another.
struct Lane<'a> {
    boards: &'a [Board],
    counts: &'a mut [u32],
    /// The index of the board at hand.
    at: usize,
    /// Its steps so far.
    steps: u32,
    /// Its first two planes, lower and upper half.
    codes: [[u64; 2]; 2],
    /// Its third plane: all puyos.
    occupied: __m128i,
}

/// The board at hand where there is no other.
static NONE: Board = Board::empty(Size::THESIS);

impl<'a> Lane<'a> {
    #[inline]
    #[target_feature(enable = "avx2,bmi2,popcnt")]
    fn new(boards: &'a [Board], counts: &'a mut [u32]) -> Self {
        let first = boards.first().unwrap_or(&NONE);
        Self {
            boards,
            counts,
            at: 0,
            steps: 0,
            codes: codes(first),
            occupied: vector(first.planes[2]),
        }
    }

    /// The cells of groups of four or more of the board at hand.
    #[inline]
    #[target_feature(enable = "avx2,bmi2,popcnt")]
    fn vanishing(&self) -> __m128i {
        let [code0, code1] = self
            .codes
            .map(|[low, high]| _mm_set_epi64x(high as i64, low as i64));
        let low = _mm_andnot_si128(code1, self.occupied);
        let first = pair(_mm_andnot_si128(code0, low), _mm_and_si128(code0, low));
        let second = pair(_mm_andnot_si128(code0, code1), _mm_and_si128(code0, code1));
        let both = _mm256_or_si256(expand(seeds(first), first), expand(seeds(second), second));
        _mm_or_si128(
            _mm256_castsi256_si128(both),
            _mm256_extracti128_si256::<1>(both),
        )
    }

    /// Removes `vanishing` and lets the rest fall; the next board takes the place of one on which nothing vanishes.
    #[inline]
    #[target_feature(enable = "avx2,bmi2,popcnt")]
    fn fall(&mut self, vanishing: __m128i) {
        let next = self.boards.get(self.at + 1).unwrap_or(&NONE);
        let empty = _mm_cmpeq_epi64(vanishing, _mm_setzero_si128());
        let ends = _mm_and_si128(empty, _mm_shuffle_epi32::<0b01_00_11_10>(empty));
        // All bits or none, so that no compiler makes a branch of the selections below.
        let is_over = _mm_cvtsi128_si64(ends) as u64;
        let stay = _mm_andnot_si128(vanishing, self.occupied);
        let land = settled_lanes(stay);
        let (from, to) = (halves(stay), halves(land));
        for (plane, next) in self.codes.iter_mut().zip(codes(next)) {
            let masks = from.into_iter().zip(to);
            for ((half, next), (from, to)) in plane.iter_mut().zip(next).zip(masks) {
                let fallen = _pdep_u64(_pext_u64(*half, from), to);
                *half = fallen ^ ((fallen ^ next) & is_over);
            }
        }
        self.occupied = _mm_blendv_epi8(land, vector(next.planes[2]), ends);
        if let Some(count) = self.counts.get_mut(self.at) {
            *count = self.steps;
        }
        self.steps = (self.steps + 1) & !(is_over as u32);
        self.at += (is_over & 1) as usize;
    }
}

#[inline]
fn codes(board: &Board) -> [[u64; 2]; 2] {
    [board.planes[0], board.planes[1]].map(|plane| [plane as u64, (plane >> 64) as u64])
}
