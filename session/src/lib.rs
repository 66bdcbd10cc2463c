//! The engine: a session takes the samples of a plan's cells, in the order of a schedule, by an executor, and always
//! ends as `records.csv` in a run folder.
//!
//! | module | owns |
//! |---|---|
//! | [`system`] | the functions that differ by system |
//! | [`registry`] | every problem, one line each |
//! | [`declared`] | problems of commands, which an experiment's file declares |
//! | [`input`] | instances and settings as given on the command line |
//! | [`files`] | the files that match a pattern of an experiment |
//! | [`folder`] | run folders as given on the command line |
//! | [`build`] | the commands that build programs |
//! | [`plan`] | from experiments to cells |
//! | [`execute`] | taking one sample |
//! | [`campaign`] | experiments planned, measured and kept in one run folder; schedules |
//! | [`canary`] | changes of the machine during the run |
//! | [`cores`] | the core for timing |
//! | [`interrupt`] | the signals that ask a run to stop |
//! | [`machine`] | the machine and its other load, for `run.toml` |
//! | [`output`] | standard output, standard error and exit codes |
//! | [`pool`] | the threads on which plans and reports are made |
//! | [`progress`] | the progress display |

#![forbid(unsafe_code)]

pub mod build;
pub mod campaign;
pub mod canary;
pub mod cores;
pub mod declared;
pub mod execute;
pub mod files;
pub mod folder;
pub mod input;
pub mod interrupt;
pub mod machine;
pub mod output;
pub mod plan;
pub mod pool;
pub mod progress;
pub mod registry;
pub mod slept;
pub mod system;
