//! Simulates the pipelines of a console's processor on its instruction words, and its caches and branch predictor on
//! the addresses of a run.
//!
//! The input is instruction words and addresses, from an emulator's plugin or from a test. The output is numbers of
//! events and cycles; penalties, clocks and times belong to `ikeru-consoles`.
//!
//! | module | owns |
//! |---|---|
//! | [`operation`] | a decoded instruction: class, registers read and written |
//! | [`decode`] | decodes instruction words of four families |
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
