//! Two commands without a file: the experiment that compares them, as text, so that it can be kept.

use std::path::Path;

use anyhow::{Result, bail};
use clap::Args;
use ikeru_bench_data::builtin;
use ikeru_core::unknown;

use crate::campaign::ExperimentSource;
use crate::output::{quoted, split};

/// The questions to two commands without a file of an experiment.
#[derive(Debug, Args)]
#[command(next_help_heading = "Two commands without a file of an experiment")]
pub struct Questions {
    /// A file, or a pattern of files in quotes, for `{file}` in the commands
    #[arg(long, value_name = "PATTERN")]
    files: Option<String>,
    /// The file that the commands read from standard input
    #[arg(long, value_name = "FILE", conflicts_with = "files")]
    stdin: Option<String>,
    /// The numbers for `{seed}` in the commands
    #[arg(long, value_name = "FROM..TO", conflicts_with_all = ["files", "stdin"])]
    seeds: Option<String>,
    /// The line with the score that the commands print, like `Score = {score}`; more is better
    #[arg(long, value_name = "PATTERN")]
    score: Option<String>,
    /// Less is better
    #[arg(long, requires = "score")]
    minimize: bool,
    /// Write the experiment into a file, for `ikeru run`
    #[arg(long, value_name = "FILE")]
    save: Option<String>,
}

/// Returns whether the word names an experiment.
pub fn is_experiment(word: &str) -> bool {
    let path = Path::new(word);
    let is_file = path.extension().is_some_and(|ending| ending == "toml");
    is_file || path.is_dir() || builtin::experiment(word).is_ok()
}

/// The names in braces of a word, such as `file` in `in/{file}`.
fn placeholders(word: &str) -> impl Iterator<Item = &str> {
    let is_letter = |c: char| c.is_ascii_lowercase() || c == '_';
    let parts = word.split('{').skip(1);
    let names = parts.filter_map(|part| Some(part.split_once('}')?.0));
    names.filter(move |name| !name.is_empty() && name.chars().all(is_letter))
}

/// A text as a string of TOML.
fn string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

impl Questions {
    /// The experiment of two commands, whose first variant is `base`.
    ///
    /// # Errors
    /// A quote that is not closed, a placeholder without its flag, no number, or a file that cannot be written.
    pub fn source(&self, commands: [&str; 2]) -> Result<ExperimentSource> {
        let text = self.text(commands)?;
        let source = ExperimentSource::of_text("the commands", &text)?;
        if let Some(path) = &self.save {
            ikeru_reports::whole::write(Path::new(path), &text)?;
        }
        Ok(source)
    }

    /// Returns whether the commands print a score; else nothing reads their output.
    pub fn have_scores(&self) -> bool {
        self.score.is_some()
    }

    fn text(&self, commands: [&str; 2]) -> Result<String> {
        let mut text = format!(
            "name = \"ab\"\ntitle = {}\nabout = \"Two commands on the same questions.\"\n\n[problem]\n",
            string(&format!("{} against {}", commands[1], commands[0]))
        );
        let direction = match (&self.score, self.minimize) {
            (None, _) => "equal",
            (Some(_), false) => "maximize",
            (Some(_), true) => "minimize",
        };
        text += &format!("direction = \"{direction}\"\n");
        text += &match &self.score {
            Some(pattern) => format!("score = {}\n", string(pattern)),
            // All answers have one score.
            None => "# Nothing judges the output, which the commands throw away.\nreferee = [\"echo\", \"{\\\"score\\\": 1}\"]\n".to_owned(),
        };
        let files = self.files.as_ref().or(self.stdin.as_ref());
        let instances = match files {
            Some(pattern) => format!("files = {}\n", string(pattern)),
            None => {
                text += "generate = [\"echo\", \"{seed}\"]\n";
                let (from, to) = self.range()?;
                format!("seeds = {{ from = {from}, to = {to} }}\n")
            }
        };
        for (name, command) in ["base", "head"].into_iter().zip(commands) {
            let words = self.words(command)?;
            let words: Vec<String> = words.iter().map(|word| string(word)).collect();
            let words = words.join(", ");
            text += &format!("\n[[variants]]\nname = \"{name}\"\ncommand = [{words}]\n");
        }
        Ok(text + "\n[[instances]]\n" + &instances)
    }

    /// The numbers of `--seeds`; 1 without it.
    fn range(&self) -> Result<(u64, u64)> {
        let Some(seeds) = &self.seeds else {
            return Ok((1, 1));
        };
        let both = seeds.split_once("..");
        let both = both.and_then(|(from, to)| {
            Some((from.parse().ok()?, to.trim_start_matches('=').parse().ok()?))
        });
        match both {
            Some((from, to)) if from <= to => Ok((from, to)),
            _ => bail!("--seeds {seeds}: expected two numbers, like 1..100"),
        }
    }

    /// The words of a command, with the placeholders of an experiment.
    fn words(&self, command: &str) -> Result<Vec<String>> {
        let words = split(command)?;
        if words.is_empty() {
            bail!("`{command}` is an empty command");
        }
        let has = |part: &str| words.iter().any(|word| word.contains(part));
        const KNOWN: [&str; 6] = ["file", "seed", "layout", "threads", "limit_ms", "stdin"];
        for name in words.iter().flat_map(|word| placeholders(word)) {
            if !KNOWN.contains(&name) {
                bail!(
                    "`{command}`: {}",
                    unknown("placeholder", name, KNOWN.into_iter())
                );
            }
        }
        if has("{file}") && self.files.is_none() {
            bail!("`{command}` has {{file}}; expected --files");
        }
        if has("{seed}") && self.seeds.is_none() {
            bail!("`{command}` has {{seed}}; expected --seeds");
        }
        // Without a score, an answer may be any bytes.
        let end = if self.score.is_some() {
            ""
        } else {
            " >/dev/null"
        };
        if has("{seed}") {
            // The instance is a file with the number.
            let word = |word: &String| match word.split_once("{seed}") {
                Some((before, after)) => {
                    format!("{}\"$(cat \"$0\")\"{}", part(before), part(after))
                }
                None => quoted(word),
            };
            let line: Vec<String> = words.iter().map(word).collect();
            let line = format!("exec {}{end}", line.join(" "));
            return Ok(["sh", "-c", &line, "{instance}"]
                .map(str::to_owned)
                .to_vec());
        }
        let words = words
            .iter()
            .map(|word| word.replace("{file}", "{instance}"));
        if self.score.is_some() {
            return Ok(words.collect());
        }
        let line = format!("exec \"$@\"{end}");
        let first = ["sh", "-c", &line, "sh"].map(str::to_owned);
        Ok(first.into_iter().chain(words).collect())
    }
}

/// A part of a word for a shell; nothing of an empty one.
fn part(text: &str) -> String {
    if text.is_empty() {
        String::new()
    } else {
        quoted(text)
    }
}
