//! Further samples until nothing is open or the time is over: `--until-decided`, and `reproduce`.
//!
//! One loop looks at the rows, asks an [`Undecided`] which samples would decide what is open, and takes them. The rows are all that a
//! look knows of the looks before, so that a resumed session goes on.
//!
//! | module | what is open | what is added |
//! |---|---|---|
//! | [`times`] | variants against the baseline, instance by instance | rounds of the baseline and the open variants |
//! | [`scores`] | variants against the baseline | instances of further seeds |
//! | [`figures`] | published figures and the claims of a text | instances of further seeds, or repeats of the only instance |

pub mod figures;
pub mod scores;
pub mod times;

use std::collections::HashMap;
use std::time::{Duration, Instant};

use anyhow::Result;
use ikeru_bench_data::Experiment;
use ikeru_reports::Rows;
use ikeru_reports::report::read;
use ikeru_reports::run_file::RunFile;

use crate::campaign::{Campaign, OpenSession};
use crate::execute::PerStage;
use crate::interrupt::Interrupted;
use crate::plan::Stage;

/// The seconds of samples between two looks, if what is open needs no more.
const STEP: f64 = 2.0;

/// A source of further samples: it knows what is open in a run, and which samples would decide it.
pub trait Undecided {
    /// The next samples; none if no sample that the time allows can decide anything.
    ///
    /// # Errors
    /// Instances that cannot be made; the samples so far are reported nevertheless.
    fn next(&mut self, look: &RunSoFar) -> Result<Vec<Addition>>;

    /// Refuses a campaign in which nothing of this kind can be decided.
    ///
    /// # Errors
    /// Such a campaign.
    fn check(&self, _campaign: &Campaign) -> Result<()> {
        Ok(())
    }

    /// The doubt in the run file about a session whose number of samples was not fixed.
    fn doubt(&self) -> Option<&'static str> {
        None
    }

    /// The number of looks among which the level is divided; 0 if the decisions are valid at every moment.
    fn looks(&self) -> u32 {
        0
    }

    /// A sentence for each comparison that stays open although there was time.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
}

/// The samples of a stage that are added.
pub struct Addition {
    /// The cells with their repeats.
    pub stage: Stage,
    /// The number of times that they multiply the instances of the experiment.
    pub times: u32,
    /// The text of the progress bar: it names what is open.
    pub why: String,
}

/// The run as it is at a look.
pub struct RunSoFar<'l, 's> {
    /// The session that takes the samples.
    pub session: &'l OpenSession<'s, PerStage>,
    /// The run file.
    pub run: RunFile,
    /// The experiments of the folder.
    pub experiments: Vec<Experiment>,
    /// The rows.
    pub rows: Rows,
    /// The time of the run.
    pub budget: Duration,
    /// The beginning of that time.
    pub began: Instant,
}

impl RunSoFar<'_, '_> {
    /// The seconds that are left.
    pub fn left(&self) -> f64 {
        let left = self.budget.saturating_sub(self.began.elapsed());
        left.as_secs_f64()
    }

    /// The stage of the session's plan with the samples of an experiment.
    pub fn planned(&self, experiment: &str) -> Option<&Stage> {
        let mut stages = self.session.campaign.plan.stages.iter();
        stages.find(|stage| stage.experiment == experiment)
    }

    /// The rows of each cell of an experiment.
    pub fn cells(&self, experiment: &str) -> HashMap<String, Vec<u32>> {
        let own = self.rows.with("experiment", experiment);
        self.rows.group("cell", &own).into_iter().collect()
    }
}

/// The mean time of the samples in `rows`, in seconds.
fn mean_seconds(rows: &Rows, own: &[u32]) -> f64 {
    let times = rows.numbers("batch_ns", own);
    times.iter().sum::<f64>() / times.len().max(1) as f64 / 1e9
}

/// Takes samples until nothing is open.
pub struct Until {
    /// The source.
    pub open: Box<dyn Undecided>,
    budget: Duration,
    began: Option<Instant>,
    /// Why further instances could not be made.
    pub failed: Option<anyhow::Error>,
}

impl Until {
    /// Further samples for `open` in the time `budget`, from now on or from the end of the first pass.
    pub fn new(open: Box<dyn Undecided>, budget: Duration, is_from_now: bool) -> Self {
        Self {
            open,
            budget,
            began: is_from_now.then(Instant::now),
            failed: None,
        }
    }

    /// Looks and takes samples in turn.
    ///
    /// # Errors
    /// A run folder that cannot be read or written, or an interruption.
    pub fn take(&mut self, session: &mut OpenSession<PerStage>) -> Result<()> {
        let began = *self.began.get_or_insert_with(Instant::now);
        loop {
            let (run, experiments, rows) = read(&session.folder)?;
            let next = self.open.next(&RunSoFar {
                session,
                run,
                experiments,
                rows,
                budget: self.budget,
                began,
            });
            let additions = match next {
                // The samples so far are worth a report.
                Err(error) if !error.is::<Interrupted>() => {
                    self.failed = Some(error);
                    return Ok(());
                }
                next => next?,
            };
            if additions.is_empty() {
                return Ok(());
            }
            for Addition { stage, times, why } in additions {
                if began.elapsed() >= self.budget {
                    return Ok(());
                }
                session.conditions.progress.message(&format!("{why} "));
                session.note_draw(&stage.experiment, times)?;
                session.take_stage(&stage)?;
            }
        }
    }
}
