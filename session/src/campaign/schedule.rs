//! The samples that are taken next, and the end of sampling.
//!
//! A [`Schedule`] names rounds; `rounds` takes them. Its only clock is the end of its rounds, so that a test can
//! drive it with invented samples.

use std::collections::HashMap;
use std::time::Instant;

use ikeru_core::Random;

use super::journal::Finished;
use crate::execute::Sample;
use crate::plan::{Cell, Stage};

/// One sample to take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pick {
    /// The place of its stage among those of the schedule.
    pub stage: usize,
    /// The place of its cell in the stage.
    pub cell: usize,
    /// The repeat, from 0.
    pub repeat: u32,
    /// Above 0 if it replaces an earlier sample of the same repeat.
    pub attempt: u32,
    /// True if another sample of the cell follows; its solver is then kept.
    pub follows: bool,
}

/// A sample that was taken.
#[derive(Debug, Clone)]
pub struct Taken {
    /// The pick that the schedule named.
    pub pick: Pick,
    /// The canary's ratio; none if the sample was skipped.
    pub canary: Option<f64>,
    /// Its result.
    pub sample: Sample,
}

/// Samples taken one after another.
#[derive(Debug, Default)]
pub struct Round {
    /// The samples in the order in which they are taken. A cell may occur more than once.
    pub picks: Vec<Pick>,
    /// No sample begins after this moment; the rounds of the schedule end there.
    pub end: Option<Instant>,
    /// True if the plan does not count these samples.
    pub is_extra: bool,
}

/// Names rounds of samples.
pub trait Schedule {
    /// The next round, given the samples of the round before; `None` if no further sample is needed.
    fn next(&mut self, last: &[Taken]) -> Option<Round>;
}

/// The plan's repeats of one stage: each round has every cell once, in a random order.
pub(super) struct Repeats<'a> {
    pub stage: &'a Stage,
    pub finished: &'a Finished,
    pub random: Random,
    /// The next repeat.
    pub repeat: u32,
}

impl Schedule for Repeats<'_> {
    fn next(&mut self, _: &[Taken]) -> Option<Round> {
        let (repeat, repeats) = (self.repeat, self.stage.repeats);
        if repeat == repeats {
            return None;
        }
        self.repeat += 1;
        let missing = |cell: &Cell, repeat| !is_finished(self.finished, self.stage, cell, repeat);
        let mut picks = Vec::new();
        for at in order(self.stage, &mut self.random) {
            let cell = &self.stage.cells[at];
            if missing(cell, repeat) {
                picks.push(Pick {
                    stage: 0,
                    cell: at,
                    repeat,
                    attempt: 0,
                    follows: (repeat + 1..repeats).any(|repeat| missing(cell, repeat)),
                });
            }
        }
        Some(Round {
            picks,
            ..Round::default()
        })
    }
}

/// A random order of the stage's cells; smaller cells come first along the column of `hopeless_along`.
pub(super) fn order(stage: &Stage, random: &mut Random) -> Vec<usize> {
    let mut order: Vec<usize> = (0..stage.cells.len()).collect();
    random.shuffle(&mut order);
    if let Some(column) = &stage.hopeless_along {
        let along = |at: &usize| stage.cells[*at].along(column).unwrap_or(f64::NEG_INFINITY);
        order.sort_by(|a, b| along(a).total_cmp(&along(b)));
    }
    order
}

/// The order of a stage whose cells are taken at the same time: those of one question follow each other, so that they have
/// the same load.
pub(super) fn order_by_question(stage: &Stage, random: &mut Random) -> Vec<usize> {
    let mut order = order(stage, random);
    let question = |at: &usize| stage.cells[*at].asked;
    let mut place = HashMap::new();
    for at in &order {
        let next = place.len();
        place.entry(question(at)).or_insert(next);
    }
    order.sort_by_key(|at| place[&question(at)]);
    order
}

/// Returns whether an earlier session finished this repeat.
pub fn is_finished(finished: &Finished, stage: &Stage, cell: &Cell, repeat: u32) -> bool {
    let key = || (stage.experiment.clone(), cell.sample(repeat).to_string());
    !finished.is_empty() && finished.contains_key(&key())
}

#[cfg(test)]
pub(super) mod tests;
