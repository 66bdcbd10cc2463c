//! The only source of randomness: ChaCha8, with our own ranges and shuffles on raw `u64`, so that a seed gives the
//! same instance in every version of every library.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// A seeded stream of random numbers.
#[derive(Debug, Clone)]
pub struct Random(ChaCha8Rng);

impl Random {
    /// The stream of `seed` for `purpose`: generators with different names never share a stream.
    pub fn new(purpose: &str, seed: u64) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        // FNV-1a of the purpose fills the second word.
        let name = purpose
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
            });
        key[8..16].copy_from_slice(&name.to_le_bytes());
        Self(ChaCha8Rng::from_seed(key))
    }

    /// The next 64 bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Uniform in `0..bound`, without bias.
    ///
    /// # Panics
    /// When `bound` is 0.
    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        assert!(bound > 0, "an empty range has no random element");
        // Lemire 2019, "Fast random integer generation in an interval". The division is rarely needed.
        loop {
            let product = u128::from(self.bits()) * u128::from(bound);
            let low = product as u64;
            if low >= bound || low >= bound.wrapping_neg() % bound {
                return (product >> 64) as u64;
            }
        }
    }

    /// Uniform index in `0..len`.
    ///
    /// # Panics
    /// When `len` is 0.
    #[inline]
    pub fn index(&mut self, len: usize) -> usize {
        self.below(len as u64) as usize
    }

    /// Uniform in `low..=high`.
    ///
    /// # Panics
    /// When `low > high`.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        assert!(low <= high, "an empty range has no random element");
        let span = high.wrapping_sub(low) as u64;
        match span.checked_add(1) {
            Some(count) => low.wrapping_add(self.below(count) as i64),
            None => self.bits() as i64,
        }
    }

    /// Uniform in `0.0..1.0`, 53 bits.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// `true` with probability `p`.
    pub fn chance(&mut self, p: f64) -> bool {
        self.unit() < p
    }

    /// Fisher–Yates, from the last element down.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.index(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_means_the_same_stream_for_ever() {
        let mut random = Random::new("golden", 1);
        let first: Vec<u64> = (0..4).map(|_| random.below(1000)).collect();
        let mut items: Vec<u32> = (0..8).collect();
        random.shuffle(&mut items);
        assert_eq!(first, [833, 55, 670, 625]);
        assert_eq!(items, [0, 3, 1, 4, 6, 5, 7, 2]);
    }

    #[test]
    fn purposes_do_not_share_a_stream() {
        assert_ne!(Random::new("a", 7).bits(), Random::new("b", 7).bits());
    }

    #[test]
    fn between_covers_its_ends_and_nothing_else() {
        let mut random = Random::new("between", 3);
        let seen: std::collections::BTreeSet<i64> =
            (0..200).map(|_| random.between(-2, 2)).collect();
        assert_eq!(seen, (-2..=2).collect());
    }
}
