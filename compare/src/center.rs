//! The typical value of one side of a question: the trimmed mean of its repeats, with its error (Yuen 1974).
//!
//! A fifth of the values is trimmed at each end, from five values on. A slow moment of the machine is then left out, and a
//! stopped or failed sample has no influence as long as it is among the trimmed ones. For normal noise this costs a tenth of
//! the power; with one outlier in ten values it gains several times that. If the values in the middle are equal and the
//! others are not, all values count.

use ikeru_statistics::sample::CensoredSample;
use ikeru_statistics::{Bound, mean, sorted};

/// The scale on which two sides are subtracted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EffectScale {
    /// Logarithms, for ratios. All values must be positive.
    Logarithm,
    /// The values themselves, for differences as shares of the larger value.
    Relative,
}

/// A trimmed mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Center {
    /// The mean of the values that are not trimmed, on the scale of the comparison.
    pub mean: f64,
    /// The side of `mean` on which the true mean is, if stopped samples determine it.
    pub bound: Bound,
    /// The variance of `mean`; 0 if no value scatters.
    pub variance: f64,
    /// The degrees of freedom of `variance`; 0 of a single value.
    pub freedom: f64,
}

impl EffectScale {
    /// The value on this scale.
    pub fn of(self, value: f64) -> f64 {
        match self {
            Self::Logarithm => value.ln(),
            Self::Relative => value,
        }
    }
}

impl Center {
    /// The center of a sample; `None` if it has no value, if failed samples determine it, or if a logarithm is not
    /// defined.
    pub fn of(sample: &CensoredSample, scale: EffectScale) -> Option<Self> {
        let ranked = sorted(&sample.ranked());
        let fifth = if ranked.len() < 5 {
            0
        } else {
            ranked.len() / 5
        };
        let is_flat = |cut: usize| ranked.get(cut) == ranked.iter().nth_back(cut);
        // Values whose scatter would be trimmed away are not constant.
        let cut = if is_flat(fifth) { 0 } else { fifth };
        let kept = &ranked[cut..ranked.len() - cut];
        let (low, high) = (*kept.first()?, *kept.last()?);
        if !(scale.of(low).is_finite() && scale.of(high).is_finite()) {
            return None;
        }
        let kept: Vec<f64> = kept.iter().map(|value| scale.of(*value)).collect();
        let mean = mean(&kept)?;
        let (variance, freedom) = variance(&kept, cut);
        Some(Self {
            mean,
            bound: sample.bound_at(low).and(sample.bound_at(high)),
            variance,
            freedom,
        })
    }
}

impl Center {
    /// The center of the values divided by `unit`.
    #[must_use]
    pub fn over(self, unit: f64) -> Self {
        Self {
            mean: self.mean / unit,
            variance: self.variance / (unit * unit),
            ..self
        }
    }
}

/// The variance of the mean of the ascending `kept` values, `cut` of which were trimmed at each end, and its degrees of freedom.
fn variance(kept: &[f64], cut: usize) -> (f64, f64) {
    let [first, last] = [kept[0], kept[kept.len() - 1]];
    // Winsorized: a trimmed value counts as the nearest one that is kept.
    let ends = [first, last].into_iter();
    let all = ends.flat_map(|end| std::iter::repeat_n(end, cut));
    let all: Vec<f64> = all.chain(kept.iter().copied()).collect();
    let count = kept.len() as f64;
    let middle = mean(&all).unwrap_or(0.0);
    let squares: f64 = all.iter().map(|value| (value - middle).powi(2)).sum();
    // The deviations of equal values are rounding errors.
    let scatters = first < last && squares.sqrt() > 1e-12 * middle.abs();
    match (kept.len() > 1, scatters) {
        (true, true) => (squares / (count * (count - 1.0)), count - 1.0),
        (true, false) => (0.0, count - 1.0),
        (false, _) => (0.0, 0.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(values: &[f64]) -> CensoredSample {
        CensoredSample {
            values: values.to_vec(),
            ..CensoredSample::default()
        }
    }

    #[test]
    fn a_trimmed_mean_by_hand() {
        let center = Center::of(&sample(&[1.0, 2.0, 3.0, 4.0, 90.0]), EffectScale::Relative);
        let center = center.expect("five values");
        // Winsorized: 2, 2, 3, 4, 4 have squares of 4, divided by 3 · 2.
        assert_eq!((center.mean, center.freedom), (3.0, 2.0));
        assert!((center.variance - 4.0 / 6.0).abs() < 1e-12);
        let four = Center::of(&sample(&[1.0, 2.0, 3.0, 90.0]), EffectScale::Relative);
        assert_eq!(four.map(|four| four.mean), Some(24.0));
        assert_eq!(
            Center::of(&sample(&[0.0, 1.0]), EffectScale::Logarithm),
            None
        );
        assert_eq!(Center::of(&sample(&[]), EffectScale::Logarithm), None);
    }

    #[test]
    fn stopped_samples_count_if_they_are_not_trimmed() {
        let stopped = |count: usize| {
            let mut sample = sample(&[1.0, 1.1, 1.2, 1.3]);
            (0..count).for_each(|_| sample.push(9.0, Bound::AtLeast));
            Center::of(&sample, EffectScale::Logarithm)
                .expect("values")
                .bound
        };
        assert_eq!([1, 2].map(stopped), [Bound::Exact, Bound::AtLeast]);
        let mut failed = sample(&[1.0, 1.1, 1.2, 1.3]);
        failed.push_missing(Bound::AtLeast);
        assert!(Center::of(&failed, EffectScale::Logarithm).is_some());
        failed.push_missing(Bound::AtLeast);
        assert_eq!(Center::of(&failed, EffectScale::Logarithm), None);
    }
}
