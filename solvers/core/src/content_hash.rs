//! The content hash that identifies instances, cells and samples.

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader};
use std::num::NonZero;
use std::str::FromStr;

use sha2::{Digest, Sha256};

use crate::{InputError, input_error};

/// The first 128 bits of a SHA-256, written as 32 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContentHash(u128);

impl ContentHash {
    /// The hash of `parts`. The length of each part is hashed before it, so that different lists never give the same
    /// bytes.
    pub fn of(parts: &[&[u8]]) -> Self {
        let mut hasher = Sha256::new();
        for part in parts {
            hasher.update((part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        Self::ended(hasher)
    }

    /// The hash of a file's bytes, as of one part, which is not held in memory.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn of_file(file: &File) -> io::Result<Self> {
        let mut hasher = Sha256::new();
        hasher.update(file.metadata()?.len().to_le_bytes());
        let mut file = BufReader::with_capacity(1 << 16, file);
        while let length @ 1.. = file.fill_buf()?.len() {
            hasher.update(file.buffer());
            file.consume(length);
        }
        Ok(Self::ended(hasher))
    }

    fn ended(hasher: Sha256) -> Self {
        let digest = hasher.finalize();
        let first = digest.iter().take(16);
        Self(first.fold(0, |hash, byte| hash << 8 | u128::from(*byte)))
    }

    /// The index, from 0, of the part to which this hash belongs when all hashes are divided into `parts` equal parts.
    pub fn part_of(self, parts: NonZero<u32>) -> u32 {
        (self.0 % u128::from(parts.get())) as u32
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // PERF: every row of a run has four of them; formatting them by `{:032x}` was 5 % of a row's cost.
        let digit = |at: usize| b"0123456789abcdef"[(self.0 >> (124 - 4 * at)) as usize & 15];
        let digits: [u8; 32] = std::array::from_fn(digit);
        f.write_str(str::from_utf8(&digits).map_err(|_| fmt::Error)?)
    }
}

impl FromStr for ContentHash {
    type Err = InputError;

    fn from_str(text: &str) -> Result<Self, InputError> {
        let digits = Some(text).filter(|text| text.len() == 32);
        let hash = digits.and_then(|text| u128::from_str_radix(text, 16).ok());
        hash.map(Self)
            .ok_or_else(|| input_error!("`{text}` is no content hash (32 hexadecimal digits)"))
    }
}
