//! Least squares fits: a line, a power law, an exponential.

use crate::mean;

/// A straight line `y = start + slope·x`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinearFit {
    /// y at x = 0.
    pub start: f64,
    /// The increase of y per unit of x.
    pub slope: f64,
}

/// The least squares line; `None` for fewer than three points, or if all x are equal.
pub fn line(points: &[(f64, f64)]) -> Option<LinearFit> {
    if points.len() < 3 {
        return None;
    }
    let (xs, ys): (Vec<f64>, Vec<f64>) = points.iter().copied().unzip();
    let (x, y) = (mean(&xs)?, mean(&ys)?);
    let sum = |f: &dyn Fn(f64, f64) -> f64| points.iter().map(|p| f(p.0 - x, p.1 - y)).sum::<f64>();
    let (xx, xy) = (sum(&|a, _| a * a), sum(&|a, b| a * b));
    if xx == 0.0 {
        return None;
    }
    let slope = xy / xx;
    Some(LinearFit {
        start: y - slope * x,
        slope,
    })
}

/// The line of ln y over ln x, whose slope is the power b of `y = a·xᵇ`; points that are not positive are left out.
pub fn power(points: &[(f64, f64)]) -> Option<LinearFit> {
    let positive = points.iter().filter(|(x, y)| *x > 0.0 && *y > 0.0);
    line(&positive.map(|(x, y)| (x.ln(), y.ln())).collect::<Vec<_>>())
}

/// The line of ln y over x, whose slope is ln b of `y = a·bˣ`; points whose y is not positive are left out.
pub fn exponential(points: &[(f64, f64)]) -> Option<LinearFit> {
    let positive = points.iter().filter(|(_, y)| *y > 0.0);
    line(&positive.map(|(x, y)| (*x, y.ln())).collect::<Vec<_>>())
}
