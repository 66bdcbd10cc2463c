//! The samples of each series in a row (thinned evenly by value if they are many), with their median or mean and its
//! interval.

use super::prelude::*;

pub(super) const KIND: PlotKind = PlotKind {
    word: "strip",
    shown: ["samples, median", " with 95 % interval"],
    along: Along::Names,
    shares: false,
    axes: |question| question.axes(),
    series,
    style: &Style::IN_ROWS,
};

fn series(question: &PlotQuestion, panel: &[u32]) -> Vec<Series> {
    let rows = question.rows;
    let x = |row| question.place(rows.text(&question.x, row));
    let mut all = question.by_series(panel, |own| thinned(question.samples(own, x)));
    for series in &mut all {
        let mut own = panel.to_vec();
        let name = |row| question.series_name(rows.text(&question.series, row).to_owned());
        own.retain(|row| name(*row) == series.name);
        series.summaries = question.medians(&own);
    }
    all
}
