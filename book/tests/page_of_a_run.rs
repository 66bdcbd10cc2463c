//! A small run folder, made by hand, becomes a page.

use std::path::Path;
use std::time::Duration;

use ikeru_records::run_file::{RanExperiment, RunFile};
use ikeru_records::{Columns, Extra, Family, Outcome, Record, Sample};
use ikeru_reports::report::ReportAsked;

const EXPERIMENT: &str = r#"
name = "small"
title = "Two variants, side by side"
about = "Lower is faster."
problem = "reach"
variants = ["memo", "bitboard"]
baseline = "memo"
answers = ["ikerukana/memo-gain"]
[[instances]]
generator = "reach.spanning-grid"
[[tables]]
title = "Time per question"
rows = "label"
columns = "setting_steps"
relative_to = "memo"
[[plots]]
name = "small"
kind = "line"
title = "The bit planes are faster"
reading = "Lower is faster."
x = "setting_steps"
y_scale = "log"
"#;

fn record(label: &str, steps: u64, repeat: u32) -> Record<'_> {
    let speed = if label == "memo" { 1_000 } else { 2 };
    Record {
        experiment: "small",
        cell: format!("{label}{steps}"),
        sample: format!("{label}{steps}{repeat}"),
        problem: "reach",
        instance: "spanning-grid <900>",
        instance_hash: "abc".to_owned(),
        question: format!("abc {steps}"),
        size: 900,
        variant: label,
        label,
        repeat,
        threads: 1,
        taken: Sample {
            outcome: if steps == 48 && label == "memo" {
                Outcome::Timeout
            } else {
                Outcome::Solved
            },
            proven: true,
            score: Some(7),
            batch: Some(Duration::from_nanos(speed * steps + u64::from(repeat))),
            iterations: 1,
            ..Sample::default()
        },
        settings: vec![(Family::Setting, "steps", steps.to_string())],
        ..Record::default()
    }
}

fn run_folder(folder: &Path, change: impl Fn(&mut Record)) {
    let columns = Columns::new([Extra::new(Family::Setting, "steps", "")]);
    let mut text = columns.header_line();
    for label in ["memo", "bitboard"] {
        for steps in [12, 24, 48] {
            for repeat in 0..5 {
                let mut record = record(label, steps, repeat);
                change(&mut record);
                text += &columns.line(&record);
            }
        }
    }
    std::fs::write(folder.join("records.csv"), text).expect("written");
    let run = RunFile {
        command: "ikeru run small.toml --set x=\"<1>\"".to_owned(),
        scale: "quick".to_owned(),
        machine: [("cpu".to_owned(), "a test".to_owned())].into(),
        experiments: vec![RanExperiment {
            name: "small".to_owned(),
            text: EXPERIMENT.to_owned(),
        }],
        ..RunFile::default()
    };
    std::fs::write(folder.join("run.toml"), run.text().expect("TOML")).expect("written");
    let frames = ["before", "after"].map(|caption| ikeru_core::Picture::new(4.0, 2.0, caption));
    ikeru_reports::write_pictures(folder, "small", "memo", &frames).expect("written");
}

#[test]
fn a_run_folder_becomes_a_page() {
    let temporary = tempfile::tempdir().expect("a folder");
    let folder = std::env::var_os("IKERU_PAGE_FOLDER")
        .map_or(temporary.path().to_owned(), std::path::PathBuf::from);
    run_folder(&folder, |_| {});
    let report = ikeru_book::report(&folder, ReportAsked::default()).expect("a report");
    assert_eq!(report.run.folder.rows.len(), 30);
    assert!(!report.run.folder.failures.has_wrong_answers());
    let html = std::fs::read_to_string(report.run.folder.page_path()).expect("a page");
    for part in [
        "Two variants, side by side",
        "spanning-grid &lt;900&gt;",
        "&lt;1&gt;",
        "No wrong answer, no disagreement between exact variants, no crash",
        "isolated mode · bound policy shared · 1 thread",
        "stopped at the limit",
        "Not compared",
        "<figcaption>after</figcaption>",
        // Five repeats a side: a speed-up without an interval.
        "≥490×",
        "have no 95 % interval",
        "<svg",
    ] {
        assert!(html.contains(part), "{part}");
    }
    for file in ["summary.csv", "plots/small.svg", "plots/small.png"] {
        assert!(folder.join(file).exists(), "{file}");
    }
    // One experiment: the figures that it answers, judged, with the reason.
    let figures = std::fs::read_to_string(folder.join("figures.csv")).expect("figures");
    assert_eq!(figures.lines().count(), 2, "{figures}");
    assert!(
        figures.contains("ikerukana/memo-gain,Ikerukana,"),
        "{figures}"
    );
    assert!(figures.contains(",not measured in this run,"), "{figures}");
    assert_eq!(
        report.run.answers[0].text,
        "The bit planes are faster (wall time)"
    );
    let variants = report.run.variants.expect("one experiment");
    assert_eq!(variants.rows.len(), 2);
}

#[test]
fn proofs_that_contradict_each_other_stand_first() {
    let folder = tempfile::tempdir().expect("a folder");
    let forged = |record: &mut Record| {
        let is_bitboard = record.label == "bitboard";
        match record.settings[0].2.as_str() {
            "12" if is_bitboard => record.taken.score = Some(6),
            // No contradiction: it does not claim to be proven.
            "24" if is_bitboard => (record.taken.score, record.taken.proven) = (Some(6), false),
            _ => {}
        }
    };
    run_folder(folder.path(), forged);
    let report = ikeru_book::report(folder.path(), ReportAsked::default()).expect("a report");
    assert!(report.run.folder.failures.has_wrong_answers());
    // All scores are equal or wrong: nobody is shown to be wrong.
    let why = "bitboard: 6; memo: 7";
    let lines = report.run.folder.failures.in_lines(10);
    assert!(
        lines.starts_with("in-dispute: ") && lines.contains(why),
        "{lines}"
    );
    let rows = &report.run.folder.rows;
    let disputed = rows.ended(&rows.all(), Outcome::Disputed);
    assert_eq!(rows.distinct("setting_steps", &disputed), ["12"]);
    assert_eq!(rows.distinct("label", &disputed), ["memo", "bitboard"]);
    let html = std::fs::read_to_string(report.run.folder.page_path()).expect("a page");
    let place = |text: &str| html.find(text).unwrap_or_else(|| panic!("{text}"));
    let table = place("with an answer in dispute</strong>");
    assert!(table < place("with a timeout</strong>"));
    assert!(html.contains(why));
}

#[test]
fn an_experiment_that_no_source_speaks_of_has_a_page_without_claims() {
    let folder = tempfile::tempdir().expect("a folder");
    run_folder(folder.path(), |_| {});
    let about = folder.path().join("run.toml");
    let text = std::fs::read_to_string(&about).expect("run.toml");
    let own = text.replace("answers = [\"ikerukana/memo-gain\"]\n", "");
    assert_ne!(own, text);
    std::fs::write(&about, own).expect("written");
    let book = ikeru_book::report(folder.path(), ReportAsked::default()).expect("a report");
    assert!(book.figures.is_empty() && book.cards.is_empty() && book.verdicts.is_empty());
    let page = std::fs::read_to_string(book.run.folder.page_path()).expect("a page");
    assert!(page.contains("<h1>Two variants, side by side</h1>"));
    for word in ["claim", "figures.csv", "ource", "onsole"] {
        let shown = page.split("<style>").next().unwrap_or_default().to_owned()
            + page.split("</style>").nth(1).unwrap_or_default();
        let shown = shown.split("<script>").next().unwrap_or_default();
        assert!(!shown.contains(word), "{word}");
    }
}
