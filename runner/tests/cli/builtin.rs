//! Every built-in experiment, planned, sampled once with a short limit, and reported; stored games, played again.

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
    let done = call.arg("--out").arg(&out).output().expect("it ends");
    let code = done.status.code();
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

#[test]
fn the_first_stored_games_are_played_again() {
    for (name, table) in builtin::stored_games() {
        let inside = tempfile::tempdir().expect("a folder");
        let (file, out) = (inside.path().join("first.toml"), inside.path().join("run"));
        let mut known = csv::Reader::from_reader(table.as_bytes());
        let header = known.headers().expect("a header").clone();
        let games: Vec<_> = known
            .records()
            .take(3)
            .map(|game| game.expect("a game"))
            .collect();
        // The experiment with the seeds of these games.
        let mut texts = builtin::experiment_texts();
        let (_, text) = texts.find(|(known, _)| *known == name).expect("built in");
        let (before, rest) = text.split_once("seeds = {").expect("seeds");
        let (_, after) = rest.split_once('}').expect("an end");
        let seeds = format!(
            "seeds = {{ from = {}, to = {} }}",
            &games[0][0], &games[2][0]
        );
        fs::write(&file, [before, &seeds, after].concat()).expect("a file");
        let mut call = ikeru(&["run", "--quiet", "--out"]);
        call.arg(&out).arg(&file).assert().success();

        let mut records = csv::Reader::from_path(out.join("records.csv")).expect("records");
        let columns = records.headers().expect("a header").clone();
        let rows: Vec<_> = records.records().map(|row| row.expect("a row")).collect();
        let at = |name: &str| {
            columns
                .iter()
                .position(|column| column == name)
                .expect("a column")
        };
        let (label, seed) = (at("label"), at("seed"));
        for game in &games {
            for (column, stored) in header.iter().zip(game).skip(1) {
                let (own, measure) = column.rsplit_once(": ").expect("a label and a measure");
                let row = rows
                    .iter()
                    .find(|row| &row[label] == own && row[seed] == game[0]);
                let row =
                    row.unwrap_or_else(|| panic!("{name}: no game of {own}, seed {}", &game[0]));
                assert_eq!(
                    &row[at(measure)],
                    stored,
                    "{name}: {column}, seed {}",
                    &game[0]
                );
            }
        }
    }
}
