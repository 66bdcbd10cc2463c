//! Whether a ratio is decided, and which way.

use crate::{Bound, Estimate};

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

/// Decides by a ratio and the corrected `p` of its test: *same* if the whole interval lies within `bound`
/// of 1 (0.05 for 5 %), *lower* or *higher* if it leaves 1 out and `p` is below [`LEVEL`]. Without an
/// interval nothing is decided.
pub fn decide(ratio: Estimate, p: f64, bound: f64) -> Decision {
    let Some(interval) = ratio.interval else {
        return Decision::Open;
    };
    let is_within = interval.low >= 1.0 / (1.0 + bound) && interval.high <= 1.0 + bound;
    if ratio.bound == Bound::Exact && is_within {
        Decision::Same
    } else if p < LEVEL && interval.low > 1.0 {
        Decision::Higher
    } else if p < LEVEL && interval.high < 1.0 {
        Decision::Lower
    } else {
        Decision::Open
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decision_needs_interval_and_test() {
        let decided = |low, high, p| decide(Estimate::within(low, 1.0, high), p, 0.05);
        assert_eq!(decided(1.1, 1.3, 0.01), Decision::Higher);
        assert_eq!(decided(1.1, 1.3, 0.06), Decision::Open);
        assert_eq!(decided(0.9, 1.3, 0.01), Decision::Open);
        assert_eq!(decided(0.5, 0.7, 0.01), Decision::Lower);
        assert_eq!(decided(0.97, 1.04, 0.01), Decision::Same);
        assert_eq!(decided(0.97, 1.04, 0.9), Decision::Same);
        assert_eq!(decide(Estimate::plain(1.0), 0.01, 0.05), Decision::Open);
        let cut = Estimate {
            bound: Bound::AtLeast,
            ..Estimate::exact(1.0)
        };
        assert_eq!(decide(cut, 0.9, 0.05), Decision::Open);
    }
}
