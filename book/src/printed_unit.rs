//! The unit of a published figure: how its numbers are written.

use ikeru_records::units::{Quantity, and_unit};

/// The unit of a figure. Times take the unit that fits, shares are percentages, logarithms are powers of ten.
pub struct PrintedUnit<'a> {
    quantity: Quantity,
    /// The value of 1 in the unit of the quantity.
    scale: f64,
    is_logarithm: bool,
    /// The words after the number.
    words: &'a str,
}

impl<'a> PrintedUnit<'a> {
    /// The unit that a source's file names.
    pub fn of(unit: &'a str) -> Self {
        let plain = Self {
            quantity: Quantity::Plain,
            scale: 1.0,
            is_logarithm: false,
            words: unit,
        };
        let time = |scale| Self {
            quantity: Quantity::Time,
            scale,
            words: "",
            ..plain
        };
        match unit {
            "ms" => time(1e6),
            "s" => time(1e9),
            "h" => time(3_600e9),
            "decimal logarithm" => Self {
                is_logarithm: true,
                words: "",
                ..plain
            },
            share if share.starts_with("of the") => Self {
                quantity: Quantity::Share,
                ..plain
            },
            _ => plain,
        }
    }

    fn scaled(&self, value: f64) -> f64 {
        match self.is_logarithm {
            true => 10_f64.powf(value),
            false => value * self.scale,
        }
    }

    /// A number with the unit: `34 µs`, `1.69×`, `6.67 % of the games`.
    pub fn word(&self, value: f64) -> String {
        and_unit(self.quantity.word(self.scaled(value)), self.words)
    }

    /// A number without the words after it.
    pub fn bare(&self, value: f64) -> String {
        self.quantity.word(self.scaled(value))
    }

    /// Both ends of an interval, without the words after them.
    pub fn range(&self, low: f64, high: f64) -> String {
        self.quantity.range(self.scaled(low), self.scaled(high))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_people_write_them() {
        let cases = [
            (0.0343, "ms", "34.3 µs"),
            (8.16e-6, "s", "8.16 µs"),
            (0.0667, "of the games", "6.67 % of the games"),
            (14.0, "decimal logarithm", "10¹⁴"),
            (1.69, "×", "1.69×"),
            (12.0, "chains", "12 chains"),
        ];
        for (value, unit, expected) in cases {
            let word = PrintedUnit::of(unit).word(value);
            assert_eq!(word.replace('\u{202f}', " "), expected);
        }
        let range = PrintedUnit::of("ms").range(0.042, 62.0);
        assert_eq!(range.replace('\u{202f}', " "), "42 µs … 62 ms");
    }
}
