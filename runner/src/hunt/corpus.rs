//! The finds as files: instances, the experiment that runs them, and every evaluated candidate.

use std::fs::File;
use std::path::Path;

use anyhow::{Context, Result};
use ikeru_bench_data::Experiment;
use ikeru_core::Value;
use ikeru_reports::whole;

use super::archive::{HuntFind, Winner};
use super::candidate::{HuntCandidate, SearchSpace};
use super::evolve::{Evaluated, Hunted};
use super::rivals::{RivalMetric, Rivals};

/// Every evaluated candidate: `candidates.csv`.
pub struct Candidates(csv::Writer<File>);

impl Candidates {
    /// A new file with its header.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn create(path: &Path, rivals: &Rivals) -> Result<Self> {
        let mut writer =
            csv::Writer::from_path(path).with_context(|| path.display().to_string())?;
        let [one, other] = &rivals.names;
        let word = rivals.cost.word();
        let cost = |name: &str| format!("{name} {word}");
        let stopped = |name: &str| format!("{name} stopped");
        writer.write_record([
            "parameters",
            "seed",
            "changed_words",
            "size",
            &cost(one),
            &cost(other),
            &stopped(one),
            &stopped(other),
            "unfit",
        ])?;
        Ok(Self(writer))
    }

    /// Writes one more candidate.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn keep(&mut self, seen: &Evaluated) -> Result<()> {
        let costs = seen.met.map_or([String::new(), String::new()], |bout| {
            bout.costs.map(|it| it.to_string())
        });
        let stopped = seen.met.map_or([String::new(), String::new()], |bout| {
            bout.stopped.map(|it| it.to_string())
        });
        let unfit = seen
            .met
            .err()
            .map_or(String::new(), |unfit| format!("{unfit:?}"));
        let HuntCandidate {
            parameters,
            seed,
            edits,
        } = seen.candidate;
        self.0.write_record([
            &parameters.to_string(),
            &seed.to_string(),
            &edits.len().to_string(),
            &seen.size.to_string(),
            &costs[0],
            &costs[1],
            &stopped[0],
            &stopped[1],
            &unfit,
        ])?;
        Ok(self.0.flush()?)
    }
}

/// The maximum number of kept instances with a mistake: a variant may be wrong on most instances.
const MOST_MISTAKES: usize = 20;

/// The name of a find's file: the better variant, and the find's rank from 1.
pub fn name(rivals: &Rivals, way: Winner, rank: usize) -> String {
    format!("{}-wins-{rank}", rivals.names[way as usize])
}

/// Writes the instances into `corpus/`, and `hunt.toml`, which runs both variants on them.
///
/// # Errors
/// A file that cannot be written.
pub fn write(folder: &Path, ground: &SearchSpace, rivals: &Rivals, hunted: &Hunted) -> Result<()> {
    let corpus = folder.join("corpus");
    std::fs::create_dir_all(&corpus).with_context(|| corpus.display().to_string())?;
    for (way, finds) in &hunted.finds {
        for (at, find) in finds.iter().enumerate() {
            store(
                &corpus,
                &name(rivals, *way, at + 1),
                ground,
                &find.candidate,
            )?;
        }
    }
    for (at, (candidate, _)) in hunted.mistakes.iter().take(MOST_MISTAKES).enumerate() {
        store(&corpus, &format!("mistake-{}", at + 1), ground, candidate)?;
    }
    let path = folder.join("hunt.toml");
    let text = experiment(ground, rivals, &hunted.finds);
    // Checks that the written experiment can be read; otherwise the user would see the error only later.
    Experiment::read("hunt.toml", &text)?;
    whole::write(&path, text).with_context(|| path.display().to_string())
}

fn store(corpus: &Path, name: &str, ground: &SearchSpace, candidate: &HuntCandidate) -> Result<()> {
    let path = corpus.join(format!("{name}.txt"));
    match ground.grow(candidate) {
        Some(instance) => {
            whole::write(&path, instance.text()).with_context(|| path.display().to_string())
        }
        None => Ok(()),
    }
}

/// The experiment that runs both variants on the corpus.
fn experiment(ground: &SearchSpace, rivals: &Rivals, finds: &[(Winner, Vec<HuntFind>)]) -> String {
    let [one, other] = &rivals.names;
    let count: usize = finds.iter().map(|(_, finds)| finds.len()).sum();
    let settings = match ground.question.is_empty() {
        true => String::new(),
        false => {
            let lines = ground
                .question
                .iter()
                .map(|(name, value)| format!("{name} = {}\n", toml_value(value)));
            format!("\n[settings]\n{}", lines.collect::<String>())
        }
    };
    let (y, y_label) = match &rivals.cost {
        RivalMetric::Time => ("wall_ns".to_owned(), "time"),
        RivalMetric::Counter(name) => (format!("counter_{name}"), name.as_str()),
    };
    format!(
        "name = \"hunt\"
title = \"Where {one} beats {other}, and where {other} beats {one}\"
about = \"{count} instances of {generator} on which one of the two is the better one, by {cost}. They were searched for, so they say what can happen, not what usually does.\"
problem = \"{problem}\"
variants = [\"{one}\", \"{other}\"]
baseline = \"{one}\"

[[instances]]
files = \"corpus/*-wins-*.txt\"
{settings}
[run]
repeats = 5
limit = \"{limit}s\"

[[plots]]
name = \"hunt\"
kind = \"bar\"
title = \"Which of the two wins depends on the instance\"
reading = \"One group per instance, named after the variant that won it in the search.\"
x = \"instance\"
y = \"{y}\"
y_label = \"{y_label}\"
y_scale = \"log\"
",
        generator = ground.generator.name,
        cost = rivals.cost.word(),
        problem = rivals.problem.name(),
        limit = rivals.limit.as_secs().max(1) * 10,
    )
}

fn toml_value(value: &Value) -> String {
    match value {
        Value::Text(text) => format!("{text:?}"),
        other => other.to_string(),
    }
}
