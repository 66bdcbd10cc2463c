//! Each clause of the contract can fail: a small problem breaks one after the other.

use std::cell::Cell;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use ikeru_core::testing::{CLAUSES, violations};
use ikeru_core::{
    Attempt, Check, Checked, Deadline, Direction, Generator, InputError, Measure, OURS, Problem,
    ProblemInfo, Refusal, Score, Search, Settings, Variant, Wrong, erase, read_json,
};
use serde_json::{Value as Json, json};

/// The square of a whole number; `FAULT` is the index of the clause that it breaks. An index beyond the last clause
/// breaks none.
struct Square<const FAULT: usize>;

const STEPS: Measure = Measure::lower("steps", "one");

const HARMLESS: usize = usize::MAX;

static CALLS: AtomicI64 = AtomicI64::new(0);

thread_local! {
    /// The number of checks by the referee on this thread.
    static CHECKS: Cell<u32> = const { Cell::new(0) };
}

fn breaks<const FAULT: usize>(clause: &str) -> bool {
    CLAUSES
        .get(FAULT)
        .is_some_and(|broken| broken.name == clause)
}

impl<const FAULT: usize> Problem for Square<FAULT> {
    const INFO: ProblemInfo = ProblemInfo {
        name: "square",
        about: "The square of a whole number",
        direction: Direction::Maximize,
        settings: &[],
        // The first clause is about what is declared.
        counters: if FAULT == 0 {
            &[STEPS, STEPS]
        } else {
            &[STEPS]
        },
        measures: &[],
        words: &[],
        batch: None,
    };
    const VARIANTS: &'static [Variant<Self>] = &[Variant {
        name: "product",
        about: "n · n",
        source: OURS,
        exact: true,
        version: 1,
        settings: &[],
        prepare: |number, _, _| {
            if breaks::<FAULT>("takes") {
                return Err(Refusal::skip("does not like it"));
            }
            let number = *number;
            Ok(Box::new(move |search: &mut Search| {
                solve::<FAULT>(number, search)
            }))
        },
    }];
    const GENERATORS: &'static [Generator<Self>] = &[Generator {
        name: "square.random",
        about: "a random number",
        parameters: &[],
        generate: |_, random| {
            let fault = if breaks::<FAULT>("same-seed") {
                CALLS.fetch_add(1, Ordering::Relaxed)
            } else {
                0
            };
            Ok(random.between(10, 99) + fault)
        },
    }];
    type Instance = i64;
    type Answer = (i64, Score);
    type Referee = Check<Self>;

    fn default_variant(_: &i64) -> &'static str {
        "product"
    }
    fn read(text: &str) -> Result<i64, InputError> {
        let number = text.trim().parse::<i64>();
        number.map_err(|_| InputError::at(1, "expected a number"))
    }
    fn write(number: &i64) -> String {
        let fault = i64::from(breaks::<FAULT>("read-back"));
        format!("{}\n", number + fault)
    }
    fn ask(number: &i64, _: &Settings) -> Result<i64, InputError> {
        Ok(*number)
    }
    fn size(_: &i64) -> u64 {
        1
    }
    fn referee(_: &i64) -> Check<Self> {
        |number, answer, _| {
            CHECKS.set(CHECKS.get() + 1);
            if answer.0 == *number {
                Ok(Checked::score(answer.0 * answer.0))
            } else if breaks::<FAULT>("wrong-refused") {
                Ok(Checked::score(answer.1))
            } else {
                Err(Wrong(format!("{} is another number", answer.0)).into())
            }
        }
    }
    fn score(answer: &(i64, Score)) -> Option<Score> {
        Some(answer.1)
    }
    fn answer_json(_: &i64, (number, square): &(i64, Score)) -> Json {
        json!({ "number": number, "square": square })
    }
    fn read_answer(_: &i64, answer: &Json) -> Result<(i64, Score), InputError> {
        #[derive(serde::Deserialize)]
        struct Claim {
            number: i64,
            square: Score,
        }
        let Claim { number, square } = read_json(answer)?;
        Ok((number, square + Score::from(breaks::<FAULT>("answer-json"))))
    }
    fn answer_text(_: &i64, answer: &(i64, Score)) -> String {
        answer.1.to_string()
    }
}

fn solve<const FAULT: usize>(number: i64, search: &mut Search) -> Attempt<(i64, Score)> {
    if breaks::<FAULT>("stop-heard") && search.deadline.passed() {
        std::thread::sleep(Duration::from_millis(2_500));
    }
    if breaks::<FAULT>("timeout-complete") {
        return Attempt::nothing();
    }
    let name = if breaks::<FAULT>("columns") {
        "undeclared"
    } else {
        "steps"
    };
    let fault = breaks::<FAULT>("twice");
    search.counters.add(
        name,
        1 + u64::from(fault) * CALLS.fetch_add(1, Ordering::Relaxed) as u64,
    );
    let number = number + i64::from(breaks::<FAULT>("right"));
    Attempt::proven((number, number * number))
}

fn broken<const FAULT: usize>() -> Vec<&'static str> {
    let found = violations(erase::<Square<FAULT>>(), 1);
    let mut clauses: Vec<&str> = found.iter().map(|violation| violation.clause).collect();
    clauses.dedup();
    clauses
}

#[test]
fn a_problem_that_keeps_the_contract_breaks_no_clause() {
    assert_eq!(violations(erase::<Square<HARMLESS>>(), 1), []);
}

#[test]
fn each_clause_is_broken_by_its_fault() {
    let found = [
        broken::<0>(),
        broken::<1>(),
        broken::<2>(),
        broken::<3>(),
        broken::<4>(),
        broken::<5>(),
        broken::<6>(),
        broken::<7>(),
        broken::<8>(),
        broken::<9>(),
        broken::<10>(),
    ];
    assert_eq!(found.len(), CLAUSES.len());
    for (clause, broken) in CLAUSES.iter().zip(found) {
        assert!(broken.contains(&clause.name), "{}: {broken:?}", clause.name);
    }
}

#[test]
fn an_answer_equal_to_an_accepted_one_is_not_checked_again() {
    let number = erase::<Square<HARMLESS>>().read("12").expect("a number");
    let checks_for = |answer: Json| {
        let before = CHECKS.get();
        let judged = number.judge(&answer, Deadline::never());
        let verdict = judged.expect("an answer of this problem").verdict;
        (verdict.is_ok(), CHECKS.get() - before)
    };
    let right = json!({ "number": 12, "square": 144 });
    assert_eq!(checks_for(right.clone()), (true, 1));
    assert_eq!(checks_for(right.clone()), (true, 0));
    // Wrong answers are checked each time, also if only the claimed score differs.
    for wrong in [
        json!({ "number": 11, "square": 121 }),
        json!({ "number": 12, "square": 145 }),
    ] {
        assert_eq!(checks_for(wrong.clone()), (false, 1));
        assert_eq!(checks_for(wrong), (false, 1));
    }
    assert_eq!(checks_for(right), (true, 0));
}
