//! Dashed lines across a panel, and their labels, placed where they hide nothing.

use ikeru_bench_data::experiment::{GuideAxis, GuideLine};

use super::chart::Chart;
use super::frame::{PlotFrame, TEXT, Width};
use super::legend;
use crate::sheet::{Anchor, INK, PAPER, Point, Sheet, text_width};

/// The distance of the middle of a label from its horizontal line.
const BESIDE: f64 = 10.0;
/// The distance between the places that are tried for a label.
const STEP: f64 = 12.0;
/// The distance between the end of a level line and its label right of the panel, which a leader joins.
const LEADER: f64 = 13.0;
/// The height of a label with the white around it.
const HEIGHT: f64 = 16.0;

/// Draws the lines.
pub(super) fn lines(sheet: &mut Sheet, chart: &Chart, frame: &PlotFrame) {
    for guide in &chart.guides {
        let (from, to) = match guide.axis {
            GuideAxis::Y => {
                let y = frame.y(guide.at);
                ((frame.left, y), (frame.right(), y))
            }
            GuideAxis::X => {
                let x = frame.x(guide.at);
                ((x, frame.top), (x, frame.bottom()))
            }
        };
        sheet.dashed(from, to, 5.0, 1.2, INK);
    }
}

/// The room for the labels of level lines right of the last panel of a row: among the marks of a narrow or a low panel there is
/// none. Labels that would take more than a fifth of the width are not there.
pub(super) fn room(chart: &Chart, width: Width) -> f64 {
    let is_low = width == Width::Narrow || chart.panels.len() > 1;
    match level(chart).map(self::width).fold(0.0, f64::max) {
        widest if is_low && widest < 0.2 * width.pixels() => LEADER + widest,
        _ => 0.0,
    }
}

/// The level lines.
fn level(chart: &Chart) -> impl Iterator<Item = &GuideLine> {
    let all = chart.guides.iter();
    all.filter(|guide| guide.axis == GuideAxis::Y)
}

/// Writes the labels of the lines on white, at places where they hide nothing that was drawn after the first `drawn`
/// items. A label without such a place is written without white. Labels of level lines are right of the panel if there is
/// [`room`] and it is the last of its row; each has a leader from the end of its line.
pub(super) fn words(
    sheet: &mut Sheet,
    chart: &Chart,
    (frame, wide): (&PlotFrame, Width),
    (drawn, is_last): (usize, bool),
) {
    let is_beside = room(chart, wide) > 0.0;
    if is_beside && is_last {
        let mut ends: Vec<(f64, &GuideLine)> =
            level(chart).map(|it| (frame.y(it.at), it)).collect();
        ends.sort_by(|a, b| a.0.total_cmp(&b.0));
        let wanted: Vec<f64> = ends.iter().map(|(y, _)| *y).collect();
        let rows = legend::spread(&wanted, frame.top, frame.bottom());
        for (y, (end, guide)) in rows.into_iter().zip(ends) {
            let at = (frame.right() + LEADER, y);
            sheet.line((frame.right() + 1.0, end), (at.0 - 2.0, y), 1.0, INK);
            sheet.text(at, TEXT, &guide.label, INK, Anchor::Start);
        }
    }
    let among = chart.guides.iter();
    for guide in among.filter(|guide| !is_beside || guide.axis == GuideAxis::X) {
        let free = place(sheet, guide, frame, drawn);
        if let Some(place) = free {
            sheet.rectangle(corner(place), (width(guide), HEIGHT), PAPER, 0.85);
        }
        if let Some(place) = free.or_else(|| places(guide, frame).next()) {
            sheet.text(place, TEXT, &guide.label, INK, Anchor::Start);
        }
    }
}

/// The first place at which the label hides nothing.
fn place(sheet: &Sheet, guide: &GuideLine, frame: &PlotFrame, drawn: usize) -> Option<Point> {
    let size = (width(guide), HEIGHT);
    places(guide, frame).find(|place| !sheet.holds(drawn, corner(*place), size))
}

/// The width of a label with the white around it.
fn width(guide: &GuideLine) -> f64 {
    text_width(&guide.label, TEXT) + 6.0
}

/// The upper left corner of the white around a label.
fn corner(place: Point) -> Point {
    (place.0 - 3.0, place.1 - 0.5 * HEIGHT)
}

/// The places where a label may start: along its line, first above or right of it, then below or left.
fn places(guide: &GuideLine, frame: &PlotFrame) -> impl Iterator<Item = Point> + use<> {
    let width = width(guide);
    let (from, room, beside, is_level) = match guide.axis {
        GuideAxis::Y => {
            let y = frame.y(guide.at);
            let room = frame.width - width - 8.0;
            (frame.left + 8.0, room, [y - BESIDE, y + BESIDE], true)
        }
        GuideAxis::X => {
            let x = frame.x(guide.at);
            let room = frame.height - 2.0 * HEIGHT;
            (frame.top + 9.0, room, [x + 6.0, x - width], false)
        }
    };
    let (inner, outer) = if is_level {
        (frame.top + 6.0, frame.bottom() - 6.0)
    } else {
        (frame.left, frame.right() - width)
    };
    let steps = (room / STEP).max(0.0) as usize;
    let beside = beside.into_iter();
    let beside = beside.filter(move |at| (inner..=outer).contains(at));
    beside.flat_map(move |beside| {
        let along = (0..=steps).map(move |step| from + step as f64 * STEP);
        along.map(move |along| match is_level {
            true => (along, beside),
            false => (beside, along),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::axis::AxisRange;
    use crate::charts::{LINES, Panel, of_style};

    fn frame() -> PlotFrame {
        PlotFrame {
            left: 0.0,
            top: 0.0,
            width: 300.0,
            height: 200.0,
            x_range: AxisRange::of(0.0, 1.0),
            y_range: AxisRange::of(0.0, 1.0),
        }
    }

    fn word_of(y: f64, mark: Option<Point>) -> Point {
        let guide = GuideLine {
            at: y,
            label: "one frame".to_owned(),
            axis: GuideAxis::Y,
        };
        let mut sheet = Sheet::new(300.0, 200.0);
        if let Some(mark) = mark {
            sheet.disc(mark, 4.0, INK, 1.0);
        }
        place(&sheet, &guide, &frame(), 0).expect("a place")
    }

    #[test]
    fn a_narrow_panel_has_room_for_the_labels_of_its_level_lines() {
        let chart = |label: &str| {
            let guide = GuideLine {
                at: 1.0,
                label: label.to_owned(),
                axis: GuideAxis::Y,
            };
            let mut chart = of_style(LINES, String::new(), String::new());
            chart.guides = vec![guide];
            chart
        };
        let short = chart("60 Hz");
        assert!(room(&short, Width::Narrow) > 30.0);
        assert_eq!(room(&short, Width::Wide), 0.0);
        let panels = vec![Panel::default(); 2];
        assert!(room(&Chart { panels, ..short }, Width::Wide) > 30.0);
        let long = chart("the longest time that anybody waits");
        assert_eq!(room(&long, Width::Narrow), 0.0);
    }

    #[test]
    fn a_label_beside_its_panel_is_joined_with_its_line() {
        let guide = |at| GuideLine {
            at,
            label: "60 fps".to_owned(),
            axis: GuideAxis::Y,
        };
        let mut chart = of_style(LINES, String::new(), String::new());
        chart.guides = [0.5, 0.52, 0.54].map(guide).to_vec();
        let mut sheet = Sheet::new(400.0, 200.0);
        words(&mut sheet, &chart, (&frame(), Width::Narrow), (0, true));
        for guide in &chart.guides {
            let start = (frame().right(), frame().y(guide.at) - 0.5);
            assert!(sheet.holds(0, start, (2.0, 1.0)), "{}", guide.at);
        }
    }

    #[test]
    fn a_word_stands_at_the_left_above_its_line_unless_a_mark_is_there() {
        let left = word_of(0.5, None);
        assert_eq!(left.0, 8.0);
        let above = left.1;
        let moved = word_of(0.5, Some((20.0, above)));
        assert_eq!(moved.1, above);
        assert!(moved.0 > 24.0, "{moved:?}");
        // Without room above, the label is below the line.
        assert!(word_of(1.0, None).1 > 0.0);
    }
}
