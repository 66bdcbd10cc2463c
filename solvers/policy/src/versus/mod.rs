//! The problem `versus`: two policies on the same sequence, one match.
//!
//! The variant is the first player, the setting `opponent` the second.
//!
//! | module | owns |
//! |---|---|
//! | [`contest`] | instances and answers: who plays, on which sequence |
//! | [`duel`] | the rules of a match |
//! | `player` | a policy that also looks at the other board |
//! | `tactics` | the settings that decide when it stops building |
//! | `variants` | the contenders as variants |
//! | `referee` | replays a match by the same rules, with another simulator |
//! | `problem` | the problem: its tables, its answers as text |

pub mod contest;
pub mod duel;
mod player;
mod problem;
mod referee;
mod tactics;
mod variants;

/// The problem `versus`.
#[derive(Debug, Clone, Copy)]
pub struct Versus;
