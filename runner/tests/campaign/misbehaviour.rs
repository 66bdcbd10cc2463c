//! Misbehaving variants of every kind and honest ones, each in a separate process.

use std::process::Command;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::faults::HONEST;
use crate::{Place, ended, rows};

/// The detail of a sample that did not heed its deadline.
const FORCED: &str = "its deadline and was stopped by force: ";

/// The outcome that each variant must have, and a part of the detail.
const DESERVED: &[(&str, &str, &str)] = &[
    ("honest", "solved", ""),
    ("busy", "solved", ""),
    ("noisy", "solved", ""),
    ("undisturbed", "solved", ""),
    ("escapes", "solved", ""),
    ("late", "timeout", ""),
    ("never-ready", "timeout", "while it prepared"),
    ("panics", "crashed", "is too much"),
    ("loops", "timeout", FORCED),
    ("sleeps", "timeout", "had not answered after its deadline"),
    ("allocates", "out-of-memory", "128 MiB"),
    ("claims", "wrong", "claimed"),
    ("illegal", "wrong", "not the number asked for"),
    ("kills-itself", "crashed", "SIGKILL"),
    ("exits", "crashed", "exit status: 3"),
    ("floods", "timeout", FORCED),
    ("torn", "crashed", "its process ended"),
    ("nonsense", "crashed", "no message"),
    ("overflows", "crashed", "stack"),
    ("has-children", "timeout", FORCED),
];

pub fn everybody_gets_the_row_they_deserve() {
    let place = Place::new();
    let variants: Vec<&str> = DESERVED.iter().map(|(variant, ..)| *variant).collect();
    let run = |mode| {
        format!(
            "mode = \"{mode}\", isolate = true, repeats = 1, limit = \"1s\", memory_mib = 128, \
             sample = \"1ms\", warm_up = \"0ms\""
        )
    };
    let experiments =
        ["isolated", "contended"].map(|mode| place.experiment(mode, &variants, "[7]", &run(mode)));
    let out = place.path("run");
    let mut run = place.run(&experiments, &out, &[]);
    for name in ["RUST_BACKTRACE", "RUST_LIB_BACKTRACE"] {
        run.env(name, "full");
    }
    run.env("RUST_MIN_STACK", "4194304");
    let output = run.output().expect("it starts");
    // The run found wrong answers; no other failure is its own.
    ended(&output, 3);
    let about = std::fs::read_to_string(out.join("run.toml")).expect("run.toml");
    if about.contains("isolation = \"process group\"") {
        // Processes that left the group need not be ended.
        place.end_everybody();
    }
    place.nobody_is_left();
    let rows = rows(&out);
    assert_eq!(rows.len(), DESERVED.len() * 2);
    for row in &rows {
        let of = |name: &str| row[name].as_str();
        let (variant, outcome, why) = DESERVED
            .iter()
            .find(|(variant, ..)| *variant == of("variant"))
            .expect("a variant of ours");
        assert_eq!(of("outcome"), *outcome, "{row:?}");
        assert!(of("detail").contains(why), "{row:?}");
        let number: i64 = of("size").parse().expect("a size");
        let square = (number * number).to_string();
        if HONEST.contains(variant) {
            assert_eq!(
                (of("score"), of("counter_steps")),
                (&*square, of("size")),
                "{row:?}"
            );
        }
        match *variant {
            "late" => assert_eq!((of("score"), of("claimed")), (&*square, "")),
            // Reported before it was stopped, and seen by no referee.
            "loops" => assert_eq!((of("score"), of("claimed")), ("", of("size"))),
            _ => assert_eq!(of("claimed"), ""),
        }
        let times = [of("wall_ns"), of("batch_ns")];
        if *variant == "never-ready" {
            assert_eq!(times, ["", ""], "no answer was begun: {row:?}");
        } else if *outcome == "timeout" {
            let wall: u64 = times[0].parse().expect("a time");
            assert!(wall >= 1_000_000_000, "{row:?}");
        }
    }
}

pub fn a_solver_that_stops_itself_by_its_clock_runs_no_longer_in_a_worker() {
    let place = Place::new();
    let run = "isolate = true, repeats = 1, limit = \"60s\", sample = \"1ms\", warm_up = \"0ms\"";
    let experiment = place.experiment("clock", &["self-timed", "honest"], "[7]", run);
    let out = place.path("run");
    place.whole(&[experiment], &out, &[]);
    for row in rows(&out) {
        assert_eq!(
            (&*row["outcome"], &*row["detail"]),
            ("solved", ""),
            "{row:?}"
        );
    }
}

pub fn a_worker_ends_itself_when_its_run_does_not() {
    let place = Place::new();
    let run = "isolate = true, repeats = 1, limit = \"5s\", sample = \"1ms\", warm_up = \"0ms\"";
    let experiment = place.experiment("stopped", &["loops"], "[7]", run);
    let out = place.path("run");
    let mut run = place
        .run(&[experiment], &out, &[])
        .spawn()
        .expect("it starts");
    let own = Pid::from_child(&run);
    let wait_for = |is_there: bool| {
        let end = Instant::now() + Duration::from_secs(60);
        let is_worker = |(_, command): &(Pid, String)| command.contains(" worker");
        while place.processes().iter().any(is_worker) != is_there {
            assert!(Instant::now() < end, "a worker: {}", !is_there);
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    wait_for(true);
    // A worker without a job waits for it.
    std::thread::sleep(Duration::from_secs(2));
    kill_process(own, Signal::STOP).expect("it runs");
    wait_for(false);
    kill_process(own, Signal::CONT).expect("it is stopped");
    assert!(run.wait().is_ok());
    assert_ne!(rows(&out)[0]["outcome"], "solved");
}

pub fn the_shipped_program_knows_no_faults() {
    let shipped = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ikeru"));
        command.args(arguments).output().expect("it starts")
    };
    let list = shipped(&["list", "problems"]);
    assert!(list.status.success());
    assert!(!String::from_utf8_lossy(&list.stdout).contains("faults"));
    let help = String::from_utf8_lossy(&shipped(&["--help"]).stdout).into_owned();
    assert!(!help.contains("worker"), "{help}");
    assert_eq!(shipped(&["worker"]).status.code(), Some(2));
}
