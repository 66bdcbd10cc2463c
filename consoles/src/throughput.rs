//! The rows of a run on every console: `throughput.csv`.

use std::collections::BTreeMap;
use std::path::Path;

use crate::facts::Console;

use super::Basis;
use super::budget::{BUDGETS, Budget, Manages};
use super::cost::{Cost, Counters};
use super::counts::{Count, SIZE, amount};
use super::cycles::{CONTRADICTION, Modelled, Parts, fits_cache};
use ikeru_records::Family;
use ikeru_records::ReportError;
use ikeru_records::rows::Rows;
use ikeru_records::units::rounded;
use ikeru_records::whole::WholeCsv;
use ikeru_statistics::Estimate;

/// The file of a run folder.
pub const FILE: &str = "throughput.csv";

/// One cell of a run on one console.
#[derive(Debug, Clone, PartialEq)]
pub struct Throughput {
    /// A row of the cell, from which its words are read.
    pub row: u32,
    /// The console's place among the facts.
    pub console: usize,
    /// By the cost table; `None` where it lacks the variant or the run lacks a counter.
    pub by_cost: Option<Modelled>,
    /// By the counts, where the very question was counted.
    pub by_count: Option<Modelled>,
    /// Bytes of the tables.
    pub memory: f64,
    /// Whether the tables fit the console's memory.
    pub fits: bool,
    /// What limits the trust in the time, in words.
    pub remarks: Vec<String>,
    /// By which factor a counter lies outside the training of the costs; 1 where none does.
    pub beyond_training: f64,
}

/// A time whose counters lie further outside the training is an extrapolation: its band was never tested there.
pub const EXTRAPOLATED: f64 = 2.0;

impl Throughput {
    /// The better model: what was counted, or else what the counters cost.
    pub fn modelled(&self) -> Option<Modelled> {
        self.by_count.or(self.by_cost)
    }

    /// Which tier [`Throughput::modelled`] is.
    pub fn tier(&self) -> &'static str {
        if self.by_count.is_some() { "2" } else { "1" }
    }

    /// The time of one answer in nanoseconds; `None` if the tables do not fit.
    pub fn time(&self, consoles: &[Console]) -> Option<Estimate> {
        let modelled = self.modelled().filter(|_| self.fits)?;
        Some(modelled.time(&consoles[self.console]))
    }

    /// Whether the answer is there in time. An extrapolated time is never sure.
    pub fn manages(&self, budget: Budget, consoles: &[Console]) -> Manages {
        let manages = Manages::within(budget, self.time(consoles));
        if self.beyond_training > EXTRAPOLATED {
            return manages.min(Manages::Likely);
        }
        manages
    }
}

/// Questions per second, of a time in nanoseconds.
pub fn per_second(time: Estimate) -> Estimate {
    let each = |ns: f64| 1e9 / ns;
    let interval = time.interval.map(|ends| (each(ends.high), each(ends.low)));
    match interval {
        Some((low, high)) => Estimate::within(low, each(time.value), high),
        None => Estimate::plain(each(time.value)),
    }
}

/// The solved cells of one thread on every modelled console that the tables know, oldest first.
pub fn throughputs(rows: &Rows, selection: &[u32], basis: &Basis) -> Vec<Throughput> {
    each(rows, selection, basis).collect()
}

/// The same one after the other: those of a large run take more memory than its rows.
fn each<'a>(
    rows: &'a Rows,
    selection: &[u32],
    basis: &'a Basis,
) -> impl Iterator<Item = Throughput> + 'a {
    let known = Known::of(basis);
    cells(rows, selection).into_iter().flat_map(move |cell| {
        let answer = Cell { rows, row: cell[0] };
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
    })
}

/// The longest modelled time of the selection on a console; `None` where its tables do not fit or nothing is known.
pub fn slowest(rows: &Rows, selection: &[u32], basis: &Basis, console: &str) -> Option<Estimate> {
    let consoles = &basis.consoles.consoles;
    let all = throughputs(rows, selection, basis).into_iter();
    let on = all.filter(|one| consoles[one.console].name == console);
    let times: Option<Vec<Estimate>> = on.map(|one| one.time(consoles)).collect();
    let slower = |a: Estimate, b: Estimate| if b.value > a.value { b } else { a };
    times?.into_iter().reduce(slower)
}

/// The solved rows of one thread, by question, label and settings of the method. Modes and repeats have equal counters.
fn cells(rows: &Rows, selection: &[u32]) -> Vec<Vec<u32>> {
    let mut solved = rows.solved(selection);
    solved.retain(|row| {
        rows.number("threads", *row)
            .is_none_or(|threads| threads == 1.0)
    });
    let mut by = vec![
        "experiment",
        "problem",
        "instance",
        "size",
        "seed",
        "instance_hash",
    ];
    by.extend(rows.family(Family::Setting));
    by.extend(["question", "label", "variant", "variant_version"]);
    by.extend(rows.family(Family::Method));
    rows.group_by(&by, &solved)
}

/// Counts and costs by the words that a row has.
struct Known<'a> {
    counts: BTreeMap<(&'a str, &'a str), Vec<&'a Count>>,
    costs: BTreeMap<(&'a str, &'a str), Vec<&'a Cost>>,
}

impl<'a> Known<'a> {
    fn of(basis: &'a Basis) -> Self {
        let mut known = Self {
            counts: BTreeMap::new(),
            costs: BTreeMap::new(),
        };
        for count in &basis.counts {
            let key = (count.problem.as_str(), count.variant.as_str());
            known.counts.entry(key).or_default().push(count);
        }
        for cost in &basis.costs {
            let key = (cost.problem.as_str(), cost.variant.as_str());
            known.costs.entry(key).or_default().push(cost);
        }
        known
    }

    /// The counts of the very question of a row.
    fn counted(&self, cell: &Cell) -> Vec<&'a Count> {
        let all = self.counts.get(&cell.key()).into_iter().flatten();
        all.copied()
            .filter(|count| cell.is_counted_by(count))
            .collect()
    }

    fn costs(&self, cell: &Cell) -> Vec<&'a Cost> {
        let all = self.costs.get(&cell.key()).into_iter().flatten();
        all.copied().collect()
    }
}

/// One cell of a run.
struct Cell<'a> {
    rows: &'a Rows,
    row: u32,
}

impl Counters for Cell<'_> {
    fn value(&self, name: &str) -> Option<f64> {
        if Family::Setting.holds(name) {
            return amount(self.rows.asked(name, self.row));
        }
        if Family::Measure.holds(name) || name == SIZE {
            return self.rows.number(name, self.row);
        }
        // An empty field of a counter: this code path does not count it.
        let column = Family::Counter.column(name);
        let count = self.rows.number(&column, self.row);
        count.or(self.rows.has(&column).then_some(0.0))
    }
}

impl Cell<'_> {
    fn text(&self, column: &str) -> &str {
        self.rows.text(column, self.row)
    }

    fn key(&self) -> (&str, &str) {
        (self.text("problem"), self.text("variant"))
    }

    fn version(&self) -> f64 {
        self.rows.number("variant_version", self.row).unwrap_or(0.0)
    }

    /// Whether a count is of this question: the same generator and seed, the same settings, and the same counters, which
    /// no other question of theirs has.
    fn is_counted_by(&self, count: &Count) -> bool {
        let mut words = count.instance.split_whitespace();
        let is_generator = words.next() == Some(self.text("generator"));
        let mut seeds = words.filter_map(|word| word.strip_prefix("seed="));
        let is_set = |word: &str| {
            let (name, value) = word.split_once('=').unwrap_or_default();
            let of_question = self.rows.asked(&Family::Setting.column(name), self.row);
            let known = [of_question, self.text(&Family::Method.column(name))];
            known
                .iter()
                .all(|known| known.is_empty() || *known == value)
        };
        let mut counters = count.values.iter();
        f64::from(count.version) == self.version()
            && is_generator
            && seeds.next() == Some(self.text("seed"))
            && count.settings.split_whitespace().all(is_set)
            && counters.all(|(name, value)| self.value(name).is_none_or(|own| own == *value))
            && count.values.keys().any(|name| self.value(name).is_some())
    }

    /// The cell on a console; `None` where neither table knows it.
    fn on(
        &self,
        place: usize,
        count: Option<&Count>,
        cost: Option<&Cost>,
        basis: &Basis,
    ) -> Option<Throughput> {
        let console = &basis.consoles.consoles[place];
        let model = console.model.as_ref()?;
        let schedule = basis.schedules.ratio(&model.processor);
        let predicted = cost.and_then(|cost| cost.predict(self, console, schedule));
        let by_count = count.map(|count| {
            let parts = Parts::of(count, console, model);
            Modelled::of(&parts, console, count.table_bytes as f64, schedule)
        });
        let by_cost = predicted.as_ref().map(|predicted| predicted.modelled);
        let memory = match (count, &predicted) {
            (Some(count), _) => count.table_bytes as f64,
            (None, Some(predicted)) => predicted.memory,
            (None, None) => return None,
        };
        let mut remarks = Vec::new();
        let mut beyond_training = 1.0;
        if by_count.is_none() {
            remarks.extend(cost.into_iter().flat_map(|cost| self.doubts(cost)));
            if let Some((counter, factor)) = predicted.and_then(|one| one.beyond_training) {
                beyond_training = factor;
                remarks.push(format!(
                    "beyond the training: {} ×{}",
                    counter.replace('*', "·"),
                    rounded(factor, 2)
                ));
            }
        }
        let disagreement = by_count.or(by_cost).map_or(1.0, |one| one.disagreement());
        if disagreement > CONTRADICTION {
            remarks.push(format!("models differ by ×{}", rounded(disagreement, 2)));
        }
        Some(Throughput {
            row: self.row,
            console: place,
            by_cost,
            by_count,
            memory,
            fits: memory <= console.memory_bytes as f64,
            remarks,
            beyond_training,
        })
    }

    /// What the cost itself says against it.
    fn doubts(&self, cost: &Cost) -> Vec<String> {
        let mut doubts = Vec::new();
        if !cost.is_confident() {
            let p90 = rounded(cost.misses.residual.p90, 2);
            doubts.push(format!("low confidence: 9 in 10 within ×{p90}"));
        }
        if f64::from(cost.version) != self.version() {
            let version = cost.version;
            doubts.push(format!("stale: the costs are those of version {version}"));
        }
        doubts
    }
}

/// The columns, in their order.
const HEADER: [&str; 23] = [
    "experiment",
    "problem",
    "console",
    "year",
    "variant",
    "label",
    "instance",
    "seed",
    "settings",
    "tier",
    "cycles_low",
    "cycles",
    "cycles_high",
    "ms_low",
    "ms",
    "ms_high",
    "per_second",
    "schedule_cycles",
    "emulator_cycles",
    "table_bytes",
    "fits_memory",
    "fits_cache",
    "remarks",
];

/// Writes `throughput.csv` of a run; a run that the tables do not know has none.
///
/// # Errors
/// A file that cannot be written.
pub fn write(folder: &Path, rows: &Rows, basis: &Basis) -> Result<(), ReportError> {
    let path = folder.join(FILE);
    let io = |error: csv::Error| ReportError::io(&path, error);
    let mut all = each(rows, &rows.all(), basis).peekable();
    if all.peek().is_none() {
        return match std::fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(ReportError::io(&path, error))
            }
            _ => Ok(()),
        };
    }
    let mut writer = WholeCsv::create(&path).map_err(io)?;
    let verdicts = BUDGETS.map(|budget| format!("verdict_{}", budget.column));
    let header = HEADER
        .into_iter()
        .chain(verdicts.iter().map(String::as_str));
    writer.write_record(header).map_err(io)?;
    for one in all {
        writer.write_record(record(rows, &one, basis)).map_err(io)?;
    }
    writer
        .finish()
        .map_err(|error| ReportError::io(&path, error))
}

/// The fields of one row; what has no time has no cycles.
pub fn record(rows: &Rows, one: &Throughput, basis: &Basis) -> Vec<String> {
    let consoles = &basis.consoles.consoles;
    let console = &consoles[one.console];
    let text = |column: &str| rows.text(column, one.row).to_owned();
    let time = one.time(consoles);
    let modelled = one.modelled().filter(|_| one.fits);
    let number = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
    let ends = time.and_then(|time| time.interval);
    let milliseconds = |ns: Option<f64>| number(ns.map(|ns| ns / 1e6));
    let cache = console.model.as_ref();
    let cache = cache.map_or("", |model| fits_cache(model, one.memory));
    let fields = [
        text("experiment"),
        text("problem"),
        console.name.clone(),
        console.year.to_string(),
        text("variant"),
        text("label"),
        text("instance"),
        text("seed"),
        rows.described(rows.settings(), one.row),
        one.tier().to_owned(),
        number(modelled.map(|modelled| modelled.cycles.low)),
        number(modelled.map(|modelled| modelled.cycles.mid)),
        number(modelled.map(|modelled| modelled.cycles.high)),
        milliseconds(ends.map(|ends| ends.low)),
        milliseconds(time.map(|time| time.value)),
        milliseconds(ends.map(|ends| ends.high)),
        number(time.map(|time| 1e9 / time.value)),
        number(modelled.and_then(|modelled| modelled.schedule)),
        number(modelled.and_then(|modelled| modelled.emulator)),
        number(Some(one.memory)),
        one.fits.to_string(),
        cache.to_owned(),
        one.remarks.join("; "),
    ];
    let verdicts = BUDGETS.map(|budget| one.manages(budget, consoles).name().to_owned());
    fields.into_iter().chain(verdicts).collect()
}
