//! One binary for all tests of the crate.
//!
//! | module | what belongs there |
//! |---|---|
//! | `agree` | all variants give the same costs on random instances |
//! | `article` | the worked example, step by step |
//! | `bad_input` | what is refused, and how |
//! | `exact` | ties of scaled costs, paths beyond 32 bits, large maps, deadlines |
//! | `generators` | a seed means the same instance for ever |
//! | `published` | other people's maps with published lengths, where they are at hand |

mod agree;
mod article;
mod bad_input;
mod exact;
mod generators;
mod published;

use ikeru_core::{Attempt, Deadline, Incumbent, Problem, Refusal, Search, Settings, Value};
use ikeru_path::GridPath;
use ikeru_path::answer::Answer;
use ikeru_path::instance::Instance;

/// Variants that skip every instance, since the crate is built without their feature.
const ABSENT: &[&str] = if cfg!(feature = "peers") {
    &[]
} else {
    &["pathfinding", "petgraph"]
};

/// `a=1 b=x` as settings.
fn settings(words: &str) -> Settings {
    words
        .split_whitespace()
        .filter_map(|word| word.split_once('='))
        .map(|(key, value)| (key, Value::parse(value)))
        .collect()
}

/// The answer of a variant; `None` where it skips the instance.
fn solve(variant: &str, instance: &Instance, method: &str, threads: usize) -> Option<Answer> {
    let variants = GridPath::variants();
    let variant = variants
        .iter()
        .find(|known| known.name == variant)
        .expect("a known variant");
    let mut solver = match (variant.prepare)(instance, &settings(method), Deadline::never()) {
        Ok(solver) => solver,
        Err(Refusal::Skip(_)) => return None,
        Err(error) => panic!("{}: {error}", variant.name),
    };
    let incumbent = Incumbent::new();
    let mut search = Search::new(&incumbent);
    search.threads = threads;
    // Twice: nothing of the first answer may leak into the second.
    solver.solve(&mut search);
    match solver.solve(&mut search) {
        Attempt::Solved(answer) => Some(answer),
        Attempt::Timeout { .. } => panic!("{}: no deadline was set", variant.name),
    }
}

/// The instance of a generator and a seed.
fn generate(generator: &str, parameters: &str, seed: u64) -> Instance {
    let generators = GridPath::generators();
    let generator = generators
        .iter()
        .find(|known| known.name == generator)
        .expect("a generator");
    let mut random = ikeru_core::Random::new(generator.name, seed);
    (generator.generate)(&settings(parameters), &mut random).expect("an instance")
}
