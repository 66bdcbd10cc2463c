//! `reproduce`: further samples for figures that are open, and verdicts compared with those of another run.

use std::collections::BTreeMap;
use std::path::Path;

use crate::{has, ikeru, output, refused, words};

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
    output(&words(&format!(
        "reproduce astar-units --quick -q --out {quick_path}"
    )));
    let settle = format!("reproduce astar-units --budget 60s -q --out {path}");
    output(&words(&settle));
    let (before, after) = (figures(&quick), figures(&settled));
    for id in ["astar/units-tank", "astar/units-horse"] {
        // The level allows for a look after each doubling, for which the first sample is too small.
        assert!(before[id].1 < after[id].1, "{id}: {before:?} {after:?}");
        assert_eq!(after[id].0, "reproduced", "{id}");
    }
    // A decided figure takes no more samples: a resumed session adds none.
    let rows = || std::fs::read_to_string(settled.join("records.csv")).expect("rows");
    let all = rows();
    output(&[&words(&settle)[..], &["--resume"]].concat());
    assert_eq!(rows(), all);
    // The command on the page finds further instances again.
    let run = std::fs::read_to_string(settled.join("run.toml")).expect("run.toml");
    let run = run.replace(" --budget=60s", "");
    has(&run, &["ikeru run astar-units --draw "]);
}

#[test]
fn what_cannot_be_compared_or_settled_is_refused_at_once() {
    let alone = words("run astar-units --budget 1m");
    refused(&alone, "", &["--budget", "--until-decided"]);
    let both = words("reproduce astar-units --quick --budget 1m");
    ikeru(&both).assert().code(2);
}

#[test]
fn a_source_names_its_experiments() {
    let list = |named: &str| output(&words(&format!("reproduce {named} --list")));
    let own = list("challeran");
    assert!(
        own.contains("challeran-table ") && !own.contains("astar-"),
        "{own}"
    );
    assert!(!own.contains("challeran-boards "), "it needs files: {own}");
}
