//! The result of one measured run of a cell.

use std::borrow::Cow;
use std::time::Duration;

use ikeru_core::{ContentHash, Rise};
use serde::{Deserialize, Serialize};

use super::Outcome;

/// One measured run of a cell. A worker of another build may know fewer fields: missing fields get their defaults.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Sample {
    /// The outcome.
    pub outcome: Outcome,
    /// True if the run did not take the sample; false if the variant refused or the sample was taken.
    pub is_unasked: bool,
    /// Why it was skipped, wrong or crashed, or why its process was ended.
    pub detail: String,
    /// True if the answer is claimed to be proven: all such answers to one question must agree.
    pub proven: bool,
    /// The score that the referee confirmed.
    pub score: Option<i64>,
    /// The best score that a variant had reported before its process was ended; no referee saw it.
    pub claimed: Option<i64>,
    /// No answer can be better than this.
    pub bound: Option<i64>,
    /// Time of the whole batch.
    pub batch: Option<Duration>,
    /// CPU time of the whole batch; `None` if it would include other work.
    pub cpu: Option<Duration>,
    /// The number of answers in the batch.
    pub iterations: u64,
    /// Time of the preparation.
    pub prepare: Option<Duration>,
    /// Time of the first answer after the preparation, if a batch followed it.
    pub first: Option<Duration>,
    /// Bytes that the preparation keeps.
    pub table_bytes: u64,
    /// The peak memory of the process that took it, in bytes; `None` in the run's own process.
    pub peak_bytes: Option<u64>,
    /// The core on which it ended.
    pub core: Option<u32>,
    /// The rises of the last answer's incumbent, if they are logged.
    pub rises: Vec<Rise>,
    /// The node that took it, if it differs from the run's node.
    pub node: Option<String>,
    /// The last answer's counters.
    pub counters: Vec<(Cow<'static, str>, u64)>,
    /// The referee's measures of the last answer.
    pub measures: Vec<(Cow<'static, str>, f64)>,
    /// The text of the last answer, if it is one that is kept.
    pub answer: Option<String>,
    /// The end of standard error of a solver's process that failed.
    pub said: Option<String>,
    /// CPU time of the solver's own processes; `None` for a variant in this program.
    pub process_cpu: Option<Duration>,
}

impl Sample {
    /// A sample that ended without an answer; `detail` is the reason.
    pub fn failed(outcome: Outcome, detail: impl Into<String>) -> Self {
        Self {
            outcome,
            detail: detail.into(),
            ..Self::default()
        }
    }

    /// A sample that the run does not take; `why` is the reason.
    pub fn unasked(why: impl Into<String>) -> Self {
        Self {
            is_unasked: true,
            ..Self::failed(Outcome::Skipped, why)
        }
    }

    /// The name of the file that keeps the answer: its hash.
    pub fn answer_hash(&self) -> Option<String> {
        let answer = self.answer.as_ref()?;
        Some(ContentHash::of(&[answer.as_bytes()]).to_string())
    }

    /// `time` divided by the number of answers, in nanoseconds, rounded to a thousandth.
    pub fn each(&self, time: Option<Duration>) -> Option<f64> {
        let nanoseconds = time?.as_nanos();
        let iterations = u128::from(self.iterations.max(1));
        if iterations == 1 {
            return Some(nanoseconds as f64);
        }
        Some(((nanoseconds * 1000 + iterations / 2) / iterations) as f64 / 1000.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_that_was_not_taken_says_why() {
        let failed = Sample::failed(Outcome::Crashed, "why");
        assert_eq!(
            (failed.outcome, failed.is_unasked),
            (Outcome::Crashed, false)
        );
        let unasked = Sample::unasked("why");
        assert_eq!(
            (unasked.outcome, unasked.is_unasked),
            (Outcome::Skipped, true)
        );
        assert_eq!([failed.detail, unasked.detail], ["why"; 2]);
    }

    #[test]
    fn times_of_one_answer_are_exact_to_a_thousandth() {
        let each = |nanoseconds, iterations| {
            let sample = Sample {
                iterations,
                ..Sample::default()
            };
            sample.each(Some(Duration::from_nanos(nanoseconds)))
        };
        assert_eq!(each(1000, 3), Some(333.333));
        assert_eq!(each(2000, 3), Some(666.667));
        assert_eq!(each(76, 1), Some(76.0));
        assert_eq!(each(1, 16), Some(0.063), "rounded to the nearest");
        assert_eq!(each(5, 0), Some(5.0));
        assert_eq!(each(1 << 60, 1), Some((1_u64 << 60) as f64));
    }
}
