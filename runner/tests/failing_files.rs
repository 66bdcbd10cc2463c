//! A disk that fails at every call: a small session whose n-th write, open, rename or other change of a file fails, for every
//! n. Whatever fails, the run can be resumed: no finished sample is lost, none is there twice, no torn file is taken for
//! a whole one. The calls are made to fail by `failing_files.c`, which is preloaded.
#![cfg(target_os = "linux")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use ikeru_reports::run_file::RunFile;

const EXPERIMENT: &str = r#"name = "small"
title = "Which is faster?"
about = "Two variants on two maps."
problem = "reach"
variants = ["memo", "bitboard"]
instances = [{ generator = "reach.spanning-grid", seeds = { from = 1, to = 2 }, set = { width = 4, height = 4 } }]
run = { repeats = 2, sample = "1us", warm_up = "0s", mode = "contended" }
"#;
const SAMPLES: usize = 8;

/// Every n-th place is tried; all of them with `IKERU_CI_FULL`.
const EVERY: usize = 9;

struct Bench {
    folder: tempfile::TempDir,
    library: PathBuf,
}

impl Bench {
    /// Compiles the library; `None` without a C compiler.
    fn new() -> Option<Self> {
        let folder = tempfile::tempdir().expect("a folder");
        let library = folder.path().join("failing.so");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/failing_files.c");
        let built = Command::new("cc")
            .args(["-shared", "-fPIC", "-O1", "-o"])
            .args([&library, &source])
            .arg("-ldl")
            .output();
        if !built.is_ok_and(|built| built.status.success()) {
            println!("skipped: failing files (no C compiler)");
            return None;
        }
        fs::write(folder.path().join("small.toml"), EXPERIMENT).expect("written");
        Some(Self { folder, library })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ikeru"));
        command.args(words).arg(self.path("run"));
        command.env("RAYON_NUM_THREADS", "1");
        command
    }

    fn run(&self, more: &[&str]) -> Command {
        let file = self.path("small.toml").display().to_string();
        let words = [&["run", &file, "--quiet", "--jobs", "1"], more, &["--out"]].concat();
        self.command(&words)
    }

    /// A command whose `at`-th change of a file fails; returns its end, and whether it came so far.
    fn failing(&self, mut command: Command, at: usize, how: &str) -> (Output, bool) {
        let mark = self.path("mark");
        let _ = fs::remove_file(&mark);
        let ended = command
            .env("LD_PRELOAD", &self.library)
            .env("IKERU_FAIL_UNDER", self.path("run"))
            .env("IKERU_FAIL_AT", at.to_string())
            .env("IKERU_FAIL_HOW", how)
            .env("IKERU_FAIL_MARK", &mark)
            .output();
        (ended.expect("it ends"), mark.exists())
    }

    /// The finished rows: whole lines without the header.
    fn finished(&self) -> Vec<String> {
        let text = fs::read(self.path("run/records.csv")).unwrap_or_default();
        let text = String::from_utf8_lossy(&text).into_owned();
        let end = text.rfind('\n').map_or(0, |end| end + 1);
        text[..end].lines().skip(1).map(str::to_owned).collect()
    }

    /// Checks that nothing is lost, doubled or torn.
    fn check_whole(&self, what: &str, before: &[String]) {
        let rows = self.finished();
        assert!(
            rows.starts_with(before),
            "{what}: a finished sample is lost"
        );
        let samples: BTreeSet<&str> = rows
            .iter()
            .filter_map(|row| row.split(',').nth(2))
            .collect();
        assert_eq!((rows.len(), samples.len()), (SAMPLES, SAMPLES), "{what}");
        let page = fs::read_to_string(self.path("run/index.html")).expect("a page");
        assert!(page.trim_end().ends_with("</html>"), "{what}: a torn page");
        RunFile::read(&self.path("run")).unwrap_or_else(|error| panic!("{what}: {error}"));
    }
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Checks that a failure is one line of error, and no panic.
fn check_told(what: &str, output: &Output, how: &str) {
    let said = said(output);
    let is_crash = how == "crash" || how == "torn";
    let code = output.status.code();
    assert!(
        is_crash && code == Some(137) || matches!(code, Some(0 | 2 | 75)),
        "{what}: {code:?} {said}"
    );
    assert!(!said.contains("panicked"), "{what}: {said}");
    let errors = said
        .lines()
        .filter(|line| line.starts_with("error: "))
        .count();
    assert!(
        is_crash || (code == Some(0)) == (errors == 0),
        "{what}: {said}"
    );
}

const WAYS: [&str; 6] = ["full", "error", "interrupted", "short", "crash", "torn"];

#[test]
fn whatever_call_fails_the_run_is_resumed_and_nothing_is_lost() {
    let Some(bench) = Bench::new() else { return };
    let every = if std::env::var_os("IKERU_CI_FULL").is_some() {
        1
    } else {
        EVERY
    };
    let mut tried = 0;
    for (how, first) in WAYS.into_iter().zip(1..) {
        for at in (first..).step_by(every) {
            let what = format!("{how} at call {at}");
            let _ = fs::remove_dir_all(bench.path("run"));
            let (ended, has_failed) = bench.failing(bench.run(&[]), at, how);
            check_told(&what, &ended, how);
            if !has_failed {
                break;
            }
            tried += 1;
            let before = bench.finished();
            let is_begun = bench.path("run/run.toml").exists();
            let more: &[&str] = if is_begun { &["--resume"] } else { &[] };
            let again = bench.run(more).output().expect("it ends");
            assert!(
                again.status.success(),
                "{what}: not resumed: {}",
                said(&again)
            );
            bench.check_whole(&what, &before);
        }
    }
    assert!(tried > WAYS.len(), "only {tried} calls failed");
}

#[test]
fn whatever_call_of_a_report_fails_the_pages_are_whole_or_the_old_ones() {
    let Some(bench) = Bench::new() else { return };
    assert!(bench.run(&[]).status().expect("it ends").success());
    let rows = bench.finished();
    let every = if std::env::var_os("IKERU_CI_FULL").is_some() {
        1
    } else {
        EVERY
    };
    for how in ["full", "error", "torn"] {
        for at in (1..).step_by(every) {
            let what = format!("report, {how} at call {at}");
            let (ended, has_failed) = bench.failing(bench.command(&["report"]), at, how);
            check_told(&what, &ended, how);
            bench.check_whole(&what, &rows);
            if !has_failed {
                break;
            }
        }
        assert!(
            bench
                .command(&["report"])
                .status()
                .expect("it ends")
                .success(),
            "{how}"
        );
    }
}
