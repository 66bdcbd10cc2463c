//! Modelled times on consoles, from events counted by a simulation of the processors and from the counters of a run.
//!
//! | module | owns |
//! |---|---|
//! | [`counts`] | the events counted on the consoles' instruction sets: `counts.csv` |
//! | [`cycles`] | tier 2: cycles of a counted answer |
//! | [`cost`] | tier 1: cycles of a run's counters by a cost table, `costs.csv` |
//! | [`throughput`] | the modelled times of a run on every console: `throughput.csv` |
//! | [`budget`] | the time budgets of an answer, and the verdict of a modelled time |
//! | [`validation`] | the model compared with other machines: `validation.csv` |
//!
//! Tiers 1 and 2 use no time of the measuring machine and no function whose last digit depends on the machine, so
//! every machine computes the same numbers.

#![forbid(unsafe_code)]

pub mod budget;
pub mod cost;
pub mod counts;
pub mod cycles;
pub mod facts;
pub mod throughput;
pub mod validation;

use std::io::Read as _;
use std::path::Path;
use std::sync::OnceLock;

use cost::CounterCost;
use counts::Count;
pub use facts::{Console, ConsoleKind, Consoles};
use flate2::read::DeflateDecoder;
use ikeru_records::{ReportError, Result};

/// The tables, compressed when the program is built.
const COUNTS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/counts.csv"));
const COSTS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/costs.csv"));
const CHECKS: &str = include_str!("../validation.csv");

/// Decompresses a table that the build compressed.
fn unpacked(name: &str, packed: &[u8]) -> Result<String> {
    let mut text = String::new();
    let read = DeflateDecoder::new(packed).read_to_string(&mut text);
    read.map_err(|error| ReportError::io(Path::new(name), error))?;
    Ok(text)
}

/// The data of tiers 1 and 2.
#[derive(Debug, Clone)]
pub struct Basis {
    /// The consoles and their processors.
    pub consoles: Consoles,
    /// The counted answers.
    pub counts: Vec<Count>,
    /// The cost table.
    pub costs: Vec<CounterCost>,
    /// Modelled and measured times of programs on other machines.
    pub checks: Vec<validation::ValidationRow>,
}

impl Basis {
    /// Reads the built-in consoles and tables and the consoles of the user's folder, once.
    ///
    /// # Errors
    /// A table that cannot be parsed.
    pub fn built_in() -> Result<&'static Self> {
        static BUILT_IN: OnceLock<Basis> = OnceLock::new();
        if let Some(known) = BUILT_IN.get() {
            return Ok(known);
        }
        let mut read = Self::read()?;
        for more in Consoles::added()? {
            read.add(more);
        }
        Ok(BUILT_IN.get_or_init(|| read))
    }

    fn read() -> Result<Self> {
        let consoles = Consoles::built_in()?;
        let counts = counts::read("counts.csv", &unpacked("counts.csv", COUNTS)?)?;
        Ok(Self {
            counts: counts::for_all(counts, &consoles.consoles),
            consoles,
            costs: cost::read("costs.csv", &unpacked("costs.csv", COSTS)?)?,
            checks: validation::read("validation.csv", CHECKS)?,
        })
    }

    /// Adds consoles to the built-in ones; a console with a known name replaces it. A new console takes the counts of a
    /// console with the same processor, target and caches, and the costs of one whose penalties are equal too.
    pub fn add(&mut self, more: Consoles) {
        for console in more.consoles {
            let costs = self.costs_for(&console);
            self.costs.retain(|cost| cost.console != console.name);
            self.costs.extend(costs);
            let all = &mut self.consoles.consoles;
            let known = all.iter_mut().find(|known| known.name == console.name);
            match known {
                Some(known) if counts::alike(known, &console) => *known = console,
                Some(known) => {
                    self.counts.retain(|count| count.console != console.name);
                    *known = console;
                }
                None => {
                    let place = all.partition_point(|known| known.year <= console.year);
                    all.insert(place, console);
                }
            }
        }
        self.counts = counts::for_all(std::mem::take(&mut self.counts), &self.consoles.consoles);
    }

    /// The costs of a known console that takes the same cycles, for `console`.
    fn costs_for(&self, console: &Console) -> Vec<CounterCost> {
        let mut known = self.consoles.consoles.iter();
        let Some(twin) = known.find(|known| counts::costs_alike(known, console)) else {
            return Vec::new();
        };
        let own = self.costs.iter().filter(|cost| cost.console == twin.name);
        let renamed = own.map(|cost| CounterCost {
            console: console.name.clone(),
            ..cost.clone()
        });
        renamed.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The built-in consoles with one count, on the GameCube.
    fn basis() -> Basis {
        let text = "problem,variant,version,set,instance,settings,score,table_bytes,counters,console,target,processor,instructions,loads,stores,multiplies,divides,floats,branches,taken,mispredicts,cycles_low,cycles,cycles_high,instruction_misses,read_misses,write_misses,second_read_misses,second_write_misses,write_backs,microcoded,after_store,narrow,local,toolchain\n\
            reach,memo,2,train,reach.rail seed=1,steps=8,1,900,states=7,GameCube,t,750,100,20,10,1,0,0,9,6,2,80,90,120,1,2,3,0,0,0,0,0,0,0,rustc\n";
        let consoles = Consoles::built_in().expect("the facts read");
        let counts = counts::read("counts.csv", text).expect("a good table");
        let cost = |console: &str| CounterCost {
            problem: "reach".to_owned(),
            variant: "memo".to_owned(),
            version: 2,
            console: console.to_owned(),
            work: cost::CostSum::default(),
            misses: cost::CostSum::default(),
            memory: cost::CostSum::default(),
            trained: 1,
            tested: 0,
        };
        Basis {
            costs: ["GameCube", "Wii"].map(cost).into(),
            counts: counts::for_all(counts, &consoles.consoles),
            consoles,
            checks: Vec::new(),
        }
    }

    fn counted(basis: &Basis) -> Vec<&str> {
        basis
            .counts
            .iter()
            .map(|count| count.console.as_str())
            .collect()
    }

    #[test]
    fn consoles_that_count_alike_share_their_counts() {
        // The Wii has the GameCube's processor and caches, the Wii U has another second cache.
        assert_eq!(counted(&basis()), ["GameCube", "Wii"]);
    }

    #[test]
    fn a_console_of_ones_own_takes_the_counts_of_its_like() {
        let facts = include_str!("../consoles.toml");
        let wii = facts.find("[[consoles]]\nname = \"Wii\"").expect("the Wii");
        let own = facts[wii..]
            .split("\n[[consoles]]")
            .next()
            .expect("its facts");
        let own = own
            .replace("\"Wii\"", "\"Mine\"")
            .replace("729.0", "1458.0");
        let mut basis = basis();
        basis.add(Consoles::read("my.toml", &own).expect("good facts"));
        assert_eq!(counted(&basis), ["GameCube", "Wii", "Mine"]);
        let priced = |basis: &Basis| {
            let names = basis.costs.iter().map(|cost| cost.console.clone());
            names.collect::<Vec<_>>()
        };
        assert_eq!(priced(&basis), ["GameCube", "Wii", "Mine"]);
        // A known console with another clock keeps its costs.
        basis.add(Consoles::read("my.toml", &own.replace("1458.0", "729.0")).expect("good facts"));
        assert_eq!(priced(&basis), ["GameCube", "Wii", "Mine"]);
        let broken = own.replace("ways = 2", "ways = 0");
        let error = Consoles::read("my.toml", &broken)
            .expect_err("no ways")
            .to_string();
        assert!(
            error.starts_with("my.toml:2: Mine: `second_cache`"),
            "{error}"
        );
        // Other caches are counted nowhere.
        basis.add(Consoles::read("my.toml", &own.replace("262144", "524288")).expect("good facts"));
        assert_eq!(counted(&basis), ["GameCube", "Wii"]);
        assert_eq!(priced(&basis), ["GameCube", "Wii"]);
    }
}
