//! Every variant, naive first, one line each in [`ALL`].
//!
//! | module | owns |
//! |---|---|
//! | [`steps`] | legal steps computed from the map, for the plain variants and the peers |
//! | [`open_list`] | `open-list`: the article's procedure |
//! | [`hash`] | `hash`: A* as it is usually written |
//! | [`dense`] | `dijkstra`, `heap`, `bucket`: A* on dense arrays |
//! | [`jps`] | `jps`, `jps-tables`, `jps-bounds`, `jps-weighted`: jump point search |
//! | [`auto`] | `auto`: `jps`, `jps-weighted` or `bucket`, chosen by the map |
//! | [`peers`] | `pathfinding`: a third-party crate |
//! | [`finder`], [`batch`] | the interface of a search for one query, and batches of queries on threads |
//! | [`exact`] | a search with exact lengths, for paths that are too long for the others |

pub mod auto;
pub mod batch;
pub mod dense;
pub mod exact;
pub mod finder;
pub mod hash;
pub mod jps;
pub mod open_list;
pub mod peers;
pub mod steps;

use ikeru_core::Variant;

use crate::GridPath;
use dense::{bucket, heap};

/// Every variant, naive first, the peer last.
pub static ALL: [Variant<GridPath>; 11] = [
    open_list::OPEN_LIST,
    heap::DIJKSTRA,
    hash::HASH,
    heap::HEAP,
    bucket::BUCKET,
    jps::online::JPS,
    jps::tables::JPS_TABLES,
    jps::bounds::JPS_BOUNDS,
    jps::weighted::JPS_WEIGHTED,
    auto::AUTO,
    peers::PATHFINDING,
];
