//! Facts about consoles, each with its source.

mod model;

use std::collections::BTreeMap;

use serde::Deserialize;

pub use model::{CacheFacts, ConstantBasis, Cycles, Known, ProcessorModel, WritePolicy};

use ikeru_bench_data::DataError;

/// A file of consoles.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Consoles {
    /// The reason why a variant has no counts, by `PROBLEM VARIANT`, or by the problem if none of its variants has
    /// counts.
    #[serde(default)]
    pub not_counted: BTreeMap<String, String>,
    /// The consoles, oldest first.
    pub consoles: Vec<Console>,
}

/// One processor of a console.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Console {
    /// The console.
    pub name: String,
    /// The base console, if this entry is another placement of code and tables in its memories. The fastest placement
    /// that the tables fit is the result.
    pub placement_of: Option<String>,
    /// The year of its first launch.
    pub year: u16,
    /// The source of the year; a user's console needs no sources.
    #[serde(default)]
    pub year_source: String,
    /// Home console or handheld; by default a home console.
    #[serde(default)]
    pub kind: ConsoleKind,
    /// The source of the kind.
    #[serde(default)]
    pub kind_source: String,
    /// Its processor.
    pub cpu: String,
    /// Clock in MHz.
    pub clock_mhz: f64,
    /// The source of the clock.
    #[serde(default)]
    pub clock_source: String,
    /// Main memory in bytes.
    pub memory_bytes: u64,
    /// The source of the memory's size.
    #[serde(default)]
    pub memory_source: String,
    /// A modelled console of this file or a built-in one, whose model this console takes in place of a `model`.
    pub like: Option<String>,
    /// The model of the processor.
    pub model: Option<ProcessorModel>,
    /// Why the processor is not simulated.
    pub not_modelled: Option<String>,
}

ikeru_core::names! {
    /// The two kinds of console.
    #[derive(Default, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum ConsoleKind {
        /// A home console, played at a television.
        #[default]
        Home = "home console",
        /// A handheld console.
        Handheld = "handheld",
    }
}

impl Console {
    /// Returns whether it is modelled, and no further placement of another console's tables.
    pub fn is_modelled(&self) -> bool {
        self.not_modelled.is_none() && self.placement_of.is_none()
    }
}

impl Consoles {
    /// The reason why a variant has no counts; `None` if it has counts or is unknown.
    pub fn why_not_counted(&self, problem: &str, variant: &str) -> Option<&str> {
        let own = self.not_counted.get(&format!("{problem} {variant}"));
        own.or_else(|| self.not_counted.get(problem))
            .map(String::as_str)
    }

    /// The built-in facts, `consoles/consoles.toml`.
    pub fn built_in() -> Result<Self, DataError> {
        Self::read_beside("consoles.toml", include_str!("../consoles.toml"), &[])
    }

    /// Reads a text; `file` is its name in errors.
    ///
    /// # Errors
    /// Names the file, the line and what was expected.
    pub fn read(file: &str, text: &str) -> Result<Self, DataError> {
        Self::read_beside(file, text, &Self::built_in()?.consoles)
    }

    /// Reads a text in which `like` may name a console of the same file or one of `known`.
    fn read_beside(file: &str, text: &str, known: &[Console]) -> Result<Self, DataError> {
        let mut read: Self =
            toml::from_str(text).map_err(|error| DataError::from_toml(file, text, &error))?;
        let known = [&read.consoles, known].concat();
        for console in &mut read.consoles {
            let Some(like) = &console.like else { continue };
            let modelled = known
                .iter()
                .filter(|known| known.model.is_some() && known.placement_of.is_none());
            let own = modelled.clone().find(|known| known.name == *like);
            console.model = own.and_then(|known| known.model.clone());
            if console.model.is_none() {
                let names = modelled.map(|known| known.name.as_str());
                let why = ikeru_core::unknown("modelled console", like, names);
                return Err(console.wrong(file, text, &format!("`like`: {why}")));
            }
        }
        for console in &read.consoles {
            let checked = console.check();
            checked.map_err(|message| console.wrong(file, text, &message))?;
        }
        Ok(read)
    }

    /// Reads the consoles of the user's folder, one entry per file.
    ///
    /// # Errors
    /// The errors of [`Consoles::read`].
    pub fn added() -> Result<Vec<Self>, DataError> {
        let files = ikeru_bench_data::builtin::added_consoles();
        files.map(|(file, text)| Self::read(file, text)).collect()
    }
}

impl Console {
    /// The name of the base console.
    pub fn base(&self) -> &str {
        self.placement_of.as_deref().unwrap_or(&self.name)
    }

    /// Refuses facts that contradict each other.
    fn check(&self) -> Result<(), String> {
        if !(self.clock_mhz > 0.0 && self.clock_mhz.is_finite()) {
            return Err(format!(
                "`clock_mhz` is {}; expected a positive number",
                self.clock_mhz
            ));
        }
        if self.memory_bytes == 0 {
            return Err("`memory_bytes` is 0; expected a positive number".to_owned());
        }
        match (&self.model, &self.not_modelled) {
            (Some(model), None) => model.check(),
            (None, Some(_)) => Ok(()),
            _ => Err("expected either `model` or `not_modelled`".to_owned()),
        }
    }

    /// An error of the console, at the line of its name in the file.
    fn wrong(&self, file: &str, text: &str, message: &str) -> DataError {
        let name = format!("\"{}\"", self.name);
        let is_name = |line: &str| {
            let (key, value) = line.split_once('=').unwrap_or_default();
            key.trim() == "name" && value.trim().starts_with(&name)
        };
        let line = text.lines().position(is_name).map(|place| place + 1);
        DataError {
            line,
            ..DataError::new(file, format!("{}: {message}", self.name))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fact_says_where_it_is_from() {
        let consoles = Consoles::built_in().expect("the facts read");
        for console in &consoles.consoles {
            let name = &console.name;
            for source in [
                &console.year_source,
                &console.kind_source,
                &console.clock_source,
                &console.memory_source,
            ] {
                assert!(!source.is_empty(), "{name}");
            }
            let model = console.model.iter();
            for model in model {
                assert!(!model.cache_source.is_empty(), "{name}");
                let charged = model.penalties().into_iter();
                for (penalty, _) in charged.filter(|(_, cycles)| cycles.high > 0.0) {
                    let basis = model.basis.get(penalty).map(|basis| &basis.source);
                    assert!(
                        basis.is_some_and(|source| !source.is_empty()),
                        "{name}: {penalty}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_console_of_ones_own_is_like_another() {
        let own = r#"[[consoles]]
            name = "Mine"
            year = 2001
            kind = "handheld"
            cpu = "Allegrex"
            clock_mhz = 300.0
            memory_bytes = 65536
            like = "PSP""#;
        let read = Consoles::read("my.toml", own).expect("eight lines");
        let model = read.consoles[0].model.as_ref().expect("the other's");
        assert_eq!(model.processor, "allegrex");
        let unknown = own.replace("PSP", "PSV");
        let error = Consoles::read("my.toml", &unknown)
            .expect_err("unknown")
            .to_string();
        assert!(
            error.starts_with(
                "my.toml:2: Mine: `like`: unknown modelled console `PSV`, did you mean `PS1`? (known: PS1, N64,"
            ),
            "{error}"
        );
    }

    #[test]
    fn consoles_stand_in_the_order_of_their_years() {
        let consoles = Consoles::built_in().expect("the facts read").consoles;
        assert!(consoles.is_sorted_by_key(|console| console.year));
        let names: std::collections::BTreeSet<_> =
            consoles.iter().map(|console| &console.name).collect();
        assert_eq!(names.len(), consoles.len(), "a name stands twice");
    }

    #[test]
    fn a_contradiction_names_file_line_and_console() {
        let built_in = include_str!("../consoles.toml");
        let broken = [
            (
                "fetch = [3.0, 3.0, 3.0]",
                "fetch = [3.0, 6.0, 5.0]",
                "GBA, code on the cartridge: `fetch`",
            ),
            (
                "second_hit = [4.0, 8.0, 14.0]\n",
                "",
                "Switch: `second_hit`",
            ),
            (
                "ways = 4, line = 32, write = \"around\"",
                "ways = 3, line = 32, write = \"around\"",
                "DS: `data_cache`",
            ),
            (
                "memory_bytes = 65536\n",
                "memory_bytes = 0\n",
                "Mega Drive: `memory_bytes`",
            ),
            (
                "not_modelled = \"no compiler here makes code for the 65C816\"\n",
                "",
                "SNES: expected either",
            ),
        ];
        for (good, bad, expected) in broken {
            assert!(built_in.contains(good), "{good}");
            let text = built_in.replacen(good, bad, 1);
            let error = Consoles::read("my.toml", &text).expect_err(expected);
            let line = error.line.expect("a line");
            let console = expected.split(':').next().expect("a name");
            assert_eq!(
                text.lines().nth(line - 1),
                Some(&*format!("name = \"{console}\""))
            );
            let shown = error.to_string();
            assert!(
                shown.starts_with(&format!("my.toml:{line}: {expected}")),
                "{shown}"
            );
        }
        for (good, bad) in [
            ("write = \"around\"", "write = \"maybe\""),
            ("fetch = ", "fetched = "),
        ] {
            let text = built_in.replacen(good, bad, 1);
            let error = Consoles::read("my.toml", &text).expect_err(bad);
            let line = text.lines().nth(error.line.expect("a line") - 1);
            assert!(line.is_some_and(|line| line.contains(bad)), "{error}");
        }
    }
}
