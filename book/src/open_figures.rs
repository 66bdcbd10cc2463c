//! The published figures of a run that are still open, and the expected cost of deciding each of them.

use ikeru_bench_data::Experiment;
use ikeru_bench_data::published::{Claims, Filter};
use ikeru_records::Result;
use ikeru_records::run_file::RunFile;

use crate::figures;
use crate::verdicts::{JudgedFigure, StoredKind, Verdict, rows_of};
use ikeru_records::rows::Rows;

use crate::evidence::Lacking;

/// A figure that more samples may decide.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenFigure {
    /// Its identifier.
    pub id: String,
    /// The experiment that measures it.
    pub experiment: String,
    /// The selections of its rows: a row belongs to the figure if at least one filter selects it.
    pub filters: Vec<Filter>,
    /// The sample size: the number of instances, or of the samples of a single instance.
    pub sampled: usize,
    /// The number of instances of its rows.
    pub instances: usize,
    /// The distance of its sample from a decision; `None` without a sample, or if a witness is sought.
    pub lacking: Option<Lacking>,
    /// The measuring time of its sample in seconds.
    pub seconds: f64,
    /// True if it is the figure with which its source's story begins.
    pub is_headline: bool,
}

/// For a figure with fewer than [`FEW`] values, the cost of a decision is at most [`OF_FEW`] times that of its
/// sample, if so much time is left: so few values predict the necessary sample size badly.
const FEW: usize = 10;
const OF_FEW: f64 = 4.0;

impl OpenFigure {
    /// The expected cost of its decision in seconds, if another sample of the same size takes `seconds`, and `left`
    /// seconds remain.
    pub fn cost(&self, seconds: f64, left: f64) -> f64 {
        let most = 1.0 + left / seconds.max(1e-9);
        let times = self.lacking.map_or(1.0, |lacking| lacking.cost(most));
        let is_short = self.sampled < FEW && seconds * OF_FEW <= left;
        seconds * if is_short { times.min(OF_FEW) } else { times }
    }
}

/// Judges the figures of a run: the number of decided ones, and those that more samples may decide.
///
/// # Errors
/// A selection of rows that is wrong.
pub fn so_far(
    run: &RunFile,
    experiments: &[Experiment],
    rows: &Rows,
) -> Result<(usize, Vec<OpenFigure>)> {
    let sources = crate::sources(experiments)?;
    let judged = figures::judged(rows, experiments, &sources, run.looks.max(1))?;
    let (mut decided, mut opened) = (0, Vec::new());
    for one in &judged {
        let is_decided = !matches!(
            one.verdict,
            Verdict::Undecided | Verdict::OnTheEdge | Verdict::NotMeasured | Verdict::NotComparable
        );
        decided += usize::from(is_decided);
        if one.is_of(experiments) {
            opened.extend(open(one, rows)?);
        }
    }
    Ok((decided, opened))
}

fn open(judged: &JudgedFigure, rows: &Rows) -> Result<Option<OpenFigure>> {
    let Some(ours) = &judged.figure.ours else {
        return Ok(None);
    };
    // No run has the time for more games than the stored ones.
    if judged.stored == Some(StoredKind::Games) {
        return Ok(None);
    }
    let sampled = judged.ours.as_ref().map_or(0, |ours| ours.sampled);
    let is_sought = judged.figure.claims == Claims::Exists;
    let lacking = match (judged.verdict, judged.lacking) {
        (Verdict::NotMeasured, _) => None,
        (Verdict::Undecided, None) if is_sought => None,
        (Verdict::Undecided, Some(lacking)) => Some(lacking),
        _ => return Ok(None),
    };
    let own = rows_of(rows, ours)?;
    let story = judged.source.story.as_ref();
    Ok(Some(OpenFigure {
        id: judged.figure.id.clone(),
        experiment: ours.experiment.clone(),
        sampled,
        instances: rows.distinct("instance_hash", &own).len(),
        lacking,
        seconds: judged.seconds,
        filters: ours.filters(),
        is_headline: story.is_some_and(|story| story.figure == judged.figure.id),
    }))
}
