//! The contract of ikeru: what a problem, a variant and an answer are.
//!
//! This crate does not know of experiments, measurements, result files or plots. A solver crate implements
//! [`Problem`]; a program that runs solvers uses [`AnyProblem`].
//!
//! # Adding a problem
//!
//! 1. A type without fields implements [`Problem`]: its names and tables ([`ProblemInfo`]), and the functions that read
//!    and write an instance, score an answer, and write and read the answer as JSON.
//! 2. Each solver is a [`Variant`] in [`Problem::VARIANTS`]. Its `prepare` does the work that is done once per instance
//!    and returns a closure that answers: [`Attempt::proven`] if no answer can be better, else [`Attempt::unproven`].
//!    The closure checks [`Search::deadline`] through a [`Ticker`], reports better scores to [`Search::incumbent`], and
//!    adds to [`Search::counters`].
//! 3. Each [`Generator`] makes an instance from [`Settings`] and a [`Random`].
//! 4. A [`Referee`] checks an answer from its witness, with code that no variant shares. A function can be a referee
//!    ([`Check`]).
//! 5. [`erase`] registers the problem: `ikeru::main_with(vec![erase::<Mine>()])`.
//! 6. [`testing::violations`] tests all clauses of the contract.
//!
//! `examples/own-problem` of the repository is a complete crate of this kind; `docs/your-crate.md` explains it.
//!
//! # Modules
//!
//! | module | owns |
//! |---|---|
//! | [`problem`] | `Problem`, `Variant`, `Solve`, `Generator`: implemented by a solver crate |
//! | `score`, `attempt` | the value of an answer; the outcomes of a solver, a referee and a preparation |
//! | [`erased`] | `AnyProblem`, `AnyInstance`, `AnySolver`: the same without the types of a problem |
//! | `info` | descriptions of variants and generators without their types |
//! | [`outside`] | `Outside`: a solver in another process, which answers in JSON |
//! | `claims` | the comparison of an answer's claims with its witness |
//! | [`input`] | errors in input that a person wrote |
//! | `declare` | `settings!`, `choices!`, `measures!`: tables with one row a line |
//! | `content_hash` | the hash that identifies instances, cells and samples |
//! | `score_cell` | the score shared by threads on targets without 64-bit atomics |
//! | [`search`] | the state that a running variant shares with its caller: incumbent, deadline, counters |
//! | [`setting`] | a declared setting: key, type, default, range, sentence |
//! | [`mod@settings`] | the values given for settings |
//! | [`value`] | one value of a setting |
//! | [`random`] | the only source of randomness; a seed always gives the same stream |
//! | [`threads`] | the thread pool of a parallel variant, and numbers that workers take in turn |
//! | [`testing`] | the contract as tests over any problem |
//! | [`picture`] | vector pictures of instances and answers, independent of any drawing library |
#![forbid(unsafe_code)]

mod attempt;
mod claims;
mod content_hash;
mod declare;
pub mod erased;
mod info;
pub mod input;
pub mod outside;
pub mod picture;
pub mod problem;
pub mod random;
mod score;
#[cfg(any(test, not(target_has_atomic = "64")))]
mod score_cell;
pub mod search;
pub mod setting;
pub mod settings;
#[doc(hidden)]
pub mod sync;
pub mod testing;
pub mod threads;
pub mod value;

pub use attempt::{Attempt, Checked, Proof, Refereed, Refusal, Rejection, Wrong};
pub use content_hash::ContentHash;
pub use erased::{AnyInstance, AnyProblem, AnySolver, Ended, Judged, erase, variant};
pub use info::{GeneratorInfo, VariantInfo};
pub use input::{InputError, distance, in_plain_words, nearest, read_json, shell_quoted, unknown};
pub use outside::{Failure, Outside, ProcessUse};
pub use picture::{Colour, Picture, Shape};
pub use problem::{
    BoxedSolve, Check, Extras, Generator, Measure, OURS, Open, Prepare, Prepared, Problem,
    ProblemInfo, Referee, Solve, Variant, Verified,
};
pub use random::Random;
pub use score::{Better, Direction, Score};
pub use search::{BoundPolicy, Counters, Deadline, Incumbent, Rise, Search, Ticker};
pub use setting::{Choice, Setting, SettingInfo, SettingKind};
pub use settings::Settings;
pub use threads::Threads;
pub use value::Value;
