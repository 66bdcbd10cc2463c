//! The referee's part of a sample: its verdict on the last attempt of a solver.

use std::time::Duration;

use ikeru_core::{AnySolver, Checked, Deadline, Ended, Failure, InputError, Refereed, Rejection};
use ikeru_reports::records::{Outcome, Sample};

/// The minimum time limit of the referee.
const REFEREE_LIMIT: Duration = Duration::from_secs(60);

/// The outcome of a sample whose foreign solver gave no answer.
fn failed(failure: &Failure) -> Result<Outcome, InputError> {
    Ok(match failure {
        Failure::Crashed(_) => Outcome::Crashed,
        Failure::OutOfMemory(_) => Outcome::OutOfMemory,
        Failure::Wrong(_) => Outcome::Wrong,
        Failure::Skipped(_) => Outcome::Skipped,
        Failure::NoAnswer(_) => Outcome::NoAnswer,
        Failure::Harness(why) => return Err(InputError::new(why)),
    })
}

/// The referee's verdict on the last attempt, whose answer was limited to `limit`.
///
/// # Errors
/// This program could not ask the solver or its referee, which ends the run.
pub(super) fn judge(solver: &dyn AnySolver, limit: Duration) -> Result<Sample, InputError> {
    let deadline = Deadline::after(limit.max(REFEREE_LIMIT));
    let used = solver.used();
    Ok(Sample {
        table_bytes: solver.table_bytes(),
        answer: solver.text_answer(),
        said: solver.last_words(),
        process_cpu: used.cpu,
        peak_bytes: used.peak_bytes,
        ..verdict(solver, deadline)?
    })
}

/// Refuses a measure that the rows of a run could not hold.
fn with_numbers(checked: Checked) -> Refereed {
    let mut measures = checked.measures.iter();
    match measures.find(|(_, value)| !value.is_finite()) {
        None => Ok(checked),
        Some((name, value)) => Err(Rejection::Broken(format!(
            "its measure `{name}` is {value}, expected a finite number"
        ))),
    }
}

/// The outcome of the last attempt, with the score and the measures that the referee confirms.
fn verdict(solver: &dyn AnySolver, deadline: Deadline) -> Result<Sample, InputError> {
    let (outcome, bound) = match solver.ended() {
        Some(Ended::Timeout { bound }) => (Outcome::Timeout, bound),
        Some(Ended::Failed(failure)) => {
            return Ok(Sample::failed(failed(&failure)?, failure.to_string()));
        }
        _ => (Outcome::Solved, solver.bound()),
    };
    let sample = Sample {
        outcome,
        bound,
        proven: solver.proven(),
        ..Sample::default()
    };
    let with_name = |(name, value): (&'static str, f64)| (name.into(), value);
    let refereed = solver.referee(deadline);
    Ok(match refereed.map(|it| it.and_then(with_numbers)) {
        None => sample,
        Some(Ok(checked)) => Sample {
            score: checked.score,
            measures: checked.measures.into_iter().map(with_name).collect(),
            ..sample
        },
        // A stopped solver without an answer is one that was stopped.
        Some(Err(Rejection::NoAnswer(why))) if outcome == Outcome::Timeout => Sample {
            detail: why,
            ..sample
        },
        Some(Err(rejection)) => Sample {
            outcome: match &rejection {
                Rejection::Wrong(_) => Outcome::Wrong,
                Rejection::NoAnswer(_) => Outcome::NoAnswer,
                Rejection::Timeout => Outcome::Unchecked,
                Rejection::Broken(_) => Outcome::RefereeFailed,
                Rejection::Harness(why) => return Err(InputError::new(why)),
            },
            detail: rejection.to_string(),
            ..sample
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_measure_that_is_no_number_is_a_fault_of_the_referee() {
        let checked = |value| Checked {
            score: Some(1),
            measures: vec![("length", 2.0), ("excess", value)],
        };
        assert!(with_numbers(checked(0.5)).is_ok());
        for value in [f64::INFINITY, f64::NAN] {
            let why = with_numbers(checked(value)).expect_err("no number");
            assert!(
                matches!(&why, Rejection::Broken(why) if why.contains("`excess`")),
                "{why}"
            );
        }
    }
}
