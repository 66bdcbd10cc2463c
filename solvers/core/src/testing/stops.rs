//! The clauses of deadlines: a solver stops in time, a timeout is complete.

use crate::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::attack::is_better;
use super::specimen::Specimen;
use super::subject::{AnsweredSpecimen, Subject, prepare};
use crate::{AnySolver, Deadline, Direction, Ended, Score, Settings};

/// The longest time from a stop to the end of the search. It is generous because test machines are busy.
const HEARD_WITHIN: Duration = Duration::from_secs(2);

pub fn stop_heard(subject: &Subject, _: &[AnsweredSpecimen], out: &mut Vec<String>) {
    let stop = AtomicBool::new(true);
    let stopped = || Deadline::never().or_stop(&stop);
    for Specimen { name, instance } in subject.all() {
        for variant in subject.problem.variants() {
            let who = format!("{} on {name}", variant.name);
            let mut check = |did: &str, started: Instant| {
                if started.elapsed() > HEARD_WITHIN {
                    out.push(format!("{who}: {did} for {:?}", started.elapsed()));
                }
            };
            let started = Instant::now();
            drop(instance.prepare(variant.name, &Settings::new(), stopped()));
            check("prepared", started);
            let Some(mut solver) = prepare(instance.as_ref(), &variant) else {
                continue;
            };
            let started = Instant::now();
            subject.solve(solver.as_mut(), stopped());
            check("searched", started);
            let started = Instant::now();
            drop(solver.referee(stopped()));
            check("refereed", started);
        }
    }
}

pub fn timeout_complete(subject: &Subject, _: &[AnsweredSpecimen], out: &mut Vec<String>) {
    for Specimen { name, instance } in subject.all() {
        let mut bounds: Vec<(String, Score)> = Vec::new();
        let mut best: Option<Score> = None;
        for variant in subject.problem.variants() {
            let who = format!("{} on {name}", variant.name);
            let Some(mut solver) = prepare(instance.as_ref(), &variant) else {
                continue;
            };
            let stopped = subject.solve_until_stopped(solver.as_mut());
            let found = confirmed(solver.as_ref());
            best = better(subject.problem.direction(), best, found);
            let Some(Ended::Timeout { bound }) = solver.ended() else {
                continue;
            };
            bounds.extend(bound.map(|bound| (who.clone(), bound)));
            if let Some(Err(rejection)) = solver.referee(Deadline::never()) {
                out.push(format!("{who}: its best when stopped: {rejection}"));
            }
            if !subject.problem.counters().is_empty() && stopped.is_empty() {
                out.push(format!("{who}: a timeout without counters"));
            }
        }
        for (who, bound) in bounds {
            if best
                .is_some_and(|best| is_better(subject.problem.direction(), Some(best), Some(bound)))
            {
                out.push(format!("{who}: the bound {bound} is beaten by {best:?}"));
            }
        }
    }
}

/// The referee's score of the last answer.
fn confirmed(solver: &dyn AnySolver) -> Option<Score> {
    solver.referee(Deadline::never())?.ok()?.score
}

fn better(direction: Direction, one: Option<Score>, other: Option<Score>) -> Option<Score> {
    match direction {
        Direction::Minimize => one.into_iter().chain(other).min(),
        Direction::Maximize | Direction::Equal => one.into_iter().chain(other).max(),
    }
}
