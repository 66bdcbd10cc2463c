//! Functions of systems that pin no thread and whose first process adopts orphans.

use std::collections::BTreeSet;

/// The cores on which this thread may run are not known.
pub fn affinity() -> Option<BTreeSet<usize>> {
    None
}

/// No thread is moved.
pub fn move_to(_: Option<u32>, _: &BTreeSet<usize>) -> bool {
    false
}

/// The core on which this thread runs is not known.
pub fn this_core() -> Option<u32> {
    None
}

/// Orphans are not adopted.
pub fn adopt_orphans() -> bool {
    false
}
