//! A figure's ruler: the printed band and our interval on one small axis.

use std::fmt::Write as _;

use crate::verdicts::JudgedFigure;
use ikeru_statistics::{Bound, Interval};

const WIDTH: f64 = 200.0;
/// The height of a strip.
const STRIP: f64 = 80.0;
/// The margin left and right of the outermost value, as a share of the width.
const ROOM: f64 = 0.14;
/// Positive values that span more than this factor have a logarithmic axis.
const EQUAL_RATIOS: f64 = 8.0;

/// The axis from the smallest to the largest value.
struct RulerAxis {
    low: f64,
    high: f64,
    is_log: bool,
}

impl RulerAxis {
    /// The axis of the ends of bands, and of measured values. A band from 0 begins at the edge of a logarithmic axis.
    fn of(bands: &[f64], measured: &[f64]) -> Self {
        let all = || measured.iter().chain(bands).copied();
        let least = |values: &mut dyn Iterator<Item = f64>| values.fold(f64::INFINITY, f64::min);
        let low = least(&mut all());
        let high = all().fold(f64::NEG_INFINITY, f64::max);
        let positive = least(&mut all().filter(|value| *value > 0.0));
        let is_log = low >= 0.0
            && least(&mut measured.iter().copied()) > 0.0
            && high / positive > EQUAL_RATIOS;
        let low = if is_log { positive } else { low };
        let (mut low, mut high) = if is_log {
            (low.ln(), high.ln())
        } else {
            (low, high)
        };
        if high - low < 1e-9 * high.abs().max(1.0) {
            let around = 0.1 * high.abs().max(1.0);
            (low, high) = (low - around, high + around);
        }
        Self { low, high, is_log }
    }

    /// The place of a value in pixels; a value beyond the drawing is placed at its edge.
    fn x(&self, value: f64) -> f64 {
        let value = match (self.is_log, value <= 0.0) {
            (true, true) => f64::NEG_INFINITY,
            (true, false) => value.ln(),
            _ => value,
        };
        let share = (value - self.low) / (self.high - self.low);
        WIDTH * (ROOM + (1.0 - 2.0 * ROOM) * share.clamp(-1.0, 2.0)).clamp(0.0, 1.0)
    }
}

/// The ruler as an SVG in the page's colours; empty if nothing is compared or nothing was measured.
pub fn ruler(judged: &JudgedFigure, words: &str) -> String {
    let figure = judged.figure;
    let (Some(ours), Some(band)) = (&judged.ours, judged.compared_band()) else {
        return String::new();
    };
    // The band of an erratum is around the correct value; the printed value is elsewhere.
    let printed = match (figure.corrected, figure.value) {
        (Some(_), Some(value)) => [value, value],
        _ => band,
    };
    let value = ours.estimate.value;
    if ours.estimate.bound == Bound::Either || !value.is_finite() {
        return String::new();
    }
    // Two numbers that are equal need no axis.
    if band[1] - band[0] < 1e-8 * band[1].abs().max(1.0) && figure.corrected.is_none() {
        return String::new();
    }
    let ends = ours.estimate.interval.unwrap_or(Interval {
        low: value,
        high: value,
    });
    let (low, high) = match ours.estimate.bound {
        Bound::AtLeast => (value, f64::INFINITY),
        Bound::AtMost => (f64::NEG_INFINITY, value),
        _ => (ends.low, ends.high),
    };
    let decides = judged.decides.unwrap_or(Interval { low, high });
    let finite = |one: f64| if one.is_finite() { one } else { value };
    let measured = [low, high, decides.low, decides.high, value].map(finite);
    let axis = RulerAxis::of(&printed.map(finite), &measured);
    let mut svg = format!(
        "<svg class=\"ruler\" viewBox=\"0 0 200 24\" role=\"img\" aria-label=\"{words}\"><path class=\"axis\" d=\"M0 12H200\"/>"
    );
    let (from, to) = (axis.x(printed[0]), axis.x(printed[1]));
    let width = (to - from).max(4.0);
    let left = if to - from < 4.0 { from - 2.0 } else { from };
    // Writing to a text does not fail.
    let _ = write!(
        svg,
        "<rect class=\"printed\" x=\"{left:.0}\" y=\"4\" width=\"{width:.0}\" height=\"16\" rx=\"2\"/>"
    );
    if judged.decides.is_some() {
        let _ = write!(
            svg,
            "<path class=\"decides\" d=\"M{:.1} 12H{:.1}\"/>",
            axis.x(decides.low),
            axis.x(decides.high)
        );
    }
    if low < high {
        let _ = write!(
            svg,
            "<path class=\"within\" d=\"M{:.1} 12H{:.1}\"/>",
            axis.x(low),
            axis.x(high)
        );
    }
    let _ = write!(
        svg,
        "<circle class=\"ours\" cx=\"{:.1}\" cy=\"12\" r=\"5\"/></svg>",
        axis.x(value)
    );
    svg
}

/// The means under all readings of a figure's open rules as an SVG in the page's colours: a dot for each, the lowest mean at the
/// bottom, over the printed band; the printed value is a line, the reading nearest to it a large dot. Empty without readings.
pub fn strip(judged: &JudgedFigure, words: &str) -> String {
    let figure = judged.figure;
    let (Some(readings), Some(band), Some(value)) = (&judged.readings, figure.band(), figure.value)
    else {
        return String::new();
    };
    let nearest = readings.nearest.1.value;
    let finite = |end: f64| if end.is_finite() { end } else { value };
    let [low, high] = readings.range();
    let axis = RulerAxis::of(&band.map(finite), &[value, low, high]);
    let (from, to) = (axis.x(band[0]), axis.x(band[1]));
    let mut svg = format!(
        "<svg class=\"ruler\" viewBox=\"0 0 {WIDTH} {STRIP}\" role=\"img\" aria-label=\"{words}\"><rect class=\"printed\" \
         x=\"{from:.1}\" y=\"0\" width=\"{:.1}\" height=\"{STRIP}\"/><path class=\"decides\" d=\"M{:.1} 0V{STRIP}\"/>",
        to - from,
        axis.x(value)
    );
    let step = (STRIP - 12.0) / readings.count as f64;
    let mut dots = String::new();
    for (rank, mean) in readings.means.iter().enumerate() {
        let (x, y) = (axis.x(*mean), STRIP - 6.0 - step * (rank as f64 + 0.5));
        // Writing to a text does not fail.
        let _ = match *mean == nearest {
            true => write!(
                svg,
                "<circle class=\"ours\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\"/>"
            ),
            false => write!(dots, "M{x:.1} {y:.1}h0"),
        };
    }
    let wide = 2.0 * step.clamp(1.0, 2.5);
    svg + &format!("<path class=\"readings\" stroke-width=\"{wide}\" d=\"{dots}\"/></svg>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_keep_their_order_and_stay_on_the_ruler() {
        for values in [
            [0.043, 100.0, 0.05],
            [9.0, 12.0, 10.2],
            [-1.0, 0.0, 3.0],
            [7.0, 7.0, 7.0],
        ] {
            let axis = RulerAxis::of(&values[..2], &values[2..]);
            let mut sorted = values;
            sorted.sort_by(f64::total_cmp);
            let places = sorted.map(|value| axis.x(value));
            assert!(places.is_sorted(), "{values:?}: {places:?}");
            assert!(
                places.iter().all(|place| (0.0..=WIDTH).contains(place)),
                "{places:?}"
            );
            assert!(axis.x(f64::NEG_INFINITY) <= places[0] && axis.x(f64::INFINITY) == WIDTH);
        }
        for bands in [[1.0, 10.0], [0.0, 10.0]] {
            let axis = RulerAxis::of(&bands, &[1.0, 100.0]);
            assert!(
                (axis.x(10.0) - WIDTH / 2.0).abs() < 1e-9,
                "equal ratios, equal steps"
            );
            assert!(axis.x(0.0) == 0.0 && axis.is_log);
        }
    }
}
