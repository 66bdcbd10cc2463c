//! Values with their uncertainty, and whether two samples differ: numbers in, intervals and decisions out.
//!
//! | module | owns |
//! |---|---|
//! | [`contrast`] | whether two groups differ, and by which ratio: every comparison asks here |
//! | [`decision`] | the ways a comparison is decided |
//! | [`evidence`] | how rarely chance alone puts a sample so far from a value |
//! | [`growth`] | the law by which a column grows along another, where the points tell one |
//! | [`hypothesis`] | tests, and the correction for asking often |
//! | [`interval`] | 95 % intervals of medians, means, shares and ratios, and where there is none |
//! | [`noise`] | power and false alarms of comparisons, from A/A pairs |
//! | [`nonnegative`] | least squares without negative coefficients, few columns among many |
//! | [`portfolio`] | several solvers as one: virtual best, contributions, PAR-2 |
//! | [`regression`] | least squares: a line, a power law, an exponential |
//! | [`sequential`] | a comparison that may be looked at after every pair |
//! | [`shapley`] | what each of several causes contributes to a whole |
//! | [`resample`] | means of several columns over the same resampled rows |
//! | [`sample`] | values of which some are bounds, and what is sampled |
//! | [`stratified`] | samples of two sides on several questions: van Elteren's test and its interval |

pub mod contrast;
pub mod decision;
pub mod evidence;
pub mod growth;
pub mod hypothesis;
pub mod interval;
pub mod noise;
pub mod nonnegative;
pub mod portfolio;
pub mod regression;
pub mod resample;
pub mod sample;
pub mod sequential;
pub mod shapley;
pub mod stratified;

/// A value and, where its sample is large enough for one, its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The value.
    pub value: f64,
    /// Its interval; `None` where none has 95 % of coverage.
    pub interval: Option<Interval>,
    /// How the true value lies to `value` where timeouts decide it.
    pub bound: Bound,
}

/// Two ends, both of them inside. An end that is not known is infinite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// How a true value lies to the one that is known of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Bound {
    /// It is that value.
    #[default]
    Exact,
    /// It is at least that: a time that was cut at the limit.
    AtLeast,
    /// It is at most that: the score of a minimizing search that was stopped.
    AtMost,
    /// It may lie on either side.
    Either,
}

impl Bound {
    /// The bound of a sum or product of two values.
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Exact, bound) | (bound, Self::Exact) => bound,
            (one, other) if one == other => one,
            _ => Self::Either,
        }
    }

    /// The bound of a quotient.
    pub fn over(self, divisor: Self) -> Self {
        self.and(match divisor {
            Self::AtLeast => Self::AtMost,
            Self::AtMost => Self::AtLeast,
            same => same,
        })
    }
}

impl Interval {
    /// `half` to either side of `value`.
    pub fn around(value: f64, half: f64) -> Self {
        Self {
            low: value - half,
            high: value + half,
        }
    }
}

impl Estimate {
    /// A value without an interval.
    pub fn plain(value: f64) -> Self {
        Self {
            value,
            interval: None,
            bound: Bound::Exact,
        }
    }

    /// A value that is known exactly.
    pub fn exact(value: f64) -> Self {
        Self::within(value, value, value)
    }

    /// A value between two others.
    pub fn within(low: f64, value: f64, high: f64) -> Self {
        Self {
            interval: Some(Interval { low, high }),
            ..Self::plain(value)
        }
    }

    /// The value and its ends by a rising function.
    pub fn map(self, rising: impl Fn(f64) -> f64) -> Self {
        Self {
            value: rising(self.value),
            interval: self.interval.map(|interval| Interval {
                low: rising(interval.low),
                high: rising(interval.high),
            }),
            ..self
        }
    }

    /// The value and its ends times `factor`, which must be positive.
    pub fn scaled(self, factor: f64) -> Self {
        self.map(|value| value * factor)
    }
}

/// The middle value, or the mean of the two; `None` of nothing.
pub fn median(values: &[f64]) -> Option<f64> {
    quantile(&sorted(values), 0.5)
}

/// The mean; `None` of nothing.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The values ascending.
pub fn sorted(values: &[f64]) -> Vec<f64> {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values
}

/// The `share` quantile of ascending values, linear between neighbours; `None` of nothing.
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
