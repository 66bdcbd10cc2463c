//! Paired scores: the interval of their mean difference on instances like these, valid after every pair.
//!
//! The interval is Student's, for the mean. It is widened to every limit (0, and the margin on both sides) that no bet has
//! refuted: neither the bet on signs and ranks, which is valid after every pair ([`paired`](crate::paired)), nor for a margin
//! the bet on the mean. A difference is decided if the interval leaves the limit out.

use std::cmp::Ordering;

use ikeru_statistics::interval::t_mean_at;
use ikeru_statistics::{Estimate, Interval};

use crate::decide::Leveled;
use crate::paired::{PairedBet, mean_difference};

/// The mean difference, positive where B is better; `None` of no pair. Differences that are all equal have an interval of
/// width 0 if a bet refutes 0, and none otherwise.
pub fn mean_of(scores: &PairedBet, margin: f64) -> Option<Leveled> {
    let (differences, level) = (scores.differences(), scores.level());
    let value = mean_difference(differences)?.clamp(-1.0, 1.0);
    let is_equal = differences.iter().all(|it| *it == differences[0]);
    let mut ends = match t_mean_at(differences, level).and_then(|mean| mean.interval) {
        Some(ends) => Some(ends.map(|end| end.clamp(-1.0, 1.0))),
        None => (is_equal && refutes(scores, 0.0, value)).then(|| Interval::around(value, 0.0)),
    };
    let limits = [0.0, margin, -margin];
    for limit in limits
        .into_iter()
        .filter(|limit| *limit == 0.0 || margin > 0.0)
    {
        if let Some(ends) = ends.as_mut().filter(|_| !refutes(scores, limit, value)) {
            ends.low = ends.low.min(limit);
            ends.high = ends.high.max(limit);
        }
    }
    let estimate = Estimate::of(value, ends);
    Some(Leveled { estimate, level })
}

/// Returns whether a bet refutes that the differences are on the other side of `limit` than their mean is.
fn refutes(scores: &PairedBet, limit: f64, mean: f64) -> bool {
    let side = if mean > limit {
        Ordering::Greater
    } else {
        Ordering::Less
    };
    let by_signs = |scores: &PairedBet| scores.decision() == Some(side) && scores.is_of_most();
    if limit == 0.0 {
        return by_signs(scores);
    }
    let by_mean = || match side {
        Ordering::Less => scores.is_mean_below(limit),
        _ => scores.inverse().is_mean_below(-limit),
    };
    by_signs(&scores.shifted(-limit)) || by_mean()
}
