use ikeru_core::Random;

use super::*;
use crate::tests::normal;

/// The difference at 5 % of instances that are parts each on its own.
fn by_instance(instances: &[Vec<Question>]) -> Option<Difference> {
    let parts: Vec<_> = instances.chunks(1).collect();
    Difference::of(&parts, EffectScale::Logarithm, 0.05)
}

fn sample(values: impl IntoIterator<Item = f64>) -> CensoredSample {
    CensoredSample {
        values: values.into_iter().collect(),
        ..CensoredSample::default()
    }
}

fn question(a: &[f64], b: &[f64], is_exact: bool) -> Question {
    Question {
        a: sample(a.iter().copied()),
        b: sample(b.iter().copied()),
        is_exact,
        planned: None,
    }
}

/// The kinds of noise of a logarithm of a time.
const NOISES: [&str; 5] = ["normal", "outliers", "pareto", "bimodal", "ties"];

fn noise(kind: &str, random: &mut Random) -> f64 {
    let own = 0.03 * normal(random);
    let half = random.chance(0.5);
    match kind {
        "outliers" if random.chance(0.1) => own + (10.0 * random.unit()).ln_1p(),
        "pareto" => 0.1 * -(1.0 - random.unit()).ln() / 1.1,
        "bimodal" if half => own + 1.3_f64.ln(),
        "ties" => {
            if half {
                1.05_f64.ln()
            } else {
                0.0
            }
        }
        _ => own,
    }
}

/// Instances with `repeats` samples a side; the instances' own logarithms scatter by `spread` around `effect`. Also returns the
/// mean of their true logarithms.
fn drawn(
    random: &mut Random,
    kind: &str,
    [instances, repeats]: [usize; 2],
    [effect, spread]: [f64; 2],
) -> (Vec<Vec<Question>>, f64) {
    let mut truth = 0.0;
    let instance = |_| {
        let own = effect + spread * normal(random);
        truth += own / instances as f64;
        let mut side =
            |shift: f64| sample((0..repeats).map(|_| (shift + noise(kind, random)).exp()));
        vec![Question {
            a: side(own),
            b: side(0.0),
            is_exact: false,
            planned: None,
        }]
    };
    let all: Vec<Vec<Question>> = (0..instances).map(instance).collect();
    (all, truth)
}

const SHAPES: [[usize; 2]; 10] = [
    [2, 5],
    [3, 5],
    [3, 3],
    [6, 5],
    [6, 7],
    [12, 3],
    [20, 5],
    [20, 7],
    [30, 1],
    [1, 20],
];

/// Returns whether any row is decided.
fn is_decided(difference: &Difference) -> bool {
    let parts = difference.parts.iter().flatten();
    difference.side().is_some() || parts.into_iter().any(|part| part.side().is_some())
}

/// Any false decision of equal sides, in any row of the comparison.
#[test]
fn equal_sides_are_rarely_decided() {
    for (seed, shape) in SHAPES.into_iter().enumerate() {
        for kind in NOISES {
            let mut random = Random::new("compare-level", seed as u64);
            let found = (0..500).filter(|_| {
                let (all, _) = drawn(&mut random, kind, shape, [0.0, 0.0]);
                let difference = by_instance(&all);
                is_decided(&difference.expect("values"))
            });
            let found = found.count();
            assert!(found <= 37, "{found} of 500 ({kind}, {shape:?})");
        }
    }
}

/// This many sessions that added samples.
fn additions(count: usize) -> Additions {
    (0..count).map(|at| (0, at.to_string())).collect()
}

/// Keeps the first `repeats` samples of each side, of which the first `planned` were planned.
fn looked(all: &[Vec<Question>], planned: usize, repeats: usize) -> Vec<Vec<Question>> {
    let first = |side: &CensoredSample, count: usize| sample(side.values[..count].to_vec());
    let question = |one: &Question| Question {
        a: first(&one.a, repeats),
        b: first(&one.b, repeats),
        is_exact: false,
        planned: (repeats > planned).then(|| Planned {
            sides: [first(&one.a, planned), first(&one.b, planned)],
            additions: additions(repeats / planned - 1),
        }),
    };
    let instance = |own: &Vec<Question>| own.iter().map(question).collect();
    all.iter().map(instance).collect()
}

#[test]
fn looks_in_which_repeats_are_added_decide_no_more_than_one() {
    let (mut found, mut found_at_once) = (0, 0);
    for shape in [[1, 8], [6, 5]] {
        let mut random = Random::new("compare-looks", shape[0] as u64);
        for _ in 0..300 {
            let long = [shape[0], 6 * shape[1]];
            let (all, _) = drawn(&mut random, "normal", long, [0.0, 0.0]);
            let is_found = |look: &usize| {
                let own = looked(&all, shape[1], look * shape[1]);
                is_decided(&by_instance(&own).expect("values"))
            };
            found += usize::from((1..=6).any(|look| is_found(&look)));
            let is_found = |look: &usize| {
                let own = looked(&all, look * shape[1], look * shape[1]);
                is_decided(&by_instance(&own).expect("values"))
            };
            found_at_once += usize::from((1..=6).any(|look| is_found(&look)));
        }
    }
    // 5 % and a fifth of it more are 36 of 600; each look as if it were the only one is far above.
    assert!(found <= 39, "{found} of 600");
    assert!(found_at_once > 55, "{found_at_once} of 600");
}

/// The first `count` instances, of which the first `planned` were planned and each later session added as many.
fn grown(all: &[Vec<Question>], planned: usize, count: usize) -> Vec<Vec<Question>> {
    let mut kept = all[..count].to_vec();
    for (at, own) in kept.iter_mut().enumerate().skip(planned) {
        own[0].planned = Some(Planned {
            sides: [sample([]), sample([])],
            additions: [(0, (at / planned).to_string())].into(),
        });
    }
    kept
}

#[test]
fn looks_in_which_instances_are_added_decide_no_more_than_one() {
    let (mut found, mut found_at_once, mut kept, mut held) = (0, 0, [0; 2], 0);
    for shape in [[6, 5], [12, 1]] {
        let mut random = Random::new("compare-grown", shape[0] as u64);
        let looks = |all: &[Vec<Question>]| {
            let look = |look: usize| {
                let own = grown(all, shape[0], look * shape[0]);
                by_instance(&own).expect("values")
            };
            (1..=6).map(look).collect::<Vec<_>>()
        };
        for _ in 0..200 {
            let long = [6 * shape[0], shape[1]];
            let (all, _) = drawn(&mut random, "normal", long, [0.0, 0.0]);
            found += usize::from(looks(&all).iter().any(is_decided));
            let is_found = |look: &usize| {
                let own = by_instance(&all[..look * shape[0]]);
                is_decided(&own.expect("values"))
            };
            found_at_once += usize::from((1..=6).any(|look| is_found(&look)));
            // The planned look is that of a run without additions, and its decision on instances like these stays.
            let (all, truth) = drawn(&mut random, "normal", long, [0.05, 0.05]);
            let looks = looks(&all);
            assert_eq!(Some(&looks[0]), by_instance(&all[..shape[0]]).as_ref());
            if looks[0].side_alike().is_some() {
                kept[0] += 1;
                let stays = |look: &Difference| look.alike.side() == looks[0].alike.side();
                kept[1] += usize::from(looks.iter().all(stays));
            }
            // The mean of the present instances, which is not that of the planned ones.
            let these = looks[5].these.estimate.interval;
            held += usize::from(these.is_none_or(|it| it.low <= truth && truth <= it.high));
        }
    }
    // 5 % and a fifth of it more are 24 of 400.
    assert!(found <= 26, "{found} of 400");
    assert!(found_at_once > 36, "{found_at_once} of 400");
    assert!(kept[0] > 150 && kept[1] >= kept[0] - 4, "{kept:?}");
    assert!(held >= 384, "{held} of 400");
}

#[test]
fn looks_that_contradict_each_other_allow_all_between_them() {
    let early = [9.9, 10.0, 10.1, 10.0, 9.9, 10.1];
    let late = [49.0, 50.0, 51.0, 50.0, 49.0, 51.0, 50.0, 49.0, 51.0, 50.0];
    let ends = |a: &[f64], b: &[f64]| {
        let planned = Planned {
            sides: [sample(early), sample(early.map(|it| it / 2.0))],
            additions: additions(1),
        };
        let mut one = question(a, b, false);
        one.planned = Some(planned);
        let found = by_instance(&[vec![one]]).expect("values").these;
        let ends = found.estimate.interval.expect("repeats");
        (found.estimate.value, ends, found.level)
    };
    let (value, both, level) = ends(&[&early[..], &late].concat(), &[5.0, 5.1, 4.9].repeat(5));
    assert!(
        both.low < 2.0_f64.ln() + 0.1 && both.high >= value,
        "{both:?} {value}"
    );
    assert!((level - 0.055).abs() < 1e-12);
}

/// The printed interval holds the mean of the instances' true factors, also where these differ.
#[test]
fn the_interval_on_these_instances_covers_their_mean() {
    for spread in [0.0, 0.1, 0.5] {
        for shape in [[6, 6], [20, 5], [12, 3]] {
            let mut random = Random::new("compare-coverage", shape[0] as u64);
            let held = (0..600).filter(|_| {
                let (all, truth) = drawn(&mut random, "normal", shape, [0.1, spread]);
                let found = by_instance(&all).expect("values");
                let ends = found.these.estimate.interval.expect("repeats");
                ends.low <= truth && truth <= ends.high
            });
            let held = held.count();
            assert!(held >= 564, "{held} of 600 ({spread}, {shape:?})");
        }
    }
}

/// The gate of 5 % finds a slowdown of 8 % of the whole suite, and more repeats never find less.
#[test]
fn slowdowns_of_the_whole_suite_are_found() {
    let found = |shape, effect: f64, gate: f64| {
        let mut random = Random::new("compare-power", 1);
        let is_found = |_: &usize| {
            let (all, _) = drawn(&mut random, "normal", shape, [effect.ln_1p(), 0.0]);
            let found = by_instance(&all).expect("values");
            let ends = found.these.estimate.interval.expect("repeats");
            ends.low > gate.ln_1p()
        };
        (0..200).filter(is_found).count()
    };
    let by_repeats = [5, 6, 7, 10].map(|repeats| found([6, repeats], 0.08, 0.05));
    assert!(by_repeats[0] >= 165, "{by_repeats:?}");
    assert!(by_repeats.is_sorted(), "{by_repeats:?}");
    let whole = found([6, 5], 0.02, 0.0);
    assert!(whole >= 100, "{whole} of 200");
    assert!(found([6, 5], 0.05, 0.05) <= 8);
}

#[test]
fn instances_that_disagree_are_decided_each_on_its_own() {
    let of = |by: f64| {
        (0..8)
            .map(|at| by * (1000.0 + f64::from(at)))
            .collect::<Vec<_>>()
    };
    let apart = [(10.0, 1.0), (1.0, 10.0)];
    let all: Vec<Vec<Question>> = apart
        .iter()
        .map(|(a, b)| vec![question(&of(*a), &of(*b), false)])
        .collect();
    let found = by_instance(&all).expect("values");
    assert_eq!(found.side(), None);
    let sides = found
        .parts
        .iter()
        .map(|part| part.and_then(|part| part.side()));
    let expected = [Some(Ordering::Greater), Some(Ordering::Less)];
    assert_eq!(sides.collect::<Vec<_>>(), expected);
}

#[test]
fn reproducible_values_need_no_second_sample_and_others_need_repeats() {
    let side = |repeats: usize, is_exact| {
        let all = [vec![question(
            &vec![90.0; repeats],
            &vec![30.0; repeats],
            is_exact,
        )]];
        by_instance(&all).expect("values").side()
    };
    assert_eq!(side(1, true), Some(Ordering::Greater));
    assert_eq!(
        [1, 2, 3, 4].map(|repeats| side(repeats, false).is_some()),
        [false, false, true, true]
    );
}

#[test]
fn stopped_samples_leave_an_end_open() {
    let mut stopped = question(&[], &[9.0, 9.1, 9.2], false);
    (0..3).for_each(|_| stopped.a.push(900.0, Bound::AtLeast));
    let other = question(&[10.0, 11.0, 12.0], &[9.0, 9.1, 9.2], false);
    let found = by_instance(&[vec![stopped.clone()], vec![other]]);
    let these = found.expect("values").these.estimate;
    let ends = these.interval.expect("an interval");
    assert!(ends.low > 0.0 && ends.high.is_infinite(), "{ends:?}");
    stopped.b = stopped.a.clone();
    assert_eq!(by_instance(&[vec![stopped]]), None);
}

#[test]
fn exact_values_are_decided_on_these_instances_and_not_always_on_others() {
    let of = |counts: &[(f64, f64)]| {
        let one = |(a, b): &(f64, f64)| vec![question(&[*a], &[*b], true)];
        let all: Vec<Vec<Question>> = counts.iter().map(one).collect();
        let found = by_instance(&all).expect("values");
        (found.side(), found.side_alike())
    };
    let greater = Some(Ordering::Greater);
    assert_eq!(of(&[(90.0, 30.0), (9.0, 8.0)]), (greater, None));
    let alike = [(90.0, 30.0), (99.0, 31.0), (80.0, 30.0), (95.0, 29.0)];
    assert_eq!(of(&alike), (greater, greater));
}
