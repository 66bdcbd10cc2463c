//! `ikeru new`: writes a folder with a working benchmark of commands.

use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::Args;
use ikeru_bench_data::experiment::SCORE;
use ikeru_bench_data::{Experiment, text_file};
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

/// The name and the text of a file of the example.
macro_rules! file {
    ($name:literal) => {
        ($name, include_str!(concat!("../../packed/", $name)))
    };
}

/// The files of the example. The best scores of two people are joined line by line.
const FILES: [(&str, &str); 7] = [
    file!("knapsack.toml"),
    file!("make.py"),
    file!("judge.py"),
    file!("greedy.py"),
    file!("swaps.py"),
    file!("draw.py"),
    GIT,
];

const GIT: (&str, &str) = (".gitattributes", "bests.csv merge=union\n");

/// Writes the files.
///
/// # Errors
/// A folder that is not empty, a configuration that cannot be read, or a file that cannot be written.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let folder = &arguments.folder;
    let owned = |(name, text): (&str, &str)| (name.to_owned(), text.to_owned());
    let files: Vec<(String, String)> = match &arguments.from {
        Some(config) => vec![converted(config, folder)?, owned(GIT)],
        None => FILES.map(owned).to_vec(),
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
    current_dir: Option<String>,
    stdin: Option<String>,
    stdout: Option<String>,
}

impl PahcerStep {
    fn words(&self) -> Vec<String> {
        let words = std::iter::once(&self.program).chain(&self.args);
        words.cloned().collect()
    }

    /// The folder in which the step runs; `above` is that of the configuration.
    fn folder(&self, above: &Path) -> PathBuf {
        joined(above, self.current_dir.as_deref().unwrap_or_default())
    }

    /// The command of `words`, which changes to the step's folder if it has its own.
    fn command(&self, words: &[String], above: &Path) -> toml::Value {
        let folder = self.folder(above);
        let mut command = Vec::new();
        if self.current_dir.is_some() {
            let change = ["sh", "-c", "cd \"$0\" && exec \"$@\""];
            command.extend(change.map(str::to_owned));
            command.push(folder.display().to_string());
        }
        command.extend(words.iter().map(|word| placed(word, &folder)));
        command.into()
    }
}

/// The path that `word` names in `folder`, without `.` and `..`.
fn joined(folder: &Path, word: &str) -> PathBuf {
    let mut path = PathBuf::new();
    for part in folder.join(word).components() {
        match part {
            Component::ParentDir => drop(path.pop()),
            other => path.push(other),
        }
    }
    path
}

/// The name and the text of the benchmark that a pahcer configuration describes. Files of its commands are those in the
/// folder of the configuration.
fn converted(config: &Path, folder: &Path) -> Result<(String, String)> {
    let shown = config.display().to_string();
    let text = text_file::read(config).with_context(|| format!("{shown}: cannot read it"))?;
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
    let name = match name.trim_matches('-') {
        "" => "problem",
        name => name,
    };
    let direction = match read.problem.objective.as_str() {
        "Max" => "maximize",
        "Min" => "minimize",
        other => bail!("{shown}: `objective` is `{other}`; expected Max or Min"),
    };
    let is_seed = |word: &&String| word.contains("{SEED");
    let inputs = solver.stdin.as_ref().or(solver.args.iter().find(is_seed));
    let inputs = inputs.map_or("tools/in/{SEED04}.txt", String::as_str);
    if !inputs.contains("{SEED") {
        bail!(
            "{shown}: the solver reads `{inputs}`; expected a file of each seed, as in/{{SEED04}}.txt"
        );
    }
    // Pahcer opens `stdin` and `stdout` in its own folder.
    let reads = solver.stdin.as_ref().map(|_| above.clone());
    let input = joined(&reads.unwrap_or_else(|| solver.folder(&above)), inputs);
    let glob = input.display().to_string();
    let glob = glob.replace("{SEED04}", "????").replace("{SEED}", "*");
    let mut command = solver.words();
    for word in &mut command {
        if word == inputs {
            "{instance}".clone_into(word);
        } else if word.contains("{SEED") {
            bail!(
                "{shown}: the solver gets `{word}`; expected the seed in the name of its input alone"
            );
        }
    }
    let score = pattern(&read.problem.score_regex).unwrap_or_else(|| {
        output::warn(&format!(
            "{shown}: `score_regex` is more than a score between plain words; look at `score` in {name}.toml"
        ));
        format!("Score = {SCORE}")
    });
    let mut text = format!(
        "name = \"{name}\"\ntitle = {}\n\n[problem]\ndirection = \"{direction}\"\nscore = {}\nleast = 1  # pahcer's scores are positive: 0 is a wrong answer\n",
        toml::Value::from(read.problem.problem_name.as_str()),
        toml::Value::from(score)
    );
    if !read.test.compile_steps.is_empty() {
        text += &format!("prepare = {}\n", built(&read.test.compile_steps, &above));
    }
    if let Some(scorer) = scorer {
        let output = solver.stdout.as_ref().map(|output| joined(&above, output));
        let referee = scored(scorer, &above, [Some(input), output]);
        let referee = referee.with_context(|| shown.clone())?;
        text += &format!("referee = {}\n", scorer.command(&referee, &above));
    }
    let command = solver.command(&command, &above);
    text += &format!("\n[[variants]]\nname = \"mine\"\ncommand = {command}\n");
    let (from, to) = (read.test.start_seed, read.test.end_seed);
    let glob = toml::Value::from(glob);
    text += &format!(
        "\n# pahcer's seeds were {from} to {to}, the last one left out; this takes every file.\n[[instances]]\nfiles = {glob}\n"
    );
    let file = format!("{name}.toml");
    Experiment::read(&folder.join(&file).display().to_string(), &text)?;
    Ok((file, text))
}

/// The command that carries out all steps, each in its folder or in that of the configuration.
fn built(steps: &[PahcerStep], above: &Path) -> toml::Value {
    let quoted = |words: Vec<String>| {
        let words = words.iter().map(|word| output::quoted(word));
        words.collect::<Vec<_>>().join(" ")
    };
    let change = |folder: String| quoted(vec!["cd".to_owned(), folder]);
    let steps = steps.iter().map(|step| match &step.current_dir {
        Some(folder) => format!("({} && {})", change(folder.clone()), quoted(step.words())),
        None => quoted(step.words()),
    });
    let inside = change(above.display().to_string());
    let line: Vec<String> = std::iter::once(inside).chain(steps).collect();
    let words = ["sh", "-c", &line.join(" && ")].map(toml::Value::from);
    toml::Value::Array(words.to_vec())
}

/// A word of a command, with the path of the file in `above` if it names one, also one that is still to be built.
fn placed(word: &str, above: &Path) -> String {
    let local = joined(above, word);
    if word.starts_with("./") || word.starts_with("../") || local.is_file() {
        return local.display().to_string();
    }
    word.to_owned()
}

/// The words of the referee: those of the scorer, with the solver's input and output as placeholders.
///
/// # Errors
/// A word with the seed that is neither.
fn scored(
    scorer: &PahcerStep,
    above: &Path,
    [input, output]: [Option<PathBuf>; 2],
) -> Result<Vec<String>> {
    let place = |word: String| match Some(joined(&scorer.folder(above), &word)) {
        path if path == input => Ok("{instance}".to_owned()),
        _ if !word.contains("{SEED") => Ok(word),
        path if output.is_none() || path == output => Ok("{answer}".to_owned()),
        _ => bail!(
            "the scorer gets `{word}`; expected `{}`, or the `stdout` of the solver",
            input.as_deref().unwrap_or(above).display()
        ),
    };
    scorer.words().into_iter().map(place).collect()
}

/// The plain pattern of a regular expression for a score: `^\s*Score\s*=\s*(?P<score>\d+)\s*$` is `Score = {score}`.
/// `None` if there is more than plain words around the score.
fn pattern(expression: &str) -> Option<String> {
    let (before, group) = expression.split_once("(?P<score>")?;
    let mut depth = 1;
    let end = group.find(|letter| {
        depth += i32::from(letter == '(') - i32::from(letter == ')');
        depth == 0
    })?;
    let before = before.strip_prefix("(?m)").unwrap_or(before);
    let before = before.strip_prefix('^').unwrap_or(before);
    let after = &group[end + 1..];
    let after = after.strip_suffix('$').unwrap_or(after);
    let whole = format!("{}{SCORE}{}", plain(before)?, plain(after)?);
    Some(whole.trim().to_owned())
}

/// The text that a regular expression without repetitions, classes and groups matches; a blank matches any number of blanks.
fn plain(expression: &str) -> Option<String> {
    let mut blank = expression.to_owned();
    for sign in [r"\s*", r"\s+", r"\s"] {
        blank = blank.replace(sign, " ");
    }
    let mut plain = String::new();
    let mut letters = blank.chars();
    while let Some(letter) = letters.next() {
        plain.push(match letter {
            '\\' => letters.next().filter(|it| !it.is_alphanumeric())?,
            sign if ".*+?|()[]{}^$".contains(sign) => return None,
            other => other,
        });
    }
    Some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_expressions_become_patterns() {
        for (expression, expected) in [
            (
                r"^\s*Score\s*=\s*(?P<score>\d+)\s*$",
                Some("Score = {score}"),
            ),
            (r"(?m)^score: (?P<score>\d+)", Some("score: {score}")),
            (r"(?P<score>\d+)", Some("{score}")),
            (
                r"Score \(final\) (?P<score>-?\d+(\.\d+)?) points",
                Some("Score (final) {score} points"),
            ),
            (r"[Ss]core = (?P<score>\d+)", None),
            (r"(Score|score) = (?P<score>\d+)", None),
            (r"Score \d+ = (?P<score>\d+)", None),
            (r"Score = (\d+)", None),
        ] {
            assert_eq!(pattern(expression).as_deref(), expected, "{expression}");
        }
    }

    #[test]
    fn several_steps_of_a_configuration_become_one_command_in_its_folder() {
        let folder = tempfile::tempdir().expect("a folder");
        let config = folder.path().join("pahcer_config.toml");
        let text = r#"
            [problem]
            problem_name = "焼きなまし my \"first\" problem"
            objective = "Min"
            score_regex = '(?m)^\s*Score\s*=\s*(?P<score>\d+)\s*$'
            [test]
            start_seed = 0
            end_seed = 3
            [[test.compile_steps]]
            program = "gcc"
            args = ["-o", "ahc", "main.c"]
            [[test.compile_steps]]
            program = "strip"
            args = ["ahc"]
            [[test.test_steps]]
            program = "./ahc"
            stdin = "layout/in/{SEED04}.txt"
            stdout = "sent/{SEED04}.txt"
            [[test.test_steps]]
            program = "./vis"
            args = ["layout/in/{SEED04}.txt", "sent/{SEED04}.txt"]
        "#;
        fs::write(&config, text).expect("written");
        let (name, text) = converted(&config, folder.path()).expect("converted");
        assert_eq!(name, "my--first--problem.toml");
        let above = folder.path().display();
        for expected in [
            format!("cd {above} && gcc -o ahc main.c && strip ahc"),
            format!("command = [\"{above}/ahc\"]"),
            format!("files = \"{above}/layout/in/????.txt\""),
            format!("referee = [\"{above}/vis\", \"{{instance}}\", \"{{answer}}\"]"),
        ] {
            assert!(text.contains(&expected), "{expected} in {text}");
        }
        let [before, after] = ["layout/in/{SEED04}.txt", "./in/{SEED04}.txt"];
        let moved = fs::read_to_string(&config).expect("text");
        let moved = moved.replace(
            "program = \"./vis\"",
            "program = \"./vis\"\ncurrent_dir = \"./layout\"",
        );
        let moved = moved.replace(
            "program = \"strip\"",
            "program = \"strip\"\ncurrent_dir = \"my tools\"",
        );
        let moved = moved.replace(
            &format!("args = [\"{before}\", \"sent"),
            &format!("args = [\"{after}\", \"../sent"),
        );
        fs::write(&config, &moved).expect("written");
        let (_, text) = converted(&config, folder.path()).expect("converted");
        for expected in [
            "gcc -o ahc main.c && (cd 'my tools' && strip ahc)".to_owned(),
            format!("{above}/layout/in/????.txt"),
            format!(
                "\"{above}/layout\", \"{above}/layout/vis\", \"{{instance}}\", \"{{answer}}\"]"
            ),
        ] {
            assert!(text.contains(&expected), "{expected} in {text}");
        }
        let seed = "stdin = \"layout/in/{SEED04}.txt\"\nargs = [\"{SEED}\"]";
        let with_seed = fs::read_to_string(&config).expect("text");
        let with_seed = with_seed.replace("stdin = \"layout/in/{SEED04}.txt\"", seed);
        fs::write(&config, with_seed).expect("written");
        let error = converted(&config, folder.path()).expect_err("a seed");
        assert!(
            error.to_string().contains("the solver gets `{SEED}`"),
            "{error}"
        );
    }
}
