//! The law by which y grows with x, if the points distinguish one law from the others.
//!
//! The laws are a power, `a·xᵏ`, and an exponential, `a·cˣ`. Errors are relative, so the fits are least squares of ln y.
//! Akaike's corrected criterion (AICc) selects the law. It is reported only if it is clearly better than a constant and
//! than the other law, if it explains nearly all of the variance, and if, with at least [`CHALLENGED`] sizes, a fit without the largest sizes
//! predicts them. The interval of the rate is computed by a bootstrap of the residuals.

use ikeru_core::Random;

use crate::regression::line;
use crate::{Estimate, mean, quantile, sorted};

/// The smallest number of sizes for which a law is reported.
pub const FEWEST: usize = 5;
/// The number of sizes from which on the largest ones are held out and predicted.
pub const CHALLENGED: usize = 7;
/// The minimum difference of AICc to the other law.
const CLEAR: f64 = 6.0;
/// The minimum difference of AICc to a constant.
const GROWS: f64 = 10.0;
/// The minimum share of the variance of ln y that a reported law explains.
const EXPLAINED: f64 = 0.98;
/// The tolerance of a prediction in ln y; three residual standard deviations if these are larger.
const TOLERANCE: f64 = 0.15;
/// Relative errors below this are rounding errors.
const ROUNDING: f64 = 1e-6;
/// The number of bootstrap resamples.
const RESAMPLES: usize = 399;

/// The number of fitted parameters of a law: factor, rate and standard deviation.
const PARAMETERS: usize = 3;

/// The form of a law.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LawForm {
    /// `a·xᵏ`
    Power,
    /// `a·cˣ`
    Exponential,
}

use LawForm::{Exponential, Power};

impl LawForm {
    /// The term that the rate multiplies in ln y; `None` where the form is not defined.
    fn term(self, x: f64) -> Option<f64> {
        match self {
            Power => (x > 0.0).then(|| x.ln()),
            Exponential => Some(x),
        }
    }
}

/// A law that the points support.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Law {
    /// Its form.
    pub form: LawForm,
    /// k of a power, c of an exponential, with a bootstrap interval.
    pub rate: Estimate,
    /// The number of sizes.
    pub sizes: usize,
    /// The number of the largest sizes that a fit without them predicted; 0 if there were too few sizes to hold some
    /// out.
    pub confirmed: usize,
}

impl Law {
    /// The law as text: `∝ x^1.98`, `∝ 1.26^x`.
    pub fn words(&self) -> String {
        let rate = self.rate.value;
        match self.form {
            Power => format!("∝ x^{rate:.2}"),
            Exponential => format!("∝ {rate:.2}^x"),
        }
    }
}

/// The reason why no law is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Untold {
    /// Fewer than [`FEWEST`] sizes with a positive value.
    TooFew,
    /// No law is clearly better than the other and a constant.
    Undecided,
    /// The law that fits the smaller sizes does not predict the largest ones.
    Refuted,
}

impl Untold {
    /// The reason as text.
    pub fn words(self) -> &'static str {
        match self {
            Self::TooFew => "too few sizes",
            Self::Undecided => "no law is clearly better",
            Self::Refuted => "the smaller sizes do not predict the largest",
        }
    }
}

/// The law of points with ascending x. Points without a positive y are left out.
///
/// # Errors
/// The reason why no law is reported.
pub fn law(points: &[(f64, f64)]) -> Result<Law, Untold> {
    let positive = points.iter().filter(|(_, y)| *y > 0.0 && y.is_finite());
    let points: Vec<(f64, f64)> = positive.map(|(x, y)| (*x, y.ln())).collect();
    if points.len() < FEWEST {
        return Err(Untold::TooFew);
    }
    let fits: Vec<LawFit> = [Power, Exponential]
        .into_iter()
        .filter_map(|form| LawFit::of(form, &points))
        .collect();
    let fit = winner(&fits, &points).ok_or(Untold::Undecided)?;
    let confirmed = challenged(&fit, &points).ok_or(Untold::Refuted)?;
    let rate = fit.interval(&points);
    Ok(Law {
        form: fit.form,
        rate: match fit.form {
            Power => rate,
            Exponential => rate.map(f64::exp),
        },
        sizes: points.len(),
        confirmed,
    })
}

/// The clearly best fit.
fn winner(fits: &[LawFit], points: &[(f64, f64)]) -> Option<LawFit> {
    let by_criterion = |a: &&LawFit, b: &&LawFit| a.criterion.total_cmp(&b.criterion);
    let best = fits.iter().min_by(by_criterion)?;
    let rival = fits.iter().find(|fit| fit.form != best.form);
    let ys: Vec<f64> = points.iter().map(|point| point.1).collect();
    let middle = mean(&ys)?;
    let variation: f64 = ys.iter().map(|y| (y - middle).powi(2)).sum();
    let wins = rival.is_none_or(|rival| best.criterion + CLEAR <= rival.criterion);
    let grows = best.criterion + GROWS <= criterion(variation, ys.len(), 2);
    let explains = 1.0 - best.error / variation >= EXPLAINED;
    (wins && grows && explains).then_some(*best)
}

/// The number of the largest sizes that a fit without them predicts; `None` if it misses one of them.
fn challenged(fit: &LawFit, points: &[(f64, f64)]) -> Option<usize> {
    if points.len() < CHALLENGED {
        return Some(0);
    }
    let held_out = (points.len() / 4).max(2);
    let (known, largest) = points.split_at(points.len() - held_out);
    let fit = LawFit::of(fit.form, known)?;
    let free = known.len().saturating_sub(PARAMETERS - 1).max(1);
    let tolerance = TOLERANCE.max(3.0 * (fit.error / free as f64).sqrt());
    let is_predicted = |(x, y): &(f64, f64)| (fit.at(*x) - y).abs() <= tolerance;
    largest.iter().all(is_predicted).then_some(held_out)
}

/// A law fitted to points (x, ln y).
#[derive(Debug, Clone, Copy, PartialEq)]
struct LawFit {
    form: LawForm,
    /// k, or ln c.
    rate: f64,
    /// The offset of ln y.
    height: f64,
    /// The sum of squared errors of ln y.
    error: f64,
    /// AICc.
    criterion: f64,
}

impl LawFit {
    fn of(form: LawForm, points: &[(f64, f64)]) -> Option<Self> {
        let at = |&(x, y): &(f64, f64)| Some((form.term(x)?, y));
        let points: Vec<(f64, f64)> = points.iter().map(at).collect::<Option<_>>()?;
        let rate = line(&points)?.slope;
        let left: Vec<f64> = points.iter().map(|(term, y)| y - rate * term).collect();
        let height = mean(&left)?;
        let error: f64 = left.iter().map(|left| (left - height).powi(2)).sum();
        let fit = Self {
            form,
            rate,
            height,
            error,
            criterion: criterion(error, points.len(), PARAMETERS),
        };
        fit.criterion.is_finite().then_some(fit)
    }

    /// The predicted ln y at x.
    fn at(&self, x: f64) -> f64 {
        self.height + self.rate * self.form.term(x).unwrap_or(0.0)
    }

    /// The rate with its 95 % interval, from fits to resampled residuals.
    fn interval(&self, points: &[(f64, f64)]) -> Estimate {
        let free = points.len() - (PARAMETERS - 1);
        let widened = (points.len() as f64 / free as f64).sqrt();
        let left: Vec<f64> = points.iter().map(|(x, y)| y - self.at(*x)).collect();
        let mut random = Random::new("growth", points.len() as u64);
        let rates = (0..RESAMPLES).filter_map(|_| {
            let drawn =
                |(x, _): &(f64, f64)| (*x, self.at(*x) + widened * left[random.index(left.len())]);
            let again: Vec<(f64, f64)> = points.iter().map(drawn).collect();
            Some(Self::of(self.form, &again)?.rate)
        });
        let rates = sorted(&rates.collect::<Vec<_>>());
        match (quantile(&rates, 0.025), quantile(&rates, 0.975)) {
            (Some(low), Some(high)) => Estimate::within(low, self.rate, high),
            _ => Estimate::plain(self.rate),
        }
    }
}

/// Akaike's criterion for least squares, corrected for few points.
fn criterion(error: f64, points: usize, parameters: usize) -> f64 {
    let (n, p) = (points as f64, parameters as f64);
    if n - p - 1.0 < 1.0 {
        return f64::INFINITY;
    }
    let error = error.max(n * ROUNDING * ROUNDING);
    n * (error / n).ln() + 2.0 * p + 2.0 * p * (p + 1.0) / (n - p - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `f` at sizes that double from 4 on, with relative errors up to `noise`.
    fn doubling(sizes: i32, noise: f64, f: impl Fn(f64) -> f64) -> Vec<(f64, f64)> {
        noisy(
            (0..sizes).map(|step| 4.0 * 2.0_f64.powi(step)).collect(),
            noise,
            f,
        )
    }

    fn noisy(xs: Vec<f64>, noise: f64, f: impl Fn(f64) -> f64) -> Vec<(f64, f64)> {
        let mut random = Random::new("noise", xs.len() as u64);
        let mut error = || 1.0 + noise * (2.0 * random.unit() - 1.0);
        xs.into_iter().map(|x| (x, f(x) * error())).collect()
    }

    #[test]
    fn each_law_is_told_from_the_other() {
        let steps = || (1..=12).map(f64::from).collect::<Vec<_>>();
        let cases = [
            (doubling(10, 0.03, |x| 7.0 * x.powf(1.5)), Power, 1.5),
            (
                noisy(steps(), 0.03, |x| 9.0 * 2.5_f64.powf(x)),
                Exponential,
                2.5,
            ),
        ];
        for (points, form, rate) in cases {
            let law = law(&points).expect("a law");
            assert_eq!(law.form, form);
            assert!((law.rate.value - rate).abs() < 0.05 * rate, "{law:?}");
            let ends = law.rate.interval.expect("an interval");
            assert!(ends.low <= law.rate.value && law.rate.value <= ends.high);
            assert!(ends.high - ends.low < 0.2 * rate, "{law:?}");
            assert_eq!(law.confirmed, points.len() / 4);
        }
    }

    #[test]
    fn noise_a_constant_and_few_sizes_tell_no_law() {
        let mut random = Random::new("nothing", 1);
        let mut told = 0;
        for _ in 0..200 {
            let noise = (1..=10).map(|x| (f64::from(x), 1.0 + 9.0 * random.unit()));
            told += usize::from(law(&noise.collect::<Vec<_>>()).is_ok());
        }
        assert_eq!(told, 0);
        assert!(law(&doubling(10, 0.05, |_| 7.0)).is_err());
        assert_eq!(law(&doubling(4, 0.0, |x| x)), Err(Untold::TooFew));
    }

    #[test]
    fn a_curve_that_bends_is_refuted_by_its_largest_sizes() {
        // x³ until a map is full, x from there on.
        let bent = doubling(9, 0.01, |x| x.powi(3).min(256.0_f64.powi(2) * x));
        assert!(law(&bent).is_err(), "{:?}", law(&bent));
        assert_eq!(law(&bent[..6]).map(|law| law.form), Ok(Power));
    }
}
