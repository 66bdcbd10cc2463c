//! Ranges of axes, their ticks, and the labels of the ticks.

use ikeru_bench_data::Scale;

use crate::units::Quantity;

/// The values at the start and at the end of an axis, and its scale.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct AxisRange {
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) scale: Scale,
    /// True if all its values are whole numbers; the ticks of plain numbers are whole then, too.
    pub(super) whole: bool,
    /// The label of values that a logarithmic axis cannot contain; they have a separate mark before its start.
    pub(super) zero: Option<&'static str>,
}

/// The share of a logarithmic axis that is reserved for the mark of values of 0 and below.
const ZERO_ROOM: f64 = 0.08;

/// Values above it, and below its inverse on a logarithmic axis, are drawn at the border: the square of the largest number is
/// infinite, and so would be the ticks.
const FARTHEST: f64 = 1e150;

/// The ticks of an axis.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Ticks {
    pub(super) major: Vec<(f64, String)>,
    pub(super) minor: Vec<f64>,
}

impl AxisRange {
    /// A linear range from one value to another.
    pub(super) fn of(low: f64, high: f64) -> Self {
        Self {
            low,
            high,
            scale: Scale::Linear,
            whole: false,
            zero: None,
        }
    }

    /// The position of the break between the mark of 0 and the start of the range, as a share of the axis.
    pub(super) fn break_at(&self) -> Option<f64> {
        self.zero.map(|_| 0.6 * ZERO_ROOM)
    }

    /// The range that contains `values` with a small margin. With `from_zero`, a linear range without negative values
    /// starts at zero. A logarithmic range contains the positive values.
    pub(super) fn around(values: impl Iterator<Item = f64>, scale: Scale, from_zero: bool) -> Self {
        let log = scale == Scale::Log;
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        let (mut has_zero, mut is_below) = (false, false);
        for value in values.filter(|value| value.is_finite()) {
            if log && value <= 0.0 {
                (has_zero, is_below) = (true, is_below || value < 0.0);
            } else {
                (low, high) = (low.min(value), high.max(value));
            }
        }
        if low > high {
            (low, high) = (1.0, 10.0);
        }
        let least = if log { 1.0 / FARTHEST } else { -FARTHEST };
        (low, high) = (low.clamp(least, FARTHEST), high.clamp(least, FARTHEST));
        if log {
            if high / low < 2.0 {
                (low, high) = (low / 1.5, high * 1.5);
            }
            let room = (high / low).powf(0.04);
            return Self {
                scale,
                zero: has_zero.then_some(if is_below { "≤ 0" } else { "0" }),
                ..Self::of(low / room, high * room)
            };
        }
        if from_zero && low >= 0.0 {
            low = 0.0;
        }
        if high - low <= f64::EPSILON * high.abs() {
            (low, high) = (low - 0.5, high + 0.5);
        }
        let room = 0.04 * (high - low);
        let is_at_zero = from_zero && low == 0.0;
        Self::of(if is_at_zero { low } else { low - room }, high + room)
    }

    /// The position of a value on the axis, from 0 at its start to 1 at its end. A value outside is drawn at the
    /// border; on a logarithmic axis, values of 0 and below are drawn at their separate mark.
    pub(super) fn share(&self, value: f64) -> f64 {
        let share = match self.scale {
            Scale::Linear => (value - self.low) / (self.high - self.low),
            Scale::Log if value <= 0.0 => 0.0,
            Scale::Log => {
                // Not logarithms of quotients: the ends of a wide axis have an infinite one.
                let share = (value.ln() - self.low.ln()) / (self.high.ln() - self.low.ln());
                let room = self.zero.map_or(0.0, |_| ZERO_ROOM);
                room + (1.0 - room) * share.clamp(0.0, 1.0)
            }
        };
        share.clamp(0.0, 1.0)
    }

    /// About `most` labelled ticks or fewer, with minor ticks on a logarithmic axis.
    pub(super) fn ticks(&self, quantity: Quantity, most: usize) -> Ticks {
        let mut ticks = match self.scale {
            Scale::Linear => self.linear_ticks(quantity, most),
            Scale::Log if quantity == Quantity::Bytes => self.binary_ticks(quantity, most),
            // A short range may have one power of ten, and no 2 or 5.
            Scale::Log if self.high / self.low < 4.0 => self.linear_ticks(quantity, most),
            Scale::Log => self.log_ticks(quantity, most),
        };
        if let Some(word) = self.zero {
            ticks.major.insert(0, (0.0, word.to_owned()));
        }
        ticks
    }

    /// Ticks at powers of two, whose labels in units of 1,024 are short.
    fn binary_ticks(&self, quantity: Quantity, most: usize) -> Ticks {
        let exponents = self.low.log2().ceil() as i32..=self.high.log2().floor() as i32;
        let of = |every: i32| {
            let exponents = exponents.clone();
            let some = exponents.filter(move |exponent| exponent.rem_euclid(every) == 0);
            some.map(|power| 2f64.powi(power)).collect::<Vec<f64>>()
        };
        let major = [1, 2, 5, 10].map(of);
        let major = major.into_iter().find(|ticks| ticks.len() <= most);
        let major = major.unwrap_or_else(|| of(20));
        Ticks::of(major, of(1), quantity)
    }

    fn linear_ticks(&self, quantity: Quantity, most: usize) -> Ticks {
        let mut rough = (self.high - self.low) / most.max(1) as f64;
        if self.whole && quantity == Quantity::Plain {
            rough = rough.max(1.0);
        }
        let power = 10f64.powf(rough.log10().floor());
        let steps = [1.0, 2.0, 2.5, 5.0, 10.0].map(|factor| factor * power);
        let fits = |step: &f64| *step >= rough && (!self.whole || *step != 2.5);
        let step = steps.into_iter().find(fits).unwrap_or(10.0 * power);
        let first = (self.low / step).ceil() as i64;
        let last = (self.high / step).floor() as i64;
        let at = |index: i64| index as f64 * step;
        let largest = self.low.abs().max(self.high.abs());
        let word = |value| (value, quantity.tick(value, step, largest));
        Ticks {
            major: (first..=last).map(at).map(word).collect(),
            minor: Vec::new(),
        }
    }

    fn log_ticks(&self, quantity: Quantity, most: usize) -> Ticks {
        let inside = |value: &f64| *value >= self.low * 0.999 && *value <= self.high * 1.001;
        let exponents = self.low.log10().floor() as i32..=self.high.log10().ceil() as i32;
        let of = |factors: &'static [f64]| {
            let of = |power: f64| factors.iter().map(move |factor| factor * power);
            let powers = exponents.clone().map(|exponent| 10f64.powi(exponent));
            let values = powers.flat_map(of);
            values.filter(inside).collect::<Vec<f64>>()
        };
        let candidates: [&'static [f64]; 3] = [
            &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0],
            &[1.0, 2.0, 5.0],
            &[1.0],
        ];
        // Ticks whose labels would be left out here and there look like missing values.
        let length = (self.high.ln() - self.low.ln()) / most as f64;
        let is_apart = |pair: &[f64]| pair[1].ln() - pair[0].ln() > 0.6 * length;
        let fits = |ticks: &Vec<f64>| ticks.len() <= most && ticks.windows(2).all(is_apart);
        let fitting = candidates.into_iter().map(of).find(fits);
        let mut major = fitting.unwrap_or_else(|| of(&[1.0]));
        let mut minor = of(&[2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]);
        if major.len() > most {
            minor = major.clone();
            let every = major.len().div_ceil(most.max(1)) as i32;
            major.retain(|value| value.log10().round() as i32 % every == 0);
        }
        Ticks::of(major, minor, quantity)
    }
}

impl Ticks {
    /// Labelled ticks, and those of `minor` that are not among them.
    fn of(major: Vec<f64>, mut minor: Vec<f64>, quantity: Quantity) -> Self {
        minor.retain(|value| !major.contains(value));
        let largest = major.last().copied().unwrap_or(1.0);
        let word = |value| (value, quantity.decade(value, largest));
        let major = major.into_iter().map(word).collect();
        Self { major, minor }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wide_logarithmic_axis_has_places() {
        let range = AxisRange::around([1e-160, 1.0, 1e160].into_iter(), Scale::Log, false);
        let shares = [1e-160, 1.0, 1e160].map(|value| range.share(value));
        assert!(
            shares[0] < 0.1 && (shares[1] - 0.5).abs() < 1e-9 && shares[2] > 0.9,
            "{shares:?}"
        );
    }

    fn words(values: &[f64], scale: Scale, quantity: Quantity) -> Vec<String> {
        let whole = values.iter().all(|value| value.fract() == 0.0);
        let mut range = AxisRange::around(values.iter().copied(), scale, false);
        range.whole = whole;
        let ticks = range.ticks(quantity, 6);
        let words = ticks.major.into_iter();
        words
            .map(|(_, word)| word.replace('\u{202f}', " "))
            .collect()
    }

    #[test]
    fn axes_of_all_numbers_have_a_few_ticks() {
        for scale in [Scale::Log, Scale::Linear] {
            for values in [[f64::MAX, 5.0], [1e-320, 5.0], [-f64::MAX, f64::MAX]] {
                let ticks = words(&values, scale, Quantity::Plain);
                assert!(ticks.len() < 10, "{values:?}: {ticks:?}");
            }
        }
    }

    #[test]
    fn times_carry_the_unit_of_their_magnitude() {
        assert_eq!(
            words(&[100.0, 2e6], Scale::Log, Quantity::Time),
            ["100 ns", "1 µs", "10 µs", "100 µs", "1 ms"]
        );
        assert_eq!(
            words(&[0.0, 3.1e6], Scale::Linear, Quantity::Time),
            ["0 ms", "1 ms", "2 ms", "3 ms"]
        );
    }

    #[test]
    fn bytes_are_divided_by_powers_of_two() {
        let range = AxisRange {
            scale: Scale::Log,
            ..AxisRange::of(900.0, 2e6)
        };
        let ticks = range.ticks(Quantity::Bytes, 4);
        let words: Vec<&str> = ticks.major.iter().map(|(_, word)| word.as_str()).collect();
        assert_eq!(words, ["1\u{202f}KiB", "32\u{202f}KiB", "1\u{202f}MiB"]);
        assert_eq!(ticks.minor.len(), 8);
    }

    #[test]
    fn between_whole_numbers_no_tick_stands() {
        assert_eq!(
            words(&[16.0, 17.0, 19.0], Scale::Linear, Quantity::Plain),
            ["16", "17", "18", "19"]
        );
        assert_eq!(
            words(&[0.0, 13.0], Scale::Linear, Quantity::Plain),
            ["0", "5", "10"]
        );
        assert!(words(&[16.0, 17.5], Scale::Linear, Quantity::Plain).contains(&"16.5".to_owned()));
    }

    #[test]
    fn long_log_axes_leave_decades_out_and_short_ones_fill_them() {
        assert_eq!(
            words(&[1.0, 1e12], Scale::Log, Quantity::Plain),
            ["1", "10³", "10⁶", "10⁹", "10¹²"]
        );
        assert_eq!(
            words(&[90.0, 1050.0], Scale::Log, Quantity::Plain),
            ["100", "200", "500", "1,000"]
        );
    }

    #[test]
    fn a_short_log_axis_has_ticks_on_both_sides_of_a_power_of_ten() {
        assert_eq!(
            words(&[0.5, 1.3], Scale::Log, Quantity::Plain),
            ["0.6", "0.8", "1.0", "1.2"]
        );
        assert_eq!(
            words(&[7e5, 1.9e6], Scale::Log, Quantity::Time),
            ["0.75 ms", "1.00 ms", "1.25 ms", "1.50 ms", "1.75 ms"]
        );
    }

    #[test]
    fn ticks_that_are_too_close_for_their_labels_are_not_taken() {
        assert_eq!(
            words(&[4e5, 2e6], Scale::Log, Quantity::Time),
            ["500 µs", "1 ms", "2 ms"]
        );
    }

    #[test]
    fn zero_has_its_own_place_on_an_axis_of_equal_ratios() {
        let range = |values: &[f64]| AxisRange::around(values.iter().copied(), Scale::Log, false);
        let with_zero = range(&[0.0, 1e6, 1.5e6]);
        assert_eq!(with_zero.share(0.0), 0.0);
        assert!(with_zero.share(1e6) > ZERO_ROOM && with_zero.share(with_zero.low) >= ZERO_ROOM);
        let first = |range: AxisRange| range.ticks(Quantity::Plain, 6).major[0].1.clone();
        assert_eq!(first(with_zero), "0");
        assert_eq!(first(range(&[-1.0, 10.0])), "≤ 0");
        assert_eq!(first(range(&[1.0, 10.0])), "1");
        assert_eq!(range(&[1.0, 10.0]).break_at(), None);
    }

    #[test]
    fn an_axis_without_a_value_still_has_a_range() {
        let range = AxisRange::around(std::iter::empty(), Scale::Log, false);
        assert!(range.low > 0.0 && range.high > range.low);
        assert_eq!(range.share(-1.0), 0.0);
    }
}
