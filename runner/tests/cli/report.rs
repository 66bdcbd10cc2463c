//! A run folder reported again: contradictions found, damaged files refused, runs resumed.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::ikeru;

const EXPERIMENT: &str = r#"
name = "small"
title = "Two variants on one map"
about = "Lower is faster."
problem = "reach"
variants = ["memo", "bitboard"]
instances = [{ generator = "reach.spanning-grid", set = { width = 4 } }]
settings = { steps = 5 }
run = { repeats = 1, sample = "1us", warm_up = "1us" }
[full]
run = { repeats = 2 }
"#;

/// A finished run of [`EXPERIMENT`], and the file of the experiment.
fn run() -> (TempDir, PathBuf, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let experiment = folder.path().join("small.toml");
    std::fs::write(&experiment, EXPERIMENT).expect("written");
    let out = folder.path().join("run");
    ikeru(&["run", text(&experiment), "--out", text(&out)])
        .assert()
        .success();
    (folder, experiment, out)
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path of plain letters")
}

/// The lines of the run's `records.csv`, changed by `change`.
fn change(out: &Path, change: impl Fn(&mut Vec<Vec<String>>)) {
    let records = out.join("records.csv");
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .from_path(&records)
        .expect("a journal");
    let mut rows: Vec<Vec<String>> = reader
        .records()
        .map(|row| row.expect("a row").iter().map(str::to_owned).collect())
        .collect();
    change(&mut rows);
    let mut writer = csv::WriterBuilder::new()
        .flexible(true)
        .from_path(&records)
        .expect("writable");
    for row in rows {
        writer.write_record(row).expect("written");
    }
}

fn column(rows: &[Vec<String>], name: &str) -> usize {
    let place = rows[0].iter().position(|column| column == name);
    place.unwrap_or_else(|| panic!("no column {name}"))
}

/// Standard error of `ikeru report`, which must end with `code`.
fn report(out: &Path, code: i32) -> String {
    let done = ikeru(&["report", text(out)]).assert().code(code);
    String::from_utf8_lossy(&done.get_output().stderr).into_owned()
}

#[test]
fn a_filter_leaves_rows_out_of_pages_and_plots_too() {
    let (_inside, experiment, out) = run();
    let plot = "[[plots]]\nname = 'p'\nkind = 'bar'\ntitle = '{faster:memo/bitboard}'\n";
    std::fs::write(&experiment, format!("{EXPERIMENT}{plot}")).expect("written");
    ikeru(&["run", text(&experiment), "--out", text(&out), "--resume"])
        .assert()
        .success();
    let report = |more: &[&str]| {
        ikeru(&[&["report", text(&out)], more].concat())
            .assert()
            .success();
        let page = std::fs::read_to_string(out.join("index.html")).expect("a page");
        let plot = std::fs::read_to_string(out.join("plots/small-p.csv")).expect("a plot");
        (page, plot)
    };
    let (page, plot) = report(&["--where", "label=memo"]);
    assert!(
        page.contains("these pages show only the rows with label=memo"),
        "{page}"
    );
    assert!(page.contains("left out by `where`: bitboard"), "{page}");
    assert!(!page.contains("<dt>bitboard"), "{page}");
    assert!(
        plot.contains("memo,") && !plot.contains("bitboard,"),
        "{plot}"
    );
    let (page, plot) = report(&[]);
    assert!(!page.contains("only the rows") && page.contains("<dt>bitboard"));
    assert!(plot.contains("bitboard,"));
    // A drawing for a talk has the pixels of a slide.
    report(&["--talk"]);
    let bytes = std::fs::read(out.join("plots/small-p.png")).expect("a PNG");
    let size = [16, 20].map(|at| bytes[at..at + 4].try_into().map(u32::from_be_bytes).ok());
    assert_eq!(size, [Some(1920), Some(1080)]);
}

#[test]
fn proofs_of_equal_scores_that_differ_are_in_dispute() {
    let (_folder, _, out) = run();
    assert!(report(&out, 0).contains("No wrong answer"));
    let forge = |exact: &'static str| {
        change(&out, |rows| {
            let (label, score) = (column(rows, "label"), column(rows, "score"));
            let proven = column(rows, "exact");
            for row in rows.iter_mut().filter(|row| row[label] == "bitboard") {
                row[score] = "1".to_owned();
                row[proven] = exact.to_owned();
            }
        });
    };
    forge("true");
    let said = report(&out, 3);
    assert!(said.starts_with("in-dispute: small, memo on "), "{said}");
    assert!(said.contains(": bitboard: 1; memo: "), "{said}");
    forge("false");
    report(&out, 0);
}

#[test]
fn a_damaged_journal_is_refused_with_its_line() {
    let (_folder, _, out) = run();
    type Change = fn(&mut Vec<Vec<String>>);
    let damages: [(Change, &str); 7] = [
        (
            |rows| rows[1][0] = "99".to_owned(),
            "records.csv:2: schema 99",
        ),
        (|rows| rows[0][0] = "skema".to_owned(), "records.csv:1: "),
        (|rows| rows[1].truncate(3), "records.csv:2: 3 fields"),
        (
            |rows| {
                let time = column(rows, "wall_ns");
                rows[2][time] = "fast".to_owned();
            },
            "records.csv:3: wall_ns: `fast` is no number",
        ),
        (
            |rows| {
                let drop = column(rows, "instance_hash");
                rows.iter_mut().for_each(|row| drop_field(row, drop));
            },
            "records.csv:1: the column `instance_hash` is missing",
        ),
        (
            |rows| {
                let outcome = column(rows, "outcome");
                rows[1][outcome] = "gibberish".to_owned();
            },
            "records.csv:2: the outcome `gibberish` is unknown",
        ),
        (
            |rows| {
                let (sample, first) = (column(rows, "sample"), rows[1].clone());
                rows[2][sample].clone_from(&first[sample]);
            },
            "records.csv:3: the sample ",
        ),
    ];
    let whole = std::fs::read(out.join("records.csv")).expect("a journal");
    for (damage, words) in damages {
        change(&out, damage);
        let said = report(&out, 2);
        assert!(
            said.starts_with("error: ") && said.contains(words),
            "{said}"
        );
        std::fs::write(out.join("records.csv"), &whole).expect("writable");
    }
}

fn drop_field(row: &mut Vec<String>, place: usize) {
    row.remove(place);
}

#[test]
fn a_run_is_taken_up_again_as_it_was_and_with_more_repeats() {
    let (_folder, experiment, out) = run();
    let rows = || {
        let journal = std::fs::read_to_string(out.join("records.csv")).expect("a journal");
        journal.lines().count() - 1
    };
    let resume = |more: &[&str]| {
        let arguments = ["run", text(&experiment), "--out", text(&out), "--resume"];
        ikeru(&[&arguments[..], more].concat())
    };
    resume(&[]).assert().success();
    assert_eq!(rows(), 2);
    resume(&["--repeats", "3"]).assert().success();
    assert_eq!(rows(), 6);
    let about = std::fs::read_to_string(out.join("run.toml")).expect("run.toml");
    assert!(about.contains("repeats = 3"), "{about}");
    for (more, words) in [
        (&["--full"][..], "--full"),
        (&["--set", "steps=6"], "--set"),
        (&["--limit", "1s"], "--limit"),
        (&["--seed", "1"], "--seed"),
    ] {
        let refused = resume(more).assert().code(2);
        let said = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
        assert!(said.contains(words), "{said}");
    }
}

#[test]
fn run_toml_holds_the_experiment_as_it_ran() {
    let folder = tempfile::tempdir().expect("a folder");
    let experiment = folder.path().join("small.toml");
    let all = EXPERIMENT.replace(r#"["memo", "bitboard"]"#, r#"["*"]"#);
    std::fs::write(&experiment, all).expect("written");
    let out = folder.path().join("run");
    let arguments = ["run", text(&experiment), "--out", text(&out)];
    ikeru(&[&arguments[..], &["--full", "--set", "steps=3"]].concat())
        .assert()
        .success();
    let about = ikeru_reports::run_file::RunFile::read(&out).expect("run.toml");
    assert_eq!(about.directions["reach"], "equal");
    assert_eq!(about.words["reach"]["size"], "vertices");
    let ran = about.experiments[0].read().expect("an experiment");
    assert_eq!(
        (about.scale.as_str(), &about.sets[..]),
        ("full", &["steps=3".to_owned()][..])
    );
    assert_eq!(ran.run.repeats, Some(2));
    assert_eq!(ran.full, None);
    assert!(ran.variant_specs().expect("variants").len() > 5);
    let steps = ran.settings.get("steps").expect("a setting").list();
    assert_eq!(steps, Ok(vec![ikeru_core::Value::Int(3)]));
}
