//! How samples end: failures, kills, limits and mistakes of an experiment.

use super::*;

#[test]
fn what_fails_is_the_fault_of_who_failed() {
    let command = "command = [\"head\", \"-n\", \"1\"]";
    for (solver, code, outcome, detail) in [
        ("echo 5", 3, "wrong", "no number of the instance"),
        (
            "echo no reason >&2; exit 7",
            0,
            "crashed",
            "exit status: 7: no reason",
        ),
        ("kill -9 $$", 0, "crashed", "signal: 9"),
        ("sleep 60", 0, "timeout", ""),
    ] {
        let script = format!("command = [\"sh\", \"-c\", \"{solver}\"]");
        let (_inside, text) = place(command, &script);
        let (rows, said) = run(&text, &["--limit", "300ms", "--instance", "seed 1"], code);
        let [outcomes, details] = ends(&rows, "first");
        assert_eq!(outcomes, [outcome], "{solver}: {said}");
        assert!(
            details.iter().all(|it| it.contains(detail)),
            "{solver}: {details:?}"
        );
        assert_eq!(ends(&rows, "largest")[0], ["solved"], "{solver}");
        assert!(
            said.contains("100 %") || said.contains("largest against first: +"),
            "{said}"
        );
        if solver.contains("no reason") {
            let file = details[0]
                .split("its standard error: ")
                .nth(1)
                .expect("a file");
            let kept = fs::read_to_string(text(&format!("out/{file}"))).expect("kept");
            assert_eq!(kept, "no reason\n");
        }
    }
    // A referee that dies, talks nonsense or takes too long judges nobody.
    for (judge, detail) in [
        ("kill -9 $$", "signal: 9"),
        ("echo yes", "printed `yes`"),
        ("echo '{}'", "neither `score` nor `wrong` nor `none`"),
        (
            "echo '{\"score\": 1, \"measures\": {\"x\": 1}}'",
            "measures `x`",
        ),
    ] {
        let (_inside, text) = place("", "");
        fs::write(text("judge.sh"), judge).expect("written");
        let (rows, said) = run(&text, &["--instance", "seed 1"], 4);
        let [outcomes, details] = ends(&rows, "largest");
        assert_eq!(outcomes, ["referee-failed"], "{judge}: {said}");
        assert!(details[0].contains(detail), "{judge}: {details:?}");
        assert!(said.contains("the referee failed on 4 answers"), "{said}");
        assert!(!std::path::Path::new(&text("bests.csv")).exists());
    }
}

/// A look builds nothing, a second run takes the programs of the first, and a program that is being written has not crashed.
#[test]
fn a_run_is_not_disturbed_by_looks_builds_and_other_runs() {
    let prepared = "command = [\"./first\"]\nprepare = [\"sh\", \"build.sh\"]";
    let (_inside, text) = place("command = [\"head\", \"-n\", \"1\"]", prepared);
    let build = "echo built >>log\nrm -f first\nsleep 0.5\nprintf '#!/bin/sh\\nsleep 0.1; head -n 1\\n' >first\nchmod +x first\n";
    fs::write(text("build.sh"), build).expect("written");
    let file = text("numbers.toml");
    let looks: [&[&str]; 3] = [
        &["run", &file, "--list"],
        &["bests", &file],
        &["doctor", &file, "--budget", "1s"],
    ];
    for look in looks {
        refused(look, "", &["`ikeru run` builds it"]);
    }
    let begin = |out: &str| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_ikeru"));
        command.args([
            "run",
            &file,
            "-o",
            &text(out),
            "--quiet",
            "--mode",
            "isolated",
        ]);
        command
            .stderr(std::process::Stdio::null())
            .spawn()
            .expect("started")
    };
    let mut first = begin("out");
    while !std::path::Path::new(&text("out/records.csv")).exists() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    for look in &looks[..2] {
        ikeru(look).assert().success();
    }
    let told = said(
        &[
            "run",
            &file,
            "-o",
            &text("other"),
            "--instance",
            "seed 1",
            "-q",
        ],
        0,
    );
    assert!(told.contains("is not carried out: another run"), "{told}");
    let built = || fs::read_to_string(text("log")).expect("a log");
    assert_eq!(built(), "built\n");
    // Somebody builds by hand: the program is away for a while, and it is the same again.
    let script = ["-c", "cp first kept; rm first; sleep 0.3; mv kept first"];
    let mut by_hand = std::process::Command::new("sh");
    let moved = by_hand.args(script).current_dir(_inside.path()).status();
    assert!(moved.expect("started").success());
    assert_eq!(first.wait().expect("ended").code(), Some(0));
    let rows = Rows::read(std::path::Path::new(&text("out/records.csv"))).expect("rows");
    assert_eq!(
        (rows.len(), ends(&rows, "first")[0].join(" ")),
        (32, "solved".to_owned())
    );
    assert_eq!(begin("again").wait().expect("ended").code(), Some(0));
    assert_eq!(built(), "built\nbuilt\n");
}

/// All processes are stopped for longer than the limit, as by a scheduler that pauses jobs; then each signal ends a run with the
/// line that says how to go on.
#[cfg(target_os = "linux")]
#[test]
fn who_slept_is_not_slow_and_every_signal_ends_a_run_in_order() {
    let slow = "command = [\"sh\", \"-c\", \": > begun; sleep 0.6; head -n 1\"]";
    let (_inside, text) = place("command = [\"head\", \"-n\", \"1\"]", slow);
    let begin = |out: &str, mode: &str| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_ikeru"));
        command.args([
            "run",
            &text("numbers.toml"),
            "-o",
            &text(out),
            "--mode",
            mode,
        ]);
        command.args([
            "--variant",
            "first",
            "--limit",
            "2s",
            "--instance",
            "count=3",
            "-q",
        ]);
        command.stderr(std::process::Stdio::piped());
        let child = command.spawn().expect("started");
        while !std::path::Path::new(&text("begun")).exists() {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        child
    };
    let signal = |child: &std::process::Child, script: &str| {
        let all = "all() { for p in $(cat /proc/$1/task/*/children); do echo $p; all $p; done; }; ";
        let pid = child.id().to_string();
        let mut shell = std::process::Command::new("sh");
        let sent = shell
            .args(["-c", &format!("{all}{script}"), "sh", &pid])
            .status();
        assert!(sent.expect("started").success(), "{script}");
    };
    for mode in ["isolated", "contended"] {
        let mut child = begin(mode, mode);
        signal(
            &child,
            "s=\"$1 $(all $1)\"; kill -STOP $s; sleep 3; kill -CONT $s",
        );
        assert_eq!(child.wait().expect("ended").code(), Some(0));
        let rows = Rows::read(std::path::Path::new(&text(&format!("{mode}/records.csv"))));
        let rows = rows.expect("rows");
        assert_eq!(
            (rows.len(), ends(&rows, "first")[0].join(" ")),
            (8, "solved".to_owned())
        );
        fs::remove_file(text("begun")).expect("removed");
    }
    for name in ["USR1", "USR2", "XCPU", "ALRM", "QUIT"] {
        let child = begin(name, "isolated");
        signal(&child, &format!("kill -{name} $1"));
        let ended = child.wait_with_output().expect("ended");
        let told = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert_eq!(ended.status.code(), Some(75), "{name}: {told}");
        assert!(told.contains("--resume"), "{name}: {told}");
        fs::remove_file(text("begun")).expect("removed");
    }
}

/// What was printed counts only if its source is entitled to it: a process that the limit killed may have been within a line.
#[test]
fn a_text_is_no_verdict_by_itself() {
    let sleeps = |name: &str, text: &str| {
        format!("[[variants]]\nname = '{name}'\ncommand = ['sh', '-c', \"{text}; exec sleep 9\"]\n")
    };
    let says = |name: &str, text: &str| {
        format!("[[variants]]\nname = '{name}'\ncommand = ['sh', '-c', \"{text}\"]\n")
    };
    let variants = sleeps("torn", "printf 12")
        + &sleeps("refused", "echo 99999")
        + &sleeps("whole", "head -n 1")
        + &says(
            "liar",
            "trap 'echo 99999; exit 0' TERM; while :; do sleep 0.05; done",
        )
        + &says("modest", "echo s UNKNOWN; exit 30")
        + &says(
            "late",
            "trap 'echo s UNKNOWN; exit 0' TERM; while :; do sleep 0.05; done",
        )
        + &says("open", "echo '?'")
        + &says("own", "echo ' c none'")
        + "unknown = 'c none'\n";
    let (_inside, text) = place("[[instances]]", &format!("{variants}[[instances]]"));
    let none = "[ \"$(cat $2)\" != '?' ] || { echo '{\"none\": \"open\"}'; exit; }\n";
    fs::write(text("judge.sh"), none.to_owned() + JUDGE).expect("written");
    let (rows, said) = run(&text, &["--instance", "seed 1", "--limit", "300ms"], 3);
    for (label, outcome, detail) in [
        ("torn", "timeout", "its last line is not complete"),
        ("refused", "timeout", "no number of the instance"),
        ("whole", "timeout", ""),
        ("liar", "wrong", "no number of the instance"),
        ("modest", "no-answer", "s UNKNOWN"),
        ("late", "timeout", ""),
        ("open", "no-answer", "open"),
        ("own", "no-answer", "c none"),
    ] {
        let [outcomes, details] = ends(&rows, label);
        assert_eq!(outcomes, [outcome], "{label}: {said}");
        assert!(details.concat().contains(detail), "{label}: {details:?}");
        let own = rows.with("label", label);
        let has_score = own.iter().all(|row| !rows.text("score", *row).is_empty());
        assert_eq!(has_score, label == "whole", "{label}");
    }
    // Nobody is alarmed by a solver that gives up.
    assert!(
        said.contains("2 answers wrong") && said.contains("6 without an answer"),
        "{said}"
    );
    let ranks = [
        "compare",
        &text("out"),
        "--metric",
        "cpu",
        "--format",
        "csv",
    ];
    let ranks = crate::said(&ranks, 3);
    let gave_up = ranks.lines().find(|line| line.starts_with("modest"));
    assert!(
        gave_up.is_some_and(|line| line.contains(",600000000,")),
        "PAR-2: {ranks}"
    );
}

/// A child that holds the output, a process that works on after it closed its output, a long answer, and a long `grace`.
#[test]
fn the_solver_s_own_end_decides_and_no_answer_is_lost() {
    let variants = r#"
[[variants]]
name = "fails"
command = ["sh", "-c", "sleep 5 & exit 3"]
[[variants]]
name = "answers"
command = ["sh", "-c", "head -n 1; sleep 5 &"]
[[variants]]
name = "sat"
command = ["sh", "-c", "head -n 1; exit 10"]
exit_codes = [10, 20]
[[variants]]
name = "closes"
command = ["sh", "-c", "head -n 1; exec >&-; sleep 0.3"]
[[variants]]
name = "long"
command = ["sh", "-c", "i=0; while [ $i -lt 9 ]; do head -c 200000 /dev/zero | tr '\\0' '\\n'; i=$((i + 1)); done; sort -n | tail -n 1"]
[[variants]]
name = "late"
command = ["sh", "-c", "trap 'sleep 0.5; head -n 1; exit 0' TERM; while :; do sleep 0.05; done"]
grace = "4s"
[[variants]]
name = "fraction"
command = ["sh", "-c", "head -n 1; echo '[DATA] lines = 3.5' >&2"]
counters = ["lines"]
"#;
    let (_inside, text) = place("[[instances]]", &format!("{variants}[[instances]]"));
    let judge = JUDGE.replace("answer=$(cat \"$2\")", "answer=$(tail -n 1 \"$2\")");
    // A child of the referee holds its output too.
    fs::write(text("judge.sh"), format!("sleep 90 &\n{judge}")).expect("written");
    let few = ["--instance", "seed 1", "--limit", "2s"];
    let (rows, said) = run(&text, &few, 3);
    for label in ["answers", "sat", "closes", "long"] {
        assert_eq!(ends(&rows, label)[0], ["solved"], "{label}: {said}");
    }
    let failed = ends(&rows, "fails");
    assert_eq!(failed[0], ["crashed"]);
    assert!(failed[1][0].contains("exit status: 3"), "{failed:?}");
    let late = rows.with("label", "late");
    assert_eq!(ends(&rows, "late")[0], ["timeout"], "{said}");
    assert!(late.iter().all(|row| !rows.text("score", *row).is_empty()));
    let fraction = ends(&rows, "fraction");
    assert_eq!(fraction[0], ["wrong"]);
    assert!(fraction[1][0].contains("`lines` as `3.5`"), "{fraction:?}");
}

#[test]
fn a_killed_run_of_commands_keeps_each_finished_seed() {
    let (_inside, text) = place("", "");
    let records = text("out/records.csv");
    let complete = || {
        let text = fs::read_to_string(&records).unwrap_or_default();
        let end = text.rfind('\n').map_or(0, |end| end + 1);
        text[..end].to_owned()
    };
    let (file, out) = (text("numbers.toml"), text("out"));
    let mut kept = String::new();
    for rows in [1, 5, 9, 14, 22] {
        let mut words = vec!["run", &file, "-o", &out, "--quiet", "--mode", "contended"];
        if !kept.is_empty() {
            words.push("--resume");
        }
        let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_ikeru"))
            .args(&words)
            .spawn()
            .expect("started");
        while complete().lines().count() <= rows && child.try_wait().is_ok_and(|it| it.is_none()) {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        child.kill().and_then(|()| child.wait()).expect("killed");
        let now = complete();
        assert!(now.lines().count() > rows, "{rows}: {now}");
        assert!(now.starts_with(&kept), "{rows}: {now}");
        kept = now;
    }
    let (rows, _) = run(&text, &["--resume"], 0);
    let all = rows.all();
    assert_eq!((rows.len(), rows.distinct("cell", &all).len()), (32, 32));
    assert!(complete().starts_with(&kept));
}

#[test]
fn mistakes_in_commands_are_named() {
    for (from, to, words) in [
        (
            "\"largest.sh\"]",
            "\"largest.sh\"]\nprepare = [\"sh\", \"-c\", \"echo no compiler >&2; exit 3\"]",
            &["`prepare` of `largest`", "no compiler"][..],
        ),
        (
            "\"make.sh\"",
            "\"make.sh\", \"{param:size}\"",
            &["needs `size`"],
        ),
        (
            "\"sh\", \"judge.sh\"",
            "\"./judge.sh\"",
            &[
                "numbers.toml:6: ",
                "referee of numbers",
                "no executable file",
            ],
        ),
        (
            "name = \"numbers\"",
            "name = \"reach\"",
            &["a problem `reach` is built in"],
        ),
        (
            "set = { count = [3, 5] }",
            "set = { counts = [3, 5] }",
            &["counts"],
        ),
    ] {
        let (_inside, text) = place(from, to);
        let (file, out) = (text("numbers.toml"), text("out"));
        refused(&["run", &file, "-o", &out], "", words);
    }
    let (_inside, text) = place("", "");
    let file = text("numbers.toml");
    let larges = ["run", &file, "--list", "--variant", "larges"];
    refused(&larges, "", &["variant `larges`, did you mean `largest`?"]);
    // What needs no instance is refused before any command runs, and so is a folder that is taken.
    let experiment = fs::read_to_string(&file).expect("written");
    fs::write(text("make.sh"), "touch made; exit 1\n").expect("written");
    for (kind, why) in [
        ("pie", "unknown kind `pie`"),
        ("scatter", "a scatter plot has the baseline along x"),
    ] {
        let plot = format!(
            "[[plots]]\nname = 'p'\nkind = '{kind}'\ntitle = 'p'\nx = 'seed'\ny = 'score'\n"
        );
        fs::write(text("plot.toml"), experiment.clone() + &plot).expect("written");
        refused(&["run", &text("plot.toml")], "", &[why]);
    }
    fs::create_dir(text("taken")).expect("a folder");
    fs::write(text("taken/records.csv"), "").expect("written");
    refused(
        &["run", &file, "-o", &text("taken")],
        "",
        &["holds a run already"],
    );
    assert!(!fs::exists(text("made")).expect("known"));
}

/// A solver that answers when its time is over answers larger instances, too.
#[test]
fn an_answer_at_the_limit_makes_no_larger_instance_hopeless() {
    let late = r#"command = ["sh", "-c", "trap 'head -n 1; exit 0' TERM; while :; do sleep 0.05; done"]
grace = "4s""#;
    let (_inside, text) = place(r#"command = ["head", "-n", "1"]"#, late);
    let few = [
        "--limit=200ms",
        "--skip-hopeless=param_count",
        "--variant=first",
    ];
    let (rows, said) = run(&text, &few, 0);
    let own = rows.with("label", "first");
    assert_eq!(own.len(), 16, "{said}");
    assert_eq!(rows.distinct("outcome", &own), ["timeout"], "{said}");
    assert!(own.iter().all(|row| !rows.text("score", *row).is_empty()));
}

/// A limit of file sizes refuses to write a long answer into the referee's file, as a full disk does.
#[test]
fn a_disk_that_refuses_the_referee_s_files_ends_the_run_and_judges_nobody() {
    let long = "command = [\"sh\", \"-c\", \"head -c 300000 /dev/zero | tr '\\\\\\\\0' 7\"]";
    let (_inside, text) = place("command = [\"head\", \"-n\", \"1\"]", long);
    let (file, out) = (text("numbers.toml"), text("out"));
    let run = ["run", &file, "-o", &out, "--mode", "contended"];
    let limited = "trap '' XFSZ; ulimit -f 200; exec \"$0\" \"$@\"";
    let mut command = assert_cmd::Command::new("sh");
    let command = command.args(["-c", limited, env!("CARGO_BIN_EXE_ikeru")]);
    let done = command.args(run).output().expect("it ends");
    let said = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(2), "{said}");
    assert!(
        said.contains("error: variant first: the referee has no files: "),
        "{said}"
    );
    let rows = Rows::read(std::path::Path::new(&text("out/records.csv"))).expect("rows");
    assert!(ends(&rows, "first")[0].is_empty(), "{said}");
    // Without the limit the samples are taken.
    let (rows, _) = self::run(&text, &["--resume", "--force"], 3);
    assert_eq!(ends(&rows, "first")[0], ["wrong"]);
}

/// A solver changes its rival, the referee or the generator.
#[test]
fn a_file_that_changes_during_the_run_ends_it_and_its_sample_is_not_kept() {
    for (file, unkept) in [
        ("largest.sh", "largest"),
        ("judge.sh", "first"),
        ("make.sh", "first"),
    ] {
        let solver = format!("command = [\"sh\", \"-c\", \"echo true >> {file}; head -n 1\"]");
        let (_inside, text) = place("command = [\"head\", \"-n\", \"1\"]", &solver);
        let (rows, said) = run(&text, &["--jobs", "1"], 2);
        let expected = format!("{file}: changed during the run; restore it");
        assert!(said.contains(&expected), "{said}");
        assert!(rows.with("outcome", "solved").len() < 32, "{said}");
        assert!(
            file == "largest.sh" || ends(&rows, unkept)[0].is_empty(),
            "{file}: {said}"
        );
    }
}
