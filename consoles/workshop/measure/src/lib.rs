//! Counts the training questions on the consoles' instruction sets.
//!
//! | module | owns |
//! |---|---|
//! | [`target`] | the targets: compiler options, linker, emulator, packages |
//! | [`training`] | the questions of `training.toml` |
//! | [`emulate`] | one question on one target under QEMU: the output of probe and plugin |
//! | [`counts`] | all questions on all targets: the rows of `counts.csv` |
#![forbid(unsafe_code)]

pub mod counts;
pub mod emulate;
pub mod target;
pub mod training;
