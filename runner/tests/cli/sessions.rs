//! Sessions of one run folder: the record of each session, and which sessions may resume a run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ikeru_reports::run_file::RunFile;
use tempfile::TempDir;

use crate::fair::rows;
use crate::{has, ikeru, output, refused, said, words};

const EXPERIMENT: &str = r#"
name = "small"
title = "t"
about = "a"
problem = "trail"
variants = ["dfs", "dominance"]
instances = [{ generator = "trail.random", seeds = [1, 2], set = { width = 3, height = 3 } }]
pictures = 1
run = { repeats = 1, sample = "1us", warm_up = "0ms", hopeless_along = "param_width" }
"#;

/// A folder with the experiment, and the folder of its run.
struct Place {
    inside: TempDir,
    out: PathBuf,
}

impl Place {
    fn new() -> Self {
        let inside = tempfile::tempdir().expect("a folder");
        std::fs::write(inside.path().join("small.toml"), EXPERIMENT).expect("written");
        let out = inside.path().join("run");
        Self { inside, out }
    }

    fn text(&self, name: &str) -> String {
        self.inside.path().join(name).display().to_string()
    }

    /// The command line that runs the experiment.
    fn command(&self, more: &[&str]) -> Vec<String> {
        let own = ["run", &self.text("small.toml"), "--out", &self.text("run")];
        own.iter().chain(more).map(ToString::to_string).collect()
    }

    /// Runs the experiment and returns its standard error.
    fn run(&self, more: &[&str]) -> String {
        let command = self.command(more);
        let command: Vec<&str> = command.iter().map(String::as_str).collect();
        let done = ikeru(&command).assert().success();
        String::from_utf8_lossy(&done.get_output().stderr).into_owned()
    }

    fn refused(&self, more: &[&str], words: &[&str]) {
        let command = self.command(more);
        let command: Vec<&str> = command.iter().map(String::as_str).collect();
        refused(&command, "", words);
    }

    fn file(&self) -> RunFile {
        RunFile::read(&self.out).expect("run.toml")
    }

    /// Changes `run.toml`.
    fn change(&self, change: impl Fn(&mut RunFile)) {
        let mut file = self.file();
        change(&mut file);
        let text = file.text().expect("TOML");
        std::fs::write(self.out.join("run.toml"), text).expect("written");
    }

    fn page(&self) -> String {
        output(&["report", self.out.to_str().expect("a plain path")]);
        crate::pages_of(&self.out)
    }

    fn column(&self, name: &str) -> Vec<String> {
        let rows = rows(&self.out.join("records.csv"));
        rows.iter().map(|row| row[name].clone()).collect()
    }
}

fn set(map: &mut BTreeMap<String, String>, name: &str, value: &str) {
    map.insert(name.to_owned(), value.to_owned());
}

#[test]
fn every_session_stays_with_its_command_and_its_doubts() {
    let place = Place::new();
    place.run(&["--variant", "dfs"]);
    place.change(|file| file.sessions[0].doubts = vec!["a loud neighbour".to_owned()]);
    let first = place.file().sessions[0].clone();
    place.run(&["--resume"]);
    place.run(&["--resume", "--repeats", "2"]);
    let file = place.file();
    let numbers: Vec<u32> = file.sessions.iter().map(|it| it.number).collect();
    assert_eq!(numbers, [1, 2, 3]);
    assert_eq!(file.sessions[0], first, "nothing of it was changed");
    let commands: Vec<&str> = file.sessions.iter().map(|it| &*it.command).collect();
    assert!(commands[0].ends_with("--variant dfs"), "{commands:?}");
    assert!(
        commands[2].ends_with("--resume --repeats 2"),
        "{commands:?}"
    );
    assert!(file.sessions.iter().all(|it| it.binary.len() == 32));
    let started = file.sessions.iter().map(|it| &it.started);
    assert!(started.is_sorted_by(|one, next| one < next));
    let seeds: Vec<u64> = file.sessions.iter().map(|it| it.order_seed).collect();
    assert_eq!(seeds, [0, 1, 2]);
    assert_eq!(place.column("session").concat(), "11223333");
    // Rounds are counted within a session.
    assert_eq!(place.column("round").concat(), "00001111");
    let page = place.page();
    assert!(page.contains("session 1: a loud neighbour"));
    assert!(!page.contains("machines"));
}

#[test]
fn another_machine_or_program_is_refused_or_labelled() {
    let place = Place::new();
    place.run(&["--variant", "dfs"]);
    let whole = std::fs::read(place.out.join("run.toml")).expect("read");
    type Change = fn(&mut RunFile);
    let changes: [(Change, &str); 4] = [
        (
            |file| set(&mut file.sessions[0].machine, "cpu", "an abacus"),
            "session 1 ran with cpu `an abacus`, here it is `",
        ),
        (
            |file| set(&mut file.sessions[0].versions, "ikeru", "0.0.1"),
            "session 1 ran with ikeru `0.0.1`, here it is `",
        ),
        (
            |file| set(&mut file.sessions[0].versions, "rustc", "rustc 1.0"),
            "session 1 ran with rustc `rustc 1.0`",
        ),
        (
            |file| file.sessions[0].binary = "0".repeat(32),
            "session 1 ran with binary `0000",
        ),
    ];
    for (change, words) in changes {
        std::fs::write(place.out.join("run.toml"), &whole).expect("written");
        place.change(change);
        let changed = std::fs::read(place.out.join("run.toml")).expect("read");
        place.refused(&["--resume"], &[words, "--force"]);
        assert_eq!(
            std::fs::read(place.out.join("run.toml")).expect("read"),
            changed
        );
    }
    place.change(|file| set(&mut file.sessions[0].machine, "cpu", "an abacus"));
    place.run(&["--resume", "--force"]);
    assert_eq!(place.column("session"), ["1", "1", "2", "2"]);
    let page = place.page();
    assert!(page.contains("2 sessions on 2 machines; 2 sessions by 2 builds of the program"));
    let rank = ["compare", place.out.to_str().expect("a plain path")];
    refused(&rank, "", &["machine"]);
}

#[test]
fn samples_of_different_sessions_make_no_pair() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("run");
    let run = |more: &[&str]| {
        let out = out.to_str().expect("a plain path");
        let own = ["run", "ikerukana-table", "--out", out, "--repeats", "3"];
        output(&[&own[..], more].concat())
    };
    run(&["--variant", "memo"]);
    run(&["--variant", "bitboard", "--resume", "--until-decided"]);
    let pairs = || -> Vec<usize> {
        let decisions = rows(&out.join("comparisons.csv"));
        let pairs = decisions.iter().map(|row| row["pairs"].parse());
        pairs.map(|pairs| pairs.expect("a number")).collect()
    };
    assert!(!pairs().is_empty() && pairs().iter().all(|pairs| *pairs == 0));
    // A session with both variants makes pairs, and these decide.
    let both = ["--variant", "memo", "--variant", "bitboard", "--resume"];
    run(&[&both[..], &["--until-decided"]].concat());
    assert!(pairs().iter().all(|pairs| *pairs >= 7), "{:?}", pairs());
    let decided = rows(&out.join("comparisons.csv"));
    assert!(decided.iter().all(|row| row["decision"] == "better"));
}

#[test]
fn a_file_that_is_no_journal_is_neither_emptied_nor_reported() {
    let place = Place::new();
    place.run(&[]);
    let records = place.out.join("records.csv");
    std::fs::write(&records, "notes without an end").expect("written");
    let out = place.out.to_str().expect("a plain path");
    let merged = place.text("merged");
    place.refused(&["--resume"], &["records.csv:1: ", "expected `schema`"]);
    for command in [
        &["report", out][..],
        &["compare", out],
        &["compare", &format!("{out}:dfs"), ":dominance"],
        &["merge", out, "-o", &merged],
    ] {
        refused(command, "", &["records.csv:1: ", "expected `schema`"]);
    }
    assert!(!Path::new(&merged).exists());
    let left = std::fs::read_to_string(&records).expect("read");
    assert_eq!(left, "notes without an end");
}

#[test]
fn a_row_that_stands_twice_is_counted_once_and_said() {
    let place = Place::new();
    place.run(&[]);
    let records = place.out.join("records.csv");
    let text = std::fs::read_to_string(&records).expect("read");
    let last = text.lines().last().expect("a row");
    std::fs::write(&records, format!("{text}{last}\n{last}\n")).expect("written");
    let out = place.out.to_str().expect("a plain path");
    has(
        &said(&["report", out], 0),
        &["rows stood twice in records.csv"],
    );
    let counted = rows(&place.out.join("summary.csv"));
    assert!(counted.iter().all(|row| row["n"] == "1"), "{counted:?}");
    assert!(place.page().contains("rows stood twice in records.csv"));
}

#[test]
fn a_column_on_the_command_line_wins_over_the_experiments() {
    for (more, column) in [
        (&[][..], "param_width"),
        (&["--skip-hopeless"], "param_width"),
        (&["--skip-hopeless=size"], "size"),
    ] {
        let place = Place::new();
        place.run(more);
        let ran = place.file().experiments[0].read().expect("an experiment");
        assert_eq!(ran.run.hopeless_along.as_deref(), Some(column), "{more:?}");
    }
}

#[test]
fn what_is_isolated_is_not_run_here_for_its_pictures() {
    let place = Place::new();
    place.run(&[]);
    assert!(place.out.join("pictures").exists());
    let isolated = Place::new();
    let said = isolated.run(&["--isolate"]);
    assert!(said.contains("small: no pictures"), "{said}");
    assert!(!isolated.out.join("pictures").exists());
    let promises = ["cgroup", "process group and orphans", "process group"];
    let promised = &isolated.file().sessions[0].isolation;
    assert!(promises.contains(&promised.as_str()), "{promised}");
    assert_eq!(place.file().sessions[0].isolation, "");
}

#[test]
fn numbers_without_measure_are_refused_or_bounded() {
    for command in [
        "run ikerukana-table --until-decided --budget",
        "reproduce --list --limit",
        "run ikerukana-table --isolate --limit",
    ] {
        let said = said(&[&words(command)[..], &["3000000000000000h"]].concat(), 2);
        has(&said, &["of at most 8760h"]);
    }
    output(&["reproduce", "--list", "--limit", "8760h"]);
    let place = Place::new();
    place.run(&words("--mode contended --jobs 100000 --limit 8760h"));
    assert_eq!(place.column("outcome"), vec!["solved"; 4]);
    let isolated = Place::new();
    isolated.run(&["--isolate", "--limit", "8760h"]);
    assert_eq!(isolated.column("outcome"), vec!["solved"; 4]);
    // A limit of CPU time makes the clock of a process coarse: a time that it cannot measure is empty, never 0.
    let cpu = isolated.column("cpu_ns");
    assert!(cpu.iter().all(|time| time != "0"), "{cpu:?}");
}
