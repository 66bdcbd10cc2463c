//! Formats numbers for titles, ticks and cells: commas between thousands, a true minus sign, powers of ten from ten
//! millions on, a narrow space before the unit.

use ikeru_statistics::Interval;

/// The space before a unit: narrow, fixed, and without a line break.
pub const THIN: char = '\u{202f}';

/// From this number on, a number has a power of ten instead of all digits.
const MANY: f64 = 1e7;

/// The digits of exponents.
const RAISED: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];

/// Units of time: length in nanoseconds, the smallest time in nanoseconds that is shown in it, and its name.
const TIMES: [(f64, f64, &str); 8] = [
    (1.0, 0.0, "ns"),
    (1e3, 1e3, "µs"),
    (1e6, 1e6, "ms"),
    (1e9, 1e9, "s"),
    (60e9, 120e9, "min"),
    (3_600e9, 7_200e9, "h"),
    (86_400e9, 172_800e9, "days"),
    (3.155_76e16, 3.156e16, "years"),
];
/// The number of units of time up to seconds, for ticks: a power of ten is no round number of minutes.
const DECADES: usize = 4;

/// The kind of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Quantity {
    /// A number without a unit.
    #[default]
    Plain,
    /// A count, with all digits.
    Count,
    /// A real number: three significant digits even if it is whole.
    Real,
    /// A number with n digits after the decimal point.
    Decimals(u8),
    /// Nanoseconds.
    Time,
    /// Bytes.
    Bytes,
    /// Shares from 0 to 1, shown in percent.
    Share,
    /// A ratio of two values, shown with `×`.
    Ratio,
}

impl Quantity {
    /// The quantity of a column of `records.csv`, by the unit at the end of its name.
    pub fn of_column(column: &str) -> Self {
        // The first column of a quotient determines the unit.
        match column.split('/').next().unwrap_or(column) {
            time if time.ends_with("_ns") => Self::Time,
            bytes if bytes.ends_with("_bytes") => Self::Bytes,
            _ => Self::Plain,
        }
    }

    /// The unit of the unscaled number; empty if it has none.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Time => "ns",
            Self::Bytes => "bytes",
            _ => "",
        }
    }

    /// The number with its unit, as in a cell: `850 ns`, `1.25 µs`, `16.7 ms`, `12.5 %`, `3.00×`, `1.50 KiB`.
    pub fn word(self, value: f64) -> String {
        let (number, unit) = self.parts(value);
        number + &unit
    }

    /// The number with its unit, without trailing zeros, as a declared limit: `at least 1`, `at most 1.1`.
    pub fn trimmed(self, value: f64) -> String {
        let (number, unit) = self.parts(value);
        without_zeros(number) + &unit
    }

    /// Both ends of an interval, with a common unit once: `1.02 … 1.37 ms`. An unknown end is infinite.
    pub fn range(self, low: f64, high: f64) -> String {
        let end = |value: f64| match self {
            // The ratio between the ends has three digits too.
            Self::Ratio if value.is_finite() && value >= 1e3 => (rounded(value, 3), "×".to_owned()),
            _ => self.parts(value),
        };
        let [(low, unit), (high, same)] = [low, high].map(end);
        let unit = if unit == same { "" } else { &unit };
        format!("{low}{unit} … {high}{same}")
    }

    fn parts(self, value: f64) -> (String, String) {
        if value.is_infinite() {
            let sign = if value > 0.0 { "∞" } else { "−∞" };
            return (sign.to_owned(), String::new());
        }
        match self {
            Self::Plain => (number(value), String::new()),
            Self::Count => (grouped(value, 0), String::new()),
            Self::Real => (digits(value), String::new()),
            Self::Decimals(places) => (grouped(value, usize::from(places)), String::new()),
            Self::Ratio => (digits(value), "×".to_owned()),
            Self::Time | Self::Bytes | Self::Share => {
                let (scale, unit) = self.scale(value.abs(), TIMES.len());
                let scaled = number((value / scale * 1e9).round() / 1e9);
                (scaled, format!("{THIN}{unit}"))
            }
        }
    }

    /// The number with its unit, as in a sentence or over a bar: three significant digits. A time is written as in a
    /// cell; other numbers with a unit, and whole ones, have no trailing zeros.
    pub fn spoken(self, value: f64) -> String {
        match self {
            Self::Time => return self.word(value),
            Self::Decimals(_) => return self.trimmed(value),
            _ => {}
        }
        let (scale, unit) = self.scale(value.abs(), TIMES.len());
        let number = match self {
            Self::Plain if value.fract() != 0.0 && value.abs() < 100.0 => digits(value),
            _ => rounded(value / scale, 3),
        };
        match (self, unit) {
            (Self::Ratio, _) => format!("{number}×"),
            (_, "") => number,
            _ => format!("{number}{THIN}{unit}"),
        }
    }

    /// The number as in a sentence. With an interval it has all digits before the decimal point, as the ends have.
    pub fn spoken_beside(self, value: f64, interval: Option<Interval>) -> String {
        match interval {
            Some(_) if value.abs() >= 1e3 && self != Self::Share => self.word(value),
            _ => self.spoken(value),
        }
    }

    /// The label of a tick of a linear axis: the number of decimals of `step`, the unit of `largest`, and, if
    /// `largest` is at least ten millions, a multiple of its power of ten: `0.5·10⁶`.
    pub fn tick(self, value: f64, step: f64, largest: f64) -> String {
        let (scale, unit) = self.scale(largest, DECADES);
        let (value, step, largest) = (value / scale, step / scale, largest / scale);
        let number = if value == 0.0 {
            "0".to_owned()
        } else if largest >= MANY {
            let power = 10f64.powi(exponent(largest));
            let factor = grouped(value / power, decimals(step / power));
            format!("{factor}·{}", powered(power, 1))
        } else {
            grouped(value, decimals(step))
        };
        match unit {
            "" if self == Self::Ratio => format!("{number}×"),
            "" => number,
            unit => format!("{number}{THIN}{unit}"),
        }
    }

    /// The label of a tick of a logarithmic axis that reaches to `largest`. Unitless values from a thousand on are
    /// powers of ten if `largest` is at least a million.
    pub fn decade(self, value: f64, largest: f64) -> String {
        match self.scale(value, DECADES) {
            (_, "") if largest >= 1e6 && value >= 1e3 => powered(value, 3),
            _ => self.tick(value, value, value),
        }
    }

    /// The unit for numbers of this size and its value; a unit of time is one of the first `times`.
    fn scale(self, size: f64, times: usize) -> (f64, &'static str) {
        // A rounding error just below a power of ten must not select the smaller unit.
        let size = size * (1.0 + 1e-9);
        match self {
            Self::Plain | Self::Count | Self::Real | Self::Decimals(_) | Self::Ratio => (1.0, ""),
            Self::Share => (0.01, "%"),
            Self::Time => {
                let known = TIMES[..times].iter().rev();
                let known = known.clone().find(|time| size >= time.1);
                let (scale, _, unit) = *known.unwrap_or(&TIMES[0]);
                (scale, unit)
            }
            Self::Bytes => {
                let units = ["B", "KiB", "MiB", "GiB"].into_iter().enumerate();
                let units = units.map(|(power, name)| (1024f64.powi(power as i32), name));
                units
                    .rev()
                    .find(|(scale, _)| size >= *scale)
                    .unwrap_or((1.0, "B"))
            }
        }
    }
}

/// A time in nanoseconds, in the fitting unit.
pub fn duration(ns: f64) -> String {
    Quantity::Time.word(ns)
}

/// An estimated time in nanoseconds, with two significant digits: `19 s`, `2.4 min`, `35 min`.
pub fn about(ns: f64) -> String {
    let unit = Quantity::Time.scale(ns, TIMES.len()).0;
    let digit = unit * 10f64.powi(exponent(ns / unit) - 1);
    Quantity::Time.trimmed((ns / digit).round() * digit)
}

/// Whole numbers below a billion with all digits, others with three significant digits: `0.0123`, `1.69`, `41,500`,
/// `1.2·10¹²`.
pub fn number(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e9 {
        grouped(value, 0)
    } else {
        digits(value)
    }
}

/// Three significant digits; below ten millions all digits before the decimal point.
fn digits(value: f64) -> String {
    if !value.is_finite() {
        "–".to_owned()
    } else if value != 0.0 && !(1e-3..MANY).contains(&value.abs()) {
        powered(value, 3)
    } else {
        grouped(value, (2 - exponent(value)).max(0) as usize)
    }
}

/// Rounds to `digits` significant digits, without trailing zeros.
pub fn rounded(value: f64, digits: i32) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    if value != 0.0 && !(1e-3..MANY).contains(&value.abs()) {
        return powered(value, digits);
    }
    let places = digits - 1 - exponent(value);
    let unit = 10f64.powi(-places);
    let text = grouped((value / unit).round() * unit, places.max(0) as usize);
    without_zeros(text)
}

/// The number without the zeros at the end of its decimals.
fn without_zeros(text: String) -> String {
    if text.contains('.') && !text.contains('·') {
        return text.trim_end_matches('0').trim_end_matches('.').to_owned();
    }
    text
}

/// The first `most` of some texts, and the number of further ones: `A, B`, or `A, B, and 7 more`.
pub fn few<T: AsRef<str>>(all: &[T], most: usize, between: &str) -> String {
    let named: Vec<&str> = all.iter().take(most).map(AsRef::as_ref).collect();
    let more = match all.len() - named.len() {
        0 => String::new(),
        more => format!("{between}and {more} more"),
    };
    named.join(between) + &more
}

/// A whole number with all digits.
pub fn count(value: usize) -> String {
    commas(&value.to_string())
}

/// A count with its noun: `1 sample`, `12,000 samples`.
pub fn plural(value: usize, what: &str) -> String {
    let s = if value == 1 { "" } else { "s" };
    format!("{}{THIN}{what}{s}", count(value))
}

/// The words of each text that not all parts have, and the words that all have. Texts that are no part stay as they are.
pub fn differing_words(texts: &[&str], is_part: impl Fn(&&str) -> bool) -> (Vec<String>, String) {
    let parts: Vec<&str> = texts.iter().copied().filter(&is_part).collect();
    let has = |text: &&str, word: &str| text.split(' ').any(|own| own == word);
    let is_one = parts.iter().all(|text| *text == parts[0]);
    let words = parts
        .iter()
        .take(1)
        .filter(|_| !is_one)
        .flat_map(|text| text.split(' '));
    let common = words.filter(|word| parts.iter().all(|text| has(text, word)));
    let common: Vec<&str> = common.collect();
    let own = |text: &&str| match is_part(text) {
        true => text
            .split(' ')
            .filter(|word| !common.contains(word))
            .collect::<Vec<_>>()
            .join(" "),
        false => (*text).to_owned(),
    };
    (texts.iter().map(own).collect(), common.join(" "))
}

/// A formatted number with its published unit; empty if the number is empty.
pub fn and_unit(number: String, unit: &str) -> String {
    match unit {
        "" => number,
        _ if number.is_empty() => number,
        unit if unit.starts_with('×') => format!("{number}{unit}"),
        unit => format!("{number}{THIN}{unit}"),
    }
}

/// The exponent of the first digit.
fn exponent(value: f64) -> i32 {
    if value == 0.0 {
        return 0;
    }
    (value.abs() * (1.0 + 1e-9)).log10().floor() as i32
}

/// The number of decimals of the multiples of `step`.
fn decimals(step: f64) -> usize {
    let fits = |places: &usize| {
        let scaled = step * 10f64.powi(*places as i32);
        (scaled - scaled.round()).abs() < 1e-6 * scaled
    };
    (0..9).find(fits).unwrap_or(9)
}

/// A number with `places` decimals and commas between thousands.
fn grouped(value: f64, places: usize) -> String {
    let text = commas(&format!("{:.places$}", value.abs()));
    let is_negative = value < 0.0 && text.contains(|digit| matches!(digit, '1'..='9'));
    if is_negative {
        format!("−{text}")
    } else {
        text
    }
}

/// Inserts commas between the thousands of the integer part.
fn commas(text: &str) -> String {
    let whole = text.find('.').unwrap_or(text.len());
    let mut out = String::new();
    for (place, digit) in text.char_indices() {
        if place > 0 && place < whole && (whole - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A number other than 0 in scientific notation: `2·10⁶`, `10⁹`.
fn powered(value: f64, digits: i32) -> String {
    let sign = if value < 0.0 { "−" } else { "" };
    let exponent = exponent(value);
    let minus = if exponent < 0 { "⁻" } else { "" };
    let digits_of = exponent.abs().to_string();
    let raised = digits_of.chars().filter_map(|digit| digit.to_digit(10));
    let raised: String = raised.map(|digit| RAISED[digit as usize]).collect();
    match rounded(value.abs() / 10f64.powi(exponent), digits).as_str() {
        "1" => format!("{sign}10{minus}{raised}"),
        factor => format!("{sign}{factor}·10{minus}{raised}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text with ordinary spaces.
    fn plain(text: &str) -> String {
        text.replace(THIN, " ")
    }

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
            assert_eq!(plain(&duration(ns)), text);
        }
        let estimates = [
            (0.0, "0 ns"),
            (1e9, "1 s"),
            (19.4e9, "19 s"),
            (116e9, "2 min"),
            (145.2e9, "2.4 min"),
            (2_076e9, "35 min"),
        ];
        for (ns, text) in estimates {
            assert_eq!(plain(&about(ns)), text);
        }
    }

    #[test]
    fn numbers_keep_three_digits_and_group_thousands() {
        let cases = [
            (0.012_345, "0.0123"),
            (1.694, "1.69"),
            (41_500.0, "41,500"),
            (41_500.4, "41,500"),
            (-12.34, "−12.3"),
            (-0.000_000_1, "−10⁻⁷"),
            (1234.0, "1,234"),
            (1.2e12, "1.2·10¹²"),
            (f64::NAN, "–"),
        ];
        for (value, text) in cases {
            assert_eq!(number(value), text);
        }
        assert_eq!(count(1_000_000), "1,000,000");
        assert_eq!(plain(&Quantity::Bytes.word(1536.0)), "1.50 KiB");
        assert_eq!(
            plain(&Quantity::of_column("table_bytes").word(12.0)),
            "12 B"
        );
        assert_eq!(plain(&Quantity::Share.word(0.29)), "29 %");
        assert_eq!(plain(&Quantity::Share.word(0.123_45)), "12.3 %");
        assert_eq!(plain(&Quantity::Share.trimmed(0.5)), "50 %");
        assert_eq!(Quantity::Plain.trimmed(12.999_999_99), "13");
        assert_eq!(Quantity::Plain.trimmed(1.1), "1.1");
        assert_eq!(number(1_234_567.5), "1,234,568");
    }

    #[test]
    fn ticks_have_the_decimals_of_their_step_and_the_power_of_their_axis() {
        let tick = |value, step, largest| plain(&Quantity::Plain.tick(value, step, largest));
        assert_eq!(tick(0.0, 0.5, 2.0), "0");
        assert_eq!(tick(1.0, 0.5, 2.0), "1.0");
        assert_eq!(tick(0.0002, 0.0001, 0.001), "0.0002");
        assert_eq!(tick(5e6, 5e6, 2e7), "0.5·10⁷");
        assert_eq!(plain(&Quantity::Time.tick(2.5e6, 5e5, 3e6)), "2.5 ms");
        let decade = |value, largest| Quantity::Plain.decade(value, largest);
        assert_eq!(decade(1e4, 1e6), "10⁴");
        assert_eq!(decade(1e2, 1e6), "100");
        assert_eq!(decade(1e4, 1e5), "10,000");
    }

    #[test]
    fn words_stand_beside_numbers() {
        assert_eq!(few(&["a", "b", "c"], 2, ", "), "a, b, and 1 more");
        assert_eq!(few(&["a", "b"], 2, ", "), "a, b");
        assert_eq!(
            [1, 2, 1000].map(|value| plain(&plural(value, "sample"))),
            ["1 sample", "2 samples", "1,000 samples"]
        );
        let with = |number: &str, unit| plain(&and_unit(number.to_owned(), unit));
        assert_eq!(
            [with("3", ""), with("", "s"), with("3", "×"), with("3", "s")],
            ["3", "", "3×", "3 s"]
        );
        assert_eq!(Quantity::Decimals(0).word(-0.2), "0", "no negative zero");
        assert_eq!(Quantity::Count.word(12_345_678.0), "12,345,678");
        assert_eq!(Quantity::Real.word(3.0), "3.00");
        assert_eq!(
            [Quantity::Plain.spoken(3.0), Quantity::Plain.spoken(1.5)],
            ["3", "1.50"]
        );
        assert_eq!(plain(&Quantity::Share.spoken(0.5)), "50 %");
        assert_eq!(
            plain(&Quantity::Bytes.word(1024.0 * 1024.0 * 1024.0)),
            "1 GiB"
        );
        assert_eq!([rounded(f64::NAN, 2), rounded(0.0, 2)], ["–", "0"]);
        let units = ["wall_ns", "table_bytes", "score", "wall_ns/counter_nodes"];
        assert_eq!(
            units.map(|name| Quantity::of_column(name).unit()),
            ["ns", "bytes", "", "ns"]
        );
    }

    #[test]
    fn sentences_ticks_and_cells_write_a_number_alike() {
        assert_eq!(Quantity::Ratio.word(12_000.0), "12,000×");
        assert_eq!(rounded(12_000.0, 2), "12,000");
        assert_eq!(Quantity::Plain.tick(12_000.0, 1000.0, 12_000.0), "12,000");
        assert_eq!(count(12_000), "12,000");
        assert_eq!(rounded(1876.0, 2), "1,900");
        assert_eq!(rounded(1.649, 2), "1.6");
        assert_eq!(rounded(2.0, 3), "2");
        assert_eq!(plain(&Quantity::Time.spoken(2.5e6)), "2.50 ms");
        assert_eq!(Quantity::Plain.spoken(1.234e7), "1.23·10⁷");
        assert_eq!(number(1.234e7 + 0.5), "1.23·10⁷");
    }

    #[test]
    fn a_value_beside_its_interval_has_the_digits_of_its_ends() {
        let ends = |low, high| Some(Interval { low, high });
        let beside = |quantity: Quantity, value, interval| quantity.spoken_beside(value, interval);
        assert_eq!(
            beside(Quantity::Plain, 1_006.9, ends(1_004.6, 1_009.2)),
            "1,007"
        );
        assert_eq!(beside(Quantity::Ratio, 1_234.0, ends(1e3, 2e3)), "1,234×");
        assert_eq!(beside(Quantity::Plain, 1_006.9, None), "1,010");
        assert_eq!(beside(Quantity::Ratio, 3.0, ends(2.0, 4.0)), "3×");
    }

    #[test]
    fn the_ends_of_an_interval_share_their_unit() {
        let range = |quantity: Quantity, low, high| plain(&quantity.range(low, high));
        assert_eq!(range(Quantity::Time, 1.2e6, 1.3e6), "1.20 … 1.30 ms");
        assert_eq!(range(Quantity::Time, 900.0, 1_300.0), "900 ns … 1.30 µs");
        assert_eq!(range(Quantity::Ratio, 1.0, f64::INFINITY), "1.00× … ∞");
        assert_eq!(range(Quantity::Ratio, f64::NEG_INFINITY, 1.0), "−∞ … 1.00×");
    }
}
