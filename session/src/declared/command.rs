//! A command of a declared problem: its words filled, its process carried out within a time limit.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::OnceLock;

use anyhow::Result;
use ikeru_bench_data::experiment::{CommandProblem, VariantTable};
use ikeru_core::{Deadline, Settings, Value};

use crate::execute::lines::{last_line, named_values};
use crate::execute::until_end::{Trouble, carry_out, unable};
use crate::files::{empty_folder, overwrite, scratch};
use crate::plan::Program;
use ikeru_reports::records::held::HeldFolder;

/// The folder of the files of all commands of this process; without it each command has a folder of its own.
static KEPT: OnceLock<PathBuf> = OnceLock::new();

/// Lets the commands of this process, which are carried out one after another, share a folder that the caller removes.
pub fn keep_files_in(folder: PathBuf) {
    let _ = KEPT.set(folder);
}

/// The folder of a command's files: instance, answer, feedback.
#[derive(Debug)]
struct Files {
    path: PathBuf,
    /// Removes a folder that is not kept.
    _own: Option<HeldFolder>,
}

impl Files {
    /// A folder without files, except those that are `written` next.
    fn new(written: &[&str]) -> io::Result<Self> {
        let Some(kept) = KEPT.get() else {
            let own = scratch()?;
            let (path, _own) = (own.path().to_owned(), Some(own));
            return Ok(Self { path, _own });
        };
        empty_folder(kept, written)?;
        let path = kept.clone();
        Ok(Self { path, _own: None })
    }
}

/// A program that is no solver: a generator or a referee.
#[derive(Debug)]
pub struct SideCommand(pub Program);

/// What a command reads, by its placeholders.
#[derive(Debug, Default)]
pub struct Inputs<'a> {
    pub seed: Option<u64>,
    pub parameters: Option<&'a Settings>,
    /// The content of the file `{instance}`.
    pub instance: Option<&'a [u8]>,
    /// The text of the file `{answer}`; on standard input if no word names the file.
    pub answer: Option<&'a str>,
    /// True if a command without placeholders gets the arguments of Kattis' output validators.
    pub is_validator: bool,
}

/// What a command printed.
#[derive(Debug)]
pub struct Spoken {
    pub status: ExitStatus,
    pub output: Vec<u8>,
    /// Standard error, at most its last 16 MiB.
    pub last_words: String,
    files: Files,
}

impl SideCommand {
    /// Finds the program of `words`, which are relative to `folder`.
    ///
    /// # Errors
    /// A program that is not there, or a file that cannot be read.
    pub fn find(what: &str, words: &[String], folder: &Path) -> Result<Self> {
        let foreign = VariantTable {
            command: Some(words.to_vec()),
            ..VariantTable::default()
        };
        Program::find(what, &foreign, folder).map(Self)
    }

    /// Carries the command out.
    ///
    /// # Errors
    /// It cannot be started, runs for too long, or prints too much.
    pub fn carry_out(&self, inputs: &Inputs, deadline: Deadline) -> Result<Spoken, Trouble> {
        let written: &[&str] = match inputs.instance {
            Some(_) => &["instance", "answer"],
            None => &["answer"],
        };
        let files = Files::new(written);
        let files = files.map_err(|error| unable("has no folder for its files", &error))?;
        let command = self.command(inputs, &files.path);
        let mut command = command.map_err(|error| unable("has no files", &error))?;
        let (status, output, last_words) = carry_out(&mut command, deadline)?;
        Ok(Spoken {
            status,
            output,
            last_words,
            files,
        })
    }

    fn command(&self, inputs: &Inputs, files: &Path) -> io::Result<Command> {
        let [instance, answer, feedback] =
            ["instance", "answer", "feedback"].map(|name| files.join(name));
        if let Some(bytes) = inputs.instance {
            overwrite(&instance, bytes)?;
        }
        overwrite(&answer, inputs.answer.unwrap_or_default().as_bytes())?;
        let words = self.0.foreign.program();
        let names = |placeholder: &str| words.iter().any(|word| word.contains(placeholder));
        let path = |path: &PathBuf| path.display().to_string();
        let mut filled = CommandProblem::filled(words, |name| match name {
            "seed" => inputs.seed.unwrap_or(0).to_string(),
            "instance" => path(&instance),
            "answer" => path(&answer),
            "feedback" => path(&feedback),
            other => {
                let name = CommandProblem::parameter(other).unwrap_or(other);
                let value = inputs.parameters.and_then(|all| all.value(name));
                value.map_or(String::new(), ToString::to_string)
            }
        });
        let is_bare = inputs.is_validator && filled == *words;
        if is_bare || names("{feedback}") {
            fs::create_dir(&feedback)?;
        }
        if is_bare {
            // Kattis: the input, the judge's answer, which is not there, and the feedback folder with a slash.
            let input = path(&instance);
            filled.extend([input.clone(), input, path(&feedback) + "/"]);
        }
        let mut command = Command::new(&self.0.file);
        command
            .args(filled.iter().skip(1))
            .current_dir(&self.0.folder)
            .stdin(match names("{answer}") {
                true => Stdio::null(),
                false => File::open(&answer)?.into(),
            })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        Ok(command)
    }
}

/// The value of a feature.
///
/// # Errors
/// A number of another form, such as `0,3` or `nan`: as a word it would stand among numbers.
pub fn feature(name: &str, text: &str) -> Result<Value, Trouble> {
    let value = Value::parse(text);
    let is_number = |text: String| text.parse::<f64>().is_ok();
    let bare = text.replace([',', '\'', '_', ' '], "");
    if matches!(value, Value::Text(_)) && (is_number(bare) || is_number(text.replace(',', "."))) {
        let expected = "expected a number such as 0.3, or a word";
        return Err(Trouble::Failed(format!(
            "gave the feature `{name}` as `{text:.80}`; {expected}"
        )));
    }
    Ok(value)
}

impl Spoken {
    /// The instance that a generator wrote into its file, or else printed.
    ///
    /// # Errors
    /// The generator failed, or its instance is empty.
    pub fn instance(&self) -> Result<Vec<u8>, Trouble> {
        self.succeeded()?;
        let written = fs::read(self.files.path.join("instance")).unwrap_or_default();
        let instance = match written.is_empty() {
            true => self.output.clone(),
            false => written,
        };
        if instance.is_empty() {
            return Err(Trouble::Failed("printed no instance".to_owned()));
        }
        Ok(instance)
    }

    /// What it printed, as text.
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.output)
    }

    /// The values of `names` that a generator printed on standard error.
    ///
    /// # Errors
    /// A name without a value.
    pub fn features(&self, names: &[String]) -> Result<Settings, Trouble> {
        let lines = self.last_words.lines();
        let said = lines.flat_map(|line| named_values(line, "measures"));
        let said: BTreeMap<String, String> = said.collect();
        let mut features = Settings::new();
        for name in names {
            let value = said.get(name).ok_or_else(|| {
                let expected = format!("expected a line `#s {name} 12` on standard error");
                Trouble::Failed(format!("printed no feature `{name}`; {expected}"))
            })?;
            features.set(name, feature(name, value)?);
        }
        Ok(features)
    }

    /// The text of a file of the feedback folder; `None` if no regular file was written: a pipe would be waited for.
    pub fn feedback(&self, name: &str) -> Option<String> {
        let path = self.files.path.join("feedback").join(name);
        path.is_file().then(|| fs::read_to_string(path).ok())?
    }

    /// Refuses a command that did not end with success.
    ///
    /// # Errors
    /// Its exit status and its last words.
    pub fn succeeded(&self) -> Result<(), Trouble> {
        if self.status.success() {
            return Ok(());
        }
        Err(Trouble::Failed(self.ended()))
    }

    /// How it ended, with its last words.
    pub fn ended(&self) -> String {
        let last = last_line(&self.last_words).map_or(String::new(), |line| format!(": {line}"));
        format!("ended with {}{last}", self.status)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_of_another_form_is_no_feature() {
        for text in ["0.3", "1e3", "-7", "dense", "3x3", "a,b", "2026-01-31"] {
            assert!(feature("density", text).is_ok(), "{text}");
        }
        for text in ["0,3", "1,234.5", "nan", "-inf", "1e999", "1'000", "10 000"] {
            assert!(feature("density", text).is_err(), "{text}");
        }
    }
}
