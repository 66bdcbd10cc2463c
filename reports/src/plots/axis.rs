//! Ranges of axes, their ticks, and the words at the ticks.

use ikeru_bench_data::Scale;

use super::chart::Unit;

/// Where an axis begins and ends, in its own numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Range {
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) scale: Scale,
    /// Whether all its values are whole numbers: no tick stands between two of them.
    pub(super) whole: bool,
}

/// Where the axis is divided.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Ticks {
    pub(super) major: Vec<(f64, String)>,
    pub(super) minor: Vec<f64>,
}

impl Range {
    /// The range that holds `values` with a little room; from zero if `from_zero` and equal steps.
    /// An axis of equal ratios holds the positive ones.
    pub(super) fn around(values: impl Iterator<Item = f64>, scale: Scale, from_zero: bool) -> Self {
        let log = scale == Scale::Log;
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.filter(|value| value.is_finite() && (!log || *value > 0.0)) {
            (low, high) = (low.min(value), high.max(value));
        }
        if low > high {
            (low, high) = (1.0, 10.0);
        }
        if log {
            if high / low < 2.0 {
                (low, high) = (low / 1.5, high * 1.5);
            }
            let room = (high / low).powf(0.04);
            return Self {
                low: low / room,
                high: high * room,
                scale,
                whole: false,
            };
        }
        if from_zero && low >= 0.0 {
            low = 0.0;
        }
        if high - low <= f64::EPSILON * high.abs() {
            (low, high) = (low - 0.5, high + 0.5);
        }
        let room = 0.04 * (high - low);
        let low = if from_zero && low == 0.0 {
            0.0
        } else {
            low - room
        };
        Self {
            low,
            high: high + room,
            scale,
            whole: false,
        }
    }

    /// The same for values of which this says whether all are whole numbers.
    pub(super) fn of_whole(self, whole: bool) -> Self {
        Self { whole, ..self }
    }

    /// How far along the axis a value lies: 0 at its begin, 1 at its end. What lies outside is
    /// drawn at the border.
    pub(super) fn share(&self, value: f64) -> f64 {
        let share = match self.scale {
            Scale::Linear => (value - self.low) / (self.high - self.low),
            Scale::Log if value <= 0.0 => 0.0,
            Scale::Log => (value / self.low).ln() / (self.high / self.low).ln(),
        };
        share.clamp(0.0, 1.0)
    }

    /// At most about `most` labelled ticks, with minor ones between equal ratios.
    pub(super) fn ticks(&self, unit: Unit, most: usize) -> Ticks {
        match self.scale {
            Scale::Linear => self.linear_ticks(unit, most),
            Scale::Log => self.log_ticks(unit, most),
        }
    }

    fn linear_ticks(&self, unit: Unit, most: usize) -> Ticks {
        let mut rough = (self.high - self.low) / most.max(1) as f64;
        if self.whole && unit == Unit::Plain {
            rough = rough.max(1.0);
        }
        let power = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 2.5, 5.0, 10.0]
            .into_iter()
            .map(|factor| factor * power)
            .find(|step| *step >= rough && (!self.whole || *step != 2.5))
            .unwrap_or(10.0 * power);
        let first = (self.low / step).ceil() as i64;
        let last = (self.high / step).floor() as i64;
        let at = |index: i64| index as f64 * step;
        let largest = self.low.abs().max(self.high.abs());
        Ticks {
            major: (first..=last)
                .map(|index| (at(index), tick_word(at(index), step, largest, unit)))
                .collect(),
            minor: Vec::new(),
        }
    }

    fn log_ticks(&self, unit: Unit, most: usize) -> Ticks {
        let inside = |value: &f64| *value >= self.low * 0.999 && *value <= self.high * 1.001;
        let exponents = self.low.log10().floor() as i32..=self.high.log10().ceil() as i32;
        let of = |factors: &'static [f64]| {
            exponents
                .clone()
                .flat_map(move |exponent| {
                    factors
                        .iter()
                        .map(move |factor| factor * 10f64.powi(exponent))
                })
                .filter(inside)
                .collect::<Vec<f64>>()
        };
        let candidates: [&'static [f64]; 3] = [
            &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0],
            &[1.0, 2.0, 5.0],
            &[1.0],
        ];
        let mut major = candidates
            .into_iter()
            .map(of)
            .find(|ticks| ticks.len() <= most)
            .unwrap_or_else(|| of(&[1.0]));
        let mut minor = of(&[2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]);
        if major.len() > most {
            minor = major.clone();
            let every = major.len().div_ceil(most.max(1)) as i32;
            major.retain(|value| value.log10().round() as i32 % every == 0);
        }
        minor.retain(|value| !major.contains(value));
        Ticks {
            major: major
                .into_iter()
                .map(|value| (value, tick_word(value, value, value, unit)))
                .collect(),
            minor,
        }
    }
}

/// The word at a tick: as many digits as `step` needs, in the unit that fits `largest`.
fn tick_word(value: f64, step: f64, largest: f64, unit: Unit) -> String {
    match unit {
        Unit::Nanoseconds => {
            let (factor, name) = time_unit(largest);
            let number = grouped(value / factor, decimals(step / factor));
            format!("{number} {name}")
        }
        Unit::Share => format!("{} %", grouped(100.0 * value, decimals(100.0 * step))),
        Unit::Plain if largest >= 1e6 => powered(value),
        Unit::Plain => grouped(value, decimals(step)),
    }
}

/// A value in a sentence or over a bar: three significant digits and its unit.
pub(super) fn value_word(value: f64, unit: Unit) -> String {
    let (value, name) = match unit {
        Unit::Nanoseconds => {
            let (factor, name) = time_unit(value);
            (value / factor, format!(" {name}"))
        }
        Unit::Share => (100.0 * value, " %".to_owned()),
        Unit::Plain => (value, String::new()),
    };
    if value.abs() >= 1e6 {
        return powered(value) + &name;
    }
    format!("{}{name}", significant(value, 3))
}

/// A number rounded to so many significant digits, thousands apart.
pub(super) fn significant(value: f64, digits: i32) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{value}");
    }
    let exponent = value.abs().log10().floor() as i32;
    let places = digits - 1 - exponent;
    let unit = 10f64.powi(-places);
    let rounded = (value / unit).round() * unit;
    let text = grouped(rounded, places.max(0) as usize);
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
fn grouped(value: f64, places: usize) -> String {
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

    fn words(values: &[f64], scale: Scale, unit: Unit) -> Vec<String> {
        let whole = values.iter().all(|value| value.fract() == 0.0);
        let range = Range::around(values.iter().copied(), scale, false).of_whole(whole);
        let ticks = range.ticks(unit, 6);
        ticks.major.into_iter().map(|(_, word)| word).collect()
    }

    #[test]
    fn times_carry_the_unit_of_their_magnitude() {
        assert_eq!(
            words(&[100.0, 2e6], Scale::Log, Unit::Nanoseconds),
            ["100 ns", "1 µs", "10 µs", "100 µs", "1 ms"]
        );
        assert_eq!(
            words(&[0.0, 3.1e6], Scale::Linear, Unit::Nanoseconds),
            ["0 ms", "1 ms", "2 ms", "3 ms"]
        );
    }

    #[test]
    fn between_whole_numbers_no_tick_stands() {
        assert_eq!(
            words(&[16.0, 17.0, 19.0], Scale::Linear, Unit::Plain),
            ["16", "17", "18", "19"]
        );
        assert_eq!(
            words(&[0.0, 13.0], Scale::Linear, Unit::Plain),
            ["0", "5", "10"]
        );
        assert!(words(&[16.0, 17.5], Scale::Linear, Unit::Plain).contains(&"16.5".to_owned()));
    }

    #[test]
    fn long_log_axes_leave_decades_out_and_short_ones_fill_them() {
        assert_eq!(
            words(&[1.0, 1e12], Scale::Log, Unit::Plain),
            ["1", "1,000", "10⁶", "10⁹", "10¹²"]
        );
        assert_eq!(
            words(&[90.0, 1050.0], Scale::Log, Unit::Plain),
            ["100", "200", "500", "1,000"]
        );
    }

    #[test]
    fn numbers_are_rounded_to_significant_digits() {
        assert_eq!(significant(1876.0, 2), "1,900");
        assert_eq!(significant(1.649, 2), "1.6");
        assert_eq!(significant(2.0, 3), "2");
        assert_eq!(value_word(2.5e6, Unit::Nanoseconds), "2.5 ms");
        assert_eq!(value_word(1.234e7, Unit::Plain), "1.23·10⁷");
    }

    #[test]
    fn an_axis_without_a_value_still_has_a_range() {
        let range = Range::around(std::iter::empty(), Scale::Log, false);
        assert!(range.low > 0.0 && range.high > range.low);
        assert_eq!(range.share(-1.0), 0.0);
    }
}
