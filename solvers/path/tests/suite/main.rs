//! One binary for all tests of the crate.
//!
//! | module | what belongs there |
//! |---|---|
//! | `agree` | all variants give the same costs on random instances |
//! | `article` | the worked example, step by step |
//! | `bad_input` | invalid input and the messages that refuse it |
//! | `exact` | ties of scaled costs, paths beyond 32 bits, large maps, deadlines |
//! | `generators` | a seed always gives the same instance |
//! | `published` | maps with published lengths, if they are available |
//! | `tables` | the gain of preparation, and the cases in which it is refused |

mod agree;
mod article;
mod bad_input;
mod exact;
mod generators;
mod published;
mod tables;

use ikeru_core::testing::{settings, variant};
use ikeru_core::{
    Attempt, Checked, Deadline, Direction, Incumbent, Problem, Proof, Referee, Refusal, Rejection,
    Search,
};
use ikeru_path::GridPath;
use ikeru_path::answer::Answer;
use ikeru_path::instance::Instance;

/// Variants that skip every instance, because the crate is built without their feature.
const ABSENT: &[&str] = if cfg!(feature = "peers") {
    &[]
} else {
    &["pathfinding"]
};

/// The answer of a variant; `None` if it skips the instance. It must be proven if the variant claims optimality.
fn solve(name: &str, instance: &Instance, method: &str, threads: usize) -> Option<Answer> {
    let prepare = variant::<GridPath>(name).expect("a known variant").prepare;
    let mut solver = match prepare(instance, &settings(method), Deadline::never()) {
        Ok(solver) => solver,
        Err(Refusal::Skip(_)) => return None,
        Err(error) => panic!("{name}: {error}"),
    };
    let incumbent = Incumbent::new(Direction::Minimize);
    let mut search = Search::new(&incumbent);
    search.threads = threads;
    // Solves twice: the first answer must not influence the second.
    solver.solve(&mut search);
    match solver.solve(&mut search) {
        Attempt::Solved { answer, proof } => {
            assert_eq!(answer.optimal, proof == Proof::Proven, "{name}");
            Some(answer)
        }
        Attempt::Timeout { .. } => panic!("{name}: no deadline was set"),
    }
}

/// The result of a new referee.
fn checked(instance: &Instance, answer: &Answer, deadline: Deadline) -> Result<Checked, Rejection> {
    GridPath::referee(instance).check(instance, answer, deadline)
}

/// The instance of a generator and a seed.
fn generate(generator: &str, parameters: &str, seed: u64) -> Instance {
    ikeru_core::testing::generate::<GridPath>(generator, parameters, seed)
}
