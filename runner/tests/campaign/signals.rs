//! SIGINT, SIGTERM and SIGHUP in mid-run, and a second program that wants the same folder.

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::{
    AS_IKERU, Place, count, ended, results, rows, start, stopped, wait_for_rows, wait_until,
};

/// The exit code that `sysexits.h` calls a temporary failure.
const UNFINISHED: i32 = 75;

/// Waits until the folder has `sessions` sessions; the last of them listens to signals.
fn wait_for_sessions(out: &Path, sessions: usize) {
    let about = out.join("run.toml");
    let what = format!("{sessions} sessions");
    wait_until(|| count(&about, "[[session]]") == sessions, &what);
}

/// Waits until a thread of contended mode runs.
fn wait_for_workers(run: &Child) {
    let threads = PathBuf::from(format!("/proc/{}/task", run.id()));
    let is_worker = |thread: &Path| count(&thread.join("comm"), "cells-0") > 0;
    let any = || {
        let threads = std::fs::read_dir(&threads).expect("threads").flatten();
        threads.map(|it| it.path()).any(|it| is_worker(&it))
    };
    wait_until(any, "a worker");
}

fn signal(run: &Child, signal: Signal) {
    kill_process(Pid::from_child(run), signal).expect("it runs");
}

/// The command that the last line of a run names.
fn command_of(output: &Output) -> String {
    let error = ended(output, UNFINISHED);
    let lines = error.lines().filter(|line| !line.starts_with("warning: "));
    let lines: Vec<&str> = lines.collect();
    let [line] = lines[..] else { panic!("{error}") };
    assert!(line.starts_with("interrupted: "), "{line}");
    let (_, command) = line.split_once("; to go on: ").expect("a command");
    command.to_owned()
}

pub fn a_signal_ends_a_run_that_says_how_to_go_on() {
    let place = Place::new();
    // The samples are long and many, so that a signal comes in the middle even on a busy machine.
    let taken = "repeats = 12, sample = \"40ms\", warm_up = \"0ms\"";
    let run = |mode, isolate| format!("mode = \"{mode}\", isolate = {isolate}, {taken}");
    let experiments =
        [("isolated", false), ("isolated", true), ("contended", true)].map(|(mode, isolate)| {
            let name = format!("{mode}-{isolate}");
            place.experiment(&name, &["honest", "busy"], "[1, 2]", &run(mode, isolate))
        });
    let whole = place.path("whole");
    let expected = place.whole(&experiments, &whole, &[]);
    let sent = [Signal::INT, Signal::TERM, Signal::HUP];
    // A folder with a space, so that the command needs its quotes.
    let out = place.path("a run");
    let mut run = start(place.run(&experiments, &out, &[]));
    for (at, signal_number) in sent.into_iter().enumerate() {
        wait_for_rows(&out, 15 * (at + 1));
        signal(&run, signal_number);
        let output = run.wait_with_output().expect("a child");
        place.nobody_is_left();
        let command = command_of(&output);
        assert_eq!(command.matches("--resume").count(), 1, "{command}");
        let mut next = Command::new("sh");
        next.args(["-c", &format!("exec {command}")]);
        next.env(AS_IKERU, place.0.path());
        run = start(next);
    }
    ended(&run.wait_with_output().expect("a child"), 0);
    assert_eq!(results(&out), expected);
    let about = std::fs::read_to_string(out.join("run.toml")).expect("run.toml");
    assert_eq!(about.matches("[[session]]").count(), 4, "{about}");
    let sessions: Vec<String> = rows(&out)
        .iter()
        .map(|row| row["session"].clone())
        .collect();
    assert!(sessions.is_sorted() && sessions.last().is_some_and(|last| last == "4"));
}

/// A run of a variant that does not end and of an honest one, which is taken first.
fn endless(place: &Place, name: &str, variant: &str, more: &str) -> (Vec<PathBuf>, PathBuf) {
    let honest = place.experiment(&format!("{name}-first"), &["honest"], "[7]", "repeats = 1");
    let run = format!("repeats = 1, limit = \"600s\", {more}");
    let endless = place.experiment(name, &[variant], "[7]", &run);
    (vec![honest, endless], place.path(&format!("{name}-run")))
}

pub fn a_signal_drops_the_sample_that_runs() {
    let place = Place::new();
    for (name, variant, more) in [
        ("asks", "late", "mode = \"isolated\""),
        ("asks-contended", "late", "mode = \"contended\""),
        ("child", "sleeps", "isolate = true"),
        (
            "child-contended",
            "loops",
            "isolate = true, mode = \"contended\"",
        ),
        ("preparing", "never-ready", "isolate = true"),
    ] {
        let (experiments, out) = endless(&place, name, variant, more);
        let run = start(place.run(&experiments, &out, &[]));
        wait_for_rows(&out, 1);
        // Let the sample that has no end begin.
        std::thread::sleep(Duration::from_millis(300));
        let sent = Instant::now();
        signal(&run, Signal::TERM);
        command_of(&run.wait_with_output().expect("a child"));
        assert!(sent.elapsed() < Duration::from_secs(30), "{name}");
        place.nobody_is_left();
        let rows = rows(&out);
        assert_eq!(rows.len(), 1, "{name}: {rows:?}");
        assert_eq!(rows[0]["variant"], "honest");
    }
}

pub fn a_second_signal_ends_the_program_at_once() {
    let place = Place::new();
    let (experiments, out) = endless(&place, "deaf", "loops", "mode = \"contended\"");
    let mut run = start(place.run(&experiments, &out, &[]));
    wait_for_workers(&run);
    std::thread::sleep(Duration::from_millis(300));
    signal(&run, Signal::TERM);
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(run.try_wait().expect("a child"), None, "it never asks");
    signal(&run, Signal::INT);
    let output = run.wait_with_output().expect("a child");
    assert_eq!(output.status.signal(), Some(Signal::INT.as_raw()));
    place.nobody_is_left();
    assert_eq!(rows(&out).len(), 1);
}

pub fn a_second_writer_is_refused_while_the_first_runs() {
    let place = Place::new();
    let (experiments, out) = endless(&place, "held", "late", "mode = \"isolated\"");
    let run = start(place.run(&experiments, &out, &[]));
    wait_for_rows(&out, 1);
    let before = ["run.toml", "records.csv"].map(|file| std::fs::read(out.join(file)).ok());
    let second = place.run(&experiments, &out, &["--resume"]).output();
    let error = stopped(&second.expect("it starts"));
    assert!(error.contains("another run writes into it now"), "{error}");
    let after = ["run.toml", "records.csv"].map(|file| std::fs::read(out.join(file)).ok());
    assert_eq!(before, after, "the second has changed nothing");
    signal(&run, Signal::TERM);
    command_of(&run.wait_with_output().expect("a child"));
    // The system released the lock when its holder ended, also if it was killed.
    let mut third = start(place.run(&experiments, &out, &["--resume"]));
    wait_for_sessions(&out, 2);
    third.kill().expect("it runs");
    third.wait().expect("a child");
    let fourth = start(place.run(&experiments, &out, &["--resume"]));
    wait_for_sessions(&out, 3);
    signal(&fourth, Signal::TERM);
    command_of(&fourth.wait_with_output().expect("a child"));
}
