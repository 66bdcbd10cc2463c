//! Medians of y as bars, grouped by x.

use super::prelude::*;

pub(super) const KIND: Kind = Kind {
    word: "bar",
    shown: "medians, 95 % intervals from six instances or repeats on",
    along: Along::Names,
    shares: false,
    axes: |question| question.axes(),
    series: |question, panel| question.by_series(panel, |own| question.medians(own)),
    style: BARS,
};

/// Bars from the foot of the panel, or from [`Chart::bars_from`].
pub const BARS: &Style = &Style {
    foot: Foot::Bars,
    names: Names::Legend,
    series: bars,
    beside: beside_bar,
};

fn bars(sheet: &mut Sheet, chart: &Chart, panel: &Panel, frame: &Frame) {
    for category in 0..chart.x.categories.len() {
        let group = bars_at(panel, category as f64);
        let width = bar_width(chart, frame, group.len());
        let middle = frame.x(category as f64);
        let words: Vec<String> = group
            .iter()
            .map(|(_, point)| chart.y.quantity.spoken(point.mid))
            .collect();
        let fits = words
            .iter()
            .all(|word| text_width(word, TEXT) < 1.15 * width + 4.0);
        for (index, (series, point)) in group.iter().enumerate() {
            let x = middle + bar_offset(width, index, group.len());
            let foot = chart.bars_from.map_or(frame.bottom(), |from| frame.y(from));
            bar(sheet, (x, foot), 0.88 * width, series.look, point, frame);
            // Where a colour stands twice, the legend's shape tells which bar it is.
            let same = group
                .iter()
                .filter(|(other, _)| other.look.colour == series.look.colour);
            if same.count() > 1 {
                let shape = Look {
                    colour: if point.censored { INK } else { PAPER },
                    ..series.look
                };
                let foot = (x, frame.bottom() - 10.0);
                filled_marker(sheet, foot, shape, (0.2 * width).min(4.5));
            }
            if fits {
                let top = point.interval.map_or(point.mid, |ends| ends.high);
                let above = (x, frame.y(top) - 10.0);
                sheet.text(above, TEXT, &words[index], INK, Anchor::Middle);
            }
        }
    }
}

/// The series that have a bar at a category, in their order.
fn bars_at(panel: &Panel, category: f64) -> Vec<(&Series, &Point)> {
    let here = |point: &&Point| (point.x - category).abs() < 0.5;
    let series = panel.series.iter();
    series
        .filter_map(|series| Some((series, series.points.iter().find(here)?)))
        .collect()
}

fn bar_width(chart: &Chart, frame: &Frame, bars: usize) -> f64 {
    let slot = frame.width / chart.x.categories.len().max(1) as f64;
    (0.8 * slot / bars.max(1) as f64).min(70.0)
}

/// Where a bar's middle lies, from the middle of its category.
fn bar_offset(width: f64, index: usize, bars: usize) -> f64 {
    width * (index as f64 - 0.5 * (bars - 1) as f64)
}

/// Where the bar of a published value lies, from the middle of its category; 0 if it has none.
fn beside_bar(chart: &Chart, panel: &Panel, frame: &Frame, value: &Published) -> f64 {
    let group = bars_at(panel, value.x);
    let is_own = |(series, _): &(&Series, &Point)| Some(&series.name) == value.series.as_ref();
    let index = group.iter().position(is_own);
    index.map_or(0.0, |index| {
        bar_offset(bar_width(chart, frame, group.len()), index, group.len())
    })
}

fn bar(
    sheet: &mut Sheet,
    (x, foot): (f64, f64),
    width: f64,
    look: Look,
    point: &Point,
    frame: &Frame,
) {
    let end = frame.y(point.mid);
    let corner = (x - 0.5 * width, end.min(foot));
    let size = (width, (end - foot).abs());
    sheet.rectangle(corner, size, look.colour, 1.0);
    if point.censored {
        let inside = (corner.0 + 2.0, corner.1 + 2.0);
        let rest = (size.0 - 4.0, (size.1 - 2.0).max(0.0));
        sheet.rectangle(inside, rest, PAPER, 1.0);
    } else {
        whisker(sheet, x, (0.3 * width).min(5.0), point, frame);
    }
}
