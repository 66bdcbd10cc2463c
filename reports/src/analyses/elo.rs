//! Converts the share of matches won to a difference in Elo points.

use ikeru_bench_data::Experiment;
use ikeru_bench_data::experiment::Analysis;

use super::{Finding, parameter};
use crate::error::Result;
use crate::row;
use crate::rows::Rows;
use crate::sampled::Statistic;
use crate::table::Table;
use crate::units::Quantity;

/// The difference in Elo points that corresponds to a share of points won; infinite at 0 and 1.
pub fn difference(share: f64) -> f64 {
    400.0 * (share / (1.0 - share)).log10()
}

/// The share of wins that is expected with a difference in Elo rating.
pub fn share(difference: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-difference / 400.0))
}

/// One row per label: matches, share won, and the difference in Elo points with its interval. `set.win` names the
/// column (1 won, 0.5 drawn, 0 lost).
pub(super) fn elo(
    rows: &Rows,
    selection: &[u32],
    analysis: &Analysis,
    _: &Experiment,
) -> Result<Finding> {
    let column = parameter(analysis, "win", "measure_win");
    let heads = "variant | matches | share won | Elo difference | 95 % interval";
    let mut table = Table::new("Elo difference", heads);
    table.notes.push(
        "A share s of points won is worth 400·log10(s / (1 − s)) Elo points; the interval is that of the share."
            .to_owned(),
    );
    for (label, of_label) in rows.group("label", selection) {
        let values = rows.numbers(column, &of_label);
        let drawn = values.iter().any(|value| *value > 0.0 && *value < 1.0);
        // Wilson's interval is for wins and losses only; with draws, Student's t interval is used.
        let statistic = if drawn {
            Statistic::Mean
        } else {
            Statistic::Over(0.5)
        };
        let Some(share) = statistic.of(rows, column, &of_label) else {
            continue;
        };
        let points = share.map(|share| difference(share.clamp(0.0, 1.0)));
        table.rows.push(row![
            label,
            values.len(),
            (share.value, Quantity::Share),
            (points.value, Quantity::Real),
            (points.interval, Quantity::Real),
        ]);
    }
    Ok(table.into())
}
