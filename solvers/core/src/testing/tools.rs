//! Helpers that tests, benches and examples share: an instance, a variant, its answer.

use std::path::PathBuf;

use crate::{
    AnyInstance, AnyProblem, Attempt, Counters, Deadline, Incumbent, Problem, Random, Refusal,
    Search, Settings, Value, variant,
};

/// Settings as a person types them: `steps=3 god=true`.
pub fn settings(words: &str) -> Settings {
    let pairs = words
        .split_whitespace()
        .filter_map(|word| word.split_once('='));
    pairs
        .map(|(name, value)| (name, Value::parse(value)))
        .collect()
}

/// The instance that `generator` makes from `seed` and from `parameters`, typed as `width=3 height=4`.
///
/// # Panics
/// When there is no such generator, or it refuses the parameters.
pub fn generate<P: Problem>(generator: &str, parameters: &str, seed: u64) -> P::Instance {
    let mut generators = P::GENERATORS.iter();
    let found = generators.find(|known| known.name == generator);
    let Some(found) = found else {
        panic!("there is no generator {generator}")
    };
    let mut random = Random::new(generator, seed);
    (found.generate)(&settings(parameters), &mut random)
        .unwrap_or_else(|error| panic!("{generator} {parameters}: {error}"))
}

/// The same as [`generate`] with seed 1, for a problem without its types, asked `question`.
///
/// # Panics
/// When there is no such generator, or it refuses the parameters, or the instance the question.
pub fn asked(
    problem: &dyn AnyProblem,
    generator: &str,
    parameters: &str,
    question: &str,
) -> Box<dyn AnyInstance> {
    let made = problem.generate(generator, &settings(parameters), 1);
    made.and_then(|instance| instance.ask(&settings(question)))
        .unwrap_or_else(|error| panic!("{generator} {parameters}, asked {question}: {error}"))
}

/// The number of random trials that a test makes: a tenth of `all`, or `all` if the environment variable
/// `IKERU_CI_FULL` is set; one under Miri.
pub fn trials(all: u64) -> u64 {
    if cfg!(miri) {
        return 1;
    }
    match std::env::var_os("IKERU_CI_FULL") {
        Some(_) => all,
        None => all.div_ceil(10),
    }
}

/// A file of the shared data, which are not part of the repository: in the folder that the environment variable
/// `IKERU_SHARED_DATA` names, else in `../shared/data`. If it is missing, prints a line that begins with `skipped: `.
pub fn shared_file(name: &str) -> Option<PathBuf> {
    let root = std::env::var_os("IKERU_SHARED_DATA").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"),
        PathBuf::from,
    );
    let path = root.join(name);
    if path.exists() {
        return Some(path);
    }
    println!("skipped: {} is not there", path.display());
    None
}

/// Prepares the variant called `name` for `instance` and lets it answer once: one thread, no deadline.
///
/// # Errors
/// An unknown variant, a setting that does not fit, or an instance that the variant does not take.
pub fn answer<P: Problem>(
    instance: &P::Instance,
    name: &str,
    settings: &Settings,
) -> Result<(Attempt<P::Answer>, Counters), Refusal> {
    let variant = variant::<P>(name)?;
    let incumbent = Incumbent::new(P::INFO.direction);
    let mut search = Search::new(&incumbent);
    let mut solver = (variant.prepare)(instance, settings, Deadline::never())?;
    let attempt = solver.solve(&mut search);
    Ok((attempt, search.counters))
}
