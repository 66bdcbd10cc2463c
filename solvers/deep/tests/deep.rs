//! Tests of the exact search: all variants agree, symmetries do not change the value, bad input is refused.

use std::sync::atomic::AtomicBool;

use ikeru_chain::{Placement, PuyoColour, Rotation};
use ikeru_core::testing::{answer, settings};
use ikeru_core::{
    AnyInstance, Attempt, BoundPolicy, Deadline, Direction, Ended, Incumbent, Problem, Random,
    Refusal, Rejection, Search, Settings, erase,
};
use ikeru_deep::Deep;
use ikeru_deep::position::{Objective, Position};
use proptest::prelude::*;

fn position(stones: i64, pieces: i64, seed: u64) -> Box<dyn AnyInstance> {
    let parameters = settings(&format!("stones={stones} pieces={pieces}"));
    let made = erase::<Deep>().generate("deep.random", &parameters, seed);
    made.expect("a position")
}

/// The value that a variant finds, confirmed by the referee.
fn value(instance: &dyn AnyInstance, variant: &str, policy: BoundPolicy, threads: usize) -> i64 {
    let small_table = settings("table_bits=6");
    let mut solver = instance
        .prepare(variant, &small_table, Deadline::never())
        .or_else(|_| instance.prepare(variant, &Settings::new(), Deadline::never()))
        .expect("ready");
    let incumbent = Incumbent::new(Direction::Maximize);
    let mut search = Search::new(&incumbent);
    search.bound_policy = policy;
    search.threads = threads;
    solver.solve(&mut search);
    let checked = solver
        .referee(Deadline::never())
        .expect("an answer")
        .expect("right");
    checked.score.expect("a score")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn all_variants_agree(
        stones in 0_i64..66, pieces in 1_i64..4, seed in any::<u64>(), chains in any::<bool>(),
    ) {
        let goal = if chains { "chains" } else { "attack" };
        let asked = position(stones, pieces, seed)
            .ask(&settings(&format!("goal={goal}")))
            .expect("a goal");
        let truth = value(&*asked, "naive", BoundPolicy::Shared, 1);
        for variant in erase::<Deep>().variants() {
            for (policy, threads) in [
                (BoundPolicy::Shared, 1), (BoundPolicy::Private, 2), (BoundPolicy::Shared, 2),
            ] {
                prop_assert_eq!(value(&*asked, variant.name, policy, threads), truth, "{}", variant.name);
            }
        }
    }

    #[test]
    fn names_of_colours_and_sides_do_not_matter(
        stones in 20_i64..60, seed in any::<u64>(), shuffle in any::<u64>(),
    ) {
        let text = position(stones, 3, seed).text();
        let position = Deep::read(&text).expect("what was written");
        let mut colours: Vec<PuyoColour> = PuyoColour::all().collect();
        Random::new("test.colours", shuffle).shuffle(&mut colours);
        let names = colours.clone().try_into().expect("all colours");
        let mut other = position.clone();
        other.field = position.field.recoloured(&names).mirrored();
        let pieces = position.pieces.iter().map(|piece| ikeru_chain::Piece {
            axis: colours[piece.axis.index()],
            child: colours[piece.child.index()],
        });
        other.pieces = pieces.collect();
        prop_assert_eq!(best(&position), best(&other));
    }
}

fn best(position: &Position) -> i64 {
    let (attempt, _) = answer::<Deep>(position, "bound", &Settings::new()).expect("ready");
    Deep::score(attempt.answer().expect("an answer")).expect("a score")
}

#[test]
fn a_small_position_by_hand() {
    // The red puyo completes the row; the green puyo on top of it then falls next to the other green puyos.
    let position = Deep::read("G.....\nRRR...\nGGG...\npieces: RB YY").expect("a position");
    assert_eq!(best(&position), 6);
    let mut one_step = position.clone();
    one_step.objective = Objective::Chains;
    assert_eq!(best(&one_step), 2);
    let nothing = Deep::read("pieces: RB YY").expect("an empty field");
    assert_eq!(best(&nothing), 0);
}

#[test]
fn a_chain_without_attack_is_not_called_nothing() {
    let text = "RRR...\npieces: RG\n";
    let problem = erase::<Deep>();
    let position = problem.read(text).expect("a position");
    let said = |goal: &str| {
        let asked = position.ask(&settings(&format!("goal={goal}")));
        let asked = asked.expect("a question");
        let solver = asked.prepare("bound", &Settings::new(), Deadline::never());
        let mut solver = solver.expect("a solver");
        let incumbent = Incumbent::new(Direction::Maximize);
        solver.solve(&mut Search::new(&incumbent));
        solver.answer_text().expect("an answer")
    };
    assert_eq!(said("attack"), "no attack found");
    assert!(
        said("chains").starts_with("chains 1: "),
        "{}",
        said("chains")
    );
}

#[test]
fn a_wrong_claim_is_refused() {
    let position = Deep::read("G.....\nRRR...\nGGG...\npieces: RB YY").expect("a position");
    let (attempt, _) = answer::<Deep>(&position, "naive", &Settings::new()).expect("ready");
    let found = attempt.answer().expect("an answer").clone();
    let check =
        |position: &Position, found| Deep::referee(position)(position, found, Deadline::never());
    assert!(check(&position, &found).is_ok());
    let mut more = found.clone();
    more.value += 1;
    assert!(check(&position, &more).is_err());
    let mut outside = found.clone();
    outside.placements[0] = Placement {
        column: 5,
        rotation: Rotation::Right,
    };
    assert!(check(&position, &outside).is_err());
    let mut shallow = position.clone();
    shallow.depth = 0;
    assert!(check(&shallow, &found).is_err());
}

#[test]
fn a_passed_deadline_ends_every_variant() {
    let instance = position(30, 6, 1);
    let position = Deep::read(&instance.text()).expect("what was written");
    for variant in Deep::VARIANTS {
        for threads in [1, 2] {
            let mut solver =
                (variant.prepare)(&position, &Settings::new(), Deadline::never()).expect("ready");
            let incumbent = Incumbent::new(Direction::Maximize);
            let mut search = Search::new(&incumbent);
            search.threads = threads;
            search.deadline = Deadline::after(std::time::Duration::from_millis(5));
            let attempt = solver.solve(&mut search);
            let Attempt::Timeout { best, bound } = attempt else {
                panic!("{} was too fast", variant.name);
            };
            let value = Deep::score(&best.expect("the best so far")).expect("a score");
            assert!(bound.expect("a bound") >= value);
        }
    }
}

#[test]
fn a_stop_ends_preparation_search_and_referee() {
    let stop = AtomicBool::new(true);
    let passed = Deadline::never().or_stop(&stop);
    let (long, short) = (position(20, 12, 1), position(20, 1, 1));
    for variant in erase::<Deep>().variants() {
        let late = long.prepare(variant.name, &Settings::new(), passed);
        assert!(matches!(late, Err(Refusal::Timeout)), "{}", variant.name);
        let incumbent = Incumbent::new(Direction::Maximize);
        let mut search = Search::new(&incumbent);
        (search.threads, search.deadline) = (2, passed);
        let ready = long.prepare(variant.name, &Settings::new(), Deadline::never());
        let mut solver = ready.expect("ready");
        solver.solve(&mut search);
        assert!(matches!(solver.ended(), Some(Ended::Timeout { .. })));
        let work = search.counters.get("nodes") + search.counters.get("simulations");
        assert!(work <= 200, "{}: {work}", variant.name);
        let ready = short.prepare(variant.name, &Settings::new(), Deadline::never());
        let mut solver = ready.expect("ready");
        solver.solve(&mut Search::new(&incumbent));
        assert_eq!(solver.referee(passed), Some(Err(Rejection::Timeout)));
    }
}

#[test]
fn seeds_mean_the_same_positions_for_ever() {
    assert_eq!(
        position(20, 3, 1).text(),
        "......\n......\n......\n......\n..B...\n..G...\n..G...\n..Y...\n..R...\n..Y..B\nR.B..B\nR.B.BY\nYYBYYG\npieces: RB BG RG\n"
    );
}

#[test]
fn bad_positions_are_refused() {
    let refusal = |text: &str| Deep::read(text).expect_err("refused").in_file("f");
    assert_eq!(
        refusal("RRRR..\npieces: RG"),
        "f: the field fires a chain of 1 as it stands, expected a stable one"
    );
    assert_eq!(
        refusal("......"),
        "f: no `pieces:`, expected the known pieces as in `pieces: RG BB`"
    );
    assert_eq!(refusal("pieces:"), "f:1: no pieces, expected at least one");
    assert_eq!(
        refusal("pieces: RO"),
        "f:1: `RO` is no piece, expected two colours as in `RG`"
    );
    let deep = position(20, 3, 1).ask(&settings("depth=4"));
    let message = deep.err().expect("refused").message;
    assert_eq!(
        message,
        "setting `depth` is 4, expected at most 3: no more pieces are known"
    );
}
