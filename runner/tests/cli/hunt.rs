//! A hunt: finds that run again, one-line errors.

use crate::{ikeru, output, refused};

#[test]
fn finds_are_a_corpus_that_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("hunt");
    let out_ = out.to_str().expect("plain letters");
    let hunt = [
        "hunt",
        "dfs",
        "dfs+bound",
        "--on",
        "trail.random",
        "--set",
        "width=2..4",
        "--set",
        "height=2..4",
        "--metric",
        "counter:nodes",
        "--budget",
        "2s",
        "--keep",
        "2",
        "--out",
        out_,
    ];
    let said = output(&hunt);
    assert!(said.contains("dfs+bound-wins-1"), "{said}");
    let candidates = std::fs::read_to_string(out.join("candidates.csv")).expect("candidates");
    assert!(candidates.lines().count() > 10, "{candidates}");
    let experiment = out.join("hunt.toml");
    let run = folder.path().join("run");
    let [experiment, run_] = [&experiment, &run].map(|path| path.to_str().expect("plain letters"));
    output(&["run", experiment, "--repeats", "1", "--out", run_]);
    let records = std::fs::read_to_string(run.join("records.csv")).expect("records");
    assert!(records.contains("dfs+bound-wins-1"), "{records}");
    assert!(!records.contains(",wrong,"), "{records}");
}

#[test]
fn what_cannot_be_hunted_is_refused() {
    let on = ["--on", "trail.random"];
    let with = |words: &[&'static str]| [words, &on].concat();
    refused(&with(&["hunt", "dfs", "dfs"]), "", &["same variant"]);
    refused(&with(&["hunt", "dfs", "dsf"]), "", &["dsf", "dfs"]);
    refused(
        &["hunt", "dfs", "dfs+bound", "--on", "trail.radnom"],
        "",
        &["trail.random"],
    );
    refused(
        &with(&["hunt", "dfs", "dfs+bound", "--metric", "counter:node"]),
        "",
        &["nodes"],
    );
    refused(
        &with(&["hunt", "dfs", "dfs+bound", "--set", "widht=3"]),
        "",
        &["width"],
    );
    let done = ikeru(&["hunt", "dfs", "dfs+bound"]).assert().code(2);
    assert!(String::from_utf8_lossy(&done.get_output().stderr).contains("--on"));
}
