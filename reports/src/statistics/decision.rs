//! Whether a ratio is decided, and which way.

use super::Interval;

/// The chance of any false alarm in a table.
pub const LEVEL: f64 = 0.05;

/// What a ratio and its test say together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// Below 1.
    Lower,
    /// Above 1.
    Higher,
    /// So near to 1 that it makes no difference.
    Same,
    /// Not decided.
    Open,
}

/// Decides: *same* if the whole interval lies within `bound` of 1 (0.05 for 5 %), *lower* or *higher* if
/// it leaves 1 out and the corrected `p` is below [`LEVEL`]. Without a `p` the ratio is known exactly.
#[must_use]
pub fn decide(ratio: Interval, p: Option<f64>, bound: f64) -> Decision {
    if !ratio.at_least && ratio.low >= 1.0 / (1.0 + bound) && ratio.high <= 1.0 + bound {
        return Decision::Same;
    }
    if p.is_some_and(|p| p >= LEVEL) {
        return Decision::Open;
    }
    match ratio {
        Interval { low, .. } if low > 1.0 => Decision::Higher,
        Interval { high, .. } if high < 1.0 => Decision::Lower,
        _ => Decision::Open,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decision_needs_interval_and_test() {
        let decided = |low, high, p| decide(Interval::new(low, 1.0, high), p, 0.05);
        assert_eq!(decided(1.1, 1.3, Some(0.01)), Decision::Higher);
        assert_eq!(decided(1.1, 1.3, Some(0.06)), Decision::Open);
        assert_eq!(decided(0.9, 1.3, Some(0.01)), Decision::Open);
        assert_eq!(decided(0.5, 0.7, Some(0.01)), Decision::Lower);
        assert_eq!(decided(0.97, 1.04, Some(0.01)), Decision::Same);
        assert_eq!(decided(1.2, 1.2, None), Decision::Higher);
    }
}
