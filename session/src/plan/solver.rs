//! The solver of a cell: a variant of the problem, or a command of the experiment whose program was found.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, bail};
use ikeru_bench_data::experiment::{Placeholder, VariantTable};
use ikeru_core::{AnyProblem, ContentHash, SettingInfo, Settings, VariantInfo, unknown};
use ikeru_reports::records::{Extra, Family};
use serde::{Deserialize, Serialize};

use crate::build;
use crate::files::HashedFile;
use crate::system::{HERE, is_executable};

/// The solver of a cell.
#[derive(Debug, Clone)]
pub enum Solver {
    /// A variant of the problem.
    Variant(VariantInfo),
    /// A foreign solver.
    Foreign(Arc<Program>),
}

/// A variant as it runs: a solver with its name in tables and plots, and the settings of its entry alone.
pub(super) struct LabelledSolver {
    pub solver: Solver,
    pub label: String,
    pub settings: Settings,
}

impl LabelledSolver {
    /// Returns whether `--variant` means it by `name`.
    pub fn is_called(&self, name: &str) -> bool {
        self.solver.name() == name || self.label == name
    }
}

/// A foreign solver whose program was found.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Program {
    /// Its name, used like that of a variant.
    pub name: String,
    /// Its command and protocol.
    pub foreign: VariantTable,
    /// The file of the program.
    pub file: PathBuf,
    /// The folder in which it runs, to which its words are relative.
    pub folder: PathBuf,
    /// The identity of the command, its protocol, and the content of the files that its words name.
    pub content: String,
    /// The files whose content is part of it.
    #[serde(skip)]
    pub files: Vec<HashedFile>,
}

impl Solver {
    /// The variant's name.
    pub fn name(&self) -> &str {
        match self {
            Self::Variant(info) => info.name,
            Self::Foreign(program) => &program.name,
        }
    }

    /// The foreign solver.
    pub fn foreign(&self) -> Option<&Program> {
        match self {
            Self::Variant(_) => None,
            Self::Foreign(program) => Some(program),
        }
    }

    /// Returns whether it is a process that ends after its answer.
    pub fn answers_once(&self) -> bool {
        self.foreign().is_some_and(Program::answers_once)
    }

    /// The version in the records. For a foreign solver, these are the first 32 bits of the hash of its content.
    pub fn version(&self) -> u32 {
        match self {
            Self::Variant(info) => info.version,
            Self::Foreign(program) => {
                let digits = program.content.get(..8).unwrap_or_default();
                u32::from_str_radix(digits, 16).unwrap_or(0)
            }
        }
    }

    /// The content hash of a foreign solver; empty for a variant, which is identified by its version.
    pub fn content(&self) -> &str {
        self.foreign().map_or("", |program| &program.content)
    }

    /// The settings of the method among `all`. A foreign solver has those settings of its entry, `own`, that do not
    /// belong to the question.
    pub fn method(&self, all: &Settings, own: &Settings, problem: &dyn AnyProblem) -> Settings {
        match self {
            Self::Variant(info) => all.only(info.settings).with_defaults(info.settings),
            Self::Foreign(_) => {
                let question = own.only(problem.settings());
                own.filtered(|name| question.value(name).is_none())
            }
        }
    }

    /// The columns that it adds: the settings of its method and the declared counters of a foreign solver.
    pub fn columns(&self, method: &Settings) -> Vec<Extra> {
        let program = match self {
            Self::Variant(info) => return settings(Family::Method, info.settings),
            Self::Foreign(program) => program,
        };
        let extra = |family, what: &str, name: &str| {
            let about = format!("{what} of the foreign solver {}", program.name);
            Extra::new(family, name, about)
        };
        let settings = method.iter();
        let settings = settings.map(|(name, _)| extra(Family::Method, "setting", name));
        let counters = program.foreign.counters.iter();
        let counters = counters.map(|name| extra(Family::Counter, "counter", name));
        settings.chain(counters).collect()
    }

    /// Refuses unknown settings of an entry.
    ///
    /// # Errors
    /// An unknown setting of a variant; a setting in a placeholder that neither the question nor the entry has.
    pub fn check(&self, own: &Settings, problem: &dyn AnyProblem) -> Result<()> {
        let what = self.name();
        let program = match self {
            Self::Variant(info) => {
                let declared = [info.settings, problem.settings()];
                return Ok(own.check(&format!("variant {what}"), &declared)?);
            }
            Self::Foreign(program) => program,
        };
        for placeholder in program.foreign.placeholders() {
            let Placeholder::Setting(name) = placeholder else {
                continue;
            };
            let declared = problem.settings().iter().map(|setting| setting.name);
            let known: Vec<&str> = declared.chain(own.iter().map(|(name, _)| name)).collect();
            if !known.contains(&name) {
                let what = format!("setting of the command {what}");
                return Err(unknown(&what, name, known).into());
            }
        }
        Ok(())
    }
}

/// The columns of declared settings.
pub(super) fn settings(family: Family, settings: &[SettingInfo]) -> Vec<Extra> {
    let column = |setting: &SettingInfo| Extra::new(family, setting.name, setting.about);
    settings.iter().map(column).collect()
}

impl Program {
    /// Finds the program of `foreign`, whose words are relative to `folder`, and reads the files that they name.
    ///
    /// # Errors
    /// A program that is not there or no executable file; a file that cannot be read.
    pub fn find(name: &str, foreign: &VariantTable, folder: &Path) -> Result<Self> {
        HERE.check_groups(&format!("the command `{name}`"))?;
        let foreign = &foreign.at_layout(1);
        let folder = foreign.folder.as_deref().unwrap_or(folder);
        let folder = absolute(folder).with_context(|| format!("the folder of `{name}`"))?;
        let words = foreign.program().iter().chain(&foreign.files);
        build::once(name, &foreign.prepare, words, &folder)?;
        let word = foreign.program().first().map_or("", String::as_str);
        let file = match word.contains('/') {
            true => Some(folder.join(word)).filter(|file| is_executable(file)),
            false => in_path(word),
        };
        let file = file.ok_or_else(|| match word.contains('/') {
            true => anyhow!("the program `{word}` of `{name}` is no executable file in {}", folder.display()),
            false => anyhow!("the program `{word}` of `{name}` is not in PATH; expected one there, or a path such as ./{word}"),
        })?;
        let mut parts: Vec<Vec<u8>> = vec![
            foreign.protocol().name().into(),
            vec![u8::from(foreign.exact)],
        ];
        parts.extend(foreign.unknown.clone().map(String::into_bytes));
        let env = foreign.env.iter();
        let env = env.map(|(name, value)| format!("{name}={value}"));
        parts.extend(env.map(String::into_bytes));
        let mut files = Vec::new();
        let mut content = |path: PathBuf| -> Result<Vec<u8>> {
            let (file, content) = HashedFile::read(path)?;
            files.push(file);
            Ok(content)
        };
        for file in &foreign.files {
            parts.push(content(folder.join(file))?);
        }
        for (place, word) in foreign.program().iter().enumerate() {
            parts.push(word.clone().into());
            let named = named_file(&folder, place, word);
            if place == 1 && named.is_none() && is_script(word) {
                let folder = folder.display();
                bail!("the script `{word}` of `{name}` is no file in {folder}");
            }
            if let Some(named) = named {
                parts.push(content(named)?);
            }
        }
        let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
        Ok(Self {
            name: name.to_owned(),
            foreign: foreign.clone(),
            file,
            folder,
            content: ContentHash::of(&parts).to_string(),
            files,
        })
    }

    /// The foreign solver of an experiment's entry.
    ///
    /// # Errors
    /// A name that is already that of a variant; and as [`find`](Self::find).
    pub(super) fn of(
        name: &str,
        foreign: &VariantTable,
        folder: &Path,
        problem: &dyn AnyProblem,
    ) -> Result<Solver> {
        if problem.variant(name).is_ok() {
            let problem = problem.name();
            bail!(
                "a command has the name `{name}`, which is a variant of {problem}; expected another name"
            );
        }
        Self::find(name, foreign, folder).map(|program| Solver::Foreign(Arc::new(program)))
    }
}

/// The absolute path of an experiment's folder; the current one if it has none.
///
/// # Errors
/// A current folder that is gone.
pub fn absolute(folder: &Path) -> std::io::Result<PathBuf> {
    if folder.as_os_str().is_empty() {
        return std::env::current_dir();
    }
    std::path::absolute(folder)
}

/// The file that a word of a command names; the first word is looked up in `PATH` if it has no `/`.
fn named_file(folder: &Path, place: usize, word: &str) -> Option<PathBuf> {
    let named = folder.join(word);
    let is_looked_up = place == 0 && !word.contains('/');
    (!is_looked_up && named.is_file()).then_some(named)
}

/// Returns whether a word is the name of a script, which the word before it runs.
fn is_script(word: &str) -> bool {
    let ending = Path::new(word).extension().and_then(OsStr::to_str);
    let is_filled = word.contains(['{', ' ']);
    !is_filled && ending.is_some_and(|it| ["py", "sh", "js", "rb", "pl", "lua", "jl"].contains(&it))
}

/// The program of this name in the folders of `PATH`, absolute: the program starts in another folder.
fn in_path(name: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    let mut files = std::env::split_paths(&folders).map(|folder| folder.join(name));
    let file = files.find(|file| !name.is_empty() && is_executable(file))?;
    std::path::absolute(file).ok()
}
