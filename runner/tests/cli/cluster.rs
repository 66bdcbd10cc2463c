//! Campaigns divided into shards: emitted forms that run, what shards leave, what is refused.

use std::path::Path;
use std::process::Command as Program;

use crate::{ikeru, output, refused};

/// A small campaign, divided for `form` into at most three shards.
pub fn emitted(folder: &Path, form: &str, more: &[&str]) -> String {
    let out = folder.to_string_lossy().into_owned();
    let words = [
        "cluster",
        "emit",
        "ikerukana-example",
        "--mode=contended",
        "--as",
        form,
        "--tasks",
        "3",
        "-o",
        &out,
    ];
    output(&[&words, more].concat());
    out
}

/// One column of the rows of a run folder.
fn column(folder: &Path, name: &str) -> Vec<String> {
    let mut reader = csv::Reader::from_path(folder.join("records.csv")).expect("rows");
    let at = reader
        .headers()
        .expect("a header")
        .iter()
        .position(|column| column == name);
    let at = at.expect("a column of that name");
    reader
        .records()
        .map(|row| row.expect("a row")[at].to_owned())
        .collect()
}

#[test]
fn commands_run_as_they_stand_and_their_shards_are_merged() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = emitted(folder.path(), "commands", &[]);
    assert!(output(&["cluster", "status", &out]).contains("open"));
    let list = Program::new("sh")
        .arg(folder.path().join("commands.sh"))
        .output()
        .expect("a shell");
    assert!(
        list.status.success(),
        "{}",
        String::from_utf8_lossy(&list.stderr)
    );
    assert!(folder.path().join("merged/index.html").exists());
    let whole = folder.path().join("whole");
    let whole_text = whole.to_string_lossy().into_owned();
    output(&[
        "run",
        "ikerukana-example",
        "--mode=contended",
        "--quiet",
        "--out",
        &whole_text,
    ]);
    let samples = |folder: &Path| {
        let mut samples = column(folder, "sample");
        samples.sort();
        samples
    };
    assert_eq!(samples(&folder.path().join("merged")), samples(&whole));
    assert!(column(&whole, "node").iter().all(|node| !node.is_empty()));
    let status = output(&["cluster", "status", &out, "--json"]);
    assert!(
        status.contains("\"state\":\"done\"") && !status.contains("open"),
        "{status}"
    );
    // Both commands again: nothing runs twice, and the merge replaces the earlier one.
    output(&["cluster", "shard", &out, "1"]);
    output(&["cluster", "merge", &out]);
    assert_eq!(samples(&folder.path().join("merged")), samples(&whole));
    refused(
        &[
            "cluster",
            "emit",
            "ikerukana-example",
            "--as=commands",
            "-o",
            &out,
        ],
        "",
        &["holds a campaign already"],
    );
    refused(&["cluster", "shard", &out, "99"], "", &["no shard 99"]);
}

#[test]
fn a_folder_at_the_place_of_another_shard_has_no_sample_of_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = emitted(folder.path(), "commands", &[]);
    for shard in ["1", "2", "3"] {
        output(&["cluster", "shard", &out, shard]);
    }
    let place = |shard: &str| folder.path().join("shards").join(shard);
    for name in ["records.csv", "run.toml"] {
        std::fs::copy(place("0001").join(name), place("0002").join(name)).expect("copied");
    }
    let status = output(&["cluster", "status", &out]);
    assert!(status.contains("open"), "{status}");
    let [first, second, third] =
        ["0001", "0002", "0003"].map(|shard| place(shard).to_string_lossy().into_owned());
    let plain = place("plain").to_string_lossy().into_owned();
    for words in [&[&*out][..], &[&first, &second, &third, "-o", &plain]] {
        let merged = ikeru(&[&["cluster", "merge"], words].concat())
            .assert()
            .code(75);
        let said = String::from_utf8_lossy(&merged.get_output().stderr).into_owned();
        assert!(said.contains("shard 2 is open: 0 of "), "{said}");
    }
}

#[test]
fn a_shard_names_the_job_and_the_node_that_took_its_rows() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = emitted(folder.path(), "commands", &[]);
    let mut shard = ikeru(&["cluster", "shard", &out, "1"]);
    // The environment is, for example, that of a task of GNU parallel inside a PBS array.
    shard
        .env("PBS_JOBID", "17")
        .env("PBS_ARRAY_INDEX", "4")
        .env("SLURMD_NODENAME", "n7")
        .assert()
        .success();
    let own = folder.path().join("shards/0001");
    for (name, expected) in [("node", "n7"), ("job", "17"), ("task", "4")] {
        assert!(
            column(&own, name).iter().all(|field| field == expected),
            "{name}"
        );
    }
    let merged = ikeru(&["cluster", "merge", &out]).assert().code(75);
    let error = String::from_utf8_lossy(&merged.get_output().stderr).into_owned();
    assert!(error.contains("warning: shard 2 is open: 0 of "), "{error}");
    let page = crate::pages_of(&folder.path().join("merged"));
    assert!(page.contains("shard 2 is open"));
    // Whoever reads it later is told, too.
    let merged = folder.path().join("merged").display().to_string();
    let read = ikeru(&["report", &merged]).assert().code(75);
    let error = String::from_utf8_lossy(&read.get_output().stderr).into_owned();
    assert!(error.contains("unfinished: shard 2 is open"), "{error}");
    let whole = folder.path().join("whole").display().to_string();
    ikeru(&["cluster", "merge", &merged, "-o", &whole])
        .assert()
        .code(75);
}

#[test]
fn a_shard_that_starts_without_growth_gives_up_and_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = emitted(folder.path(), "commands", &["--give-up-after=2"]);
    let own = folder.path().join("shards/0001");
    std::fs::create_dir_all(&own).expect("a folder");
    // Two starts that found nothing and left nothing, as if their nodes had died.
    std::fs::write(own.join("starts"), "0\n0\n").expect("written");
    output(&["cluster", "shard", &out, "1"]);
    assert!(
        column(&own, "outcome")
            .iter()
            .all(|outcome| outcome == "skipped")
    );
    let detail = column(&own, "detail");
    assert!(
        detail[0].contains("given up: 2 starts of its shard in a row added no sample"),
        "{detail:?}"
    );
    assert!(output(&["cluster", "status", &out]).contains("given up"));
}

#[test]
fn campaigns_that_cannot_run_are_refused_with_one_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("new").to_string_lossy().into_owned();
    let emit = ["cluster", "emit", "ikerukana-example", "-o", &out];
    let unknown = ikeru(&[&emit[..], &["--as=condor"]].concat()).assert();
    unknown.code(2);
    assert!(
        !Path::new(&out).exists(),
        "nothing is left of what was refused"
    );
    refused(&["cluster", "status", &out], "", &["no divided campaign"]);
    refused(&["cluster", "merge", &out], "", &["missing `-o DIR`"]);
    let submit = [
        "cluster",
        "submit",
        "slurm",
        "ikerukana-example",
        "-o",
        &out,
    ];
    refused(
        &[&submit[..], &["--", "--array=1-3"]].concat(),
        "",
        &["--array=1-3", "--task-time"],
    );
    let mut without = ikeru(&submit);
    let done = without.env("PATH", "/nowhere").assert().code(2);
    let error = String::from_utf8_lossy(&done.get_output().stderr).into_owned();
    assert!(error.starts_with("error: scontrol: not found"), "{error}");
    assert_eq!(error.lines().count(), 1, "{error}");
    // A campaign that was divided for other questions than those of the program now.
    emitted(folder.path(), "commands", &[]);
    let shards = folder.path().join("shards.csv");
    let text = std::fs::read_to_string(&shards).expect("text");
    let first = text.lines().nth(1).expect("a question").to_owned();
    std::fs::write(&shards, text.replace(&format!("{first}\n"), "")).expect("written");
    let out = folder.path().to_string_lossy().into_owned();
    refused(
        &["cluster", "shard", &out, "2"],
        "",
        &["shards.csv: 20 questions, expected 21", "cut or changed"],
    );
    let mut fields: Vec<String> = first.split(',').map(str::to_owned).collect();
    let is_hash = |field: &&mut String| field.len() == 32;
    let question = fields.iter_mut().find(is_hash).expect("a hash");
    *question = question.chars().rev().collect();
    std::fs::write(&shards, text.replace(&first, &fields.join(","))).expect("written");
    refused(
        &["cluster", "shard", &out, "2"],
        "",
        &["is not in shards.csv", "changed since it was divided"],
    );
}

/// A folder of programs that answer as Slurm's commands do, with an empty queue. `sbatch` appends its calls to `calls`.
fn slurm(folder: &Path) {
    let program = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).expect("written");
        let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(path, executable).expect("executable");
    };
    let calls = folder.join("calls").to_string_lossy().into_owned();
    program("scontrol", "echo 'MaxArraySize = 64'");
    program("squeue", "exit 0");
    program(
        "sbatch",
        &format!(
            "[ -e {calls}.full ] && echo 'QOSMaxSubmitJobPerUserLimit' >&2 && exit 1\necho \"$*\" >>{calls}; wc -l <{calls}"
        ),
    );
}

#[test]
fn a_part_of_the_shards_is_submitted_where_a_limit_refuses_all() {
    let folder = tempfile::tempdir().expect("a folder");
    let programs = folder.path().join("programs");
    std::fs::create_dir(&programs).expect("a folder");
    slurm(&programs);
    let path = format!("{}:/usr/bin:/bin", programs.display());
    let out = folder.path().join("some").to_string_lossy().into_owned();
    let submit = |more: &[&str]| {
        let words = ["cluster", "submit", "slurm", "-o", &out];
        let mut submit = ikeru(&[&words, more].concat());
        submit.env("PATH", &path);
        submit.assert()
    };
    let calls = || {
        let calls = std::fs::read_to_string(programs.join("calls")).expect("calls");
        std::fs::remove_file(programs.join("calls")).expect("removed");
        let array = |line: &str| {
            line.split_whitespace()
                .nth(1)
                .unwrap_or_default()
                .to_owned()
        };
        calls.lines().map(array).collect::<Vec<_>>()
    };
    let full = programs.join("calls.full");
    std::fs::write(&full, "").expect("written");
    let new = ["ikerukana-example", "--mode=contended", "--tasks=3"];
    let refused = submit(&new).code(2);
    let error = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
    assert!(
        error.contains("nothing is submitted") && error.contains("--most N"),
        "{error}"
    );
    assert!(error.contains("QOSMaxSubmitJobPerUserLimit"), "{error}");
    std::fs::remove_file(&full).expect("removed");
    let some = submit(&["--resume", "--most=2"]).success();
    let text = String::from_utf8_lossy(&some.get_output().stdout).into_owned();
    assert!(
        text.contains("1 shards are left: ikeru cluster submit slurm --resume"),
        "{text}"
    );
    assert_eq!(calls(), ["--array=0-1", "--dependency=afterany:1"]);
    // The queue has none of them any more, so all are lost.
    submit(&["--resume"]).success();
    assert_eq!(calls()[0], "--array=0-2");
}
