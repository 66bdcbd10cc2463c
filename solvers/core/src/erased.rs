//! Type-erased problems, so that a runner needs no type of any solver crate.
//!
//! [`erase`] registers a [`Problem`](crate::Problem) as a `&'static dyn` [`AnyProblem`]. An `AnyProblem` makes an
//! `AnyInstance`, which makes an `AnySolver`. A solver keeps its last attempt, so that a tight timing loop costs one
//! virtual call and no allocation per answer. `held` implements the three over the types of a problem.

mod held;

use serde_json::Value as Json;

pub use self::held::{erase, variant};
use crate::{
    Attempt, ContentHash, Deadline, Direction, Failure, GeneratorInfo, InputError, Measure,
    Outside, Picture, ProblemInfo, ProcessUse, Refereed, Refusal, Score, Search, SettingInfo,
    Settings, VariantInfo,
};

/// A problem without its types.
pub trait AnyProblem: Sync {
    /// The problem's names and tables.
    fn info(&self) -> &'static ProblemInfo;
    /// See [`Problem::VARIANTS`](crate::Problem::VARIANTS); naive first.
    fn variants(&self) -> Vec<VariantInfo>;
    /// See [`Problem::GENERATORS`](crate::Problem::GENERATORS).
    fn generators(&self) -> Vec<GeneratorInfo>;
    /// See [`Problem::read`](crate::Problem::read).
    ///
    /// # Errors
    /// Names the line and what was expected.
    fn read(&self, text: &str) -> Result<Box<dyn AnyInstance>, InputError>;
    /// See [`Extras::read_with`](crate::Extras::read_with).
    ///
    /// # Errors
    /// Names the line and what was expected, or the file that cannot be opened.
    fn read_with(
        &self,
        text: &str,
        _open: &dyn Fn(&str) -> std::io::Result<String>,
    ) -> Result<Box<dyn AnyInstance>, InputError> {
        self.read(text)
    }
    /// The content of the files that `settings` name: part of a sample's identity.
    fn content(&self, settings: &Settings) -> String;
    /// Makes the instance of a seed.
    ///
    /// # Errors
    /// An unknown generator or parameter, or a parameter outside its range.
    fn generate(
        &self,
        generator: &str,
        parameters: &Settings,
        seed: u64,
    ) -> Result<Box<dyn AnyInstance>, InputError>;

    /// The word on the command line.
    fn name(&self) -> &'static str {
        self.info().name
    }
    /// Which way a score is better.
    fn direction(&self) -> Direction {
        self.info().direction
    }
    /// The settings of the question.
    fn settings(&self) -> &'static [SettingInfo] {
        self.info().settings
    }
    /// Every counter of its variants.
    fn counters(&self) -> &'static [Measure] {
        self.info().counters
    }
    /// Every measure of its referee.
    fn measures(&self) -> &'static [Measure] {
        self.info().measures
    }

    /// The variant called `name`.
    ///
    /// # Errors
    /// An unknown name, with the nearest known one.
    fn variant(&self, name: &str) -> Result<VariantInfo, InputError>;
}

/// An instance with its question, without its type.
pub trait AnyInstance: Send + Sync {
    /// The instance's file text.
    fn text(&self) -> String;
    /// The content of the file that a foreign solver reads: it may be more than text, and has only the asked part.
    fn bytes(&self) -> Vec<u8> {
        self.text().into_bytes()
    }
    /// The identity of the instance: the hash of the problem's name and of [`text`](AnyInstance::text).
    fn hash(&self) -> ContentHash;
    /// See [`Problem::size`](crate::Problem::size).
    fn size(&self) -> u64;
    /// The features that the generator's command printed; they become columns like its parameters.
    fn features(&self) -> Settings {
        Settings::new()
    }
    /// See [`Problem::default_variant`](crate::Problem::default_variant).
    fn default_variant(&self) -> &'static str;
    /// The same input with another question.
    ///
    /// # Errors
    /// When a setting does not fit this instance.
    fn ask(&self, settings: &Settings) -> Result<Box<dyn AnyInstance>, InputError>;
    /// See [`Extras::recorded`](crate::Extras::recorded).
    fn recorded(&self, _variant: &str, _settings: &Settings) -> Vec<Picture> {
        Vec::new()
    }
    /// Reads an answer of this instance from JSON and lets the referee check it by `deadline`.
    ///
    /// # Errors
    /// When the JSON is not an answer to this problem: names the key and what was expected.
    fn judge(&self, answer: &Json, deadline: Deadline) -> Result<Judged, InputError>;
    /// A solver of the variant, prepared for this instance by `deadline`.
    ///
    /// # Errors
    /// An unknown variant or a setting that does not fit; or the variant cannot take this instance;
    /// or the deadline passed.
    fn prepare<'a>(
        &'a self,
        variant: &str,
        settings: &Settings,
        deadline: Deadline,
    ) -> Result<Box<dyn AnySolver + 'a>, Refusal>;
    /// A solver whose attempts come from `outside`. The problem reads its answers and the referee checks them.
    fn answered_by<'a>(&'a self, outside: Box<dyn Outside + 'a>) -> Box<dyn AnySolver + 'a>;
}

/// An answer read from JSON, with the referee's verdict.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// The answer that was read, written as JSON again.
    pub answer: Json,
    /// The referee's verdict; [`Rejection::Wrong`](crate::Rejection::Wrong) also if a claim of the answer does not follow from its witness.
    pub verdict: Refereed,
}

/// The end of a solver's last attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// The attempt is complete. [`AnySolver::proven`] returns whether the answer is claimed to be proven.
    Solved,
    /// The deadline passed first, or the memory that the variant allows itself was full.
    Timeout {
        /// No answer can be better than this; `None` if no bound is known.
        bound: Option<Score>,
    },
    /// A solver outside of this program gave no answer that could be read.
    Failed(Failure),
}

impl Ended {
    /// The end of an attempt.
    pub fn of<A>(attempt: &Result<Attempt<A>, Failure>) -> Self {
        match attempt {
            Ok(Attempt::Solved { .. }) => Self::Solved,
            Ok(Attempt::Timeout { bound, .. }) => Self::Timeout { bound: *bound },
            Err(failure) => Self::Failed(failure.clone()),
        }
    }
}

/// A prepared solver without its types. The methods after `solve` are about its last attempt.
pub trait AnySolver: Send {
    /// Answers once; the attempt replaces the previous one.
    fn solve(&mut self, search: &mut Search);
    /// The end of the last attempt; `None` before the first attempt.
    fn ended(&self) -> Option<Ended>;
    /// The referee's verdict on the last answer, reached by `deadline`; `None` if there is no answer.
    fn referee(&self, deadline: Deadline) -> Option<Refereed>;
    /// Returns whether the last attempt is solved and its answer is claimed to be proven.
    fn proven(&self) -> bool;
    /// The score that the variant claims for its last answer.
    fn claimed(&self) -> Option<Score> {
        None
    }
    /// The last answer as JSON; `None` if there is none.
    fn answer_json(&self) -> Option<Json>;
    /// The last answer for a person.
    fn answer_text(&self) -> Option<String>;
    /// Pictures of the last answer.
    fn pictures(&self) -> Vec<Picture> {
        Vec::new()
    }
    /// See [`Solve::table_bytes`](crate::Solve::table_bytes); 0 for a solver outside of this program.
    fn table_bytes(&self) -> u64 {
        0
    }
    /// The last answer, if any text may be one: such answers are kept.
    fn text_answer(&self) -> Option<String> {
        None
    }
    /// See [`Outside::bound`].
    fn bound(&self) -> Option<Score> {
        None
    }
    /// See [`Outside::last_words`].
    fn last_words(&self) -> Option<String> {
        None
    }
    /// See [`Outside::used`].
    fn used(&self) -> ProcessUse {
        ProcessUse::default()
    }
}
