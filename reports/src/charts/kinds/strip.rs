//! The samples of a series side by side (thinned evenly if they are many), with their median or mean and its interval.

use super::prelude::*;

pub(super) const KIND: PlotKind = PlotKind {
    word: "strip",
    shown: "samples, median with 95 % interval from six instances or repeats on",
    along: Along::Names,
    shares: false,
    axes: |question| question.axes(),
    series,
    style: &Style {
        foot: Foot::Zero,
        names: Names::Legend,
        series: strips,
        beside: centred,
    },
};

fn series(question: &PlotQuestion, panel: &[u32]) -> Vec<Series> {
    let rows = question.rows;
    let x = |row| question.place(rows.text(&question.x, row));
    let mut all = question.by_series(panel, |own| thinned(question.samples(own, x)));
    for series in &mut all {
        let first = series.points[0].x;
        if series
            .points
            .iter()
            .all(|point| (point.x - first).abs() < 0.5)
        {
            let mut own = panel.to_vec();
            own.retain(|row| rows.text(&question.series, *row) == series.name);
            series.summary = question.middle(&own).map(|middle| Point::of(first, middle));
        }
    }
    all
}

fn strips(sheet: &mut Sheet, chart: &Chart, panel: &Panel, frame: &PlotFrame) {
    let slot = frame.x(1.0) - frame.x(0.0);
    let half = (0.32 * slot).min(45.0);
    for series in &panel.series {
        sheet.group(&series.name, "", |sheet| {
            strip(sheet, chart, series, frame, half);
        });
    }
}

fn strip(sheet: &mut Sheet, chart: &Chart, series: &Series, frame: &PlotFrame, half: f64) {
    for (index, point) in series.points.iter().enumerate() {
        // Multiples of the golden ratio are evenly spread, and the same in every drawing.
        let share = (index as f64 * 0.618_033_988_749_895).fract() - 0.5;
        let at = (frame.x(point.x) + 2.0 * half * share, frame.y(point.mid));
        marker(sheet, at, series.look, 3.0, point.censored);
    }
    if let Some(summary) = &series.summary {
        said(sheet, chart, series, summary, |sheet| {
            let (x, y) = at(summary, frame);
            let reach = half + 8.0;
            sheet.line((x - reach, y), (x + reach, y), 2.5, INK);
            whisker(sheet, (x, 9.0), summary, frame, INK);
        });
    }
}
