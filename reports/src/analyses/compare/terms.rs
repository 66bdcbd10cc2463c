//! The settings of a comparison.

use ikeru_core::Better;

use crate::metric::Metric;

/// The settings of a comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct CompareTerms {
    /// The metric that is compared.
    pub metric: Metric,
    /// The relative difference up to which two sides count as the same: 0.05 for 5 %.
    pub bound: f64,
    /// True if sides that are not comparable are compared anyway; the notes then list the reasons.
    pub force: bool,
    /// The direction in which the metric is better.
    pub better: Better,
}
