//! The comparisons of a run: each variant with the baseline of its experiment.

use ikeru_bench_data::Experiment;
use ikeru_compare::LEVEL;
use ikeru_compare::comparison::{Comparison, Terms};
use ikeru_core::Direction;

use crate::Rows;
use crate::analyses::compare::{CompareTerms, compare_labels};
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

/// Compares each variant with the baseline of its experiment: by scores, where a problem of commands has a direction, and by
/// time. If a run took samples until its times were decided, their pairs decide. If there are several experiments, B is named
/// with its own.
pub fn comparisons(rows: &Rows, run: &RunFile, experiments: &[Experiment]) -> Vec<Comparison> {
    let mut all = Vec::new();
    let is_one = rows.distinct("experiment", &rows.all()).len() < 2;
    let named = |experiment: &str, row: Comparison| match is_one {
        true => row,
        false => Comparison {
            b: format!("{} in {experiment}", row.b),
            ..row
        },
    };
    for experiment in experiments {
        let own = rows.with("experiment", &experiment.name);
        let own = rows.without_placebo(&own);
        let labels = rows.distinct("label", &own);
        let Some(baseline) = baseline_label(experiment).filter(|it| labels.contains(it)) else {
            continue;
        };
        let metrics = metrics(rows, experiment);
        let others = labels.iter().filter(|label| **label != baseline);
        for label in others {
            let pair = [&*baseline, label];
            let is_decided = |metric: &&Metric| metric.is_time() && run.is_until_decided();
            for metric in metrics.iter().filter(|metric| !is_decided(metric)) {
                let direction = rows.direction(own[0]);
                let terms = CompareTerms {
                    is_any_clock: metric.is_time(),
                    ..CompareTerms::of(metric.clone(), metric.better(None, direction))
                };
                all.extend(match compare_labels((rows, run), &own, pair, &terms) {
                    Ok(found) => found.table.comparisons,
                    Err(error) => {
                        let names = pair.map(str::to_owned);
                        let terms = Terms::of_ratios(names, metric.word(), LEVEL);
                        let row = Comparison::refused(&terms, error.to_string());
                        vec![named(&experiment.name, row)]
                    }
                });
            }
        }
    }
    if run.is_until_decided() {
        let pairs = decisions::comparisons(rows, experiments);
        all.extend(pairs.iter().map(|one| named(&one.experiment, one.row())));
    }
    all
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use ikeru_bench_data::Pairing;
    use ikeru_statistics::Interval;

    use super::*;
    use crate::factor::Factor;
    use crate::records::{COLUMNS, SCHEMA};
    use crate::run_file::Session;
    use crate::summary::summarize;

    /// The fields of a sample that differ.
    struct Taken<'a> {
        experiment: &'a str,
        label: &'a str,
        k: &'a str,
        instance: u32,
        repeat: u32,
        session: u32,
        version: u32,
        node: &'a str,
        /// Wall time and CPU time; 0 if there is none: without both, the question is hopeless.
        times: [u32; 2],
    }

    fn csv(all: &[Taken]) -> String {
        let fixed = COLUMNS.iter().map(|column| column.name);
        let names: Vec<&str> = fixed.chain(["method_k"]).collect();
        let mut text = names.join(",");
        for (at, one) in all.iter().enumerate() {
            let [wall, cpu] = one.times.map(|time| match time {
                0 => String::new(),
                time => time.to_string(),
            });
            let numbers = [one.instance, one.repeat, one.session, one.version];
            let [instance, repeat, session, version] = numbers.map(|it| it.to_string());
            let (outcome, asked) = match one.times {
                [0, 0] => ("skipped", "false"),
                _ => ("solved", "true"),
            };
            let cell = format!("{}/{}/{}/{instance}", one.experiment, one.label, one.k);
            let fields: BTreeMap<&str, String> = [
                ("schema", SCHEMA.to_string()),
                ("experiment", one.experiment.to_owned()),
                ("problem", "reach".to_owned()),
                ("label", one.label.to_owned()),
                ("variant", one.label.to_owned()),
                ("variant_version", version),
                ("method_k", one.k.to_owned()),
                ("cell", cell),
                ("sample", at.to_string()),
                // The instances of `n` have one name.
                (
                    "instance",
                    if one.experiment == "n" {
                        "i".to_owned()
                    } else {
                        format!("i{instance}")
                    },
                ),
                ("instance_hash", format!("h{instance}")),
                ("question", format!("q{instance}")),
                ("repeat", repeat),
                ("session", session),
                ("mode", "isolated".to_owned()),
                ("bound_policy", "private".to_owned()),
                ("threads", "1".to_owned()),
                ("node", one.node.to_owned()),
                ("outcome", outcome.to_owned()),
                ("asked", asked.to_owned()),
                ("limit_ns", "90000".to_owned()),
                ("wall_ns", wall.clone()),
                ("batch_ns", wall),
                ("iterations", "1".to_owned()),
                ("cpu_ns", cpu),
            ]
            .into();
            let field = |name: &&str| fields.get(name).cloned().unwrap_or_default();
            text += &format!(
                "\n{}",
                names.iter().map(field).collect::<Vec<_>>().join(",")
            );
        }
        text + "\n"
    }

    #[test]
    fn a_speed_up_is_the_number_of_the_comparison() {
        let read = |name: &str, variants: &str| {
            let text = format!(
                "name='{name}'\ntitle='t'\nabout='a'\nproblem='reach'\nvariants=[{variants}]\ninstances=[{{generator='g'}}]"
            );
            Experiment::read("e.toml", &text).expect("an experiment")
        };
        let experiments = [
            read("e", "'a','b','c','f'"),
            read("s", "{name='a',label='a',set={k=[1,2]}},'b','c'"),
            read("n", "'a','b'"),
        ];
        let mut all = Vec::new();
        // (experiment, label, setting, time): the setting of `c` is one that `a` lacks; `f` has no CPU time; the baseline of
        // `s` has two settings under one label.
        for (experiment, label, k, time) in [
            ("e", "a", "", 9_000),
            ("e", "b", "", 4_000),
            ("e", "c", "1", 3_000),
            ("e", "f", "", 7_000),
            ("s", "a", "1", 2_000),
            ("s", "a", "2", 8_000),
            ("s", "b", "2", 4_000),
            ("s", "c", "", 5_000),
            ("n", "a", "", 9_000),
            ("n", "b", "", 8_900),
        ] {
            for (instance, repeat) in (0..3).flat_map(|one| (0..10).map(move |it| (one, it))) {
                // The second machine is slower, and took other shares of the samples of each label.
                let is_slow = experiment == "e" && repeat > if label == "a" { 6 } else { 3 };
                let time = time * (instance + 1) + 97 * repeat % 31 + 40 * u32::from(label == "b");
                let time = if is_slow { 3 * time } else { time };
                let is_hopeless = (experiment, label, instance) == ("s", "c", 2);
                let time = if is_hopeless { 0 } else { time };
                let sample = |session, version, time| Taken {
                    experiment,
                    label,
                    k,
                    instance,
                    repeat,
                    session,
                    version,
                    node: if is_slow { "n2" } else { "n1" },
                    times: [time, if label == "f" { 0 } else { time / 2 }],
                };
                // An earlier build of `b`.
                if label == "b" {
                    all.push(sample(1, 1, 50 * time));
                }
                all.push(sample(
                    1 + repeat % 2,
                    if label == "b" { 2 } else { 1 },
                    time,
                ));
            }
        }
        all.retain(|one| one.label != "b" || (one.version == 1) == (one.session == 1));
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("records.csv"), csv(&all)).expect("written");
        let session = |number| Session {
            number,
            ..Session::default()
        };
        let run = RunFile {
            sessions: [1, 2].map(session).to_vec(),
            ..RunFile::default()
        };
        let rows = run.present_rows(folder.path()).expect("rows");
        let compared = comparisons(&rows, &run, &experiments);
        let cells = summarize(&rows, &experiments);
        let mut clocks = Vec::new();
        for cell in &cells {
            let text = |column| rows.text(column, cell.row);
            let Some(speed_up) = cell.speed_up.map(|it| it.value) else {
                assert_eq!((text("label"), text("instance")), ("c", "i2"));
                continue;
            };
            if text("label") == "a" {
                assert_eq!(speed_up, 1.0);
                continue;
            }
            if text("experiment") == "n" {
                continue;
            }
            let (label, experiment) = (text("label"), text("experiment"));
            let named = format!("{label} in {experiment}");
            let mut own = compared.iter().filter(|one| one.b == named);
            let over = format!("instance={}", text("instance"));
            let own = own.find(|one| one.over == over).expect(&over);
            assert_eq!(own.estimate, Some(speed_up), "{} {over}", own.b);
            let clock = cell
                .speed_up_clock
                .as_deref()
                .map(crate::summary::clock_word);
            assert_eq!(clock.as_ref(), Some(&own.clock));
            clocks.push((cell.clock.as_str(), own.clock.as_str()));
        }
        assert_eq!(clocks.len(), 14);
        // The table of the run.
        let es = ["b", "c", "f"].map(|label| (label, "e"));
        for (label, experiment) in es.into_iter().chain([("b", "s"), ("c", "s"), ("b", "n")]) {
            let own = rows.with("experiment", experiment);
            let of = |label: &str| {
                let mut own = own.clone();
                own.retain(|row| rows.text("label", *row) == label);
                own
            };
            let sides = [&of("a")[..], &of(label)];
            let factor = Factor::between(&rows, TIME, sides, Pairing::Question);
            let shown = factor.expect("a factor").shown();
            let end = |of: fn(&Interval) -> f64| {
                let ends = shown.interval.filter(|ends| ends.low < ends.high);
                ends.map(|ends| of(&ends))
                    .filter(|end| end.is_finite() && *end > 0.0)
            };
            let ends = [end(|it| it.low), end(|it| it.high)];
            let named = format!("{label} in {experiment}");
            let mut all = compared.iter().filter(|one| one.is_of_all());
            let is_same = |one: &&Comparison| {
                one.b == named && one.estimate == Some(shown.value) && [one.low, one.high] == ends
            };
            assert!(all.any(|one| is_same(&one)), "{label}: {shown:?}");
        }
        let both = [("wall_ns", "cpu"), ("wall_ns", "wall"), ("time_ns", "cpu")];
        assert!(both.iter().all(|one| clocks.contains(one)), "{clocks:?}");
    }
}
