//! The variants: one file and one line each.

mod incremental;
mod matrices;

use ikeru_core::Variant;

use super::Relation;

/// Every variant, naive first.
pub const ALL: &[Variant<Relation>] = &[matrices::VARIANT, incremental::VARIANT];
