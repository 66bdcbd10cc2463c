//! The numbers of published figures in words: times take the unit that fits, shares are percentages, logarithms are
//! powers of ten.

use ikeru_records::units::{Quantity, and_unit};

const LOGARITHM: &str = "decimal logarithm";

/// The quantity of a published unit, the factor to it, and the words after a number.
fn quantity(unit: &str) -> (Quantity, f64, &str) {
    match unit {
        "ms" => (Quantity::Time, 1e6, ""),
        "s" => (Quantity::Time, 1e9, ""),
        "h" => (Quantity::Time, 3_600e9, ""),
        LOGARITHM => (Quantity::Plain, 1.0, ""),
        share if share.starts_with("of the") => (Quantity::Share, 1.0, share),
        other => (Quantity::Plain, 1.0, other),
    }
}

fn scaled(value: f64, unit: &str) -> f64 {
    match unit {
        LOGARITHM => 10_f64.powf(value),
        _ => value * quantity(unit).1,
    }
}

/// A number with its unit: `34 µs`, `1.69×`, `6.67 % of the games`.
pub fn word(value: f64, unit: &str) -> String {
    let (quantity, _, rest) = quantity(unit);
    and_unit(quantity.word(scaled(value, unit)), rest)
}

/// An end of a band, without trailing zeros and without the words after it.
pub fn limit(value: f64, unit: &str) -> String {
    quantity(unit).0.trimmed(scaled(value, unit))
}

/// Both ends of an interval, without the words after them.
pub fn range(low: f64, high: f64, unit: &str) -> String {
    quantity(unit)
        .0
        .range(scaled(low, unit), scaled(high, unit))
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
            let said = word(value, unit);
            assert_eq!(said.replace('\u{202f}', " "), expected);
        }
        let range = range(0.042, 62.0, "ms");
        assert_eq!(range.replace('\u{202f}', " "), "42 µs … 62 ms");
    }
}
