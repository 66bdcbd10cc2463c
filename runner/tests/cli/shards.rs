//! Shards of one run: begun, resumed, shown, merged, and what is refused.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::fair::rows;
use crate::foreign::{Bench, RIGHT};
use crate::{has, ikeru, output, pages_of, refused, said, words};

const RUN: &str = "run ikerukana-example --mode=contended";

/// A folder for the shards of a small experiment.
struct Shards(tempfile::TempDir);

impl Shards {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn name(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }

    /// The words that run this shard, into the folder of its number.
    fn words(&self, shard: &str) -> Vec<String> {
        let number = shard.split('/').next().unwrap_or_default();
        let out = self.name(&format!("all/{number}"));
        let line = format!("{RUN} --quiet --shard {shard} --resume --out {out}");
        words(&line).into_iter().map(str::to_owned).collect()
    }

    fn run(&self, shard: &str) {
        let words = self.words(shard);
        output(&words.iter().map(String::as_str).collect::<Vec<_>>());
    }
}

/// The identities of all samples of a run folder.
fn samples(folder: &str) -> Vec<String> {
    let rows = rows(&Path::new(folder).join("records.csv"));
    let mut samples: Vec<String> = rows.iter().map(|row| row["sample"].clone()).collect();
    samples.sort();
    samples
}

#[test]
fn shards_are_shown_and_merged_and_a_missing_one_is_named() {
    let shards = Shards::new();
    let [all, part, whole, merged] = ["all", "part", "whole", "merged"].map(|it| shards.name(it));
    shards.run("1/3");
    // The environment is, for example, that of a task of GNU parallel inside a PBS array.
    let mut second = ikeru(&[]);
    second
        .args(shards.words("2/3"))
        .env("SLURMD_NODENAME", "n7");
    second.env("PBS_JOBID", "17").env("PBS_ARRAY_INDEX", "4");
    second.assert().success();
    let own = rows(&Path::new(&all).join("2/records.csv"));
    for (name, expected) in [("node", "n7"), ("job", "17"), ("task", "4")] {
        assert!(own.iter().all(|row| row[name] == expected), "{name}");
    }
    let told = said(&["shards", &all, "--format", "csv"], 75);
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(lines[0], "shard,planned,there,missing,still written");
    assert!(
        lines[1].starts_with("1/3,") && lines[1].ends_with(",0,no"),
        "{told}"
    );
    assert_eq!(lines[3], "3/3,,,,no");
    let [one, two, three] = ["1", "2", "3"].map(|number| format!("{all}/{number}"));
    let told = said(&["merge", &one, &two, "-o", &part], 75);
    has(&told, &["unfinished: shard 3/3 was not merged"]);
    let told = said(&["report", &part], 75);
    has(&told, &["unfinished: shard 3/3 was not merged"]);
    assert!(pages_of(Path::new(&part)).contains("was not merged"));
    shards.run("3/3");
    // Again: nothing runs twice.
    shards.run("1/3");
    output(&["shards", &all]);
    output(&["merge", &part, &three, "-o", &merged]);
    output(&words(&format!("{RUN} --quiet -o {whole}")));
    assert_eq!(samples(&merged), samples(&whole));
    let none = shards.name("none");
    let twice = ["merge", &one, &one, "-o", &none];
    refused(&twice, "", &["the same sample in two shards"]);
    std::fs::copy(format!("{one}/run.toml"), format!("{two}/run.toml")).expect("copied");
    let doubled = "shard 1/3 in 1 and shard 1/3 in 2";
    refused(&["shards", &all], "", &[doubled]);
    let nothing = "no shard; expected the folders of";
    refused(&["shards", &shards.name("")], "", &[nothing]);
}

#[test]
fn a_folder_holds_one_shard() {
    let shards = Shards::new();
    shards.run("1/3");
    let own = shards.name("all/1");
    for other in ["--resume --shard 1/4", "--resume"] {
        let run = format!("{RUN} -o {own} {other}");
        refused(&words(&run), "", &["holds a run with another --shard"]);
    }
    // More shards than questions.
    let is_empty = (1..=99).map(|number| {
        let run = format!("{RUN} --shard {number}/99");
        let listed = output(&[&words(&run)[..], &["--list"]].concat());
        let mut cells = listed.split_whitespace();
        let is_empty =
            cells.by_ref().any(|cell| cell == "ikerukana-example") && cells.next() == Some("0");
        if is_empty {
            let out = shards.name(&format!("many/{number}"));
            output(&[&words(&run)[..], &["--quiet", "-o", &out]].concat());
        }
        is_empty
    });
    assert!(
        is_empty.into_iter().any(|it| it),
        "a shard without a question"
    );
}

/// An experiment of four questions whose solver `build.sh` makes, in the folder of the bench.
fn built(bench: &Bench, script: &str) -> String {
    let answer = format!("#!/bin/sh\n# %s\n{RIGHT}\n")
        .replace('\n', "\\n")
        .replace('\'', "'\\''");
    let script = format!(
        "echo built >>log\n{script}\nsleep 1\nprintf '{answer}' \"$(date +%N)\" >solve\nchmod +x solve\n"
    );
    std::fs::write(bench.path("build.sh"), script).expect("written");
    let entry = "[[variants]]\nname = 'own'\ncommand = ['./solve', '{stdin}']\nprepare = ['sh', 'build.sh']\n";
    let file = bench.experiment("repeats = 2, mode = 'contended'", entry);
    let text = std::fs::read_to_string(&file).expect("read");
    std::fs::write(&file, text.replace("steps = 2", "steps = [2, 6, 10, 14]")).expect("written");
    file
}

/// Starts two shards at once; their exit codes.
fn two_at_once(bench: &Bench, file: &str) -> [Option<i32>; 2] {
    let begun = ["1", "2"].map(|number| {
        let (shard, out) = (format!("{number}/2"), bench.name(number));
        let mut command = Command::new(env!("CARGO_BIN_EXE_ikeru"));
        let line = format!("run {file} --quiet --shard {shard} --resume -o {out}");
        command.args(words(&line));
        command.stderr(Stdio::null()).spawn().expect("a process")
    });
    begun.map(|mut shard| shard.wait().expect("it ends").code())
}

#[test]
fn shards_that_start_together_build_once() {
    let bench = Bench::new();
    let file = built(&bench, "");
    assert_eq!(two_at_once(&bench, &file), [Some(0); 2]);
    let log = || std::fs::read_to_string(bench.path("log")).expect("a log");
    assert_eq!(log(), "built\n");
    let (one, two, out) = (bench.name("1"), bench.name("2"), bench.name("out"));
    output(&["merge", &one, &two, "-o", &out]);
    assert_eq!(samples(&out).len(), 8);
    // Later a shard builds again, and this build never makes the same program.
    let (again, none) = (bench.name("again"), bench.name("none"));
    output(&["run", &file, "--quiet", "--shard", "2/2", "-o", &again]);
    assert_eq!(log(), "built\nbuilt\n");
    let other = ["merge", &one, &again, "-o", &none];
    refused(&other, "", &["another command own"]);
}

#[test]
fn a_shard_builds_after_the_build_of_another_failed() {
    let bench = Bench::new();
    let file = built(
        &bench,
        "[ -e failed ] || { touch failed; sleep 1; exit 1; }",
    );
    let mut codes = two_at_once(&bench, &file);
    codes.sort_unstable();
    assert_eq!(codes, [Some(0), Some(2)]);
    let log = std::fs::read_to_string(bench.path("log")).expect("a log");
    assert_eq!(log, "built\nbuilt\n");
}
