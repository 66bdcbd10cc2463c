//! The published figures that a plot may show next to its marks.

use ikeru_bench_data::Figure;
use ikeru_bench_data::published::{Claims, FigureKind, FixedVerdict};
use ikeru_reports::charts::QuotedValue;

/// The figure as a value of its rows; `None` if it is no plain value of them, or if no plot may show it.
pub fn quoted(figure: &Figure) -> Option<QuotedValue> {
    let (ours, value) = (figure.ours.as_ref()?, figure.value?);
    let FigureKind::Statistic(statistic) = &ours.is else {
        return None;
    };
    let is_shown = !figure.is_of_another
        && matches!(figure.claims, Claims::Equal | Claims::Exact)
        && !matches!(
            figure.verdict,
            Some(FixedVerdict::Erratum | FixedVerdict::NotComparable)
        );
    is_shown.then(|| QuotedValue {
        id: figure.id.clone(),
        experiment: ours.experiment.clone(),
        column: ours.column.clone(),
        statistic: statistic.clone(),
        only: ours.only.clone(),
        value: value * ours.divide_by.unwrap_or(1.0),
    })
}
