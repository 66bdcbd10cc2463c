//! `kill -9` at random moments of a campaign with stages of every kind, each resumed.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Instant;

use ikeru_core::Random;
use ikeru_core::testing::trials;

use crate::faults::HONEST;
use crate::{Place, wait_for_rows};

/// The number of kills of all runs.
fn kills() -> u64 {
    trials(50).max(10)
}
/// The maximum number of kills of one run, which may then continue to its end.
const KILLS_OF_ONE_RUN: u32 = 10;

/// Stages of both modes, in this process and in separate processes.
pub fn mixed(place: &Place) -> Vec<PathBuf> {
    let mut experiments = Vec::new();
    for mode in ["isolated", "contended"] {
        for isolate in [false, true] {
            let name = format!("{mode}-{isolate}");
            let run = format!(
                "mode = \"{mode}\", isolate = {isolate}, repeats = 2, limit = \"20s\", \
                 sample = \"0ms\", warm_up = \"0ms\""
            );
            // The variant that floods standard error is left out if it would write into that of the run.
            let variants = &HONEST[..if isolate { 3 } else { 2 }];
            experiments.push(place.experiment(&name, variants, "[1, 2]", &run));
        }
    }
    experiments
}

pub fn a_kill_at_any_moment_loses_nothing() {
    let place = Place::new();
    let experiments = mixed(&place);
    let whole = place.path("whole");
    let started = Instant::now();
    let expected = place.whole(&experiments, &whole, &[]);
    let lasts = started.elapsed();
    assert_eq!(expected.len(), (2 + 3 + 2 + 3) * 2 * 2);
    let mut killed = 0;
    for seed in 0.. {
        let out = place.path(&format!("killed-{seed}"));
        let mut random = Random::new("kills", seed);
        for _ in 0..KILLS_OF_ONE_RUN {
            let mut command = place.run(&experiments, &out, &["--resume"]);
            command.stdout(Stdio::null()).stderr(Stdio::null());
            let mut run = command.spawn().expect("it starts");
            let moment = lasts.mul_f64(random.unit());
            std::thread::sleep(moment);
            let ended = run.try_wait().expect("a child").is_some();
            // A run that ended before its moment cannot be killed.
            let _ = run.kill();
            run.wait().expect("a child");
            place.nobody_is_left();
            if ended {
                break;
            }
            println!("seed {seed}: killed after {moment:?}");
            killed += 1;
        }
        let found = place.whole(&experiments, &out, &["--resume"]);
        assert_eq!(found, expected, "seed {seed}");
        if killed >= kills() {
            return;
        }
    }
}

pub fn a_kill_leaves_none_of_those_who_escaped_where_cgroups_hold_them() {
    let place = Place::new();
    let run = "mode = \"contended\", isolate = true, repeats = 1000, sample = \"0ms\"";
    let experiment = place.experiment("escaping", &["escapes"], "[1, 2]", run);
    let out = place.path("run");
    let mut command = place.run(&[experiment], &out, &[]);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut run = command.spawn().expect("it starts");
    wait_for_rows(&out, 4);
    run.kill().expect("it runs");
    run.wait().expect("a child");
    let about = std::fs::read_to_string(out.join("run.toml")).expect("run.toml");
    if !about.contains("isolation = \"cgroup\"") {
        println!("skipped: no cgroups of our own here");
        place.end_everybody();
    }
    place.nobody_is_left();
}
