//! The contract of ikeru: what a problem, a variant and an answer are.
//!
//! Everything here is small and knows nothing of experiments, clocks on the wall of a harness, files or plots.
//! A solver crate implements [`Problem`]; whatever runs solvers sees it through [`AnyProblem`].
//!
//! | module | owns |
//! |---|---|
//! | [`problem`] | `Problem`, `Variant`, `Solve`, `Generator`: what a solver crate writes |
//! | [`erased`] | `AnyProblem`, `AnyInstance`, `AnySolver`: the same for any problem |
//! | `score_cell` | the score that threads share, where the target has no 64-bit atomics |
//! | [`search`] | what a running variant may touch: incumbent, deadline, counters |
//! | [`setting`] | a declared setting: key, type, default, range, sentence |
//! | [`settings`] | the values given for settings |
//! | [`random`] | the one source of randomness, the same stream for ever |
//! | [`threads`] | the thread pool of a parallel variant |
//! | [`testing`] | the contract as tests over any problem |
//! | [`picture`] | vector pictures of instances and answers, free of any drawing library |
#![forbid(unsafe_code)]

pub mod erased;
pub mod input;
pub mod picture;
pub mod problem;
pub mod random;
#[cfg(any(test, not(target_has_atomic = "64")))]
mod score_cell;
pub mod search;
pub mod setting;
pub mod settings;
pub mod testing;
pub mod threads;
pub mod value;

pub use erased::{
    AnyInstance, AnyProblem, AnySolver, ContentHash, Ended, GeneratorInfo, Judged, VariantInfo,
    erase, variant,
};
pub use input::{InputError, nearest, read_json, unknown};
pub use picture::{Colour, Picture, Shape};
pub use problem::{
    Attempt, Better, BoxedSolve, Check, Checked, Direction, Generator, Lattice, Measure, Member,
    Prepare, Problem, ProblemInfo, Proof, Referee, Refusal, Rejection, Solve, Source, Variant,
    Verified, Wrong,
};
pub use random::Random;
pub use search::{BoundPolicy, Counters, Deadline, Incumbent, Search, Ticker};
pub use setting::{Choice, Setting, SettingInfo, SettingKind};
pub use settings::Settings;
pub use threads::Threads;
pub use value::Value;

/// A score as exact integers; which way is better is the problem's [`Direction`].
pub type Score = i64;
