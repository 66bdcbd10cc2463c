//! How fast a column grows along another, by least squares on logarithms.

use ikeru_bench_data::experiment::Analysis;

use super::{Finding, described, parameter, short, solved, varying};
use crate::rows::Rows;
use crate::statistics::median;
use crate::statistics::regression::{exponential, power};

/// One row per label and question: both fits, and which explains more. `set.x` and `set.y` name the
/// columns; steps and time if not said. Stopped rows are left out.
pub(super) fn growth(rows: &Rows, selection: &[u32], analysis: &Analysis) -> Finding {
    let x = parameter(analysis, "x", "setting_steps");
    let y = parameter(analysis, "y", "wall_ns");
    let solved = solved(rows, selection);
    let apart = varying(rows, &solved, x);
    let mut by = vec!["label"];
    by.extend(&apart);
    let mut finding = Finding::with_header(&[
        "variant",
        "where",
        "points",
        "from",
        "to",
        "exponential",
        "R²",
        "power law",
        "R²",
        "better fit",
    ]);
    finding.title = "Fitted growth".to_owned();
    finding.paragraphs.push(format!(
        "Medians of `{y}` against `{x}`, least squares on logarithms; runs that were stopped are left out. R² says how much of the variance of log y a fit explains."
    ));
    for group in rows.group_by(&by, &solved) {
        let points: Vec<(f64, f64)> = rows
            .group(x, &group)
            .into_iter()
            .filter_map(|(at, rows_at)| {
                Some((at.parse().ok()?, median(&rows.numbers(y, &rows_at))?))
            })
            .collect();
        let (Some(exponential), Some(power)) = (exponential(&points), power(&points)) else {
            continue;
        };
        let better = if exponential.explained > power.explained {
            "exponential"
        } else {
            "power law"
        };
        finding.rows.push(vec![
            rows.text("label", group[0]).to_owned(),
            described(rows, &apart, group[0]),
            points.len().to_string(),
            short(points[0].0),
            short(points[points.len() - 1].0),
            format!("×{:.2} per step", exponential.slope.exp()),
            format!("{:.3}", exponential.explained),
            format!("power {:.2}", power.slope),
            format!("{:.3}", power.explained),
            better.to_owned(),
        ]);
    }
    finding
}
