//! A campaign on several machines: divided into shards, written for a scheduler, submitted and watched.
//!
//! A scheduler that a cluster has does the scheduling. A shard is an ordinary run folder with one writer; it is resumed
//! by the command that began it, so a requeued task goes on where it was.
//!
//! | module | owns |
//! |---|---|
//! | [`accounting`] | how many jobs Slurm lets a user submit |
//! | [`division`] | questions with their expected times, divided into shards |
//! | [`folder`] | the folder of a divided campaign |
//! | [`forms`] | what a scheduler runs: command lists, scripts, job descriptions |
//! | [`slurm`] | Slurm's commands and what they print |
//! | [`status`] | how far each shard is |

pub mod accounting;
pub mod division;
pub mod folder;
pub mod forms;
pub mod slurm;
pub mod status;

pub use folder::Divided;
