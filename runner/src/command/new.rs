//! `ikeru new`: writes a folder with a working benchmark of commands.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::Args;
use ikeru_bench_data::Experiment;
use serde::Deserialize;

use crate::output;

/// The arguments of `new`.
#[derive(Debug, Args)]
#[command(after_help = "Example: ikeru new mine && ikeru run mine/knapsack.toml")]
pub struct Arguments {
    /// The folder, which must be new or empty
    folder: PathBuf,
    /// Write the benchmark of a pahcer_config.toml instead of the example
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
}

/// The files of the example. The best scores of two people are joined line by line.
const FILES: [(&str, &str); 7] = [
    (
        "knapsack.toml",
        include_str!("../../../examples/knapsack/knapsack.toml"),
    ),
    (
        "make.py",
        include_str!("../../../examples/knapsack/make.py"),
    ),
    (
        "judge.py",
        include_str!("../../../examples/knapsack/judge.py"),
    ),
    (
        "greedy.py",
        include_str!("../../../examples/knapsack/greedy.py"),
    ),
    (
        "swaps.py",
        include_str!("../../../examples/knapsack/swaps.py"),
    ),
    (
        "draw.py",
        include_str!("../../../examples/knapsack/draw.py"),
    ),
    GIT,
];

const GIT: (&str, &str) = (".gitattributes", "bests.csv merge=union\n");

/// Writes the files.
///
/// # Errors
/// A folder that is not empty, a configuration that cannot be read, or a file that cannot be written.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let folder = &arguments.folder;
    let files: Vec<(String, String)> = match &arguments.from {
        Some(config) => vec![
            converted(config, folder)?,
            (GIT.0.to_owned(), GIT.1.to_owned()),
        ],
        None => FILES
            .map(|(name, text)| (name.to_owned(), text.to_owned()))
            .to_vec(),
    };
    if fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) {
        bail!("{}: is not empty; expected a new folder", folder.display());
    }
    let refused = || format!("{}: cannot be written", folder.display());
    fs::create_dir_all(folder).with_context(refused)?;
    for (name, text) in &files {
        fs::write(folder.join(name), text).with_context(refused)?;
    }
    let run = folder.join(&files[0].0);
    let run = output::quoted(&run.to_string_lossy());
    output::print(&format!("{run}\nNext: ikeru run {run}\n"))?;
    Ok(ExitCode::SUCCESS)
}

/// The keys of pahcer's configuration that a benchmark needs.
#[derive(Debug, Deserialize)]
struct Pahcer {
    problem: PahcerProblem,
    test: PahcerTest,
}

#[derive(Debug, Deserialize)]
struct PahcerProblem {
    problem_name: String,
    objective: String,
    score_regex: String,
}

#[derive(Debug, Deserialize)]
struct PahcerTest {
    start_seed: u64,
    end_seed: u64,
    #[serde(default)]
    compile_steps: Vec<PahcerStep>,
    test_steps: Vec<PahcerStep>,
}

#[derive(Debug, Deserialize)]
struct PahcerStep {
    program: String,
    #[serde(default)]
    args: Vec<String>,
    stdin: Option<String>,
}

impl PahcerStep {
    fn words(&self) -> Vec<String> {
        let words = std::iter::once(&self.program).chain(&self.args);
        words.cloned().collect()
    }
}

/// The name and the text of the benchmark that a pahcer configuration describes. Its commands stay relative to the
/// folder of the configuration.
fn converted(config: &Path, folder: &Path) -> Result<(String, String)> {
    let shown = config.display().to_string();
    let text = fs::read_to_string(config).with_context(|| format!("{shown}: cannot read it"))?;
    let read: Pahcer = toml::from_str(&text)
        .map_err(|error| ikeru_bench_data::DataError::from_toml(&shown, &text, &error))?;
    let above = std::path::absolute(config)?;
    let above = above.parent().unwrap_or(Path::new("/")).to_owned();
    let mut steps = read.test.test_steps.iter();
    let (Some(solver), scorer) = (steps.next(), steps.next()) else {
        bail!("{shown}: has no `test_steps`; expected the step that starts the solver");
    };
    let name: String = read.problem.problem_name.to_lowercase();
    let name = name.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    let direction = match read.problem.objective.as_str() {
        "Max" => "maximize",
        "Min" => "minimize",
        other => bail!("{shown}: `objective` is `{other}`; expected Max or Min"),
    };
    let inputs = solver.stdin.as_deref().unwrap_or("tools/in/{SEED04}.txt");
    let glob = above.join(
        inputs
            .replace("{SEED04}", "[0-9][0-9][0-9][0-9]")
            .replace("{SEED}", "*"),
    );
    let words = |words: &[String]| {
        let placed = words.iter().map(|word| {
            let local = above.join(word);
            let word = match word.contains('/') && local.exists() {
                true => local.display().to_string(),
                false => word.clone(),
            };
            toml::Value::from(word)
        });
        toml::Value::Array(placed.collect()).to_string()
    };
    let mut text = format!(
        "name = \"{name}\"\ntitle = \"{}\"\n\n[problem]\ndirection = \"{direction}\"\nscore = {}\n",
        read.problem.problem_name,
        toml::Value::from(pattern(&read.problem.score_regex))
    );
    let scored = scorer.map(|scorer| scored(&scorer.words()));
    if let Some(scored) = &scored {
        text += &format!("referee = {}\n", words(scored));
    }
    text += &format!(
        "\n[[variants]]\nname = \"mine\"\ncommand = {}\n",
        words(&solver.words())
    );
    if let Some(step) = read.test.compile_steps.first() {
        text += &format!("prepare = {}\n", words(&step.words()));
    }
    let (from, to) = (read.test.start_seed, read.test.end_seed);
    text += &format!(
        "\n# pahcer's seeds were {from} to {to}, the last one left out; this takes every file.\n[[instances]]\nfiles = {}\n",
        toml::Value::from(glob.display().to_string())
    );
    let file = format!("{name}.toml");
    Experiment::read(&folder.join(&file).display().to_string(), &text)?;
    Ok((file, text))
}

/// The words of a scorer of pahcer, whose files are those of a seed.
fn scored(words: &[String]) -> Vec<String> {
    let place = |word: &String| {
        let is_seed = word.contains("{SEED");
        match (is_seed, word.contains("out")) {
            (true, true) => "{answer}".to_owned(),
            (true, false) => "{instance}".to_owned(),
            (false, _) => word.clone(),
        }
    };
    words.iter().map(place).collect()
}

/// The plain pattern of a regular expression for a score: `^\s*Score\s*=\s*(?P<score>\d+)\s*$` is `Score = {score}`.
fn pattern(expression: &str) -> String {
    let begin = expression.find("(?P<score>").unwrap_or(0);
    let end = expression[begin..]
        .find(')')
        .map_or(expression.len(), |at| begin + at + 1);
    let plain = |text: &str| {
        let text = text
            .replace("(?m)", "")
            .replace(r"\s*", " ")
            .replace(r"\s+", " ");
        text.trim_matches(['^', '$']).replace('\\', "")
    };
    let (before, after) = (plain(&expression[..begin]), plain(&expression[end..]));
    format!("{before}{}{after}", ikeru_bench_data::experiment::SCORE)
        .trim()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_expressions_become_patterns() {
        for (expression, expected) in [
            (r"^\s*Score\s*=\s*(?P<score>\d+)\s*$", "Score = {score}"),
            (r"(?m)^score: (?P<score>\d+)", "score: {score}"),
            (r"(?P<score>\d+)", "{score}"),
        ] {
            assert_eq!(pattern(expression), expected);
        }
    }
}
