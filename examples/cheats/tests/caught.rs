//! The check that detects each solver that cheats, or the value that shows it.

use std::path::Path;
use std::process::Command;

use ikeru_records::Rows;
use ikeru_records::rows::TIME;

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data");

/// The rows of a run, and the output of `run` and `report`.
fn run(experiment: &str, folder: &Path, more: &[&str]) -> (Rows, String) {
    let out = folder.join("run");
    let mut command = Command::new(env!("CARGO_BIN_EXE_cheats"));
    command.args(["run", experiment, "--quiet", "--out"]).arg(&out).args(more);
    command.env("CHEAT_FOLDER", folder);
    let output = command.args(["--data", DATA]).output().expect("it runs");
    let report = Command::new(env!("CARGO_BIN_EXE_cheats"));
    let report = { report }.arg("report").arg(&out).output().expect("it runs");
    let said = [output.stdout, output.stderr, report.stdout, report.stderr].concat();
    let said = String::from_utf8_lossy(&said).replace(['\u{202f}', '\u{a0}'], " ");
    let rows = Rows::read(&out.join("records.csv"));
    (rows.unwrap_or_else(|error| panic!("{error}\n{said}")), said)
}

/// The median of a column over the rows of a label.
fn median(rows: &Rows, label: &str, column: &str) -> f64 {
    let mut values = rows.numbers(column, &rows.with("label", label));
    assert!(!values.is_empty(), "{label} has no {column}");
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn details(rows: &Rows, label: &str) -> Vec<String> {
    let own = rows.with("label", label);
    own.iter().map(|row| rows.text("detail", *row).to_owned()).collect()
}

#[test]
fn variants_that_cheat_are_caught_or_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    let (rows, said) = run("cheats", folder.path(), &[]);
    let time = |label: &str| median(&rows, label, TIME);
    let honest = time("honest");
    // On a slow or busy machine an answer may take a millisecond: then it is a sample by itself, or the work at the
    // end of its solver is within the tolerance. Most of nine rows are below that on every machine.
    let all = |label: &str, words: &str| {
        let mut own = rows.with("label", label);
        own.retain(|row| {
            let is_short = rows.number(TIME, *row).is_none_or(|time| time < 1e6);
            is_short || !rows.text("detail", *row).is_empty()
        });
        let details: Vec<&str> = own.iter().map(|row| rows.text("detail", *row)).collect();
        let is_told = !details.is_empty() && details.iter().all(|detail| detail.contains(words));
        assert!(is_told, "{label}: {details:?}");
    };
    assert!(
        details(&rows, "honest").iter().all(String::is_empty),
        "{:?}",
        details(&rows, "honest")
    );
    // Detected by the counters of the second answer, and by the first answers of fresh solvers, which become the
    // sample.
    all("memory", "the counters of repeated answers are not those of the first");
    all("parrot", "the first of a fresh solver");
    for label in ["memory", "parrot"] {
        assert!(time(label) > 0.5 * honest, "{label}: {} by {honest}", time(label));
    }
    // Memory outside of the solver cannot be cleared, so there is no time.
    all("table", "remembered beyond the solver");
    assert!(rows.numbers(TIME, &rows.with("label", "table")).len() < 9);
    // The end of a solver is timed.
    all("late", "the end of its solver");
    assert!(time("late") > 5.0 * honest, "{} by {honest}", time("late"));
    // Other threads share the core of the sample, or their CPU time counts.
    assert!(time("crowd") > 1.5 * honest, "{} by {honest}", time("crowd"));
    // Only shown: the preparation has a separate column.
    assert!(time("early") < 0.2 * honest && median(&rows, "early", "prepare_ns") > 0.5 * honest);
    assert!(said.contains("prepared in"), "{said}");
    // Proofs of several variants contradict each other; a referee of one witness cannot detect it.
    for label in ["overclaim", "half"] {
        assert!(median(&rows, label, "score") < median(&rows, "honest", "score"));
    }
    assert!(said.contains("claims that no answer is better than "), "{said}");
    // The score is the referee's, and no score of another variant is shared.
    for label in ["boast", "peek"] {
        assert_eq!(median(&rows, label, "score"), median(&rows, "honest", "score"));
        assert!(time(label) > 0.5 * honest, "{label}");
    }
    // Only shown: counters are claims of a variant.
    assert!(rows.numbers("counter_pairs", &rows.with("label", "peek")).iter().all(|n| *n == 0.0));
    assert!(said.contains("with a doubtful time"), "{said}");
}

#[test]
fn foreign_solvers_that_cheat_are_caught_or_shown() {
    if Command::new("python3").arg("--version").output().is_err() {
        println!("skipped: no python3");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let (rows, said) = run(&format!("{DATA}/foreign.toml"), folder.path(), &[]);
    let outcomes = |label| rows.distinct("outcome", &rows.with("label", label));
    assert_eq!(outcomes("py-honest"), ["solved"], "{said}");
    // The harness measures: a time in an answer is an unknown key.
    assert_ne!(outcomes("py-clock"), ["solved"]);
    assert!(details(&rows, "py-clock")[0].contains("wall_ns"), "{:?}", details(&rows, "py-clock"));
    assert_eq!(outcomes("py-other"), ["wrong"]);
    let score = |label| median(&rows, label, "score");
    assert_eq!(score("py-best"), score("py-honest"));
    // Files outlive processes. Only shown: the first sample is slow, the others are not.
    let mut own = rows.with("label", "py-file");
    own.sort_by_key(|row| rows.number("started_ns", *row).map(|at| at as u64));
    let times = rows.numbers("wall_ns", &own);
    assert!(times[1..].iter().all(|later| times[0] > *later), "{times:?}");
}
