//! The contract, and answers that are known.

use std::process::Command;

use ikeru_core::testing::{answer, violations};
use ikeru_core::{Deadline, Problem, Settings, erase};
use own_problem::Colouring;
use serde_json::json;

#[test]
fn the_contract_is_kept() {
    let broken = violations(erase::<Colouring>(), 1);
    let broken: Vec<String> = broken.iter().map(ToString::to_string).collect();
    assert_eq!(broken, [] as [String; 0]);
}

#[test]
fn a_ring_of_five_needs_three_colours() {
    let ring = Colouring::read("5\n0 1\n1 2\n2 3\n3 4\n4 0\n").expect("a graph");
    let (attempt, _) = answer::<Colouring>(&ring, "dsatur", &Settings::new()).expect("taken");
    let colours = attempt.answer().expect("an answer");
    assert_eq!(Colouring::score(colours), Some(3));
}

#[test]
fn the_referee_refuses_a_colour_on_both_ends_of_an_edge() {
    let edge = erase::<Colouring>().read("2\n0 1\n").expect("a graph");
    let judge = |colours: &[u32]| {
        let judged = edge.judge(&json!({ "colours": colours }), Deadline::never());
        judged.expect("an answer").verdict
    };
    assert!(judge(&[1, 2]).is_ok());
    for wrong in [&[1, 1][..], &[1], &[1, 0]] {
        assert!(judge(wrong).is_err(), "{wrong:?}");
    }
}

#[test]
fn its_experiment_runs_with_the_data_beside_it() {
    let out = std::env::temp_dir().join(format!("own-problem-{}", std::process::id()));
    let mut command = Command::new(env!("CARGO_BIN_EXE_own-problem"));
    let run = command.args(["run", "colouring-random", "--data", "data", "--repeats", "1"]);
    let run = run.args(["--quiet", "--out"]).arg(&out).output();
    let run = run.expect("started");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let records = std::fs::read_to_string(out.join("records.csv")).expect("records");
    assert_eq!(records.matches(",solved,").count(), 2 * 15);
    assert!(out.join("index.html").exists());
    std::fs::remove_dir_all(&out).expect("removed");
}
