//! The values that depend on all rows: exact times, the time that is compared, replaced rows and failures.

use std::collections::{BTreeMap, HashMap};

use ikeru_bench_data::Mode;

use super::column::StoredColumn;
use super::{Rows, TIME};
use crate::Outcome;

/// Returns whether a sample of a variant on one thread, with these nanoseconds of wall and CPU time, contains the work
/// of other threads. The two clocks are read microseconds apart; 1.17 was the largest ratio of 6,952 samples of a quick
/// run.
pub fn has_other_threads(wall: f64, cpu: f64) -> bool {
    cpu > 1.3 * wall && cpu - wall > 1e5
}

/// Returns whether an attempt, with its session, is a further chance that the other side did not have: neither that attempt, nor
/// a first one as late.
fn is_lone([attempt, session]: [u32; 2], [other, last]: [u32; 2]) -> bool {
    attempt > other && session > last
}

impl Rows {
    /// Computes all of them.
    pub(super) fn complete(&mut self) {
        self.name_outcomes();
        self.divide_batches();
        self.choose_times();
        self.replace();
        self.find_failures();
    }

    pub(super) fn name_outcomes(&mut self) {
        if let Some(column) = self.column("outcome") {
            let words = column.words();
            let named = |symbol| Outcome::named(words.word(symbol));
            self.outcomes = (0..words.len()).map(named).collect();
        }
    }

    /// Adds the column [`TIME`]. For one thread it is CPU time, which other processes hardly change; under load, the
    /// wall time of a long answer grows, while a short answer ends within its time slice. The CPU clock is read
    /// outside of the wall clock's readings, so the CPU time of a short batch may exceed its wall time: the smaller
    /// of both is used. A CPU time that is larger by more ([`has_other_threads`]) contains the forbidden work of
    /// other threads and is used. The column is wall time for several threads, for rows without CPU time, and in
    /// contended mode, where CPU time covers one thread only.
    fn choose_times(&mut self) {
        if !self.has("wall_ns") || self.has(TIME) {
            return;
        }
        let [wall, cpu, iterations] =
            ["wall_ns", "cpu_ns", "iterations"].map(|name| self.field(name));
        let time = |row: u32| {
            let wall = wall.number(row)?;
            let cpu = cpu.number(row).filter(|cpu| *cpu > 0.0);
            let is_alone = self.text("mode", row) != Mode::Contended.name();
            let is_single = is_alone && self.text("threads", row) == "1";
            let of_one = |cpu: f64| {
                let answers = iterations.number(row).unwrap_or(1.0);
                let is_stopped = self.outcome(row) == Some(Outcome::Timeout);
                match has_other_threads(wall * answers, cpu * answers) && !is_stopped {
                    true => cpu,
                    false => wall.min(cpu),
                }
            };
            let cpu = cpu.filter(|_| is_single);
            Some((cpu.map_or(wall, of_one), cpu.is_some()))
        };
        let mut has_cpu_time = Vec::with_capacity(self.len);
        let times = (0..self.len as u32).map(|row| {
            let (time, is_of_cpu) = time(row).unwrap_or((f64::NAN, false));
            has_cpu_time.push(is_of_cpu);
            time
        });
        let times = StoredColumn::of_numbers(times.collect());
        self.has_cpu_time = has_cpu_time;
        self.place.insert(TIME.to_owned(), self.columns.len());
        self.columns.push(times);
    }

    /// Replaces `wall_ns` by the exact quotient, which the file rounds: a short answer takes few nanoseconds. A stopped
    /// search is censored at its limit: the time that a command takes to end after it tells nothing of the search.
    fn divide_batches(&mut self) {
        let fields = ["batch_ns", "iterations", "wall_ns"];
        let [batch, iterations, wall] = fields.map(|name| self.field(name));
        let quotient = |row: u32| {
            let (batch, iterations) = (batch.number(row)?, iterations.number(row)?);
            wall.number(row)?;
            (iterations > 0.0).then_some(batch / iterations)
        };
        let Some(&place) = self.place.get("wall_ns") else {
            return;
        };
        let limits = self.field("limit_ns");
        let written = |row| self.columns[place].number(row);
        let time = |row: u32| {
            let time = quotient(row).or(written(row)).unwrap_or(f64::NAN);
            let is_stopped = self.outcome(row) == Some(Outcome::Timeout);
            let limit = limits.number(row).filter(|_| is_stopped);
            limit.filter(|limit| time > *limit).unwrap_or(time)
        };
        let times = (0..self.len as u32).map(time);
        self.columns[place] = StoredColumn::of_numbers(times.collect());
    }

    /// Leaves out the rows that a later attempt at the same repeat of the same cell replaces. A skipped attempt does
    /// not replace one that was taken.
    fn replace(&mut self) {
        let attempts = self.field("attempt");
        let attempt = |row: u32| attempts.number(row).unwrap_or(0.0);
        let is_taken = |row: u32| self.outcome(row) != Some(Outcome::Skipped);
        let all: Vec<u32> = (0..self.len as u32).collect();
        if all.iter().all(|row| attempt(*row) == 0.0) {
            return;
        }
        let latest = |rows: Vec<u32>| {
            rows.into_iter().max_by(|a, b| {
                let by_attempt = attempt(*a).total_cmp(&attempt(*b));
                is_taken(*a).cmp(&is_taken(*b)).then(by_attempt)
            })
        };
        let groups = self.group_by(&["experiment", "cell", "repeat"], &all);
        let mut replaced = BTreeMap::new();
        for own in groups.iter().filter(|own| own.len() > 1) {
            let mut own = own.clone();
            own.sort_by(|a, b| attempt(*a).total_cmp(&attempt(*b)));
            replaced.extend(own.windows(2).map(|pair| (pair[1], pair[0])));
        }
        let mut count: Vec<u32> = groups.into_iter().filter_map(latest).collect();
        count.sort_unstable();
        self.count = Some(count);
        self.replaced = replaced;
    }

    /// The rows `own` where each later attempt that no row of `others` has at the same repeat is replaced by the attempt that
    /// they have: a second chance of one side alone decides nothing.
    pub fn without_lone_attempts(&self, own: &[u32], (rows, others): (&Self, &[u32])) -> Vec<u32> {
        if self.replaced.is_empty() {
            return own.to_vec();
        }
        let mut last: HashMap<(&str, &str), [u32; 2]> = HashMap::new();
        for other in others {
            let known = last.entry(rows.turn(*other)).or_default();
            *known = rows.attempt(*other).max(*known);
        }
        let common = |row: &u32| {
            let Some(last) = last.get(&self.turn(*row)) else {
                return *row;
            };
            let before = |row: &u32| self.replaced.get(row).copied();
            let mut attempts = std::iter::successors(Some(*row), before);
            let common = attempts.find(|row| !is_lone(self.attempt(*row), *last));
            common.unwrap_or(*row)
        };
        own.iter().map(common).collect()
    }

    /// The attempt, and its session.
    fn attempt(&self, row: u32) -> [u32; 2] {
        ["attempt", "session"].map(|column| self.number(column, row).unwrap_or(0.0) as u32)
    }

    /// The question and the repeat.
    fn turn(&self, row: u32) -> (&str, &str) {
        (self.text("question", row), self.text("repeat", row))
    }

    /// The number of samples that a later attempt replaced.
    pub fn retried(&self) -> usize {
        self.replaced.len()
    }

    /// The number of samples that were taken again for one label alone: another label has no such attempt at the same repeat of
    /// the same question.
    pub fn lone_attempts(&self) -> usize {
        if self.replaced.is_empty() {
            return 0;
        }
        let turns = self.group_by(&["experiment", "question", "repeat"], &self.all());
        let lone = |own: &Vec<u32>| {
            let attempts: Vec<[u32; 2]> = own.iter().map(|row| self.attempt(*row)).collect();
            let is_lone = |own: &&[u32; 2]| attempts.iter().any(|other| is_lone(**own, *other));
            attempts.iter().filter(is_lone).count()
        };
        turns.iter().map(lone).sum()
    }
}
