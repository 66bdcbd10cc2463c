//! The sample of a search, from those of its ranks.

use std::cmp::Reverse;
use std::time::Duration;

use ikeru_core::{Direction, Score};
use ikeru_reports::records::{Outcome, Sample};

/// The order of outcomes from best to worst. The outcome of a search is the worst of its ranks.
fn badness(outcome: Outcome) -> usize {
    let order = [
        Outcome::Solved,
        Outcome::Timeout,
        Outcome::Skipped,
        Outcome::Unchecked,
        Outcome::RefereeFailed,
        Outcome::OutOfMemory,
        Outcome::Crashed,
        Outcome::Wrong,
    ];
    let place = order.iter().position(|known| *known == outcome);
    place.unwrap_or(order.len())
}

/// The best answer of all ranks, with the sums of their counters. It is proven if every rank searched its whole part
/// or knows that the part has no better answer. `took` is the time of the search, `relayed` the number of messages by
/// which rises were relayed.
pub(super) fn united(
    samples: Vec<Sample>,
    direction: Direction,
    took: Duration,
    relayed: u64,
) -> Sample {
    let outcomes = samples.iter().map(|sample| sample.outcome);
    let worst = outcomes.max_by_key(|outcome| badness(*outcome));
    let bound = bound(&samples, direction);
    let scores = samples.iter().filter_map(|sample| sample.score);
    let reached = match direction {
        Direction::Minimize => scores.min().zip(bound).map(|(best, bound)| best <= bound),
        _ => scores.max().zip(bound).map(|(best, bound)| best >= bound),
    };
    let is_closed = worst == Some(Outcome::Timeout) && reached == Some(true);
    let (outcome, bound) = match is_closed {
        true => (Outcome::Solved, None),
        false => (worst.unwrap_or_default(), bound),
    };
    let of_part = |sample: &Sample| sample.proven || sample.outcome == Outcome::Timeout;
    let proven = match is_closed {
        true => samples.iter().all(of_part),
        false => samples.iter().all(|sample| sample.proven),
    };
    let mut counters = Vec::new();
    for (name, amount) in samples.iter().flat_map(|sample| &sample.counters) {
        match counters.iter_mut().find(|(known, _)| known == name) {
            Some((_, sum)) => *sum += amount,
            None => counters.push((name.clone(), *amount)),
        }
    }
    counters.push(("bounds_relayed".into(), relayed));
    let table_bytes = samples.iter().map(|sample| sample.table_bytes).sum();
    let peak_bytes = samples.iter().filter_map(|sample| sample.peak_bytes).max();
    let prepare = samples.iter().filter_map(|sample| sample.prepare).max();
    // The details are those of the worst failed rank, or else of the rank with the best answer.
    let rank = |sample: &Sample| {
        let score = sample.score.map(|score| match direction {
            Direction::Minimize => score.saturating_neg(),
            _ => score,
        });
        let failed = Some(badness(sample.outcome));
        (failed.filter(|own| *own > badness(Outcome::Timeout)), score)
    };
    let samples = samples.into_iter();
    let first = samples.min_by_key(|sample| Reverse(rank(sample)));
    Sample {
        outcome,
        proven,
        bound,
        batch: Some(took).filter(|_| badness(outcome) <= badness(Outcome::Timeout)),
        cpu: None,
        iterations: 1,
        prepare,
        table_bytes,
        peak_bytes,
        core: None,
        // The clocks of the ranks differ, so rises cannot be merged.
        rises: Vec::new(),
        counters,
        ..first.unwrap_or_default()
    }
}

/// The bound of the search: no answer can be better. The bound of a rank that solved its part is the score of its
/// answer. `None` if every rank solved its part, or if a rank has no bound.
fn bound(samples: &[Sample], direction: Direction) -> Option<Score> {
    let is_solved = |sample: &Sample| sample.outcome == Outcome::Solved;
    if samples.iter().all(is_solved) {
        return None;
    }
    let of = |sample: &Sample| match sample.outcome {
        Outcome::Solved => sample.score,
        _ => sample.bound,
    };
    let bounds: Option<Vec<Score>> = samples.iter().map(of).collect();
    let bounds = bounds?.into_iter();
    match direction {
        Direction::Minimize => bounds.min(),
        _ => bounds.max(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(outcome: Outcome, score: Option<Score>, nodes: u64) -> Sample {
        Sample {
            outcome,
            score,
            proven: outcome == Outcome::Solved,
            bound: Some(50).filter(|_| outcome == Outcome::Timeout),
            batch: Some(Duration::from_secs(1)),
            counters: vec![("nodes".into(), nodes)],
            ..Sample::default()
        }
    }

    fn of(samples: Vec<Sample>) -> Sample {
        united(samples, Direction::Maximize, Duration::from_secs(3), 4)
    }

    #[test]
    fn the_best_answer_stands_for_all_and_work_adds_up() {
        let all = of(vec![
            sample(Outcome::Solved, Some(5), 10),
            sample(Outcome::Solved, Some(9), 20),
            sample(Outcome::Solved, Some(7), 30),
        ]);
        assert_eq!(
            (all.outcome, all.score, all.proven),
            (Outcome::Solved, Some(9), true)
        );
        assert_eq!((all.batch, all.bound), (Some(Duration::from_secs(3)), None));
        assert_eq!(
            all.counters,
            [("nodes".into(), 60), ("bounds_relayed".into(), 4)]
        );
        let bounded = |best| Sample {
            bound: Some(best),
            ..sample(Outcome::Timeout, None, 20)
        };
        // The second rank received the score 9 and found no better one.
        let told = of(vec![sample(Outcome::Solved, Some(9), 10), bounded(9)]);
        assert_eq!(
            (told.outcome, told.score, told.proven, told.bound),
            (Outcome::Solved, Some(9), true, None)
        );
        let open = of(vec![sample(Outcome::Solved, Some(9), 10), bounded(10)]);
        assert_eq!(
            (open.outcome, open.score, open.proven, open.bound),
            (Outcome::Timeout, Some(9), false, Some(10))
        );
        let nobody = of(vec![bounded(9), bounded(9)]);
        assert_eq!((nobody.outcome, nobody.proven), (Outcome::Timeout, false));
        let least = [5, 9]
            .map(|score| sample(Outcome::Solved, Some(score), 1))
            .to_vec();
        let least = united(least, Direction::Minimize, Duration::ZERO, 0);
        assert_eq!(least.score, Some(5));
    }

    #[test]
    fn a_rank_that_was_stopped_or_failed_decides_for_all() {
        let stopped = of(vec![
            sample(Outcome::Solved, Some(9), 1),
            sample(Outcome::Timeout, Some(5), 1),
        ]);
        assert_eq!(
            (stopped.outcome, stopped.score, stopped.proven),
            (Outcome::Timeout, Some(9), false)
        );
        assert_eq!(stopped.bound, Some(50));
        let wrong = Sample {
            detail: "why".to_owned(),
            ..sample(Outcome::Wrong, None, 1)
        };
        let failed = of(vec![sample(Outcome::Solved, Some(9), 1), wrong]);
        assert_eq!(
            (failed.outcome, failed.detail.as_str(), failed.batch),
            (Outcome::Wrong, "why", None)
        );
    }
}
