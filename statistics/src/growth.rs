//! The law by which y grows with x, if the points distinguish one law from the others.
//!
//! | family | laws |
//! |---|---|
//! | polynomial | `a·xᵏ`, `a + b·xᵏ`, `a·xᵏ·log x` |
//! | exponential | `a·cˣ`, `a + b·cˣ` |
//!
//! Errors are relative, so the fits are least squares of ln y. Akaike's corrected criterion (AICc) selects the law. The
//! law is reported only if it is clearly better than a constant and than the best law of the other family, if it
//! explains nearly all of the variance, and if, with at least [`CHALLENGED`] sizes, a fit without the largest sizes
//! predicts them. The interval of the rate is computed by a bootstrap of the residuals.

use ikeru_core::Random;
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::regression::line;
use crate::{Estimate, mean, quantile, sorted};

/// The smallest number of sizes for which a law is reported.
pub const FEWEST: usize = 5;
/// The number of sizes from which on the largest ones are held out and predicted.
pub const CHALLENGED: usize = 7;
/// The minimum difference of AICc to the best law of the other family.
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

/// The form of a law.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LawForm {
    /// `a·xᵏ`
    Power,
    /// `a + b·xᵏ`
    PowerAndConstant,
    /// `a·xᵏ·log x`
    PowerLog,
    /// `a·cˣ`
    Exponential,
    /// `a + b·cˣ`
    ExponentialAndConstant,
}

use LawForm::{Exponential, ExponentialAndConstant, Power, PowerAndConstant, PowerLog};

const FORMS: [LawForm; 5] = [
    Power,
    PowerAndConstant,
    PowerLog,
    Exponential,
    ExponentialAndConstant,
];

impl LawForm {
    /// Returns whether the form is exponential.
    pub fn is_exponential(self) -> bool {
        matches!(self, Exponential | ExponentialAndConstant)
    }

    fn has_constant(self) -> bool {
        matches!(self, PowerAndConstant | ExponentialAndConstant)
    }

    /// The number of fitted parameters, including the standard deviation.
    fn parameters(self) -> usize {
        if self.has_constant() { 4 } else { 3 }
    }

    /// The logarithm of the growing term without its factor, at x, for a rate.
    fn grown(self, rate: f64, x: f64) -> f64 {
        match self {
            Power | PowerAndConstant => rate * x.ln(),
            PowerLog => rate * x.ln() + x.ln().ln(),
            Exponential | ExponentialAndConstant => rate * x,
        }
    }

    /// Returns whether the form is defined at x.
    fn is_defined(self, x: f64) -> bool {
        match self {
            Power | PowerAndConstant => x > 0.0,
            PowerLog => x > 1.0,
            Exponential | ExponentialAndConstant => true,
        }
    }
}

/// A law that the points support.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Law {
    /// Its form.
    pub form: LawForm,
    /// k of a polynomial law, c of an exponential one, with a bootstrap interval.
    pub rate: Estimate,
    /// The number of the largest sizes that a fit without them predicted; 0 if there were too few sizes to hold some
    /// out.
    pub confirmed: usize,
}

impl Law {
    /// The law as text: `∝ x^1.98`, `∝ 1.26^x`, `∝ x^1.02·log x`, `∝ x^2.00 + constant`.
    pub fn words(&self) -> String {
        let rate = self.rate.value;
        match self.form {
            Power => format!("∝ x^{rate:.2}"),
            PowerAndConstant => format!("∝ x^{rate:.2} + constant"),
            PowerLog => format!("∝ x^{rate:.2}·log x"),
            Exponential => format!("∝ {rate:.2}^x"),
            ExponentialAndConstant => format!("∝ {rate:.2}^x + constant"),
        }
    }
}

/// The reason why no law is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Untold {
    /// Fewer than [`FEWEST`] sizes with a positive value.
    TooFew,
    /// No law is clearly better than the others and a constant.
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
    let fits: Vec<LawFit> = FORMS
        .into_iter()
        .filter_map(|form| LawFit::of(form, &points))
        .collect();
    let fit = winner(&fits, &points).ok_or(Untold::Undecided)?;
    let confirmed = challenged(&fit, &points).ok_or(Untold::Refuted)?;
    let rate = fit.interval(&points);
    let rate = if fit.form.is_exponential() {
        rate.map(f64::exp)
    } else {
        rate
    };
    Ok(Law {
        form: fit.form,
        rate,
        confirmed,
    })
}

/// The clearly best fit. If `xᵏ·log x` is best and `xᵏ` nearly as good, the latter is returned.
fn winner(fits: &[LawFit], points: &[(f64, f64)]) -> Option<LawFit> {
    let best_of = |is_meant: &dyn Fn(LawForm) -> bool| {
        let meant = fits.iter().filter(|fit| is_meant(fit.form));
        meant.min_by(|a, b| a.criterion.total_cmp(&b.criterion))
    };
    let mut best = best_of(&|_| true)?;
    if best.form == PowerLog
        && let Some(power) = fits.iter().find(|fit| fit.form == Power)
        && power.criterion < best.criterion + CLEAR
    {
        best = power;
    }
    let is_exponential = best.form.is_exponential();
    let rival = best_of(&|form| form.is_exponential() != is_exponential);
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
    let free = known.len().saturating_sub(fit.form.parameters() - 1).max(1);
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
    /// The logarithm of the ratio of the growing term to the constant, at the x where the term is largest; infinite
    /// without a constant.
    weight: f64,
    /// The logarithm of the growing term at that x, to prevent an overflow.
    largest: f64,
    /// The offset of ln y.
    height: f64,
    /// The sum of squared errors of ln y.
    error: f64,
    /// AICc.
    criterion: f64,
}

impl LawFit {
    fn of(form: LawForm, points: &[(f64, f64)]) -> Option<Self> {
        if !points.iter().all(|(x, _)| form.is_defined(*x)) {
            return None;
        }
        let fit = if form.has_constant() {
            Self::with_constant(form, points)?
        } else {
            Self::without_constant(form, points)?
        };
        fit.criterion.is_finite().then_some(fit)
    }

    fn without_constant(form: LawForm, points: &[(f64, f64)]) -> Option<Self> {
        // ln y = height + rate·(ln x or x); the rest of the form (log log x) is subtracted from ln y.
        let at = |&(x, y): &(f64, f64)| {
            let fixed = form.grown(0.0, x);
            (form.grown(1.0, x) - fixed, y - fixed)
        };
        let slope = line(&points.iter().map(at).collect::<Vec<_>>())?.slope;
        Self::at_rate(form, points, slope, f64::INFINITY)
    }

    fn with_constant(form: LawForm, points: &[(f64, f64)]) -> Option<Self> {
        let (first, last) = (points.first()?.0, points.last()?.0);
        let scale = match form {
            ExponentialAndConstant => 1.0 / (last - first),
            _ => 1.0,
        };
        let weights = || (-4..34).map(|step| 0.5 * f64::from(step));
        let best_of = |rate| {
            let fits = weights().map(|weight| Self::at_rate(form, points, rate, weight));
            let fits = fits.collect::<Option<Vec<_>>>()?;
            fits.into_iter().min_by(Self::by_error)
        };
        let rates: Vec<f64> = (0..40)
            .map(|step| 0.1 * 1.18_f64.powi(step) * scale)
            .collect();
        let bests: Option<Vec<Self>> = rates.into_par_iter().map(best_of).collect();
        let best = bests?.into_iter().min_by(Self::by_error)?;
        Some(best.refined(points))
    }

    fn by_error(&self, other: &Self) -> std::cmp::Ordering {
        self.error.total_cmp(&other.error)
    }

    /// The fit with the best height for a rate and a weight.
    fn at_rate(form: LawForm, points: &[(f64, f64)], rate: f64, weight: f64) -> Option<Self> {
        let grown = points.iter().map(|(x, _)| form.grown(rate, *x));
        let mut fit = Self {
            form,
            rate,
            weight,
            largest: grown.fold(f64::NEG_INFINITY, f64::max),
            height: 0.0,
            error: 0.0,
            criterion: 0.0,
        };
        let left: Vec<f64> = points.iter().map(|(x, y)| y - fit.at(*x)).collect();
        fit.height = mean(&left)?;
        fit.error = left.iter().map(|left| (left - fit.height).powi(2)).sum();
        fit.criterion = criterion(fit.error, points.len(), form.parameters());
        fit.error.is_finite().then_some(fit)
    }

    /// The predicted ln y at x.
    fn at(&self, x: f64) -> f64 {
        let grown = self.form.grown(self.rate, x) - self.largest;
        self.height
            + if self.form.has_constant() {
                // ln(1 + e^(weight + grown)), without overflow.
                let power = self.weight + grown;
                power.max(0.0) + (-power.abs()).exp().ln_1p()
            } else {
                grown
            }
    }

    /// Improves rate and weight by pattern search, with steps that are halved until they are small.
    fn refined(self, points: &[(f64, f64)]) -> Self {
        let mut best = self;
        let (mut rate, mut weight) = (0.1 * best.rate, 0.25);
        while weight > 1e-5 {
            let around = [(rate, 0.0), (-rate, 0.0), (0.0, weight), (0.0, -weight)]
                .into_iter()
                .filter_map(|(right, up)| {
                    let (rate, weight) = (best.rate + right, best.weight + up);
                    Self::at_rate(best.form, points, rate, weight)
                });
            match around.min_by(Self::by_error) {
                Some(next) if next.error < best.error => best = next,
                _ => (rate, weight) = (0.5 * rate, 0.5 * weight),
            }
        }
        best
    }

    /// The rate with its 95 % interval, from fits to resampled residuals.
    fn interval(&self, points: &[(f64, f64)]) -> Estimate {
        let free = points.len() - (self.form.parameters() - 1);
        let widened = (points.len() as f64 / free as f64).sqrt();
        let left: Vec<f64> = points.iter().map(|(x, y)| y - self.at(*x)).collect();
        let mut random = Random::new("growth", points.len() as u64);
        let resampled: Vec<Vec<(f64, f64)>> = (0..RESAMPLES)
            .map(|_| {
                let drawn = |(x, _): &(f64, f64)| {
                    (*x, self.at(*x) + widened * left[random.index(left.len())])
                };
                points.iter().map(drawn).collect()
            })
            .collect();
        let rates: Vec<f64> = resampled
            .into_par_iter()
            .filter_map(|again| {
                let fit = if self.form.has_constant() {
                    Self::at_rate(self.form, &again, self.rate, self.weight)?.refined(&again)
                } else {
                    Self::without_constant(self.form, &again)?
                };
                Some(fit.rate)
            })
            .collect();
        let rates = sorted(&rates);
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
    fn each_law_is_told_from_the_others() {
        let steps = || (1..=12).map(f64::from).collect::<Vec<_>>();
        let cases = [
            (doubling(10, 0.03, |x| 7.0 * x.powf(1.5)), Power, 1.5),
            (
                doubling(10, 0.01, |x| 500.0 + 2.0 * x * x),
                PowerAndConstant,
                2.0,
            ),
            (doubling(12, 0.001, |x| 3.0 * x * x.ln()), PowerLog, 1.0),
            (
                noisy(steps(), 0.03, |x| 9.0 * 2.5_f64.powf(x)),
                Exponential,
                2.5,
            ),
            (
                noisy(steps(), 0.01, |x| 900.0 + 3.0 * 2.0_f64.powf(x)),
                ExponentialAndConstant,
                2.0,
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

    #[test]
    fn a_power_is_preferred_where_a_logarithm_fits_as_well() {
        let large = (0..8).map(|step| 1000.0 * 2.0_f64.powi(step)).collect();
        let law = law(&noisy(large, 0.1, |x| x * x.ln())).expect("a law");
        assert_eq!(law.form, Power);
        assert!(law.words().starts_with("∝ x^1."), "{}", law.words());
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
