//! Simulated tables: the rate at which two equal sides are decided to differ, and at which a slower side is found.

use ikeru_core::Random;

use crate::analyses::compare::cut::CutPair;
use crate::analyses::compare::join::Pair;
use crate::analyses::compare::join::TakenAt;
use crate::analyses::compare::*;
use crate::metric::Metric;
use crate::records::is_suspect;
use crate::statistics::decision::Decision;
use crate::statistics::sample::CensoredSample;
use crate::statistics::{Bound, median};

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
            taken: [Vec::new(), Vec::new()],
            is_deterministic: false,
            is_placebo: false,
            failed: Default::default(),
            a,
            b,
        }
    };
    (0..6)
        .map(|at| ComparedRow {
            is_of_one_run: false,
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

/// A table of one row with one question of `count` samples a side and 3 % noise, B after A; B is slower by `effect`. With
/// `bursts`, half of the sides have a period in which all samples take 1.7 times as long, and so does the canary (by
/// its running median).
fn bursty(random: &mut Random, (count, bursts): (usize, bool), effect: f64) -> Vec<ComparedRow> {
    let mut side = |factor: f64, begin: usize| {
        let from = random.index(count);
        let length = if bursts && random.chance(0.5) {
            random.index(count)
        } else {
            0
        };
        let is_slow = |at: usize| (at + count - from) % count < length;
        let mut sample = CensoredSample::default();
        let mut taken = Vec::new();
        // The canary is read several times before the first sample, and several times between two samples.
        let mut readings = vec![1.0; 25];
        for at in 0..count {
            let normal = (0..12).map(|_| random.unit()).sum::<f64>() - 6.0;
            let slow = if is_slow(at) { 1.7 } else { 1.0 };
            let time = 1e6 * factor * slow * (0.03 * normal).exp();
            readings.extend([slow * (0.97 + 0.06 * random.unit()); 5]);
            let canary = readings[readings.len() - 1] / median(&readings).unwrap_or(1.0);
            sample.push(time, Bound::Exact);
            taken.push(TakenAt {
                started: (begin + at) as f64,
                ratio: time,
                suspect: is_suspect(canary),
            });
        }
        (sample, taken)
    };
    let ((a, of_a), (b, of_b)) = (side(1.0, 0), side(effect, count));
    vec![ComparedRow {
        is_of_one_run: false,
        variant: String::new(),
        place: String::new(),
        pairs: vec![Pair {
            variant: String::new(),
            instance: String::new(),
            hash: String::new(),
            question: String::new(),
            cut: CutPair::of(&a, &b).expect("no timeouts"),
            taken: [of_a, of_b],
            is_deterministic: false,
            is_placebo: false,
            failed: Default::default(),
            a,
            b,
        }],
    }]
}

#[test]
fn a_slow_period_of_one_side_decides_nothing_and_costs_no_power_elsewhere() {
    let terms = terms(0.05);
    let share = |bursts: bool, count: usize, effect: f64, is_told: bool| {
        let mut random = Random::new("bursts", count as u64);
        let found = (0..400).filter(|_| {
            let mut table = bursty(&mut random, (count, bursts), effect);
            if !is_told {
                table[0].pairs[0].taken = [Vec::new(), Vec::new()];
            }
            judge::judged(&table, &terms)[0].is_regression(&terms)
        });
        found.count() as f64 / 400.0
    };
    for count in [11, 20] {
        let [blind, told] = [false, true].map(|is_told| share(true, count, 1.0, is_told));
        let [before, power] = [false, true].map(|is_told| share(false, count, 1.1, is_told));
        println!(
            "n = {count}: alarms {blind} without, {told} with; power {before} without, {power} with"
        );
        assert!(blind > 0.05 && told <= 0.05, "{count}: {blind} {told}");
        assert!(power >= before - 0.06, "{count}: {before} {power}");
    }
}

#[test]
fn a_gate_does_not_pass_a_withheld_row_that_is_worse_than_its_bound() {
    let terms = terms(0.05);
    let mut random = Random::new("withheld", 1);
    let mut tables = (0..400).map(|_| bursty(&mut random, (20, true), 1.0));
    let withheld_at = |worse: bool, tables: &mut dyn Iterator<Item = Vec<ComparedRow>>| {
        let mut tables = tables.map(|table| (judge::judged(&table, &terms), table));
        let found = tables.find(|(judged, _)| {
            judged[0].disturbed.is_some()
                && judged[0].withheld_regression(&terms).is_some() == worse
        });
        found.expect("bursts on either side").1
    };
    for worse in [true, false] {
        let mut rows = withheld_at(worse, &mut tables);
        // Another row could be decided, and is not slower.
        rows.extend(bursty(&mut Random::new("quiet", 2), (20, false), 1.0));
        let judged = judge::judged(&rows, &terms);
        let why = undecidable(&rows, &judged, &terms);
        assert_eq!(why.is_some(), worse, "{why:?}");
    }
}
