//! Whether two samples differ, and summaries over many instances: pure functions of numbers.

use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

use super::{mean, sorted};

/// A test's outcome.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Test {
    /// The statistic: t of Welch, U of Mann–Whitney, W of Wilcoxon.
    pub statistic: f64,
    /// The two-sided p value.
    pub p: f64,
}

/// Variance with n − 1.
fn variance(values: &[f64], mean: f64) -> f64 {
    values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (values.len() as f64 - 1.0)
}

/// Welch's t-test (1947) of unequal variances; `None` with fewer than two values on a side or no
/// variance at all.
#[must_use]
pub fn welch(a: &[f64], b: &[f64]) -> Option<Test> {
    if a.len() < 2 || b.len() < 2 {
        return None;
    }
    let (mean_a, mean_b) = (mean(a)?, mean(b)?);
    let (n, m) = (a.len() as f64, b.len() as f64);
    let (va, vb) = (variance(a, mean_a) / n, variance(b, mean_b) / m);
    let spread = va + vb;
    if spread <= 0.0 {
        return None;
    }
    let t = (mean_a - mean_b) / spread.sqrt();
    let freedom = spread.powi(2) / (va.powi(2) / (n - 1.0) + vb.powi(2) / (m - 1.0));
    let p = 2.0 * StudentsT::new(0.0, 1.0, freedom).ok()?.sf(t.abs());
    Some(Test { statistic: t, p })
}

/// Ranks from 1, ties at their mean, and Σ(t³ − t) over groups of t ties.
fn ranks(values: &[f64]) -> (Vec<f64>, f64) {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    let mut ranks = vec![0.0; values.len()];
    let mut ties = 0.0;
    let mut start = 0;
    for group in order.chunk_by(|a, b| values[*a] == values[*b]) {
        let count = group.len() as f64;
        for place in group {
            ranks[*place] = start as f64 + f64::midpoint(count, 1.0);
        }
        ties += count.powi(3) - count;
        start += group.len();
    }
    (ranks, ties)
}

/// Mann–Whitney's U (1947) of `a`, normal limit with corrections for ties and continuity; `None`
/// of an empty side or where all values are equal.
#[must_use]
pub fn mann_whitney(a: &[f64], b: &[f64]) -> Option<Test> {
    let (n, m) = (a.len() as f64, b.len() as f64);
    let all = [a, b].concat();
    let (ranks, ties) = ranks(&all);
    let u = ranks[..a.len()].iter().sum::<f64>() - n * (n + 1.0) / 2.0;
    let total = n + m;
    let spread = n * m / 12.0 * (total + 1.0 - ties / (total * (total - 1.0)));
    limit(u, n * m / 2.0, spread)
}

/// Wilcoxon's signed-rank test (1945) of paired values, differences of 0 left out; the statistic
/// is the sum of positive ranks. `None` where no pair differs.
#[must_use]
pub fn wilcoxon(pairs: &[(f64, f64)]) -> Option<Test> {
    let differences = pairs.iter().map(|(a, b)| a - b);
    let differences: Vec<f64> = differences.filter(|d| *d != 0.0).collect();
    let sizes: Vec<f64> = differences.iter().map(|d| d.abs()).collect();
    let (ranks, ties) = ranks(&sizes);
    let positive = differences.iter().zip(&ranks).filter(|(d, _)| **d > 0.0);
    let w: f64 = positive.map(|(_, rank)| rank).sum();
    let n = differences.len() as f64;
    let spread = n * (n + 1.0) * (2.0 * n + 1.0) / 24.0 - ties / 48.0;
    limit(w, n * (n + 1.0) / 4.0, spread)
}

fn limit(statistic: f64, expected: f64, variance: f64) -> Option<Test> {
    if variance.is_nan() || variance <= 0.0 {
        return None;
    }
    let z = ((statistic - expected).abs() - 0.5).max(0.0) / variance.sqrt();
    let p = 2.0 * Normal::standard().sf(z);
    Some(Test { statistic, p })
}

/// Holm's step-down correction (1979) of several p values, in their order.
#[must_use]
pub fn holm(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|a, b| p[*a].total_cmp(&p[*b]));
    let mut corrected = vec![0.0; p.len()];
    let mut least = 0.0_f64;
    for (at, place) in order.into_iter().enumerate() {
        least = least.max(p[place] * (p.len() - at) as f64).min(1.0);
        corrected[place] = least;
    }
    corrected
}

/// The geometric mean of positive values; `None` of nothing or of a value that is not positive.
#[must_use]
pub fn geometric_mean(values: &[f64]) -> Option<f64> {
    let logs: Option<Vec<f64>> = values
        .iter()
        .map(|value| (*value > 0.0).then(|| value.ln()))
        .collect();
    mean(&logs?).map(f64::exp)
}

/// PAR-2: the mean time where a run without an answer (`None`) counts twice the limit.
#[must_use]
pub fn par2(times: &[Option<f64>], limit: f64) -> Option<f64> {
    let times: Vec<f64> = times
        .iter()
        .map(|time| time.unwrap_or(2.0 * limit))
        .collect();
    mean(&times)
}

/// Kaplan–Meier's estimate (1958): after each time of an end, the share still running. `(time,
/// ended)`; a stopped run has `ended = false`.
#[must_use]
pub fn kaplan_meier(runs: &[(f64, bool)]) -> Vec<(f64, f64)> {
    let ends: Vec<f64> = runs.iter().filter(|run| run.1).map(|run| run.0).collect();
    let mut steps = sorted(&ends);
    steps.dedup();
    let mut running = 1.0;
    steps
        .into_iter()
        .map(|time| {
            let at_risk = runs.iter().filter(|run| run.0 >= time).count() as f64;
            let ended = runs.iter().filter(|run| run.1 && run.0 == time).count() as f64;
            running *= 1.0 - ended / at_risk;
            (time, running)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64, within: f64) {
        assert!(
            (found - expected).abs() < within,
            "{found} is not {expected}"
        );
    }

    #[test]
    fn welch_by_hand() {
        // Means 3 and 6, variances 2.5 and 10: t = −3/√2.5, 2.5² / (0.25/4 + 4/4) = 100/17 degrees.
        let a = [1.0, 2.0, 3.0, 4.0, 5.0];
        let b = [2.0, 4.0, 6.0, 8.0, 10.0];
        let test = welch(&a, &b).expect("a test");
        close(test.statistic, -1.897_366_6, 1e-6);
        close(test.p, 0.107_531, 1e-3);
        assert_eq!(welch(&a[..1], &b), None);
        assert_eq!(welch(&[1.0, 1.0], &[1.0, 1.0]), None);
    }

    #[test]
    fn rank_tests_by_hand() {
        // U = 0 of 25: z = (12.5 − 0.5) / √(25·11/12) = 2.5067.
        let test = mann_whitney(&[1.0, 2.0, 3.0, 4.0, 5.0], &[6.0, 7.0, 8.0, 9.0, 10.0]);
        let test = test.expect("a test");
        close(test.statistic, 0.0, 1e-12);
        close(test.p, 0.012_186, 1e-5);
        assert_eq!(mann_whitney(&[1.0; 3], &[1.0; 3]), None);
        // Five positive differences: W = 15, z = (7.5 − 0.5) / √13.75 = 1.8878.
        let pairs = [(2.0, 1.0), (4.0, 2.0), (6.0, 3.0), (8.0, 4.0), (10.0, 5.0)];
        let test = wilcoxon(&pairs).expect("a test");
        close(test.statistic, 15.0, 1e-12);
        close(test.p, 0.059_06, 1e-4);
        assert_eq!(wilcoxon(&[(1.0, 1.0)]), None);
    }

    #[test]
    fn corrections_and_means() {
        let holm = holm(&[0.01, 0.04, 0.03]);
        close(holm[0], 0.03, 1e-12);
        close(holm[1], 0.06, 1e-12);
        close(holm[2], 0.06, 1e-12);
        close(geometric_mean(&[1.0, 4.0]).expect("positive"), 2.0, 1e-12);
        assert_eq!(geometric_mean(&[0.0]), None);
        assert_eq!(par2(&[Some(1.0), None], 10.0), Some(10.5));
    }

    #[test]
    fn stopped_runs_leave_without_ending() {
        let runs = [(1.0, true), (2.0, false), (3.0, true), (4.0, false)];
        assert_eq!(kaplan_meier(&runs), [(1.0, 0.75), (3.0, 0.375)]);
    }
}
