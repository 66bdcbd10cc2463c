//! Chooses the kernel for each type of cost. Contains `unsafe`: the calls of the vector kernels.
#![cfg_attr(
    target_arch = "x86_64",
    expect(
        unsafe_code,
        reason = "functions for vector instructions are called where these were detected"
    )
)]

#[cfg(target_arch = "x86_64")]
use super::COLUMNS_AT_ONCE;
use super::number::Number;
use super::tables::Tables;
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512, tables::ScanKernel};

/// A type of cost with its kernels.
pub trait EdgeCost: Number {
    /// Scans all rows and fills the values and decisions; returns false if the board is too wide for that.
    fn scan(tables: &mut Tables<Self>, costs: &[Self], odd: &[u32]) -> bool {
        tables.scan_portable(costs, odd)
    }
    /// Scans one row of a wider board: updates the values and writes the decisions to the row `kept` of the table.
    fn scan_row(tables: &mut Tables<Self>, costs: &[Self], odd: &[u32], row: usize, kept: usize) {
        tables.scan_row_portable(costs, odd, row, kept);
    }
}

impl EdgeCost for i32 {
    fn scan(tables: &mut Tables<Self>, costs: &[Self], odd: &[u32]) -> bool {
        #[cfg(target_arch = "x86_64")]
        {
            let wide = (avx512::LEAST_COLUMNS..=avx512::MOST_COLUMNS).contains(&tables.columns);
            if tables.may_use(ScanKernel::Avx512) && wide && is_x86_feature_detected!("avx512f") {
                // SAFETY: the processor has AVX-512F.
                unsafe { avx512::scan(tables, costs, odd) };
                return true;
            }
            let fits = tables.columns <= COLUMNS_AT_ONCE;
            if fits && tables.may_use(ScanKernel::Avx2) && is_x86_feature_detected!("avx2") {
                // SAFETY: the processor has AVX2.
                unsafe { avx2::scan(tables, costs, odd) };
                return true;
            }
        }
        tables.scan_portable(costs, odd)
    }
    fn scan_row(tables: &mut Tables<Self>, costs: &[Self], odd: &[u32], row: usize, kept: usize) {
        #[cfg(target_arch = "x86_64")]
        if tables.may_use(ScanKernel::Avx2) && is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has AVX2.
            return unsafe { avx2::scan_row(tables, costs, odd, row, kept) };
        }
        tables.scan_row_portable(costs, odd, row, kept);
    }
}

impl EdgeCost for i64 {}
