//! Percentile bootstrap (Efron 1979) of medians, means, shares and ratios, deterministic.
//!
//! The median of a resample is a middle order statistic, so which places of the sorted sample it
//! takes depends on the sample's size alone. Those places are drawn once per size and shared by all
//! samples of that size: a run of many small cells costs a table look-up per resample. For large
//! samples the place of the median is drawn from the normal limit of its Beta distribution.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use ikeru_core::Random;
use statrs::distribution::{Binomial, ContinuousCDF, DiscreteCDF, Normal};

use super::{Interval, mean, sorted};

/// Resamples of each interval.
const RESAMPLES: usize = 999;

/// Above this size places are drawn from the limit distribution.
const LARGE: usize = 200;

/// A count with a larger variance than this is close to its normal limit.
const WIDE: u32 = 100;

/// More rows than this are resampled in so many blocks.
const BLOCKS: usize = 500;

/// The two middle places of each resample; equal for odd sizes.
type Places = Rc<[(u32, u32)]>;

thread_local! {
    static PLACES: RefCell<BTreeMap<(usize, &'static str), Places>> =
        const { RefCell::new(BTreeMap::new()) };
}

/// The median of `values` with its 95 % interval; `None` of nothing. One value has no width.
#[must_use]
pub fn bootstrap_median(values: &[f64]) -> Option<Interval> {
    let values = sorted(values);
    let mid = super::quantile(&values, 0.5)?;
    Some(interval(mid, medians(&values, "median")))
}

/// `median(numerator) / median(denominator)` with its 95 % interval, the two resampled
/// independently; `None` where one of them is empty or the denominator's median is 0.
#[must_use]
pub fn bootstrap_ratio_of_medians(numerator: &[f64], denominator: &[f64]) -> Option<Interval> {
    let (above, below) = (sorted(numerator), sorted(denominator));
    let divisor = super::quantile(&below, 0.5)?;
    if divisor == 0.0 {
        return None;
    }
    let mid = super::quantile(&above, 0.5)? / divisor;
    let ratios = medians(&above, "median")
        .zip(medians(&below, "denominator"))
        .map(|(above, below)| above / below);
    Some(interval(mid, ratios))
}

/// The mean of `values` with its 95 % interval; `None` of nothing.
#[must_use]
pub fn bootstrap_mean(values: &[f64]) -> Option<Interval> {
    let mid = mean(values)?;
    if values.len() > LARGE {
        let n = values.len() as f64;
        let variance = values.iter().map(|x| (x - mid).powi(2)).sum::<f64>() / n;
        let half = normal_quantile(0.975) * (variance / n).sqrt();
        return Some(Interval::new(mid - half, mid, mid + half));
    }
    let mut random = Random::new("bootstrap-mean", values.len() as u64);
    let means = (0..RESAMPLES).map(|_| {
        let sum: f64 = values
            .iter()
            .map(|_| values[random.index(values.len())])
            .sum();
        sum / values.len() as f64
    });
    Some(interval(mid, means))
}

/// The geometric mean of positive values with its 95 % interval; `None` of nothing or of a value
/// that is not positive.
#[must_use]
pub fn bootstrap_geometric_mean(values: &[f64]) -> Option<Interval> {
    let logs: Option<Vec<f64>> = values
        .iter()
        .map(|value| (*value > 0.0).then(|| value.ln()))
        .collect();
    let mean = bootstrap_mean(&logs?)?;
    Some(Interval::new(
        mean.low.exp(),
        mean.mid.exp(),
        mean.high.exp(),
    ))
}

/// `part / whole` with its 95 % bootstrap interval; `None` of nothing. The share of a resample is
/// binomial, so nothing needs to be drawn. A share of 0 or 1 has no width.
#[must_use]
pub fn bootstrap_share(part: u64, whole: u64) -> Option<Interval> {
    if whole == 0 {
        return None;
    }
    let share = part as f64 / whole as f64;
    if part == 0 || part == whole {
        return Some(Interval::exact(share));
    }
    let variance = share * (1.0 - share) / whole as f64;
    // PERF: an exact quantile takes some 5 µs, a third of a page over 200,000 cells.
    if variance * (whole as f64).powi(2) > f64::from(WIDE) {
        let half = normal_quantile(0.975) * variance.sqrt();
        return Some(Interval::new(share - half, share, share + half));
    }
    let resampled = Binomial::new(share, whole).ok()?;
    let end = |at: f64| resampled.inverse_cdf(at) as f64 / whole as f64;
    Some(Interval::new(
        end(0.025).min(share),
        share,
        end(0.975).max(share),
    ))
}

/// The means of several columns over the same resampled rows: `[column][resample]`. Columns of
/// different lengths or without rows have none. More than 500 rows are first put into 500 random blocks of
/// nearly one size, which leaves the mean's distribution as it is.
#[must_use]
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

fn medians(sorted: &[f64], purpose: &'static str) -> impl Iterator<Item = f64> {
    let places = places(sorted.len(), purpose);
    (0..RESAMPLES).map(move |resample| {
        let (low, high) = places[resample];
        f64::midpoint(sorted[low as usize], sorted[high as usize])
    })
}

/// The 95 % percentile interval of [`RESAMPLES`] resampled values around `mid`.
pub(crate) fn interval(mid: f64, resampled: impl Iterator<Item = f64>) -> Interval {
    let mut resampled: Vec<f64> = resampled.collect();
    let (low, high) = (RESAMPLES / 40, RESAMPLES - 1 - RESAMPLES / 40);
    let low = *resampled.select_nth_unstable_by(low, f64::total_cmp).1;
    let high = *resampled.select_nth_unstable_by(high, f64::total_cmp).1;
    Interval::new(low.min(mid), mid, high.max(mid))
}

fn places(size: usize, purpose: &'static str) -> Places {
    PLACES.with_borrow_mut(|known| {
        Rc::clone(known.entry((size, purpose)).or_insert_with(|| {
            let mut random = Random::new(purpose, size as u64);
            let mut drawn = vec![0; size];
            (0..RESAMPLES)
                .map(|_| match size {
                    0..=LARGE => drawn_places(&mut random, &mut drawn),
                    _ => limit_places(&mut random, size),
                })
                .collect()
        }))
    })
}

fn drawn_places(random: &mut Random, drawn: &mut [u32]) -> (u32, u32) {
    let size = drawn.len();
    for place in drawn.iter_mut() {
        *place = random.index(size) as u32;
    }
    drawn.sort_unstable();
    (drawn[(size - 1) / 2], drawn[size / 2])
}

/// The middle of `n` uniform numbers is Beta(n/2, n/2), close to normal with variance 1 / (4(n+2)).
fn limit_places(random: &mut Random, size: usize) -> (u32, u32) {
    let spread = 0.5 / (size as f64 + 2.0).sqrt();
    let share = 0.5 + spread * normal_quantile(random.unit().clamp(1e-9, 1.0 - 1e-9));
    let place = ((share * size as f64) as usize).min(size - 1) as u32;
    (place, place)
}

/// The standard normal distribution's quantile.
pub(crate) fn normal_quantile(share: f64) -> f64 {
    Normal::standard().inverse_cdf(share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constant_has_no_width_and_nothing_has_no_median() {
        assert_eq!(bootstrap_median(&[5.0; 7]), Some(Interval::exact(5.0)));
        assert_eq!(bootstrap_median(&[]), None);
        assert_eq!(bootstrap_mean(&[2.0]), Some(Interval::exact(2.0)));
        assert_eq!(
            bootstrap_ratio_of_medians(&[6.0], &[3.0]),
            Some(Interval::exact(2.0))
        );
        assert_eq!(bootstrap_ratio_of_medians(&[6.0], &[0.0]), None);
    }

    #[test]
    fn intervals_cover_the_truth_about_as_often_as_they_say() {
        for size in [25, 400] {
            let mut random = Random::new("coverage", size);
            let covered = (0..400)
                .filter(|_| {
                    let values: Vec<f64> = (0..size).map(|_| random.unit()).collect();
                    let median = bootstrap_median(&values).expect("values");
                    let mean = bootstrap_mean(&values).expect("values");
                    assert!(median.low <= median.mid && median.mid <= median.high);
                    assert!(mean.low <= mean.mid && mean.mid <= mean.high);
                    median.low <= 0.5 && 0.5 <= median.high
                })
                .count();
            assert!(
                (356..=396).contains(&covered),
                "{covered} of 400 at size {size}"
            );
        }
    }

    #[test]
    fn shares_have_binomial_quantiles() {
        // scipy.stats.binom.ppf([0.025, 0.975], 20, 0.4) is 4 and 12; of 100 at 0.9 it is 84 and 95.
        let share = |part, whole| bootstrap_share(part, whole).expect("a share");
        assert_eq!(share(8, 20), Interval::new(0.2, 0.4, 0.6));
        assert_eq!(share(90, 100), Interval::new(0.84, 0.9, 0.95));
        assert_eq!(share(3, 3), Interval::exact(1.0));
        // ppf([0.025, 0.975], 1000, 0.5) is 469 and 531.
        let many = share(500, 1000);
        assert!((many.low - 0.469).abs() < 1e-3 && (many.high - 0.531).abs() < 1e-3);
        assert_eq!(bootstrap_share(0, 0), None);
    }

    #[test]
    fn geometric_means() {
        let mean = bootstrap_geometric_mean(&[1.0, 4.0, 2.0]).expect("positive");
        assert!((mean.mid - 2.0).abs() < 1e-12 && mean.low >= 1.0 && mean.high <= 4.0);
        assert_eq!(bootstrap_geometric_mean(&[1.0, 0.0]), None);
        assert_eq!(bootstrap_geometric_mean(&[]), None);
    }

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
