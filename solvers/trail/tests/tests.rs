//! One integration binary.
//!
//! | module | what belongs there |
//! |---|---|
//! | `agreement` | all exact variants give the same score, on random puzzles and against a table over edge sets |
//! | `articles` | the article's example, node counts of its ladder, optima of real puzzles |
//! | `input` | what the text format and the question refuse |
//! | `limits` | timeouts, bounds, threads and bound policies |
//! | `numbers` | boards of large numbers |
//! | `switches` | every combination of the prunings |
//! | `strong` | `reverse` and `layers` against depth-first search, each other, and real puzzles |

mod suite {
    pub mod agreement;
    pub mod articles;
    pub mod input;
    pub mod limits;
    pub mod numbers;
    pub mod strong;
    pub mod switches;
}

use ikeru_core::{Attempt, Counters, Deadline, Incumbent, Problem, Score, Search, Settings};
use ikeru_trail::{Puzzle, TrailProblem};

/// Solves `puzzle` by `variant` and lets the referee check the answer: the score, `None` for no trail.
fn solve(puzzle: &Puzzle, variant: &str) -> (Option<Score>, Counters) {
    solve_with(puzzle, variant, &Settings::new())
}

/// The same, with settings of the variant.
fn solve_with(puzzle: &Puzzle, variant: &str, settings: &Settings) -> (Option<Score>, Counters) {
    let all = TrailProblem::variants();
    let variant = all.iter().find(|known| known.name == variant);
    let variant = variant.expect("a known variant");
    let incumbent = Incumbent::new();
    let mut search = Search::new(&incumbent);
    let mut solver =
        (variant.prepare)(puzzle, settings, Deadline::never()).expect("a puzzle it takes");
    let Attempt::Solved(answer) = solver.solve(&mut search) else {
        panic!("{} gave up without a deadline", variant.name);
    };
    let checked = TrailProblem::referee(puzzle, &answer, Deadline::never());
    let checked = checked.unwrap_or_else(|wrong| panic!("{}: {wrong}", variant.name));
    (checked.score, search.counters)
}

fn read(text: &str) -> Puzzle {
    ikeru_trail::format::read(text).unwrap_or_else(|error| panic!("{error}"))
}

/// A puzzle of the shared data; `None`, with a message, where the data is not there.
fn shared(name: &str) -> Option<Puzzle> {
    let root = std::env::var("IKERU_SHARED_DATA").unwrap_or_else(|_| {
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data").to_owned()
    });
    let path = std::path::Path::new(&root).join("trail").join(name);
    match std::fs::read_to_string(&path) {
        Ok(text) => Some(read(&text)),
        Err(error) => {
            println!("skipped: {} is not there ({error})", path.display());
            None
        }
    }
}
