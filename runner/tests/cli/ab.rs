//! Two builds in one session: equal answers, lost answers, and sides that are no build.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::{ikeru, refused};

/// Two variants on one small map.
const EXPERIMENT: &str = r#"
name = "small"
title = "Two variants on one map"
about = "Lower is faster."
problem = "reach"
variants = ["memo", "bitboard"]
instances = [{ generator = "reach.spanning-grid", set = { width = 8 } }]
settings = { steps = 20 }
run = { repeats = 2, sample = "10us", warm_up = "1us" }
"#;

const THIS: &str = env!("CARGO_BIN_EXE_ikeru");

fn written(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, text).expect("written");
    path.to_str().expect("plain letters").to_owned()
}

/// A build that says that it is one, then does `script` instead of the worker's job.
fn build(folder: &Path, name: &str, script: &str) -> String {
    let text = format!("#!/bin/sh\n[ \"$1\" = --version ] && exec echo ikeru 0.0.0\n{script}\n");
    let path = PathBuf::from(written(folder, name, &text));
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("a program");
    path.to_str().expect("plain letters").to_owned()
}

#[test]
fn one_build_against_itself_has_the_same_answers_and_is_left_undecided_or_within() {
    let folder = tempfile::tempdir().expect("a folder");
    let experiment = written(folder.path(), "small.toml", EXPERIMENT);
    let [out, history, summary] =
        ["out", "history.json", "summary.md"].map(|name| folder.path().join(name));
    let [out_, history_, summary_] =
        [&out, &history, &summary].map(|path| path.to_str().expect("plain letters"));
    std::fs::write(&summary, "# Before\n").expect("written");
    // A margin that no noise of a test machine reaches. *Faster* has none: one session in 200 has such a false alarm.
    let done = ikeru(&[
        "ab",
        THIS,
        THIS,
        &experiment,
        "--budget",
        "60s",
        "--fail-if-slower",
        "900%",
        "-o",
        out_,
        "--history",
        history_,
        "--summary",
        summary_,
        "--must-decide",
    ])
    .assert()
    .success();
    let said = String::from_utf8_lossy(&done.get_output().stdout).into_owned();
    assert!(
        said.contains(": 0 differ. Times: 0 slower, ") && said.contains(" faster, 0 undecided"),
        "{said}"
    );
    assert_eq!(said.matches("  the same\n").count(), 2, "{said}");
    let samples = std::fs::read_to_string(out.join("records.csv")).expect("raw samples");
    let sides = |side: &str| samples.lines().filter(|line| line.contains(side)).count();
    assert_eq!(sides("@base,"), sides("@head,"));
    assert!(sides("@base,") > 2 * 2 * 4, "{samples}");
    blocks_alternate(&samples);
    // The session is a run folder like every other.
    let [base, head] = ["base", "head"].map(|side| format!("{out_}:memo@{side}"));
    ikeru(&["compare", &base, &head]).assert().success();
    let history = std::fs::read_to_string(history).expect("a history");
    let history: serde_json::Value = serde_json::from_str(&history).expect("JSON");
    assert_eq!(history.as_array().map(Vec::len), Some(2));
    assert!(
        history[0]["value"].as_f64().is_some_and(|time| time > 0.0),
        "{history}"
    );
    let summary = std::fs::read_to_string(summary).expect("a summary");
    assert!(
        summary.starts_with("# Before\n") && summary.contains("| memo |"),
        "{summary}"
    );
}

/// Asserts that the rows of a block, which is a round, are base, head and base again in some order, then in the
/// reverse order.
fn blocks_alternate(samples: &str) {
    let mut reader = csv::Reader::from_reader(samples.as_bytes());
    let header = reader.headers().expect("a header").clone();
    let place = |name| {
        header
            .iter()
            .position(|column| column == name)
            .expect("a column")
    };
    let [round, label] = ["round", "label"].map(place);
    let mut blocks: Vec<(String, Vec<String>)> = Vec::new();
    for row in reader.records() {
        let row = row.expect("a row");
        let (_, side) = row[label].split_once('@').expect("a side");
        let side = side.to_owned();
        match blocks
            .last_mut()
            .filter(|(number, _)| *number == row[round])
        {
            Some((_, sides)) => sides.push(side),
            None => blocks.push((row[round].to_owned(), vec![side])),
        }
    }
    // Each cell has a preview of both builds first.
    assert_eq!(blocks[0].1, ["base", "head"]);
    assert_eq!(blocks[1].1, ["base", "head"]);
    for (number, sides) in &blocks[2..] {
        let mut there = sides[..3].to_vec();
        let mirrored = [&sides[..3], &[2, 1, 0].map(|at| there[at].clone())].concat();
        assert_eq!(*sides, mirrored, "block {number}");
        there.sort_unstable();
        assert_eq!(there, ["base", "base again", "head"]);
    }
}

#[test]
fn a_head_that_answers_no_more_is_a_regression_and_a_base_that_never_did_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let experiment = written(folder.path(), "small.toml", EXPERIMENT);
    let dies = build(folder.path(), "dies", "exit 7");
    let out = folder.path().join("out");
    let out = out.to_str().expect("plain letters");
    let done = ikeru(&["ab", THIS, &dies, &experiment, "-o", out])
        .assert()
        .code(1);
    let error = String::from_utf8_lossy(&done.get_output().stderr).into_owned();
    assert!(
        error.contains("regression: small: memo on reach.spanning-grid width=8 seed=1"),
        "{error}"
    );
    assert!(
        error.contains("head crashed: its process ended, exit status: 7"),
        "{error}"
    );
    let other = format!("{out}-other");
    let done = ikeru(&["ab", &dies, THIS, &experiment, "-o", &other])
        .assert()
        .code(2);
    let error = String::from_utf8_lossy(&done.get_output().stderr).into_owned();
    assert!(
        error.contains("base gives no answer to any cell") && error.contains("exit status: 7"),
        "{error}"
    );
}

#[test]
fn a_side_that_is_no_build_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let experiment = written(folder.path(), "small.toml", EXPERIMENT);
    refused(
        &["ab", "/bin/true", THIS, &experiment],
        "",
        &["/bin/true", "no build of ikeru"],
    );
    refused(
        &["ab", "no-such-revision", THIS, &experiment],
        "",
        &["no-such-revision", "revision"],
    );
    refused(
        &["ab", THIS, THIS, "no-such-experiment"],
        "",
        &["no-such-experiment"],
    );
    refused(
        &["ab", THIS, THIS, &experiment, "--variant", "mmo"],
        "",
        &["mmo", "memo"],
    );
}

/// A command that works for a number of rounds, which depends on its layout.
const WORK: &str = "i=0; while [ $i -lt $1 ]; do i=$((i+1)); done\n";

/// What `ab` prints, in a folder with `work.sh`; `$1` of it is chosen by the layout in `base.sh` and `head.sh`.
fn of_layouts(folder: &Path, words: &[&str], code: i32) -> String {
    let out = folder.join("out");
    std::fs::remove_dir_all(&out).ok();
    let out = [
        "--metric",
        "cpu",
        "-o",
        out.to_str().expect("plain letters"),
    ];
    let done = ikeru(&[&["ab"], words, &out].concat())
        .current_dir(folder)
        .assert()
        .code(code);
    let output = done.get_output();
    String::from_utf8_lossy(&[output.stdout.clone(), output.stderr.clone()].concat()).into_owned()
}

#[test]
fn layouts_of_commands_are_the_sample() {
    let folder = tempfile::tempdir().expect("a folder");
    written(folder.path(), "work.sh", WORK);
    let rounds = |name: &str, of: [u32; 5]| {
        let cases = (1..)
            .zip(of)
            .map(|(at, count)| format!("{at}) n={count} ;; "));
        let text = format!(
            "case $1 in {}esac; exec sh work.sh $n\n",
            cases.collect::<String>()
        );
        written(folder.path(), name, &text);
    };
    rounds("base.sh", [2700, 3000, 2300, 2800, 2500]);
    // Head is much slower in its first layout, and faster in others.
    rounds("moved.sh", [5400, 1500, 4700, 1400, 4000]);
    rounds("slow.sh", [5400, 6200, 4500, 5700, 5200]);
    let ab = |head: &str, layouts: &[&str], code| {
        let head = format!("sh {head} {{layout}}");
        let words = ["sh base.sh {layout}", &head, "--budget", "120s"];
        of_layouts(folder.path(), &[&words[..], layouts].concat(), code)
    };
    // Without the flag the layout is the first one, and its difference is decided.
    let said = ab("moved.sh", &[], 1);
    assert!(said.contains("slower"), "{said}");
    let said = ab("moved.sh", &["--layouts", "5"], 0);
    crate::has(
        &said,
        &[
            "undecided",
            "needs about",
            "linked 5 times",
            "spread of layouts",
        ],
    );
    let said = ab("slow.sh", &["--layouts", "5"], 1);
    crate::has(&said, &["regression: ", "spread of layouts"]);
    let csv = |name: &str| {
        let text = std::fs::read_to_string(folder.path().join("out").join(name));
        text.expect("a file")
    };
    let mut rows = csv::Reader::from_path(folder.path().join("out/records.csv")).expect("rows");
    let header = rows.headers().expect("a header").clone();
    let at = header
        .iter()
        .position(|it| it == "method_layout")
        .expect("a column");
    let mut layouts: Vec<String> = rows
        .records()
        .map(|row| row.expect("a row")[at].to_owned())
        .collect();
    let all = layouts.len();
    layouts.sort_unstable();
    layouts.dedup();
    assert_eq!(layouts, ["1", "2", "3", "4", "5"]);
    // Two first answers, then ten blocks of six samples for each layout.
    assert_eq!(all, 2 + 5 * 10 * 6);
    assert!(csv("ab.csv").starts_with("variant,") && csv("ab.csv").contains("spread of layouts"));
    let comparisons = csv("comparisons.csv");
    assert!(comparisons.contains(",worse,,,5,50,"), "{comparisons}");
}

#[test]
fn revisions_of_commands_are_prepared_for_each_layout() {
    let folder = tempfile::tempdir().expect("a folder");
    let experiment = "name = 'e'\ntitle = 't'\nabout = 'a'\n[problem]\ndirection = 'equal'\ngenerate = ['echo', '{seed}']\n\
         referee = ['echo', '{\"score\": 1}']\n[[variants]]\nname = 'mine'\nprepare = ['sh', 'build.sh', '{layout}']\n\
         command = ['./solver-{layout}']\n[[instances]]\nseeds = { from = 1, to = 1 }\n";
    let experiment = written(folder.path(), "e.toml", experiment);
    written(
        folder.path(),
        "build.sh",
        "cp solver.sh solver-$1; chmod +x solver-$1",
    );
    written(folder.path(), ".gitignore", "solver-*\n.prepared*\nout\n");
    let solver = |rounds: u32| {
        let text = format!("#!/bin/sh\nset {rounds}\n{WORK}cat\n");
        written(folder.path(), "solver.sh", &text);
    };
    solver(4000);
    for words in [
        "init -q",
        "add -A",
        "-c user.name=a -c user.email=a@b commit -qm one",
    ] {
        let done = std::process::Command::new("git")
            .args(words.split(' '))
            .current_dir(folder.path())
            .output();
        assert!(done.expect("git").status.success(), "{words}");
    }
    solver(12_000);
    let said = of_layouts(
        folder.path(),
        &[
            "HEAD",
            ".",
            &experiment,
            "--layouts",
            "5",
            "--budget",
            "120s",
        ],
        1,
    );
    crate::has(&said, &["regression: e: mine", "linked 5 times"]);
    for layout in 1..=5 {
        assert!(folder.path().join(format!("solver-{layout}")).is_file());
    }
    // Anywhere else the layout is the first one.
    let run = folder.path().join("run");
    ikeru(&[
        "run",
        &experiment,
        "--repeats",
        "1",
        "-o",
        run.to_str().expect("plain letters"),
    ])
    .assert()
    .success();
}

#[test]
fn layouts_that_cannot_be_linked_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let experiment = written(folder.path(), "small.toml", EXPERIMENT);
    for (words, told) in [
        (
            vec!["./old {file}", "./new {file}", "--files", &*experiment],
            "the command of `base` has no {layout}: ",
        ),
        (
            vec!["./old {file}", "./new {file}", "--files", &*experiment],
            "-Wl,--shuffle-sections='*={layout}'",
        ),
        (
            vec![THIS, THIS, &*experiment],
            "cannot be linked again for --layouts",
        ),
        (
            vec![THIS, THIS, &*experiment, "--metric", "counter:nodes"],
            "expected --metric wall or cpu",
        ),
    ] {
        refused(
            &[&["ab"], &words[..], &["--layouts", "8"]].concat(),
            "",
            &[told],
        );
    }
    ikeru(&["ab", ".", ".", &experiment, "--layouts", "4"])
        .assert()
        .code(2);
}

#[test]
fn two_commands_need_no_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    for (name, text) in [
        ("one.txt", "x\n"),
        ("two.txt", "y\n"),
        ("old.sh", "sleep 0.01; head -c 9 /dev/urandom; cat \"$1\"\n"),
        ("new.sh", "sleep 0.02; printf '\\377'\n"),
    ] {
        std::fs::write(path(name), text).expect("written");
    }
    let call = |words: &[&str], code: i32| {
        let done = ikeru(&[&["ab"], words, &["--budget", "5s", "-o", &path("out")]].concat())
            .current_dir(folder.path())
            .assert()
            .code(code);
        std::fs::remove_dir_all(path("out")).ok();
        let output = done.get_output();
        String::from_utf8_lossy(&[output.stdout.clone(), output.stderr.clone()].concat())
            .into_owned()
    };
    // The answers are no text, and nobody reads them.
    let files = [
        "sh old.sh {file}",
        "sh new.sh {file}",
        "--files",
        "*.txt",
        "--save",
        "kept.toml",
    ];
    let said = call(&files, 1);
    assert!(
        said.contains("decided, slower") && said.contains("regression: "),
        "{said}"
    );
    let kept = std::fs::read_to_string(path("kept.toml")).expect("kept");
    assert!(
        kept.contains("{instance}") && kept.contains("files = \"*.txt\""),
        "{kept}"
    );
    // One cell has a sentence with both commands.
    let (old, new) = ("sh old.sh {file}", "sh new.sh {file}");
    let said = call(&[old, new, "--files", "one.txt"], 1);
    let (begins, ends) = (
        format!("`{new}` takes 1."),
        format!("×) the time of `{old}`: slower\n"),
    );
    assert!(said.contains(&begins) && said.contains(&ends), "{said}");
    // Nobody reads the output of commands without a score.
    crate::has(&said, &["  not compared", "was not compared"]);
    let scores = [
        "echo {seed}",
        "echo 1{seed}",
        "--seeds",
        "1..20",
        "--score",
        "{score}",
    ];
    let said = call(&scores, 0);
    assert!(
        said.contains("better on 20") && said.contains("decided, better"),
        "{said}"
    );
    let mut unscored = scores;
    unscored[..2].fill("echo no {seed}");
    unscored[3] = "1..3";
    unscored[5] = "Score = {score}";
    let said = call(&unscored, 2);
    assert!(!said.contains("equal on every pair"), "{said}");
    let said = call(&["sleep 2", "sleep 2", "--limit", "100ms"], 2);
    assert!(said.contains(" (--limit): timeout"), "{said}");
    for (words, told) in [
        (["cat {file}", "cat"], "has {file}; expected --files"),
        (["cat {seed}", "cat"], "has {seed}; expected --seeds"),
        (["cat 'x", "cat"], "quote"),
        (["", "cat"], "is an empty command"),
        (
            ["cat {fil}", "cat"],
            "placeholder `fil`, did you mean `file`?",
        ),
        (["no-such-program", "cat"], "to any cell: crashed"),
    ] {
        let said = call(&words, 2);
        assert!(said.contains(told), "{said}");
    }
}

#[test]
fn a_failure_is_a_regression_if_it_happens_on_every_try() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let flaky = "echo x >>calls; [ $(($(wc -l <calls) % 3)) != 1 ]\n";
    for (name, text) in [
        ("base.sh", "true\n"),
        ("flaky.sh", flaky),
        ("gone.sh", "exit 3\n"),
    ] {
        std::fs::write(path(name), text).expect("written");
    }
    for (head, code, told) in [
        ("sh flaky.sh", 0, "fails now and then (base 0, head 2 of 5"),
        (
            "sh gone.sh",
            1,
            "regression: ab: commands on seed 1: head crashed",
        ),
    ] {
        let done = ikeru(&[
            "ab",
            "sh base.sh",
            head,
            "--budget",
            "2s",
            "-o",
            &path(head),
        ])
        .current_dir(folder.path())
        .assert()
        .code(code);
        let output = done.get_output();
        let said = [output.stdout.clone(), output.stderr.clone()].concat();
        let said = String::from_utf8_lossy(&said);
        assert!(said.contains(told), "{said}");
    }
}

#[test]
fn revisions_of_commands_are_built_by_prepare_and_gated_by_a_counter() {
    let prepare = "prepare = ['sh', 'build.sh']\n";
    are_built_and_gated("", prepare);
    are_built_and_gated(prepare, "");
}

/// The key `prepare` stands in the problem, or in the variant.
fn are_built_and_gated(of_problem: &str, of_variant: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let inside = folder.path().join("bench");
    std::fs::create_dir(&inside).expect("a folder");
    let git = |words: &str| {
        let all = "-c user.name=a -c user.email=a@b"
            .split(' ')
            .chain(words.split(' '));
        let done = std::process::Command::new("git")
            .args(all)
            .current_dir(folder.path())
            .output();
        assert!(done.expect("git").status.success(), "{words}");
    };
    let experiment = format!(
        "name = 'e'\ntitle = 't'\nabout = 'a'\n[problem]\n{of_problem}direction = 'equal'\ngenerate = ['echo', '{{seed}}']\n\
         referee = ['echo', '{{\"score\": 1}}']\n[[variants]]\nname = 'mine'\n{of_variant}\
         command = ['./solver']\ncounters = ['nodes']\n[[instances]]\nseeds = {{ from = 1, to = 3 }}\n"
    );
    written(&inside, "e.toml", &experiment);
    // Another path of the folder in which the programs are built.
    let experiment = inside.join("../bench/e.toml").display().to_string();
    written(&inside, "build.sh", "cp solver.sh solver; chmod +x solver");
    written(folder.path(), ".gitignore", "solver\n.prepared*\n");
    let script = |nodes: u32| {
        let text = format!("#!/bin/sh\nread n\necho \"#s nodes {nodes}\" >&2\necho $n\n");
        written(&inside, "solver.sh", &text);
    };
    script(100);
    git("init -q");
    git("add -A");
    git("commit -qm one");
    script(105);
    let gate = |margin: &str, out: &str| {
        let out = folder.path().join(out).display().to_string();
        let counter = "counter:nodes";
        let call = [
            "ab",
            "HEAD",
            ".",
            &experiment,
            "--metric",
            counter,
            "--fail-if-slower",
            margin,
        ];
        let done = ikeru(&[&call[..], &["-o", &out]].concat())
            .assert()
            .get_output()
            .clone();
        (
            done.status.code(),
            String::from_utf8_lossy(&done.stdout).into_owned(),
        )
    };
    let (code, said) = gate("3%", "first");
    assert_eq!(code, Some(1), "{said}");
    assert!(
        said.contains(
            "mine@head needs 1.05× more nodes than mine@base on these 3 instances (decided)"
        ),
        "{said}"
    );
    assert_eq!(gate("10%", "second").0, Some(0));
    let wrong = ikeru(&["ab", "HEAD", ".", &experiment, "--metric", "counter"])
        .assert()
        .code(2);
    let error = String::from_utf8_lossy(&wrong.get_output().stderr).into_owned();
    assert!(
        error.contains("expected wall, cpu or counter:NAME"),
        "{error}"
    );
}
