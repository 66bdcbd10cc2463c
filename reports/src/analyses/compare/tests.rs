use std::collections::BTreeMap;

use ikeru_core::Random;

use super::*;
use crate::rows::Rows;
use crate::rows::tests::rows;
use crate::run_file::RunFile;

const HEADER: &str = "schema,problem,experiment,label,variant,instance,instance_hash,seed,mode,bound_policy,threads,setting_steps,outcome,score,wall_ns,counter_nodes\n";

/// One row of a small run.
struct Line<'a> {
    label: &'a str,
    instance: u32,
    steps: u32,
    outcome: &'a str,
    time: f64,
    nodes: u32,
}

fn line(label: &str, instance: u32, time: f64) -> String {
    text(&Line {
        label,
        instance,
        steps: 1,
        outcome: "solved",
        time,
        nodes: 10,
    })
}

fn text(line: &Line) -> String {
    let Line {
        label,
        instance,
        steps,
        outcome,
        time,
        nodes,
    } = line;
    format!(
        "1,reach,e,{label},{label},grid,h{instance},{instance},isolated,shared,1,{steps},{outcome},7,{time},{nodes}\n"
    )
}

fn terms(metric: Metric) -> Terms {
    Terms {
        metric,
        bound: 0.05,
        force: false,
        direction: Direction::Maximize,
    }
}

fn machine(cpu: &str) -> RunFile {
    RunFile {
        machine: BTreeMap::from([("cpu".to_owned(), cpu.to_owned())]),
        ..RunFile::default()
    }
}

fn side<'a>(name: &str, rows: &'a Rows, run: &'a RunFile, variant: Option<&str>) -> Side<'a> {
    let variant = variant.map(str::to_owned);
    Side::new(name.to_owned(), (rows, run), rows.all(), variant).expect("a side")
}

fn compared(a: &str, b: &str, terms: &Terms) -> Result<Comparison, ReportError> {
    let (a, b) = (rows(&format!("{HEADER}{a}")), rows(&format!("{HEADER}{b}")));
    let run = machine("one");
    compare(
        &side("a", &a, &run, None),
        &side("b", &b, &run, None),
        terms,
    )
}

/// Ten repeats on each instance, scattered by a hundredth.
fn run(label: &str, instances: u32, factor: f64) -> String {
    let mut random = Random::new("compare", 1);
    let mut text = String::new();
    for instance in 0..instances {
        for _ in 0..10 {
            let time = 1e6 * f64::from(instance + 1) * (1.0 + 0.01 * random.unit());
            text += &line(label, instance, factor * time);
        }
    }
    text
}

#[test]
fn a_slower_run_is_a_regression_and_the_same_run_is_none() {
    for (instances, test) in [(1, "Mann–Whitney"), (8, "Wilcoxon")] {
        let before = run("memo", instances, 1.0);
        let slower = compared(&before, &run("memo", instances, 1.2), &terms(Metric::Wall));
        let slower = slower.expect("compared");
        let row = &slower.finding.rows[0];
        assert_eq!(
            (row[7].as_str(), row[9].as_str()),
            (test, "slower by more than 5 %")
        );
        assert_eq!(slower.regressions.len(), 1);
        let faster = compared(&before, &run("memo", instances, 0.8), &terms(Metric::Wall));
        let faster = faster.expect("compared");
        assert_eq!(faster.finding.rows[0][9], "faster");
        let a_little = compared(&before, &run("memo", instances, 1.02), &terms(Metric::Wall));
        let a_little = a_little.expect("compared");
        assert_eq!(a_little.finding.rows[0][9], "same within 5 %");
        let same = compared(&before, &before, &terms(Metric::Wall)).expect("compared");
        assert!(same.regressions.is_empty());
        assert!(
            same.finding.rows[0][9].starts_with("same"),
            "{:?}",
            same.finding.rows
        );
    }
}

#[test]
fn a_regression_needs_the_near_end_beyond_the_bound() {
    let before = run("memo", 8, 1.0);
    let after = run("memo", 8, 1.08);
    let small = compared(&before, &after, &terms(Metric::Wall)).expect("compared");
    assert_eq!(small.regressions.len(), 1);
    let wide = Terms {
        bound: 0.1,
        ..terms(Metric::Wall)
    };
    let wide = compared(&before, &after, &wide).expect("compared");
    assert!(wide.regressions.is_empty());
}

#[test]
fn counters_that_do_not_scatter_need_no_test() {
    let nodes = |nodes| {
        text(&Line {
            label: "memo",
            instance: 1,
            steps: 1,
            outcome: "solved",
            time: 5.0,
            nodes,
        })
    };
    let metric = || terms(Metric::Counter("nodes".to_owned()));
    let more = compared(&nodes(10), &nodes(11), &metric()).expect("compared");
    let row = &more.finding.rows[0];
    assert_eq!(
        (row[7].as_str(), row[9].as_str()),
        ("exact", "more by more than 5 %")
    );
    let same = compared(&nodes(10), &nodes(10), &metric()).expect("compared");
    assert_eq!(same.finding.rows[0][9], "same");
    let zero = compared(&nodes(0), &nodes(0), &metric()).expect("compared");
    assert_eq!(zero.finding.rows[0][9], "same");
    let from_zero = compared(&nodes(0), &nodes(3), &metric()).expect("compared");
    assert_eq!(from_zero.finding.rows[0][9], "cannot tell");
}

#[test]
fn two_variants_of_one_run_are_paired_by_question() {
    let text = format!("{HEADER}{}{}", run("memo", 8, 1.0), run("flat", 8, 0.5));
    let (rows, run) = (rows(&text), machine("one"));
    let sides = (
        side("a", &rows, &run, Some("memo")),
        side("b", &rows, &run, Some("flat")),
    );
    let found = compare(&sides.0, &sides.1, &terms(Metric::Wall)).expect("compared");
    let row = &found.finding.rows[0];
    assert_eq!(
        (row[0].as_str(), row[2].as_str()),
        ("memo → flat", "8 pairs")
    );
    assert_eq!((row[5].as_str(), row[9].as_str()), ("0.500", "faster"));
    let error = Side::new(
        "a".to_owned(),
        (&rows, &run),
        rows.all(),
        Some("mem".to_owned()),
    );
    let error = error.expect_err("unknown").to_string();
    assert!(error.contains("did you mean `memo`?"), "{error}");
}

#[test]
fn what_may_not_be_compared_is_refused_or_labelled() {
    let before = run("memo", 2, 1.0);
    let run_of = |text: &str| rows(&format!("{HEADER}{text}"));
    let one = machine("one");
    let two = machine("two");
    let forced = Terms {
        force: true,
        ..terms(Metric::Wall)
    };
    for (other, machine, hint) in [
        (
            before.replace("isolated", "contended"),
            &one,
            "mode differs",
        ),
        (
            before.replace("shared", "private"),
            &one,
            "bound policy differs",
        ),
        (
            before.clone(),
            &two,
            "machine (cpu) differs: A has one, B has two",
        ),
        (
            run("memo", 3, 1.0),
            &one,
            "instance set differs: 0 questions only in A, 1 only in B",
        ),
        (
            before.replace(",h", ",other"),
            &one,
            "instance set differs: 2 questions only in A, 2 only in B",
        ),
    ] {
        let (a, b) = (run_of(&before), run_of(&other));
        let sides = (side("a", &a, &one, None), side("b", &b, machine, None));
        let error = compare(&sides.0, &sides.1, &terms(Metric::Wall))
            .expect_err(hint)
            .to_string();
        assert!(error.contains(hint) && error.contains("--force"), "{error}");
        let found = compare(&sides.0, &sides.1, &forced).expect("forced");
        let said = found.finding.paragraphs.join("\n");
        assert!(said.contains(&format!("FORCED: {hint}")), "{said}");
    }
    // Counters are the same on every machine and in every mode.
    let (a, b) = (
        run_of(&before),
        run_of(&before.replace("isolated", "contended")),
    );
    let sides = (side("a", &a, &one, None), side("b", &b, &two, None));
    compare(
        &sides.0,
        &sides.1,
        &terms(Metric::Counter("nodes".to_owned())),
    )
    .expect("compared");
}

#[test]
fn what_was_stopped_or_failed_is_said() {
    let with = |outcome, time| {
        text(&Line {
            label: "memo",
            instance: 1,
            steps: 2,
            outcome,
            time,
            nodes: 1,
        })
    };
    let before = run("memo", 1, 1.0) + &with("solved", 10.0);
    let crashed = run("memo", 1, 1.0) + &with("crashed", 1.0);
    let found = compared(&before, &crashed, &terms(Metric::Wall)).expect("compared");
    let said = found.finding.paragraphs.join("\n");
    assert!(said.contains("1 pairs of cells had no value"), "{said}");
    assert!(found.regressions[0].ends_with("was solved, now crashed"));
    let found = compared(&crashed, &before, &terms(Metric::Wall)).expect("compared");
    assert!(found.regressions.is_empty(), "solved now is no loss");
    let stopped = run("memo", 1, 1.0) + &with("timeout", 1e4);
    let found = compared(&before, &stopped, &terms(Metric::Wall)).expect("compared");
    assert!(found.finding.rows.iter().any(|row| row[5].starts_with('≈')));
    assert!(found.regressions[0].ends_with("was solved, now timeout"));
    let found = compared(&stopped, &stopped, &terms(Metric::Wall)).expect("compared");
    let said = found.finding.paragraphs.join("\n");
    assert!(said.contains("stopped on both sides"), "{said}");
}

#[test]
fn runs_of_the_same_thing_are_rarely_told_apart() {
    // A/A: 1,200 tables of six rows each, skewed noise of a tenth. Nominal: 5 % of the tables.
    let mut random = Random::new("a-a", 1);
    let mut alarms = 0;
    for _ in 0..1_200 {
        let table: Vec<Judged> = (0..6)
            .map(|at| {
                let mut noisy = |count: usize| -> Vec<f64> {
                    (0..count)
                        .map(|_| 1e6 * (0.1 * random.unit().powi(2) * 3.0).exp())
                        .collect()
                };
                let pair = |a, b| Pair {
                    a,
                    b,
                    ..Pair::default()
                };
                let pairs = if at % 2 == 0 {
                    vec![pair(noisy(8), noisy(8))]
                } else {
                    (0..8).map(|_| pair(noisy(5), noisy(5))).collect()
                };
                judge(
                    &Row {
                        variant: String::new(),
                        place: String::new(),
                        pairs,
                    },
                    &Metric::Wall,
                )
            })
            .collect();
        let p: Vec<f64> = table.iter().filter_map(|row| row.test?.1).collect();
        let decided = |(row, p): (&Judged, f64)| {
            let ratio = row.ratio.expect("a ratio");
            matches!(
                decide(ratio, Some(p), 0.0),
                Decision::Lower | Decision::Higher
            )
        };
        alarms += usize::from(table.iter().zip(holm(&p)).any(decided));
    }
    assert!(alarms <= 60, "{alarms} of 1,200 tables");
}
