//! Seeded boards.

use ikeru_core::Generator;

use crate::TrailProblem;

/// Every generator.
pub const GENERATORS: &[Generator<TrailProblem>] = &[];
