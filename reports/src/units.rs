//! Numbers as a person reads them: three digits that count, a unit, thin spaces between thousands.

/// Between thousands and before a unit: it neither breaks nor stretches.
const THIN: char = '\u{202f}';

/// Nanoseconds in the unit that fits: `850 ns`, `1.25 µs`, `16.7 ms`, `3.60 s`, `1.50 h`.
#[must_use]
pub fn duration(ns: f64) -> String {
    let (scale, unit) = match ns.abs() {
        size if size < 1e3 => (1.0, "ns"),
        size if size < 1e6 => (1e3, "µs"),
        size if size < 1e9 => (1e6, "ms"),
        size if size < 120e9 => (1e9, "s"),
        size if size < 7_200e9 => (60e9, "min"),
        size if size < 172_800e9 => (3_600e9, "h"),
        size if size < 3.156e16 => (86_400e9, "days"),
        _ => (3.155_76e16, "years"),
    };
    format!("{}{THIN}{unit}", number(ns / scale))
}

/// An end of an interval in the form of its value; one that is not known is infinite.
#[must_use]
pub fn end(value: f64, form: impl Fn(f64) -> String) -> String {
    if value.is_finite() {
        form(value)
    } else if value > 0.0 {
        "∞".to_owned()
    } else {
        "−∞".to_owned()
    }
}

/// Bytes in binary units: `512 B`, `1.50 KiB`.
#[must_use]
pub fn bytes(count: f64) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let place = units
        .iter()
        .enumerate()
        .rposition(|(place, _)| count.abs() >= 1024f64.powi(place as i32))
        .unwrap_or(0);
    let scaled = count / 1024f64.powi(place as i32);
    format!("{}{THIN}{}", number(scaled), units[place])
}

/// Three significant digits, whole numbers up to a billion in full: `0.0123`, `1.69`, `41 500`, `1.20e12`.
#[must_use]
pub fn number(value: f64) -> String {
    let size = value.abs();
    if !value.is_finite() {
        return "–".to_owned();
    }
    if value == 0.0 {
        return "0".to_owned();
    }
    if !(1e-4..1e9).contains(&size) {
        return format!("{value:.2e}").replace('-', "−");
    }
    let text = if value.fract() == 0.0 {
        format!("{value:.0}")
    } else {
        let digits = 2 - size.log10().floor() as i32;
        format!("{value:.*}", digits.max(0) as usize)
    };
    grouped(&text)
}

/// A whole number with thin spaces between thousands, every digit kept.
#[must_use]
pub fn count(value: u64) -> String {
    grouped(&value.to_string())
}

/// A number of things: `1 sample`, `12 000 samples`.
#[must_use]
pub fn plural(value: usize, what: &str) -> String {
    let s = if value == 1 { "" } else { "s" };
    format!("{}{THIN}{what}{s}", count(value as u64))
}

/// A number with the unit that it was published in: `16 ms`, `1.69×`, `21 %`.
#[must_use]
pub fn with_unit(value: f64, unit: &str) -> String {
    and_unit(number(value), unit)
}

/// A number as it is written, with the unit that it was published in; empty without a number.
#[must_use]
pub fn and_unit(number: String, unit: &str) -> String {
    match unit {
        "" => number,
        _ if number.is_empty() => number,
        unit if unit.starts_with('×') => format!("{number}{unit}"),
        unit => format!("{number}{THIN}{unit}"),
    }
}

/// A ratio: `3 120×`, `1.69×`.
#[must_use]
pub fn ratio(value: f64) -> String {
    format!("{}×", number(value))
}

/// A value of a column of `records.csv`, in the unit that its name ends with.
#[must_use]
pub fn of_column(column: &str, value: f64) -> String {
    // Divided by a number it keeps its unit.
    let column = column.split('/').next().unwrap_or(column);
    if column.ends_with("_ns") {
        duration(value)
    } else if column.ends_with("_bytes") {
        bytes(value)
    } else {
        number(value)
    }
}

/// Thin spaces between the thousands of the whole part, from five digits on; a true minus sign.
fn grouped(text: &str) -> String {
    let (sign, text) = text
        .strip_prefix('-')
        .map_or(("", text), |rest| ("−", rest));
    let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
    let mut out = sign.to_owned();
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && whole.len() > 4 && (whole.len() - place) % 3 == 0 {
            out.push(THIN);
        }
        out.push(digit);
    }
    out + rest
}

/// What a number counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Quantity {
    /// Things, or whatever the label says.
    #[default]
    Plain,
    /// Nanoseconds.
    Time,
    /// Shares from 0 to 1.
    Share,
}

impl Quantity {
    /// What a column of `records.csv` counts, by the unit that its name ends with.
    #[must_use]
    pub fn of_column(column: &str) -> Self {
        // Divided by a number it keeps its unit.
        let column = column.split('/').next().unwrap_or(column);
        if column.ends_with("_ns") {
            Self::Time
        } else {
            Self::Plain
        }
    }
}

/// The word at a tick: as many digits as `step` needs, in the unit that fits `largest`.
pub(crate) fn tick_word(value: f64, step: f64, largest: f64, quantity: Quantity) -> String {
    match quantity {
        Quantity::Time => {
            let (factor, name) = time_unit(largest);
            let number = commas(value / factor, decimals(step / factor));
            format!("{number} {name}")
        }
        Quantity::Share => format!("{} %", commas(100.0 * value, decimals(100.0 * step))),
        Quantity::Plain if largest >= 1e6 => powered(value),
        Quantity::Plain => commas(value, decimals(step)),
    }
}

/// A value in a sentence or over a bar: three significant digits and its unit.
pub(crate) fn value_word(value: f64, quantity: Quantity) -> String {
    let (value, name) = match quantity {
        Quantity::Time => {
            let (factor, name) = time_unit(value);
            (value / factor, format!(" {name}"))
        }
        Quantity::Share => (100.0 * value, " %".to_owned()),
        Quantity::Plain => (value, String::new()),
    };
    if value.abs() >= 1e6 {
        return powered(value) + &name;
    }
    format!("{}{name}", significant(value, 3))
}

/// A number rounded to so many significant digits, thousands apart.
pub(crate) fn significant(value: f64, digits: i32) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{value}");
    }
    let exponent = value.abs().log10().floor() as i32;
    let places = digits - 1 - exponent;
    let unit = 10f64.powi(-places);
    let rounded = (value / unit).round() * unit;
    let text = commas(rounded, places.max(0) as usize);
    if text.contains('.') {
        return text.trim_end_matches('0').trim_end_matches('.').to_owned();
    }
    text
}

/// The unit of time whose numbers are from 1 to 1000, and its length in nanoseconds.
fn time_unit(nanoseconds: f64) -> (f64, &'static str) {
    // A rounding error below a power of ten is not the smaller unit.
    match nanoseconds.abs() * (1.0 + 1e-9) {
        time if time < 1e3 => (1.0, "ns"),
        time if time < 1e6 => (1e3, "µs"),
        time if time < 1e9 => (1e6, "ms"),
        _ => (1e9, "s"),
    }
}

/// How many decimals a multiple of `step` needs.
fn decimals(step: f64) -> usize {
    (0..9)
        .find(|&places| {
            let scaled = step * 10f64.powi(places);
            (scaled - scaled.round()).abs() < 1e-6 * scaled
        })
        .unwrap_or(9) as usize
}

/// Thousands apart by commas.
fn commas(value: f64, places: usize) -> String {
    let text = format!("{:.places$}", value.abs());
    let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
    let mut out = String::new();
    let is_negative = value < 0.0 && text.chars().any(|c| c.is_ascii_digit() && c != '0');
    if is_negative {
        out.push('−');
    }
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out + rest
}

/// `2·10⁶`, `10⁹`, `0`.
fn powered(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let exponent = (value.abs() * (1.0 + 1e-9)).log10().floor() as i32;
    let raised: String = exponent
        .to_string()
        .chars()
        .map(|digit| match digit {
            '-' => '⁻',
            '1' => '¹',
            '2' => '²',
            '3' => '³',
            other => char::from_u32('⁰' as u32 + (other as u32 - '0' as u32)).unwrap_or(other),
        })
        .collect();
    let factor = significant(value / 10f64.powi(exponent), 3);
    if factor == "1" {
        format!("10{raised}")
    } else {
        format!("{factor}·10{raised}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_has_the_unit_that_fits() {
        let cases = [
            (0.0, "0 ns"),
            (850.0, "850 ns"),
            (1_250.0, "1.25 µs"),
            (16.7e6, "16.7 ms"),
            (3.6e9, "3.60 s"),
            (5_400e9, "90 min"),
            (36_000e9, "10 h"),
        ];
        for (ns, text) in cases {
            assert_eq!(duration(ns).replace(THIN, " "), text);
        }
    }

    #[test]
    fn numbers_keep_three_digits_and_group_thousands() {
        let cases = [
            (0.012_345, "0.0123"),
            (1.694, "1.69"),
            (41_500.0, "41 500"),
            (41_500.4, "41 500"),
            (-12.34, "−12.3"),
            (1234.0, "1234"),
            (1.2e12, "1.20e12"),
            (f64::NAN, "–"),
        ];
        for (value, text) in cases {
            assert_eq!(number(value).replace(THIN, " "), text);
        }
        assert_eq!(count(1_000_000).replace(THIN, " "), "1 000 000");
        assert_eq!(bytes(1536.0).replace(THIN, " "), "1.50 KiB");
        assert_eq!(of_column("table_bytes", 12.0).replace(THIN, " "), "12 B");
    }

    #[test]
    fn numbers_are_rounded_to_significant_digits() {
        assert_eq!(significant(1876.0, 2), "1,900");
        assert_eq!(significant(1.649, 2), "1.6");
        assert_eq!(significant(2.0, 3), "2");
        assert_eq!(value_word(2.5e6, Quantity::Time), "2.5 ms");
        assert_eq!(value_word(1.234e7, Quantity::Plain), "1.23·10⁷");
    }
}
