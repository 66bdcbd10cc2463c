//! Set-associative caches that replace the least recently used line, in one or two levels. A cache that allocates on
//! stores is write-back: a modified line is written when it is replaced. The others are write-through.

use std::str::FromStr;

/// One cache: tags only.
#[derive(Debug)]
pub struct Cache {
    shift: u32,
    set_mask: u64,
    ways: usize,
    /// The lines of each set, the most recently used first; a modified line has [`DIRTY`].
    tags: Vec<u64>,
    /// True if a store that misses loads its line.
    allocates: bool,
}

/// The bit of a line that differs from memory.
const DIRTY: u64 = 1 << 63;

/// The result of an access to a cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LookUp {
    /// True if the cache held the line.
    pub hit: bool,
    /// The address of a modified line that the access replaces.
    pub written_back: Option<u64>,
}

impl Cache {
    /// An empty cache of `bytes` bytes; `None` unless lines and sets are powers of two.
    pub fn new(bytes: u64, ways: u64, line: u64, allocates: bool) -> Option<Self> {
        let set = ways.checked_mul(line).filter(|set| *set > 0)?;
        let sets = bytes / set;
        let possible =
            sets.is_power_of_two() && line.is_power_of_two() && bytes.is_multiple_of(set);
        possible.then(|| Self {
            shift: line.trailing_zeros(),
            set_mask: sets - 1,
            ways: ways as usize,
            tags: vec![!DIRTY; (sets * ways) as usize],
            allocates,
        })
    }

    /// Looks `address` up. A miss loads the line, except on a store to a cache that does not allocate.
    pub fn access(&mut self, address: u64, stores: bool) -> LookUp {
        let line = address >> self.shift;
        let from = (line & self.set_mask) as usize * self.ways;
        let set = &mut self.tags[from..from + self.ways];
        let dirties = if stores && self.allocates { DIRTY } else { 0 };
        let mut seen = LookUp {
            hit: true,
            written_back: None,
        };
        if set[0] & !DIRTY == line {
            set[0] |= dirties;
            return seen;
        }
        let found = set.iter().position(|tag| *tag & !DIRTY == line);
        seen.hit = found.is_some();
        if let Some(to) = found.or((!stores || self.allocates).then_some(self.ways - 1)) {
            let mut tag = set[to];
            if !seen.hit {
                seen.written_back = (tag & DIRTY != 0).then(|| (tag & !DIRTY) << self.shift);
                tag = line;
            }
            set[..=to].rotate_right(1);
            set[0] = tag | dirties;
        }
        seen
    }

    /// The lines of the addresses `from..to`, by their first addresses.
    fn lines(&self, from: u64, to: u64) -> impl Iterator<Item = u64> + use<> {
        let shift = self.shift;
        (from >> shift..=(to - 1) >> shift).map(move |line| line << shift)
    }
}

/// `BYTES/WAYS/LINE`, with `/around` if a store that misses bypasses the cache.
impl FromStr for Cache {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (numbers, allocates) = match text.strip_suffix("/around") {
            Some(numbers) => (numbers, false),
            None => (text, true),
        };
        let numbers: Option<Vec<u64>> = numbers.split('/').map(|word| word.parse().ok()).collect();
        let cache = match numbers.as_deref() {
            Some(&[bytes, ways, line]) => Self::new(bytes, ways, line, allocates),
            _ => None,
        };
        cache.ok_or_else(|| {
            format!("`{text}` is no cache; expected BYTES/WAYS/LINE in powers of two")
        })
    }
}

/// Misses of a hierarchy.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Misses {
    /// Instruction lines that the first cache lacked.
    pub instruction: u64,
    /// Loads that the first cache lacked; all loads if there is none.
    pub read: u64,
    /// Stores that the first cache lacked; all stores if there is none.
    pub write: u64,
    /// Instruction lines and loads that the second cache lacked too.
    pub second_read: u64,
    /// Stores that the second cache lacked too.
    pub second_write: u64,
    /// Lines that were written back to memory.
    pub written_back: u64,
}

/// The caches of a console.
#[derive(Debug)]
pub struct Hierarchy {
    /// The name under which its misses are reported.
    pub name: String,
    instruction: Option<Cache>,
    data: Option<Cache>,
    second: Option<Cache>,
    /// Misses so far.
    pub misses: Misses,
}

impl Hierarchy {
    /// Fetches the instructions of `from..to`.
    pub fn fetch(&mut self, from: u64, to: u64) {
        let Some(cache) = &mut self.instruction else {
            return;
        };
        for address in cache.lines(from, to) {
            if cache.access(address, false).hit {
                continue;
            }
            self.misses.instruction += 1;
            if let Some(second) = &mut self.second {
                let seen = second.access(address, false);
                self.misses.second_read += u64::from(!seen.hit);
                self.misses.written_back += u64::from(seen.written_back.is_some());
            }
        }
    }

    /// Loads or stores the data at `address`.
    #[inline]
    pub fn access(&mut self, address: u64, stores: bool) {
        let first = self.data.as_mut().map(|data| data.access(address, stores));
        if first.is_some_and(|first| first.hit) {
            return;
        }
        let back = first.and_then(|first| first.written_back);
        let mut lacks = false;
        match &mut self.second {
            None => self.misses.written_back += u64::from(back.is_some()),
            Some(second) => {
                // A store that the first cache keeps reaches the second one when the line is written back.
                let keeps = self.data.as_ref().is_some_and(|data| data.allocates);
                let asked = second.access(address, stores && !keeps);
                lacks = !asked.hit;
                let back = back.map(|address| second.access(address, true));
                let all = [Some(asked), back].into_iter().flatten();
                let back = all.filter(|seen| seen.written_back.is_some());
                self.misses.written_back += back.count() as u64;
            }
        }
        let misses = &mut self.misses;
        let (first, last) = match stores {
            true => (&mut misses.write, &mut misses.second_write),
            false => (&mut misses.read, &mut misses.second_read),
        };
        *first += 1;
        *last += u64::from(lacks);
    }
}

/// `NAME:INSTRUCTION:DATA:SECOND`, each cache in the format of [`Cache`], or `-` if there is none.
impl FromStr for Hierarchy {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let words: Vec<&str> = text.split(':').collect();
        let [name, instruction, data, second] = words[..] else {
            return Err(format!(
                "`{text}` is no hierarchy; expected NAME:INSTRUCTION:DATA:SECOND"
            ));
        };
        let cache = |word: &str| {
            if word == "-" {
                Ok(None)
            } else {
                word.parse().map(Some)
            }
        };
        Ok(Self {
            name: name.to_owned(),
            instruction: cache(instruction)?,
            data: cache(data)?,
            second: cache(second)?,
            misses: Misses::default(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_line_goes() {
        // Two sets of two lines of 16 bytes: addresses 32 apart share a set.
        let mut cache = Cache::new(64, 2, 16, true).expect("a cache");
        let seen = [0, 32, 0, 64, 0, 32, 16, 20].map(|address| cache.access(address, false).hit);
        assert_eq!(seen, [false, false, true, false, true, false, false, true]);
    }

    #[test]
    fn a_store_that_misses_loads_its_line_or_goes_past() {
        let hits = |text: &str| {
            let mut cache: Cache = text.parse().expect("a cache");
            [(0, true), (4, false), (8, true)]
                .map(|(address, stores)| cache.access(address, stores).hit)
        };
        assert_eq!(hits("64/2/16"), [false, true, true]);
        assert_eq!(hits("64/2/16/around"), [false, false, true]);
    }

    #[test]
    fn what_the_first_cache_lacks_the_second_is_asked() {
        let mut caches: Hierarchy = "0:64/1/16:64/1/16:4096/1/32".parse().expect("caches");
        caches.fetch(8, 40);
        assert_eq!(
            (caches.misses.instruction, caches.misses.second_read),
            (3, 2)
        );
        caches.access(1 << 20, false);
        caches.access((1 << 20) + 64, true);
        caches.access(1 << 20, false);
        let Misses {
            read,
            write,
            second_read,
            second_write,
            ..
        } = caches.misses;
        assert_eq!((read, write, second_read, second_write), (2, 1, 3, 1));
    }

    #[test]
    fn a_line_that_was_written_goes_back_to_memory_when_it_is_replaced() {
        let back = |text: &str, accesses: &[(u64, bool)]| {
            let mut caches: Hierarchy = text.parse().expect("caches");
            for (address, stores) in accesses {
                caches.access(*address, *stores);
            }
            caches.misses.written_back
        };
        // Lines 64 bytes apart share a set.
        let two = [
            (0, true),
            (4, false),
            (64, false),
            (128, true),
            (192, true),
            (256, false),
        ];
        assert_eq!(back("0:-:64/1/16:-", &two), 3);
        assert_eq!(back("0:-:64/1/16/around:-", &two), 0, "written through");
        assert_eq!(
            back("0:-:64/1/16:4096/1/16", &two),
            0,
            "the second keeps them"
        );
        let far = [(0, true), (4096, false), (8192, false)];
        assert_eq!(back("0:-:64/1/16:4096/1/16", &far), 1);
    }

    #[test]
    fn without_a_cache_every_access_goes_to_memory() {
        let mut caches: Hierarchy = "0:-:-:-".parse().expect("caches");
        caches.fetch(0, 400);
        caches.access(0, false);
        caches.access(0, false);
        caches.access(0, true);
        let expected = Misses {
            read: 2,
            write: 1,
            ..Misses::default()
        };
        assert_eq!(caches.misses, expected);
    }

    #[test]
    fn impossible_caches_are_refused() {
        for text in ["", "64", "64/2/24", "96/2/16", "0/0/0", "64/2/16/x"] {
            assert!(text.parse::<Cache>().is_err(), "{text}");
        }
        assert!("0:-:-".parse::<Hierarchy>().is_err());
        assert!("0:-:7:-".parse::<Hierarchy>().is_err());
    }
}
