//! One column in memory: numbers, or a symbol per row with each word once.

use std::cmp::Ordering;
use std::sync::OnceLock;

use indexmap::IndexSet;

use super::packed::Packed;
use crate::hash::FastState;
use crate::{Storage, storage};

/// One column.
#[derive(Debug)]
pub(super) enum StoredColumn {
    /// Numbers, and the cached result of [`StoredColumn::words`].
    Numbers(Packed, OnceLock<WordColumn>),
    Words(WordColumn),
}

/// A symbol per row, and the word of each symbol. Symbol 0 is the empty field.
#[derive(Debug)]
pub(super) struct WordColumn {
    symbols: Packed,
    words: IndexSet<Box<str>, FastState>,
    /// Each word as a number; NaN for words that are no numbers, and implicitly for all words after the end.
    numbers: Vec<f64>,
    /// The rank of each word in the order that was set; `u32::MAX`, or missing, for words that it does not name.
    ranks: Vec<u32>,
    /// The position of each word in the order of [`WordColumn::compare`], computed at the first use.
    places: OnceLock<Vec<u32>>,
    /// A cache of [`Rows::is_of_cells`](super::Rows::is_of_cells).
    pub(super) is_of_cells: OnceLock<bool>,
    last: usize,
}

impl Default for WordColumn {
    fn default() -> Self {
        Self {
            symbols: Packed::default(),
            words: IndexSet::from_iter([Box::default()]),
            numbers: Vec::new(),
            ranks: Vec::new(),
            places: OnceLock::new(),
            is_of_cells: OnceLock::new(),
            last: 0,
        }
    }
}

impl WordColumn {
    pub(super) fn push(&mut self, row: usize, word: &str) {
        if word.is_empty() {
            return;
        }
        // Rows of one cell often follow each other: a repeated word needs no hashing.
        if self.word(self.last) != word {
            self.last = self.symbol_of(word).unwrap_or_else(|| {
                let (symbol, _) = self.words.insert_full(word.into());
                if let Some(number) = number(word) {
                    self.numbers.resize(symbol, f64::NAN);
                    self.numbers.push(number);
                }
                symbol
            });
        }
        self.symbols.push(row, self.last as f64);
    }

    /// The symbol of a word; `None` if no row has it.
    pub(super) fn symbol_of(&self, word: &str) -> Option<usize> {
        self.words.get_index_of(word)
    }

    /// The number of symbols.
    pub(super) fn len(&self) -> usize {
        self.words.len()
    }

    pub(super) fn word(&self, symbol: usize) -> &str {
        &self.words[symbol]
    }

    /// The word as a number; NaN if it is none.
    pub(super) fn number(&self, symbol: usize) -> f64 {
        *self.numbers.get(symbol).unwrap_or(&f64::NAN)
    }

    #[inline]
    pub(super) fn symbol(&self, row: u32) -> usize {
        self.symbols.symbol(row as usize)
    }

    /// Sets the order of the words, those of earlier calls first; words that no row has are ignored.
    pub(super) fn set_order<'a>(&mut self, words: impl IntoIterator<Item = &'a str>) {
        self.ranks.resize(self.len(), u32::MAX);
        self.places = OnceLock::new();
        let mut next = self.ranks.iter().filter(|rank| **rank != u32::MAX).count() as u32;
        for word in words {
            let Some(symbol) = self.symbol_of(word) else {
                continue;
            };
            let rank = &mut self.ranks[symbol];
            if *rank == u32::MAX {
                *rank = next;
                next += 1;
            }
        }
    }

    /// Compares symbols: numbers ascending, then words in the order that was set, then others in natural order.
    pub(super) fn compare(&self, a: usize, b: usize) -> Ordering {
        let places = self.places.get_or_init(|| {
            let number =
                |symbol: usize| Some(self.number(symbol)).filter(|value| value.is_finite());
            let mut symbols: Vec<usize> = (0..self.len()).collect();
            symbols.sort_by(|a, b| {
                let [first, second] = [a, b].map(|at| number(*at).unwrap_or(f64::INFINITY));
                let by_number = first.total_cmp(&second);
                by_number.then_with(|| self.compare_words(*a, *b))
            });
            let mut places = vec![0; symbols.len()];
            for (place, symbol) in symbols.into_iter().enumerate() {
                places[symbol] = place as u32;
            }
            places
        });
        places[a].cmp(&places[b])
    }

    /// The symbols sorted by number if all are numbers, otherwise in the order of [`WordColumn::compare_words`].
    pub(super) fn sorted(&self, mut symbols: Vec<usize>) -> Vec<usize> {
        let value = |symbol: usize| self.number(symbol);
        if symbols.iter().all(|symbol| value(*symbol).is_finite()) {
            symbols.sort_by(|a, b| value(*a).total_cmp(&value(*b)));
        } else {
            symbols.sort_by(|a, b| self.compare_words(*a, *b));
        }
        symbols
    }

    /// Compares symbols: words in the order that was set, then others in natural order (`b9` before `b10`).
    pub(super) fn compare_words(&self, a: usize, b: usize) -> Ordering {
        let rank = |symbol: usize| self.ranks.get(symbol).copied().unwrap_or(u32::MAX);
        let ranks = rank(a).cmp(&rank(b));
        ranks.then_with(|| natural(self.word(a), self.word(b)))
    }
}

/// Compares words by their letters, and the numbers in them by value.
pub fn natural(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (a, b);
    loop {
        let (Some(first), Some(second)) = (left.chars().next(), right.chars().next()) else {
            return left.len().cmp(&right.len()).then_with(|| a.cmp(b));
        };
        let order = if first.is_ascii_digit() && second.is_ascii_digit() {
            let digits = |text: &str| {
                text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len()
            };
            let ((one, rest), (two, others)) =
                (left.split_at(digits(left)), right.split_at(digits(right)));
            (left, right) = (rest, others);
            let significant = |number: &str| number.trim_start_matches('0').len();
            let by_length = significant(one).cmp(&significant(two));
            by_length.then_with(|| one.trim_start_matches('0').cmp(two.trim_start_matches('0')))
        } else {
            (left, right) = (&left[first.len_utf8()..], &right[second.len_utf8()..]);
            first.cmp(&second)
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

fn number(word: &str) -> Option<f64> {
    // PERF: most fields are whole numbers.
    if word.len() < 16 && !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit()) {
        let digits = word.bytes().map(|byte| u64::from(byte - b'0'));
        return Some(digits.fold(0, |value, digit| 10 * value + digit) as f64);
    }
    word.parse().ok().filter(|value: &f64| value.is_finite())
}

impl StoredColumn {
    pub(super) fn named(name: &str) -> Self {
        match storage(name) {
            Storage::Numbers => Self::of_numbers(Packed::default()),
            Storage::Words => Self::Words(WordColumn::default()),
        }
    }

    pub(super) fn of_numbers(numbers: Packed) -> Self {
        Self::Numbers(numbers, OnceLock::new())
    }

    pub(super) fn push(&mut self, row: usize, field: &str) -> Result<(), String> {
        match self {
            Self::Words(words) => words.push(row, field),
            Self::Numbers(..) if field.is_empty() => {}
            Self::Numbers(numbers, _) => {
                let value = number(field)
                    .ok_or_else(|| format!("`{field}` is no number; expected one or nothing"))?;
                numbers.push(row, value);
            }
        }
        Ok(())
    }

    /// Returns whether no row has a value.
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Numbers(numbers, _) => numbers.len() == 0,
            Self::Words(words) => words.len() == 1,
        }
    }

    /// Brings the rows into this order.
    pub(super) fn sort(&mut self, order: &[u32]) {
        if self.is_empty() {
            return;
        }
        let packed = match self {
            Self::Numbers(numbers, _) => numbers,
            Self::Words(words) => &mut words.symbols,
        };
        *packed = order.iter().map(|row| packed.get(*row as usize)).collect();
    }

    pub(super) fn number(&self, row: u32) -> Option<f64> {
        let value = match self {
            Self::Numbers(numbers, _) => numbers.get(row as usize),
            Self::Words(words) => words.number(words.symbol(row)),
        };
        value.is_finite().then_some(value)
    }

    /// The column as words; a column of numbers is converted at the first call.
    pub(super) fn words(&self) -> &WordColumn {
        match self {
            Self::Words(words) => words,
            Self::Numbers(numbers, written) => written.get_or_init(|| {
                let mut words = WordColumn::default();
                for row in 0..numbers.len() {
                    let value = numbers.get(row);
                    if value.is_finite() {
                        words.push(row, &value.to_string());
                    }
                }
                words
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_within_words_count_as_numbers() {
        let mut words = vec!["bx", "b10", "b9", "a", "b09x", "b9x", "b"];
        words.sort_by(|a, b| natural(a, b));
        assert_eq!(words, ["a", "b", "b9", "b09x", "b9x", "b10", "bx"]);
        assert_eq!(number(&format!("1{}", "0".repeat(30))), Some(1e30));
        assert_eq!(["inf", "NaN", "", "x"].map(number), [None; 4]);
    }
}
