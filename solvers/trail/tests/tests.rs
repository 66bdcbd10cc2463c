//! The only integration test binary.
//!
//! | module | tests |
//! |---|---|
//! | `agreement` | all exact variants give the same score, on random puzzles and against a table over edge sets |
//! | `articles` | the article's example, node counts of its ladder, optima of real puzzles |
//! | `certificate` | certificates of optimality, real and forged |
//! | `input` | errors of the text format and of the question |
//! | `limits` | timeouts, bounds, threads and bound policies |
//! | `numbers` | boards of large numbers |
//! | `switches` | every combination of the prunings |
//! | `strong` | `reverse` and `lagrangian` against depth-first search, each other, and real puzzles |

mod suite {
    pub mod agreement;
    pub mod articles;
    pub mod certificate;
    pub mod input;
    pub mod limits;
    pub mod numbers;
    pub mod strong;
    pub mod switches;
}

use ikeru_core::testing::{answer, shared_file, variant};
use ikeru_core::{
    Attempt, Checked, Counters, Deadline, Direction, Incumbent, Problem, Proof, Refusal, Score,
    Search, Settings,
};
use ikeru_trail::{Answer, Puzzle, TrailProblem};

/// Solves `puzzle` with `variant` and checks the answer with the referee; returns the score (`None` for no trail) and
/// the counters.
fn solve(puzzle: &Puzzle, variant: &str) -> (Option<Score>, Counters) {
    solve_with(puzzle, variant, &Settings::new())
}

/// The same, with settings of the variant.
fn solve_with(puzzle: &Puzzle, variant: &str, settings: &Settings) -> (Option<Score>, Counters) {
    let answered = answer::<TrailProblem>(puzzle, variant, settings);
    let (attempt, counters) = answered.expect("a puzzle it takes");
    (solved(puzzle, &attempt).score, counters)
}

/// The attempt, the counters and the incumbent of a search that may reach its deadline.
struct Run {
    attempt: Attempt<Answer>,
    counters: Counters,
    incumbent: Option<Score>,
}

/// Solves `puzzle` with the variant `name` on `threads` threads until `deadline`; the preparation has no deadline.
fn run(puzzle: &Puzzle, name: &str, threads: usize, deadline: Deadline) -> Result<Run, Refusal> {
    let prepare = variant::<TrailProblem>(name)?.prepare;
    let mut solver = prepare(puzzle, &Settings::new(), Deadline::never())?;
    let incumbent = Incumbent::new(Direction::Maximize);
    let mut search = Search::new(&incumbent);
    search.threads = threads;
    search.deadline = deadline;
    Ok(Run {
        attempt: solver.solve(&mut search),
        counters: search.counters,
        incumbent: incumbent.best(),
    })
}

/// The referee's result for a proven answer.
fn solved(puzzle: &Puzzle, attempt: &Attempt<Answer>) -> Checked {
    match attempt {
        Attempt::Solved {
            answer,
            proof: Proof::Proven,
        } => checked(puzzle, answer),
        other => panic!("not proven: {other:?}"),
    }
}

fn checked(puzzle: &Puzzle, answer: &Answer) -> Checked {
    TrailProblem::referee(puzzle)(puzzle, answer, Deadline::never()).expect("a right answer")
}

fn read(text: &str) -> Puzzle {
    ikeru_trail::format::read(text).unwrap_or_else(|error| panic!("{error}"))
}

/// A puzzle of the shared data; prints a message and returns `None` if the data is not available.
fn shared(name: &str) -> Option<Puzzle> {
    let path = shared_file(&format!("trail/{name}"))?;
    Some(read(&std::fs::read_to_string(path).expect("a text")))
}
