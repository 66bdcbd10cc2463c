//! Chooses the kernel for each type of cost. Contains `unsafe`: the calls of the vector kernels.
#![cfg_attr(
    target_arch = "x86_64",
    expect(
        unsafe_code,
        reason = "functions for vector instructions are called where these were detected"
    )
)]

use super::number::Number;
use super::tables::Tables;
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512, tables::ScanKernel};

/// A type of cost with its kernels.
pub trait EdgeCost: Number {
    /// Scans all rows and fills the values and decisions.
    fn scan(tables: &mut Tables<Self>, costs: &[Self], odd: &[u64]) {
        tables.scan_portable(costs, odd);
    }
}

impl EdgeCost for i32 {
    fn scan(tables: &mut Tables<Self>, costs: &[Self], odd: &[u64]) {
        #[cfg(target_arch = "x86_64")]
        {
            let wide = tables.columns >= avx512::LEAST_COLUMNS;
            if tables.may_use(ScanKernel::Avx512) && wide && is_x86_feature_detected!("avx512f") {
                // SAFETY: the processor has AVX-512F.
                return unsafe { avx512::scan(tables, costs, odd) };
            }
            if tables.may_use(ScanKernel::Avx2) && is_x86_feature_detected!("avx2") {
                // SAFETY: the processor has AVX2.
                return unsafe { avx2::scan(tables, costs, odd) };
            }
        }
        tables.scan_portable(costs, odd);
    }
}

impl EdgeCost for i64 {}
