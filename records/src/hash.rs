//! A fast hash of short words, without protection against deliberate collisions.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, Hash};

pub(crate) use foldhash::quality::FixedState as FastState;

/// A map of keys that do not collide on purpose.
pub(crate) type FastMap<K, V> = HashMap<K, V, FastState>;

/// A set of keys that do not collide on purpose.
pub(crate) type FastSet<K> = HashSet<K, FastState>;

/// The hash of a value.
pub(crate) fn hash(of: impl Hash) -> u64 {
    FastState::default().hash_one(of)
}
