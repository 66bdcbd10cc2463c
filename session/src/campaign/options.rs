//! The options of a campaign and of one of its sessions.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::path::PathBuf;
use std::time::Duration;

use ikeru_bench_data::Overrides;

use super::retry::Retry;
use crate::plan::Selection;

/// The options of a campaign: which samples are taken, and the properties of one session.
#[derive(Debug, Clone, Default)]
pub struct CampaignOptions {
    /// Replacements in every experiment.
    pub overrides: Overrides,
    /// The part of it that runs.
    pub choice: Selection,
    /// Worker threads in contended mode; all cores by default.
    pub jobs: Option<NonZero<usize>>,
    /// The properties of this session.
    pub session: SessionOptions,
}

/// The properties of one session of a campaign.
#[derive(Debug, Clone, Default)]
pub struct SessionOptions {
    /// The run folder; by default a new one in `results`.
    pub out: Option<PathBuf>,
    /// Resumes the run in `out`.
    pub resume: bool,
    /// Resumes a run of another machine, compiler or program.
    pub force: bool,
    /// The samples of an earlier session that are taken again.
    pub retry: Option<Retry>,
    /// A remark on the session.
    pub comment: String,
    /// The number of times that the rows may be judged while samples beyond the plan are taken; 0 without such samples.
    /// With them, experiments that are marked `later` are not part of the first pass.
    pub looks: u32,
    /// The maximum time to wait for a run folder that another program writes into.
    pub patience: Duration,
    /// Reasons known in advance why the times of this session are doubtful.
    pub doubts: Vec<String>,
    /// The command of each experiment, by its name, that `--cell` follows to measure one of its cells again.
    pub again: BTreeMap<String, String>,
    /// Shows no progress.
    pub quiet: bool,
}

impl SessionOptions {
    /// The options of a measurement into the folder `out` that shows no progress.
    pub fn quiet(out: Option<PathBuf>) -> Self {
        Self {
            out,
            quiet: true,
            ..Self::default()
        }
    }
}
