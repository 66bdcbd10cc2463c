//! Measures how much worse solvers score when several samples run at the same time, on the same seeds.
//!
//! A solver that works until its time is over finds less where others share the caches and the memory. Small groups of
//! cells are taken one at a time, then several at a time, in turn, so that a machine that changes meanwhile changes all of
//! them.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow, bail};
use ikeru_bench_data::experiment::Run;
use ikeru_bench_data::{Mode, Overrides};
use ikeru_reports::Rows;
use ikeru_reports::analyses::scores::{ScorePair, pairs};
use ikeru_reports::report::read;

use crate::campaign::{Campaign, CampaignOptions, ExperimentSource, SessionOptions, Unfinished};
use crate::execute::PerStage;
use crate::plan::Stage;
use crate::until::scores::is_of_scores;

/// Cells of a group for each of the most samples at a time. A group ends when its last sample ends, which is alone.
const CELLS_EACH: usize = 8;

/// Takes samples of a problem of scores for `time`, into the run folder `folder`; compares each number of samples at a
/// time with one at a time, by label. `seen` is called with the time that has passed.
///
/// # Errors
/// A folder that holds a run or cannot be written; an interruption; a variant without a score.
pub fn measure(
    source: ExperimentSource,
    (time, most): (Duration, usize),
    folder: &Path,
    seen: &dyn Fn(Duration),
) -> Result<Vec<ScorePair>> {
    let options = CampaignOptions {
        overrides: Overrides {
            run: Run {
                mode: Some(Mode::Contended),
                repeats: Some(1),
                ..Run::default()
            },
            ..Overrides::default()
        },
        session: SessionOptions::quiet(Some(folder.to_owned())),
        ..CampaignOptions::default()
    };
    let campaign = Campaign::new("doctor", vec![source], options)?;
    let taken = campaign.session(&PerStage::default(), |session| {
        let began = Instant::now();
        for stage in &campaign.plan.stages {
            for group in stage.cells.chunks(CELLS_EACH * most) {
                if began.elapsed() >= time {
                    return Ok(());
                }
                for jobs in levels(most) {
                    let stage = Stage {
                        cells: group.to_vec(),
                        jobs: Some(jobs),
                        ..stage.clone()
                    };
                    session.take_stage(&stage.in_copies(&[&copy_name(jobs)], None))?;
                    seen(began.elapsed().min(time));
                }
            }
        }
        Ok(())
    });
    taken.map_err(|error| match error.is::<Unfinished>() {
        true => anyhow!("interrupted: the measurement begins again"),
        false => error,
    })?;
    let (_, _, rows) = read(folder)?;
    compared(&rows)
}

/// Compares the samples at once of each solver with those alone, by label.
///
/// # Errors
/// A solver without a score.
fn compared(rows: &Rows) -> Result<Vec<ScorePair>> {
    let all = rows.all();
    let mut found = Vec::new();
    let labels = rows.distinct("label", &all);
    let alone = format!("@{}", copy_name(1));
    for label in labels.iter().filter_map(|label| label.strip_suffix(&alone)) {
        let is_own = |row: &u32| {
            let copy = rows.text("label", *row).rsplit_once('@');
            copy.is_some_and(|(of, _)| of == label)
        };
        let own: Vec<u32> = all.iter().copied().filter(is_own).collect();
        if own.iter().all(|row| rows.text("score", *row).is_empty()) {
            bail!("{label}: no sample has a score; `ikeru run` says why");
        }
        found.extend(pairs(rows, &own, &format!("{label}{alone}")));
    }
    Ok(found)
}

/// Refuses an experiment that is not decided by its scores.
///
/// # Errors
/// Such an experiment.
pub fn check(source: &ExperimentSource) -> Result<()> {
    let name = &source.experiment.name;
    if !is_of_scores(&source.experiment) {
        bail!("{name}: is not compared by scores; expected a problem of commands with a score");
    }
    Ok(())
}

/// The numbers of samples at a time: 1, 2, 4, … and the most.
pub fn levels(most: usize) -> Vec<usize> {
    let doubled = std::iter::successors(Some(1), |jobs| Some(jobs * 2));
    let below = doubled.take_while(|jobs| *jobs < most);
    below.chain([most]).collect()
}

fn copy_name(jobs: usize) -> String {
    format!("{jobs} at once")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_at_a_time_double_up_to_the_most() {
        assert_eq!(levels(1), [1]);
        assert_eq!(levels(2), [1, 2]);
        assert_eq!(levels(6), [1, 2, 4, 6]);
    }
}
