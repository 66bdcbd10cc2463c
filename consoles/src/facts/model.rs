//! The model of a console's processor: caches and penalties, each with its source.

use std::collections::BTreeMap;
use std::ops::{Add, Mul};

use serde::Deserialize;

/// A number of cycles with its uncertainty.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize)]
#[serde(from = "[f64; 3]")]
pub struct Cycles {
    /// The lowest value that the sources allow.
    pub low: f64,
    /// The value that the model uses.
    pub mid: f64,
    /// The highest value that the sources allow.
    pub high: f64,
}

impl Cycles {
    /// The cycles by which this exceeds `other`, which runs at the same time; at least 0.
    pub fn beyond(self, other: Self) -> Self {
        self.with(other, |own, other| (own - other).max(0.0))
    }

    fn with(self, other: Self, function: impl Fn(f64, f64) -> f64) -> Self {
        Self {
            low: function(self.low, other.low),
            mid: function(self.mid, other.mid),
            high: function(self.high, other.high),
        }
    }

    /// Applies `function` to each of the three numbers.
    pub fn map(self, function: impl Fn(f64) -> f64) -> Self {
        self.with(self, |own, _| function(own))
    }
}

impl Add for Cycles {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        self.with(other, f64::add)
    }
}

impl Mul<f64> for Cycles {
    type Output = Self;

    fn mul(self, count: f64) -> Self {
        self.map(|cycles| cycles * count)
    }
}

impl From<[f64; 3]> for Cycles {
    fn from([low, mid, high]: [f64; 3]) -> Self {
        Self { low, mid, high }
    }
}

/// A simulated processor: its scoreboard, the target of its code, its caches, and the cycles that an event costs in
/// addition to the scoreboard's. An absent cost is 0.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProcessorModel {
    /// The name of a scoreboard.
    pub processor: String,
    /// The Rust target whose code is counted.
    pub target: String,
    /// The first cache of instructions; `None` if every fetch goes to memory.
    pub instruction_cache: Option<CacheFacts>,
    /// The first cache of data; `None` if every load goes to memory and counts as a miss.
    pub data_cache: Option<CacheFacts>,
    /// The second cache, of instructions and data.
    pub second_cache: Option<CacheFacts>,
    /// The source of the caches.
    pub cache_source: String,
    /// Cost of every instruction, for wait states of the memory that holds the code.
    #[serde(default)]
    pub fetch: Cycles,
    /// Cost of an instruction line that misses the first cache, if there is no second one.
    #[serde(default)]
    pub instruction_miss: Cycles,
    /// Cost of a load that misses the last cache; of every load if there is no data cache.
    #[serde(default)]
    pub read_miss: Cycles,
    /// Cost of a store that misses the last cache.
    #[serde(default)]
    pub write_miss: Cycles,
    /// Cost of a lookup in the second cache.
    #[serde(default)]
    pub second_hit: Cycles,
    /// Cost of every store, for the write buffer.
    #[serde(default)]
    pub store: Cycles,
    /// Cost of a word loaded or stored in the tables, for wait states of their memory. Accesses to the stack and to
    /// constants between the code are exempt.
    #[serde(default)]
    pub word: Cycles,
    /// Cost of such an access of at most 16 bits, in place of `word`.
    #[serde(default)]
    pub narrow: Cycles,
    /// Cost of a line that the last cache writes back.
    #[serde(default)]
    pub write_back: Cycles,
    /// Cost of a load of data that was stored shortly before and waits in the store queue.
    #[serde(default)]
    pub after_store: Cycles,
    /// Cost of an instruction that runs from microcode.
    #[serde(default)]
    pub microcoded: Cycles,
    /// Cost of a taken branch or jump.
    #[serde(default)]
    pub taken: Cycles,
    /// Cost of a mispredicted branch.
    #[serde(default)]
    pub mispredict: Cycles,
    /// The basis of each penalty, by its name. The built-in consoles have one for every penalty above 0.
    #[serde(default)]
    pub basis: BTreeMap<String, ConstantBasis>,
}

/// The source of a penalty and how certain it is.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConstantBasis {
    /// The kind of source.
    pub known: Known,
    /// The source, with page or line.
    pub source: String,
    /// The row of `validation.csv` that would leave its band if the penalty were wrong; empty if there is none.
    #[serde(default)]
    pub check: String,
}

/// The kinds of sources of a constant, the most reliable first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Known {
    /// Measured on the console.
    Measured,
    /// Published by the maker of the console or of the processor.
    Vendor,
    /// Described by a third party.
    Described,
    /// Taken from an emulator that was checked against the console.
    Emulator,
    /// Derived from other constants.
    Derived,
    /// Estimated.
    Estimate,
}

/// The geometry of one cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CacheFacts {
    /// Its size in bytes.
    pub bytes: u32,
    /// The associativity: lines in which one address may be kept.
    pub ways: u32,
    /// Bytes of a line.
    pub line: u32,
    /// The effect of a store that misses.
    pub write: WritePolicy,
}

/// The effect of a store that misses a cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WritePolicy {
    /// Loads the line.
    Allocate,
    /// Writes past the cache.
    Around,
    /// No stores: the cache holds instructions.
    None,
}

impl ProcessorModel {
    /// Returns whether the same events are counted for both: their processors, targets and caches are equal.
    pub fn counts_alike(&self, other: &Self) -> bool {
        self.processor == other.processor
            && self.target == other.target
            && self.caches() == other.caches()
    }

    /// Refuses impossible caches and penalties.
    pub(super) fn check(&self) -> Result<(), String> {
        for (name, cache) in self.caches() {
            if cache.is_some_and(|cache| !cache.is_possible()) {
                return Err(format!(
                    "`{name}`: expected a line of a power of two, and a power of two of sets"
                ));
            }
        }
        for (name, Cycles { low, mid, high }) in self.penalties() {
            if !(0.0 <= low && low <= mid && mid <= high && high.is_finite()) {
                return Err(format!(
                    "`{name}` is [{low}, {mid}, {high}]; expected cycles from low to high"
                ));
            }
        }
        let mut based = self.basis.keys();
        if let Some(name) =
            based.find(|name| self.penalties().iter().all(|(known, _)| known != name))
        {
            return Err(format!("`basis.{name}`: there is no such penalty"));
        }
        let (hit, has_second) = (self.second_hit, self.second_cache.is_some());
        if has_second != (hit.mid > 0.0) {
            return Err("`second_hit`: expected exactly if there is a `second_cache`".to_owned());
        }
        Ok(())
    }

    /// The caches by name.
    fn caches(&self) -> [(&'static str, Option<CacheFacts>); 3] {
        [
            ("instruction_cache", self.instruction_cache),
            ("data_cache", self.data_cache),
            ("second_cache", self.second_cache),
        ]
    }

    /// The penalties by name.
    pub fn penalties(&self) -> [(&'static str, Cycles); 13] {
        [
            ("fetch", self.fetch),
            ("instruction_miss", self.instruction_miss),
            ("read_miss", self.read_miss),
            ("write_miss", self.write_miss),
            ("second_hit", self.second_hit),
            ("store", self.store),
            ("word", self.word),
            ("narrow", self.narrow),
            ("write_back", self.write_back),
            ("after_store", self.after_store),
            ("microcoded", self.microcoded),
            ("taken", self.taken),
            ("mispredict", self.mispredict),
        ]
    }
}

impl CacheFacts {
    /// Returns whether a store that misses loads its line.
    pub fn loads_on_write(self) -> bool {
        self.write == WritePolicy::Allocate
    }

    /// Returns whether an address can be divided into line, set and tag.
    fn is_possible(self) -> bool {
        let set = u64::from(self.ways) * u64::from(self.line);
        let bytes = u64::from(self.bytes);
        self.line.is_power_of_two()
            && set > 0
            && bytes.is_multiple_of(set)
            && (bytes / set).is_power_of_two()
    }
}
