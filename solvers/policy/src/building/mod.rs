//! The problem `build`: place the pieces of a sequence, to fire a large chain or to complete a template.
//!
//! | module | owns |
//! |---|---|
//! | [`challenge`] | instances, answers, and the settings of a question |
//! | [`variants`] | the policies by name, one file each |
//! | `referee` | plays an answer again and measures it |
//! | `picture` | the template that a policy builds, with the weights of its cells |
//! | `problem` | the problem: its tables, its answers as text |

pub mod challenge;
mod picture;
mod problem;
mod referee;
pub mod variants;

/// The problem `build`.
#[derive(Debug, Clone, Copy)]
pub struct Build;
