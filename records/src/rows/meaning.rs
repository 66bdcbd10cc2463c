//! The meaning of rows: which clock compares them, which values repeat exactly, directions, defaults and limits.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use ikeru_bench_data::Experiment;
use ikeru_core::{BoundPolicy, Direction, Score};
use ikeru_statistics::Bound;

use super::sampled::is_time;
use super::{Rows, TIME};
use crate::bests::BestKnown;
use crate::units::Quantity;
use crate::{Family, Outcome, bests};

impl Rows {
    /// The column in which `rows` are compared. `column` itself if it has no [`TIME`], or if the [`TIME`] of every
    /// solved row is CPU time; otherwise `wall_ns` replaces [`TIME`], so that all rows are compared by one clock.
    pub fn compared<'a>(&self, column: &'a str, rows: &[u32]) -> Cow<'a, str> {
        if !column.contains(TIME) || self.has_cpu_time.is_empty() {
            return Cow::Borrowed(column);
        }
        let is = |row: &u32, outcome| self.outcome(*row) == Some(outcome);
        // Without a solved row, those that were stopped decide.
        let timed = match rows.iter().any(|row| is(row, Outcome::Solved)) {
            true => Outcome::Solved,
            false => Outcome::Timeout,
        };
        let is_by_wall = |row: &u32| !self.has_cpu_time[*row as usize] && is(row, timed);
        if !rows.iter().any(is_by_wall) {
            return Cow::Borrowed(column);
        }
        Cow::Owned(column.replace(TIME, "wall_ns"))
    }

    /// Returns whether the values of `column` are reproducible: scores, counters and measures of searches whose bound
    /// policy and threads make them deterministic.
    pub fn repeats_exactly(&self, column: &str, rows: &[u32]) -> bool {
        let is_counted = column.split('/').all(|part| {
            let family = Family::of(part).map(|(family, _)| family);
            part == "score" || matches!(family, Some(Family::Counter | Family::Measure))
        });
        is_counted && rows.iter().all(|row| self.repeats_counters(*row))
    }

    /// Returns whether the row's counters are reproducible: on one thread, or with the bound policy `private`. A command
    /// promises nothing.
    pub fn repeats_counters(&self, row: u32) -> bool {
        if self.is_command(row) {
            return false;
        }
        let policy = BoundPolicy::named(self.text("bound_policy", row)).unwrap_or_default();
        policy.repeats_counters(self.number("threads", row).unwrap_or(0.0) as usize)
    }

    /// Sets the optimization direction of problems.
    pub fn set_directions<'a>(
        &mut self,
        directions: impl IntoIterator<Item = (&'a str, Direction)>,
    ) {
        let directions = directions.into_iter();
        self.directions
            .extend(directions.map(|(problem, direction)| (problem.to_owned(), direction)));
    }

    /// Takes over what experiments say of their problems of commands, and of commands that prove their answers.
    pub(crate) fn set_commands(&mut self, experiments: &[Experiment]) {
        let (mut digits, mut exact) = (BTreeMap::new(), BTreeSet::new());
        for experiment in experiments {
            let specs = experiment.variant_specs().unwrap_or_default().into_iter();
            let proving = specs.filter(|it| it.foreign.as_ref().is_some_and(|it| it.exact));
            exact.extend(proving.map(|it| (experiment.problem.name().to_owned(), it.name)));
            let Some(problem) = experiment.problem.commands() else {
                continue;
            };
            let name = || problem.name.clone();
            digits.insert(name(), problem.decimals);
            self.unrefereed.extend(problem.is_unchecked().then(name));
            let cluster = problem.cluster.as_ref();
            let cluster = cluster.map(|feature| (name(), Family::Parameter.column(feature)));
            self.clusters.extend(cluster);
        }
        self.set_digits(digits);
        self.set_exact(&exact);
    }

    /// Names the problems of commands, with the number of decimal digits of their scores: from then on 525 with two digits
    /// is 5.25 everywhere.
    pub fn set_digits(&mut self, digits: BTreeMap<String, u32>) {
        self.digits = digits;
        if self.digits.values().any(|digits| *digits > 0) {
            for name in ["score", "claimed", "bound"] {
                self.rewrite(name, |rows, row, text| {
                    let digits = rows.digits.get(rows.text("problem", row))?;
                    Some(bests::decimal(text.parse().ok()?, *digits))
                });
            }
        }
        let is_late =
            |row: &u32| self.outcome(*row) == Some(Outcome::Timeout) && self.is_of_commands(*row);
        let all = 0..self.len() as u32;
        let late = all.filter(|row| is_late(row) && !self.text("score", *row).is_empty());
        self.late = late.collect();
    }

    /// Names the commands that prove their answers, by problem: an answer of theirs at the limit is not proven, and so not
    /// solved.
    pub fn set_exact(&mut self, exact: &BTreeSet<(String, String)>) {
        let own = |row, name| self.text(name, row).to_owned();
        let is_exact = |row| exact.contains(&(own(row, "problem"), own(row, "variant")));
        let late = self.late.iter().copied();
        self.late = late.filter(|row| !is_exact(*row)).collect();
    }

    /// The row's score in units of the last decimal digit of its problem, with all its digits; `None` if there is none.
    pub fn score(&self, row: u32) -> Option<Score> {
        let (score, _) = bests::of_decimal(self.text("score", row))?;
        Some(score)
    }

    /// A score of the row's problem as it is printed.
    pub fn decimal(&self, row: u32, score: Score) -> String {
        let digits = self.digits.get(self.text("problem", row));
        bests::decimal(score, digits.copied().unwrap_or(0))
    }

    /// The quantity of a statistic of a column over rows of a problem: scores with decimal digits have one digit more.
    pub fn quantity(&self, column: &str, own: &[u32]) -> Quantity {
        let problem = own.first().map(|row| self.text("problem", *row));
        match (column, problem.and_then(|problem| self.digits.get(problem))) {
            ("score", Some(digits @ 1..)) => Quantity::Decimals(*digits as u8 + 1),
            _ => Quantity::of_column(column),
        }
    }

    /// Returns whether the row's problem is one of commands.
    pub fn is_of_commands(&self, row: u32) -> bool {
        self.digits.contains_key(self.text("problem", row))
    }

    /// The number of repeats that a session reached, by experiment.
    pub(crate) fn reached(&self, session: u32) -> BTreeMap<String, u32> {
        let own = self.with("session", &session.to_string());
        let reached = self.group("experiment", &own).into_iter();
        let reached = reached.map(|(experiment, own)| {
            let last = self.numbers("repeat", &own).into_iter().fold(0.0, f64::max);
            (experiment, last as u32 + 1)
        });
        reached.collect()
    }

    /// Returns whether a later session of the row's folder added its repeat to those that the first one planned.
    pub fn is_added(&self, row: u32) -> bool {
        // PERF: most folders have one session.
        if self.first_repeats.is_empty() {
            return false;
        }
        let number = |column| self.number(column, row).unwrap_or(0.0);
        let first = self.first_repeats.get(&(number("session") as u32));
        let planned = first.and_then(|first| first.get(self.text("experiment", row)));
        planned.is_some_and(|planned| number("repeat") >= f64::from(*planned))
    }

    /// Returns whether a later session of the row's folder added its question to those that the first one planned.
    pub fn is_of_added_question(&self, row: u32) -> bool {
        let added = self.added_questions.get(self.text("experiment", row));
        added.is_some_and(|added| added.contains(self.text("question", row)))
    }

    /// Returns whether the answer came after the limit.
    pub fn is_late(&self, row: u32) -> bool {
        self.late.contains(&row)
    }

    /// The optimization direction of a problem, if known.
    pub fn direction_of(&self, problem: &str) -> Option<Direction> {
        self.directions.get(problem).copied()
    }

    /// The optimization direction of the row's problem, if known.
    pub fn direction(&self, row: u32) -> Option<Direction> {
        self.direction_of(self.text("problem", row))
    }

    /// Returns whether the row's variant is a command.
    pub fn is_command(&self, row: u32) -> bool {
        self.commands.contains(self.text("variant", row))
    }

    /// The best-known score of the row's instance, of this and earlier runs; `None` if no ledger has it.
    pub fn best_known(&self, row: u32) -> Option<Score> {
        self.known(row).map(|known| known.score)
    }

    pub(super) fn known(&self, row: u32) -> Option<&BestKnown> {
        let direction = self.direction(row)?;
        self.bests.best(self.text("instance_hash", row), direction)
    }

    /// The words of `problem` for `column`, if it has any.
    pub fn word(&self, problem: &str, column: &str) -> Option<&str> {
        self.words.get(problem)?.get(column).map(String::as_str)
    }

    /// The column of the declared groups of instances of the row's problem.
    fn cluster(&self, row: u32) -> Option<&str> {
        let column = self.clusters.get(self.text("problem", row));
        column.map(String::as_str)
    }

    /// The independent unit of the row: its instance, or the declared group of instances.
    pub fn unit(&self, row: u32) -> &str {
        self.text(self.cluster(row).unwrap_or("instance_hash"), row)
    }

    /// The seed of the row's instance, unless its name ends with it.
    pub fn seed_beside_name(&self, row: u32) -> Option<&str> {
        let (instance, seed) = (self.text("instance", row), self.text("seed", row));
        let is_named = instance.ends_with(&format!("seed {seed}"));
        (!seed.is_empty() && !is_named).then_some(seed)
    }

    /// The part of a comparison to which the row belongs: `instance=NAME`, or `COLUMN=VALUE` of a declared group.
    pub fn part_of(&self, row: u32) -> String {
        let column = self.cluster(row).unwrap_or("instance");
        format!("{column}={}", self.text(column, row))
    }

    /// Returns whether an instance may hold several questions.
    pub fn has_batches(&self) -> bool {
        self.batches.values().any(|column| self.has(column))
    }

    /// The number of questions of the row's instance.
    pub fn questions(&self, row: u32) -> u64 {
        let column = self.batches.get(self.text("problem", row));
        let count = column.and_then(|column| self.number(column, row));
        count.map_or(1, |count| count as u64)
    }

    /// The setting of the row's question in `column`: the row's value, or else the default.
    pub fn asked(&self, column: &str, row: u32) -> &str {
        match self.text(column, row) {
            "" => self.default_of(column, row),
            own => own,
        }
    }

    /// The default of the setting of the row's problem, or of the parameter of its generator, in `column`; empty if none
    /// is known. An instance file may contain another question, so defaults apply to generated instances only.
    pub fn default_of(&self, column: &str, row: u32) -> &str {
        if self.text("seed", row).is_empty() {
            return "";
        }
        let default = Family::of(column).and_then(|(family, name)| {
            let of = match family {
                Family::Parameter => "generator",
                _ => "problem",
            };
            self.defaults.get(self.text(of, row))?.get(name)
        });
        default.map_or("", String::as_str)
    }

    /// The bound that the value of a timeout is for the value of the complete run.
    pub fn bound_when_stopped(&self, column: &str, row: u32) -> Bound {
        if let Some((above, below)) = column.split_once('/') {
            let above = self.bound_when_stopped(above, row);
            return above.over(self.bound_when_stopped(below, row));
        }
        match column {
            time if is_time(time) => Bound::AtLeast,
            "score" => match self.direction(row) {
                Some(Direction::Maximize) => Bound::AtLeast,
                Some(Direction::Minimize) => Bound::AtMost,
                Some(Direction::Equal) | None => Bound::Either,
            },
            _ => match Family::of(column) {
                Some((Family::Counter, _)) => Bound::AtLeast,
                // Measured on the best answer so far; a better answer may have any other value.
                Some((Family::Measure, _)) => Bound::Either,
                _ => Bound::Exact,
            },
        }
    }
}
