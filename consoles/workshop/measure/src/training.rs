//! The questions that are counted, read from `training.toml`: groups, each the product of its lists.

use std::collections::BTreeSet;

use anyhow::{Context as _, Result, ensure};
use ikeru_console_probe::{ProbeQuestion, problem};
use ikeru_consoles::counts::Set;
use ikeru_core::{AnyInstance, Settings, Value, unknown};
use serde::Deserialize;

/// The file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TrainingFile {
    groups: Vec<TrainingGroup>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TrainingGroup {
    problem: String,
    variants: Vec<String>,
    generator: String,
    /// `key=value` with spaces between them.
    #[serde(default = "nothing_given")]
    parameters: Vec<String>,
    seeds: Vec<u64>,
    /// `key=value` with spaces between them.
    #[serde(default = "nothing_given")]
    settings: Vec<String>,
    #[serde(default)]
    reference: bool,
}

fn nothing_given() -> Vec<String> {
    vec![String::new()]
}

/// A question to one variant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrainingQuestion {
    /// The set to which it belongs.
    pub set: Set,
    /// The problem.
    pub problem: String,
    /// The variant.
    pub variant: String,
    /// The generator of the instance.
    pub generator: String,
    /// Its seed.
    pub seed: u64,
    /// Its parameters, as `key=value`.
    pub parameters: String,
    /// The settings of question and method, as `key=value`.
    pub settings: String,
}

impl TrainingQuestion {
    /// The instance in words.
    pub fn instance(&self) -> String {
        let words = format!("{} seed={} {}", self.generator, self.seed, self.parameters);
        words.trim_end().to_owned()
    }

    /// The settings one by one.
    pub fn settings(&self) -> Vec<&str> {
        self.settings.split_whitespace().collect()
    }

    /// Generates the instance.
    ///
    /// # Errors
    /// An unknown problem, generator or parameter.
    pub fn generate(&self) -> Result<Box<dyn AnyInstance>> {
        let mut parameters = Settings::new();
        for pair in self.parameters.split_whitespace() {
            let (name, value) = pair
                .split_once('=')
                .with_context(|| format!("`{pair}` is no key=value"))?;
            parameters.set(name, Value::parse(value));
        }
        let generated = problem(&self.problem)?.generate(&self.generator, &parameters, self.seed);
        generated.with_context(|| self.instance())
    }

    /// Makes the probe's question from the settings and the generated `instance`.
    ///
    /// # Errors
    /// An unknown setting, or a value out of its range.
    pub fn ask(&self, instance: &dyn AnyInstance) -> Result<ProbeQuestion> {
        let asked = ProbeQuestion::new(problem(&self.problem)?, instance, &self.settings());
        asked.with_context(|| format!("{} {}", self.instance(), self.settings))
    }
}

/// Reads a training file. Every third combination of parameters, seed and settings in a group is held out, the others
/// are in the training set. All questions of a reference group are references.
///
/// # Errors
/// Text that the format does not allow, with its line.
pub fn read(text: &str) -> Result<Vec<TrainingQuestion>> {
    let file: TrainingFile = toml::from_str(text)?;
    let mut asked = Vec::new();
    for group in &file.groups {
        let mut number = 0;
        for parameters in &group.parameters {
            for seed in &group.seeds {
                for settings in &group.settings {
                    number += 1;
                    let set = match (group.reference, number % 3) {
                        (true, _) => Set::Reference,
                        (false, 0) => Set::Test,
                        (false, _) => Set::Train,
                    };
                    asked.extend(group.variants.iter().map(|variant| TrainingQuestion {
                        set,
                        problem: group.problem.clone(),
                        variant: variant.clone(),
                        generator: group.generator.clone(),
                        seed: *seed,
                        parameters: parameters.clone(),
                        settings: settings.clone(),
                    }));
                }
            }
        }
    }
    Ok(asked)
}

/// The questions to the variants called `names`, of any problem; all questions if there are no names.
///
/// # Errors
/// A variant without questions, with the nearest name that has some.
pub fn of_variants(
    questions: &[TrainingQuestion],
    names: &[String],
) -> Result<Vec<TrainingQuestion>> {
    let known: BTreeSet<&str> = questions
        .iter()
        .map(|asked| asked.variant.as_str())
        .collect();
    for name in names {
        let is_known = known.contains(name.as_str());
        ensure!(is_known, unknown("variant", name, known.iter().copied()));
    }
    let is_named = |asked: &&TrainingQuestion| names.is_empty() || names.contains(&asked.variant);
    Ok(questions.iter().filter(is_named).cloned().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_questions_can_be_asked() {
        let asked = read(include_str!("../../training.toml")).expect("the shipped questions");
        for question in &asked {
            problem(&question.problem)
                .expect("a problem")
                .variant(&question.variant)
                .expect("a variant");
        }
        let share = |set| asked.iter().filter(|question| question.set == set).count();
        assert!(share(Set::Train) > share(Set::Test) && share(Set::Test) > 0);
        assert!(share(Set::Reference) > 0);
    }

    /// A variant that is neither counted nor mentioned is new: it is listed as not counted.
    #[test]
    fn no_counted_variant_has_a_reason_why_it_is_not_counted() {
        let asked = read(include_str!("../../training.toml")).expect("the shipped questions");
        let basis = ikeru_consoles::Basis::built_in().expect("the shipped tables");
        for TrainingQuestion {
            problem, variant, ..
        } in &asked
        {
            let why = basis.consoles.why_not_counted(problem, variant);
            assert_eq!(why, None, "{problem} {variant}");
        }
        for name in basis.consoles.not_counted.keys() {
            let (problem, variant) = name.split_once(' ').unwrap_or((name, ""));
            let known = ikeru_console_probe::problem(problem).expect("a problem");
            assert!(
                variant.is_empty() || known.variant(variant).is_ok(),
                "{name}"
            );
        }
    }

    #[test]
    fn questions_of_one_variant_are_found_by_its_name() {
        let all = read(include_str!("../../training.toml")).expect("the shipped questions");
        let names = ["lagrangian".to_owned()];
        let own = of_variants(&all, &names).expect("a variant");
        assert!(own.len() > 10 && own.iter().all(|asked| asked.variant == names[0]));
        assert_eq!(of_variants(&all, &[]).expect("all of them"), all);
        let error = of_variants(&all, &["lagrangain".to_owned()]).expect_err("unknown");
        assert!(
            error.to_string().contains("did you mean `lagrangian`?"),
            "{error}"
        );
    }

    #[test]
    fn a_group_is_the_product_of_its_lists() {
        let text = "[[groups]]\nproblem = \"chain\"\nvariants = [\"flood\", \"bitboard\"]\ngenerator = \"chain.long-chain\"\n\
            parameters = [\"steps=3\", \"steps=5\"]\nseeds = [1, 2]\n";
        let asked = read(text).expect("a file");
        assert_eq!(asked.len(), 8);
        assert_eq!(asked[4].instance(), "chain.long-chain seed=1 steps=5");
        let sets: Vec<Set> = asked
            .iter()
            .step_by(2)
            .map(|question| question.set)
            .collect();
        assert_eq!(sets, [Set::Train, Set::Train, Set::Test, Set::Train]);
        assert!(read("[[groups]]\nproblme = \"chain\"\n").is_err());
    }
}
