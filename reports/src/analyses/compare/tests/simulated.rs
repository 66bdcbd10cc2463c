//! Simulated tables: the rate at which two equal sides are decided to differ, and at which a slower side is found.

use ikeru_core::Random;

use crate::analyses::compare::cut::CutPair;
use crate::analyses::compare::join::Pair;
use crate::analyses::compare::*;
use crate::metric::Metric;
use crate::statistics::Bound;
use crate::statistics::decision::Decision;
use crate::statistics::sample::CensoredSample;

fn terms(bound: f64) -> CompareTerms {
    CompareTerms {
        metric: Metric::Wall,
        bound,
        force: false,
        better: Better::Lower,
    }
}

/// A table of six rows, each of one question or of eight questions with few repeats; B is slower by `effect`.
fn noisy_table(random: &mut Random, effect: f64) -> Vec<ComparedRow> {
    let mut noisy = |count: usize, factor: f64| {
        let mut sample = CensoredSample::default();
        for _ in 0..count {
            let time = 1e6 * factor * (0.3 * random.unit().powi(2)).exp();
            sample.push(time, Bound::Exact);
        }
        sample
    };
    let mut pair = |count: usize, hash: usize| {
        let (a, b) = (noisy(count, 1.0), noisy(count, effect));
        Pair {
            variant: String::new(),
            instance: String::new(),
            hash: hash.to_string(),
            question: String::new(),
            cut: CutPair::of(&a, &b).expect("no timeouts"),
            is_deterministic: false,
            is_placebo: false,
            failed: Default::default(),
            a,
            b,
        }
    };
    (0..6)
        .map(|at| ComparedRow {
            variant: String::new(),
            place: String::new(),
            pairs: if at % 2 == 0 {
                vec![pair(8, 0)]
            } else {
                (0..8).map(|question| pair(5, question)).collect()
            },
        })
        .collect()
}

#[test]
fn runs_of_the_same_thing_are_rarely_told_apart() {
    // A/A: 1,000 tables of six rows, skewed noise. Nominal for each question: 5 % of the tables.
    let mut random = Random::new("a-a", 1);
    let terms = terms(0.0);
    let (mut here, mut alike, mut gate) = (0, 0, 0);
    for _ in 0..1_000 {
        let judged = judge::judged(&noisy_table(&mut random, 1.0), &terms);
        let is_alarm = |decision| matches!(decision, Decision::Lower | Decision::Higher);
        let any = |is: &dyn Fn(&JudgedRow) -> bool| usize::from(judged.iter().any(is));
        here += any(&|row| is_alarm(row.decision_here(&terms)));
        alike += any(&|row| is_alarm(row.decision_alike(&terms)));
        gate += any(&|row| row.is_regression(&terms));
    }
    // The limits are nominal plus three standard errors; the gate tests one side only.
    println!("{here} here, {alike} alike, {gate} regressions of 1,000 tables");
    assert!(
        here <= 70 && alike <= 70 && gate <= 45,
        "{here}, {alike}, {gate}"
    );
    assert!(here >= 15, "{here}: a test that never decides");
}

#[test]
fn a_gate_finds_what_is_slower_and_passes_what_is_within_its_bound() {
    let mut random = Random::new("power", 1);
    let mut found = |effect: f64| {
        let terms = terms(0.05);
        (0..200)
            .map(|_| {
                let judged = judge::judged(&noisy_table(&mut random, effect), &terms);
                let rows = judged.iter().filter(|row| row.is_regression(&terms));
                rows.count()
            })
            .sum::<usize>()
    };
    // Each of 1,200 rows; half of them have eight questions, half have one question with eight samples a side.
    let (large, small, at_bound) = (found(1.25), found(1.03), found(1.05));
    println!("{large} of 1,200 at 25 %, {small} at 3 %, {at_bound} at the bound of 5 %");
    assert!(large >= 800, "{large}");
    assert!(small <= 6 && at_bound <= 12, "{small}, {at_bound}");
}
