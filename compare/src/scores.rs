//! Differences of the scores of two sides on the same questions.

use std::collections::BTreeMap;

use ikeru_core::{Direction, Score};

use crate::paired::mean_difference;

/// The relative difference of a pair of scores, positive if `own` is better.
pub fn difference(direction: Direction, own: Option<Score>, base: Option<Score>) -> f64 {
    with_failures(own, base, |own, base| {
        // As integers: `f64` does not distinguish all scores above 2⁵³.
        let (own, base) = (i128::from(own), i128::from(base));
        let size = own.abs().max(base.abs()).max(1) as f64;
        let better = match direction {
            Direction::Minimize => base - own,
            Direction::Maximize => own - base,
            // Two different answers contradict each other: each of them is worse than an equal one.
            Direction::Equal => -(own - base).abs(),
        };
        // Scores on both sides of zero are farther apart than the larger one: no answer is worse than a failure.
        (better as f64 / size).clamp(-1.0, 1.0)
    })
}

/// The difference of two samples that may have failed: a failure is worse than any value.
fn with_failures<T>(own: Option<T>, base: Option<T>, difference: impl Fn(T, T) -> f64) -> f64 {
    match (own, base) {
        (Some(own), Some(base)) => difference(own, base),
        (own, base) => f64::from(i8::from(own.is_some()) - i8::from(base.is_some())),
    }
}

/// The differences of two sides, by question.
#[derive(Debug, Clone, Default)]
pub struct ScoreDifferences<Q> {
    questions: BTreeMap<Q, Vec<f64>>,
    has_score: bool,
}

impl<Q: Ord> ScoreDifferences<Q> {
    /// Adds the mean difference of each sample of `own` and each of `base`, which answer the question in one way;
    /// `difference` is that of a value of `own` and one of `base`.
    pub fn add<T: Copy>(
        &mut self,
        question: Q,
        [base, own]: [&[Option<T>]; 2],
        difference: impl Fn(T, T) -> f64,
    ) {
        let mut each = Vec::new();
        for own in own {
            each.extend(
                base.iter()
                    .map(|base| with_failures(*own, *base, &difference)),
            );
        }
        self.has_score |= base.iter().chain(own).any(Option::is_some);
        if let Some(mean) = mean_difference(&each) {
            self.questions.entry(question).or_default().push(mean);
        }
    }

    /// The mean difference of each question. There is none of sides without any score: they are not equally good.
    pub fn means(self) -> impl Iterator<Item = (Q, f64)> {
        let questions = Some(self.questions).filter(|_| self.has_score);
        let all = questions.unwrap_or_default().into_iter();
        all.filter_map(|(question, ways)| Some((question, mean_difference(&ways)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_relative_to_the_larger_score() {
        use Direction::{Equal, Maximize, Minimize};
        for (direction, own, base, expected) in [
            (Equal, Some(5), Some(10), -0.5),
            (Equal, Some(10), Some(5), -0.5),
            (Equal, Some(5), Some(5), 0.0),
            (Maximize, Some(110), Some(100), 10.0 / 110.0),
            (Minimize, Some(110), Some(100), -10.0 / 110.0),
            (Maximize, Some(0), Some(0), 0.0),
            (Maximize, Some(-5), Some(5), -1.0),
            (Minimize, Some(-5), Some(10), 1.0),
            (Maximize, None, Some(5), -1.0),
            (Minimize, Some(5), None, 1.0),
            (Maximize, None, None, 0.0),
            (Maximize, Some(1 << 60 | 1), Some(1 << 60), 0.5_f64.powi(60)),
        ] {
            let found = difference(direction, own, base);
            assert!(
                (found - expected).abs() <= 1e-12 * expected.abs(),
                "{own:?} {base:?}: {found}"
            );
        }
    }

    #[test]
    fn sides_without_any_score_are_not_equal() {
        let of = |later: Option<f64>| {
            let mut all = ScoreDifferences::default();
            let by = |own: f64, base: f64| (own - base) / 4.0;
            for question in 0..3 {
                all.add(question, [&[None, None], &[None]], by);
            }
            all.add(2, [&[later], &[later.map(|it| it + 2.0)]], by);
            all.means().collect::<Vec<_>>()
        };
        assert_eq!(of(None), []);
        assert_eq!(of(Some(2.0)), [(0, 0.0), (1, 0.0), (2, 0.25)]);
    }
}
