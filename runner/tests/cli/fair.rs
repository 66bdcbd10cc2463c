//! Measuring fairly: comparisons until they are decided, suspect samples, the machine's noise.

use std::collections::BTreeMap;
use std::path::Path;

use crate::{has, ikeru, output, refused, words};

type Row = BTreeMap<String, String>;

pub fn rows(file: &Path) -> Vec<Row> {
    let mut reader = csv::Reader::from_path(file).expect("a table");
    let rows: Result<Vec<Row>, csv::Error> = reader.deserialize().collect();
    rows.expect("good rows")
}

/// Runs two clearly different variants with two repeats into `folder`.
fn run(folder: &Path, more: &[&str]) -> String {
    run_repeats("2", folder, more)
}

fn run_repeats(repeats: &str, folder: &Path, more: &[&str]) -> String {
    let folder = folder.to_str().expect("a plain path");
    let own = format!("run ikerukana-table --out {folder} --repeats {repeats}");
    let chosen = ["--variant", "memo", "--variant", "bitboard"];
    output(&[&words(&own)[..], &chosen, more].concat())
}

#[test]
fn comparisons_go_on_until_they_are_decided() {
    let temporary = tempfile::tempdir().expect("a folder");
    let folder = temporary.path().join("run");
    let text = run(&folder, &["--until-decided", "--budget", "60s"]);
    assert!(text.contains("faster"), "{text}");
    let decisions = rows(&folder.join("comparisons.csv"));
    assert!(!decisions.is_empty());
    for row in &decisions {
        assert_eq!(
            (row["decision"].as_str(), row["b"].as_str()),
            ("better", "bitboard")
        );
        let number = |name: &str| row[name].parse::<f64>().expect("a number");
        assert!(number("pairs") >= 7.0, "{row:?}");
        assert!(1.0 < number("low") && number("low") <= number("estimate"));
    }
    let page = crate::pages_of(&folder);
    assert!(
        page.contains("are for a number of samples that was fixed beforehand, which this was not")
    );
    // Repeats beyond the plan's have new identities, and a resumed run needs no more.
    let taken = rows(&folder.join("records.csv"));
    let repeats = taken
        .iter()
        .map(|row| row["repeat"].parse::<u32>().expect("a number"));
    assert!(repeats.max() >= Some(6));
    run(&folder, &["--resume", "--until-decided"]);
    assert_eq!(rows(&folder.join("records.csv")).len(), taken.len());
    assert_eq!(rows(&folder.join("comparisons.csv")), decisions);
}

#[test]
fn times_are_needed_to_decide() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("run").display().to_string();
    let run = "run ikerukana-table --mode contended --until-decided --out";
    refused(
        &[&words(run)[..], &[&out]].concat(),
        "",
        &["--mode isolated"],
    );
    ikeru(&["run", "ikerukana-table", "--budget", "1s"])
        .assert()
        .code(2);
}

/// Writes the table again with the fields that `change` returns for row, column and field. A column for which it
/// returns `None` is removed.
pub fn rewrite(file: &Path, change: impl Fn(usize, &str, &str) -> Option<String>) {
    let mut reader = csv::Reader::from_path(file).expect("a table");
    let header = reader.headers().expect("a header").clone();
    let rows: Result<Vec<csv::StringRecord>, csv::Error> = reader.records().collect();
    let kept = |name: &&str| change(0, name, "").is_some();
    let mut writer = csv::Writer::from_path(file).expect("a file");
    writer
        .write_record(header.iter().filter(kept))
        .expect("written");
    for (at, row) in rows.expect("good rows").iter().enumerate() {
        let fields = header
            .iter()
            .zip(row)
            .filter_map(|(name, field)| change(at, name, field));
        writer.write_record(fields).expect("written");
    }
}

#[test]
fn a_suspect_sample_is_named_and_further_repeats_stand_beside_it() {
    let temporary = tempfile::tempdir().expect("a folder");
    let folder = temporary.path().join("run");
    run(&folder, &[]);
    let records = folder.join("records.csv");
    let before = rows(&records);
    assert!(before.iter().all(|row| !row["canary"].is_empty()));
    // The canary deviates for the first sample only.
    rewrite(&records, |at, column, field| {
        let ratio = if at == 0 { "1.300" } else { "1.000" };
        Some(if column == "canary" { ratio } else { field }.to_owned())
    });
    output(&["report", folder.to_str().expect("a plain path")]);
    let page = crate::pages_of(&folder);
    assert!(page.contains("sample was taken while the machine was not as usual"));
    run_repeats("3", &folder, &["--resume"]);
    let after = rows(&records);
    assert_eq!(2 * after.len(), 3 * before.len());
    let counted = rows(&folder.join("summary.csv"));
    let counted = counted
        .iter()
        .map(|row| row["n"].parse::<usize>().expect("a number"));
    assert_eq!(counted.sum::<usize>(), after.len());
}

#[test]
fn a_file_of_another_schema_is_refused_in_one_line_and_left_alone() {
    let temporary = tempfile::tempdir().expect("a folder");
    let folder = temporary.path().join("run");
    run(&folder, &[]);
    let records = folder.join("records.csv");
    rewrite(&records, |_, column, field| {
        Some(if column == "schema" { "1" } else { field }.to_owned())
    });
    let older = std::fs::read(&records).expect("read");
    let folder = folder.to_str().expect("a plain path");
    for arguments in [
        &["report", folder][..],
        &["run", "ikerukana-table", "--out", folder, "--resume"],
    ] {
        refused(arguments, "", &["records.csv:2: schema 1; "]);
        assert_eq!(std::fs::read(&records).expect("read"), older);
    }
}

#[test]
fn every_column_of_a_run_is_documented_beside_it() {
    let temporary = tempfile::tempdir().expect("a folder");
    let folder = temporary.path().join("run");
    run(&folder, &[]);
    let read = |name: &str| csv::Reader::from_path(folder.join(name)).expect("a file of the run");
    let mut records = read("records.csv");
    let header = records.headers().expect("a header");
    let lines: Result<Vec<csv::StringRecord>, csv::Error> = read("columns.csv").records().collect();
    let lines = lines.expect("lines");
    assert!(lines.iter().map(|line| &line[0]).eq(header), "{lines:?}");
    assert!(lines.iter().all(|line| !line[2].is_empty()), "{lines:?}");
}

#[test]
fn the_machine_stands_in_the_run_file() {
    let temporary = tempfile::tempdir().expect("a folder");
    let folder = temporary.path().join("run");
    run(&folder, &[]);
    let text = std::fs::read_to_string(folder.join("run.toml")).expect("read");
    let file: toml::Table = text.parse().expect("good TOML");
    has(file["order"].as_str().expect("words"), &["seed"]);
    let session = &file["session"].as_array().expect("sessions")[0];
    let machine = session["machine"].as_table().expect("a table");
    let values = toml::to_string(machine).expect("a table");
    assert!(!values.contains("\"not readable\""), "{values}");
    if Path::new("/proc/stat").exists() {
        for key in words("load_average load_average_after other_processes steal") {
            assert!(machine.contains_key(key), "{key} in {values}");
        }
    }
}

#[test]
fn the_doctor_knows_the_machine_and_the_command_that_measures_its_noise() {
    let text = output(&["doctor", "--json"]);
    let found: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let rows = found["rows"].as_array().expect("rows");
    assert!(rows.iter().any(|row| row["fact"] == "cores"), "{text}");
    assert!(text.contains("ikeru ab /"), "{text}");
    ikeru(&["doctor", "--budget", "soon"]).assert().code(2);
}
