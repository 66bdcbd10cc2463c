//! Runs one question on one target: the probe runs under QEMU with the plugin, and the outputs of both are read.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};
use ikeru_consoles::Console;
use ikeru_consoles::facts::{CacheFacts, WritePolicy};

use crate::target::BuildTarget;
use crate::training::TrainingQuestion;

/// Answers per run; the last one is reported, because the first ones also allocate.
pub const ANSWERS: u32 = 3;

/// A folder in which a target's probe runs. Its paths are relative and equal for all targets, because the length of
/// paths and environment shifts the program's stack, and with it the conflicts in the caches.
pub struct Bench {
    target: BuildTarget,
    folder: PathBuf,
}

/// The output of probe and plugin for the last answer of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmulatedRun {
    /// The probe's lines: `score`, `memory_bytes`, `counter …`.
    pub probe: BTreeMap<String, String>,
    /// The counters in the order in which the variant adds them.
    pub counters: String,
    /// The plugin's lines: the name (two words for processors and caches) and its numbers.
    pub sums: BTreeMap<String, Vec<u64>>,
}

impl Bench {
    /// Puts probe and plugin into `folder`.
    ///
    /// # Errors
    /// A file that cannot be copied.
    pub fn new(target: BuildTarget, folder: &Path, probe: &Path, plugin: &Path) -> Result<Self> {
        fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        for (from, to) in [(probe, "probe"), (plugin, "plugin.so")] {
            fs::copy(from, folder.join(to)).with_context(|| from.display().to_string())?;
        }
        Ok(Self {
            target,
            folder: folder.to_owned(),
        })
    }

    /// Runs the question whose instance is `text`, with the caches of `consoles`; `None` if the variant refuses it.
    ///
    /// # Errors
    /// A program that cannot be started, fails, or prints unexpected text.
    pub fn run(
        &self,
        asked: &TrainingQuestion,
        text: &str,
        consoles: &[&Console],
    ) -> Result<Option<EmulatedRun>> {
        fs::write(self.folder.join("question"), text)?;
        let mut command = Command::new(self.target.emulator);
        let output = command
            .env_clear()
            .current_dir(&self.folder)
            .args([
                "-plugin",
                &plugin("./plugin.so", "sums", consoles),
                "./probe",
            ])
            .args([&asked.problem, &asked.variant, "question"])
            .arg(ANSWERS.to_string())
            .args(asked.settings())
            .output()
            .with_context(|| format!("cannot start {}", self.target.emulator))?;
        if output.status.code() == Some(3) {
            return Ok(None);
        }
        if !output.status.success() {
            let message = String::from_utf8_lossy(&output.stderr);
            bail!("{}: {}", self.target.triple, message.trim());
        }
        let printed = String::from_utf8(output.stdout)?;
        let sums = fs::read_to_string(self.folder.join("sums"))?;
        let (probe, counters) = probed(&printed)?;
        Ok(Some(EmulatedRun {
            probe,
            counters,
            sums: last_answer(&sums)?,
        }))
    }
}

/// The sums between the marks of any program, with the caches of `consoles`. The program runs in `folder`; its output
/// is ignored.
///
/// # Errors
/// A program that cannot be started or fails, or sums that cannot be parsed.
pub fn between_marks(
    command: (&str, &[String]),
    folder: &Path,
    plugin_file: &Path,
    consoles: &[&Console],
) -> Result<Vec<BTreeMap<String, Vec<u64>>>> {
    let (emulator, program) = command;
    let sums = std::env::temp_dir().join(format!("ikeru-sums-{}", std::process::id()));
    let plugin = plugin(
        &plugin_file.display().to_string(),
        &sums.display().to_string(),
        consoles,
    );
    let output = Command::new(emulator)
        .current_dir(folder)
        .args(["-plugin", &plugin])
        .args(program)
        .output()
        .with_context(|| format!("cannot start {emulator}"))?;
    let message = String::from_utf8_lossy(&output.stderr);
    ensure!(
        output.status.success(),
        "{}: {}",
        program.join(" "),
        message.trim()
    );
    let text = fs::read_to_string(&sums)?;
    fs::remove_file(&sums)?;
    text.split("mark ").skip(1).map(read).collect()
}

/// The value of QEMU's option `-plugin`.
fn plugin(file: &str, sums: &str, consoles: &[&Console]) -> String {
    let caches = consoles.iter().enumerate();
    let caches = caches.map(|(number, console)| format!(",caches={number}:{}", caches_of(console)));
    format!("{file},out={sums},full=on{}", caches.collect::<String>())
}

/// The caches of a console in the plugin's format.
fn caches_of(console: &Console) -> String {
    let word = |cache: Option<CacheFacts>| match cache {
        None => "-".to_owned(),
        Some(cache) => {
            let CacheFacts {
                bytes,
                ways,
                line,
                write,
            } = cache;
            let around = if write == WritePolicy::Around {
                "/around"
            } else {
                ""
            };
            format!("{bytes}/{ways}/{line}{around}")
        }
    };
    let all = console.model.iter().flat_map(|model| {
        [
            model.instruction_cache,
            model.data_cache,
            model.second_cache,
        ]
        .map(word)
    });
    all.collect::<Vec<_>>().join(":")
}

fn probed(printed: &str) -> Result<(BTreeMap<String, String>, String)> {
    let mut lines = BTreeMap::new();
    let mut counters = Vec::new();
    for line in printed.lines() {
        let (name, value) = line
            .split_once(' ')
            .context("the probe prints a name and a value")?;
        match (name, value.split_once(' ')) {
            ("counter", Some((name, value))) => counters.push(format!("{name}={value}")),
            _ => {
                lines.insert(name.to_owned(), value.to_owned());
            }
        }
    }
    Ok((lines, counters.join(" ")))
}

/// The sums between the last two marks.
fn last_answer(sums: &str) -> Result<BTreeMap<String, Vec<u64>>> {
    let mut marks = sums.split("mark ").skip(1);
    let last = marks
        .nth(ANSWERS as usize)
        .context("the plugin saw too few marks")?;
    ensure!(marks.next().is_none(), "the plugin saw too many marks");
    read(last)
}

/// Parses the lines between two marks.
fn read(sums: &str) -> Result<BTreeMap<String, Vec<u64>>> {
    let line = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        let names = words
            .iter()
            .take_while(|word| word.parse::<u64>().is_err())
            .count();
        // The name of a processor or console may be a number.
        let names = if matches!(words[0], "processor" | "caches") {
            2
        } else {
            names
        };
        let numbers = words.get(names..)?.iter().map(|word| word.parse().ok());
        Some((
            words[..names].join(" "),
            numbers.collect::<Option<Vec<u64>>>()?,
        ))
    };
    let lines: Option<BTreeMap<_, _>> = sums.lines().skip(1).map(line).collect();
    lines.context("the plugin's sums are names and numbers")
}

#[cfg(test)]
mod tests {
    use super::*;
    use ikeru_consoles::Consoles;

    #[test]
    fn only_the_last_answer_is_read() {
        let mark = |number: u64| {
            format!(
                "mark {number}\ninstructions {number}\nprocessor 750 1 2 3 4\ncaches 0 5 6 7 8 9 10\n"
            )
        };
        let sums: String = (0..4).map(mark).collect();
        let last = last_answer(&sums).expect("four marks");
        assert_eq!(last["instructions"], [3]);
        assert_eq!(last["processor 750"], [1, 2, 3, 4]);
        assert_eq!(last["caches 0"], [5, 6, 7, 8, 9, 10]);
        let three: String = (0..3).map(mark).collect();
        assert!(last_answer(&three).is_err());
        let five: String = (0..5).map(mark).collect();
        assert!(last_answer(&five).is_err());
    }

    #[test]
    fn the_facts_caches_are_what_the_plugin_reads() {
        for console in Consoles::built_in().expect("the facts read").consoles {
            if console.model.is_some() {
                let text = format!("0:{}", caches_of(&console));
                let read = text.parse::<ikeru_scoreboard::cache::Hierarchy>();
                assert!(read.is_ok(), "{}: {text}", console.name);
            }
        }
    }
}
