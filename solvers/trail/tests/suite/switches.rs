//! Tests that every combination of the prunings gives the same score, and that a combination that is also a variant
//! does the same work as the variant.

use ikeru_core::{Settings, Value};

use super::boards::puzzle;
use crate::{solve, solve_with};
use ikeru_core::Random;

const CHOICES: [(&str, &[&str]); 4] = [
    ("corner", &["false", "true"]),
    ("deadend", &["false", "true"]),
    ("moves", &["single", "mutual", "pairs"]),
    ("bound", &["never", "at-start", "running"]),
];

/// The number of combinations.
pub const COMBINATIONS: usize = 36;

/// The settings of one combination.
pub fn combination(mut number: usize) -> Settings {
    let mut settings = Settings::new();
    for (name, choices) in CHOICES {
        settings.set(name, Value::parse(choices[number % choices.len()]));
        number /= choices.len();
    }
    settings
}

#[test]
fn every_combination_agrees_with_plain_search() {
    let mut random = Random::new("trail switches", 1);
    for _ in 0..150 {
        let puzzle = puzzle(&mut random, 3);
        let best = solve(&puzzle, "dfs").0;
        for number in 0..COMBINATIONS {
            let settings = combination(number);
            let found = solve_with(&puzzle, "dfs+switches", &settings).0;
            let text = ikeru_trail::format::write(&puzzle);
            assert_eq!(found, best, "{settings} on\n{text}");
        }
    }
}

/// The variants that equal a combination, with its values in the order of [`CHOICES`].
const MEMBERS: [(&str, [&str; 4]); 7] = [
    ("dfs-bitset", ["false", "false", "single", "never"]),
    ("dfs+corner", ["true", "false", "single", "never"]),
    ("dfs+deadend", ["true", "true", "single", "never"]),
    ("dfs+mutual", ["true", "true", "mutual", "never"]),
    ("dfs+colour", ["true", "true", "pairs", "never"]),
    ("dfs+bound-at-start", ["true", "true", "pairs", "at-start"]),
    ("dfs+bound", ["true", "true", "pairs", "running"]),
];

#[test]
fn a_variant_counts_what_its_combination_counts() {
    let mut random = Random::new("trail lattice", 1);
    for _ in 0..50 {
        let puzzle = puzzle(&mut random, 3);
        for (variant, values) in MEMBERS {
            let names = CHOICES.iter().map(|(name, _)| *name);
            let settings = names.zip(values.map(Value::parse)).collect();
            let combined = solve_with(&puzzle, "dfs+switches", &settings).1;
            let own = solve(&puzzle, variant).1;
            let counts = |counters: &ikeru_core::Counters| counters.iter().collect::<Vec<_>>();
            assert_eq!(counts(&combined), counts(&own), "{variant}");
        }
    }
}
