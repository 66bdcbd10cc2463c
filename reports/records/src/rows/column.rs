//! One column in memory: numbers, or a symbol per row with every word once.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::OnceLock;

use crate::{Kept, kept};

/// One column.
#[derive(Debug)]
pub(super) enum Column {
    /// NaN stands for an empty field; rows beyond the end are empty.
    Numbers(Vec<f64>, OnceLock<Words>),
    Words(Words),
}

/// A symbol per row, and what each symbol stands for. Symbol 0 is the empty field.
#[derive(Debug)]
pub(super) struct Words {
    pub(super) symbols: Vec<u32>,
    pub(super) words: Vec<Box<str>>,
    /// Each word as a number; NaN where it is none.
    pub(super) numbers: Vec<f64>,
    /// The order that was given to some words; empty if none was.
    pub(super) ranks: HashMap<u32, u32>,
    pub(super) known: HashMap<Box<str>, u32>,
}

impl Default for Words {
    fn default() -> Self {
        Self {
            symbols: Vec::new(),
            words: vec!["".into()],
            numbers: vec![f64::NAN],
            ranks: HashMap::new(),
            known: HashMap::from([("".into(), 0)]),
        }
    }
}

impl Words {
    pub(super) fn push(&mut self, row: usize, word: &str) {
        if word.is_empty() {
            return;
        }
        self.symbols.resize(row, 0);
        // Rows of one cell often follow each other: the last word again needs no hashing.
        let last = self.symbols.last().copied().unwrap_or(0);
        let symbol = if &*self.words[last as usize] == word {
            last
        } else if let Some(symbol) = self.known.get(word) {
            *symbol
        } else {
            let symbol = self.words.len() as u32;
            self.words.push(word.into());
            self.numbers.push(number(word).unwrap_or(f64::NAN));
            self.known.insert(word.into(), symbol);
            symbol
        };
        self.symbols.push(symbol);
    }

    /// Numbers ascending, then words in the order that was given, then others in their natural order.
    pub(super) fn compare(&self, a: usize, b: usize) -> Ordering {
        let number = |symbol: usize| Some(self.numbers[symbol]).filter(|value| value.is_finite());
        let [first, second] = [a, b].map(|at| number(at).unwrap_or(f64::INFINITY));
        let by_number = first.total_cmp(&second);
        by_number.then_with(|| self.compare_words(a, b))
    }

    /// Words in the order that was given, then others in their natural order: `b9` before `b10`.
    pub(super) fn compare_words(&self, a: usize, b: usize) -> Ordering {
        let ranks = self.rank(a).cmp(&self.rank(b));
        ranks.then_with(|| natural(&self.words[a], &self.words[b]))
    }

    pub(super) fn rank(&self, symbol: usize) -> u32 {
        let rank = self.ranks.get(&(symbol as u32));
        rank.copied().unwrap_or(u32::MAX)
    }

    pub(super) fn symbol(&self, row: u32) -> usize {
        self.symbols.get(row as usize).copied().unwrap_or(0) as usize
    }
}

/// Words by their letters, and by the numbers between them.
fn natural(a: &str, b: &str) -> Ordering {
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
    word.parse().ok().filter(|value: &f64| value.is_finite())
}

impl Column {
    pub(super) fn named(name: &str) -> Self {
        match kept(name) {
            Kept::Numbers => Self::Numbers(Vec::new(), OnceLock::new()),
            Kept::Words => Self::Words(Words::default()),
        }
    }

    pub(super) fn push(&mut self, row: usize, field: &str) -> Result<(), String> {
        match self {
            Self::Words(words) => words.push(row, field),
            Self::Numbers(..) if field.is_empty() => {}
            Self::Numbers(numbers, _) => {
                let value = number(field)
                    .ok_or_else(|| format!("`{field}` is no number; expected one or nothing"))?;
                numbers.resize(row, f64::NAN);
                numbers.push(value);
            }
        }
        Ok(())
    }

    pub(super) fn number(&self, row: u32) -> Option<f64> {
        let value = match self {
            Self::Numbers(numbers, _) => *numbers.get(row as usize)?,
            Self::Words(words) => words.numbers[words.symbol(row)],
        };
        value.is_finite().then_some(value)
    }

    /// The column as words; one of numbers is written out when first asked.
    pub(super) fn words(&self) -> &Words {
        match self {
            Self::Words(words) => words,
            Self::Numbers(numbers, written) => written.get_or_init(|| {
                let mut words = Words::default();
                for (row, value) in numbers.iter().enumerate() {
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
        let mut words = vec!["b10", "b9", "a", "b09x", "b9x", "b"];
        words.sort_by(|a, b| natural(a, b));
        assert_eq!(words, ["a", "b", "b9", "b09x", "b9x", "b10"]);
    }
}
