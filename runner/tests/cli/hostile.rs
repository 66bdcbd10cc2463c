//! Experiments and run folders of strangers: nothing is written outside the run folder, nothing of theirs runs.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::{ikeru, output, refused};

const EXPERIMENT: &str = r#"
name = "small"
title = "t"
about = "a"
problem = "reach"
variants = ["memo", "memo-flat"]
instances = [{ generator = "reach.full-grid", set = { width = 4, height = 4 } }]
settings = { steps = 3 }
run = { repeats = 1, sample = "20us", warm_up = "0ms" }
pictures = 1
plots = [{ name = "time", kind = "bar", title = "t" }]
"#;

/// A folder with a run folder in it.
fn run_folder() -> (tempfile::TempDir, PathBuf) {
    let inside = tempfile::tempdir().expect("a folder");
    let experiment = inside.path().join("small.toml");
    fs::write(&experiment, EXPERIMENT).expect("written");
    let run = inside.path().join("run");
    output(&["run", text(&experiment), "--out", text(&run)]);
    (inside, run)
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path of plain letters")
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("listed");
    let name = |entry: std::io::Result<fs::DirEntry>| entry.expect("an entry").file_name();
    let mut names: Vec<String> = entries
        .map(|entry| name(entry).to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn a_name_that_is_a_path_is_refused() {
    let inside = tempfile::tempdir().expect("a folder");
    let file = inside.path().join("evil.toml");
    for (from, to) in [
        ("name = \"small\"", "name = \"../../evil\""),
        ("name = \"small\"", "name = \"/abs/x\""),
        ("name = \"small\"", "name = \"..\""),
        ("name = \"small\"", "name = \"\""),
        ("name = \"time\"", "name = \"../time\""),
    ] {
        fs::write(&file, EXPERIMENT.replacen(from, to, 1)).expect("written");
        let out = inside.path().join("out");
        refused(
            &["run", text(&file), "--out", text(&out)],
            "",
            &["evil.toml", "is no file name"],
        );
        assert_eq!(names(inside.path()), ["evil.toml"]);
    }
}

#[test]
fn a_report_of_a_strangers_folder_writes_nothing_outside() {
    let (inside, run) = run_folder();
    let about = run.join("run.toml");
    let changed = fs::read_to_string(&about).expect("read");
    assert!(changed.contains("name = \"small\""), "{changed}");
    let changed = changed.replace("name = \"small\"", "name = \"../../pwn\"");
    fs::write(&about, changed).expect("written");
    refused(&["report", text(&run)], "", &["is no file name"]);
    assert_eq!(names(inside.path()), ["run", "small.toml"]);
}

#[test]
fn a_link_in_a_run_folder_is_refused() {
    for place in [
        "index.html",
        "plots/small-time.svg",
        "pictures/captions.csv",
        "summary.csv",
    ] {
        let (inside, run) = run_folder();
        let target = inside.path().join("target");
        fs::write(&target, "untouched").expect("written");
        let link = run.join(place);
        fs::remove_file(&link).unwrap_or_else(|error| panic!("{place}: {error}"));
        symlink(&target, &link).expect("a link");
        refused(&["report", text(&run)], "", &[place, "is a link"]);
        let merged = inside.path().join("merged");
        refused(
            &["merge", text(&run), text(&run), "--out", text(&merged)],
            "",
            &["is a link"],
        );
        assert_eq!(fs::read_to_string(&target).expect("read"), "untouched");
    }
}

#[test]
fn a_strangers_picture_is_an_image_that_runs_nothing() {
    let (_inside, run) = run_folder();
    let pictures = run.join("pictures");
    let svg = names(&pictures);
    let svg = svg
        .iter()
        .find(|name| name.ends_with(".svg"))
        .expect("a picture");
    let evil = "<svg xmlns=\"http://www.w3.org/2000/svg\" onload=\"alert(1)\"><script>alert(2)</script></svg>";
    fs::write(pictures.join(svg), evil).expect("written");
    output(&["report", text(&run)]);
    let page = fs::read_to_string(run.join("index.html")).expect("read");
    for markup in ["<script>alert", "onload=\"alert"] {
        assert!(
            !page.contains(markup),
            "the picture stands in the page as markup"
        );
    }
    assert!(
        page.contains("<img src=\"data:image/svg+xml,%3Csvg"),
        "as an image"
    );
}

#[test]
fn products_of_ranges_are_refused_before_they_are_built() {
    let inside = tempfile::tempdir().expect("a folder");
    let file = inside.path().join("large.toml");
    let large = "{ from = 1, to = 1000 }";
    for (from, to, word) in [
        (
            "width = 4, height = 4",
            format!("width = {large}, height = {large}"),
            "instances",
        ),
        (
            "steps = 3",
            format!("steps = {{ from = 0, to = 999999 }}, god = [true, false], start = {large}"),
            "combinations",
        ),
        (
            "steps = 3",
            "steps = { from = 0, to = 999999 }".to_owned(),
            "cells",
        ),
    ] {
        let seeds = "generator = \"reach.full-grid\", seeds = { from = 1, to = 1000 }";
        let text_of =
            EXPERIMENT
                .replacen(from, &to, 1)
                .replacen("generator = \"reach.full-grid\"", seeds, 1);
        fs::write(&file, text_of).expect("written");
        refused(&["run", text(&file), "--list"], "", &[word]);
    }
}

#[test]
fn a_file_without_end_is_refused() {
    let done = ikeru(&["solve", "reach", "/dev/zero"]).assert().code(2);
    let error = String::from_utf8_lossy(&done.get_output().stderr).into_owned();
    assert!(
        error.contains("longer than") && error.lines().count() == 1,
        "{error}"
    );
}
