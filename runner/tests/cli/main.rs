//! The binary as a person calls it: answers, one-line errors, exit codes.

mod ab;
mod answers;
mod bad_input;
mod builtin;
mod claims;
mod commands;
mod comparisons;
mod console;
mod copied;
mod data;
mod failures;
mod fair;
mod faults;
mod foreign;
mod grown;
mod hostile;
mod names;
mod report;
mod runs;
mod samples;
mod sessions;
mod settle;
mod shards;
mod solve;
mod strangers;

use std::path::{Path, PathBuf};

use assert_cmd::Command;

/// Four vertices in a ring, all reached in pairs.
const RING: &str = "4\n1,3\n0,2\n1,3\n0,2\n1\n0\n-1\n";

fn ikeru(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ikeru"));
    command.args(arguments);
    command
}

/// Standard output of a call that succeeds.
fn output(arguments: &[&str]) -> String {
    let done = ikeru(arguments).assert().success();
    String::from_utf8(done.get_output().stdout.clone()).expect("text")
}

/// All that a call says that ends with `code`, on both streams, with plain spaces.
fn said(arguments: &[&str], code: i32) -> String {
    let done = ikeru(arguments).output().expect("it ends");
    let text = [done.stdout, done.stderr].concat();
    let text = String::from_utf8_lossy(&text).replace('\u{202f}', " ");
    assert_eq!(done.status.code(), Some(code), "{arguments:?}: {text}");
    text
}

/// The words of a command line.
fn words(line: &str) -> Vec<&str> {
    line.split(' ').collect()
}

/// The rows of a table in text: a line for each, with a bar between two cells. The last cell may have bars.
fn table<const N: usize>(text: &str) -> Vec<[&str; N]> {
    let row = |line| {
        let cells: Vec<&str> = str::splitn(line, N, '|').map(str::trim).collect();
        cells.try_into().unwrap_or_else(|_| panic!("{line}"))
    };
    text.lines().map(row).collect()
}

/// Asserts that a text has all these parts.
#[track_caller]
fn has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no `{part}` in {text}");
    }
}

/// Feeds `text` to a call that must fail with a one-line error holding every one of `words`.
fn refused(arguments: &[&str], text: &str, words: &[&str]) {
    let done = ikeru(arguments).write_stdin(text).assert().code(2);
    let error = String::from_utf8_lossy(&done.get_output().stderr).into_owned();
    assert!(error.starts_with("error: "), "{error}");
    assert_eq!(error.lines().count(), 1, "{error}");
    has(&error, words);
    assert!(done.get_output().stdout.is_empty());
}

/// The folder of data from other sources, if it exists.
fn shared_data(file: &str) -> Option<PathBuf> {
    let root = std::env::var_os("IKERU_SHARED_DATA").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data"),
        PathBuf::from,
    );
    let path = root.join(file);
    if path.exists() {
        return Some(path);
    }
    eprintln!("skipped: {} is not there", path.display());
    None
}

/// All pages of a run, one after the other.
fn pages_of(run: &Path) -> String {
    let files = std::fs::read_dir(run).expect("a run folder");
    let mut pages: Vec<PathBuf> = files
        .map(|file| file.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "html"))
        .collect();
    pages.sort();
    let text = |path: &PathBuf| std::fs::read_to_string(path).expect("a page");
    pages.iter().map(text).collect()
}
