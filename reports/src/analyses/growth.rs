//! How fast a column grows along another, by least squares on logarithms.

use ikeru_bench_data::Experiment;
use ikeru_bench_data::experiment::Analysis;

use super::{Finding, labelled, parameter, points};
use crate::error::ReportError;
use crate::row;
use crate::rows::Rows;
use crate::statistics::regression::{exponential, power};
use crate::table::Table;
use crate::units::Quantity;

/// One row per label and question: both fits, and which explains more. `set.x` and `set.y` name the
/// columns; steps and time if not said. Timeouts are left out.
pub(super) fn growth(
    rows: &Rows,
    selection: &[u32],
    analysis: &Analysis,
    _: &Experiment,
) -> Result<Finding, ReportError> {
    let x = parameter(analysis, "x", "setting_steps");
    let y = parameter(analysis, "y", "wall_ns");
    let mut table = Table::new(
        "Fitted growth",
        "variant | where | points | from | to | per step | R² (exponential) | power | R² (power law) | better fit",
    );
    table.notes.push(format!(
        "Medians of `{y}` against `{x}`, least squares on logarithms; timeouts are left out. R² says how much of the variance of log y a fit explains."
    ));
    for (label, place, group) in labelled(rows, selection, x) {
        let points = points(rows, (x, y), &group);
        let (Some(exponential), Some(power)) = (exponential(&points), power(&points)) else {
            continue;
        };
        let better = if exponential.explained > power.explained {
            "exponential"
        } else {
            "power law"
        };
        table.rows.push(row![
            label,
            place,
            points.len(),
            (points[0].0, Quantity::Plain),
            (points[points.len() - 1].0, Quantity::Plain),
            (exponential.slope.exp(), Quantity::Ratio),
            (exponential.explained, Quantity::Real),
            (power.slope, Quantity::Real),
            (power.explained, Quantity::Real),
            better,
        ]);
    }
    Ok(table.into())
}
