//! Small instances of any problem, from random parameters of its generators and random questions.
//!
//! The draws use only the problem's declared settings. Whole numbers are drawn from the lower end of their range, words
//! uniformly from all words. A draw that the problem refuses or that every variant skips is repeated; after 40 such draws
//! the defaults are used.

use std::time::Duration;

use crate::{
    AnyInstance, AnyProblem, Deadline, GeneratorInfo, Random, Refusal, SettingInfo, SettingKind,
    Settings, Value,
};

/// The time limit of a variant's preparation, and that of its answer to a small instance.
pub(super) const LIMIT: Duration = Duration::from_millis(150);

/// The number of draws before the defaults are used.
const DRAWS: u32 = 40;

/// The largest distance of a drawn whole number above the least value, or above 0 if the least value is negative.
const LARGEST: i64 = 6;

/// An instance with a description of its generation, for messages.
pub struct Specimen {
    /// `generator seed=1 width=3, asked steps=2`.
    pub name: String,
    /// The instance with its question.
    pub instance: Box<dyn AnyInstance>,
}

/// A specimen, or why none can be made.
pub type MadeSpecimen = Result<Specimen, String>;

/// The instance that `generator` makes of `seed` by default.
///
/// # Errors
/// The generator refuses its own defaults.
pub fn default(problem: &dyn AnyProblem, generator: &GeneratorInfo, seed: u64) -> MadeSpecimen {
    let made = problem.generate(generator.name, &Settings::new(), seed);
    Ok(Specimen {
        name: format!("{} seed={seed}", generator.name),
        instance: made.map_err(|error| format!("{} by default: {error}", generator.name))?,
    })
}

/// A small instance that `generator` makes, with a random question.
///
/// # Errors
/// The generator refuses its own defaults.
pub fn small(problem: &dyn AnyProblem, generator: &GeneratorInfo, seed: u64) -> MadeSpecimen {
    let random = &mut Random::new("specimen", seed);
    let mut draws = (0..DRAWS).map(|_| draw(generator.parameters, random));
    let drawn = draws.find_map(|parameters| {
        let made = problem.generate(generator.name, &parameters, seed);
        Some(Specimen {
            name: format!("{} seed={seed} {parameters}", generator.name),
            instance: made.ok()?,
        })
    });
    let mut made = match drawn {
        Some(made) => made,
        None => default(problem, generator, seed)?,
    };
    for _ in 0..DRAWS {
        let question = draw(problem.settings(), random);
        let asked = made.instance.ask(&question).ok();
        if let Some(instance) = asked.filter(|asked| is_taken(problem, asked.as_ref())) {
            made.name += &format!(", asked {question}");
            made.instance = instance;
            break;
        }
    }
    Ok(made)
}

/// Returns whether some variant takes the question: a question may ask for something that the instance does not have.
fn is_taken(problem: &dyn AnyProblem, instance: &dyn AnyInstance) -> bool {
    problem.variants().iter().any(|variant| {
        let ready = instance.prepare(variant.name, &Settings::new(), Deadline::after(LIMIT));
        !matches!(ready, Err(Refusal::Skip(_)))
    })
}

/// Random values; each setting is given with probability 0.8.
fn draw(declared: &[SettingInfo], random: &mut Random) -> Settings {
    let mut drawn = Settings::new();
    for setting in declared {
        let value = match setting.kind {
            SettingKind::Int { least, most, .. } => {
                Value::Int(random.between(least, most.min(least.max(0) + LARGEST)))
            }
            SettingKind::Bool { default } => Value::Bool(!default),
            SettingKind::Choice { words, .. } => Value::parse(words()[random.index(words().len())]),
            SettingKind::Text { default: None } => Value::Int(random.between(0, LARGEST)),
            SettingKind::Float { .. } | SettingKind::Text { .. } => continue,
        };
        if random.chance(0.8) {
            drawn.set(setting.name, value);
        }
    }
    drawn
}
