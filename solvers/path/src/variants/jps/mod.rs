//! Jump point search: `jps`, `jps-tables` and `jps-bounds` on uniform ground where both corners must be free, and
//! `jps-weighted` on any ground.
//!
//! | module | owns |
//! |---|---|
//! | [`bits`] | the cells along one direction as bits, scanned 64 cells at a time |
//! | [`planes`] | the cells of a map as bits, and the flags of all cells computed 64 at a time |
//! | [`jumps`] | forced neighbours, and the jumps in all eight directions |
//! | [`jump_points`] | the jump points of a map, numbered |
//! | [`detect`] | detection of the machine's bit instructions |
//! | [`search`] | the search over jump points, for the three variants on uniform ground |
//! | [`online`] | `jps`: jumps are found when a jump point is expanded |
//! | [`tables`] | `jps-tables`: all jumps are found beforehand |
//! | [`bounds`] | `jps-bounds`: the same, with a box around the goals of each direction |
//! | [`weighted`] | `jps-weighted`: pruning by the costs around a cell, jumps over ground of one factor |

pub mod bits;
pub mod bounds;
pub mod detect;
pub mod jump_points;
pub mod jumps;
pub mod online;
pub mod planes;
pub mod search;
pub mod tables;
pub mod weighted;
