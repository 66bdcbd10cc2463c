//! The outcomes of a sample: the words of the column `outcome`.

use serde::{Deserialize, Serialize};

ikeru_core::names! {
    /// The outcome of a sample.
    #[derive(PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
    pub enum Outcome {
        /// The variant answered, and the referee confirmed the answer.
        #[default]
        Solved = "solved",
        /// The time limit was reached first.
        Timeout = "timeout",
        /// The memory limit was exceeded.
        OutOfMemory = "out-of-memory",
        /// The variant panicked, or its process ended unexpectedly.
        Crashed = "crashed",
        /// The referee rejected the answer, or another confirmed answer refutes its proof.
        Wrong = "wrong",
        /// The variant ended and says, or its referee says, that it has no answer.
        NoAnswer = "no-answer",
        /// The variant answered, but the referee reached its time limit before it could decide.
        Unchecked = "unchecked",
        /// The variant answered, but a referee outside of the program failed: nobody knows whether the answer is right.
        RefereeFailed = "referee-failed",
        /// The answer and another one contradict each other, and nobody is shown to be wrong. Reports say it; no file does.
        Disputed = "in-dispute",
        /// The sample was not run; `detail` gives the reason.
        Skipped = "skipped",
    }
}

impl Outcome {
    /// The description of the column.
    pub(super) const DOC: &'static str = "how the sample ended: solved, timeout, out-of-memory, crashed, wrong, no-answer (it gave up), unchecked (the referee's time limit passed), referee-failed or skipped";

    /// Returns whether the outcome is a failure of the program, unlike a timeout, a skipped sample, a failed referee or a
    /// dispute.
    pub fn is_serious(self) -> bool {
        match self {
            Self::Solved | Self::Timeout | Self::NoAnswer | Self::Skipped => false,
            Self::RefereeFailed | Self::Disputed => false,
            Self::OutOfMemory | Self::Crashed | Self::Wrong | Self::Unchecked => true,
        }
    }

    /// The word after the number of samples with this outcome, as in `2 crashed`.
    pub fn failure(self) -> &'static str {
        match self {
            Self::OutOfMemory => "out of memory",
            Self::RefereeFailed => "not judged",
            Self::NoAnswer => "without an answer",
            Self::Skipped => "refused",
            other => other.name(),
        }
    }
}
