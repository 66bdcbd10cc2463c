//! `reproduce`: further samples for figures that are open, and verdicts compared with those of another run.

use std::collections::BTreeMap;
use std::path::Path;

use crate::{ikeru, output, refused};

/// Verdict and sample of each figure of a run folder.
fn figures(folder: &Path) -> BTreeMap<String, (String, u32)> {
    let mut reader = csv::Reader::from_path(folder.join("figures.csv")).expect("figures.csv");
    let header = reader.headers().expect("a header").clone();
    let at = |name: &str| {
        header
            .iter()
            .position(|column| column == name)
            .expect("a column")
    };
    let [id, verdict, sampled] = ["id", "verdict", "sampled"].map(at);
    let rows = reader.records().map(|row| row.expect("a row"));
    rows.map(|row| {
        let sampled = row[sampled].parse().unwrap_or(0);
        (row[id].to_owned(), (row[verdict].to_owned(), sampled))
    })
    .collect()
}

#[test]
fn an_open_figure_gets_instances_of_further_seeds_until_it_is_decided() {
    let folder = tempfile::tempdir().expect("a folder");
    let (quick, settled) = (folder.path().join("quick"), folder.path().join("settled"));
    let [quick_path, path] = [&quick, &settled].map(|path| path.to_str().expect("UTF-8"));
    output(&[
        "reproduce",
        "astar-units",
        "--quick",
        "-q",
        "--out",
        quick_path,
    ]);
    output(&[
        "reproduce",
        "astar-units",
        "--budget",
        "60s",
        "-q",
        "--out",
        path,
    ]);
    let (before, after) = (figures(&quick), figures(&settled));
    for id in ["astar/units-tank", "astar/units-horse"] {
        // The level allows for a look after each doubling, for which the first sample is too small.
        assert!(before[id].1 < after[id].1, "{id}: {before:?} {after:?}");
        assert_eq!(after[id].0, "reproduced", "{id}");
    }
    // A decided figure takes no more samples: a resumed session adds none.
    let rows = || {
        std::fs::read_to_string(settled.join("records.csv"))
            .expect("rows")
            .lines()
            .count()
    };
    let all = rows();
    output(&[
        "reproduce",
        "astar-units",
        "--budget",
        "60s",
        "-q",
        "--resume",
        "--out",
        path,
    ]);
    assert_eq!(rows(), all);
    // The command on the page finds further instances again.
    let run = std::fs::read_to_string(settled.join("run.toml")).expect("run.toml");
    assert!(
        run.contains("ikeru run astar-units --budget=60s --draw ")
            || run.contains("ikeru run astar-units --draw "),
        "{run}"
    );
}

#[test]
fn what_cannot_be_compared_or_settled_is_refused_at_once() {
    refused(
        &["run", "astar-units", "--budget", "1m"],
        "",
        &["--budget", "--until-decided"],
    );
    let both = ["reproduce", "astar-units", "--quick", "--budget", "1m"];
    ikeru(&both).assert().code(2);
}
