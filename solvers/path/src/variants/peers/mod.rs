//! `pathfinding` and `petgraph`: third-party crates for the same task, used as their documentation suggests, with the
//! same steps, costs and estimates.
//!
//! Both are always in the table of variants. Without the feature `peers` they skip every instance with a message.

use ikeru_core::{Variant, settings};

use crate::GridPath;
use crate::variants::finder::SCALED_H;

#[cfg(not(feature = "peers"))]
use absent::{pathfinding, petgraph};
#[cfg(feature = "peers")]
use present::{pathfinding, petgraph};

/// `pathfinding`.
pub const PATHFINDING: Variant<GridPath> = Variant {
    name: "pathfinding",
    about: "peer: `astar` of the crate pathfinding over the cells' coordinates (feature `peers`)",
    source: "the crate pathfinding 4.16",
    exact: true,
    version: 1,
    settings: settings![SCALED_H],
    prepare: pathfinding,
};

/// `petgraph`.
pub const PETGRAPH: Variant<GridPath> = Variant {
    name: "petgraph",
    about: "peer: `astar` of the crate petgraph over a graph built beforehand (feature `peers`)",
    source: "the crate petgraph 0.8",
    exact: true,
    version: 1,
    settings: settings![SCALED_H],
    prepare: petgraph,
};

#[cfg(feature = "peers")]
mod present;

#[cfg(not(feature = "peers"))]
mod absent {
    use ikeru_core::{Deadline, Refusal, Settings};

    use crate::instance::Instance;
    use crate::variants::finder::Prepared;

    pub fn pathfinding<'a>(instance: &'a Instance, _: &Settings, _: Deadline) -> Prepared<'a> {
        instance.refuse_unanswerable()?;
        Err(Refusal::skip(
            "built without the peers; cargo run --release --features peers has them",
        ))
    }

    pub use pathfinding as petgraph;
}
