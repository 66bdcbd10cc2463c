//! [`Tables::scan_portable`] with sixteen states at a time. Contains `unsafe`: stores of vectors.
//!
//! A block is a vector of sixteen states: the state's first four bits are the lane, the other bits are the block. The
//! edge of a column pairs lanes (columns 0 to 2), lanes and blocks (column 3), or blocks. Blocks are loaded in groups
//! that are closed under the pairings of several columns, and stored when all of these columns are done.
#![expect(
    unsafe_code,
    reason = "AVX-512 stores to slices whose bounds are checked before"
)]

use std::arch::x86_64::{
    __m512i, _mm512_add_epi32, _mm512_cmpgt_epi32_mask, _mm512_mask_blend_epi32,
    _mm512_mask_mov_epi32, _mm512_maskz_set1_epi32, _mm512_max_epi32, _mm512_permutexvar_epi32,
    _mm512_set1_epi32, _mm512_setr_epi32, _mm512_setzero_si512, _mm512_shuffle_epi32,
    _mm512_shuffle_i32x4, _mm512_storeu_si512,
};

use super::number::Number;
use super::tables::{PARITIES, Tables, parity, sum_high};

/// The narrowest board on which this kernel is not slower than the AVX2 one.
// PERF: the states of five columns fill one vector, but there `lagrangian` takes 1.06 to 1.09 of the AVX2 kernel's
// time.
pub const LEAST_COLUMNS: usize = 6;

/// The blocks of a group for the first columns: the edges of the columns before [`FIRST_HIGH`] pair blocks within it.
const GROUP: usize = 8;

/// The first column whose edge pairs blocks of two different groups.
const FIRST_HIGH: usize = 6;

/// The decisions of a column on one block, one bit per lane.
type Decided = [u8; 2];

/// Scans all rows with the kernel for the board's number of columns.
#[target_feature(enable = "avx512f")]
pub fn scan(tables: &mut Tables<i32>, costs: &[i32], odd: &[u64]) {
    match tables.columns {
        6 => scan_rows::<5, 2>(tables, costs, odd),
        7 => scan_rows::<6, 4>(tables, costs, odd),
        8 => scan_rows::<7, 8>(tables, costs, odd),
        9 => scan_rows::<8, 16>(tables, costs, odd),
        10 => scan_rows::<9, 32>(tables, costs, odd),
        11 => scan_rows::<10, 64>(tables, costs, odd),
        12 => scan_rows::<11, 128>(tables, costs, odd),
        _ => scan_rows::<12, 256>(tables, costs, odd),
    }
}

/// The dynamic program over `BLOCKS` times sixteen states that hold `HELD` columns.
// PERF: with the trace back 2.8 to 3.7 times as fast as the AVX2 kernel from 10 columns on, 2.2 times at 9, 1.8 at 8,
// 1.1 at 7 (bench `kernel`). Never inlined, because the states of the widest boards would then be on the stack of
// every call.
#[target_feature(enable = "avx512f")]
#[inline(never)]
fn scan_rows<const HELD: usize, const BLOCKS: usize>(
    tables: &mut Tables<i32>,
    costs: &[i32],
    odd: &[u64],
) {
    let (horizontal, vertical) = costs.split_at(tables.rows * HELD);
    let mut values = [_mm512_set1_epi32(i32::ABSENT); BLOCKS];
    values[0] = _mm512_mask_mov_epi32(values[0], 1, _mm512_setzero_si512());
    // The vertical costs above the row; zero above the first row.
    let mut high = [0; BLOCKS];
    let mut low = [_mm512_setzero_si512(); 2];
    let mut flips = 0;
    for (row, odd) in odd.iter().enumerate() {
        flips ^= *odd as u32;
        let costs = &horizontal[row * HELD..][..HELD];
        let (decisions, _) = tables.decisions.as_chunks_mut();
        let (decisions, _) = decisions.as_chunks_mut();
        let decisions = &mut decisions[row * HELD..][..HELD];
        pass_low::<HELD, BLOCKS>(&mut values, &high, low, costs, decisions);
        let mut column = FIRST_HIGH;
        while column < HELD {
            let (costs, decisions) = (&costs[column..], &mut decisions[column..]);
            match HELD - column {
                1 => pass_high::<1, 2, BLOCKS>(&mut values, column, costs, decisions),
                2 | 4 => pass_high::<2, 4, BLOCKS>(&mut values, column, costs, decisions),
                _ => pass_high::<3, 8, BLOCKS>(&mut values, column, costs, decisions),
            }
            column += match HELD - column {
                1 => 1,
                2 | 4 => 2,
                _ => 3,
            };
        }
        if row + 1 < tables.rows {
            let (held, last) = vertical[row * (HELD + 1)..][..HELD + 1].split_at(HELD);
            low = low_sums(held, last[0], flips);
            sum_high(&mut high, held, flips, 4);
        }
    }
    for (into, value) in tables.values.chunks_exact_mut(16).zip(values) {
        // SAFETY: the slice holds sixteen values.
        unsafe { _mm512_storeu_si512(into.as_mut_ptr().cast(), value) };
    }
}

/// Adds the vertical costs above the row, then passes the edges of the first columns.
#[target_feature(enable = "avx512f")]
#[inline]
fn pass_low<const HELD: usize, const BLOCKS: usize>(
    values: &mut [__m512i; BLOCKS],
    high: &[i32; BLOCKS],
    low: [__m512i; 2],
    costs: &[i32],
    decisions: &mut [[Decided; BLOCKS]],
) {
    let absent = _mm512_set1_epi32(i32::ABSENT);
    let size = GROUP.min(BLOCKS);
    for first in (0..BLOCKS).step_by(size) {
        let odd = parity(first as u32) as usize;
        let low = [low[odd], low[1 - odd]];
        let mut near = [absent; GROUP];
        for at in 0..size {
            let block = (first + at) & (BLOCKS - 1);
            let sum = _mm512_add_epi32(
                low[parity(at as u32) as usize],
                _mm512_set1_epi32(high[block]),
            );
            near[at] = _mm512_max_epi32(_mm512_add_epi32(values[block], sum), absent);
        }
        macro_rules! pass {
            ($($column:literal)*) => {$(
                if const { $column < HELD } {
                    let decided = &mut decisions[$column];
                    pass_near::<HELD, BLOCKS, $column>(&mut near, first, costs[$column], decided);
                }
            )*};
        }
        pass!(0 1 2 3 4 5);
        for at in 0..size {
            values[(first + at) & (BLOCKS - 1)] = near[at];
        }
    }
}

/// Passes the edge of `COLUMN` in the states for which that is better, in the group whose first block is `first`.
#[target_feature(enable = "avx512f")]
#[inline]
fn pass_near<const HELD: usize, const BLOCKS: usize, const COLUMN: usize>(
    near: &mut [__m512i; GROUP],
    first: usize,
    cost: i32,
    decided: &mut [Decided; BLOCKS],
) {
    let pairing: usize = (3 << COLUMN) & ((1 << HELD) - 1);
    let (across, within) = (pairing / 16, pairing % 16);
    let cost = _mm512_set1_epi32(cost);
    for one in 0..GROUP.min(BLOCKS) {
        let two = (one ^ across) & (GROUP - 1);
        let (a, b) = (near[one], near[two]);
        let block = |at: usize| (first + at) & (BLOCKS - 1);
        if one == two {
            let pass = _mm512_add_epi32(turned(a, within), cost);
            decided[block(one)] = _mm512_cmpgt_epi32_mask(pass, a).to_le_bytes();
            near[one] = _mm512_max_epi32(a, pass);
        } else if one < two {
            let from_a = _mm512_add_epi32(turned(a, within), cost);
            let from_b = _mm512_add_epi32(turned(b, within), cost);
            decided[block(one)] = _mm512_cmpgt_epi32_mask(from_b, a).to_le_bytes();
            decided[block(two)] = _mm512_cmpgt_epi32_mask(from_a, b).to_le_bytes();
            near[one] = _mm512_max_epi32(a, from_b);
            near[two] = _mm512_max_epi32(b, from_a);
        }
    }
}

/// Passes the edges of `COLUMNS` columns from `column` on in the states for which that is better; `column` is at least
/// [`FIRST_HIGH`]. `SIZE` is 2^`COLUMNS`, the number of blocks of a group.
#[target_feature(enable = "avx512f")]
#[inline]
fn pass_high<const COLUMNS: usize, const SIZE: usize, const BLOCKS: usize>(
    values: &mut [__m512i; BLOCKS],
    column: usize,
    costs: &[i32],
    decisions: &mut [[Decided; BLOCKS]],
) {
    let lowest = column - 4;
    // The difference of each block of a group to the first one: the XOR of the pairings of the columns whose bits are
    // set.
    let mut apart = [0; SIZE];
    for at in 1..SIZE {
        let nth = at.ilog2() as usize;
        apart[at] = (apart[at ^ 1 << nth] ^ 3 << (lowest + nth)) & (BLOCKS - 1);
    }
    let below = (1 << lowest) - 1;
    for group in 0..BLOCKS / SIZE {
        // The first block has zeros at the lowest bits of the pairings.
        let first = group & below | (group & !below) << COLUMNS;
        let mut near = [_mm512_setzero_si512(); SIZE];
        for at in 0..SIZE {
            near[at] = values[(first ^ apart[at]) & (BLOCKS - 1)];
        }
        for nth in 0..COLUMNS {
            let cost = _mm512_set1_epi32(costs[nth]);
            for pair in 0..SIZE / 2 {
                let one = pair & ((1 << nth) - 1) | pair >> nth << (nth + 1);
                let two = one | 1 << nth;
                let (a, b) = (near[one], near[two]);
                let from_a = _mm512_add_epi32(a, cost);
                let from_b = _mm512_add_epi32(b, cost);
                let decided = &mut decisions[nth];
                decided[(first ^ apart[one]) & (BLOCKS - 1)] =
                    _mm512_cmpgt_epi32_mask(from_b, a).to_le_bytes();
                decided[(first ^ apart[two]) & (BLOCKS - 1)] =
                    _mm512_cmpgt_epi32_mask(from_a, b).to_le_bytes();
                near[one] = _mm512_max_epi32(a, from_b);
                near[two] = _mm512_max_epi32(b, from_a);
            }
        }
        for at in 0..SIZE {
            values[(first ^ apart[at]) & (BLOCKS - 1)] = near[at];
        }
    }
}

/// Permutes the lanes: each lane gets the value of the lane whose number differs in the bits `within`.
#[target_feature(enable = "avx512f")]
#[inline]
fn turned(vector: __m512i, within: usize) -> __m512i {
    match within {
        0 => vector,
        3 => _mm512_shuffle_epi32::<0b00_01_10_11>(vector),
        6 => {
            let lanes = _mm512_setr_epi32(6, 7, 4, 5, 2, 3, 0, 1, 14, 15, 12, 13, 10, 11, 8, 9);
            _mm512_permutexvar_epi32(lanes, vector)
        }
        8 => _mm512_shuffle_i32x4::<0b01_00_11_10>(vector, vector),
        _ => _mm512_shuffle_i32x4::<0b00_01_10_11>(vector, vector),
    }
}

/// The vertical costs by the parity of the state's bits from the fifth on and its first four bits;
/// [`Tables::vertical_costs`] does the same for three bits.
#[target_feature(enable = "avx512f")]
#[inline]
fn low_sums(held: &[i32], last: i32, flips: u32) -> [__m512i; 2] {
    /// For each bit of the lane number the lanes in which it is set.
    const LANES: [u16; 4] = [0xaaaa, 0xcccc, 0xf0f0, 0xff00];
    const ODD_LANES: u16 = PARITIES as u16;
    let absent = _mm512_set1_epi32(i32::ABSENT);
    let mut even = _mm512_setzero_si512();
    for (column, (lanes, cost)) in LANES.into_iter().zip(held).enumerate() {
        let flipped = ((flips >> column & 1) as u16).wrapping_neg();
        even = _mm512_add_epi32(even, _mm512_maskz_set1_epi32(lanes ^ flipped, *cost));
    }
    even = _mm512_max_epi32(even, absent);
    let odd = _mm512_max_epi32(_mm512_add_epi32(even, _mm512_set1_epi32(last)), absent);
    // Flips in the held columns cancel, as in the portable kernel.
    let (even, odd) = match flips >> held.len() & 1 {
        0 => (even, odd),
        _ => (odd, even),
    };
    [
        _mm512_mask_blend_epi32(ODD_LANES, even, odd),
        _mm512_mask_blend_epi32(ODD_LANES, odd, even),
    ]
}
