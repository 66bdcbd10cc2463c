//! Verdicts on samples that are doubled until they decide: the rate of wrong verdicts, and the sizes of the samples.
//!
//! 10,000 simulated figures for each case, with the rule of a page: the p value of each look times the number of looks
//! is compared with the level.

use ikeru_book::evidence::Evidence;
use ikeru_core::Random;
use ikeru_statistics::interval::t_mean;

const FIGURES: u64 = 10_000;
const LEVEL: f64 = 0.05;
/// The first look, one after each of eight doublings, and one at the end of the time.
const LOOKS: i32 = 10;
const DOUBLINGS: u32 = 8;

fn normal(random: &mut Random) -> f64 {
    (0..12).map(|_| random.unit()).sum::<f64>() - 6.0
}

/// The shares of figures decided as inside and as outside the band, and the mean sample size.
fn judged(
    name: &str,
    first: usize,
    [low, high]: [f64; 2],
    mut value: impl FnMut(&mut Random) -> f64,
    evidence: impl Fn(&[f64]) -> Option<(f64, Evidence)>,
) -> [f64; 3] {
    let (mut inside, mut outside, mut taken) = (0, 0, 0);
    let mut random = Random::new(name, 1);
    for _ in 0..FIGURES {
        let mut values = Vec::new();
        for doubling in 0..=DOUBLINGS {
            values.resize_with(first << doubling, || value(&mut random));
            let Some((estimate, evidence)) = evidence(&values) else {
                continue;
            };
            let is_inside = low <= estimate && estimate <= high;
            let chance = if is_inside {
                evidence.chance_above(low).max(evidence.chance_below(high))
            } else if estimate < low {
                evidence.chance_below(low)
            } else {
                evidence.chance_above(high)
            };
            if 2.0 * chance * f64::from(LOOKS) <= LEVEL {
                *(if is_inside { &mut inside } else { &mut outside }) += 1;
                break;
            }
        }
        taken += values.len();
    }
    let share = |count: usize| count as f64 / FIGURES as f64;
    let result = [share(inside), share(outside), share(taken)];
    println!("{name}: inside, outside, mean n {result:?}");
    result
}

fn of_mean(values: &[f64]) -> Option<(f64, Evidence)> {
    let mean = t_mean(values)?;
    Some((mean.value, Evidence::of_mean(mean, values.len(), false)?))
}

fn of_share(values: &[f64]) -> Option<(f64, Evidence)> {
    let share = values.iter().sum::<f64>() / values.len() as f64;
    let of = values.len();
    Some((share, Evidence::Share { share, of }))
}

#[test]
fn a_truth_at_the_end_of_the_band_is_rarely_placed_on_a_side() {
    let bound = LEVEL + 3.0 * (LEVEL * (1.0 - LEVEL) / FIGURES as f64).sqrt();
    let band = [-1.0, 1.0];
    let at_end = judged(
        "normal, at the end",
        6,
        band,
        |random| 1.0 + normal(random),
        of_mean,
    );
    assert!(at_end[0] + at_end[1] <= bound, "{at_end:?}");
    let exponential = |random: &mut Random| -random.unit().max(1e-12).ln();
    let skewed = judged(
        "exponential, at the end",
        50,
        [0.0, 1.0],
        exponential,
        of_mean,
    );
    assert!(skewed[0] + skewed[1] <= bound, "{skewed:?}");
    let share = |random: &mut Random| f64::from(u8::from(random.chance(0.1)));
    let share = judged("share, at the end", 25, [0.1, 0.3], share, of_share);
    assert!(share[0] + share[1] <= bound, "{share:?}");
}

#[test]
fn what_lies_clearly_on_a_side_is_decided() {
    // Means and standard deviations of the thesis's games.
    let at = |mean: f64, scatter: f64| move |random: &mut Random| mean + scatter * normal(random);
    let chains = judged(
        "combined, chains",
        100,
        [10.44, 11.54],
        at(10.2, 1.7),
        of_mean,
    );
    assert!(
        chains[1] > 0.99 && chains[0] == 0.0 && chains[2] < 2_000.0,
        "{chains:?}"
    );
    let moves = judged(
        "potential, moves",
        100,
        [39.14, 43.26],
        at(41.0, 13.0),
        of_mean,
    );
    assert!(
        moves[0] > 0.99 && moves[1] < 0.01 && moves[2] < 2_500.0,
        "{moves:?}"
    );
    let over = |random: &mut Random| f64::from(u8::from(random.chance(0.084)));
    let over = judged("both, over 30", 30, [0.0221, 0.0459], over, of_share);
    assert!(
        over[1] > 0.99 && over[0] < 0.01 && over[2] < 1_500.0,
        "{over:?}"
    );
}
