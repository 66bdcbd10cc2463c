//! The variants of an experiment: those of its problem, and commands.
//!
//! A command is a *foreign solver*: any program that reads an instance and writes its answer as JSON. Its words may
//! contain [`Placeholder`]s. This module reads and checks commands; it does not start them.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use ikeru_core::Settings;
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::check_name;
use super::taken::duration;
use crate::Matrix;

/// A variant by its name, a variant with a label and settings, or a command.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
#[expect(clippy::large_enum_variant, reason = "an experiment has few entries")]
pub enum VariantEntry {
    /// `"memo"`
    Name(String),
    /// `{ name = "template", label = "stairs", set = { set = "stairs" } }`
    Table(VariantTable),
}

impl VariantEntry {
    /// The table, if the entry is one.
    pub fn table(&self) -> Option<&VariantTable> {
        match self {
            Self::Name(_) => None,
            Self::Table(table) => Some(table),
        }
    }

    /// Returns whether it is a command whose answers are proven.
    pub(super) fn is_exact(&self) -> bool {
        self.table().is_some_and(|table| table.exact)
    }
}

impl<'de> Deserialize<'de> for VariantEntry {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let expected = "the name of a variant, or a table with `name`";
        from.deserialize_any(NameOrTable(expected, Self::Name, Self::Table))
    }
}

/// Reads a name or a table `T`, each as a `V`: its first field says what is expected. Errors of the table name the key
/// and its line, which those of an untagged enumeration do not.
pub(super) struct NameOrTable<V, T>(pub &'static str, pub fn(String) -> V, pub fn(T) -> V);

impl<'de, V, T: Deserialize<'de>> Visitor<'de> for NameOrTable<V, T> {
    type Value = V;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.0)
    }

    fn visit_str<E>(self, name: &str) -> Result<V, E> {
        Ok(self.1(name.to_owned()))
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<V, M::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(self.2)
    }
}

/// A variant with a label and settings, or a command.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct VariantTable {
    /// The variant's name; for a command, a new name.
    pub name: String,
    /// The name in tables and plots; by default the variant's name.
    pub label: Option<String>,
    /// The program and its arguments, with placeholders: a foreign solver.
    pub command: Option<Vec<String>>,
    /// The protocol of the command.
    pub protocol: Option<Protocol>,
    /// True if an answer of the command is proven when the answer does not state it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub exact: bool,
    /// Counters that the command reports in addition to those of the problem.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counters: Vec<String>,
    /// Variables of the command's environment.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// A command that builds the program, carried out once before the run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prepare: Vec<String>,
    /// More files on which the program depends.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// The folder of the program and its files, if it is not that of the experiment.
    #[serde(skip)]
    pub folder: Option<PathBuf>,
    /// The time that the command has after its limit to print its best answer, such as `5s`.
    #[serde(default, with = "duration", skip_serializing_if = "Option::is_none")]
    pub grace: Option<Duration>,
    /// Exit codes besides 0 with which what it printed is its answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exit_codes: Vec<i32>,
    /// The line with which the command says that it has no answer, if not [`UNKNOWN`].
    pub unknown: Option<String>,
    /// Settings of this entry alone; lists and ranges multiply (`label` then needs `{key}`).
    #[serde(default, skip_serializing_if = "Matrix::is_empty")]
    pub set: Matrix,
}

impl VariantTable {
    /// The table as a foreign solver, if it has a command.
    pub fn foreign(&self) -> Option<&Self> {
        self.command.is_some().then_some(self)
    }

    /// The words of the command; none of a variant.
    pub fn program(&self) -> &[String] {
        self.command.as_deref().unwrap_or_default()
    }

    /// The table with the words of one layout: `{layout}` is its number.
    #[must_use]
    pub fn at_layout(&self, layout: u32) -> Self {
        Self {
            command: self.command.as_ref().map(|it| at_layout(it, layout)),
            prepare: at_layout(&self.prepare, layout),
            files: at_layout(&self.files, layout),
            ..self.clone()
        }
    }

    /// The protocol of the command.
    pub fn protocol(&self) -> Protocol {
        self.protocol.unwrap_or_default()
    }
}

/// The placeholder of the number of a layout, in the words of a command, its files and its `prepare`: 1, unless
/// `ab --layouts` links each program several times.
pub const LAYOUT: &str = "{layout}";

/// Words with the number of a layout.
pub fn at_layout(words: &[String], layout: u32) -> Vec<String> {
    let words = words.iter();
    words
        .map(|word| word.replace(LAYOUT, &layout.to_string()))
        .collect()
}

/// A variant as it runs: one entry of the expanded list.
#[derive(Debug, Clone, PartialEq)]
pub struct VariantSpec {
    /// The variant's name, or `*` for all variants of the problem.
    pub name: String,
    /// The name in tables and plots.
    pub label: String,
    /// Settings for this entry alone.
    pub settings: Settings,
    /// The command, if it is no variant of the problem.
    pub foreign: Option<VariantTable>,
}

/// The line of solvers in competitions (SAT, PB, MaxSAT) that have no answer.
pub const UNKNOWN: &str = "s UNKNOWN";

ikeru_core::names! {
    /// The way in which a command gets questions.
    #[derive(Default, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Protocol {
        /// It is started for each question; its start is part of the time.
        #[default]
        Once = "once",
        /// One process answers many times, one line of JSON each; its start is part of the preparation.
        Jsonl = "jsonl",
        /// It is started for each question and reads the instance from standard input or `{instance}`. All that it prints is
        /// its answer. The protocol of problems of commands.
        Text = "text",
    }
}

/// A placeholder: a name in braces in a word of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placeholder<'a> {
    /// `{instance}`: a file with the instance's text.
    Instance,
    /// `{stdin}`, a separate word that is removed: the instance's text comes through standard input.
    Stdin,
    /// `{threads}`: threads that it may use.
    Threads,
    /// `{limit_ms}`: time limit of one answer in milliseconds.
    LimitMs,
    /// `{setting:NAME}`: a setting of the question, or one of the entry's `set`.
    Setting(&'a str),
}

impl<'a> Placeholder<'a> {
    fn read(name: &'a str) -> Option<Self> {
        Some(match name {
            "instance" => Self::Instance,
            "stdin" => Self::Stdin,
            "threads" => Self::Threads,
            "limit_ms" => Self::LimitMs,
            _ => Self::Setting(name.strip_prefix("setting:")?),
        })
    }
}

/// Splits a word into text (`Ok`) and names in braces (`Err`). Braces around other text than a name are text.
pub(super) fn parts(word: &str) -> Vec<Result<&str, &str>> {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "_-:".contains(letter);
    let is_name = |name: &str| {
        name.starts_with(|letter: char| letter.is_ascii_lowercase()) && name.chars().all(is_letter)
    };
    let (mut parts, mut begin, mut from) = (Vec::new(), 0, 0);
    while let Some(open) = word[from..].find('{').map(|at| from + at) {
        from = open + 1;
        let Some(close) = word[from..].find('}').map(|at| from + at) else {
            break;
        };
        let name = &word[from..close];
        if is_name(name) {
            parts.extend([Ok(&word[begin..open]), Err(name)]);
            (begin, from) = (close + 1, close + 1);
        }
    }
    parts.push(Ok(&word[begin..]));
    parts
}

/// A word with each name in braces replaced by its `value`.
pub(super) fn filled(word: &str, value: impl Fn(&str) -> String) -> String {
    let parts = parts(word).into_iter().map(|part| match part {
        Ok(text) => text.to_owned(),
        Err(name) => value(name),
    });
    parts.collect()
}

/// Returns whether a name has only lower case letters, digits and `_`.
pub(super) fn is_word(name: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    !name.is_empty() && name.chars().all(is_letter)
}

impl VariantTable {
    /// The known placeholders of the command.
    pub fn placeholders(&self) -> impl Iterator<Item = Placeholder<'_>> {
        let parts = self.program().iter().flat_map(|word| parts(word));
        parts.filter_map(|part| Placeholder::read(part.err()?))
    }

    /// The words of the command with each placeholder replaced by its `value`, without `{stdin}`.
    pub fn words(&self, value: impl Fn(Placeholder) -> String) -> Vec<String> {
        let words = self.program().iter().filter(|word| *word != "{stdin}");
        let value = |name: &str| Placeholder::read(name).map_or(String::new(), &value);
        words.map(|word| filled(word, value)).collect()
    }

    /// Refuses a command that does not fit its protocol; `what` names it.
    ///
    /// # Errors
    /// A word to look for in the file, and what was expected.
    pub fn check(&self, what: &str) -> Result<(), (String, String)> {
        let refuse = |word: &str, message: String| Err((word.to_owned(), message));
        if self.program().iter().all(|word| word.trim().is_empty()) {
            let message =
                format!("the `command` of `{what}` is empty; expected a program and its arguments");
            return refuse("command", message);
        }
        if let Some(code) = self
            .exit_codes
            .iter()
            .find(|code| !(0..=255).contains(*code))
        {
            let message = format!("`exit_codes` of `{what}`: {code} is none; expected 1 to 255");
            return refuse("exit_codes", message);
        }
        for word in self.program() {
            for name in parts(word).into_iter().filter_map(Result::err) {
                match Placeholder::read(name) {
                    Some(Placeholder::Stdin) if word != "{stdin}" => {
                        let message =
                            format!("`{word}`: expected `{{stdin}}` as a word of its own");
                        return refuse(word, message);
                    }
                    Some(_) => {}
                    None if name == "layout" => {}
                    None => {
                        let message = format!(
                            "unknown placeholder `{{{name}}}` in the command of `{what}`; expected {{instance}}, \
                             {{stdin}}, {{threads}}, {{limit_ms}}, {{layout}} or {{setting:NAME}}"
                        );
                        return refuse(&format!("{{{name}}}"), message);
                    }
                }
            }
        }
        let is_input = |it: &Placeholder| matches!(it, Placeholder::Instance | Placeholder::Stdin);
        let input = self.placeholders().any(|it| is_input(&it));
        match (self.protocol(), input) {
            (Protocol::Text, _) => Ok(()),
            (Protocol::Once, false) => refuse(
                "command",
                format!(
                    "the command of `{what}` gets no instance; expected {{instance}} or {{stdin}} among its words, or \
                     `protocol = \"jsonl\"`"
                ),
            ),
            (Protocol::Jsonl, true) => refuse(
                "command",
                format!(
                    "the command of `{what}` has `protocol = \"jsonl\"`, where the instance comes in a line; \
                     expected neither {{instance}} nor {{stdin}}"
                ),
            ),
            _ => Ok(()),
        }
    }
}

/// Refuses contradictory entries. The error is a word to look for in the file, and what was expected.
pub(super) fn check(entries: &[VariantEntry]) -> Result<(), (String, String)> {
    let mut commands: Vec<&str> = Vec::new();
    for table in entries.iter().filter_map(VariantEntry::table) {
        let name = table.name.as_str();
        let quoted = format!("\"{name}\"");
        let Some(foreign) = table.foreign() else {
            let keys = [
                ("protocol", table.protocol.is_some()),
                ("exact", table.exact),
                ("counters", !table.counters.is_empty()),
                ("env", !table.env.is_empty()),
                ("prepare", !table.prepare.is_empty()),
                ("files", !table.files.is_empty()),
                ("grace", table.grace.is_some()),
                ("exit_codes", !table.exit_codes.is_empty()),
                ("unknown", table.unknown.is_some()),
            ];
            if let Some((key, _)) = keys.iter().find(|(_, is_given)| *is_given) {
                let message = format!(
                    "`{key}` of `{name}` belongs to a command; expected `command` beside it"
                );
                return Err(((*key).to_owned(), message));
            }
            continue;
        };
        check_name(name).map_err(|message| (quoted.clone(), message))?;
        if commands.contains(&name) {
            let message = format!("`{name}` names two commands; expected one name a command");
            return Err((quoted, message));
        }
        commands.push(name);
        foreign.check(name)?;
        if let Some(counter) = foreign.counters.iter().find(|counter| !is_word(counter)) {
            let message = format!(
                "the counter `{counter}` of `{name}`: expected lower case letters, digits and `_`"
            );
            return Err((format!("\"{counter}\""), message));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Experiment;

    fn foreign(words: &[&str], protocol: Protocol) -> VariantTable {
        VariantTable {
            command: Some(words.iter().map(|&word| word.to_owned()).collect()),
            protocol: Some(protocol),
            ..VariantTable::default()
        }
    }

    #[test]
    fn placeholders_are_filled_and_other_braces_stay() {
        let words = [
            "awk",
            "{print $1}",
            "--map={instance}",
            "{stdin}",
            "-n{setting:steps}",
            "{}",
            "{a",
        ];
        let foreign = foreign(&words, Protocol::Once);
        let filled = foreign.words(|placeholder| match placeholder {
            Placeholder::Instance => "/tmp/x".to_owned(),
            Placeholder::Setting(name) => format!("<{name}>"),
            other => panic!("{other:?} is not there"),
        });
        assert_eq!(
            filled,
            ["awk", "{print $1}", "--map=/tmp/x", "-n<steps>", "{}", "{a"]
        );
        assert_eq!(foreign.check("it"), Ok(()));
    }

    #[test]
    fn a_command_that_cannot_be_asked_is_refused() {
        for (words, protocol, expected) in [
            (&[][..], Protocol::Once, "is empty"),
            (&["", " "], Protocol::Once, "is empty"),
            (
                &["x", "{instanse}"],
                Protocol::Once,
                "unknown placeholder `{instanse}`",
            ),
            (&["x", "-i{stdin}"], Protocol::Once, "a word of its own"),
            (&["x"], Protocol::Once, "gets no instance"),
            (&["x", "{instance}"], Protocol::Jsonl, "comes in a line"),
        ] {
            let (_, message) = foreign(words, protocol).check("it").expect_err("refused");
            assert!(message.contains(expected), "{message}");
        }
    }

    fn read(variants: &str) -> Result<Experiment, String> {
        let rest = "name='e'\ntitle='t'\nabout='a'\nproblem='reach'\n";
        let text = format!("{rest}{variants}\n[[instances]]\ngenerator='g'\n");
        Experiment::read("e.toml", &text).map_err(|error| error.to_string())
    }

    #[test]
    fn a_slip_in_an_entry_has_its_line() {
        for (text, expected) in [
            (
                "[[variants]]\nname='x'\ncomand=['y']",
                "e.toml:7: unknown key `comand`",
            ),
            (
                "[[variants]]\nname='x'\ncommand='y'",
                "e.toml:7: found the text \"y\", expected a list such as",
            ),
            (
                "[[variants]]\nname='x'\ncommand=[]",
                "e.toml:7: the `command` of `x` is empty",
            ),
            (
                "[[variants]]\nname='x'\ncommand=['y','{instance}']\nprotocol='json'",
                "e.toml:8: unknown value `json`",
            ),
            (
                "[[variants]]\nname='memo'\nexact=true",
                "e.toml:7: `exact` of `memo` belongs to a command",
            ),
            (
                "variants=[3]",
                "e.toml:5: found the number `3`, expected the name of a variant, or a table",
            ),
            (
                "[[variants]]\nname=\"x\"\ncommand=['y','{stdin}']\n[[variants]]\nname=\"x\"\ncommand=['z','{stdin}']",
                "e.toml:6: `x` names two commands",
            ),
            (
                "[[variants]]\nname='x'\ncommand=['y','{stdin}']\ncounters=[\"No\"]",
                "e.toml:8: the counter `No` of `x`",
            ),
        ] {
            let error = read(text).expect_err(text);
            assert!(error.starts_with(expected), "{error}");
        }
    }

    #[test]
    fn an_experiment_with_commands_is_written_and_read_back() {
        let text = "variants=['memo', { name='x', command=['y','{stdin}'], protocol='once', exact=true, counters=['n'], \
                    set={ w=[1,2] } }]";
        let experiment = read(text).expect("well-formed");
        let specs = experiment.variant_specs().expect("no ranges");
        let labels: Vec<&str> = specs.iter().map(|spec| spec.label.as_str()).collect();
        assert_eq!(labels, ["memo", "x w=1", "x w=2"]);
        assert!(specs[0].foreign.is_none() && specs[2].foreign.as_ref().is_some_and(|it| it.exact));
        let again = experiment.text().expect("it has a form in TOML");
        assert_eq!(Experiment::read("e.toml", &again), Ok(experiment));
    }
}
