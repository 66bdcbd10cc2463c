//! Every built-in experiment, planned, sampled once with a short limit, and reported.

use std::fs;

use ikeru_bench_data::builtin;

use crate::{ikeru, shared_data};

/// What asks for files that are not part of the project.
const WITH_FILES: &str = "movingai";

/// Runs the experiments into one folder and looks at their page.
fn sampled_and_reported(names: &[&str], more: &[&str]) {
    let inside = tempfile::tempdir().expect("a folder");
    let out = inside.path().join("all");
    let mut call = ikeru(&["run"]);
    call.args(names).args(more);
    call.args(["--repeats", "1", "--limit", "3ms", "--mode", "contended"]);
    call.arg("--out").arg(&out).assert().success();
    let page = fs::read_to_string(out.join("index.html")).expect("a page");
    let notice = page.split("not made:").nth(1).map(|rest| &rest[..80]);
    assert_eq!(
        notice, None,
        "a notice in place of a plot, a table or an analysis"
    );
    let records = fs::read_to_string(out.join("records.csv")).expect("records");
    for name in names {
        assert!(
            page.contains(&format!("id=\"{name}\"")),
            "{name} has no section"
        );
        assert!(
            records.contains(&format!("\n3,{name},")),
            "{name} has no row"
        );
    }
}

#[test]
fn every_built_in_experiment_is_planned_sampled_and_reported() {
    let names: Vec<&str> = builtin::experiment_texts()
        .map(|(name, _)| name)
        .filter(|name| *name != WITH_FILES)
        .collect();
    assert!(names.len() > 30, "{names:?}");
    sampled_and_reported(&names, &[]);
    if let Some(maps) = shared_data("path") {
        let maps = format!("maps={}", maps.display());
        sampled_and_reported(&[WITH_FILES], &["--set", &maps]);
    }
}
