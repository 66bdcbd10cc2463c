//! One counted answer: a row of `counts.csv`, as the measurement writes it and the model reads it.

use serde::{Deserialize, Serialize};

/// One answer on one console, the third of a run: events alone, without penalties and clocks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counted {
    /// The problem.
    pub problem: String,
    /// The variant.
    pub variant: String,
    /// Its version.
    pub version: u32,
    /// What the question is for.
    pub set: Set,
    /// The instance in words.
    pub instance: String,
    /// The settings of question and method.
    pub settings: String,
    /// The score, the same on every target.
    pub score: String,
    /// The most bytes of the heap that preparation and answers took beyond the instance.
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
    /// Conditional branches that the processor's predictor missed; 0 where it has none.
    pub mispredicts: u64,
    /// Cycles with the best pairing.
    pub cycles_low: u64,
    /// Cycles as modelled.
    pub cycles: u64,
    /// Cycles with single issue or in order.
    pub cycles_high: u64,
    /// Instruction lines that the first cache lacked.
    pub instruction_misses: u64,
    /// Loads that the first cache lacked; all where there is none.
    pub read_misses: u64,
    /// Stores that the first cache lacked; all where there is none.
    pub write_misses: u64,
    /// Lines of instructions and loads that the second cache lacked.
    pub second_read_misses: u64,
    /// Stores that the second cache lacked.
    pub second_write_misses: u64,
    /// The compiler and the emulator.
    pub toolchain: String,
}

/// What a question is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Set {
    /// Costs are fitted to it.
    Train,
    /// Costs are tested with it.
    Test,
    /// It is shown, neither fitted to nor tested with.
    Reference,
}
