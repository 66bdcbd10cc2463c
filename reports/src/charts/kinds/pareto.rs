//! Median of y against median of x, one point per series; those that no other beats in both are joined.

use super::prelude::*;

pub(super) const KIND: PlotKind = PlotKind {
    word: "pareto",
    shown: "medians",
    along: Along::Numbers,
    shares: false,
    axes: |question| question.axes(),
    series: |question, panel| {
        let median = |column, own: &[u32]| Statistic::Median.of(question.rows, column, own);
        question.by_series(panel, |own| {
            let both = median(question.x, own).zip(median(&question.plot.y, own));
            both.map(|(x, y)| Point::of(x.value, y))
                .into_iter()
                .collect()
        })
    },
    style: &Style {
        foot: Foot::Zero,
        names: Names::Points,
        series: fronts,
        beside: centred,
    },
};

fn fronts(sheet: &mut Sheet, chart: &Chart, panel: &Panel, frame: &PlotFrame) {
    let mut points: Vec<(&Series, Point)> = panel
        .series
        .iter()
        .filter_map(|series| Some((series, *series.points.first()?)))
        .collect();
    points.sort_by(|a, b| a.1.x.total_cmp(&b.1.x).then(b.1.mid.total_cmp(&a.1.mid)));
    let mut best = f64::NEG_INFINITY;
    let mut front = Vec::new();
    for (_, point) in &points {
        if point.mid > best {
            best = point.mid;
            front.push(at(point, frame));
        }
    }
    sheet.stroke(front, 1.2, MUTED);
    let mut room = Room::default();
    let marks: Vec<(f64, f64)> = points.iter().map(|(_, point)| at(point, frame)).collect();
    for ((_, point), mark) in points.iter().zip(&marks) {
        room.take(TakenRoom::around(*mark, 13.0, 13.0));
        if let Some(ends) = point.interval {
            let (low, high) = (frame.y(ends.low), frame.y(ends.high));
            room.take(TakenRoom::around(
                (mark.0, 0.5 * (low + high)),
                8.0,
                low - high,
            ));
        }
    }
    let is_named = chart.panels.len() == 1 && sheet.says;
    for (series, point) in &points {
        let centre = at(point, frame);
        sheet.group(&series.name, "", |sheet| {
            said(sheet, chart, series, point, |sheet| {
                whisker(sheet, (centre.0, 4.0), point, frame, INK);
                marker(sheet, centre, series.look, 6.0, point.censored);
            });
            if is_named {
                name_beside(sheet, &series.name, (centre, &marks), frame, &mut room);
            }
        });
    }
}

/// Writes a name as near to its point as other names and points leave room.
fn name_beside(
    sheet: &mut Sheet,
    name: &str,
    (point, marks): ((f64, f64), &[(f64, f64)]),
    frame: &PlotFrame,
    room: &mut Room,
) {
    let width = text_width(name, TEXT) + 4.0;
    let sides = (1..12).flat_map(|ring| {
        let away = 15.0 * f64::from(ring);
        let side = 0.5 * width + 11.0;
        [
            (side, away - 5.0),
            (-side, 5.0 - away),
            (0.0, -away),
            (0.0, away),
            (side, 5.0 - away),
            (-side, away - 5.0),
        ]
    });
    let centres = sides.map(|(right, down)| (point.0 + right, point.1 + down));
    // A name is nearest to its own mark.
    let centres = centres.filter(|centre| {
        let away = |mark: &(f64, f64)| {
            let right = ((mark.0 - centre.0).abs() - 0.5 * width).max(0.0);
            right.hypot(mark.1 - centre.1)
        };
        let own = away(&point);
        let mut others = marks.iter().filter(|mark| **mark != point);
        others.all(|other| away(other) > own + 4.0)
    });
    let Some(centre) = room.place(name, centres, frame) else {
        return;
    };
    let down = centre.1 - point.1;
    if down.abs() > 20.0 {
        let end = (centre.0, centre.1 - 8.0 * down.signum());
        sheet.line(point, end, 0.5, MUTED);
    }
    sheet.text(centre, TEXT, name, INK, Anchor::Middle);
}
