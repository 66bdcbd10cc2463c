//! How long runs last when some were stopped before they ended (censored on the right).
//!
//! A run is `(time, ended)`; one that was stopped at its limit has `ended = false`: it lasts longer,
//! nobody knows how long.

use super::Estimate;
use super::interval::normal_quantile;

/// One time at which runs ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// When.
    pub time: f64,
    /// Kaplan–Meier's estimate (1958) of the share still running after it.
    pub running: f64,
    /// Runs not yet ended or stopped before it.
    pub at_risk: usize,
    /// Runs that ended at it.
    pub ended: usize,
}

/// Kaplan–Meier's curve: a step for each time at which runs ended, ascending. A run stopped at the
/// very time of an end counts as still running then.
#[must_use]
pub fn kaplan_meier(runs: &[(f64, bool)]) -> Vec<Step> {
    let mut runs = runs.to_vec();
    runs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut steps = Vec::new();
    let mut running = 1.0;
    let mut at_risk = runs.len();
    for at_once in runs.chunk_by(|a, b| a.0 == b.0) {
        let ended = at_once.iter().filter(|run| run.1).count();
        if ended > 0 {
            running *= 1.0 - ended as f64 / at_risk as f64;
            steps.push(Step {
                time: at_once[0].0,
                running,
                at_risk,
                ended,
            });
        }
        at_risk -= at_once.len();
    }
    steps
}

/// The restricted mean: how long a run lasts on average within `horizon`, the area under
/// Kaplan–Meier's curve up to there; with Greenwood's 95 % interval. `None` of nothing.
#[must_use]
pub fn restricted_mean(runs: &[(f64, bool)], horizon: f64) -> Option<Estimate> {
    if runs.is_empty() {
        return None;
    }
    let mut steps = kaplan_meier(runs);
    steps.retain(|step| step.time < horizon);
    // From the right: the area from each step to the horizon, and what it adds to the variance.
    let (mut until, mut area, mut variance) = (horizon, 0.0, 0.0);
    for step in steps.iter().rev() {
        area += step.running * (until - step.time);
        until = step.time;
        let left = (step.at_risk - step.ended) as f64;
        if left > 0.0 {
            variance += area * area * step.ended as f64 / (step.at_risk as f64 * left);
        }
    }
    let mean = area + until;
    let half = normal_quantile(0.975) * f64::sqrt(variance);
    Some(Estimate::within(
        (mean - half).max(0.0),
        mean,
        (mean + half).min(horizon),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Weeks of remission with and without maintenance in acute myelogenous leukaemia (Miller 1981,
    /// "Survival Analysis", p. 49), the data set `aml` of R's package survival.
    fn remissions(maintained: bool) -> Vec<(f64, bool)> {
        let weeks: &[(f64, bool)] = if maintained {
            &[
                (9.0, true),
                (13.0, true),
                (13.0, false),
                (18.0, true),
                (23.0, true),
                (28.0, false),
                (31.0, true),
                (34.0, true),
                (45.0, false),
                (48.0, true),
                (161.0, false),
            ]
        } else {
            &[
                (5.0, true),
                (5.0, true),
                (8.0, true),
                (8.0, true),
                (12.0, true),
                (16.0, false),
                (23.0, true),
                (27.0, true),
                (30.0, true),
                (33.0, true),
                (43.0, true),
                (45.0, true),
            ]
        };
        weeks.iter().rev().copied().collect()
    }

    #[test]
    fn the_curve_is_the_published_one() {
        let running = |maintained| -> Vec<f64> {
            let steps = kaplan_meier(&remissions(maintained));
            steps
                .iter()
                .map(|step| (step.running * 1e4).round() / 1e4)
                .collect()
        };
        let maintained = [0.9091, 0.8182, 0.7159, 0.6136, 0.4909, 0.3682, 0.1841];
        assert_eq!(running(true), maintained);
        let not = [
            0.8333, 0.6667, 0.5833, 0.4861, 0.3889, 0.2917, 0.1944, 0.0972, 0.0,
        ];
        assert_eq!(running(false), not);
    }

    #[test]
    fn restricted_means_are_those_of_r() {
        // print(survfit(Surv(time, status) ~ x, aml), rmean = 161): 52.6 (19.83); rmean = 45: 22.7 (4.18).
        for (maintained, horizon, mean, error) in [
            (true, 161.0, 52.645_45, 19.828_60),
            (false, 45.0, 22.708_33, 4.180_94),
        ] {
            let found = restricted_mean(&remissions(maintained), horizon).expect("runs");
            assert!((found.value - mean).abs() < 1e-4, "{found:?}");
            let low = found.interval.expect("scatter").low;
            let half = (found.value - low) / normal_quantile(0.975);
            assert!((half - error).abs() < 1e-4, "{half}");
        }
    }

    #[test]
    fn without_stopped_runs_it_is_the_mean_and_without_ends_the_horizon() {
        let all = [(1.0, true), (2.0, true), (6.0, true)];
        assert_eq!(
            restricted_mean(&all, 10.0).map(|mean| mean.value),
            Some(3.0)
        );
        let none = [(10.0, false); 3];
        assert_eq!(restricted_mean(&none, 10.0), Some(Estimate::exact(10.0)));
        assert_eq!(restricted_mean(&[], 10.0), None);
    }
}
