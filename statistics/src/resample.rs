//! Bootstrap resamples (Efron 1979) of rows that several columns share. They are deterministic.

use ikeru_core::Random;

/// The number of resamples.
const RESAMPLES: usize = 999;

/// The maximum number of blocks: more rows than this are resampled in this number of blocks.
const BLOCKS: usize = 500;

/// The means of several columns over the same resampled rows: `[column][resample]`. They are empty if the columns have
/// different lengths or no rows. More than 500 rows are first put into 500 random blocks of nearly equal size, which
/// does not change the distribution of the mean.
pub fn joint_means(columns: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let rows = columns.first().map_or(0, Vec::len);
    if rows == 0 || columns.iter().any(|column| column.len() != rows) {
        return vec![Vec::new(); columns.len()];
    }
    let mut random = Random::new("joint-means", rows as u64);
    let mut order: Vec<usize> = (0..rows).collect();
    if rows > BLOCKS {
        random.shuffle(&mut order);
    }
    let blocks: Vec<&[usize]> = match rows {
        0..=BLOCKS => order.chunks(1).collect(),
        _ => {
            let cut = |block: usize| block * rows / BLOCKS;
            (0..BLOCKS)
                .map(|block| &order[cut(block)..cut(block + 1)])
                .collect()
        }
    };
    let sums: Vec<Vec<f64>> = columns
        .iter()
        .map(|column| {
            let sum = |block: &&[usize]| block.iter().map(|row| column[*row]).sum();
            blocks.iter().map(sum).collect()
        })
        .collect();
    let mut means = vec![Vec::with_capacity(RESAMPLES); columns.len()];
    let mut drawn = vec![0; blocks.len()];
    for _ in 0..RESAMPLES {
        drawn.fill_with(|| random.index(blocks.len()));
        let size: usize = drawn.iter().map(|block| blocks[*block].len()).sum();
        for (means, sums) in means.iter_mut().zip(&sums) {
            let sum: f64 = drawn.iter().map(|block| sums[*block]).sum();
            means.push(sum / size as f64);
        }
    }
    means
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mean;

    #[test]
    fn joint_means_keep_rows_together_and_blocks_keep_the_spread() {
        let mut random = Random::new("joint", 1);
        for rows in [400, 4_000] {
            let first: Vec<f64> = (0..rows).map(|_| random.unit()).collect();
            let second: Vec<f64> = first.iter().map(|value| 1.0 - value).collect();
            let means = joint_means(&[first, second]);
            assert_eq!(means[0].len(), RESAMPLES);
            for (a, b) in means[0].iter().zip(&means[1]) {
                assert!((a + b - 1.0).abs() < 1e-9);
            }
            // The standard error of a mean of uniform numbers is √(1 / (12 rows)).
            let mean = mean(&means[0]).expect("means");
            let spread = means[0].iter().map(|x| (x - mean).powi(2)).sum::<f64>();
            let error = (spread / RESAMPLES as f64).sqrt() * (12.0 * f64::from(rows)).sqrt();
            assert!((0.9..1.1).contains(&error), "{error} at {rows}");
        }
        assert!(joint_means(&[vec![], vec![]]).iter().all(Vec::is_empty));
    }
}
