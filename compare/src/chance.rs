//! Fisher's test of failures, and the F test of groups.

use ikeru_statistics::mean;
use statrs::distribution::{ContinuousCDF, DiscreteCDF, FisherSnedecor, Hypergeometric};

/// Fisher's exact test, one-sided: the probability that the second side has at least `failed[1]` of the failures if
/// all of the `of[0] + of[1]` samples are equally likely to fail.
pub fn fails_more(failed: [usize; 2], of: [usize; 2]) -> f64 {
    let (all, failures) = ((of[0] + of[1]) as u64, (failed[0] + failed[1]) as u64);
    let Ok(chance) = Hypergeometric::new(all, failures, of[1] as u64) else {
        return 1.0;
    };
    match failed[1] as u64 {
        0 => 1.0,
        most => chance.sf(most - 1),
    }
}

/// The probability that the means of groups differ at least as much if all values are draws of one distribution: the F test of a
/// one-way layout. `None` without a group of several values, or with one group.
pub fn one_way(groups: &[Vec<f64>]) -> Option<f64> {
    let all: Vec<f64> = groups.iter().flatten().copied().collect();
    let filled = groups.iter().filter(|group| !group.is_empty()).count();
    let between_freedom = filled.checked_sub(1).filter(|freedom| *freedom > 0)? as f64;
    let within_freedom = all
        .len()
        .checked_sub(filled)
        .filter(|freedom| *freedom > 0)? as f64;
    let grand = mean(&all)?;
    let (mut between, mut within) = (0.0, 0.0);
    for group in groups {
        let Some(mean) = mean(group) else {
            continue;
        };
        between += group.len() as f64 * (mean - grand).powi(2);
        within += group
            .iter()
            .map(|value| (value - mean).powi(2))
            .sum::<f64>();
    }
    if within <= 0.0 {
        return Some(if between > 0.0 { 0.0 } else { 1.0 });
    }
    let f = between / between_freedom / (within / within_freedom);
    let distribution = FisherSnedecor::new(between_freedom, within_freedom).ok()?;
    Some(distribution.sf(f))
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
    fn failures_are_compared_by_fishers_exact_test() {
        // All five failures on one of two sides of ten: C(10, 5) / C(20, 5).
        close(fails_more([0, 5], [10, 10]), 252.0 / 15_504.0, 1e-12);
        // Three or four of four failures among six of fourteen samples: (20 · 8 + 15) / 1001.
        close(fails_more([1, 3], [8, 6]), 175.0 / 1_001.0, 1e-12);
        assert_eq!(fails_more([2, 0], [10, 10]), 1.0);
    }

    #[test]
    fn groups_that_differ_are_found_and_others_not() {
        // F is 21 with 2 and 6 degrees of freedom, for which p is (1 + 2 · 21 / 6)⁻³.
        let groups = [
            vec![1.0, 2.0, 3.0],
            vec![2.0, 3.0, 4.0],
            vec![6.0, 7.0, 8.0],
        ];
        let p = one_way(&groups).expect("a test");
        assert!((p - 8.0_f64.powi(-3)).abs() < 1e-9, "{p}");
        assert_eq!(one_way(&[vec![1.0], vec![2.0]]), None);
        assert_eq!(one_way(&[vec![1.0, 2.0]]), None);
    }
}
