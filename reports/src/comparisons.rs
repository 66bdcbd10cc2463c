//! The comparisons of a run: each variant with the baseline of its experiment.

use ikeru_bench_data::Experiment;
use ikeru_compare::LEVEL;
use ikeru_compare::comparison::Comparison;
use ikeru_core::{Better, Direction};

use crate::Rows;
use crate::analyses::compare::{CompareTerms, ComparedSide, compare};
use crate::decisions;
use crate::metric::Metric;
use crate::report::is_exact;
use crate::rows::TIME;
use crate::run_file::RunFile;
use crate::summary::baseline_label;

/// The file of a run folder that holds its comparisons.
pub const FILE: &str = "comparisons.csv";

/// The share within which two variants of a run are the same.
pub const SAME: f64 = 0.05;

/// Compares each variant with the baseline of its experiment: by scores, where a problem of commands has a direction, and
/// by time. Of a run that took samples until its times were decided, the pairs that
/// decided them are compared.
pub fn comparisons(rows: &Rows, run: &RunFile, experiments: &[Experiment]) -> Vec<Comparison> {
    let mut all = Vec::new();
    for experiment in experiments {
        let own = rows.with("experiment", &experiment.name);
        let own = rows.without_placebo(&own);
        let labels = rows.distinct("label", &own);
        let Some(baseline) = baseline_label(experiment).filter(|it| labels.contains(it)) else {
            continue;
        };
        let metrics = metrics(rows, experiment);
        for label in rows
            .distinct("label", &own)
            .into_iter()
            .filter(|label| **label != baseline)
        {
            for metric in &metrics {
                if metric.is_time() && run.is_until_decided() {
                    continue;
                }
                let direction = rows.direction(own[0]);
                let terms = CompareTerms {
                    better: metric.better(None, direction),
                    metric: metric.clone(),
                    is_any_clock: metric.is_time(),
                    bound: if *metric == Metric::Score { 0.0 } else { SAME },
                    force: false,
                    sides: 1,
                };
                let side = |label: &String| {
                    let label = Some(label.clone());
                    ComparedSide::new(String::new(), (rows, run), own.to_vec(), label)
                };
                let found = side(&baseline).and_then(|a| Ok((a, side(&label)?)));
                let found = found.and_then(|(a, b)| compare(&a, &b, &terms));
                all.extend(match found {
                    Ok(found) => found.table.comparisons,
                    Err(error) => vec![not_comparable(
                        [&baseline, &label],
                        &terms,
                        &error.to_string(),
                    )],
                });
            }
        }
    }
    if run.is_until_decided() {
        let pairs = decisions::comparisons(rows, experiments);
        all.extend(pairs.iter().map(decisions::AgainstBaseline::row));
    }
    all
}

fn not_comparable([a, b]: [&str; 2], terms: &CompareTerms, why: &str) -> Comparison {
    let terms = ikeru_compare::comparison::Terms {
        a: a.to_owned(),
        b: b.to_owned(),
        metric: terms.metric.word(),
        clock: String::new(),
        better: Better::Neither,
        is_ratio: true,
        margin: terms.bound,
        level: LEVEL,
        withheld: None,
    };
    Comparison::refused(&terms, why.to_owned())
}

/// Returns whether scores decide in these experiments: their variants are commands, the direction is not *equal*, and not all
/// variants prove their answers.
pub fn is_contest(run: &RunFile, experiments: &[String]) -> bool {
    let mut own = run
        .experiments
        .iter()
        .filter(|ran| experiments.contains(&ran.name));
    own.all(|ran| {
        ran.read()
            .is_ok_and(|one| has_scores(&one) && !is_exact(&one))
    })
}

/// Returns whether a score may be better than another.
pub fn has_scores(experiment: &Experiment) -> bool {
    let problem = experiment.problem.commands();
    problem.is_some_and(|problem| problem.direction != Direction::Equal)
}

/// The metrics by which the variants of an experiment are compared.
fn metrics(rows: &Rows, experiment: &Experiment) -> Vec<Metric> {
    let scores = has_scores(experiment).then_some(Metric::Score);
    let times = rows.has(TIME).then_some(Metric::Cpu);
    scores.into_iter().chain(times).collect()
}
