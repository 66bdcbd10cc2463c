//! The contract, answers that are known, and a run.

use ikeru_core::testing::{answer, violations};
use ikeru_core::{Deadline, Problem, Settings, erase};
use own_problem::Colouring;
use serde_json::json;

#[test]
fn the_contract_is_kept() {
    let broken = violations(erase::<Colouring>(), 1).into_iter();
    let broken: Vec<String> = broken.map(|violation| violation.to_string()).collect();
    assert_eq!(broken, [""; 0]);
}

#[test]
fn a_ring_of_five_needs_three_colours() {
    let ring = Colouring::read("5\n0 1\n1 2\n2 3\n3 4\n4 0").expect("a graph");
    let (attempt, _) = answer::<Colouring>(&ring, "dsatur", &Settings::new()).expect("taken");
    assert_eq!(attempt.answer().and_then(Colouring::score), Some(3));
}

#[test]
fn the_referee_refuses_one_colour_at_both_ends_of_an_edge() {
    let edge = erase::<Colouring>().read("2\n0 1").expect("a graph");
    for (colours, is_right) in [(&[1, 2][..], true), (&[1, 1], false), (&[1], false)] {
        let judged = edge.judge(&json!({ "colours": colours }), Deadline::never());
        assert_eq!(judged.expect("colours").verdict.is_ok(), is_right);
    }
}
