//! Every sample of a series in ascending order.

use super::prelude::*;

pub(super) const KIND: PlotKind = PlotKind {
    word: "sorted",
    shown: "every sample",
    along: Along::Numbers,
    shares: false,
    axes,
    series: |question, panel| question.by_series(panel, |own| ascending(question, own)),
    style: &Style {
        foot: Foot::Lowest,
        names: Names::LineEnds,
        is_lying: false,
        series: lines,
        beside: centred,
    },
};

fn axes(question: &PlotQuestion) -> (Axis, Axis) {
    let plot = question.plot;
    let x = Axis {
        label: plot.x_label.clone().unwrap_or("samples, sorted".to_owned()),
        scale: plot.x_scale,
        ..Axis::default()
    };
    (x, question.axes().1)
}

fn ascending(question: &PlotQuestion, own: &[u32]) -> Vec<Point> {
    let mut points = question.samples(own, |_| Some(0.0));
    points.sort_by(|a, b| a.mid.total_cmp(&b.mid));
    for (rank, point) in points.iter_mut().enumerate() {
        point.x = (rank + 1) as f64;
    }
    thinned(points)
}

fn lines(sheet: &mut Sheet, chart: &Chart, panel: &Panel, frame: &PlotFrame) {
    for series in &panel.series {
        sheet.group(&series.name, "", |sheet| {
            joined(sheet, chart, series, frame, 3.5);
        });
    }
}
