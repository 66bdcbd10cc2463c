//! One row of `records.csv` as it is written.

use std::time::Duration;

use ikeru_bench_data::Mode;
use ikeru_core::BoundPolicy;

use super::{Family, Sample};

/// The machine and the cluster job that take samples.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Place {
    /// The machine's name in the cluster, or else its host name.
    pub node: String,
    /// The job of the cluster's scheduler; empty outside one.
    pub job: String,
    /// The task of the job's array; empty outside one.
    pub task: String,
}

/// One sample with all values of its row.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Record<'a> {
    /// The experiment's name.
    pub experiment: &'a str,
    /// The sample's identity: the hash of cell, repeat and attempt. It does not depend on the order of the samples.
    pub sample: String,
    /// The cell's identity: the hash of instance, question, variant with version and settings, bound policy, threads
    /// and mode.
    pub cell: String,
    /// The problem's name.
    pub problem: &'a str,
    /// The instance's name: the generator with its parameters, or the file's name.
    pub instance: &'a str,
    /// The content hash of the instance.
    pub instance_hash: String,
    /// The identity of instance and question: equal for all variants that answer the same question.
    pub question: String,
    /// The instance's size in the problem's natural unit.
    pub size: u64,
    /// The generator's name, or `file`.
    pub generator: &'a str,
    /// The generator's seed; `None` for a file.
    pub seed: Option<u64>,
    /// The variant's name.
    pub variant: &'a str,
    /// The variant's version.
    pub variant_version: u32,
    /// The variant's name in tables and plots.
    pub label: &'a str,
    /// The mode, i.e. how samples share the machine.
    pub mode: Mode,
    /// The bound policy: `Shared` if parallel workers share their best score.
    pub bound_policy: BoundPolicy,
    /// The number of threads that the variant may use.
    pub threads: u32,
    /// The number of the repeat of the cell, from 0.
    pub repeat: u32,
    /// The number of the attempt; above 0 if the sample replaces that of the previous attempt.
    pub attempt: u32,
    /// The start of the sample in nanoseconds since 1970-01-01 UTC.
    pub started_ns: Option<u64>,
    /// The time of this sample's canary divided by its usual time in this run; `None` if no canary ran. See
    /// [`is_suspect`](super::is_suspect).
    pub canary: Option<f64>,
    /// The session of `run.toml` that took the sample, from 1.
    pub session: u32,
    /// The round of that session, from 0: the samples of a round were taken one after the other, in random order.
    /// `None` in contended mode, which has no rounds.
    pub round: Option<u32>,
    /// The machine and job of the run's program; `None` if unknown.
    pub place: Option<&'a Place>,
    /// The time limit of one answer.
    pub limit: Option<Duration>,
    /// The measured sample.
    pub taken: Sample,
    /// Settings of question and method, parameters of the generator: family, name and value.
    pub settings: Vec<(Family, &'a str, String)>,
}

impl Record<'_> {
    /// The node that took the sample; empty if unknown.
    pub fn node(&self) -> &str {
        let of_run = || self.place.map_or("", |place| &place.node);
        self.taken.node.as_deref().unwrap_or_else(of_run)
    }
}
