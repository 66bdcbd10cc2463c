//! Contains `unsafe`: the calls of the vector kernels. The types of cost, and which kernel scans them.
#![cfg_attr(
    target_arch = "x86_64",
    expect(
        unsafe_code,
        reason = "functions for vector instructions are called where these were detected"
    )
)]

use std::ops::{Add, Sub};

use super::tables::Tables;
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512, tables::Kernel};

/// A type of cost.
pub trait Cost:
    Copy + Ord + Add<Output = Self> + Sub<Output = Self> + Default + Send + Sync + 'static
{
    /// The cost of a missing edge.
    const ABSENT: Self;
    /// The sum of all |cost| must not exceed this.
    const LIMIT: i64;
    /// From a number within `LIMIT`.
    fn of(number: i64) -> Self;
    /// As a number.
    fn wide(self) -> i64;
    /// Whether this is a real cost, or a real sum of costs.
    #[inline]
    fn present(self) -> bool {
        self.wide() > Self::ABSENT.wide() / 2
    }
    /// Scans all rows, filling values and decisions.
    fn scan(tables: &mut Tables<Self>, costs: &[Self], odd: &[u32]) {
        tables.scan_portable(costs, odd);
    }
    /// Scans a row of a wider board after those before it: values and, from the place `kept` on, decisions.
    fn scan_row(tables: &mut Tables<Self>, costs: &[Self], odd: &[u32], row: usize, kept: usize) {
        tables.scan_row_portable(costs, odd, row, kept);
    }
}

impl Cost for i32 {
    const ABSENT: Self = -(1 << 28);
    const LIMIT: i64 = 1 << 26;
    #[inline]
    fn of(number: i64) -> Self {
        number as Self
    }
    #[inline]
    fn wide(self) -> i64 {
        i64::from(self)
    }
    fn scan(tables: &mut Tables<Self>, costs: &[Self], odd: &[u32]) {
        #[cfg(target_arch = "x86_64")]
        {
            let wide = tables.columns >= avx512::LEAST_COLUMNS;
            if tables.may_use(Kernel::Avx512) && wide && is_x86_feature_detected!("avx512f") {
                // SAFETY: the processor has AVX-512F.
                return unsafe { avx512::scan(tables, costs, odd) };
            }
            if tables.may_use(Kernel::Avx2) && is_x86_feature_detected!("avx2") {
                // SAFETY: the processor has AVX2.
                return unsafe { avx2::scan(tables, costs, odd) };
            }
        }
        tables.scan_portable(costs, odd);
    }
    fn scan_row(tables: &mut Tables<Self>, costs: &[Self], odd: &[u32], row: usize, kept: usize) {
        #[cfg(target_arch = "x86_64")]
        if tables.may_use(Kernel::Avx2) && is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has AVX2.
            return unsafe { avx2::scan_row(tables, costs, odd, row, kept) };
        }
        tables.scan_row_portable(costs, odd, row, kept);
    }
}

impl Cost for i64 {
    const ABSENT: Self = -(1 << 59);
    const LIMIT: i64 = 1 << 57;
    #[inline]
    fn of(number: i64) -> Self {
        number
    }
    #[inline]
    fn wide(self) -> i64 {
        self
    }
}
