//! How fast a column grows along another, by least squares on logarithms.

use ikeru_bench_data::experiment::Analysis;

use super::{Finding, parameter, short, varying};
use crate::rows::Rows;
use crate::statistics::{mean, median};

/// A straight line `y = start + slope·x` and how much of the variance it explains.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line {
    /// y at x = 0.
    pub start: f64,
    /// What y gains per x.
    pub slope: f64,
    /// R².
    pub explained: f64,
}

/// Least squares; `None` with fewer than three points or a single x.
#[must_use]
pub fn line(points: &[(f64, f64)]) -> Option<Line> {
    if points.len() < 3 {
        return None;
    }
    let (xs, ys): (Vec<f64>, Vec<f64>) = points.iter().copied().unzip();
    let (x, y) = (mean(&xs)?, mean(&ys)?);
    let sum = |f: &dyn Fn(f64, f64) -> f64| points.iter().map(|p| f(p.0 - x, p.1 - y)).sum::<f64>();
    let (xx, xy, yy) = (sum(&|a, _| a * a), sum(&|a, b| a * b), sum(&|_, b| b * b));
    if xx == 0.0 {
        return None;
    }
    let slope = xy / xx;
    let explained = if yy == 0.0 { 1.0 } else { xy * xy / (xx * yy) };
    Some(Line {
        start: y - slope * x,
        slope,
        explained,
    })
}

/// The power b of `y = a·xᵇ`, as the slope of the line; points that are not positive are left out.
#[must_use]
pub fn power(points: &[(f64, f64)]) -> Option<Line> {
    let positive = points.iter().filter(|(x, y)| *x > 0.0 && *y > 0.0);
    line(&positive.map(|(x, y)| (x.ln(), y.ln())).collect::<Vec<_>>())
}

/// ln b of `y = a·bˣ`, as the slope of the line; points whose y is not positive are left out.
#[must_use]
pub fn exponential(points: &[(f64, f64)]) -> Option<Line> {
    let positive = points.iter().filter(|(_, y)| *y > 0.0);
    line(&positive.map(|(x, y)| (*x, y.ln())).collect::<Vec<_>>())
}

/// One row per label and question: both fits, and which explains more. `set.x` and `set.y` name the
/// columns; steps and time if not said. Stopped rows are left out.
pub(super) fn growth(rows: &Rows, selection: &[u32], analysis: &Analysis) -> Finding {
    let x = parameter(analysis, "x", "setting_steps");
    let y = parameter(analysis, "y", "wall_ns");
    let solved = rows.solved(selection);
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
            rows.described(apart.iter().copied(), group[0]),
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
