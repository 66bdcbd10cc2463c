//! The law by which y grows with x, a power `a·xᵏ` or an exponential `a·cˣ`, if the points distinguish one from the other.
//!
//! Errors are relative, so the fits are least squares of ln y. Akaike's corrected criterion (AICc) selects the law. The
//! law is reported only if it is clearly better than a constant and than the other law, if it explains nearly all of the
//! variance, and if, with at least [`CHALLENGED`] sizes, a fit without the largest sizes predicts them. The interval of
//! the rate is Student's.

use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::regression::line;
use crate::{Estimate, Interval, mean};

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

/// The form of a law.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LawForm {
    /// `a·xᵏ`
    Power,
    /// `a·cˣ`
    Exponential,
}

use LawForm::{Exponential, Power};

/// The number of fitted parameters of a law, including the standard deviation.
const PARAMETERS: usize = 3;

impl LawForm {
    /// The coordinate in which ln y is a straight line.
    fn across(self, x: f64) -> f64 {
        match self {
            Power => x.ln(),
            Exponential => x,
        }
    }
}

/// A law that the points support.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Law {
    /// Its form.
    pub form: LawForm,
    /// k of a power, c of an exponential, with its interval.
    pub rate: Estimate,
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
            // The base for a large x is close to 1: two digits of its distance.
            Exponential => {
                let digits = 1.0 - (rate - 1.0).abs().log10().floor();
                format!("∝ {rate:.*}^x", digits.clamp(2.0, 9.0) as usize)
            }
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
            Self::TooFew => "fewer than 5 sizes",
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
    let fits = [Power, Exponential].map(|form| LawFit::of(form, &points));
    let fits: Vec<LawFit> = fits.into_iter().flatten().collect();
    let fit = winner(&fits, &points).ok_or(Untold::Undecided)?;
    let confirmed = challenged(&fit, &points).ok_or(Untold::Refuted)?;
    let mut rate = fit.interval(&points);
    if fit.form == Exponential {
        rate = rate.map(f64::exp);
    }
    Ok(Law {
        form: fit.form,
        rate,
        confirmed,
    })
}

/// The clearly better fit.
fn winner(fits: &[LawFit], points: &[(f64, f64)]) -> Option<LawFit> {
    let mut ascending = fits.to_vec();
    ascending.sort_by(|a, b| a.criterion.total_cmp(&b.criterion));
    let best = *ascending.first()?;
    let ys: Vec<f64> = points.iter().map(|point| point.1).collect();
    let middle = mean(&ys)?;
    let variation: f64 = ys.iter().map(|y| (y - middle).powi(2)).sum();
    let wins = ascending[1..]
        .iter()
        .all(|rival| best.criterion + CLEAR <= rival.criterion);
    let grows = best.criterion + GROWS <= criterion(variation, ys.len(), 2);
    let explains = 1.0 - best.error / variation >= EXPLAINED;
    (wins && grows && explains).then_some(best)
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
    /// ln a.
    start: f64,
    /// The sum of squared errors of ln y.
    error: f64,
    /// AICc.
    criterion: f64,
}

impl LawFit {
    /// `None` where the form is not defined at each x.
    fn of(form: LawForm, points: &[(f64, f64)]) -> Option<Self> {
        let across = points.iter().map(|(x, y)| (form.across(*x), *y));
        let line = line(&across.collect::<Vec<_>>())?;
        let mut fit = Self {
            form,
            rate: line.slope,
            start: line.start,
            error: 0.0,
            criterion: 0.0,
        };
        fit.error = points.iter().map(|(x, y)| (y - fit.at(*x)).powi(2)).sum();
        fit.criterion = criterion(fit.error, points.len(), PARAMETERS);
        fit.criterion.is_finite().then_some(fit)
    }

    /// The predicted ln y at x.
    fn at(&self, x: f64) -> f64 {
        self.start + self.rate * self.form.across(x)
    }

    /// The rate with its 95 % interval of Student's t, for errors of ln y with one scatter.
    fn interval(&self, points: &[(f64, f64)]) -> Estimate {
        let free = points.len() as f64 - 2.0;
        let xs: Vec<f64> = points.iter().map(|(x, _)| self.form.across(*x)).collect();
        let middle = mean(&xs).unwrap_or_default();
        let spread: f64 = xs.iter().map(|x| (x - middle).powi(2)).sum();
        let quantile = StudentsT::new(0.0, 1.0, free).map(|of| of.inverse_cdf(0.975));
        let half = quantile.map(|quantile| quantile * (self.error / free / spread).sqrt());
        Estimate::of(
            self.rate,
            half.ok().map(|half| Interval::around(self.rate, half)),
        )
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
    use ikeru_core::Random;

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
        let slow = (1..=12).map(|step| f64::from(1000 * step));
        let slow = noisy(slow.collect(), 0.0, |x| 1.0023_f64.powf(x));
        assert_eq!(law(&slow).expect("a law").words(), "∝ 1.0023^x");
    }

    #[test]
    fn the_interval_of_five_sizes_holds_the_rate() {
        let mut random = Random::new("coverage", 1);
        let mut error = || ((0..12).map(|_| random.unit()).sum::<f64>() - 6.0) * 0.1;
        let (mut told, mut held) = (0, 0);
        for _ in 0..600 {
            let sizes = (0..5).map(|step| 4.0 * 2.0_f64.powi(step));
            let points: Vec<_> = sizes.map(|x| (x, x * x * error().exp())).collect();
            if let Ok(law) = law(&points) {
                let ends = law.rate.interval.expect("an interval");
                told += 1;
                held += usize::from(ends.low <= 2.0 && 2.0 <= ends.high);
            }
        }
        let share = f64::from(held as u32) / f64::from(told);
        // A law is reported where the residuals are small, which costs 2 %.
        assert!(told > 200 && share > 0.91, "{share} of {told}");
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

    #[test]
    fn a_large_constant_is_no_law() {
        let points = doubling(10, 0.01, |x| 500.0 + 2.0 * x * x);
        assert_eq!(law(&points), Err(Untold::Undecided));
    }

    #[test]
    fn akaikes_criterion_by_hand() {
        // n = 10, p = 3: 10 · ln(error / 10) + 6 + 24 / 6.
        assert!((criterion(10.0, 10, 3) - 10.0).abs() < 1e-12);
        assert!((criterion(10.0 * 1.0_f64.exp(), 10, 3) - 20.0).abs() < 1e-9);
        assert!((criterion(0.0, 10, 3) - 10.0 - 10.0 * 1e-12_f64.ln()).abs() < 1e-9);
        assert_eq!(criterion(5.0, 5, 3), 30.0);
        assert_eq!(criterion(4.0, 4, 3), f64::INFINITY);
    }

    #[test]
    fn five_sizes_tell_a_law_and_points_outside_of_it_are_left_out() {
        let cubes = doubling(7, 0.01, |x| x.powi(3));
        let told = |points: &[(f64, f64)]| law(points).map(|law| (law.form, law.confirmed));
        assert_eq!(told(&cubes[..5]), Ok((Power, 0)));
        assert_eq!(told(&cubes), Ok((Power, 2)));
        for y in [0.0, f64::INFINITY] {
            let with = [&cubes[..4], &[(512.0, y)]].concat();
            assert_eq!(told(&with), Err(Untold::TooFew), "{y}");
        }
    }

    /// x = e⁰, e¹, … with ln y = 2·ln x and residuals that are orthogonal to the line.
    fn orthogonal(residuals: &[f64]) -> Vec<(f64, f64)> {
        let at = |(at, residual): (usize, &f64)| ((at as f64).exp(), 2.0 * at as f64 + residual);
        residuals.iter().enumerate().map(at).collect()
    }

    #[test]
    fn the_largest_sizes_may_miss_by_three_standard_deviations() {
        // Residuals of 0.12 at four of six sizes: 3 · √(0.0576 / 4) = 0.36.
        for (miss, expected) in [(0.35, Some(2)), (0.37, None)] {
            let points = orthogonal(&[0.12, -0.12, -0.12, 0.12, 0.0, 0.0, miss, 0.0]);
            let fit = LawFit::of(Power, &points).expect("a fit");
            assert_eq!(challenged(&fit, &points), expected, "{miss}");
        }
    }

    #[test]
    fn a_law_is_clearly_better_or_none_is_told() {
        let points = orthogonal(&[0.0; 8]);
        let told = |power: f64, other: f64, error: f64| {
            let mut fits =
                [Power, Exponential].map(|form| LawFit::of(form, &points).expect("a fit"));
            (fits[0].error, fits[0].criterion, fits[1].criterion) = (error, power, other);
            winner(&fits, &points).map(|fit| fit.form)
        };
        // The variation of ln y = 0, 2, …, 14 is 168. A law leaves 2 % of it at most.
        let constant = criterion(168.0, 8, 2);
        assert_eq!(told(constant - 10.5, constant - 4.0, 1.7), Some(Power));
        assert_eq!(
            told(constant - 10.5, constant - 5.0, 1.7),
            None,
            "the other is near"
        );
        assert_eq!(told(constant - 9.5, constant, 1.7), None, "hardly grows");
        assert_eq!(
            told(constant - 10.5, constant, 5.0),
            None,
            "hardly explained"
        );
    }
}
