//! `pathfinding`: a third-party crate for the same task, used as its documentation suggests, with the same steps, costs
//! and estimates.
//!
//! It is always in the table of variants. Without the feature `peers` it skips every instance with a message.

use ikeru_core::{Variant, settings};

use crate::GridPath;
use crate::variants::finder::SCALED_H;

#[cfg(not(feature = "peers"))]
use absent::pathfinding;
#[cfg(feature = "peers")]
use present::pathfinding;

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
}
