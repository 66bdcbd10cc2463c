//! `--list`: the samples that would be taken, and the expected time.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;
use ikeru_bench_data::Mode;
use ikeru_reports::row;
use ikeru_reports::run_file::RunFile;
use ikeru_reports::statistics::Bound;
use ikeru_reports::table::{Cell, Table};
use ikeru_reports::units;

use crate::campaign::journal::{Finished, finished};
use crate::campaign::sampler::ask;
use crate::campaign::schedule::is_finished;
use crate::campaign::{Campaign, Expectation};
use crate::execute::{Executor, PerStage};
use crate::output;
use crate::plan::{self, Stage};

/// Prints cells, samples and expected time of each experiment; those that are missing in `folder`, if a run goes on there.
///
/// # Errors
/// When standard output is closed, or a folder that cannot be read.
pub fn print(campaign: &Campaign, folder: Option<&Path>) -> Result<()> {
    let plan = &campaign.plan;
    let finished = folder.map_or(Ok(Finished::new()), |it| finished(&it.join("records.csv")))?;
    let heads = match folder {
        Some(_) => "experiment | cells | missing samples | expected",
        None => "experiment | cells | samples | expected",
    };
    let mut table = Table::new("", heads);
    let mut expected = Vec::new();
    let mut all_missing = 0;
    for (stage, known) in plan.stages.iter().zip(&campaign.expected) {
        let missing = missing(stage, &finished);
        let count: u32 = missing.values().sum();
        let own = match stage.cells.iter().all(|cell| cell.solver.answers_once()) {
            true => of_commands(stage, &missing, folder)?,
            false => Expectation {
                time: known
                    .time
                    .mul_f64(f64::from(count) / stage.samples().max(1) as f64),
                ..*known
            },
        };
        table.rows.push(row![
            &stage.experiment,
            stage.cells.len() * stage.instances,
            count as usize,
            expected_in_words(own)
        ]);
        expected.push(own);
        all_missing += count as usize;
    }
    if let (2.., Some(all)) = (table.rows.len(), expected.into_iter().reduce(and)) {
        let (samples, expected) = (all_missing, expected_in_words(all));
        let line = row!["together", Cell::EMPTY, samples, expected];
        table.rows.push(line);
    }
    output::print(&table.lines())
}

/// The number of samples of each label that are not finished.
fn missing<'a>(stage: &'a Stage, finished: &Finished) -> BTreeMap<&'a str, u32> {
    let mut missing = BTreeMap::new();
    for cell in &stage.cells {
        let repeats = stage.first_repeat..stage.repeats;
        let count = match finished.is_empty() {
            true => repeats.len(),
            false => repeats
                .filter(|repeat| !is_finished(finished, stage, cell, *repeat))
                .count(),
        };
        *missing.entry(cell.label.as_str()).or_default() += (count * stage.instances) as u32;
    }
    missing
}

/// The time for trial samples; if they take longer, only the limit is known.
const TRIAL: Duration = Duration::from_secs(5);

/// The time of commands: that of the folder's rows, else of three trial samples of each label. A process that answers once
/// takes its own time.
fn of_commands(
    stage: &Stage,
    missing: &BTreeMap<&str, u32>,
    folder: Option<&Path>,
) -> Result<Expectation> {
    let rows = folder.filter(|folder| folder.join("records.csv").exists());
    let rows = rows.map(|folder| RunFile::read(folder)?.present_rows(folder));
    let rows = rows.transpose()?;
    let end = Instant::now() + TRIAL;
    let mut all = Duration::ZERO;
    for (label, count) in missing.iter().filter(|(_, count)| **count > 0) {
        let known = rows.as_ref().and_then(|rows| {
            let mut own = rows.with("experiment", &stage.experiment);
            own.retain(|row| rows.text("label", *row) == *label);
            let mean = ikeru_reports::statistics::mean(&rows.numbers("wall_ns", &own))?;
            Some(Duration::from_nanos(mean as u64))
        });
        let Some(time) = known.or_else(|| trial(stage, label, end)) else {
            let samples = missing.values().sum();
            return Ok(Expectation {
                time: stage.limit.saturating_mul(samples),
                bound: Bound::AtMost,
            });
        };
        all += time.saturating_mul(*count);
    }
    let at_once = match stage.mode {
        Mode::Contended => {
            std::thread::available_parallelism().map_or(1, |cores| cores.get() as u32)
        }
        Mode::Isolated => 1,
    };
    Ok(Expectation {
        time: all / at_once,
        bound: Bound::Exact,
    })
}

/// The mean time of up to three samples of a label, which are not kept; `None` if they take too long.
fn trial(stage: &Stage, label: &str, end: Instant) -> Option<Duration> {
    let own: Vec<&plan::Cell> = stage
        .cells
        .iter()
        .filter(|cell| cell.label == label)
        .collect();
    let few = own.iter().step_by(own.len().div_ceil(3).max(1));
    let mut times = Vec::new();
    for cell in few {
        let Ok(asked) = ask(cell) else { continue };
        let began = Instant::now();
        let taken = PerStage::default().sample(stage, cell, asked.as_ref(), &mut None);
        times.push(began.elapsed());
        if taken.is_err() || Instant::now() > end {
            return None;
        }
    }
    let count = u32::try_from(times.len()).ok().filter(|count| *count > 0)?;
    Some(times.iter().sum::<Duration>() / count)
}

/// The expectation of both, one after the other. It is the weaker statement of the two; `below` and `at least`
/// together are `about`.
fn and(a: Expectation, b: Expectation) -> Expectation {
    Expectation {
        time: a.time.saturating_add(b.time),
        bound: a.bound.and(b.bound),
    }
}

fn expected_in_words(expected: Expectation) -> String {
    let bound = match expected.bound {
        Bound::Exact if expected.time.is_zero() => return "nothing".to_owned(),
        Bound::Exact | Bound::Either => "about",
        Bound::AtMost => "below",
        Bound::AtLeast => "at least",
    };
    format!("{bound} {}", units::about(expected.time.as_nanos() as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expected_times_add_up_to_the_weaker_statement() {
        let seconds = Duration::from_secs;
        let of = |n, bound| Expectation {
            time: seconds(n),
            bound,
        };
        let about = |n| of(n, Bound::Exact);
        assert_eq!(and(about(4), about(5)), about(9));
        assert_eq!(and(about(4), of(5, Bound::AtMost)), of(9, Bound::AtMost));
        let least = of(5, Bound::AtLeast);
        assert_eq!(
            expected_in_words(and(least, about(90))),
            "at least 95\u{202f}s"
        );
        assert_eq!(expected_in_words(about(4)), "about 4\u{202f}s");
        assert_eq!(expected_in_words(about(8 * 3600)), "about 8\u{202f}h");
    }
}
