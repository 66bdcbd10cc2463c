//! The types and traits that a solver crate implements: a problem, its variants, its generators, its referee.

mod extras;

use serde_json::Value as Json;

pub use self::extras::{Extras, Open};

use crate::{
    Attempt, Better, Deadline, Direction, InputError, Picture, Random, Refereed, Refusal, Score,
    Search, SettingInfo, Settings,
};

/// The description of a problem without its types.
#[derive(Debug, Clone, Copy)]
pub struct ProblemInfo {
    /// The word on the command line: `reach`.
    pub name: &'static str,
    /// One sentence.
    pub about: &'static str,
    /// Which way a score is better.
    pub direction: Direction,
    /// The settings of the question, e.g. `steps`.
    pub settings: &'static [SettingInfo],
    /// Every counter that a variant may add to, in the order of their columns.
    pub counters: &'static [Measure],
    /// Every value that the referee measures besides the score, in the order of their columns.
    pub measures: &'static [Measure],
    /// Words for plots and tables in place of columns whose names are not clear enough, and the unit of `size`:
    /// `("counter_expansions", "expanded cells")`, `("size", "vertices")`. `("warning_left_out", "rows left out")` is the
    /// warning at the end of a run where the measure `left_out` of an instance is not 0.
    pub words: &'static [(&'static str, &'static str)],
    /// The measure that counts the questions of an instance, if an instance may hold several.
    pub batch: Option<&'static str>,
}

/// A question that variants answer and a referee checks.
///
/// An *instance* is one input together with its question: `read` and a generator make one whose
/// question has the defaults, [`ask`](Problem::ask) asks another question about the same input.
pub trait Problem: Sized + Sync + 'static {
    /// The problem's names and tables.
    const INFO: ProblemInfo;
    /// Every variant, naive first: of a `static`, because what a constant names is compiled again in each crate that reads it.
    const VARIANTS: &'static [Variant<Self>];
    /// Every generator of instances.
    const GENERATORS: &'static [Generator<Self>];
    /// The functions that few problems replace, for example to record a search.
    const EXTRAS: Extras<Self> = Extras::NONE;
    /// One input with its question. [`ask`](Problem::ask) makes another one from it, so large parts belong in an `Arc`.
    type Instance: Send + Sync + 'static;
    /// An answer with its witness.
    type Answer: Clone + PartialEq + Send + 'static;
    /// The type that checks answers; [`Check`] if it prepares nothing.
    type Referee: Referee<Self>;

    /// The variant that `solve` uses by default: the best exact variant for `instance`.
    fn default_variant(instance: &Self::Instance) -> &'static str;

    /// Reads an instance from a file's text. Never panics and never takes memory that the text does
    /// not justify.
    ///
    /// # Errors
    /// Names the line and what was expected.
    fn read(text: &str) -> Result<Self::Instance, InputError>;
    /// Writes an instance so that `read` returns it. The instance's hash is computed from this text, which leaves out
    /// the settings of the question that the file format does not have.
    fn write(instance: &Self::Instance) -> String;
    /// The same input with another question: settings not given stay as they were.
    ///
    /// # Errors
    /// When a setting does not fit this instance. Unknown names were refused before.
    fn ask(instance: &Self::Instance, settings: &Settings) -> Result<Self::Instance, InputError>;
    /// How large an instance is, in the problem's natural unit (vertices, edges, pieces).
    fn size(instance: &Self::Instance) -> u64;

    /// The referee of `instance`. It is made once per instance and checks the answers of all variants, so that it
    /// can keep computed values. Expensive work belongs in its first check, which has a deadline.
    fn referee(instance: &Self::Instance) -> Self::Referee;
    /// The score that a variant claims for its answer; `None` for the answer that there is none (no path exists).
    fn score(answer: &Self::Answer) -> Option<Score>;
    /// The answer for `solve --json`, including its witness and its claims.
    fn answer_json(instance: &Self::Instance, answer: &Self::Answer) -> Json;
    /// Reads an answer as [`answer_json`](Problem::answer_json) writes it; keys without a claim may be missing. Only
    /// the referee decides whether the answer is right. The values of the other keys are then compared with those
    /// that `answer_json` writes.
    ///
    /// # Errors
    /// Names the key and what was expected.
    fn read_answer(instance: &Self::Instance, answer: &Json) -> Result<Self::Answer, InputError>;
    /// The answer for a person: a few lines of text.
    fn answer_text(instance: &Self::Instance, answer: &Self::Answer) -> String;
    /// Pictures of the instance with its answer: none, one, or the frames of a step-by-step view.
    fn pictures(_instance: &Self::Instance, _answer: &Self::Answer) -> Vec<Picture> {
        Vec::new()
    }
}

/// Checks the answers to one instance from their witnesses, with code that no variant shares.
pub trait Referee<P: Problem>: Send + Sync {
    /// Checks `answer`, an answer to the instance for which the referee was made, until `deadline`.
    ///
    /// # Errors
    /// [`Rejection::Wrong`](crate::Rejection::Wrong) says what was claimed and what is true; [`Rejection::Timeout`](crate::Rejection::Timeout) that the
    /// deadline passed before the answer was decided.
    fn check(&self, instance: &P::Instance, answer: &P::Answer, deadline: Deadline) -> Refereed;
}

/// A referee that prepares nothing is a function.
pub type Check<P> = fn(&<P as Problem>::Instance, &<P as Problem>::Answer, Deadline) -> Refereed;

impl<P, F> Referee<P> for F
where
    P: Problem,
    F: Fn(&P::Instance, &P::Answer, Deadline) -> Refereed + Send + Sync,
{
    fn check(&self, instance: &P::Instance, answer: &P::Answer, deadline: Deadline) -> Refereed {
        self(instance, answer, deadline)
    }
}

/// One solver of a problem.
#[derive(Debug)]
pub struct Variant<P: Problem> {
    /// The word on the command line: `memo`.
    pub name: &'static str,
    /// One sentence: the idea.
    pub about: &'static str,
    /// The origin of the idea: an article with its section, a paper with authors, year and title, or [`OURS`].
    pub source: &'static str,
    /// True if its solved answers are [`Proven`](crate::Proof::Proven) when its settings keep their defaults.
    pub exact: bool,
    /// Raised by hand whenever times or counters may have changed; part of a sample's identity.
    pub version: u32,
    /// Settings of the method, e.g. `width` of a beam.
    pub settings: &'static [SettingInfo],
    /// The work that is done once per instance. It is timed separately from the answer and has a separate
    /// deadline. A variant that cannot take this instance returns a [`Refusal`].
    pub prepare: Prepare<P>,
}

/// The function that prepares a variant for one instance, with the method's settings, until a deadline.
pub type Prepare<P> =
    for<'a> fn(&'a <P as Problem>::Instance, &Settings, Deadline) -> Prepared<'a, P>;

/// The result of preparing a variant for one instance.
pub type Prepared<'a, P> = Result<BoxedSolve<'a, P>, Refusal>;

/// A prepared solver of any kind, borrowing its instance.
pub type BoxedSolve<'a, P> = Box<dyn Solve<P> + Send + 'a>;

/// A prepared solver. It may answer many times and keeps its allocated memory between the answers.
pub trait Solve<P: Problem> {
    /// Answers once. The counters and the incumbent of `search` are empty.
    fn solve(&mut self, search: &mut Search) -> Attempt<P::Answer>;
    /// Bytes of the tables that the preparation keeps or that each answer fills; 0 if they are negligible.
    fn table_bytes(&self) -> u64 {
        0
    }
}

/// A closure is a solver that keeps no memory.
impl<P: Problem, F: FnMut(&mut Search) -> Attempt<P::Answer>> Solve<P> for F {
    fn solve(&mut self, search: &mut Search) -> Attempt<P::Answer> {
        self(search)
    }
}

/// The source of a variant whose idea was found while building this project.
pub const OURS: &str = "this project";

/// A named generator of instances. A seed always gives the same instance; a golden test checks it.
#[derive(Debug)]
pub struct Generator<P: Problem> {
    /// `problem.kind`: `reach.spanning-grid`.
    pub name: &'static str,
    /// One sentence.
    pub about: &'static str,
    /// Its parameters, e.g. `vertices`.
    pub parameters: &'static [SettingInfo],
    /// Makes the instance; `Random` is already seeded and named after the generator.
    pub generate: fn(&Settings, &mut Random) -> Result<P::Instance, InputError>,
}

/// A named column of whole or decimal numbers: a counter or a referee's measure.
#[derive(Debug, Clone, Copy)]
pub struct Measure {
    /// Lower case with underscores; becomes the column `counter_NAME` or `measure_NAME`.
    pub name: &'static str,
    /// One sentence with the unit.
    pub about: &'static str,
    /// Which way it is better.
    pub better: Better,
}

impl Measure {
    /// A measure whose lower values are better: times, work, moves.
    pub const fn lower(name: &'static str, about: &'static str) -> Self {
        Self::new(name, about, Better::Lower)
    }

    /// A measure whose higher values are better: chains, attack, games won.
    pub const fn higher(name: &'static str, about: &'static str) -> Self {
        Self::new(name, about, Better::Higher)
    }

    /// A measure that describes an answer and does not judge it.
    pub const fn neither(name: &'static str, about: &'static str) -> Self {
        Self::new(name, about, Better::Neither)
    }

    const fn new(name: &'static str, about: &'static str, better: Better) -> Self {
        Self {
            name,
            about,
            better,
        }
    }
}
