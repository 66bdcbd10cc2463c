//! Unsafe kernel module: the bitboard simulator for processors with AVX2 and BMI2.
//!
//! It detects groups as [`crate::simulate::bitboard`] does, in 16-bit lanes, for all colours of up to two boards in one
//! 256-bit register. Puyos fall by `pext` and `pdep`, four columns at once. Its only unsafe operation is the store to a
//! board's planes.
#![expect(
    unsafe_code,
    reason = "calls functions compiled for detected processor features"
)]

use std::arch::x86_64::{
    __m128i, __m256i, _mm_add_epi8, _mm_and_si128, _mm_andnot_si128, _mm_cvtsi128_si64,
    _mm_extract_epi64, _mm_maddubs_epi16, _mm_or_si128, _mm_packus_epi16, _mm_set_epi64x,
    _mm_set1_epi8, _mm_set1_epi16, _mm_setr_epi8, _mm_shuffle_epi8, _mm_slli_epi16, _mm_slli_si128,
    _mm_srli_epi16, _mm_srli_si128, _mm_storeu_si128, _mm_testz_si128, _mm256_and_si256,
    _mm256_andnot_si256, _mm256_castsi256_si128, _mm256_or_si256, _mm256_slli_epi16,
    _mm256_slli_si256, _mm256_srli_epi16, _mm256_srli_si256, _mm256_xor_si256,
    _mm256_zextsi128_si256, _pdep_u64, _pext_u64,
};

use crate::board::{Board, Cell, LANE};
use crate::placement::{Piece, Placement};
use crate::simulate::{Chain, missing};

/// The three planes of a board, in registers.
#[derive(Clone, Copy)]
pub(super) struct Planes(pub(super) [__m128i; 3]);

#[target_feature(enable = "avx2,bmi2,popcnt")]
pub(super) fn resolve(board: &mut Board) -> Chain {
    let mut chain = Chain::default();
    let planes = go_on(load(board), &mut chain);
    if chain.steps > 0 {
        store(&mut board.planes, planes);
        board.heights = heights(planes);
    }
    chain
}

#[target_feature(enable = "avx2,bmi2,popcnt")]
pub(super) fn fire(board: &Board, group: u128) -> (Board, Chain) {
    let (mut rest, planes) = (*board, load(board));
    let mut chain = Chain::default();
    let vanishing = with_garbage(planes, vector(group));
    chain.push(count_ones(vanishing) + missing(group));
    let planes = go_on(fall(planes, vanishing), &mut chain);
    store(&mut rest.planes, planes);
    rest.heights = heights(planes);
    (rest, chain)
}

/// Simulates steps until no puyo vanishes and appends each step to `chain`.
#[inline]
#[target_feature(enable = "avx2,bmi2,popcnt")]
fn go_on(mut planes: Planes, chain: &mut Chain) -> Planes {
    // A board without garbage never gets any during a chain.
    let has_garbage = any(garbage(planes));
    while let Some(mut vanishing) = vanishing(planes) {
        if has_garbage {
            vanishing = with_garbage(planes, vanishing);
        }
        chain.push(count_ones(vanishing));
        planes = fall(planes, vanishing);
    }
    planes
}

/// PERF: example `ladder` of `ikeru-deep`, where nothing vanishes after nine of ten placements. The two puyos are
/// added in registers: after 64-bit stores, a load of the whole plane would have to wait until they have reached the
/// cache.
#[target_feature(enable = "avx2,bmi2,popcnt")]
pub(super) fn place(board: &Board, piece: Piece, placement: Placement) -> (Board, Chain) {
    let mut after = *board;
    let mut planes = load(board);
    for (column, row, colour) in placement.landing(board, piece) {
        let bit = vector(BITS[(LANE as usize * column + row) % BITS.len()]);
        let code = CODES[usize::from(Cell::Puyo(colour).code() % 8)];
        for (plane, code) in planes.0.iter_mut().zip(code) {
            *plane = _mm_or_si128(*plane, _mm_and_si128(bit, vector(code)));
        }
        after.heights[column] += 1;
    }
    store(&mut after.planes, planes);
    let chain = match vanishing(planes) {
        Some(_) => resolve(&mut after),
        None => Chain::default(),
    };
    (after, chain)
}

/// The planes with a single bit.
static BITS: [u128; 128] = {
    let mut bits = [0; 128];
    let mut i = 0;
    while i < bits.len() {
        bits[i] = 1 << i;
        i += 1;
    }
    bits
};

/// For every code of a cell and every plane: all bits set if the plane has the code's bit, else none.
static CODES: [[u128; 3]; 8] = {
    let mut codes = [[0; 3]; 8];
    let mut i = 0;
    while i < 24 {
        if (i / 3) >> (i % 3) & 1 == 1 {
            codes[i / 3][i % 3] = !0;
        }
        i += 1;
    }
    codes
};

#[inline]
#[target_feature(enable = "avx2,bmi2,popcnt")]
pub(super) fn vector(plane: u128) -> __m128i {
    _mm_set_epi64x((plane >> 64) as i64, plane as i64)
}

#[inline]
#[target_feature(enable = "avx2,bmi2,popcnt")]
fn load(board: &Board) -> Planes {
    Planes(board.planes.map(|plane| vector(plane)))
}

#[inline]
#[target_feature(enable = "avx2,bmi2,popcnt")]
pub(super) fn heights(planes: Planes) -> [u8; 8] {
    let counts = _mm_maddubs_epi16(byte_counts(occupied(planes)), _mm_set1_epi8(1));
    _mm_cvtsi128_si64(_mm_packus_epi16(counts, counts)).to_le_bytes()
}

#[inline]
#[target_feature(enable = "avx2,bmi2,popcnt")]
pub(super) fn store(to: &mut [u128; 3], planes: Planes) {
    for (to, from) in to.iter_mut().zip(planes.0) {
        // SAFETY: each plane is 16 writable bytes; the store needs no alignment.
        unsafe { _mm_storeu_si128((&raw mut *to).cast(), from) };
    }
}

#[inline]
#[target_feature(enable = "avx2,bmi2,popcnt")]
fn any(plane: __m128i) -> bool {
    _mm_testz_si128(plane, plane) == 0
}

#[inline]
#[target_feature(enable = "avx2,bmi2,popcnt")]
fn garbage(planes: Planes) -> __m128i {
    _mm_andnot_si128(_mm_or_si128(planes.0[1], planes.0[2]), planes.0[0])
}

#[inline]
#[target_feature(enable = "avx2,bmi2,popcnt")]
fn occupied(planes: Planes) -> __m128i {
    _mm_or_si128(_mm_or_si128(planes.0[0], planes.0[1]), planes.0[2])
}

/// The cells of groups of four or more; `None` if there are none.
#[inline]
#[target_feature(enable = "avx2,bmi2,popcnt")]
fn vanishing(planes: Planes) -> Option<__m128i> {
    let both = groups(planes.0.map(|plane| _mm256_zextsi128_si256(plane)));
    let vanishing = _mm256_castsi256_si128(both);
    any(vanishing).then_some(vanishing)
}

/// The cells of groups of four or more on two boards, given the planes of both.
///
/// A cell is linked to a neighbour if it has a puyo and both are equal in all planes. All colours are therefore
/// processed together. A group has at least four cells if it has a seed, as defined in [`crate::simulate::bitboard`];
/// the group then consists of its seeds and the cells linked to them.
// PERF: example `simulators`. With separate colours, two in a register, one chain of 19 steps takes 1.2 times as long.
#[inline]
#[target_feature(enable = "avx2,bmi2,popcnt")]
pub(super) fn groups(planes: [__m256i; 3]) -> __m256i {
    let [a, b, c] = planes.map(|plane| _mm256_xor_si256(plane, _mm256_srli_epi16::<1>(plane)));
    let puyos = _mm256_or_si256(planes[1], planes[2]);
    let up = _mm256_andnot_si256(_mm256_or_si256(_mm256_or_si256(a, b), c), puyos);
    let [a, b, c] = planes.map(|plane| _mm256_xor_si256(plane, _mm256_srli_si256::<2>(plane)));
    let right = _mm256_andnot_si256(_mm256_or_si256(_mm256_or_si256(a, b), c), puyos);
    let (down, left) = (_mm256_slli_epi16::<1>(up), _mm256_slli_si256::<2>(right));
    let (both_vertical, some_vertical) = (_mm256_and_si256(up, down), _mm256_or_si256(up, down));
    let both_horizontal = _mm256_and_si256(left, right);
    let some_horizontal = _mm256_or_si256(left, right);
    let three = _mm256_or_si256(
        _mm256_and_si256(both_vertical, some_horizontal),
        _mm256_and_si256(both_horizontal, some_vertical),
    );
    let two = _mm256_or_si256(
        _mm256_or_si256(both_vertical, both_horizontal),
        _mm256_and_si256(some_vertical, some_horizontal),
    );
    // The cells that are linked to the cells of a set.
    let linked = |set| {
        let above = _mm256_and_si256(_mm256_srli_epi16::<1>(set), up);
        let below = _mm256_and_si256(_mm256_slli_epi16::<1>(set), down);
        let after = _mm256_and_si256(_mm256_srli_si256::<2>(set), right);
        let before = _mm256_and_si256(_mm256_slli_si256::<2>(set), left);
        _mm256_or_si256(
            _mm256_or_si256(above, below),
            _mm256_or_si256(after, before),
        )
    };
    let seeds = _mm256_or_si256(three, _mm256_and_si256(two, linked(two)));
    _mm256_or_si256(seeds, linked(seeds))
}

/// `vanishing` and the adjacent garbage.
#[inline]
#[target_feature(enable = "avx2,bmi2,popcnt")]
fn with_garbage(planes: Planes, vanishing: __m128i) -> __m128i {
    let beside = _mm_or_si128(
        _mm_or_si128(
            _mm_slli_epi16::<1>(vanishing),
            _mm_srli_epi16::<1>(vanishing),
        ),
        _mm_or_si128(
            _mm_slli_si128::<2>(vanishing),
            _mm_srli_si128::<2>(vanishing),
        ),
    );
    _mm_or_si128(vanishing, _mm_and_si128(beside, garbage(planes)))
}

#[inline]
#[target_feature(enable = "avx2,bmi2,popcnt")]
pub(super) fn halves(plane: __m128i) -> [u64; 2] {
    [
        _mm_cvtsi128_si64(plane) as u64,
        _mm_extract_epi64::<1>(plane) as u64,
    ]
}

#[inline]
#[target_feature(enable = "avx2,bmi2,popcnt")]
pub(super) fn count_ones(plane: __m128i) -> u32 {
    let [low, high] = halves(plane);
    low.count_ones() + high.count_ones()
}

/// Removes `vanishing` and drops the rest.
///
/// PERF: bench `simulate`. One `pext` and one `pdep` per plane move all columns of a half.
#[inline]
#[target_feature(enable = "avx2,bmi2,popcnt")]
fn fall(planes: Planes, vanishing: __m128i) -> Planes {
    let stay = _mm_andnot_si128(vanishing, occupied(planes));
    let [stay_low, stay_high] = halves(stay);
    let [land_low, land_high] = halves(settled_lanes(stay));
    let fallen = planes.0.map(|plane| {
        let [low, high] = halves(plane);
        let low = _pdep_u64(_pext_u64(low, stay_low), land_low);
        let high = _pdep_u64(_pext_u64(high, stay_high), land_high);
        _mm_set_epi64x(high as i64, low as i64)
    });
    Planes(fallen)
}

/// The number of set bits in each byte.
#[inline]
#[target_feature(enable = "avx2,bmi2,popcnt")]
fn byte_counts(plane: __m128i) -> __m128i {
    let nibble = _mm_set1_epi8(0x0f);
    let ones = _mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    let low = _mm_shuffle_epi8(ones, _mm_and_si128(plane, nibble));
    let high = _mm_shuffle_epi8(ones, _mm_and_si128(_mm_srli_epi16::<4>(plane), nibble));
    _mm_add_epi8(low, high)
}

/// Moves the set bits of each 16-bit lane, at most 15, to the lane's lower end.
#[inline]
#[target_feature(enable = "avx2,bmi2,popcnt")]
pub(super) fn settled_lanes(plane: __m128i) -> __m128i {
    let counts = byte_counts(plane);
    let swap = _mm_setr_epi8(1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14);
    // The lower byte of a lane is its count n, the upper byte n − 8; a negative index gives 0.
    let upper = _mm_set1_epi16(-8 << 8);
    let index = _mm_add_epi8(_mm_add_epi8(counts, upper), _mm_shuffle_epi8(counts, swap));
    let ones = _mm_setr_epi8(0, 1, 3, 7, 15, 31, 63, 127, -1, -1, -1, -1, -1, -1, -1, -1);
    _mm_shuffle_epi8(ones, index)
}
