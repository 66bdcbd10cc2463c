//! Samples of a column: repeats of one cell, or one value per instance.

use std::collections::BTreeMap;

use ikeru_core::{Direction, Score};
use ikeru_statistics::sample::{CensoredSample, Units};
use ikeru_statistics::{Bound, mean};

use super::{Rows, TIME};
use crate::hash::FastSet;
use crate::{Family, Outcome, units};

/// Returns whether the column holds times of answers.
pub(super) fn is_time(column: &str) -> bool {
    [TIME, "wall_ns", "cpu_ns", "batch_ns", "process_cpu_ns"].contains(&column)
}

impl Rows {
    /// The values of `column`, one per solved row and per timeout that has a value. A failed row has the value of its
    /// time limit in a column of times; in other columns it has no value and counts as worse than all values, as does a
    /// search without an answer in time.
    pub fn sample(&self, column: &str, selection: &[u32]) -> CensoredSample {
        let mut sample = CensoredSample::default();
        let field = self.field(column);
        for &row in selection {
            let bound = match self.outcome(row) {
                Some(Outcome::Solved) => Bound::Exact,
                Some(Outcome::Timeout) => self.bound_when_stopped(column, row),
                _ => {
                    self.push_failed(&mut sample, column, row);
                    continue;
                }
            };
            match field.number(row) {
                Some(value) => sample.push(value, bound),
                None if self.lacks_value(column, row) => {
                    sample.push_missing(self.worse(column, row));
                }
                None => {}
            }
        }
        sample
    }

    /// The same with the limit of each hopeless question in a column of times: it was not asked, because its time would be over
    /// the limit.
    pub fn sample_with_hopeless(&self, column: &str, selection: &[u32]) -> CensoredSample {
        let mut sample = self.sample(column, selection);
        let hopeless = selection.iter().filter(|row| self.is_hopeless(**row));
        let limits = hopeless.filter_map(|row| self.limit(*row).filter(|_| is_time(column)));
        limits.for_each(|limit| sample.push(limit, Bound::AtLeast));
        sample
    }

    fn push_failed(&self, sample: &mut CensoredSample, column: &str, row: u32) {
        if !self.is_failed(row) {
            return;
        }
        match self.limit(row).filter(|_| is_time(column)) {
            Some(limit) => sample.push_failed(limit),
            None => sample.push_missing(self.worse(column, row)),
        }
    }

    /// The side of the known values of `column` on which worse values are.
    fn worse(&self, column: &str, row: u32) -> Bound {
        match (column, self.direction(row)) {
            // A quotient has no better side.
            _ if column.contains('/') => Bound::Either,
            ("score", Some(Direction::Maximize)) => Bound::AtMost,
            ("score", Some(Direction::Minimize)) => Bound::AtLeast,
            _ if is_time(column) || Family::Counter.holds(column) => Bound::AtLeast,
            _ => Bound::Either,
        }
    }

    /// Returns whether a stopped search has no value of `column`: it gave no answer, and the column is a score, a measure or
    /// anything else that is of answers; or its process was ended before it printed a counter.
    pub fn lacks_value(&self, column: &str, row: u32) -> bool {
        if self.outcome(row) != Some(Outcome::Timeout) {
            return false;
        }
        let is_silent = || {
            let mut counters = self.family(Family::Counter);
            counters.all(|name| self.text(name, row).is_empty())
        };
        let is_of_answer =
            self.is_of_commands(row) || column == "score" || Family::Measure.holds(column);
        let is_unanswered = is_of_answer && self.text("score", row).is_empty();
        is_unanswered || Family::Counter.holds(column) && is_silent()
    }

    /// Returns whether the variant refused the question; a sample that the run did not take is no refusal.
    pub fn is_refusal(&self, row: u32) -> bool {
        self.outcome(row) == Some(Outcome::Skipped) && !self.is_hopeless(row)
    }

    /// Returns whether the run did not ask because a smaller question was hopeless.
    pub fn is_hopeless(&self, row: u32) -> bool {
        self.text("asked", row) == "false"
    }

    /// Returns whether a sample counts for its solver: the referee did not fail, and the answer is not in dispute. A hopeless
    /// question that was not asked counts as not answered.
    pub fn counts(&self, row: u32) -> bool {
        let is_open = |outcome| matches!(outcome, Outcome::RefereeFailed | Outcome::Disputed);
        !self.outcome(row).is_some_and(is_open)
    }

    /// Returns whether the sample failed: wrong, unchecked, crashed, out of memory, without an answer, or refused although another
    /// sample of its cell ran.
    pub fn is_failed(&self, row: u32) -> bool {
        match self.outcome(row) {
            Some(outcome) if outcome.is_serious() => true,
            Some(Outcome::NoAnswer) => true,
            Some(Outcome::Skipped) => self.refused_late.contains(&row),
            _ => false,
        }
    }

    /// Returns whether the sample was solved or stopped at its limit: it may have a confirmed answer.
    pub fn is_answered(&self, row: u32) -> bool {
        matches!(self.outcome(row), Some(Outcome::Solved | Outcome::Timeout))
    }

    /// The confirmed score of a sample; `None` if it failed or has no answer.
    pub fn confirmed(&self, row: u32) -> Option<Score> {
        self.score(row).filter(|_| self.is_answered(row))
    }

    /// Returns whether the sample was solved, stopped at its limit, or failed.
    pub fn ran(&self, row: u32) -> bool {
        self.is_answered(row) || self.is_failed(row)
    }

    /// The number of failed rows of `selection` for each outcome.
    pub fn failures(&self, selection: &[u32]) -> BTreeMap<Outcome, usize> {
        let mut counts = BTreeMap::new();
        for row in selection.iter().filter(|row| self.is_failed(**row)) {
            *counts
                .entry(self.outcome(*row).unwrap_or_default())
                .or_default() += 1;
        }
        counts
    }

    /// The same in words: `8 of 12 crashed`, or `2 crashed, 1 wrong of 12`; empty if no row failed.
    pub fn failed_in_words(&self, selection: &[u32]) -> String {
        let failures = self.failures(selection);
        let of = units::count(selection.len());
        let parts = failures.iter();
        let parts = parts.map(|(it, count)| (units::count(*count), it.failure()));
        match parts.collect::<Vec<_>>().as_slice() {
            [] => String::new(),
            [(count, word)] => format!("{count} of {of} {word}"),
            several => {
                let words = several.iter();
                let words = words.map(|(count, word)| format!("{count} {word}"));
                format!("{} of {of}", words.collect::<Vec<_>>().join(", "))
            }
        }
    }

    /// The time limit of the sample in nanoseconds; the longest time in the file if the row has no limit.
    pub fn limit(&self, row: u32) -> Option<f64> {
        self.number("limit_ns", row).or(self.longest)
    }

    /// Finds the refusals of cells that also ran, and the longest time.
    pub(super) fn find_failures(&mut self) {
        let all: Vec<u32> = (0..self.len as u32).collect();
        let is_refused = |row: &u32| self.is_refusal(*row);
        let mut late = FastSet::default();
        if all.iter().any(is_refused) {
            for cell in self.group_by(&["experiment", "cell"], &all) {
                let (refused, ran): (Vec<u32>, Vec<u32>) =
                    cell.into_iter().partition(|row| is_refused(row));
                if self.ended(&ran, Outcome::Skipped).len() < ran.len() {
                    late.extend(refused);
                }
            }
        }
        self.refused_late = late;
        self.longest = self.numbers("wall_ns", &all).into_iter().reduce(f64::max);
    }

    /// The value that all rows of a selection have in common in `column`, or that none has one; `None` if they differ.
    pub fn common(&self, column: &str, selection: &[u32]) -> Option<Option<f64>> {
        let field = self.field(column);
        let first = field.number(*selection.first()?);
        let mut rest = selection[1..].iter();
        rest.all(|row| field.number(*row) == first).then_some(first)
    }

    /// The median of each instance's values.
    pub fn medians(&self, column: &str, selection: &[u32]) -> Units {
        let instances = self.instances(column, selection);
        let is_one_cell = self.is_one_cell(selection);
        Units::of(instances, is_one_cell, CensoredSample::middle)
    }

    /// The mean of each instance's values.
    pub fn means(&self, column: &str, selection: &[u32]) -> Units {
        let mean = |sample: &CensoredSample| Some((mean(&sample.values)?, sample.bound));
        let instances = self.instances(column, selection);
        Units::of(instances, self.is_one_cell(selection), mean)
    }

    /// The values of each instance.
    pub fn instances(&self, column: &str, selection: &[u32]) -> Vec<CensoredSample> {
        let instances = self.group_by(&["instance_hash"], selection);
        let instances = instances.iter();
        instances.map(|own| self.sample(column, own)).collect()
    }

    /// Returns whether all rows are repeats of one cell.
    pub fn is_one_cell(&self, selection: &[u32]) -> bool {
        self.group_by(&["cell"], selection).len() < 2
    }
}
