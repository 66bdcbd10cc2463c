//! Every variant, naive first: one file each, one line in [`ALL`].

mod bucket;
mod hash;
mod heap;
mod jps;
mod jps_tables;
pub mod open_list;
mod peers;

use ikeru_core::{InputError, Setting, Settings, Variant};

use crate::GridPath;

/// Every variant, naive first, the peers last.
pub const ALL: &[Variant<GridPath>] = &[
    open_list::OPEN_LIST,
    heap::DIJKSTRA,
    hash::HASH,
    heap::HEAP,
    bucket::BUCKET,
    jps::JPS,
    jps_tables::JPS_TABLES,
    peers::PATHFINDING,
    peers::PETGRAPH,
];

/// Whether the heuristic is scaled.
const SCALED_H: Setting = Setting {
    name: "scaled-h",
    default: "true",
    about: "count the heuristic at the factor of the cheapest ground, so that factors below 1 keep ways shortest",
};

fn scaled_h(settings: &Settings) -> Result<bool, InputError> {
    Ok(settings.bool(&SCALED_H)?.unwrap_or(true))
}
