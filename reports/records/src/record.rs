//! One row of `records.csv` as it is written.

use std::time::Duration;

use ikeru_bench_data::Mode;
use ikeru_core::BoundPolicy;

use super::{Family, Sample};

/// Where samples are taken.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Place {
    /// The machine's name: that of the cluster for it, else the host name.
    pub node: String,
    /// The job of the cluster's scheduler; empty outside one.
    pub job: String,
    /// The task of the job's array; empty outside one.
    pub task: String,
}

/// One sample with all that its row says.
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
    /// How samples share the machine.
    pub mode: Mode,
    /// Whether parallel workers share their best score.
    pub bound_policy: BoundPolicy,
    /// Threads that the variant may use.
    pub threads: u32,
    /// Which repeat of the cell this is, from 0.
    pub repeat: u32,
    /// 0; above it if the sample stands in for the one of the attempt before, which was suspect.
    pub attempt: u32,
    /// Nanoseconds since 1970 when the sample began.
    pub started_ns: Option<u64>,
    /// How long the canary took beside this sample, by its usual time in this run; `None` where no
    /// canary was watched. See [`is_suspect`](super::is_suspect).
    pub canary: Option<f64>,
    /// The session of `run.toml` that took the sample, from 1.
    pub session: u32,
    /// The round of that session, from 0: samples of one round were taken next to each other, in random order.
    /// `None` in contended mode, which has no rounds.
    pub round: Option<u32>,
    /// Where the run's program is; `None` where it is not known.
    pub place: Option<&'a Place>,
    /// MPI processes that searched together; 0 stands for 1.
    pub ranks: u32,
    /// The time limit of one answer.
    pub limit: Option<Duration>,
    /// What came of it.
    pub taken: Sample,
    /// Settings of question and method, parameters of the generator: family, name and value.
    pub settings: Vec<(Family, &'a str, String)>,
}

impl Record<'_> {
    /// The node that took the sample; empty where it is not known.
    pub fn node(&self) -> &str {
        let of_run = || self.place.map_or("", |place| &place.node);
        self.taken.node.as_deref().unwrap_or_else(of_run)
    }
}
