//! The tables of the dynamic program, their sizes, and the sums that all kernels share.

use super::number::Number;

/// The instructions of a scan, the slowest first. The fastest that the processor supports is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ScanKernel {
    /// No explicit vector instructions.
    Portable,
    /// Eight states at a time.
    Avx2,
    /// Sixteen states at a time.
    Avx512,
}

/// The tables of the dynamic program.
#[derive(Debug)]
pub struct Tables<C> {
    /// Vertices in a row.
    pub columns: usize,
    /// Vertices in a column.
    pub rows: usize,
    /// The best cost of every state; at least eight entries, of which unused ones stay absent.
    pub values: Vec<C>,
    /// One bit per horizontal edge and state: 1 if the edge was passed. There is one additional word, so that each
    /// bit can be read as part of a word.
    pub decisions: Vec<u8>,
    /// The sums of vertical costs, indexed by the state's bits from the fourth on.
    pub high: Vec<C>,
    /// The fastest kernel allowed.
    pub kernel: ScanKernel,
}

impl<C: Number> Tables<C> {
    /// Tables for boards of `columns` × `rows`.
    pub fn new(columns: usize, rows: usize) -> Self {
        let states = states(columns);
        let decisions = decision_bytes(columns, rows);
        Self {
            columns,
            rows,
            values: vec![C::ABSENT; states],
            decisions: vec![0; decisions],
            high: vec![C::default(); states / 8],
            kernel: ScanKernel::Avx512,
        }
    }

    /// Bytes of the tables for such a board.
    pub fn bytes_for(columns: usize, rows: usize) -> u64 {
        let states = states(columns);
        let values = states + states / 8;
        (values * size_of::<C>() + decision_bytes(columns, rows)) as u64
    }

    /// Returns whether `kernel` may be used.
    pub fn may_use(&self, kernel: ScanKernel) -> bool {
        self.kernel >= kernel
    }

    /// The mask of the columns that the state holds: all except the last.
    pub fn low_columns(&self) -> u32 {
        (1 << (self.columns - 1)) - 1
    }

    /// The bits in which the two states differ that a horizontal edge pairs.
    #[inline]
    pub fn pairing(&self, column: usize) -> usize {
        (3 << column) & self.low_columns() as usize
    }
}

/// Bytes of the decisions of `rows` rows.
fn decision_bytes(columns: usize, rows: usize) -> usize {
    rows * (columns - 1) * states(columns) / 8 + size_of::<u64>()
}

/// The number of states of the frontier; at least eight.
fn states(columns: usize) -> usize {
    1 << (columns - 1).max(3)
}

/// 1 if the number of set bits is odd, else 0. Folding the bits is faster than counting them, because not every
/// processor has an instruction to count them.
#[inline]
pub fn parity(bits: u32) -> u32 {
    let bits = bits ^ bits >> 16;
    let bits = bits ^ bits >> 8;
    let bits = bits ^ bits >> 4;
    PARITIES >> (bits & 15) & 1
}

/// The [`parity`] of each number below 16, as a bit set.
pub const PARITIES: u32 = 0b0110_1001_1001_0110;

/// Extends the sums of the first `filled` states by one bit of the state. `cost` is added if the bit is set, or, if
/// `flipped`, if it is clear.
#[inline(always)]
pub fn double<C: Number>(sums: &mut [C], filled: usize, cost: C, flipped: bool) {
    let (clear, set) = if flipped {
        (cost, C::default())
    } else {
        (C::default(), cost)
    };
    let (lower, upper) = sums.split_at_mut(filled);
    for (low, high) in lower.iter_mut().zip(upper) {
        *high = (*low + set).max(C::ABSENT);
        *low = (*low + clear).max(C::ABSENT);
    }
}

/// Computes the sums of the vertical costs of the columns from `first` on, for each value of the state's bits from
/// `first` on. `held` are the vertical costs of all columns that the state holds.
#[inline(always)]
pub fn sum_high<C: Number>(high: &mut [C], held: &[C], flips: u32, first: usize) {
    high[0] = C::default();
    for (column, &cost) in held.iter().enumerate().skip(first) {
        double(high, 1 << (column - first), cost, flips >> column & 1 == 1);
    }
}
