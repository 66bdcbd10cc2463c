//! The contract of ikeru: what a problem, a variant and an answer are.
//!
//! Everything here is small and knows nothing of experiments, clocks on the wall of a harness, files or plots.
//! A solver crate implements [`Problem`]; a program that runs solvers uses [`AnyProblem`].
//!
//! # A problem of one's own
//!
//! 1. A type without fields implements [`Problem`]: words and tables ([`ProblemInfo`]), how an instance is read and
//!    written, how an answer is scored, written as JSON and read from it.
//! 2. Each solver is a [`Variant`] in [`Problem::VARIANTS`]. Its `prepare` does what is done once per instance and
//!    returns a closure that answers: [`Attempt::proven`] where no answer can be better, else [`Attempt::unproven`].
//!    It asks [`Search::deadline`] through a [`Ticker`], reports better scores to [`Search::incumbent`], and adds
//!    [`Counters`].
//! 3. Each [`Generator`] makes an instance of [`Settings`] and a [`Random`].
//! 4. A [`Referee`] checks an answer from its witness, with code that no variant shares; a function is one ([`Check`]).
//! 5. [`erase`] registers it: `ikeru::main_with(vec![erase::<Mine>()])`.
//! 6. [`testing::violations`] is a test of all clauses of the contract.
//!
//! `examples/own-problem` of the repository is a whole crate of this kind, and `docs/your-problem.md` walks through it.
//!
//! # Modules
//!
//! | module | owns |
//! |---|---|
//! | [`problem`] | `Problem`, `Variant`, `Solve`, `Generator`: what a solver crate writes |
//! | [`erased`] | `AnyProblem`, `AnyInstance`, `AnySolver`: the same for any problem |
//! | `info` | variants and generators without their types |
//! | [`outside`] | `Outside`: a solver in another process, which answers in JSON |
//! | `declare` | `settings!`, `choices!`, `measures!`: tables, one line a row |
//! | `content_hash` | the identity of content |
//! | `score_cell` | the score that threads share, where the target has no 64-bit atomics |
//! | [`search`] | what a running variant may touch: incumbent, deadline, counters |
//! | [`setting`] | a declared setting: key, type, default, range, sentence |
//! | [`mod@settings`] | the values given for settings |
//! | [`random`] | the one source of randomness, the same stream for ever |
//! | [`team`] | processes that search together for one answer |
//! | [`threads`] | the thread pool of a parallel variant |
//! | [`testing`] | the contract as tests over any problem |
//! | [`picture`] | vector pictures of instances and answers, free of any drawing library |
#![forbid(unsafe_code)]

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
#[cfg(any(test, not(target_has_atomic = "64")))]
mod score_cell;
pub mod search;
pub mod setting;
pub mod settings;
pub mod team;
pub mod testing;
pub mod threads;
pub mod value;

pub use content_hash::ContentHash;
pub use erased::{AnyInstance, AnyProblem, AnySolver, Ended, Judged, erase, variant};
pub use info::{GeneratorInfo, VariantInfo};
pub use input::{InputError, nearest, read_json, unknown};
pub use outside::{Failure, Outside};
pub use picture::{Colour, Picture, Shape};
pub use problem::{
    Attempt, Better, BoxedSolve, Check, Checked, Direction, Generator, Lattice, LatticeMember,
    Measure, OURS, Prepare, Problem, ProblemInfo, Proof, Referee, Refusal, Rejection, Solve,
    Variant, Verified, Wrong,
};
pub use random::Random;
pub use search::{BoundPolicy, Counters, Deadline, Incumbent, Rise, Search, Ticker};
pub use setting::{Choice, Setting, SettingInfo, SettingKind};
pub use settings::Settings;
pub use team::Team;
pub use threads::Threads;
pub use value::Value;

/// A score as exact integers; which way is better is the problem's [`Direction`].
pub type Score = i64;
