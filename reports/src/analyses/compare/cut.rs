//! Censors both sides of one question at the same value.
//!
//! A timeout gives a bound: the value is at least (or at most) the one reached. Both sides are cut at the first value
//! at which a sample of either was stopped, because values beyond it are not comparable. For example, A stopped after
//! 1 s and B solved after 5 s count as equal, while A solved after 0.5 s and B stopped after 1 s do not.

use crate::statistics::sample::CensoredSample;
use crate::statistics::stratified::Stratum;
use crate::statistics::{Bound, Estimate};

/// Both sides, cut at the same value.
pub(super) struct CutPair {
    a: CensoredSample,
    b: CensoredSample,
    /// The cut, and the bound of a value that was cut there.
    at: Option<(f64, Bound)>,
}

impl CutPair {
    /// Cuts both sides; `None` if the value of a timeout may still rise or fall.
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
        let [a, b] = [a, b].map(cut);
        Some(Self { a, b, at })
    }

    /// The logarithm of the ratio B ÷ A of the medians, or with `by_difference` the difference B − A. `None` where both
    /// medians were cut.
    pub(super) fn effect(&self, by_difference: bool) -> Option<Estimate> {
        if !by_difference {
            return self.ratio().map(|ratio| ratio.map(f64::ln));
        }
        let (a, b) = (self.a.median()?, self.b.median()?);
        let are_cut = a.bound != Bound::Exact && b.bound != Bound::Exact;
        (!are_cut).then(|| Estimate::bounded(b.value - a.value, b.bound.over(a.bound)))
    }

    /// A's median.
    pub(super) fn level(&self) -> Option<f64> {
        self.a.median().map(|median| median.value)
    }

    /// The ratio B ÷ A of the medians; `None` where the cut hides it, or where the medians differ and one is not
    /// positive.
    fn ratio(&self) -> Option<Estimate> {
        let (a, b) = (self.a.median()?, self.b.median()?);
        if a.value == b.value {
            let is_known = a.bound == Bound::Exact && b.bound == Bound::Exact;
            return is_known.then_some(Estimate::plain(1.0));
        }
        let ratio = self.b.ratio(&self.a)?;
        (a.value > 0.0 && b.value > 0.0).then_some(ratio.bare())
    }

    /// The values of both sides; all values that were cut are equal.
    pub(super) fn stratum(&self) -> Stratum {
        let [a, b] = [&self.a, &self.b].map(|side| side.values.clone());
        Stratum { a, b }
    }

    /// The lowest possible values of A and the highest of B, for the upper end of the ratio B ÷ A.
    pub(super) fn furthest(&self) -> Stratum {
        self.ends(Bound::AtLeast, Bound::AtMost)
    }

    /// The highest possible values of A and the lowest of B, for the lower end of the ratio B ÷ A.
    pub(super) fn nearest(&self) -> Stratum {
        self.ends(Bound::AtMost, Bound::AtLeast)
    }

    /// The lowest possible values of a side (if it is [`Bound::AtLeast`]) or the highest ones (if it is
    /// [`Bound::AtMost`]).
    fn ends(&self, a: Bound, b: Bound) -> Stratum {
        let end = |value: &f64, keep: Bound| match self.at {
            Some((at, bound)) if is_beyond(*value, at, bound) && bound != keep => match bound {
                Bound::AtLeast => f64::INFINITY,
                _ => 0.0,
            },
            _ => *value,
        };
        let [a, b] = [(&self.a, a), (&self.b, b)].map(|(side, keep)| {
            let values = side.values.iter();
            values.map(|value| end(value, keep)).collect()
        });
        Stratum { a, b }
    }

    /// Returns whether the sides were cut because a sample was stopped.
    pub(super) fn is_cut(&self) -> bool {
        self.at.is_some()
    }

    /// Returns whether all values are positive.
    pub(super) fn is_positive(&self) -> bool {
        let mut values = self.a.values.iter().chain(&self.b.values);
        values.all(|value| *value > 0.0)
    }

    /// Returns whether all repeats of each side have the same value.
    pub(super) fn is_constant(&self) -> bool {
        let constant = |values: &[f64]| values.iter().all(|value| *value == values[0]);
        constant(&self.a.values) && constant(&self.b.values)
    }

    /// The number of samples of each side.
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
