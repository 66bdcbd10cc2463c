//! Several run folders of one experiment as one: shards that ran apart.
//!
//! A sample that stands in two shards must be the same in every field, and is kept once. All sessions of all shards
//! are kept with their doubts and numbered anew; a session of which two shards have copies is one. The new folder is
//! written beside its place and takes it when it is complete: nothing is left of a merge that fails, and nothing that
//! exists is overwritten.

use std::collections::BTreeMap;
use std::collections::hash_map::Entry;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs::File;
use std::path::{Path, PathBuf};

use csv::ByteRecord;

use crate::error::ReportError;
use crate::hash::{FastMap, hash};
use crate::pictures;
use crate::run_file::{MergedRun, RunFile, Session};
use crate::{Reader, RowText};

/// What was merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Merged {
    /// Samples in the new folder.
    pub samples: u64,
    /// Samples that stood in more than one shard.
    pub repeated: u64,
}

/// How shards are merged.
#[derive(Debug, Clone, Default)]
pub struct MergeTerms {
    /// What the person typed.
    pub command: String,
    /// Whether shards of different machines are merged; `run.toml` says so.
    pub force: bool,
    /// What is missing in the shards, for `run.toml`.
    pub missing: Vec<String>,
}

/// Merges the run folders into the new folder `out`.
///
/// # Errors
/// Folders that are no runs or not of one experiment, `--set`, seed and scale; two different samples
/// under one identity, both shown; an `out` that exists.
pub fn merge(folders: &[PathBuf], out: &Path, terms: &MergeTerms) -> Result<Merged, ReportError> {
    if out.exists() {
        return Err(ReportError::Question(format!(
            "{}: exists already; merge writes a new folder",
            out.display()
        )));
    }
    let runs: Vec<RunFile> = folders
        .iter()
        .map(|folder| RunFile::read(folder))
        .collect::<Result<_, _>>()?;
    check(folders, &runs, terms.force)?;
    let (sessions, numbers) = sessions(&runs);
    let shards: Vec<Shard> = folders
        .iter()
        .zip(&numbers)
        .map(|(folder, numbers)| Shard::open(folder, numbers))
        .collect::<Result<_, _>>()?;
    let columns = columns(&shards);
    let place = NewFolder::beside(out)?;
    let (samples, counts) = write_records(&place.new.join("records.csv"), &shards, &columns)?;
    let mut missing = terms.missing.clone();
    if missing.is_empty() {
        missing.extend(unfinished(folders, &runs, &counts));
    }
    let run = RunFile {
        command: terms.command.clone(),
        missing,
        planned: BTreeMap::new(),
        sources: sources(folders, &runs, &counts, &numbers),
        sessions,
        ..runs[0].clone()
    };
    let path = place.new.join("run.toml");
    let text = run
        .text()
        .map_err(|error| ReportError::Question(format!("{}: {error}", path.display())))?;
    std::fs::write(&path, text).map_err(|error| ReportError::io(&path, error))?;
    write_dictionary(&place.new, folders, &columns)?;
    for folder in folders {
        pictures::copy(folder, &place.new)?;
    }
    std::fs::rename(&place.new, out).map_err(|error| ReportError::io(out, error))?;
    place.keep();
    Ok(Merged {
        samples,
        repeated: counts.iter().sum::<u64>() - samples,
    })
}

/// The runs that have fewer samples than they planned.
fn unfinished(folders: &[PathBuf], runs: &[RunFile], counts: &[u64]) -> Vec<String> {
    let runs = folders.iter().zip(runs).zip(counts);
    let missing = runs.filter_map(|((folder, run), taken)| {
        let planned = run.planned.values().sum::<u64>();
        (*taken < planned).then(|| format!("{}: {taken} of {planned} samples", folder.display()))
    });
    missing.collect()
}

/// A new hidden folder beside the one that it becomes. Dropping it removes all that was made.
struct NewFolder {
    new: PathBuf,
    /// The folders above that did not exist, the innermost first.
    made: Vec<PathBuf>,
    /// The folder itself, locked: another merge takes it for one that was killed if it is not.
    _lock: Option<File>,
    is_kept: bool,
}

impl NewFolder {
    fn beside(out: &Path) -> Result<Self, ReportError> {
        let name = out.file_name().ok_or_else(|| {
            let out = out.display();
            ReportError::Question(format!("{out}: expected the name of a new folder"))
        })?;
        let mut begin = std::ffi::OsString::from(".");
        begin.push(name);
        begin.push(".merging-");
        remove_left(out, &begin);
        let mut hidden = begin;
        hidden.push(std::process::id().to_string());
        let above = out.ancestors().skip(1);
        let missing = above.take_while(|above| !above.as_os_str().is_empty() && !above.exists());
        let mut place = Self {
            new: out.with_file_name(hidden),
            made: missing.map(Path::to_owned).collect(),
            _lock: None,
            is_kept: false,
        };
        std::fs::create_dir_all(&place.new).map_err(|error| ReportError::io(&place.new, error))?;
        place._lock = File::open(&place.new)
            .ok()
            .filter(|folder| folder.try_lock().is_ok());
        Ok(place)
    }

    fn keep(mut self) {
        self.is_kept = true;
    }
}

impl Drop for NewFolder {
    fn drop(&mut self) {
        if self.is_kept {
            return;
        }
        // The error that is reported is the one that stopped the merge.
        let _ = std::fs::remove_dir_all(&self.new);
        for folder in &self.made {
            let _ = std::fs::remove_dir(folder);
        }
    }
}

/// Removes the hidden folders beside `out` that merges into it left when they were killed: those that none has locked.
fn remove_left(out: &Path, begin: &OsStr) {
    let above = out.parent().filter(|above| !above.as_os_str().is_empty());
    let Ok(listing) = std::fs::read_dir(above.unwrap_or(Path::new("."))) else {
        return;
    };
    for entry in listing.flatten() {
        let name = entry.file_name();
        let is_ours = name
            .as_encoded_bytes()
            .starts_with(begin.as_encoded_bytes())
            && entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_ours && File::open(entry.path()).is_ok_and(|folder| folder.try_lock().is_ok()) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

/// How a shard's sessions are numbered in the merged folder.
type Numbers = BTreeMap<u32, u32>;

/// All sessions, numbered anew, and the new numbers of each run's sessions.
fn sessions(runs: &[RunFile]) -> (Vec<Session>, Vec<Numbers>) {
    let mut all: Vec<Session> = Vec::new();
    let mut numbers = Vec::new();
    for run in runs {
        let mut own = Numbers::new();
        for session in &run.sessions {
            let known = all.iter().position(|known| known.is_copy_of(session));
            let at = known.unwrap_or_else(|| {
                all.push(Session {
                    number: all.len() as u32 + 1,
                    doubts: Vec::new(),
                    ..session.clone()
                });
                all.len() - 1
            });
            for doubt in &session.doubts {
                if !all[at].doubts.contains(doubt) {
                    all[at].doubts.push(doubt.clone());
                }
            }
            own.insert(session.number, all[at].number);
        }
        numbers.push(own);
    }
    (all, numbers)
}

/// Refuses runs that are no shards of one.
fn check(folders: &[PathBuf], runs: &[RunFile], force: bool) -> Result<(), ReportError> {
    let (Some(first), Some(first_folder)) = (runs.first(), folders.first()) else {
        return Err(ReportError::Question(
            "nothing to merge; expected run folders".to_owned(),
        ));
    };
    for (folder, run) in folders.iter().zip(runs).skip(1) {
        let mut differs = Vec::new();
        let mut compare = |what: &'static str, same: bool| {
            if !same {
                differs.push(what);
            }
        };
        compare("experiment", run.experiments == first.experiments);
        compare("--set", run.sets == first.sets);
        compare("--seed", run.seed == first.seed);
        compare("scale", run.scale == first.scale);
        compare("version", run.versions == first.versions);
        let both = RunFile {
            sessions: [&first.sessions[..], &run.sessions[..]].concat(),
            ..RunFile::default()
        };
        compare(
            "machine (--force merges nevertheless)",
            force || both.machines() == first.machines(),
        );
        if !differs.is_empty() {
            return Err(ReportError::Question(format!(
                "{} is no shard of the run in {}: another {}",
                folder.display(),
                first_folder.display(),
                differs.join(", ")
            )));
        }
    }
    Ok(())
}

/// One shard's `records.csv`.
struct Shard<'a> {
    path: PathBuf,
    header: Vec<String>,
    numbers: &'a Numbers,
}

impl<'a> Shard<'a> {
    fn open(folder: &Path, numbers: &'a Numbers) -> Result<Self, ReportError> {
        let path = folder.join("records.csv");
        let header = Reader::open(&path)?.header().to_vec();
        Ok(Self {
            path,
            header,
            numbers,
        })
    }

    /// The number of a row's session in the merged folder.
    fn session(&self, field: &[u8], line: u64) -> Result<String, ReportError> {
        let text = String::from_utf8_lossy(field);
        let number = text.parse().ok();
        match number.and_then(|number: u32| self.numbers.get(&number)) {
            Some(number) => Ok(number.to_string()),
            None => Err(ReportError::Row {
                path: self.path.clone(),
                line,
                message: format!("run.toml has no session `{text}`"),
            }),
        }
    }

    /// Gives every row, in the order of `columns`, with its line to `each`.
    fn rows(
        &self,
        columns: &[String],
        mut each: impl FnMut(u64, &ByteRecord) -> Result<(), ReportError>,
    ) -> Result<(), ReportError> {
        let place = |name: &String| self.header.iter().position(|column| column == name);
        let places: Vec<Option<usize>> = columns.iter().map(place).collect();
        let session = columns.iter().position(|column| column == SESSION);
        let mut reader = Reader::open(&self.path)?;
        let (mut record, mut ordered) = (RowText::default(), ByteRecord::new());
        while let Some(line) = reader.next(&mut record)? {
            ordered.clear();
            for (at, place) in places.iter().enumerate() {
                let field = place.and_then(|at| record.get(at)).unwrap_or_default();
                if Some(at) == session {
                    ordered.push_field(self.session(field, line)?.as_bytes());
                } else {
                    ordered.push_field(field);
                }
            }
            each(line, &ordered)?;
        }
        Ok(())
    }
}

/// The column that numbers sessions.
const SESSION: &str = "session";

/// Every column of any shard: the fixed ones, then by family.
fn columns(shards: &[Shard]) -> Vec<String> {
    let mut columns: Vec<String> = Vec::new();
    for name in shards.iter().flat_map(|shard| &shard.header) {
        if !columns.contains(name) {
            columns.push(name.clone());
        }
    }
    columns.sort_by_key(|column| crate::rank(column));
    columns
}

/// Writes the rows of all shards, each sample once; gives back how many there are, and how many each shard has. Two
/// different samples under one identity are an error.
fn write_records(
    path: &Path,
    shards: &[Shard],
    columns: &[String],
) -> Result<(u64, Vec<u64>), ReportError> {
    let io = |error: csv::Error| ReportError::io(path, error);
    let place = |name: &str| columns.iter().position(|column| column == name);
    let identity = ["experiment", "sample", "attempt"].map(place);
    let mut writer = csv::Writer::from_path(path).map_err(io)?;
    writer.write_record(columns).map_err(io)?;
    // Content, shard and line of each identity's first row.
    let mut first: FastMap<u64, (u64, usize, u64)> = FastMap::default();
    let mut counts = vec![0; shards.len()];
    for (at, shard) in shards.iter().enumerate() {
        shard.rows(columns, |line, row| {
            counts[at] += 1;
            let field = |place: Option<usize>| place.and_then(|at| row.get(at));
            let content = hash(row.iter().collect::<Vec<_>>());
            match first.entry(hash(identity.map(field))) {
                Entry::Vacant(new) => {
                    new.insert((content, at, line));
                    writer.write_byte_record(row).map_err(io)
                }
                Entry::Occupied(known) if known.get().0 == content => Ok(()),
                Entry::Occupied(known) => {
                    let (_, of, before) = *known.get();
                    Err(both_shown(shards, columns, (of, before), (at, line))?)
                }
            }
        })?;
    }
    writer
        .flush()
        .map_err(|error| ReportError::io(path, error))?;
    Ok((first.len() as u64, counts))
}

/// The error of two different samples, with what differs.
fn both_shown(
    shards: &[Shard],
    columns: &[String],
    a: (usize, u64),
    b: (usize, u64),
) -> Result<ReportError, ReportError> {
    let row = |(shard, line): (usize, u64)| -> Result<Vec<String>, ReportError> {
        let mut found = Vec::new();
        shards[shard].rows(columns, |at, row| {
            if at == line {
                let text = |field| String::from_utf8_lossy(field).into_owned();
                found = row.iter().map(text).collect();
            }
            Ok(())
        })?;
        Ok(found)
    };
    let (first, second) = (row(a)?, row(b)?);
    let place = |(shard, line): (usize, u64)| format!("{}:{line}", shards[shard].path.display());
    let mut message = String::from("two different samples under one identity");
    for (at, fields) in [(a, &first), (b, &second)] {
        let differing = columns.iter().zip(fields).zip(first.iter().zip(&second));
        let differing: Vec<String> = differing
            .filter(|(_, (first, second))| first != second)
            .map(|((name, field), _)| format!("{name}={field}"))
            .collect();
        let _ = write!(message, "; {}: {}", place(at), differing.join(" "));
    }
    let known = |name: &str| {
        let at = columns.iter().position(|column| column == name);
        at.and_then(|at| first.get(at)).cloned().unwrap_or_default()
    };
    let _ = write!(
        message,
        " ({} on {}, repeat {}, sample {})",
        known("label"),
        known("instance"),
        known("repeat"),
        known("sample")
    );
    Ok(ReportError::Question(message))
}

/// Writes the data dictionary: each column's line of the first shard that has it.
fn write_dictionary(
    new: &Path,
    folders: &[PathBuf],
    columns: &[String],
) -> Result<(), ReportError> {
    let mut lines: BTreeMap<String, [String; 3]> = BTreeMap::new();
    let paths = folders.iter().map(|folder| folder.join(crate::DICTIONARY));
    for path in paths.filter(|path| path.exists()) {
        let io = |error: csv::Error| ReportError::io(&path, error);
        for line in csv::Reader::from_path(&path).map_err(io)?.deserialize() {
            let line: [String; 3] = line.map_err(io)?;
            lines.entry(line[0].clone()).or_insert(line);
        }
    }
    if lines.is_empty() {
        return Ok(());
    }
    let known = columns.iter().filter_map(|name| lines.remove(name));
    crate::columns::write_lines(&new.join(crate::DICTIONARY), known)
}

fn sources(
    folders: &[PathBuf],
    runs: &[RunFile],
    samples: &[u64],
    numbers: &[Numbers],
) -> Vec<MergedRun> {
    let sources = (0..runs.len()).map(|at| MergedRun {
        folder: folders[at].display().to_string(),
        command: runs[at].command.clone(),
        samples: samples[at],
        sessions: numbers[at].values().copied().collect(),
        ..MergedRun::default()
    });
    sources.collect()
}

#[cfg(test)]
mod tests;
