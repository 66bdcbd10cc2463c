//! Whether samples show more than one hump: Hartigan's dip and the split between two humps.
//!
//! The dip (Hartigan & Hartigan 1985, "The dip test of unimodality") is the distance of the samples'
//! distribution function from the nearest one with a single mode: convex up to the mode, concave
//! after it. Its chance under one mode is taken, as there, from uniform samples of the same size,
//! which among unimodal distributions dip the most (asymptotically).

use ikeru_core::Random;

use crate::{median, sorted};

/// Uniform samples from which the chance of a dip is read.
const SIMULATED: usize = 500;

/// One place of a distribution function: how many values lie below `x`, and how many up to it.
#[derive(Debug, Clone, Copy)]
struct Place {
    x: f64,
    below: f64,
    upto: f64,
}

/// Hartigan's dip, between 1/(2n) and 1/4; `None` of nothing.
pub fn dip(values: &[f64]) -> Option<f64> {
    let values = sorted(values);
    let count = values.len() as f64;
    let places = places(&values);
    let (mut first, mut last) = (0, places.len().checked_sub(1)?);
    // Heights are counts here, and the dip is half of a distance.
    let mut dip = 1.0_f64;
    loop {
        let within = &places[first..=last];
        let convex = hull(within, |place| place.below, 1.0);
        let concave = hull(within, |place| place.upto, -1.0);
        let (distance, left, right) = widest(within, &convex, &concave);
        if distance <= dip {
            break;
        }
        dip = dip
            .max(excess(within, &convex, left))
            .max(deficit(within, &concave, right));
        if (left, right) == (0, within.len() - 1) {
            break;
        }
        (first, last) = (first + left, first + right);
    }
    Some(dip / (2.0 * count))
}

fn places(sorted: &[f64]) -> Vec<Place> {
    let mut below = 0.0;
    sorted
        .chunk_by(|a, b| a == b)
        .map(|equal| {
            let upto = below + equal.len() as f64;
            let place = Place {
                x: equal[0],
                below,
                upto,
            };
            below = upto;
            place
        })
        .collect()
}

/// The knots of the greatest convex minorant (`side` 1) or least concave majorant (`side` −1).
fn hull(places: &[Place], height: impl Fn(&Place) -> f64, side: f64) -> Vec<usize> {
    let mut knots: Vec<usize> = Vec::new();
    for at in 0..places.len() {
        while let [.., a, b] = knots[..] {
            let (p, q, r) = (&places[a], &places[b], &places[at]);
            let turn =
                (q.x - p.x) * (height(r) - height(p)) - (height(q) - height(p)) * (r.x - p.x);
            if turn * side > 0.0 {
                break;
            }
            knots.pop();
        }
        knots.push(at);
    }
    knots
}

/// The height at place `at` of the line through the knots around it, and those knots.
fn line(
    places: &[Place],
    knots: &[usize],
    height: impl Fn(&Place) -> f64,
    at: usize,
) -> (f64, usize, usize) {
    let next = knots.partition_point(|knot| *knot < at);
    let b = knots[next];
    if b == at {
        return (height(&places[b]), b, b);
    }
    let a = knots[next - 1];
    let (p, q) = (&places[a], &places[b]);
    let share = (places[at].x - p.x) / (q.x - p.x);
    (height(p) + share * (height(q) - height(p)), a, b)
}

/// The widest distance between the two hulls, which is at a knot, and the modal interval it leaves:
/// from a knot of the convex one to a knot of the concave one.
fn widest(places: &[Place], convex: &[usize], concave: &[usize]) -> (f64, usize, usize) {
    let mut widest = (0.0, 0, places.len() - 1);
    for &knot in convex {
        let (above, _, next) = line(places, concave, |place| place.upto, knot);
        let distance = above - places[knot].below;
        if distance > widest.0 {
            widest = (distance, knot, next);
        }
    }
    for &knot in concave {
        let (below, previous, _) = line(places, convex, |place| place.below, knot);
        let distance = places[knot].upto - below;
        if distance > widest.0 {
            widest = (distance, previous, knot);
        }
    }
    widest
}

/// How far the distribution function rises above its convex minorant up to `left`.
fn excess(places: &[Place], convex: &[usize], left: usize) -> f64 {
    let above = |at: usize| places[at].upto - line(places, convex, |place| place.below, at).0;
    (0..left).map(above).fold(0.0, f64::max)
}

/// How far it falls below its concave majorant after `right`.
fn deficit(places: &[Place], concave: &[usize], right: usize) -> f64 {
    let below = |at: usize| line(places, concave, |place| place.upto, at).0 - places[at].below;
    (right + 1..places.len()).map(below).fold(0.0, f64::max)
}

/// The share of uniform samples of the same size that dip at least as much; `None` of fewer than
/// four values.
pub fn dip_chance(values: &[f64]) -> Option<f64> {
    if values.len() < 4 {
        return None;
    }
    let found = dip(values)?;
    let mut random = Random::new("dip", values.len() as u64);
    let deeper = (0..SIMULATED)
        .filter(|_| {
            let uniform: Vec<f64> = values.iter().map(|_| random.unit()).collect();
            dip(&uniform).is_some_and(|dip| dip >= found)
        })
        .count();
    Some((deeper + 1) as f64 / (SIMULATED + 1) as f64)
}

/// Two humps: the median of each, and the share of values in the upper one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Humps {
    /// Median of the lower part.
    pub low: f64,
    /// Median of the upper part.
    pub high: f64,
    /// Share of the values in the upper part.
    pub share: f64,
}

/// The split into two parts with the least sum of squares within them (Otsu 1979; Fisher 1958);
/// `None` of values that are all equal. It finds two parts in anything: ask [`dip_chance`] first.
pub fn humps(values: &[f64]) -> Option<Humps> {
    let values = sorted(values);
    let (first, last) = (values.first()?, values.last()?);
    if first == last {
        return None;
    }
    let total: f64 = values.iter().sum();
    let count = values.len() as f64;
    let mut best = (f64::NEG_INFINITY, 1);
    let mut sum = 0.0;
    for (at, value) in values[..values.len() - 1].iter().enumerate() {
        sum += value;
        let below = (at + 1) as f64;
        let apart = sum / below - (total - sum) / (count - below);
        let between = below * (count - below) * apart * apart;
        if between > best.0 {
            best = (between, at + 1);
        }
    }
    let (lower, upper) = values.split_at(best.1);
    Some(Humps {
        low: median(lower)?,
        high: median(upper)?,
        share: upper.len() as f64 / count,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-8, "{found} is not {expected}");
    }

    #[test]
    fn dips_by_hand() {
        // Evenly spread values are as unimodal as n steps can be: 1/(2n). Two points dip by 1/4.
        let even: Vec<f64> = (0..20).map(f64::from).collect();
        close(dip(&even).expect("values"), 1.0 / 40.0);
        let two: Vec<f64> = (0..20).map(|at| f64::from(at % 2)).collect();
        close(dip(&two).expect("values"), 0.25);
        close(dip(&[3.0]).expect("a value"), 0.5);
        assert_eq!(dip(&[]), None);
        // Two even humps of n/2 each, ten times as far apart as they are wide.
        let far: Vec<f64> = (0..40)
            .map(|at| f64::from(at % 20) + 200.0 * f64::from(at / 20))
            .collect();
        let dip = dip(&far).expect("values");
        assert!((0.2..0.25).contains(&dip), "{dip}");
    }

    #[test]
    fn dips_of_known_samples() {
        let made = |count: i64, value: fn(i64) -> i64| -> Vec<f64> {
            (0..count).map(|at| value(at) as f64).collect()
        };
        // Expected values: dipstat of the Python package diptest 0.12.
        for (values, expected) in [
            (made(101, |at| at * at * 7919 % 1009), 0.030_087_814_435),
            (made(60, |at| at * at % 17), 0.102_083_333_333),
            (
                made(50, |at| at * at * 7919 % 101 + i64::from(at % 3 == 0) * 150),
                0.061_025_641_026,
            ),
            (made(40, |at| (at - 20).pow(3)), 0.0125),
            (
                vec![1.0, 2.0, 3.0, 10.0, 11.0, 12.0, 13.0],
                0.166_666_666_667,
            ),
        ] {
            close(dip(&values).expect("values"), expected);
        }
    }

    fn normal(random: &mut Random) -> f64 {
        (0..12).map(|_| random.unit()).sum::<f64>() - 6.0
    }

    #[test]
    fn one_hump_is_rarely_called_two_and_two_are_found() {
        let mut random = Random::new("humps", 1);
        let called = |values: &[f64]| dip_chance(values).is_some_and(|chance| chance < 0.05);
        let one = (0..60)
            .filter(|at| {
                let values: Vec<f64> = (0..60)
                    .map(|_| match at % 3 {
                        0 => normal(&mut random),
                        1 => random.unit(),
                        // A long tail, as times have.
                        _ => -random.unit().max(1e-9).ln(),
                    })
                    .collect();
                called(&values)
            })
            .count();
        assert!(one <= 6, "{one} of 60 unimodal samples");
        let two = (0..20)
            .filter(|_| {
                let values: Vec<f64> = (0..90)
                    .map(|at| normal(&mut random) + if at % 3 == 0 { 6.0 } else { 0.0 })
                    .collect();
                let humps = humps(&values).expect("two parts");
                assert!((humps.share - 1.0 / 3.0).abs() < 0.1, "{humps:?}");
                called(&values)
            })
            .count();
        assert!(two >= 19, "{two} of 20 bimodal samples");
    }

    #[test]
    fn a_split_is_where_the_gap_is() {
        let humps = humps(&[10.0, 1.0, 2.0, 3.0, 11.0]).expect("two parts");
        assert_eq!((humps.low, humps.high, humps.share), (2.0, 10.5, 0.4));
        assert_eq!(super::humps(&[1.0; 4]), None);
        assert_eq!(super::humps(&[]), None);
    }
}
