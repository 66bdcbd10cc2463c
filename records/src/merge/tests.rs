//! Merges of small run folders.

use super::*;
use std::time::Duration;

use crate::rows::Rows;
use crate::run_file::RanExperiment;
use crate::{Columns, DICTIONARY, Extra, Family, Record, Sample};

fn session(cpu: &str, started: &str) -> Session {
    Session {
        number: 1,
        started: started.to_owned(),
        machine: [("cpu".to_owned(), cpu.to_owned())].into(),
        doubts: vec![format!("noise at {started}")],
        ..Session::default()
    }
}

fn run() -> RunFile {
    RunFile {
        command: "ikeru run e".to_owned(),
        experiments: vec![RanExperiment {
            name: "e".to_owned(),
            text: "text".to_owned(),
        }],
        sessions: vec![session("one", "noon")],
        ..RunFile::default()
    }
}

/// The run of a shard such as `1/3`.
fn run_of(shard: &str) -> RunFile {
    let mut run = run();
    run.sessions[0].shard = shard.parse().ok();
    run
}

fn row(sample: &'static str, time: u64) -> Record<'static> {
    Record {
        experiment: "e",
        sample: sample.to_owned(),
        label: "memo",
        instance: "i",
        taken: Sample {
            batch: Some(Duration::from_nanos(time)),
            iterations: 1,
            ..Sample::default()
        },
        session: 1,
        round: Some(0),
        ..Record::default()
    }
}

/// A run folder with `rows` and with columns for `extra`.
fn shard(inside: &Path, name: &str, run: &RunFile, extra: &[&str], rows: &[Record]) -> PathBuf {
    let folder = inside.join(name);
    std::fs::create_dir(&folder).expect("a folder");
    std::fs::write(folder.join("run.toml"), run.text().expect("text")).expect("written");
    let extra = extra
        .iter()
        .map(|name| Extra::new(Family::Setting, name, ""));
    let columns = Columns::new(extra);
    columns
        .write_dictionary(&folder.join(DICTIONARY))
        .expect("written");
    let mut text = columns.header_line();
    text.extend(rows.iter().map(|row| columns.line(row)));
    std::fs::write(folder.join("records.csv"), text).expect("written");
    folder
}

fn terms(command: &str, force: bool) -> MergeTerms {
    MergeTerms {
        command: command.to_owned(),
        force,
    }
}

/// The names of the folder's entries, hidden ones included.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder").flatten();
    let mut names: Vec<String> = entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn shards_of_different_solvers_merge_and_those_of_a_changed_solver_do_not() {
    let inside = tempfile::tempdir().expect("a folder");
    let of = |name: &str, solver: &str, content: &str, sample| {
        let mut run = run();
        let versions = &mut run.sessions[0].versions;
        versions.insert(Session::command(solver), content.to_owned());
        shard(inside.path(), name, &run, &[], &[row(sample, 1)])
    };
    let [one, two, three] = [("1", "a", "x"), ("2", "b", "y"), ("3", "a", "z")]
        .map(|(name, solver, content)| of(name, solver, content, name));
    let [out, other] = ["out", "other"].map(|name| inside.path().join(name));
    merge(&[one.clone(), two], &out, &terms("m", false)).expect("merged");
    let error = merge(&[one, three], &other, &terms("m", false)).expect_err("another solver");
    assert!(error.to_string().ends_with("another command a"), "{error}");
}

#[test]
fn a_shard_that_is_not_merged_is_named() {
    let of = |shards: &[&str]| {
        let runs = shards.iter().map(|shard| run_of(shard));
        unmerged(&runs.collect::<Vec<_>>())
    };
    assert_eq!(of(&["1/3", "3/3"]), ["shard 2/3 was not merged"]);
    assert_eq!(of(&["2/2"]), ["shard 1/2 was not merged"]);
    for whole in [&["1/2", "2/2"][..], &["", "1/2"], &["", ""]] {
        assert!(of(whole).is_empty(), "{whole:?}");
    }
}

#[test]
fn shards_become_one() {
    let inside = tempfile::tempdir().expect("a folder");
    let mut wide = row("s3", 9);
    wide.settings = vec![(Family::Setting, "width", "5".to_owned())];
    let steps = "steps";
    let rows = [row("s1", 7), row("s2", 8)];
    let folders = [
        shard(inside.path(), "a", &run(), &[steps], &rows),
        shard(inside.path(), "b", &run(), &["width", steps], &[wide]),
    ];
    let torn = folders[1].join("records.csv");
    let mut text = std::fs::read_to_string(&torn).expect("read");
    text += "1,e,torn";
    std::fs::write(&torn, text).expect("written");
    let out = inside.path().join("out");
    let merged = merge(&folders, &out, &terms("ikeru merge a b", false)).expect("merged");
    assert_eq!(merged, 3);
    assert_eq!(names(&out), [DICTIONARY, "records.csv", "run.toml"]);
    let rows = Rows::read(&out.join("records.csv")).expect("rows");
    assert_eq!(rows.len(), 3);
    assert_eq!(rows.text("setting_width", 2), "5");
    let dictionary = std::fs::read_to_string(out.join(DICTIONARY)).expect("read");
    let documented = dictionary
        .lines()
        .skip(1)
        .map(|line| line.split(',').next());
    assert!(documented.eq(rows.columns().map(Some)), "{dictionary}");
    assert_eq!(rows.numbers("wall_ns", &rows.all()), [7.0, 8.0, 9.0]);
    let run = RunFile::read(&out).expect("run.toml");
    assert_eq!(run.command, "ikeru merge a b");
    let samples: Vec<u64> = run.sources.iter().map(|source| source.samples).collect();
    assert_eq!(samples, [2, 1]);
    let error = merge(&folders, &out, &terms("", false)).expect_err("exists");
    assert!(error.to_string().contains("exists already"), "{error}");
}

#[test]
fn every_session_is_kept_with_its_doubts() {
    let inside = tempfile::tempdir().expect("a folder");
    let mut second = row("s2", 8);
    second.session = 2;
    let mut resumed = run();
    resumed.sessions.push(Session {
        number: 2,
        ..session("one", "one o'clock")
    });
    let other = RunFile {
        sessions: vec![session("one", "two o'clock")],
        ..run()
    };
    let folders = [
        shard(inside.path(), "a", &resumed, &[], &[row("s1", 7), second]),
        shard(inside.path(), "b", &other, &[], &[row("s3", 9)]),
    ];
    let out = inside.path().join("out");
    merge(&folders, &out, &terms("", false)).expect("merged");
    let rows = Rows::read(&out.join("records.csv")).expect("rows");
    assert_eq!(rows.numbers("session", &rows.all()), [1.0, 2.0, 3.0]);
    let run = RunFile::read(&out).expect("run.toml");
    assert_eq!(
        run.doubts(),
        [
            "session 1: noise at noon",
            "session 2: noise at one o'clock",
            "session 3: noise at two o'clock"
        ]
    );
    let numbers: Vec<&[u32]> = run.sources.iter().map(|it| &it.sessions[..]).collect();
    assert_eq!(numbers, [&[1, 2][..], &[3]]);
}

#[test]
fn a_merge_that_fails_leaves_nothing() {
    let inside = tempfile::tempdir().expect("a folder");
    let folder = shard(inside.path(), "a", &run(), &[], &[row("s1", 7)]);
    let pictures = folder.join("pictures");
    std::fs::create_dir(&pictures).expect("a folder");
    let captions = "file,experiment,label,caption\nmissing.svg,e,memo,what\n";
    std::fs::write(pictures.join("captions.csv"), captions).expect("written");
    let deep = inside.path().join("new/deeper/out");
    let out = inside.path().join("out");
    for out in [&deep, &out] {
        merge(std::slice::from_ref(&folder), out, &terms("", false))
            .expect_err("a picture is missing");
        assert_eq!(names(inside.path()), ["a"]);
    }
    std::fs::remove_dir_all(&pictures).expect("removed");
    for out in [&deep, &out] {
        merge(std::slice::from_ref(&folder), out, &terms("", false)).expect("merged");
        assert!(out.join("run.toml").exists());
    }
    assert_eq!(names(inside.path()), ["a", "new", "out"]);
}

#[test]
fn a_sample_in_two_shards_is_refused_and_nothing_is_written() {
    let inside = tempfile::tempdir().expect("a folder");
    let part = |name, rows: &[Record]| shard(inside.path(), name, &run(), &[], rows);
    let folders = [
        part("a", &[row("s1", 7), row("s2", 1)]),
        part("b", &[row("s1", 9), row("s3", 1)]),
    ];
    let out = inside.path().join("out");
    let error = merge(&folders, &out, &terms("", false)).expect_err("refused");
    let error = error.to_string();
    for words in ["a/records.csv:2 and ", "b/records.csv:2 (", "memo on i"] {
        assert!(error.contains(words), "{error}");
    }
    assert_eq!(names(inside.path()), ["a", "b"]);
}

#[test]
fn what_is_no_shard_is_refused() {
    let inside = tempfile::tempdir().expect("a folder");
    let first = shard(inside.path(), "a", &run_of("1/3"), &[], &[row("s1", 7)]);
    type Change = fn(&mut RunFile);
    let others: [(&str, Change); 6] = [
        ("--set", |run| run.sets = vec!["steps=1".to_owned()]),
        ("--seed", |run| run.seed = 2),
        ("experiment", |run| run.experiments.clear()),
        ("machine", |run| run.sessions = vec![session("two", "noon")]),
        ("program", |run| {
            run.sessions[0].binary = "another".to_owned();
        }),
        ("number of shards", |run| *run = run_of("2/4")),
    ];
    let out = inside.path().join("out");
    for (name, change) in others {
        let mut run = run();
        change(&mut run);
        let other = shard(inside.path(), name, &run, &[], &[row("s2", 7)]);
        let folders = [first.clone(), other];
        let error = merge(&folders, &out, &terms("", false)).expect_err(name);
        let another = format!("another {name}");
        assert!(error.to_string().contains(&another), "{error}");
        if ["machine", "program"].contains(&name) {
            let out = inside.path().join(format!("forced {name}"));
            merge(&folders, &out, &terms("", true)).expect("forced");
            let run = RunFile::read(&out).expect("run.toml");
            assert_eq!(run.mixes_machines(), name == "machine");
        }
    }
}

#[test]
fn what_the_shards_lack_is_in_the_run_file() {
    let inside = tempfile::tempdir().expect("a folder");
    let part = |number: u32, planned: u64, rows: &[Record]| {
        let run = RunFile {
            planned: [("e".to_owned(), planned)].into(),
            missing: vec![format!("known to {number}")],
            ..run_of(&format!("{number}/3"))
        };
        shard(inside.path(), &number.to_string(), &run, &[], rows)
    };
    let folders = [
        part(1, 2, &[row("a", 1)]),
        part(3, 2, &[row("b", 1), row("c", 1)]),
    ];
    let out = inside.path().join("out");
    merge(&folders, &out, &terms("", false)).expect("merged");
    let run = RunFile::read(&out).expect("run.toml");
    assert!(run.planned.is_empty());
    let first = format!("{}: 1 of 2 samples", folders[0].display());
    assert_eq!(
        run.missing,
        [
            &first,
            "shard 2/3 was not merged",
            "known to 1",
            "known to 3"
        ]
    );
}

#[test]
fn answers_pictures_and_best_known_scores_of_every_shard_are_kept() {
    let inside = tempfile::tempdir().expect("a folder");
    let known = |score| bests::BestKnown {
        instance: "i".to_owned(),
        direction: ikeru_core::Direction::Maximize,
        score,
        decimals: 0,
        variant: "v".to_owned(),
        date: "d".to_owned(),
        answer: String::new(),
    };
    let folders = [("a", 7), ("b", 9), ("c", 8)].map(|(name, score)| {
        let folder = shard(inside.path(), name, &run(), &[], &[row(name, 1)]);
        for kept in [bests::ANSWERS, bests::FAILED] {
            std::fs::create_dir(folder.join(kept)).expect("a folder");
            std::fs::write(folder.join(kept).join(name), name).expect("written");
        }
        let picture = [(format!("<svg>{name}"), "what".to_owned())];
        pictures::write(&folder, ("e", name), picture.into_iter()).expect("written");
        let mut ledger = Ledger::default();
        assert!(ledger.improve(known(score)));
        ledger.write(&folder).expect("written");
        folder
    });
    let out = inside.path().join("out");
    let merged = merge(&folders, &out, &terms("", false)).expect("merged");
    assert_eq!(merged, 3);
    for kept in [bests::ANSWERS, bests::FAILED] {
        assert_eq!(names(&out.join(kept)), ["a", "b", "c"]);
    }
    let answer = std::fs::read_to_string(out.join(bests::ANSWERS).join("b"));
    assert_eq!(answer.expect("copied"), "b");
    let captions = pictures::captions(&out).expect("captions");
    let labels: Vec<&str> = captions.iter().map(|it| it.label.as_str()).collect();
    assert_eq!(labels, ["a", "b", "c"]);
    let picture = std::fs::read_to_string(out.join(pictures::FOLDER).join(&captions[1].file));
    assert_eq!(picture.expect("copied"), "<svg>b");
    let best = Ledger::read(&out).expect("a ledger");
    assert_eq!(best.iter().collect::<Vec<_>>(), [&known(9)]);
}

#[test]
fn columns_of_all_shards_are_sorted_by_family() {
    let inside = tempfile::tempdir().expect("a folder");
    let none = Numbers::new();
    let shards = [["steps"], ["width"]].map(|extra| {
        let folder = shard(inside.path(), extra[0], &run(), &extra, &[]);
        let text = std::fs::read_to_string(folder.join("records.csv")).expect("text");
        let text = text.replace('\n', &format!(",counter_{}\n", extra[0]));
        std::fs::write(folder.join("records.csv"), text).expect("written");
        ShardRows::open(&folder, &none).expect("a shard")
    });
    let extra = columns(&shards).split_off(crate::COLUMNS.len());
    let expected = [
        "setting_steps",
        "setting_width",
        "counter_steps",
        "counter_width",
    ];
    assert_eq!(extra, expected);
}

#[test]
fn shards_without_a_dictionary_merge() {
    let inside = tempfile::tempdir().expect("a folder");
    let folders = ["a", "b"].map(|name| shard(inside.path(), name, &run(), &[], &[row(name, 1)]));
    for (folder, out, is_written) in [(0, "one", true), (1, "none", false)] {
        std::fs::remove_file(folders[folder].join(DICTIONARY)).expect("removed");
        let out = inside.path().join(out);
        merge(&folders, &out, &terms("", false)).expect("merged");
        assert_eq!(out.join(DICTIONARY).exists(), is_written);
    }
}

#[test]
fn a_shard_may_come_to_a_merge_of_the_others_with_other_words() {
    let inside = tempfile::tempdir().expect("a folder");
    let text = |title: &str| {
        format!(
            "name = \"e\"\ntitle = \"{title}\"\nproblem = \"reach\"\nvariants = [\"memo\"]\n\
             instances = [{{ generator = \"reach.full-grid\" }}]\n"
        )
    };
    let part = |number: u32, sample: &'static str, title: &str| {
        let mut run = run_of(&format!("{number}/3"));
        run.experiments[0].text = text(title);
        run.sessions[0].started = sample.to_owned();
        let number = number.to_string();
        shard(inside.path(), &number, &run, &[], &[row(sample, 1)])
    };
    let [one, two, three] = [(1, "a", "t"), (2, "b", "t"), (3, "c", "changed")]
        .map(|(number, sample, title)| part(number, sample, title));
    let merged = |folders: &[PathBuf], out: &str| {
        let out = inside.path().join(out);
        merge(folders, &out, &terms("ikeru merge", false)).expect("merged");
        (RunFile::read(&out).expect("run.toml").missing, out)
    };
    let (missing, both) = merged(&[one, two], "both");
    assert_eq!(missing, ["shard 3/3 was not merged"]);
    let (missing, _) = merged(&[both, three], "all");
    assert!(missing.is_empty(), "{missing:?}");
}
