//! Each question as a point: the baseline's median along x, that of another variant along y.

use super::prelude::*;
use crate::rows::QUESTION;

pub(super) const KIND: PlotKind = PlotKind {
    word: "scatter",
    shown: ["medians, a point for each question", ""],
    along: Along::Numbers,
    shares: false,
    axes,
    series,
    style: &Style {
        is_square: true,
        series: points,
        ..Style::PLAIN
    },
};

fn axes(question: &PlotQuestion) -> (Axis, Axis) {
    let plot = &question.plot;
    let mut y = question.axis(&plot.y, plot.y_label.as_deref(), plot.y_scale);
    let of_baseline = || format!("{} of {}", y.label, question.baseline().unwrap_or_default());
    let x = Axis {
        label: plot.x_label.clone().unwrap_or_else(of_baseline),
        column: format!("baseline_{}", y.column),
        ..y.clone()
    };
    y.label += plot.y_label.as_ref().map_or(" of the others", |_| "");
    (x, y)
}

fn series(question: &PlotQuestion, panel: &[u32]) -> Vec<Series> {
    let Some(baseline) = question.baseline() else {
        return Vec::new();
    };
    let rows = question.rows;
    let is_of_baseline = |row: &u32| rows.text("label", *row) == baseline;
    let (base, others): (Vec<u32>, Vec<u32>) = panel.iter().partition(|row| is_of_baseline(row));
    question.by_series(&others, |own| {
        let asked = rows
            .group_by(&QUESTION, &[base.as_slice(), own].concat())
            .into_iter();
        let points = asked.filter_map(|asked| {
            let (base, own): (Vec<u32>, Vec<u32>) =
                asked.iter().partition(|row| is_of_baseline(row));
            let (x, y) = (question.middle(&base)?, question.middle(&own)?);
            let is_exact = [x.bound, y.bound] == [Bound::Exact; 2];
            Some(Point {
                bound: if is_exact {
                    Bound::Exact
                } else {
                    Bound::Either
                },
                ..Point::new(x.value, y.value)
            })
        });
        points.collect()
    })
}

/// Draws the points over the diagonal, on which both need the same.
fn points(sheet: &mut Sheet, chart: &Chart, panel: &Panel, frame: &PlotFrame) {
    let corners = ((frame.left, frame.bottom()), (frame.right(), frame.top));
    sheet.dashed(corners.0, corners.1, 5.0, 1.2, MUTED);
    for series in &panel.series {
        sheet.group(&series.name, "", |sheet| {
            for point in &series.points {
                mark(sheet, chart, series, point, at(point, frame), 4.0);
            }
        });
    }
}
