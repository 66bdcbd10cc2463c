//! Tests that certificates of real searches are accepted, and that no forged certificate proves a wrong score.

use ikeru_core::testing::{generate, trials, variant};
use ikeru_core::{Deadline, Direction, Incumbent, Problem, Random, Score, Search, Settings};
use ikeru_trail::{Puzzle, TrailProblem};

use super::agreement;

/// The score of `puzzle` and its certificate, from a search on `threads` threads.
fn certified(puzzle: &Puzzle, name: &str, threads: usize) -> (Option<Score>, String) {
    let prepare = variant::<TrailProblem>(name).expect("a variant").prepare;
    let prepared = prepare(puzzle, &Settings::new(), Deadline::never());
    let mut solver = prepared.expect("a small board");
    let incumbent = Incumbent::new(Direction::Maximize);
    let mut search = Search::new(&incumbent);
    search.threads = threads;
    let (attempt, text) = solver.certify(&mut search);
    let score = crate::solved(puzzle, &attempt).score;
    (score, text.expect("a certificate of a proven answer"))
}

fn board(parameters: &str, seed: u64) -> Puzzle {
    generate::<TrailProblem>("trail.random", parameters, seed)
}

#[test]
fn certificates_of_real_searches_hold() {
    let mut random = Random::new("trail certificates", 1);
    for round in 0..trials(600) {
        let puzzle = agreement::puzzle(&mut random, 5);
        let (score, text) = certified(&puzzle, "lagrangian", 1);
        let verified = TrailProblem::verify(&text);
        let verified = verified.unwrap_or_else(|error| panic!("{round}: {error}\n{text}"));
        assert_eq!(verified.score, score, "{text}");
    }
    // The bounds of 14 columns are found by matching, and checked by dynamic programming.
    let kinds = [
        "preset=7x7",
        "width=5 height=9",
        "width=14 height=14 factor_count=1",
    ];
    for seed in 0..6 {
        let puzzle = board(kinds[seed as usize % 3], seed);
        for (name, threads) in [("lagrangian", 1), ("lagrangian-parallel", 2)] {
            let (score, text) = certified(&puzzle, name, threads);
            let verified = TrailProblem::verify(&text).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(verified.score, score);
            assert!(verified.leaves > 0, "seed {seed} by {name}");
        }
    }
}

#[test]
fn certificates_of_boards_with_large_numbers_hold() {
    let many_factors = [1, 3].map(|seed| board("width=6 height=6 factor_count=28", seed));
    let large = "2 3\n*1\n-9422072 *3037\n*3037\n+53457654 -3239471\n+18959097\n1 0 0\n";
    let large = TrailProblem::read(large).expect("a board");
    for puzzle in many_factors.into_iter().chain([large]) {
        let (score, text) = certified(&puzzle, "lagrangian", 1);
        let verified = TrailProblem::verify(&text).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(verified.score, score);
        let price = |line: &str| line.strip_prefix("cut ")?.split(' ').nth(1)?.parse().ok();
        let largest: Option<i64> = text.lines().filter_map(price).max();
        assert!(largest > Some(1 << 40), "{largest:?} is no large price");
    }
}

/// The certificate with one random change.
fn forged(text: &str, random: &mut Random) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let at = random.index(lines.len());
    match random.below(4) {
        0 => drop(lines.remove(at)),
        1 => lines.truncate(at),
        2 => {
            let other = random.index(lines.len());
            lines.swap(at, other);
        }
        _ => {
            let mut words: Vec<String> = lines[at].split(' ').map(str::to_owned).collect();
            let word = random.index(words.len());
            if let Ok(number) = words[word].parse::<i64>() {
                const LARGE: [i64; 5] = [1 << 40, 1 << 58, 1 << 62, i64::MAX, i64::MIN];
                let changed = match random.chance(0.8) {
                    true => number + random.between(-40, 40),
                    false => LARGE[random.index(LARGE.len())],
                };
                words[word] = changed.to_string();
            }
            lines[at] = words.join(" ");
        }
    }
    lines.join("\n")
}

#[test]
fn no_forged_certificate_proves_a_wrong_score() {
    let mut random = Random::new("trail forged certificates", 1);
    let (mut refused, mut accepted) = (0, 0);
    for _ in 0..60 {
        let puzzle = agreement::puzzle(&mut random, 4);
        let (_, text) = certified(&puzzle, "lagrangian", 1);
        for _ in 0..trials(200) {
            let forged = forged(&text, &mut random);
            let Ok(verified) = TrailProblem::verify(&forged) else {
                refused += 1;
                continue;
            };
            // It may still be a valid certificate, of this puzzle or of the changed puzzle in its text.
            let tree = forged.find("\ntrail").expect("a trail");
            let header = forged.find('\n').expect("a line");
            let named = crate::read(&forged[header + 1..=tree]);
            assert_eq!(crate::solve(&named, "dfs").0, verified.score, "{forged}");
            accepted += 1;
        }
    }
    assert!(
        refused > trials(6_000) && accepted > trials(100),
        "{refused} {accepted}"
    );
}

#[test]
fn what_is_missing_or_wrong_is_named_in_one_line() {
    let (_, text) = certified(&board("width=6 height=6", 3), "lagrangian", 1);
    let lines: Vec<&str> = text.lines().collect();
    let refused = |lines: &[String], message: &str| {
        let error = TrailProblem::verify(&lines.join("\n")).expect_err(message);
        let error = error.to_string();
        assert!(error.contains(message) && !error.contains('\n'), "{error}");
    };
    let with = |word: &str, change: &dyn Fn(&str) -> Option<String>| -> Vec<String> {
        let at = lines.iter().rposition(|line| line.starts_with(word));
        let at = at.unwrap_or_else(|| panic!("no {word}"));
        let mut lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
        match change(&lines[at]) {
            Some(line) => lines[at] = line,
            None => drop(lines.remove(at)),
        }
        lines
    };
    refused(&with("leaf", &|_| None), "expected");
    let dearer = |leaf: &str| {
        let mut words: Vec<&str> = leaf.split(' ').collect();
        words[30] = "1000000";
        Some(words.join(" "))
    };
    refused(&with("leaf", &dearer), "bound its trails by");
    refused(&with("unused", &|_| None), "the tree is incomplete");
    refused(&with("end", &|_| None), "the text ends after line");
    refused(
        &with("score", &|_| Some("score 99999".to_owned())),
        "claimed 99999",
    );
    refused(
        &with("trail", &|_| Some("trail 0 7 35".to_owned())),
        "jumps",
    );
    refused(
        &with("leaf", &|_| Some("infeasible".to_owned())),
        "not impossible",
    );
    refused(
        &["ikeru certificate reach 1".to_owned()],
        "expected `ikeru certificate",
    );
    assert!(ikeru_core::erase::<TrailProblem>().verify(&text).is_ok());
}

#[test]
fn a_goal_out_of_reach_has_a_certificate() {
    // The route so far has passed the only edge that leads on.
    let puzzle = crate::read("2 1\n+1\n2 0 1 0\n");
    let (score, text) = certified(&puzzle, "lagrangian", 1);
    assert_eq!(score, None);
    assert_eq!(
        TrailProblem::verify(&text).map(|verified| verified.score),
        Ok(None)
    );
}
