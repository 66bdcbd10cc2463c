//! Every built-in experiment, planned, sampled once with a short limit, and reported.

use std::fs;

use ikeru_bench_data::builtin;

use crate::{ikeru, shared_data};

/// Experiments that need files that are not part of the project: the experiment, its parameter for the folder of the
/// files, and the folder of the shared data.
const WITH_FILES: [[&str; 3]; 2] = [
    ["movingai", "maps", "path"],
    ["challeran-boards", "boards", "trail"],
];

/// Runs the experiments into one folder and checks their page.
fn sampled_and_reported(names: &[&str], more: &[&str]) {
    let inside = tempfile::tempdir().expect("a folder");
    let out = inside.path().join("all");
    let mut call = ikeru(&["run"]);
    call.args(names).args(more);
    call.args(["--repeats", "1", "--limit", "3ms", "--mode", "contended"]);
    // On a busy machine nothing may be solved in so short a time.
    let code = call
        .arg("--out")
        .arg(&out)
        .output()
        .expect("it ends")
        .status
        .code();
    assert!(matches!(code, Some(0 | 4)), "{code:?}");
    let page = crate::pages_of(&out);
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
        .filter(|name| WITH_FILES.iter().all(|[of, ..]| name != of))
        .collect();
    assert!(names.len() > 30, "{names:?}");
    sampled_and_reported(&names, &[]);
    for [name, parameter, folder] in WITH_FILES {
        if let Some(files) = shared_data(folder) {
            let files = format!("{parameter}={}", files.display());
            sampled_and_reported(&[name], &["--set", &files]);
        }
    }
}
