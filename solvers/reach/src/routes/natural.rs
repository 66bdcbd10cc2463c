//! Exact natural numbers, with the operations that counting routes needs.

use std::fmt;
use std::str::FromStr;

use ikeru_core::{InputError, refuse};

/// A natural number of any size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Natural {
    /// The words, lowest first, without trailing zero words.
    words: Vec<u64>,
}

impl Natural {
    /// The number with the words `words`, lowest first.
    pub fn from_words(words: &[u64]) -> Self {
        let length = words
            .iter()
            .rposition(|&word| word != 0)
            .map_or(0, |last| last + 1);
        Self {
            words: words[..length].to_vec(),
        }
    }

    /// The words, lowest first, without trailing zero words.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// The number, if it fits 64 bits.
    pub fn to_u64(&self) -> Option<u64> {
        match self.words.as_slice() {
            [] => Some(0),
            [word] => Some(*word),
            _ => None,
        }
    }

    /// The decimal logarithm, to the precision of `f64`; `None` for 0.
    pub fn log10(&self) -> Option<f64> {
        let (last, rest) = self.words.split_last()?;
        let next = rest.last().copied().unwrap_or(0);
        let leading = *last as f64 + next as f64 / 2_f64.powi(64);
        Some(leading.log10() + rest.len() as f64 * 64.0 * 2_f64.log10())
    }
}

impl From<u64> for Natural {
    fn from(number: u64) -> Self {
        Self::from_words(&[number])
    }
}

impl FromStr for Natural {
    type Err = InputError;

    /// Reads decimal digits.
    fn from_str(text: &str) -> Result<Self, InputError> {
        if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
            refuse!("`{text}` is no natural number, expected decimal digits");
        }
        let mut words: Vec<u64> = Vec::new();
        for digit in text.bytes().map(|byte| byte - b'0') {
            let mut carry = u128::from(digit);
            for word in &mut words {
                let product = u128::from(*word) * 10 + carry;
                *word = product as u64;
                carry = product >> 64;
            }
            if carry > 0 {
                words.push(carry as u64);
            }
        }
        Ok(Self::from_words(&words))
    }
}

impl fmt::Display for Natural {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const CHUNK: u64 = 10_u64.pow(19);
        let mut words = self.words.clone();
        let mut chunks = Vec::new();
        while words.last().is_some() {
            let mut rest = 0;
            for word in words.iter_mut().rev() {
                let dividend = u128::from(rest) << 64 | u128::from(*word);
                *word = (dividend / u128::from(CHUNK)) as u64;
                rest = (dividend % u128::from(CHUNK)) as u64;
            }
            chunks.push(rest);
            while words.last() == Some(&0) {
                words.pop();
            }
        }
        write!(f, "{}", chunks.pop().unwrap_or(0))?;
        chunks
            .iter()
            .rev()
            .try_for_each(|chunk| write!(f, "{chunk:019}"))
    }
}

/// `sum += number`, modulo 2^(64·words).
pub fn add(sum: &mut [u64], number: &[u64]) {
    let mut carry = false;
    for (word, &other) in sum.iter_mut().zip(number) {
        let (first, one) = word.overflowing_add(other);
        let (second, two) = first.overflowing_add(u64::from(carry));
        (*word, carry) = (second, one || two);
    }
}

/// `difference -= factor · number`, modulo 2^(64·words).
pub fn subtract_multiple(difference: &mut [u64], factor: u64, number: &[u64]) {
    let mut borrow = 0;
    for (word, &other) in difference.iter_mut().zip(number) {
        let taken = u128::from(other) * u128::from(factor) + u128::from(borrow);
        let (rest, below) = word.overflowing_sub(taken as u64);
        *word = rest;
        borrow = (taken >> 64) as u64 + u64::from(below);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_in_full() {
        assert_eq!(Natural::from(0).to_string(), "0");
        assert_eq!(
            Natural::from_words(&[0, 1]).to_string(),
            "18446744073709551616"
        );
        let number = Natural::from_words(&[0, 0, 1]);
        assert_eq!(
            number.to_string(),
            "340282366920938463463374607431768211456"
        );
        assert!((number.log10().expect("not 0") - 128.0 * 2_f64.log10()).abs() < 1e-12);
        assert_eq!(Natural::from(0).log10(), None);
    }

    #[test]
    fn carries_and_borrows_pass_on() {
        let mut number = [u64::MAX, 0];
        add(&mut number, &[1, 0]);
        assert_eq!(number, [0, 1]);
        subtract_multiple(&mut number, 3, &[5, 0]);
        assert_eq!(number, [u64::MAX - 14, 0]);
    }
}
