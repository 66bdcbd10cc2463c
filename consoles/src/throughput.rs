//! The modelled times of a run on every console: `throughput.csv`.

use std::cell::RefCell;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::path::Path;

use crate::facts::{Console, Cycles};

use super::Basis;
use super::budget::{BUDGETS, Budget, Manages};
use super::cost::{CounterCost, CounterValues};
use super::counts::{Count, SIZE, amount};
use super::cycles::{CycleParts, fits_cache};
use super::validation::is_checked;
use ikeru_records::Family;
use ikeru_records::rows::Rows;
use ikeru_records::units::rounded;
use ikeru_records::whole::{CsvTable, number};
use ikeru_records::{Outcome, ReportError, Result};
use ikeru_statistics::{Bound, Estimate};

/// The file's name in a run folder.
pub const FILE: &str = "throughput.csv";

/// The maximum number of lines of the file: with a million cells it would have a gigabyte.
pub const MOST: usize = 200_000;

/// The counters of the moves of a game, the first of which that is above 0 counts: a policy that does not look ahead
/// counts no decisions, but the referee counts the pieces that it placed.
const MOVES: [&str; 2] = ["decisions", "measure_placed"];

/// One cell of a run on one console.
#[derive(Debug, Clone, PartialEq)]
pub struct Throughput {
    /// A row of the cell, from which its texts are read.
    pub row: u32,
    /// The console's index.
    pub console: usize,
    /// The index of the placement of code and tables, if the console has several; else the console's index.
    pub placement: usize,
    /// Cycles by the cost table; `None` if it lacks the variant or the run lacks a counter.
    pub by_cost: Option<Cycles>,
    /// Cycles by the counts; `None` if this question was not counted.
    pub by_count: Option<Cycles>,
    /// The moves of the game that is the answer; 1 if the answer is no game.
    pub moves: f64,
    /// Bytes of the tables.
    pub memory: f64,
    /// True if the tables fit in the console's memory.
    pub fits: bool,
    /// True if the search was stopped: its counters, and the time by them, are lower bounds.
    pub is_stopped: bool,
    /// Reasons for less confidence in the time.
    pub remarks: Vec<Remark>,
}

/// A reason for less confidence in a time.
#[derive(Debug, Clone, PartialEq)]
pub enum Remark {
    /// The 90 % quantile of the error factor on held-out questions.
    LowConfidence(f64),
    /// The costs are those of this other version of the variant.
    Stale(u32),
    /// A term is outside the training by this factor.
    BeyondTraining(String, f64),
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let factor = |factor: &f64| rounded(*factor, 2);
        match self {
            Self::LowConfidence(p90) => {
                write!(f, "low confidence: 9 in 10 within ×{}", factor(p90))
            }
            Self::Stale(version) => write!(f, "stale: the costs are those of version {version}"),
            Self::BeyondTraining(term, beyond) => {
                let term = term.replace('*', "·");
                write!(f, "beyond the training: {term} ×{}", factor(beyond))
            }
        }
    }
}

impl Throughput {
    /// The cycles by the counts if there are any, else by the cost table.
    pub fn modelled(&self) -> Option<Cycles> {
        self.by_count.or(self.by_cost)
    }

    /// The tier of [`Throughput::modelled`].
    pub fn tier(&self) -> &'static str {
        if self.by_count.is_some() { "2" } else { "1" }
    }

    /// Its time in nanoseconds, infinite if the tables do not fit.
    pub fn slowness(&self, consoles: &[Console]) -> f64 {
        self.time(consoles).map_or(f64::INFINITY, |time| time.value)
    }

    /// The time of one answer (of one move if the answer is a game) in nanoseconds; `None` if the tables do not fit.
    pub fn time(&self, consoles: &[Console]) -> Option<Estimate> {
        let modelled = self.modelled().filter(|_| self.fits)?;
        let mut time = modelled.time(&consoles[self.placement]);
        if self.is_stopped {
            time.bound = Bound::AtLeast;
            time.interval
                .iter_mut()
                .for_each(|ends| ends.high = f64::INFINITY);
        }
        Some(time.map(|ns| ns / self.moves))
    }

    /// The verdict against a budget, which follows from the band. It is unknown of a stopped search, unless its work so far takes
    /// too long already.
    pub fn manages(&self, budget: Budget, consoles: &[Console]) -> Manages {
        let manages = Manages::within(budget, self.time(consoles));
        match self.is_stopped {
            true => manages.min(Manages::Unknown),
            false => manages,
        }
    }
}

/// The solved and the stopped cells of one thread on every modelled console that the tables know, oldest first; of several
/// placements the fastest that the tables fit. They come one after the other: those of a large run take more memory than its rows.
pub fn throughputs<'a>(
    rows: &'a Rows,
    selection: &[u32],
    basis: &'a Basis,
) -> impl Iterator<Item = Throughput> + 'a {
    let consoles = &basis.consoles.consoles;
    let known = KnownVariants::of(basis);
    let cells = cells(rows, selection).into_iter();
    let mut all = cells.flat_map(move |cell| {
        let answer = RunCell {
            rows,
            row: cell[0],
            read: RefCell::default(),
        };
        let counted = known.counted(&answer);
        let costs = known.costs(&answer);
        let consoles = basis.consoles.consoles.iter().enumerate();
        let modelled = consoles.filter_map(|(place, console)| {
            let on = |name: &str| name == console.name;
            let count = counted.iter().find(|count| on(&count.console));
            let cost = costs.iter().find(|cost| on(&cost.console));
            answer.on(place, count.copied(), cost.copied(), basis)
        });
        modelled.collect::<Vec<_>>()
    });
    let mut next = all.next();
    std::iter::from_fn(move || {
        let mut best = next.take()?;
        for other in all.by_ref() {
            if (other.row, other.console) != (best.row, best.console) {
                next = Some(other);
                break;
            }
            if other.slowness(consoles) < best.slowness(consoles) {
                best = other;
            }
        }
        Some(best)
    })
}

/// Some instances on one console, reduced to the slowest.
#[derive(Debug, Clone)]
pub struct OnConsole {
    /// The slowest, with the highest end of all their bands. It counts as stopped if one of them was; without remarks it
    /// has those of another.
    pub slowest: Throughput,
    /// Its verdict within each of [`BUDGETS`], the worst of all.
    pub manages: [Manages; BUDGETS.len()],
}

impl OnConsole {
    /// One instance.
    pub fn of(slowest: Throughput, consoles: &[Console]) -> Self {
        let manages = BUDGETS.map(|budget| slowest.manages(budget, consoles));
        Self { slowest, manages }
    }

    /// Includes other instances.
    pub fn add(&mut self, other: &Self, consoles: &[Console]) {
        let is_stopped = other.slowest.is_stopped || self.slowest.is_stopped;
        let mut others = other.slowest.clone();
        if others.slowness(consoles) > self.slowest.slowness(consoles) {
            std::mem::swap(&mut others, &mut self.slowest);
        }
        self.slowest.is_stopped = is_stopped;
        let slowest = &mut self.slowest;
        let a_move =
            |one: &Throughput| one.modelled().map_or(0.0, |cycles| cycles.high / one.moves);
        let high = a_move(slowest).max(a_move(&others)) * slowest.moves;
        if let Some(band) = slowest.by_count.as_mut().or(slowest.by_cost.as_mut()) {
            band.high = high;
        }
        if slowest.remarks.is_empty() {
            slowest.remarks = others.remarks;
        }
        self.manages = BUDGETS.map(|budget| self.slowest.manages(budget, consoles));
    }
}

/// For each question and variant on each console the slowest instance and the worst verdicts, as pages show them: instances of
/// one name differ in their seeds.
fn worst_of_each(rows: &Rows, selection: &[u32], basis: &Basis) -> Vec<OnConsole> {
    let mut by = vec!["experiment", "problem", "instance", "label", "variant"];
    by.extend(rows.settings());
    let questions = rows.group_by(&by, selection);
    let mut question = vec![0; rows.len()];
    for (at, own) in questions.iter().enumerate() {
        own.iter().for_each(|row| question[*row as usize] = at);
    }
    let consoles = &basis.consoles.consoles;
    let mut worst: BTreeMap<(usize, usize), OnConsole> = BTreeMap::new();
    for one in throughputs(rows, selection, basis) {
        let key = (question[one.row as usize], one.console);
        let count = worst.len();
        let one = OnConsole::of(one, consoles);
        match worst.entry(key) {
            Entry::Occupied(mut known) => known.get_mut().add(&one, consoles),
            Entry::Vacant(new) if count < MOST => _ = new.insert(one),
            Entry::Vacant(_) => {}
        }
    }
    worst.into_values().collect()
}

/// The longest modelled time of the selection on a console, a lower bound if a search was stopped; `None` if some tables
/// do not fit or no cell is modelled.
pub fn slowest(rows: &Rows, selection: &[u32], basis: &Basis, console: &str) -> Option<Estimate> {
    let consoles = &basis.consoles.consoles;
    let all = throughputs(rows, selection, basis);
    let on = all.filter(|one| consoles[one.console].name == console);
    let times: Option<Vec<Estimate>> = on.map(|one| one.time(consoles)).collect();
    let slower = |a: Estimate, b: Estimate| Estimate {
        bound: a.bound.and(b.bound),
        ..if b.value > a.value { b } else { a }
    };
    times?.into_iter().reduce(slower)
}

/// The solved and the stopped rows of one thread, grouped by question, label and settings of the method. Rows that differ
/// only in mode or repeat have equal counters; of a cell that was solved once, a solved row is the first.
fn cells(rows: &Rows, selection: &[u32]) -> Vec<Vec<u32>> {
    let mut taken = selection.to_vec();
    taken.retain(|row| {
        rows.number("threads", *row)
            .is_none_or(|threads| threads == 1.0)
            && matches!(rows.outcome(*row), Some(Outcome::Solved | Outcome::Timeout))
    });
    let mut by = vec!["experiment", "problem", "instance", "size", "seed"];
    by.push("instance_hash");
    by.extend(rows.family(Family::Setting));
    by.extend(["question", "label", "variant", "variant_version"]);
    by.extend(rows.family(Family::Method));
    let is_stopped = |row: &u32| rows.outcome(*row) == Some(Outcome::Timeout);
    let mut cells = rows.group_by(&by, &taken);
    for cell in &mut cells {
        cell.sort_by_key(is_stopped);
    }
    cells
}

/// Counts by problem, variant, generator and seed, costs by problem and variant.
#[derive(Default)]
struct KnownVariants<'a> {
    counts: HashMap<[&'a str; 4], Vec<&'a Count>>,
    costs: HashMap<[&'a str; 2], Vec<&'a CounterCost>>,
}

impl<'a> KnownVariants<'a> {
    fn of(basis: &'a Basis) -> Self {
        let mut known = Self::default();
        for count in &basis.counts {
            let mut words = count.instance.split_whitespace();
            let generator = words.next().unwrap_or_default();
            let seed = words.find_map(|word| word.strip_prefix("seed="));
            if let Some(seed) = seed {
                let key = [&count.problem, &count.variant, generator, seed];
                known.counts.entry(key).or_default().push(count);
            }
        }
        for cost in &basis.costs {
            let key = [cost.problem.as_str(), &cost.variant];
            known.costs.entry(key).or_default().push(cost);
        }
        known
    }

    /// The counts of exactly the row's question.
    fn counted(&self, cell: &RunCell<'a>) -> Vec<&'a Count> {
        let key = ["problem", "variant", "generator", "seed"].map(|column| cell.text(column));
        let all = self.counts.get(&key).into_iter().flatten().copied();
        all.filter(|count| cell.is_counted_by(count)).collect()
    }

    fn costs(&self, cell: &RunCell<'a>) -> &[&'a CounterCost] {
        let key = ["problem", "variant"].map(|column| cell.text(column));
        self.costs.get(&key).map_or(&[], Vec::as_slice)
    }
}

/// One cell of a run.
struct RunCell<'a> {
    rows: &'a Rows,
    row: u32,
    /// A cache of the counters: every console asks for the same ones.
    read: RefCell<Vec<(String, Option<f64>)>>,
}

impl CounterValues for RunCell<'_> {
    fn value(&self, name: &str) -> Option<f64> {
        let mut read = self.read.borrow_mut();
        if let Some((_, value)) = read.iter().find(|(known, _)| known == name) {
            return *value;
        }
        let value = self.in_row(name);
        read.push((name.to_owned(), value));
        value
    }
}

impl<'a> RunCell<'a> {
    fn in_row(&self, name: &str) -> Option<f64> {
        if Family::Setting.holds(name) {
            return amount(self.rows.asked(name, self.row));
        }
        if Family::Measure.holds(name) || name == SIZE {
            // A stopped search has a lower bound: without an answer, a measure of it is 0.
            let is_stopped = self.rows.outcome(self.row) == Some(Outcome::Timeout);
            let least = (is_stopped && self.rows.has(name)).then_some(0.0);
            return self.rows.number(name, self.row).or(least);
        }
        // An empty field is 0: this code path does not use the counter.
        let column = Family::Counter.column(name);
        let count = self.rows.number(&column, self.row);
        count.or(self.rows.has(&column).then_some(0.0))
    }

    fn text(&self, column: &str) -> &'a str {
        self.rows.text(column, self.row)
    }

    fn version(&self) -> f64 {
        self.rows.number("variant_version", self.row).unwrap_or(0.0)
    }

    /// Returns whether a count of the same generator and seed is of this question: settings, parameters and counters are
    /// equal. What the count does not name has its default. Another setting of the method has other counters.
    fn is_counted_by(&self, count: &Count) -> bool {
        let is_set = |word: &str| {
            let (name, value) = word.split_once('=').unwrap_or_default();
            let of_question = self.rows.asked(&Family::Setting.column(name), self.row);
            [of_question, self.text(&Family::Method.column(name))].contains(&value)
        };
        let is_counted = |text: &str, family: Family| {
            self.rows.family(family).all(|column| {
                let name = Family::of(column).map_or("", |(_, name)| name);
                let mut words = text.split_whitespace();
                let counted = words.find_map(|word| word.strip_prefix(name)?.strip_prefix('='));
                let own = self.text(column);
                own.is_empty()
                    || own == counted.unwrap_or_else(|| self.rows.default_of(column, self.row))
            })
        };
        let mut counters = count.values.iter();
        f64::from(count.version) == self.version()
            && counters.all(|(name, value)| self.value(name).is_none_or(|own| own == *value))
            && count.values.keys().any(|name| self.value(name).is_some())
            && count.settings.split_whitespace().all(is_set)
            && is_counted(&count.instance, Family::Parameter)
            && is_counted(&count.settings, Family::Setting)
    }

    /// The cell on a console; `None` if neither table covers it.
    fn on(
        &self,
        place: usize,
        count: Option<&Count>,
        cost: Option<&CounterCost>,
        basis: &Basis,
    ) -> Option<Throughput> {
        let console = &basis.consoles.consoles[place];
        let model = console.model.as_ref()?;
        let tables = self.rows.number("table_bytes", self.row);
        let most = tables.filter(|bytes| *bytes > 0.0).unwrap_or(f64::INFINITY);
        let predicted = cost.and_then(|cost| cost.predict(self, most));
        let by_count = count.map(|count| CycleParts::of(count, model).sum());
        let by_cost = predicted.as_ref().map(|predicted| predicted.modelled);
        let memory = match (count, &predicted) {
            (Some(count), _) => count.table_bytes as f64,
            (None, Some(predicted)) => predicted.memory,
            (None, None) => return None,
        };
        let mut remarks = Vec::new();
        if by_count.is_none() {
            remarks.extend(cost.iter().flat_map(|cost| self.doubts(cost)));
            if let Some((term, factor)) = predicted.and_then(|one| one.beyond_training) {
                remarks.push(Remark::BeyondTraining(term, factor));
            }
        }
        let consoles = &basis.consoles.consoles;
        let own = consoles
            .iter()
            .position(|known| known.name == console.base());
        Some(Throughput {
            row: self.row,
            console: own.unwrap_or(place),
            placement: place,
            by_cost,
            by_count,
            moves: (MOVES.iter().filter_map(|name| self.value(name)))
                .find(|moves| *moves > 0.0)
                .unwrap_or(1.0),
            memory,
            fits: memory <= console.memory_bytes as f64,
            is_stopped: self.rows.outcome(self.row) == Some(Outcome::Timeout),
            remarks,
        })
    }

    /// The remarks that follow from the cost alone: low confidence, or another version.
    fn doubts(&self, cost: &CounterCost) -> Vec<Remark> {
        let p90 = cost.misses.residual.p90;
        let low = (!cost.is_confident()).then_some(Remark::LowConfidence(p90));
        let is_stale = f64::from(cost.version) != self.version();
        let stale = is_stale.then_some(Remark::Stale(cost.version));
        low.into_iter().chain(stale).collect()
    }
}

/// Writes `throughput.csv` of a selection; removes the file if the tables cover no cell of it.
///
/// # Errors
/// A file that cannot be written or removed.
pub fn write(folder: &Path, rows: &Rows, selection: &[u32], basis: &Basis) -> Result<()> {
    let path = folder.join(FILE);
    let all = worst_of_each(rows, selection, basis);
    if !all.is_empty() {
        return table(rows, basis).write(&path, all);
    }
    match std::fs::remove_file(&path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(ReportError::io(&path, error))
        }
        _ => Ok(()),
    }
}

/// The digits that the band of the cycles carries: three, or five if its ends differ by less than a percent.
fn short(one: &OnConsole, value: Option<f64>) -> String {
    let modelled = one.slowest.modelled();
    let is_narrow = modelled.is_some_and(|cycles| cycles.high < 1.01 * cycles.low);
    let decimals = if is_narrow { 4 } else { 2 };
    let digits = |value: f64| format!("{value:.decimals$e}").parse().ok();
    number(value.and_then(digits))
}

/// The columns of `throughput.csv`. The cycles of a cell without a time are empty.
pub fn table<'a>(rows: &'a Rows, basis: &'a Basis) -> CsvTable<'a, OnConsole> {
    let consoles = &basis.consoles.consoles;
    let settings: Vec<&str> = rows.settings().collect();
    let text = |column: &'static str| move |one: &OnConsole| rows.text(column, one.slowest.row);
    let console = |one: &OnConsole| &consoles[one.slowest.console];
    let cycles = |of: fn(Cycles) -> f64| {
        move |one: &OnConsole| {
            let modelled = one.slowest.modelled().filter(|_| one.slowest.fits);
            short(one, modelled.map(of))
        }
    };
    let time = |of: fn(Estimate) -> Option<f64>| {
        move |one: &OnConsole| short(one, one.slowest.time(consoles).and_then(of))
    };
    let mut table = CsvTable::default()
        .column("experiment", text("experiment"))
        .column("problem", text("problem"))
        .column("console", move |one| &console(one).name)
        .column("placement", move |one| {
            let is_other = one.slowest.placement != one.slowest.console;
            if is_other {
                &*consoles[one.slowest.placement].name
            } else {
                ""
            }
        })
        .column("year", move |one| console(one).year)
        .column("variant", text("variant"))
        .column("label", text("label"))
        .column("instance", text("instance"))
        .column("seed", text("seed"))
        .column("settings", move |one| {
            rows.described(settings.iter().copied(), one.slowest.row)
        })
        .column("tier", |one| one.slowest.tier())
        .column("moves", |one| one.slowest.moves)
        .column("cycles_low", cycles(|modelled| modelled.low))
        .column("cycles", cycles(|modelled| modelled.mid))
        .column("cycles_high", cycles(|modelled| modelled.high))
        .column("ms_low", time(|time| Some(time.interval?.low / 1e6)))
        .column("ms", time(|time| Some(time.value / 1e6)))
        .column("ms_high", time(|time| Some(time.interval?.high / 1e6)))
        .column("table_bytes", |one| short(one, Some(one.slowest.memory)))
        .column("fits_memory", |one| one.slowest.fits)
        .column("checked", move |one| {
            is_checked(&basis.checks, console(one), consoles)
        })
        .column("fits_cache", move |one| {
            let model = consoles[one.slowest.placement].model.as_ref();
            model.map_or("", |model| fits_cache(model, one.slowest.memory))
        })
        .column("remarks", |one| {
            let stopped = one
                .slowest
                .is_stopped
                .then(|| "stopped at its limit: a lower bound".to_owned());
            let remarks = one.slowest.remarks.iter().map(Remark::to_string);
            stopped
                .into_iter()
                .chain(remarks)
                .collect::<Vec<_>>()
                .join("; ")
        });
    for (at, budget) in BUDGETS.iter().enumerate() {
        let name = format!("verdict_{}", budget.column);
        table = table.column(name, move |one| one.manages[at].name());
    }
    table
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// The built-in count of a variant on the PS1.
    fn counted(problem: &str, variant: &str) -> &'static Count {
        let basis = Basis::built_in().expect("the built-in tables read");
        let is_it = |count: &&Count| {
            [&*count.problem, &*count.variant, &*count.console] == [problem, variant, "PS1"]
        };
        basis.counts.iter().find(is_it).expect("a count")
    }

    /// The counted answer on the PS1, in a row with further columns and their values.
    fn answered(count: &Count, generator: &str, more: &[(&str, &str)]) -> Throughput {
        let version = count.version.to_string();
        let mut row = vec![
            ("problem".to_owned(), count.problem.clone()),
            ("variant".to_owned(), count.variant.clone()),
            ("variant_version".to_owned(), version),
            ("generator".to_owned(), generator.to_owned()),
            ("seed".to_owned(), "1".to_owned()),
            ("outcome".to_owned(), "solved".to_owned()),
        ];
        for word in count.counters.split_whitespace() {
            let (name, value) = word.split_once('=').expect("a counter");
            let is_measure = Family::Measure.holds(name);
            let column = if is_measure {
                name.to_owned()
            } else {
                Family::Counter.column(name)
            };
            row.push((column, value.to_owned()));
        }
        row.extend(
            more.iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned())),
        );
        let (names, values): (Vec<String>, Vec<String>) = row.into_iter().unzip();
        let mut rows = Rows::of_table(&format!("{}\n{}\n", names.join(","), values.join(",")));
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let defaults = |all: &[(&str, &str)]| all.iter().map(owned).collect::<BTreeMap<_, _>>();
        rows.defaults = BTreeMap::from([
            (
                "chain".to_owned(),
                defaults(&[("asked", "outcome"), ("repeat", "1")]),
            ),
            (
                "chain.long-chain".to_owned(),
                defaults(&[("width", "6"), ("height", "13")]),
            ),
        ]);
        let basis = Basis::built_in().expect("the built-in tables read");
        let mut all = throughputs(&rows, &[0], basis);
        let is_it = |one: &Throughput| basis.consoles.consoles[one.console].name == "PS1";
        all.find(is_it).expect("a modelled answer")
    }

    #[test]
    fn only_exactly_the_counted_question_has_its_cycles() {
        let count = counted("chain", "bitboard");
        let steps = count.instance.rsplit_once('=').expect("a parameter").1;
        let tier = |more: &[(&str, &str)]| {
            let more = [&[("param_steps", steps), ("param_width", "6")], more].concat();
            answered(count, "chain.long-chain", &more).tier()
        };
        assert_eq!(tier(&[]), "2");
        assert_eq!(
            tier(&[("param_height", "13"), ("setting_asked", "outcome")]),
            "2"
        );
        // The same counters, but another board, a colour that the count does not name, and another question.
        assert_eq!(tier(&[("param_height", "15")]), "1");
        assert_eq!(tier(&[("param_colours", "6")]), "1");
        assert_eq!(tier(&[("setting_asked", "steps")]), "1");
    }

    #[test]
    fn a_question_has_the_worst_verdict_of_its_instances_and_the_reason() {
        let basis = Basis::built_in().expect("the built-in tables read");
        let consoles = &basis.consoles.consoles;
        let slowest = answered(counted("chain", "flood"), "chain.long-chain", &[]);
        // A faster instance beyond the training has a wider band.
        let mut doubtful = slowest.clone();
        doubtful.by_count = slowest.modelled().map(|cycles| Cycles {
            mid: 0.9 * cycles.mid,
            high: 20.0 * cycles.high,
            ..cycles
        });
        doubtful.remarks = vec![Remark::BeyondTraining("nodes".to_owned(), 1.5)];
        let mut all = OnConsole::of(
            Throughput {
                remarks: Vec::new(),
                ..slowest.clone()
            },
            consoles,
        );
        all.add(&OnConsole::of(doubtful.clone(), consoles), consoles);
        let [own, other, of_all] =
            [&slowest, &doubtful, &all.slowest].map(|one| one.time(consoles));
        assert_eq!(of_all.map(|time| time.value), own.map(|time| time.value));
        let high =
            |time: Option<Estimate>| time.and_then(|time| time.interval).map(|ends| ends.high);
        assert_eq!(high(of_all), high(other));
        assert_eq!(all.slowest.remarks, doubtful.remarks);
        for (at, budget) in BUDGETS.into_iter().enumerate() {
            let both = [&slowest, &doubtful].map(|one| one.manages(budget, consoles));
            assert_eq!(Some(all.manages[at]), both.into_iter().min());
            assert_eq!(all.manages[at], Manages::within(budget, of_all));
        }
    }

    #[test]
    fn a_policy_without_decisions_moves_as_often_as_it_places() {
        let count = counted("build", "greedy");
        let played = answered(count, "build.sequence", &[("setting_moves", "20")]);
        assert_eq!((count.values["decisions"], played.moves), (0.0, 20.0));
        assert_eq!(played.tier(), "2");
        // No game.
        let asked = answered(counted("chain", "flood"), "chain.long-chain", &[]);
        assert_eq!(asked.moves, 1.0);
    }
}
