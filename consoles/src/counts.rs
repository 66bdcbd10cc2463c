//! The events counted on the consoles' instruction sets: raw numbers per answer, without penalties and clocks.

use std::collections::{BTreeMap, BTreeSet};

use crate::facts::Console;
use crate::facts::Cycles;
use serde::{Deserialize, Serialize};

use ikeru_records::Family;
use ikeru_records::{ReportError, Result};

/// One answer on one console, a row of `counts.csv`: the events of the third answer.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Count {
    /// The problem.
    pub problem: String,
    /// The variant.
    pub variant: String,
    /// The variant's version.
    pub version: u32,
    /// The set to which the question belongs.
    pub set: Set,
    /// The instance in words.
    pub instance: String,
    /// The settings of question and method.
    pub settings: String,
    /// The score, the same on every target.
    pub score: String,
    /// The maximum number of heap bytes of preparation and answers, without the instance.
    pub table_bytes: u64,
    /// The variant's counters, then the referee's measures as `measure_NAME`.
    pub counters: String,
    /// The console.
    pub console: String,
    /// The target whose code ran.
    pub target: String,
    /// The processor whose scoreboard counted.
    pub processor: String,
    /// Instructions.
    pub instructions: u64,
    /// Words loaded.
    pub loads: u64,
    /// Words stored.
    pub stores: u64,
    /// Multiplications.
    pub multiplies: u64,
    /// Divisions.
    pub divides: u64,
    /// Floating-point and vector instructions.
    pub floats: u64,
    /// Branches and jumps.
    pub branches: u64,
    /// Branches and jumps that were taken.
    pub taken: u64,
    /// Conditional branches that the processor's predictor missed; 0 if it has none.
    pub mispredicts: u64,
    /// Cycles with the best pairing.
    pub cycles_low: u64,
    /// Cycles as modelled.
    pub cycles: u64,
    /// Cycles with single issue or in order.
    pub cycles_high: u64,
    /// Instruction lines that the first cache lacked.
    pub instruction_misses: u64,
    /// Loads that the first cache lacked; all loads if there is none.
    pub read_misses: u64,
    /// Stores that the first cache lacked; all stores if there is none.
    pub write_misses: u64,
    /// Lines of instructions and loads that the second cache lacked.
    pub second_read_misses: u64,
    /// Stores that the second cache lacked.
    pub second_write_misses: u64,
    /// Lines that the last cache wrote back to memory.
    pub write_backs: u64,
    /// Instructions that the PowerPC core of the Cell runs from microcode; 0 on other processors.
    pub microcoded: u64,
    /// Loads of a double word that was stored within 25 instructions.
    pub after_store: u64,
    /// Loads and stores of at most 16 bits that are not `local`.
    pub narrow: u64,
    /// Loads and stores on the stack, and loads of constants placed between the code.
    pub local: u64,
    /// The compiler and the emulator.
    pub toolchain: String,
    /// The counters and measures by name, settings as `setting_NAME`, and the `size` of a map.
    #[serde(skip)]
    pub values: BTreeMap<String, f64>,
}

impl Count {
    /// The scoreboard's cycles with their low and high ends.
    pub fn scoreboard(&self) -> Cycles {
        Cycles {
            low: self.cycles_low.min(self.cycles) as f64,
            mid: self.cycles as f64,
            high: self.cycles_high.max(self.cycles) as f64,
        }
    }
}

/// The use of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Set {
    /// Costs are fitted to it.
    #[default]
    Train,
    /// Costs are tested with it.
    Test,
    /// It is only shown; no cost is fitted to it or tested with it.
    Reference,
}

/// Reads a table of counts; `file` is its name in errors.
///
/// # Errors
/// Names the file, the line and the expected content.
pub fn read(file: &str, text: &str) -> Result<Vec<Count>> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header = reader
        .headers()
        .map_err(|error| wrong(file, &error))?
        .clone();
    let mut counts = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| wrong(file, &error))?;
        let line = record.position().map_or(0, csv::Position::line);
        let mut count: Count = record
            .deserialize(Some(&header))
            .map_err(|error| wrong(file, &error))?;
        count.values =
            pairs(&count.counters).map_err(|message| ReportError::row(file, line, message))?;
        let size = size(&count.problem, &count.instance);
        count
            .values
            .extend(size.map(|size| (SIZE.to_owned(), size)));
        count.values.extend(settings(&count.settings));
        counts.push(count);
    }
    Ok(counts)
}

/// Adds counts for every console without own counts whose processor, target and caches are equal to those of a counted
/// console.
pub fn for_all(mut counts: Vec<Count>, consoles: &[Console]) -> Vec<Count> {
    let counted: BTreeSet<String> = counts.iter().map(|count| count.console.clone()).collect();
    let is_counted = |console: &&Console| counted.contains(&console.name);
    for console in consoles.iter().filter(|console| !is_counted(console)) {
        let mut known = consoles.iter().filter(is_counted);
        let Some(twin) = known.find(|known| alike(known, console)) else {
            continue;
        };
        let own = counts.iter().filter(|count| count.console == twin.name);
        let own = own.map(|count| Count {
            console: console.name.clone(),
            ..count.clone()
        });
        let own: Vec<Count> = own.collect();
        counts.extend(own);
    }
    counts
}

/// A setting's value as a number: 1 for `true`, 0 for `false`; `None` if it is a word.
pub fn amount(value: &str) -> Option<f64> {
    match value {
        "true" => Some(1.0),
        "false" => Some(0.0),
        number => number.parse().ok(),
    }
}

/// The settings that have a number, as `setting_NAME`.
fn settings(text: &str) -> impl Iterator<Item = (String, f64)> {
    text.split_whitespace().filter_map(|word| {
        let (name, value) = word.split_once('=')?;
        Some((Family::Setting.column(name), amount(value)?))
    })
}

/// The counter of an instance's size.
pub const SIZE: &str = "size";

/// The size of a map in vertices or cells, computed from its generator's parameters.
fn size(problem: &str, instance: &str) -> Option<f64> {
    let parameter = |name: &str| -> Option<f64> {
        let mut words = instance.split_whitespace();
        words.find_map(|word| word.strip_prefix(name)?.strip_prefix('=')?.parse().ok())
    };
    let is_map = ["reach", "path"].contains(&problem);
    let grid = || Some(parameter("width")? * parameter("height")?);
    parameter("vertices").or_else(grid).filter(|_| is_map)
}

/// `name=number` pairs with spaces between them.
fn pairs(text: &str) -> Result<BTreeMap<String, f64>, String> {
    let pair = |word: &str| {
        let (name, value) = word.split_once('=')?;
        Some((name.to_owned(), value.parse().ok()?))
    };
    let read =
        |word: &str| pair(word).ok_or_else(|| format!("counters: `{word}` is no name=number"));
    text.split_whitespace().map(read).collect()
}

/// An error of the CSV reader with its line.
pub(super) fn wrong(file: &str, error: &csv::Error) -> ReportError {
    let line = error.position().map_or(1, csv::Position::line);
    let message = match error.kind() {
        csv::ErrorKind::Deserialize { err, .. } => err.to_string(),
        _ => error.to_string(),
    };
    ReportError::row(file, line, message)
}

/// Returns whether an answer takes the same cycles on both consoles.
pub(crate) fn costs_alike(one: &Console, other: &Console) -> bool {
    let models = one.model.as_ref().zip(other.model.as_ref());
    let is_equal = models.is_some_and(|(one, other)| one.penalties() == other.penalties());
    is_equal && alike(one, other)
}

/// Returns whether the same events are counted for both consoles.
pub(crate) fn alike(one: &Console, other: &Console) -> bool {
    let models = one.model.as_ref().zip(other.model.as_ref());
    models.is_some_and(|(one, other)| one.counts_alike(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_field_names_file_and_line() {
        let header = "problem,variant,version,set,instance,settings,score,table_bytes,counters,console,target,processor,\
            instructions,loads,stores,multiplies,divides,floats,branches,taken,mispredicts,cycles_low,cycles,cycles_high,\
            instruction_misses,read_misses,write_misses,second_read_misses,second_write_misses,write_backs,microcoded,after_store,narrow,local,\
            toolchain";
        let row = "reach,memo,2,train,reach.rail seed=1,steps=8 god=false,5,900,states=7 measure_edges=12,PS2,t,r5900,\
            100,20,10,1,0,0,9,6,2,80,90,120,1,2,3,0,0,0,0,0,0,0,rustc";
        let good = format!("{header}\n{row}\n");
        let count = &read("counts.csv", &good).expect("a good table")[0];
        assert_eq!(
            (count.values["states"], count.values["measure_edges"]),
            (7.0, 12.0)
        );
        assert_eq!(
            count.scoreboard(),
            Cycles {
                low: 80.0,
                mid: 90.0,
                high: 120.0
            }
        );
        assert_eq!(count.set, Set::Train);
        for (from, to, expected) in [
            (
                "states=7",
                "states",
                "counts.csv:2: counters: `states` is no name=number",
            ),
            (",train,", ",both,", "counts.csv:2: "),
            ("100,20", "x,20", "counts.csv:2: "),
        ] {
            let error = read("counts.csv", &good.replace(from, to))
                .expect_err(to)
                .to_string();
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
