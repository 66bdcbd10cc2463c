//! A fast hash of short words, without protection against deliberate collisions.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, Hash};

use foldhash::quality::FixedState;

/// A map of keys that do not collide on purpose.
pub(crate) type FastMap<K, V> = HashMap<K, V, FixedState>;

/// A set of keys that do not collide on purpose.
pub(crate) type FastSet<K> = HashSet<K, FixedState>;

/// The hash of a value.
pub(crate) fn hash(of: impl Hash) -> u64 {
    FixedState::default().hash_one(of)
}
