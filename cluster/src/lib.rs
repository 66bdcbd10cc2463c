//! A campaign on several machines: divided into shards, written for a scheduler, submitted and watched.
//!
//! Scheduling is left to the cluster. A shard is an ordinary run folder with one writer; the command that began it
//! also resumes it, so a requeued task continues from its journal.
//!
//! | module | owns |
//! |---|---|
//! | [`division`] | questions with their expected times, divided into shards |
//! | [`folder`] | the folder of a divided campaign |
//! | [`forms`] | the scripts that a scheduler runs |
//! | [`slurm`] | Slurm's commands and what they print |
//! | [`status`] | the progress of each shard |

#![forbid(unsafe_code)]

pub mod division;
pub mod folder;
pub mod forms;
pub mod slurm;
pub mod status;

pub use folder::Divided;
