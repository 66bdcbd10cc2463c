//! Least squares with nonnegative coefficients, and the selection of few columns among many.
//!
//! Only additions, multiplications, divisions and square roots are used, in a fixed order: the results are identical to
//! the last digit on every machine.

/// A linear model of few columns, all of whose coefficients are positive.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Linear {
    /// The index of each column with its coefficient, in ascending order of the index.
    pub terms: Vec<(usize, f64)>,
}

impl Linear {
    /// The model's value for a row.
    pub fn value(&self, row: &[f64]) -> f64 {
        let products = self
            .terms
            .iter()
            .map(|(column, factor)| row[*column] * factor);
        products.fold(0.0, |sum, product| sum + product)
    }
}

/// A column is added only if it lowers the error of the cross-validation by at least this share.
const WORTHWHILE: f64 = 0.02;
/// The number of folds of the cross-validation.
const FOLDS: usize = 5;
/// The largest error factor of a row; larger ones are clamped to it.
const WORST: f64 = 10.0;

/// The model of at most `most` columns that predicts `1 − offsets[i]` of each row `i` best in a cross-validation.
/// Columns are added one by one, the most useful first.
pub fn chosen(rows: &[Vec<f64>], offsets: &[f64], most: usize) -> Linear {
    let columns = rows.first().map_or(0, Vec::len);
    let target: Vec<f64> = offsets.iter().map(|offset| 1.0 - offset).collect();
    let parts: Vec<Normal> = (0..=FOLDS)
        .map(|fold| Normal::of(rows, &target, |row| fold == FOLDS || row % FOLDS != fold))
        .collect();
    let mut picked: Vec<usize> = Vec::new();
    let mut error = f64::INFINITY;
    while picked.len() < most {
        let mut best = (error * (1.0 - WORTHWHILE), None);
        for column in (0..columns).filter(|column| !picked.contains(column)) {
            let mut tried = picked.clone();
            tried.push(column);
            let tried_error = left_out(rows, offsets, &parts, &tried);
            if tried_error < best.0 {
                best = (tried_error, Some(column));
            }
        }
        let (lowest, Some(column)) = best else { break };
        picked.push(column);
        error = lowest;
    }
    picked.sort_unstable();
    parts[FOLDS].solve(&picked)
}

/// The error of the cross-validation: the mean over the rows of the squared error factor less 1.
fn left_out(rows: &[Vec<f64>], offsets: &[f64], parts: &[Normal], columns: &[usize]) -> f64 {
    let mut sum = 0.0;
    for (fold, part) in parts[..FOLDS].iter().enumerate() {
        let model = part.solve(columns);
        for row in (fold..rows.len()).step_by(FOLDS) {
            let excess = off(offsets[row] + model.value(&rows[row])).min(WORST) - 1.0;
            sum += excess * excess;
        }
    }
    sum / rows.len() as f64
}

/// The error factor of an estimate that is `share` times the true value; at least 1.
pub fn off(share: f64) -> f64 {
    if share <= 0.0 {
        return f64::INFINITY;
    }
    share.max(1.0 / share)
}

/// The normal equations of some rows, with columns scaled to length 1.
struct Normal {
    products: Vec<Vec<f64>>,
    target: Vec<f64>,
    lengths: Vec<f64>,
}

impl Normal {
    fn of(rows: &[Vec<f64>], target: &[f64], is_in: impl Fn(usize) -> bool) -> Self {
        let columns = rows.first().map_or(0, Vec::len);
        let mut products = vec![vec![0.0; columns]; columns];
        let mut to = vec![0.0; columns];
        for (at, row) in rows.iter().enumerate().filter(|(at, _)| is_in(*at)) {
            for a in 0..columns {
                to[a] += row[a] * target[at];
                for b in 0..=a {
                    products[a][b] += row[a] * row[b];
                }
            }
        }
        let length = |column: usize| products[column][column].sqrt();
        let lengths: Vec<f64> = (0..columns).map(length).collect();
        for a in 0..columns {
            to[a] /= lengths[a].max(f64::MIN_POSITIVE);
            for b in 0..=a {
                products[a][b] /= (lengths[a] * lengths[b]).max(f64::MIN_POSITIVE);
                products[b][a] = products[a][b];
            }
        }
        Self {
            products,
            target: to,
            lengths,
        }
    }

    /// The nonnegative least squares coefficients of `columns`, by the active set method of Lawson and Hanson.
    fn solve(&self, columns: &[usize]) -> Linear {
        let count = columns.len();
        let product = |a: usize, b: usize| self.products[columns[a]][columns[b]];
        let mut value = vec![0.0; count];
        let mut free: Vec<usize> = Vec::new();
        // Each column enters and leaves a few times at most; the bound guards against endless loops by rounding errors.
        for _ in 0..3 * count {
            let gradient = |at: usize| {
                let known =
                    (0..count).fold(0.0, |sum, other| sum + product(at, other) * value[other]);
                self.target[columns[at]] - known
            };
            let mut steepest = (1e-10, None);
            for at in (0..count).filter(|at| !free.contains(at)) {
                let slope = gradient(at);
                if self.lengths[columns[at]] > 0.0 && slope > steepest.0 {
                    steepest = (slope, Some(at));
                }
            }
            let Some(entering) = steepest.1 else { break };
            free.push(entering);
            loop {
                let target = |at: usize| self.target[columns[free[at]]];
                let wanted = eliminated(free.len(), |a, b| product(free[a], free[b]), target);
                let mut step = (1.0, None);
                for (place, at) in free.iter().enumerate() {
                    if wanted[place] <= 0.0 {
                        let share =
                            value[*at] / (value[*at] - wanted[place]).max(f64::MIN_POSITIVE);
                        if share < step.0 || step.1.is_none() {
                            step = (share, Some(place));
                        }
                    }
                }
                for (place, at) in free.iter().enumerate() {
                    value[*at] += step.0 * (wanted[place] - value[*at]);
                }
                let Some(leaving) = step.1 else { break };
                value[free[leaving]] = 0.0;
                free.remove(leaving);
            }
        }
        let terms = columns.iter().zip(value).filter(|(_, value)| *value > 0.0);
        Linear {
            terms: terms
                .map(|(column, value)| (*column, value / self.lengths[*column]))
                .collect(),
        }
    }
}

/// Solves a symmetric positive semidefinite system by elimination; an undetermined variable is set to 0.
fn eliminated(
    count: usize,
    product: impl Fn(usize, usize) -> f64,
    target: impl Fn(usize) -> f64,
) -> Vec<f64> {
    let mut rows: Vec<Vec<f64>> = (0..count)
        .map(|a| {
            let row = (0..count).map(|b| product(a, b));
            row.chain([target(a)]).collect()
        })
        .collect();
    for pivot in 0..count {
        if rows[pivot][pivot] < 1e-10 {
            rows[pivot].fill(0.0);
            rows[pivot][pivot] = 1.0;
            continue;
        }
        for below in pivot + 1..count {
            let factor = rows[below][pivot] / rows[pivot][pivot];
            let (upper, lower) = rows.split_at_mut(below);
            let above = upper[pivot][pivot..=count].iter();
            for (under, above) in lower[0][pivot..=count].iter_mut().zip(above) {
                *under -= factor * above;
            }
        }
    }
    let mut value = vec![0.0; count];
    for row in (0..count).rev() {
        let known = (row + 1..count).fold(0.0, |sum, at| sum + rows[row][at] * value[at]);
        value[row] = (rows[row][count] - known) / rows[row][row];
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Forty rows of five columns, quasi-random by multiples of irrational numbers.
    fn rows() -> Vec<Vec<f64>> {
        let spread = |row: usize, column: usize| {
            let irrational = [
                0.618_033_988_7,
                0.414_213_562_3,
                0.732_050_807_5,
                0.236_067_977_4,
            ];
            1.0 + 99.0 * (row as f64 * irrational[column]).fract()
        };
        let value = |row: usize, column: usize| match column {
            4 => 1.0,
            _ => spread(row, column),
        };
        let row = |row| (0..5).map(|column| value(row, column)).collect();
        (1..41).map(row).collect()
    }

    /// The rows, each divided by its value of `truth`.
    fn relative(rows: &[Vec<f64>], truth: impl Fn(&[f64]) -> f64) -> Vec<Vec<f64>> {
        let divided = |row: &Vec<f64>| row.iter().map(|value| value / truth(row)).collect();
        rows.iter().map(divided).collect()
    }

    #[test]
    fn planted_coefficients_come_back_and_other_columns_stay_out() {
        let rows = relative(&rows(), |row| 3.0 * row[0] + 0.25 * row[2] + 40.0 * row[4]);
        let model = chosen(&rows, &[0.0; 40], 8);
        let planted = [(0, 3.0), (2, 0.25), (4, 40.0)];
        assert_eq!(model.terms.len(), 3, "{model:?}");
        for ((column, factor), (expected, truth)) in model.terms.iter().zip(planted) {
            assert_eq!(*column, expected);
            assert!((factor / truth - 1.0).abs() < 1e-6, "{model:?}");
        }
    }

    #[test]
    fn an_offset_is_not_predicted_again() {
        let truth = |row: &[f64]| 2.0 * row[0] + 5.0 * row[1];
        let own = rows();
        let offsets: Vec<f64> = own.iter().map(|row| 2.0 * row[0] / truth(row)).collect();
        let model = chosen(&relative(&own, truth), &offsets, 8);
        assert!(
            matches!(model.terms[..], [(1, factor)] if (factor - 5.0).abs() < 1e-6),
            "{model:?}"
        );
    }

    #[test]
    fn a_coefficient_that_would_be_negative_is_left_out() {
        let rows = relative(&rows(), |row| 200.0 + row[0] - row[1]);
        let model = chosen(&rows, &[0.0; 40], 5);
        assert!(
            model
                .terms
                .iter()
                .all(|(column, factor)| *column != 1 && *factor > 0.0),
            "{model:?}"
        );
    }
}
