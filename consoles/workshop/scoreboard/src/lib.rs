//! How many cycles a console's processor takes for a block of its own code, and what its caches and its branch predictor
//! do with the addresses of a run.
//!
//! Everything here is arithmetic on words and addresses: an emulator's plugin feeds it, tests feed it hand-written blocks.
//! Counts alone come out; penalties, clocks and milliseconds are not known here.
//!
//! | module | owns |
//! |---|---|
//! | [`operation`] | an instruction as a scoreboard sees it: class, registers read and written |
//! | [`decode`] | instruction words of four families to operations |
//! | [`scoreboard`] | the cycles of a block on a pipeline |
//! | [`processor`] | the processors: three pipelines and a branch predictor each |
//! | [`cache`] | set-associative caches in one or two levels |
//! | [`branch`] | branch predictors |
//! | [`meter`] | a whole run: blocks, executions, accesses; the sums between two marks |
#![forbid(unsafe_code)]

pub mod branch;
pub mod cache;
pub mod decode;
pub mod meter;
pub mod operation;
pub mod processor;
pub mod scoreboard;

pub use decode::InstructionFamily;
pub use meter::Meter;
pub use operation::{Flow, Instruction, InstructionClass};
pub use processor::Processor;
