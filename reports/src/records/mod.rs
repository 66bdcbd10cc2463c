//! `records.csv`: one row per sample, the only thing that a run and a report share besides `run.toml`.
//!
//! Fixed columns first, then one column per setting, generator parameter, counter and measure that
//! the run's plan knows, each with its prefix. An absent value is an empty field.

mod columns;
mod outcome;
mod reader;

pub use columns::{ADDED, Columns, FIXED, Kept, SCHEMA, kept};
pub use outcome::Outcome;
pub use reader::Reader;

/// A sample is suspect if the canary beside it took longer than its usual time by more than this
/// factor, or less by as much: then the machine was not the one that the other samples saw.
pub const CANARY_LIMIT: f64 = 1.1;

/// Whether a canary of this ratio makes its sample suspect.
#[must_use]
pub fn is_suspect(canary: f64) -> bool {
    !(1.0 / CANARY_LIMIT..=CANARY_LIMIT).contains(&canary)
}

/// One sample as it is written: a value for every column.
///
/// `batch_ns` and `iterations` are what was measured. `wall_ns` and `cpu_ns` are quotients by `iterations`, rounded to
/// a thousandth of a nanosecond.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Record<'a> {
    /// The experiment's name.
    pub experiment: &'a str,
    /// The sample's identity: the hash of instance bytes, variant and version, settings, policy,
    /// threads, mode and repeat. Never of an order.
    pub sample: String,
    /// The cell's identity: as `sample`, without the repeat.
    pub cell: String,
    /// The problem's word.
    pub problem: &'a str,
    /// What the instance is called: generator with parameters, or the file's name.
    pub instance: &'a str,
    /// The content hash of the instance.
    pub instance_hash: String,
    /// The identity of instance and question: equal for all variants that answer the same.
    pub question: String,
    /// The instance's size in the problem's natural unit.
    pub size: u64,
    /// The generator's name, or `file`.
    pub generator: &'a str,
    /// The generator's seed; `None` for a file.
    pub seed: Option<u64>,
    /// The variant's word.
    pub variant: &'a str,
    /// The variant's version.
    pub variant_version: u32,
    /// What the variant is called in tables and plots.
    pub label: &'a str,
    /// Whether the answer is claimed to be proven: solved by an exact variant, no setting against it.
    pub exact: bool,
    /// Which repeat of the cell this is, from 0.
    pub repeat: u32,
    /// 0; above it if the sample stands in for the one of the attempt before, which was suspect.
    pub attempt: u32,
    /// `isolated` or `contended`.
    pub mode: &'a str,
    /// `private` or `shared`.
    pub bound_policy: &'a str,
    /// Threads that the variant might use.
    pub threads: u32,
    /// `solved`, `timeout`, `out-of-memory`, `crashed`, `wrong` or `skipped`.
    pub outcome: &'a str,
    /// Why it was skipped, wrong or crashed, or stopped by force; empty if solved.
    pub detail: String,
    /// The score that the referee confirmed; `None` where there is none.
    pub score: Option<i64>,
    /// The best score that a variant had reported before it was stopped by force; no referee saw it.
    pub claimed: Option<i64>,
    /// No answer can be better than this, where a timeout knows it.
    pub bound: Option<i64>,
    /// Nanoseconds of one answer, `batch_ns / iterations`; `None` if no answer was timed.
    pub wall_ns: Option<f64>,
    /// CPU nanoseconds of one answer, over all threads of the process, where readable.
    pub cpu_ns: Option<f64>,
    /// Raw nanoseconds of the whole sample.
    pub batch_ns: Option<u64>,
    /// Answers in the sample.
    pub iterations: u64,
    /// Nanoseconds of the variant's preparation for the instance.
    pub prepare_ns: Option<u64>,
    /// Bytes that the preparation keeps.
    pub table_bytes: u64,
    /// Nanoseconds since 1970 when the sample began.
    pub started_ns: u64,
    /// How long the canary took beside this sample, by its usual time in this run; `None` where no
    /// canary was watched. See [`is_suspect`].
    pub canary: Option<f64>,
    /// The session of `run.toml` that took the sample, from 1.
    pub session: u32,
    /// The round of that session, from 0: samples of one round were taken next to each other, in random order.
    /// `None` in contended mode, which has no rounds.
    pub round: Option<u32>,
    /// `setting_*`, `param_*`, `counter_*` and `measure_*`: prefix, name and value.
    pub extra: Vec<(&'static str, &'a str, String)>,
}
