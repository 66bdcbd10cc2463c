//! Statistics of samples: estimates with intervals, and fits. Whether two samples differ is decided in `ikeru_compare`.
//!
//! | module | owns |
//! |---|---|
//! | [`growth`] | the law by which one column grows with another, if the points determine it |
//! | [`interval`] | 95 % intervals of medians, means and shares |
//! | [`portfolio`] | portfolios of solvers: virtual best solver, contributions, PAR-2 |
//! | [`regression`] | least squares: a line, a power law, an exponential |
//! | [`sample`] | samples with censored values, and the units of a sample |

pub mod growth;
pub mod interval;
pub mod portfolio;
pub mod regression;
pub mod sample;

/// A value and, if its sample is large enough, its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The value.
    pub value: f64,
    /// Its interval; `None` if no interval has a coverage of 95 %.
    pub interval: Option<Interval>,
    /// The side of `value` on which the true value is, if timeouts determine `value`.
    pub bound: Bound,
}

/// A closed interval. An unknown end is infinite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// The relation of a true value to its known value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Bound {
    /// The true value equals the known value.
    #[default]
    Exact,
    /// The true value is at least the known value, e.g. a time that was censored at the limit.
    AtLeast,
    /// The true value is at most the known value, e.g. the score of a minimizing search at a timeout.
    AtMost,
    /// The true value may be on either side of the known value.
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

    /// Returns whether the true value may be below the known value, and whether it may be above.
    pub fn open_sides(self) -> [bool; 2] {
        match self {
            Self::Exact => [false, false],
            Self::AtLeast => [false, true],
            Self::AtMost => [true, false],
            Self::Either => [true, true],
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
    /// The interval from `value − half` to `value + half`.
    pub fn around(value: f64, half: f64) -> Self {
        Self {
            low: value - half,
            high: value + half,
        }
    }

    /// Applies an increasing function to both ends.
    pub fn map(self, rising: impl Fn(f64) -> f64) -> Self {
        Self {
            low: rising(self.low),
            high: rising(self.high),
        }
    }

    /// The quotients of its values and those of `divisor`; both must be positive.
    pub fn over(self, divisor: Self) -> Self {
        Self {
            low: self.low / divisor.high,
            high: self.high / divisor.low,
        }
    }
}

impl Estimate {
    /// A value without an interval.
    pub fn plain(value: f64) -> Self {
        Self::of(value, None)
    }

    /// A value with its interval, if it has one.
    pub fn of(value: f64, interval: Option<Interval>) -> Self {
        Self {
            value,
            interval,
            bound: Bound::Exact,
        }
    }

    /// A value without an interval that timeouts may determine.
    pub fn bounded(value: f64, bound: Bound) -> Self {
        Self {
            bound,
            ..Self::plain(value)
        }
    }

    /// The value without its interval.
    pub fn bare(self) -> Self {
        Self::bounded(self.value, self.bound)
    }

    /// A value that is known exactly.
    pub fn exact(value: f64) -> Self {
        Self::within(value, value, value)
    }

    /// A value with the interval from `low` to `high`.
    pub fn within(low: f64, value: f64, high: f64) -> Self {
        Self::of(value, Some(Interval { low, high }))
    }

    /// Applies an increasing function to the value and to the ends of its interval.
    pub fn map(self, rising: impl Fn(f64) -> f64) -> Self {
        Self {
            value: rising(self.value),
            interval: self.interval.map(|ends| ends.map(&rising)),
            ..self
        }
    }

    /// One divided by the value, which must be positive.
    pub fn inverse(self) -> Self {
        Self {
            value: 1.0 / self.value,
            interval: self
                .interval
                .map(|ends| Interval::around(1.0, 0.0).over(ends)),
            bound: Bound::Exact.over(self.bound),
        }
    }
}

/// The median; `None` of no values.
pub fn median(values: &[f64]) -> Option<f64> {
    quantile(&sorted(values), 0.5)
}

/// The number without the errors of rounding: its nearest one of 40 bits.
pub fn to_forty_bits(number: f64) -> f64 {
    f64::from_bits((number.to_bits() + (1 << 11)) >> 12 << 12)
}

/// The mean; `None` of no values.
pub fn mean(values: &[f64]) -> Option<f64> {
    // The sum of large scores has more digits than a number holds; the sum of their distances has not.
    let is_large = |value: &&f64| value.is_finite() && value.abs() > 1e12;
    let near = values.first().filter(is_large).unwrap_or(&0.0);
    let distances: f64 = values.iter().map(|value| value - near).sum();
    (!values.is_empty()).then(|| near + distances / values.len() as f64)
}

/// The values ascending.
pub fn sorted(values: &[f64]) -> Vec<f64> {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values
}

/// The `share` quantile of ascending values, interpolated linearly; `None` of no values.
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
        let large = (1..=12).map(|it| 1e15 + f64::from(it));
        assert_eq!(mean(&large.collect::<Vec<_>>()), Some(1e15 + 6.5));
        assert_eq!(Bound::AtLeast.and(Bound::AtMost), Bound::Either);
    }
}
