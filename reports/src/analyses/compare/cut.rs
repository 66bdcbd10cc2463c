//! What is known of both sides of one question where samples were stopped.
//!
//! A sample that was stopped tells that its value is at least (or at most) the one it had. Both sides
//! are cut where the first of them was stopped: beyond that nothing can be told apart, whatever limits
//! the two sides had. So A stopped after 1 s and B solved after 5 s are equal, while A solved after 0.5 s
//! and B stopped after 1 s are not.

use crate::statistics::sample::CensoredSample;
use crate::statistics::stratified::Stratum;
use crate::statistics::{Bound, Estimate};

/// Both sides, cut at the same value.
pub(super) struct CutPair {
    a: CensoredSample,
    b: CensoredSample,
    /// The cut, and on which side of it the values beyond lie.
    at: Option<(f64, Bound)>,
}

impl CutPair {
    /// Both sides; `None` where stopped values may lie on either side of what they are.
    pub(super) fn of(a: &CensoredSample, b: &CensoredSample) -> Option<Self> {
        let bound = a.bound.and(b.bound);
        let stopped = || [a, b].into_iter().filter_map(|side| side.stopped_at);
        let at = match bound {
            Bound::Exact => None,
            Bound::AtLeast => stopped().reduce(f64::min),
            Bound::AtMost => stopped().reduce(f64::max),
            Bound::Either => return None,
        };
        let at = at.map(|at| (at, bound));
        let cut = |side: &CensoredSample| {
            let mut cut = CensoredSample::default();
            for value in &side.values {
                match at {
                    Some((at, bound)) if is_beyond(*value, at, bound) => cut.push(at, bound),
                    _ => cut.push(*value, Bound::Exact),
                }
            }
            cut
        };
        Some(Self {
            a: cut(a),
            b: cut(b),
            at,
        })
    }

    /// The logarithm of B's median by A's, or with `by_difference` what B's is above A's; nothing where both were cut.
    pub(super) fn effect(&self, by_difference: bool) -> Option<Estimate> {
        if !by_difference {
            return self.ratio().map(|ratio| ratio.map(f64::ln));
        }
        let (a, b) = (self.a.median()?, self.b.median()?);
        let are_cut = a.bound != Bound::Exact && b.bound != Bound::Exact;
        (!are_cut).then(|| Estimate {
            bound: b.bound.over(a.bound),
            ..Estimate::plain(b.value - a.value)
        })
    }

    /// A's median.
    pub(super) fn level(&self) -> Option<f64> {
        self.a.median().map(|median| median.value)
    }

    /// B's median by A's; nothing where both were cut.
    fn ratio(&self) -> Option<Estimate> {
        let (a, b) = (self.a.median()?, self.b.median()?);
        if a.value == b.value {
            let is_known = a.bound == Bound::Exact && b.bound == Bound::Exact;
            return is_known.then_some(Estimate::plain(1.0));
        }
        let ratio = self.b.ratio(&self.a)?;
        (a.value > 0.0 && b.value > 0.0).then_some(Estimate {
            interval: None,
            ..ratio
        })
    }

    /// Both sides, with equal values where they were cut.
    pub(super) fn stratum(&self) -> Stratum {
        Stratum {
            a: self.a.values.clone(),
            b: self.b.values.clone(),
        }
    }

    /// A as low as it may be and B as high, for the upper end of their ratio.
    pub(super) fn furthest(&self) -> Stratum {
        Stratum {
            a: self.ends(&self.a, Bound::AtLeast),
            b: self.ends(&self.b, Bound::AtMost),
        }
    }

    /// A as high as it may be and B as low, for the lower end.
    pub(super) fn nearest(&self) -> Stratum {
        Stratum {
            a: self.ends(&self.a, Bound::AtMost),
            b: self.ends(&self.b, Bound::AtLeast),
        }
    }

    /// The values as low as they may be (those that are at least what they are stay) or as high.
    fn ends(&self, side: &CensoredSample, keep: Bound) -> Vec<f64> {
        let end = |value: &f64| match self.at {
            Some((at, bound)) if is_beyond(*value, at, bound) && bound != keep => match bound {
                Bound::AtLeast => f64::INFINITY,
                _ => 0.0,
            },
            _ => *value,
        };
        side.values.iter().map(end).collect()
    }

    /// Whether a sample was cut.
    pub(super) fn is_cut(&self) -> bool {
        self.at.is_some()
    }

    /// Whether all values are positive.
    pub(super) fn is_positive(&self) -> bool {
        let mut values = self.a.values.iter().chain(&self.b.values);
        values.all(|value| *value > 0.0)
    }

    /// Whether no repeat differs from another.
    pub(super) fn is_constant(&self) -> bool {
        let constant = |values: &[f64]| values.iter().all(|value| *value == values[0]);
        constant(&self.a.values) && constant(&self.b.values)
    }

    /// How many samples each side has.
    pub(super) fn sizes(&self) -> (usize, usize) {
        (self.a.values.len(), self.b.values.len())
    }
}

fn is_beyond(value: f64, at: f64, bound: Bound) -> bool {
    match bound {
        Bound::AtMost => value <= at,
        _ => value >= at,
    }
}
