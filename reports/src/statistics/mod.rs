//! Medians with their uncertainty, and whether two variants differ.
//!
//! | module | owns |
//! |---|---|
//! | [`bootstrap`] | 95 % percentile bootstrap intervals of medians, means, shares and ratios |
//! | [`decision`] | whether a ratio is decided, and which way |
//! | [`hypothesis`] | tests, and the correction for asking often |
//! | [`modality`] | whether samples show more than one hump: Hartigan's dip |
//! | [`noise`] | power and false alarms of comparisons, from A/A pairs |
//! | [`portfolio`] | several solvers as one: virtual best, contributions, PAR-2 |
//! | [`sequential`] | a comparison that may be looked at after every pair |
//! | [`shapley`] | what each of several causes contributes to a whole |
//! | [`survival`] | how long runs last of which some were stopped: Kaplan–Meier, restricted mean |
//! | [`statistic`] | the statistics that an experiment names, over rows, with timeouts |

pub mod bootstrap;
pub mod decision;
pub mod hypothesis;
pub mod modality;
pub mod noise;
pub mod portfolio;
pub mod sequential;
pub mod shapley;
pub mod statistic;
pub mod survival;

pub use bootstrap::{
    bootstrap_geometric_mean, bootstrap_mean, bootstrap_median, bootstrap_ratio_of_medians,
    bootstrap_share,
};
pub use statistic::Statistic;

/// A value and its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The value itself.
    pub mid: f64,
    /// The upper end.
    pub high: f64,
    /// Whether runs stopped at their limit decide the value: the true one is at least `mid`.
    pub at_least: bool,
}

impl Interval {
    /// A value that is known exactly.
    #[must_use]
    pub fn exact(value: f64) -> Self {
        Self::new(value, value, value)
    }

    /// A value between two others.
    #[must_use]
    pub fn new(low: f64, mid: f64, high: f64) -> Self {
        Self {
            low,
            mid,
            high,
            at_least: false,
        }
    }

    /// All three values times `factor`, which must be positive.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        Self {
            low: self.low * factor,
            mid: self.mid * factor,
            high: self.high * factor,
            ..self
        }
    }
}

/// The middle value, or the mean of the two; `None` of nothing.
#[must_use]
pub fn median(values: &[f64]) -> Option<f64> {
    quantile(&sorted(values), 0.5)
}

/// The mean; `None` of nothing.
#[must_use]
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The values ascending.
#[must_use]
pub fn sorted(values: &[f64]) -> Vec<f64> {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values
}

/// The `share` quantile of ascending values, linear between neighbours; `None` of nothing.
#[must_use]
pub fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let place = share * sorted.len().checked_sub(1)? as f64;
    let (below, above) = (place.floor() as usize, place.ceil() as usize);
    let part = place - place.floor();
    Some(sorted[below] + (sorted[above] - sorted[below]) * part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_and_quantiles() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(quantile(&[0.0, 10.0], 0.25), Some(2.5));
        assert_eq!(mean(&[1.0, 2.0]), Some(1.5));
    }
}
