//! Tests that certificates of real searches are accepted, and that no forged certificate proves a wrong score.

use std::time::Duration;

use ikeru_core::testing::specimen::{Specimen, small};
use ikeru_core::testing::{answer, generate, trials};
use ikeru_core::{
    AnyInstance, Deadline, Direction, Incumbent, Problem, Random, Score, Search, SettingInfo,
    SettingKind, Settings, Value, erase,
};
use ikeru_trail::{Puzzle, TrailProblem, format};
use ikeru_trail_proof::{Certificate, solver, verify};

#[path = "../../trail/tests/suite/boards.rs"]
mod boards;

/// The score of `instance` and its certificate, if the variant `name` solves it before `deadline`. The referee accepts
/// the answer.
fn searched(
    instance: &dyn AnyInstance,
    name: &str,
    threads: usize,
    deadline: Deadline,
) -> Option<(Option<Score>, String)> {
    let certificate = Certificate::default();
    let mut solver = solver(instance, name, &certificate)?;
    let incumbent = Incumbent::new(Direction::Maximize);
    solver.solve(&mut Search {
        threads,
        deadline,
        ..Search::new(&incumbent)
    });
    let checked = solver.referee(Deadline::never())?.expect("a right answer");
    let text = certificate.lock().expect("not poisoned").take();
    assert_eq!(text.is_some(), solver.proven());
    Some((checked.score, text?))
}

/// The score of `puzzle` and its certificate, from a search on `threads` threads.
fn certified(puzzle: &Puzzle, name: &str, threads: usize) -> (Option<Score>, String) {
    let instance = erase::<TrailProblem>().read(&format::write(puzzle));
    let instance = instance.expect("a puzzle");
    let found = searched(instance.as_ref(), name, threads, Deadline::never());
    found.expect("a certificate of a proven answer")
}

fn board(parameters: &str, seed: u64) -> Puzzle {
    generate::<TrailProblem>("trail.random", parameters, seed)
}

#[test]
fn certificates_of_real_searches_hold() {
    let mut random = Random::new("trail certificates", 1);
    for round in 0..trials(600) {
        let puzzle = boards::puzzle(&mut random, 5);
        let (score, text) = certified(&puzzle, "lagrangian", 1);
        let verified = verify(&text);
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
            let verified = verify(&text).unwrap_or_else(|error| panic!("{error}"));
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
        let verified = verify(&text).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(verified.score, score);
        let price = |line: &str| line.strip_prefix("cut ")?.split(' ').nth(1)?.parse().ok();
        let largest: Option<i64> = text.lines().filter_map(price).max();
        assert!(largest > Some(1 << 40), "{largest:?} is no large price");
    }
}

/// Random values of any number of digits.
fn wide(declared: &[SettingInfo], random: &mut Random) -> Settings {
    let mut drawn = Settings::new();
    for setting in declared {
        let value = match setting.kind {
            SettingKind::Int { least, most, .. } => {
                let room = most.saturating_sub(least);
                let bits = random.between(0, i64::from(room.checked_ilog2().unwrap_or(0)));
                let most = room.min((1 << bits) - 1 + (1 << bits));
                Value::Int(least + random.between(0, most))
            }
            SettingKind::Choice { words, .. } => Value::parse(words()[random.index(words().len())]),
            _ => continue,
        };
        if random.chance(0.8) {
            drawn.set(setting.name, value);
        }
    }
    drawn
}

/// Small instances of every generator, and instances whose parameters have any number of digits, with random questions.
fn specimens() -> Vec<Specimen> {
    let problem = erase::<TrailProblem>();
    let mut all = Vec::new();
    for generator in problem.generators() {
        all.extend((1..5).filter_map(|seed| small(problem, &generator, seed).ok()));
        let mut random = Random::new("trail wide numbers", 1);
        for seed in 1..13 {
            let made = (0..40).find_map(|_| {
                let parameters = wide(generator.parameters, &mut random);
                let made = problem.generate(generator.name, &parameters, seed).ok()?;
                let question = wide(problem.settings(), &mut random);
                Some(Specimen {
                    name: format!("{} seed={seed} {parameters} {question}", generator.name),
                    instance: made.ask(&question).unwrap_or(made),
                })
            });
            all.extend(made);
        }
    }
    all
}

#[test]
fn a_certificate_is_about_its_instance_and_proves_the_score_of_the_answer() {
    let mut written = 0;
    for Specimen { name, instance } in specimens() {
        for (variant, threads) in [("lagrangian", 1), ("lagrangian-parallel", 2)] {
            let deadline = Deadline::after(Duration::from_millis(150));
            let found = searched(instance.as_ref(), variant, threads, deadline);
            let Some((score, text)) = found else {
                continue;
            };
            let verified = verify(&text);
            let verified = verified.unwrap_or_else(|error| panic!("{variant} on {name}: {error}"));
            assert_eq!(verified.score, score, "{variant} on {name}");
            assert_eq!(verified.instance, instance.text(), "{variant} on {name}");
            written += 1;
        }
    }
    assert!(written > 20, "{written} certificates");
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
        let puzzle = boards::puzzle(&mut random, 4);
        let (_, text) = certified(&puzzle, "lagrangian", 1);
        for _ in 0..trials(200) {
            let forged = forged(&text, &mut random);
            let Ok(verified) = verify(&forged) else {
                refused += 1;
                continue;
            };
            // It may still be a valid certificate, of this puzzle or of the changed puzzle in its text.
            let tree = forged.find("\ntrail").expect("a trail");
            let header = forged.find('\n').expect("a line");
            let named = format::read(&forged[header + 1..=tree]).expect("a puzzle");
            let solved = answer::<TrailProblem>(&named, "dfs", &Settings::new());
            let (attempt, _) = solved.expect("a puzzle it takes");
            let best = attempt.answer().expect("an answer");
            assert_eq!(TrailProblem::score(best), verified.score, "{forged}");
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
        let error = verify(&lines.join("\n")).expect_err(message);
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
    assert!(verify(&text).is_ok());
}

#[test]
fn a_goal_out_of_reach_has_a_certificate() {
    // The route so far has passed the only edge that leads on.
    let puzzle = format::read("2 1\n+1\n2 0 1 0\n").expect("a puzzle");
    let (score, text) = certified(&puzzle, "lagrangian", 1);
    assert_eq!(score, None);
    assert_eq!(verify(&text).map(|verified| verified.score), Ok(None));
}

/// Checks that a certificate holds, and that each forgery is refused for its fault. `text` is the certificate without
/// its first and last line, an empty line, and for each forgery a line: the words that are replaced, those in their
/// place (`/` ends a line), and the error.
fn holds_until_forged(text: &str) {
    let (certificate, forgeries) = text.split_once("\n\n").expect("an empty line");
    let certificate = format!("ikeru certificate trail 2\n{certificate}\nend");
    assert_eq!(verify(&certificate).err(), None);
    for forgery in forgeries.lines() {
        let (change, fault) = forgery.rsplit_once(" | line ").expect("an error");
        let (from, to) = change.split_once(" | ").expect("a change");
        let [from, to] = [from, to].map(|words| words.replace(" / ", "\n"));
        assert_eq!(certificate.matches(&from).count(), 1, "{forgery}");
        let error = verify(&certificate.replace(&from, &to)).expect_err(forgery);
        let line = error.line.expect("a line");
        assert_eq!(format!("{line}: {error}"), fault, "{forgery}");
    }
}

/// A cycle of the edges 1, 3, 4 and 6 may be added to the trail, unless a cut forbids it.
#[test]
fn a_cut_must_hold_for_every_trail_of_its_segment() {
    holds_until_forged(
        "3 2 -9 +1 +0 +1 +1 -9 +1 1 0 3
trail 0 3
score 1
scale 1
leaf 0 0 0 0 0 0 0
cut 0 2 1 0 5
cut 0 0 0 0 5

scale 1 | scale 0 | line 5: expected a scale of at least 1
leaf 0 | leaf | line 6: expected `leaf` and 7 whole numbers
leaf 0 | leaf 0 0 | line 6: expected `leaf` and 7 whole numbers
cut 0 2 | cut 0 1 | line 6: the prices of this leaf bound its trails by 3, expected at most the score 1
cut 0 2 | cut 0 -2 | line 7: expected `cut` with a segment, a price of at least 0, an edge or `crosses`, and edges
cut 0 2 | cut 1 2 | line 7: a cut of a segment that is not there
2 1 0 5 | 2 7 0 5 | line 7: expected `cut` with a segment, a price of at least 0, an edge or `crosses`, and edges
0 0 0 0 5 | 0 0 0 0 1 2 3 4 5 6 6 | line 8: expected `cut` with a segment, a price of at least 0, an edge or `crosses`, and edges
2 1 0 5 | 2 1 0 | line 6: the boundary of a cut is none of a set of vertices
2 1 0 5 | 2 1 0 2 | line 6: the boundary of a cut separates the ends of its segment
2 1 0 5 | 2 2 0 5 | line 6: edge 2 of a cut is not beyond its boundary
2 1 0 5 | 2 crosses 0 5 | line 6: a cut says `crosses` where nothing is decided so",
    );
}

/// The board is the same, and decisions take the place of the edge of a cut.
#[test]
fn a_decided_boundary_is_crossed_in_its_branch_only() {
    holds_until_forged(
        "3 2 -9 +1 +0 +1 +1 -9 +1 1 0 3
trail 0 3
score 1
scale 1
crosses 0 0 1 2 3 4 5 6
crosses 0 0 2
crosses 0 0 5
leaf 0 0 0 0 0 0 0
cut 0 2 crosses 0 5
skirts 0 0 5
leaf 0 0 0 0 0 0 0
skirts 0 0 2
infeasible
skirts 0 0 1 2 3 4 5 6
infeasible

cut 0 2 crosses 0 5 /  |  | line 9: the prices of this leaf bound its trails by 5, expected at most the score 1
2 crosses 0 5 | 2 crosses 1 4 | line 9: a cut says `crosses` where nothing is decided so
skirts 0 0 5 / leaf 0 0 0 0 0 0 0 | skirts 0 0 5 / leaf 0 0 0 0 0 0 0 / cut 0 0 crosses 0 5 | line 12: a cut says `crosses` where nothing is decided so
crosses 0 0 2 / crosses 0 0 5 / leaf 0 0 0 0 0 0 0 / cut 0 2 crosses 0 5 / skirts 0 0 5 / leaf 0 0 0 0 0 0 0 | crosses 0 0 2 / infeasible | line 8: a trail is not impossible here, expected `leaf` with prices
skirts 0 0 5 / leaf 0 0 0 0 0 0 0 /  |  | line 11: the tree is incomplete, expected `skirts 0 0 5`
1 / crosses 0 0 1 | 1 / crosses 1 0 1 | line 6: segment 1 is not decided yet
4 5 6 / crosses 0 0 2 | 4 5 6 / crosses 0 0 7 | line 7: the board has no edge 7",
    );
}

/// The price of the `×` edge 1 counts for the segment before it and, with the other sign, for the segment after it.
#[test]
fn a_leaf_may_leave_a_direction_undecided() {
    holds_until_forged(
        "3 2 +1 *2 +2 +1 +1 +1 +1 1 0 5
trail 0 3 4 1 2 5
score 11
scale 1
used 1
step 1
leaf 3 10 7 -2 -10 2 11
unused 1
leaf 0 0 0 0 0 0 0

leaf 3 10 7 | leaf 3 0 7 | line 8: the prices of this leaf bound its trails by 16, expected at most the score 11
leaf 3 10 7 | leaf 3 -10 7 | line 8: the prices of this leaf bound its trails by 26, expected at most the score 11
leaf 3 10 7 -2 -10 2 11 | infeasible | line 8: a trail is not impossible here, expected `leaf` with prices",
    );
}

/// If edge 1 is passed backward, both segments need edge 6, and its price excludes this.
#[test]
fn an_edge_passed_by_one_segment_is_forbidden_to_the_others() {
    holds_until_forged(
        "3 2 +1 *2 +2 +1 +1 +1 +1 1 0 5
trail 0 3 4 1 2 5
score 11
scale 1
used 1
step 1
forward 0
passes 0 2
leaf 0 0 0 0 0 0 0
avoids 0 2
leaf 0 0 0 0 0 0 0
backward 0
leaf 0 0 0 0 0 0 20
unused 1
leaf 0 0 0 0 0 0 0

trail 0 3 4 1 2 5 / score 11 | trail 0 1 2 5 / score 5 | line 10: the prices of this leaf bound its trails by 11, expected at most the score 5
passes 0 2 / leaf 0 0 0 0 0 0 0 | passes 0 2 / infeasible | line 10: a trail is not impossible here, expected `leaf` with prices
avoids 0 2 / leaf 0 0 0 0 0 0 0 | avoids 0 2 / infeasible | line 12: a trail is not impossible here, expected `leaf` with prices
avoids 0 2 / leaf 0 0 0 0 0 0 0 /  |  | line 11: the tree is incomplete, expected `avoids 0 2`
passes 0 2 | passes 2 2 | line 9: segment 2 is not decided yet
forward 0 / passes 0 2 | passes 0 2 | line 8: segment 0 is not decided yet
forward 0 / passes 0 2 | crosses 0 1 6 | line 8: segment 0 is not decided yet
forward 0 / passes 0 2 | forward 1 | line 8: no direction is to be decided after segment 1
backward 0 /  |  | line 13: the tree is incomplete, expected `backward 0`
leaf 0 0 0 0 0 0 20 | leaf 0 0 0 0 0 0 0 | line 14: the prices of this leaf bound its trails by 17, expected at most the score 11",
    );
}

/// After `step 2` two segments need the only edge that is left at vertex 0.
#[test]
fn every_factor_is_decided_and_ordered_before_single_edges() {
    holds_until_forged(
        "2 2 *2 +1 *3 +1 1 0 3
trail 0 1 3
score 6
scale 1
used 0
used 2
step 0
forward 0
leaf 0 0 0 0
backward 0
infeasible
step 2
infeasible
unused 2
infeasible
unused 0
used 2
infeasible
unused 2
leaf 0 0 0 0

scale 1 / used 0 | scale 1 / leaf 0 0 0 0 / used 0 | line 6: the prices of this leaf bound its trails by 18, expected at most the score 6
scale 1 / used 0 | scale 1 / used 1 | line 6: edge 1 is no undecided × edge
scale 1 / used 0 | scale 1 / passes 0 1 | line 6: segment 0 is not decided yet
used 2 / step 0 | step 0 | line 7: a step before all × edges are decided to be used or not
forward 0 / leaf 0 0 0 0 | forward 0 / infeasible | line 10: a trail is not impossible here, expected `leaf` with prices
forward 0 / leaf 0 0 0 0 | forward 0 / passes 0 1 | line 10: segment 0 is not decided yet
forward 0 / leaf 0 0 0 0 | forward 0 / crosses 1 1 | line 10: segment 1 is not decided yet
step 2 / infeasible /  |  | line 13: the tree is incomplete, expected `step 2`
unused 2 / leaf 0 0 0 0 | unused 2 / step 2 | line 21: a step where no × edge is still to come",
    );
}

#[test]
fn a_leaf_counts_the_route_so_far_and_a_board_may_be_a_line() {
    holds_until_forged(
        "3 2 -1 +1 +4 +1 +1 *3 +2 3 0 3 4 5
trail 0 3 4 1 2 5
score 18
scale 1
leaf 0 0 0 0 0 0 0

trail 0 3 4 1 2 5 / score 18 | trail 0 3 4 5 / score 17 | line 6: the prices of this leaf bound its trails by 18, expected at most the score 17",
    );
    let path: String = (0..26).map(|vertex| format!(" {vertex}")).collect();
    let (board, leaf) = (" +1".repeat(25), " 0".repeat(25));
    holds_until_forged(&format!(
        "26 1{board}\ntrail{path}\nscore 26\nscale 1\nleaf{leaf}\n
leaf{leaf} | infeasible | line 6: a trail is not impossible here, expected `leaf` with prices"
    ));
}
