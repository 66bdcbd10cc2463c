//! [`Tables::scan_portable`] with eight states at a time. Contains `unsafe`: stores of vectors.
#![expect(
    unsafe_code,
    reason = "AVX2 stores to slices whose bounds are checked before"
)]

use std::arch::x86_64::{
    __m256i, _mm256_add_epi32, _mm256_and_si256, _mm256_blend_epi32, _mm256_castsi256_ps,
    _mm256_cmpgt_epi32, _mm256_max_epi32, _mm256_movemask_ps, _mm256_permute2x128_si256,
    _mm256_set1_epi32, _mm256_setr_epi32, _mm256_setzero_si256, _mm256_shuffle_epi32,
    _mm256_storeu_si256, _mm256_xor_si256,
};

use super::number::Number;
use super::tables::{PARITIES, Tables, parity, sum_high};

/// Scans all rows with the kernel for the board's number of columns.
#[target_feature(enable = "avx2")]
pub fn scan(tables: &mut Tables<i32>, costs: &[i32], odd: &[u64]) {
    match tables.columns {
        1 => scan_rows::<0, 1>(tables, costs, odd),
        2 => scan_rows::<1, 1>(tables, costs, odd),
        3 => scan_rows::<2, 1>(tables, costs, odd),
        4 => scan_rows::<3, 1>(tables, costs, odd),
        5 => scan_rows::<4, 2>(tables, costs, odd),
        6 => scan_rows::<5, 4>(tables, costs, odd),
        7 => scan_rows::<6, 8>(tables, costs, odd),
        8 => scan_rows::<7, 16>(tables, costs, odd),
        9 => scan_rows::<8, 32>(tables, costs, odd),
        10 => scan_rows::<9, 64>(tables, costs, odd),
        11 => scan_rows::<10, 128>(tables, costs, odd),
        12 => scan_rows::<11, 256>(tables, costs, odd),
        _ => scan_rows::<12, 512>(tables, costs, odd),
    }
}

/// The dynamic program over `BLOCKS` times eight states that hold `HELD` columns.
// PERF: 5.7 to 12 times as fast as the portable kernel (bench `kernel`). Both are constants so that the states of up to
// seven columns stay in registers for the whole run. Never inlined, because the states of the widest boards would then
// be on the stack of every call.
#[target_feature(enable = "avx2")]
#[inline(never)]
fn scan_rows<const HELD: usize, const BLOCKS: usize>(
    tables: &mut Tables<i32>,
    costs: &[i32],
    odd: &[u64],
) {
    let (horizontal, vertical) = costs.split_at(tables.rows * HELD);
    let absent = _mm256_set1_epi32(i32::ABSENT);
    let mut values = [absent; BLOCKS];
    values[0] = _mm256_setr_epi32(
        0,
        i32::ABSENT,
        i32::ABSENT,
        i32::ABSENT,
        i32::ABSENT,
        i32::ABSENT,
        i32::ABSENT,
        i32::ABSENT,
    );
    let mut high = [0; BLOCKS];
    let mut flips = 0;
    for (row, odd) in odd.iter().enumerate() {
        flips ^= *odd as u32;
        let costs = &horizontal[row * HELD..][..HELD];
        let (decisions, _) = tables.decisions.as_chunks_mut();
        let decisions = &mut decisions[row * HELD..][..HELD];
        macro_rules! pass {
            ($($column:literal)*) => {$(
                // A condition of the compiler: passes that no board of this width has are not compiled.
                if const { $column < HELD } {
                    let decisions = &mut decisions[$column];
                    pass_or_not::<HELD, BLOCKS, $column>(&mut values, costs[$column], decisions);
                }
            )*};
        }
        pass!(0 1 2 3 4 5 6 7 8 9 10 11);
        if row + 1 == tables.rows {
            break;
        }
        let (held, last) = vertical[row * (HELD + 1)..][..HELD + 1].split_at(HELD);
        let low = low_sums(held, last[0], flips);
        sum_high(&mut high, held, flips, 3);
        for (block, (value, high)) in values.iter_mut().zip(&high).enumerate() {
            let low = low[parity(block as u32) as usize];
            let sum = _mm256_add_epi32(low, _mm256_set1_epi32(*high));
            *value = _mm256_max_epi32(_mm256_add_epi32(*value, sum), absent);
        }
    }
    for (into, value) in tables.values.chunks_exact_mut(8).zip(values) {
        // SAFETY: the slice holds eight values.
        unsafe { _mm256_storeu_si256(into.as_mut_ptr().cast(), value) };
    }
}

/// Passes the horizontal edge of `COLUMN` in the states for which that is better. A missing edge is never better for a
/// state that has a T-join.
#[target_feature(enable = "avx2")]
#[inline]
fn pass_or_not<const HELD: usize, const BLOCKS: usize, const COLUMN: usize>(
    values: &mut [__m256i; BLOCKS],
    cost: i32,
    decisions: &mut [u8; BLOCKS],
) {
    // With few blocks, the computation is faster than a mispredicted branch.
    if BLOCKS > 4 && !cost.present() {
        decisions.fill(0);
        return;
    }
    let pairing: usize = (3 << COLUMN) & ((1 << HELD) - 1);
    let (across, within) = (pairing / 8, pairing % 8);
    let cost = _mm256_set1_epi32(cost);
    if across == 0 {
        for (value, decided) in values.iter_mut().zip(decisions) {
            let pass = _mm256_add_epi32(turned(*value, within), cost);
            *decided = greater(pass, *value);
            *value = _mm256_max_epi32(*value, pass);
        }
        return;
    }
    // Each pair of blocks is visited once: `one` has a zero at the lowest bit of `across`.
    let below = (across & across.wrapping_neg()) - 1;
    for pair in 0..BLOCKS / 2 {
        let one = (pair & below | (pair & !below) << 1) & (BLOCKS - 1);
        let two = (one ^ across) & (BLOCKS - 1);
        let (a, b) = (values[one], values[two]);
        let from_a = _mm256_add_epi32(turned(a, within), cost);
        let from_b = _mm256_add_epi32(turned(b, within), cost);
        decisions[one] = greater(from_b, a);
        decisions[two] = greater(from_a, b);
        values[one] = _mm256_max_epi32(a, from_b);
        values[two] = _mm256_max_epi32(b, from_a);
    }
}

/// Permutes the lanes: each lane gets the value of the lane whose number differs in the bits `within`.
#[target_feature(enable = "avx2")]
#[inline]
fn turned(vector: __m256i, within: usize) -> __m256i {
    let vector = match within & 4 {
        0 => vector,
        _ => _mm256_permute2x128_si256::<1>(vector, vector),
    };
    match within & 3 {
        0 => vector,
        1 => _mm256_shuffle_epi32::<0b10_11_00_01>(vector),
        2 => _mm256_shuffle_epi32::<0b01_00_11_10>(vector),
        _ => _mm256_shuffle_epi32::<0b00_01_10_11>(vector),
    }
}

/// A bit for each lane in which `a` is greater.
#[target_feature(enable = "avx2")]
#[inline]
fn greater(a: __m256i, b: __m256i) -> u8 {
    _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(a, b))) as u8
}

/// The vertical costs by the parity of the state's bits from the fourth on and its first three bits, as
/// [`Tables::vertical_costs`] returns them.
#[target_feature(enable = "avx2")]
#[inline]
fn low_sums(held: &[i32], last: i32, flips: u32) -> [__m256i; 2] {
    let absent = _mm256_set1_epi32(i32::ABSENT);
    let bits = [
        _mm256_setr_epi32(0, -1, 0, -1, 0, -1, 0, -1),
        _mm256_setr_epi32(0, 0, -1, -1, 0, 0, -1, -1),
        _mm256_setr_epi32(0, 0, 0, 0, -1, -1, -1, -1),
    ];
    let mut even = _mm256_setzero_si256();
    for (column, (bit, cost)) in bits.into_iter().zip(held).enumerate() {
        let flipped = _mm256_set1_epi32(-((flips >> column & 1) as i32));
        let due = _mm256_and_si256(_mm256_xor_si256(bit, flipped), _mm256_set1_epi32(*cost));
        even = _mm256_add_epi32(even, due);
    }
    even = _mm256_max_epi32(even, absent);
    let odd = _mm256_max_epi32(_mm256_add_epi32(even, _mm256_set1_epi32(last)), absent);
    // Flips in the held columns cancel, as in the portable kernel.
    let (even, odd) = match flips >> held.len() & 1 {
        0 => (even, odd),
        _ => (odd, even),
    };
    const ODD_LANES: i32 = (PARITIES & 0xff) as i32;
    [
        _mm256_blend_epi32::<ODD_LANES>(even, odd),
        _mm256_blend_epi32::<ODD_LANES>(odd, even),
    ]
}
