//! A fast hash of short words, without protection against deliberate collisions.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hash, Hasher};

/// A map by [`FoldHasher`].
pub(crate) type FastMap<K, V> = HashMap<K, V, BuildHasherDefault<FoldHasher>>;

/// A set by [`FoldHasher`].
pub(crate) type FastSet<K> = HashSet<K, BuildHasherDefault<FoldHasher>>;

/// Multiplies word by word and folds the 128 bits of each product into 64.
#[derive(Default)]
pub(crate) struct FoldHasher(u64);

impl FoldHasher {
    fn add(&mut self, word: u64) {
        self.fold(word, 0xd6e8_feb8_6659_fd93);
    }

    fn fold(&mut self, word: u64, by: u64) {
        let product = u128::from(self.0 ^ word ^ 0x9e37_79b9_7f4a_7c15) * u128::from(by);
        self.0 = (product as u64 ^ (product >> 64) as u64).rotate_left(23);
    }
}

impl Hasher for FoldHasher {
    fn write(&mut self, bytes: &[u8]) {
        let word = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().unwrap_or_default());
        let mut pairs = bytes.chunks_exact(16);
        for pair in &mut pairs {
            // PERF: one multiplication for two words.
            let (first, second) = pair.split_at(8);
            self.fold(word(first), word(second) ^ 0xd6e8_feb8_6659_fd93);
        }
        let rest = pairs.remainder();
        let mut last = [0; 16];
        last[..rest.len()].copy_from_slice(rest);
        self.add(word(&last[..8]));
        self.add(word(&last[8..]) ^ (bytes.len() as u64) << 57);
    }

    fn write_u8(&mut self, value: u8) {
        self.add(u64::from(value));
    }

    fn write_u32(&mut self, value: u32) {
        self.add(u64::from(value));
    }

    fn write_u64(&mut self, value: u64) {
        self.add(value);
    }

    fn write_usize(&mut self, value: usize) {
        self.add(value as u64);
    }

    fn finish(&self) -> u64 {
        // Hash tables use the upper and the lower bits.
        self.0 ^ self.0 >> 32
    }
}

/// The hash of a value.
pub(crate) fn hash(of: impl Hash) -> u64 {
    let mut hasher = FoldHasher::default();
    of.hash(&mut hasher);
    hasher.finish()
}
