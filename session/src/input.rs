//! Instances and settings as given on the command line: files, standard input, `key=value`.

use std::io;
use std::path::Path;

use anyhow::{Context, anyhow, bail};
use ikeru_bench_data::matrix::Values;
use ikeru_bench_data::text_file;
use ikeru_core::{AnyInstance, AnyProblem, Settings};

use crate::declared::bytes;
use crate::registry;

/// The name of standard input in place of a file.
const STANDARD_INPUT: &str = "-";

/// The text of the file `path`, or of standard input for `-`, and its name for errors; `what` it should be.
///
/// # Errors
/// Names the file and the reason why it cannot be read.
pub fn read_text(path: &Path, what: &str) -> anyhow::Result<(String, String)> {
    let (name, text) = match path == Path::new(STANDARD_INPUT) {
        true => ("standard input".to_owned(), text_file::bounded(io::stdin())),
        false => (path.display().to_string(), text_file::read(path)),
    };
    let is_binary = |error: &&io::Error| error.kind() == io::ErrorKind::InvalidData;
    if let Some(error) = text.as_ref().err().filter(is_binary) {
        bail!("{name}: expected {what} as text in UTF-8; {error}");
    }
    let text = text.with_context(|| format!("{name}: cannot read it"))?;
    Ok((name, text))
}

/// Reads an instance of `problem` from the file `path`, or from standard input for `-`. Files that it refers to, such
/// as the map of a scenario, are looked up in the same folder.
///
/// # Errors
/// `FILE:LINE: …` with the expected input, or why the file cannot be opened.
pub fn read_instance(
    problem: &dyn AnyProblem,
    path: &Path,
) -> anyhow::Result<Box<dyn AnyInstance>> {
    let is_declared = registry::declared(problem.name()).is_some();
    let (name, text) = if is_declared && path.is_file() {
        // What bytes mean, those of a byte order mark too, is the problem's own matter.

        let name = path.display().to_string();
        let bytes = text_file::bytes(path);
        let bytes = bytes.with_context(|| format!("{name}: cannot read it"))?;
        (name, bytes::text_of(&bytes).into_owned())
    } else {
        read_text(path, "an instance")?
    };
    let beside = path.parent().unwrap_or(Path::new(""));
    let other = |file: &str| text_file::read(&beside.join(file));
    let read = problem.read_with(&text, &other);
    read.map_err(|error| anyhow!(error.in_file(&name)))
}

/// Reads every `key=value` of the command line.
///
/// # Errors
/// An entry without `=` or without a key, or a key given twice.
pub fn parse_sets(sets: &[String]) -> anyhow::Result<Settings> {
    let mut settings = Settings::new();
    for set in sets {
        let (key, value) = match set.split_once('=') {
            Some((key, value)) if !key.trim().is_empty() => (key.trim(), value.trim()),
            _ => bail!("`--set {set}`: expected key=value"),
        };
        if settings.value(key).is_some() {
            bail!("`--set {set}`: `{key}` was given before");
        }
        settings.set(key, Values::parse_one(value));
    }
    Ok(settings)
}

#[cfg(test)]
mod tests {
    use ikeru_core::Value;

    use super::*;

    fn sets(list: &[&str]) -> anyhow::Result<Settings> {
        let list: Vec<String> = list.iter().map(|&set| set.to_owned()).collect();
        parse_sets(&list)
    }

    #[test]
    fn sets_are_read_as_values() {
        let settings = sets(&["steps=10", "name = a=b"]).expect("well-formed");
        assert_eq!(settings.value("steps"), Some(&Value::Int(10)));
        assert_eq!(settings.value("name"), Some(&Value::Text("a=b".into())));
    }

    #[test]
    fn malformed_sets_are_refused() {
        for list in [&["steps"][..], &["=10"], &["steps=1", "steps=2"]] {
            assert!(sets(list).is_err(), "{list:?}");
        }
    }
}
