//! Merges the shards of an experiment: run folders that were written separately.
//!
//! No sample may be in two of them. The sessions of all shards are kept with their doubts and renumbered. The new folder
//! is written under a hidden name and renamed when it is complete: a merge that fails leaves nothing, and no existing
//! folder is overwritten.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use csv::ByteRecord;
use ikeru_bench_data::Experiment;

use crate::bests::{self, Ledger};
use crate::error::{ReportError, Result};
use crate::hash::{FastMap, hash};
use crate::held::{HeldFolder, remove_left};
use crate::pictures;
use crate::refuse;
use crate::run_file::{MergedRun, RanExperiment, RunFile, Session};
use crate::shard::Shard;
use crate::{Reader, RowText};

/// The options of a merge.
#[derive(Debug, Clone, Default)]
pub struct MergeTerms {
    /// The command line.
    pub command: String,
    /// True if shards of different machines or builds may be merged.
    pub force: bool,
}

/// Merges the run folders into the new folder `out`. Returns the number of its rows.
///
/// # Errors
/// Folders that are no runs, or that differ in experiments, `--set`, seed, scale, number of shards, version or (without
/// `force`) machine and build; a sample in two of them, with both places; an `out` that exists.
pub fn merge(folders: &[PathBuf], out: &Path, terms: &MergeTerms) -> Result<u64> {
    if out.exists() {
        let out = out.display();
        refuse!("{out}: exists already; merge writes a new folder");
    }
    let runs = folders.iter().map(|folder| RunFile::read(folder));
    let runs = runs.collect::<Result<Vec<RunFile>, _>>()?;
    check(folders, &runs, terms.force)?;
    let (sessions, numbers) = sessions(&runs);
    let shards = folders.iter().zip(&numbers);
    let shards = shards.map(|(folder, numbers)| ShardRows::open(folder, numbers));
    let shards = shards.collect::<Result<Vec<ShardRows>, _>>()?;
    let columns = columns(&shards);
    let place = beside(out)?;
    let new = place.path();
    let counts = write_records(&new.join("records.csv"), &shards, &columns)?;
    let mut missing = unfinished(folders, &runs, &counts);
    missing.extend(unmerged(&runs));
    let known = runs.iter().flat_map(|run| &run.missing);
    missing.extend(known.filter(|line| !line.ends_with(UNMERGED)).cloned());
    let run = RunFile {
        command: terms.command.clone(),
        missing,
        planned: BTreeMap::new(),
        sources: sources(folders, &runs, &counts, &numbers),
        sessions,
        ..runs[0].clone()
    };
    let path = new.join("run.toml");
    let text = run
        .text()
        .map_err(|error| ReportError::Question(format!("{}: {error}", path.display())))?;
    std::fs::write(&path, text).map_err(|error| ReportError::io(&path, error))?;
    write_dictionary(new, folders, &columns)?;
    for folder in folders {
        pictures::copy(folder, new)?;
        for kept in [bests::ANSWERS, bests::FAILED] {
            copy_files(&folder.join(kept), &new.join(kept))?;
        }
    }
    join_ledgers(folders, new)?;
    let above = out.parent().map_or(Ok(()), std::fs::create_dir_all);
    above
        .and_then(|()| std::fs::rename(new, out))
        .map_err(|error| ReportError::io(out, error))?;
    Ok(counts.iter().sum())
}

/// Copies the files of a folder, if it is there, into another one.
fn copy_files(from: &Path, to: &Path) -> Result<()> {
    let Ok(files) = std::fs::read_dir(from) else {
        return Ok(());
    };
    std::fs::create_dir_all(to).map_err(|error| ReportError::io(to, error))?;
    for file in files.flatten() {
        let path = file.path();
        std::fs::copy(&path, to.join(file.file_name()))
            .map_err(|error| ReportError::io(&path, error))?;
    }
    Ok(())
}

/// Writes the best-known scores of all runs into a folder, if they have any.
fn join_ledgers(folders: &[PathBuf], to: &Path) -> Result<()> {
    let mut joined = Ledger::default();
    for folder in folders {
        for known in Ledger::read(folder)?.iter() {
            joined.improve(known.clone());
        }
    }
    match joined.iter().next() {
        Some(_) => joined.write(to),
        None => Ok(()),
    }
}

/// A line for each run that has fewer samples than it planned.
fn unfinished(folders: &[PathBuf], runs: &[RunFile], counts: &[u64]) -> Vec<String> {
    let runs = folders.iter().zip(runs).zip(counts);
    let missing = runs.filter_map(|((folder, run), taken)| {
        let planned = run.planned.values().sum::<u64>();
        (*taken < planned).then(|| format!("{}: {taken} of {planned} samples", folder.display()))
    });
    missing.collect()
}

/// The end of the line of a shard that is not among the runs.
const UNMERGED: &str = "was not merged";

/// A line for each shard that is not among the sessions of the runs, if all of them are of shards of one division.
fn unmerged(runs: &[RunFile]) -> Vec<String> {
    let sessions = runs.iter().flat_map(|run| &run.sessions);
    let shards: Option<BTreeSet<Shard>> = sessions.map(|session| session.shard).collect();
    let shards = shards.unwrap_or_default();
    let Some(Shard { of, .. }) = shards.first().copied() else {
        return Vec::new();
    };
    let all = (1..=of.get()).map(|number| Shard { number, of });
    let missing = all.filter(|shard| !shards.contains(shard));
    missing
        .map(|shard| format!("shard {shard} {UNMERGED}"))
        .collect()
}

/// A new hidden folder from which `out` is made, in the folder of `out` or the first one above it that is there.
fn beside(out: &Path) -> Result<HeldFolder> {
    let Some(name) = out.file_name() else {
        refuse!("{}: expected the name of a new folder", out.display());
    };
    let mut prefix = std::ffi::OsString::from(".");
    prefix.push(name);
    prefix.push(".merging-");
    let mut above = out.ancestors().skip(1);
    let above = above.find(|above| above.is_dir());
    let above = above.unwrap_or(Path::new("."));
    remove_left(above, &prefix);
    let held = HeldFolder::of(tempfile::Builder::new().prefix(&prefix), above);
    held.map_err(|error| ReportError::io(out, error))
}

/// The new number of each session of a shard, by its number in the shard.
type Numbers = BTreeMap<u32, u32>;

/// All sessions, renumbered, and the new numbers of each run's sessions.
fn sessions(runs: &[RunFile]) -> (Vec<Session>, Vec<Numbers>) {
    let mut all: Vec<Session> = Vec::new();
    let mut numbers = Vec::new();
    for run in runs {
        let mut own = Numbers::new();
        for session in &run.sessions {
            let number = all.len() as u32 + 1;
            own.insert(session.number, number);
            all.push(Session {
                number,
                ..session.clone()
            });
        }
        numbers.push(own);
    }
    (all, numbers)
}

/// Refuses runs that are not shards of one run.
fn check(folders: &[PathBuf], runs: &[RunFile], force: bool) -> Result<()> {
    let (Some(first), Some(first_folder)) = (runs.first(), folders.first()) else {
        refuse!("nothing to merge; expected run folders");
    };
    for (folder, run) in folders.iter().zip(runs).skip(1) {
        let both = RunFile {
            sessions: [&first.sessions[..], &run.sessions[..]].concat(),
            ..RunFile::default()
        };
        let is_one_machine = force || both.machines() == first.machines();
        let is_one_build = force || both.builds() == first.builds();
        let shards = both.sessions.iter().filter_map(|session| session.shard);
        let divisions: BTreeSet<_> = shards.map(|shard| shard.of).collect();
        let facts = [
            (
                "experiment",
                have_same_samples(&run.experiments, &first.experiments),
            ),
            ("--set", run.sets == first.sets),
            ("--seed", run.seed == first.seed),
            ("scale", run.scale == first.scale),
            ("number of shards", divisions.len() <= 1),
            ("machine (--force merges nevertheless)", is_one_machine),
            ("program (--force merges nevertheless)", is_one_build),
        ];
        // A solver that only one of the runs has is no difference.
        let versions = run.versions.iter().map(|(name, version)| {
            let other = first.versions.get(name);
            (name.as_str(), other.is_none_or(|other| other == version))
        });
        let facts = facts.into_iter().chain(versions);
        let differs = facts.filter(|(_, is_same)| !is_same).map(|(what, _)| what);
        let differs: Vec<&str> = differs.collect();
        if !differs.is_empty() {
            let [shard, run] = [folder, first_folder].map(|folder| folder.display());
            let differs = differs.join(", ");
            refuse!("{shard} is no shard of the run in {run}: another {differs}");
        }
    }
    Ok(())
}

/// Returns whether the experiments differ in words, tables, plots and analyses at most.
fn have_same_samples(one: &[RanExperiment], other: &[RanExperiment]) -> bool {
    let measured = |all: &[RanExperiment]| -> Option<Vec<Experiment>> {
        let all = all.iter().map(|one| Some(one.read().ok()?.without_words()));
        all.collect()
    };
    one == other || measured(one).is_some_and(|own| Some(own) == measured(other))
}

/// The `records.csv` of one of the runs.
struct ShardRows<'a> {
    path: PathBuf,
    header: Vec<String>,
    numbers: &'a Numbers,
}

impl<'a> ShardRows<'a> {
    fn open(folder: &Path, numbers: &'a Numbers) -> Result<Self> {
        let path = folder.join("records.csv");
        let header = Reader::open(&path)?.header;
        Ok(Self {
            path,
            header,
            numbers,
        })
    }

    /// The number of a row's session in the merged folder.
    fn session(&self, field: &[u8], line: u64) -> Result<String> {
        let text = String::from_utf8_lossy(field);
        let number = text.parse().ok();
        match number.and_then(|number: u32| self.numbers.get(&number)) {
            Some(number) => Ok(number.to_string()),
            None => {
                let message = format!("run.toml has no session `{text}`");
                Err(ReportError::row(&self.path, line, message))
            }
        }
    }

    /// Calls `each` with the line number and the fields of every row, the fields in the order of `columns`.
    fn rows(
        &self,
        columns: &[String],
        mut each: impl FnMut(u64, &ByteRecord) -> Result<()>,
    ) -> Result<()> {
        let place = |name: &String| self.header.iter().position(|column| column == name);
        let places: Vec<Option<usize>> = columns.iter().map(place).collect();
        let session = columns.iter().position(|column| column == SESSION);
        let mut reader = Reader::open(&self.path)?;
        let (mut record, mut ordered) = (RowText::default(), ByteRecord::new());
        while let Some(line) = reader.next(&mut record)? {
            ordered.clear();
            for (at, place) in places.iter().enumerate() {
                let field = place.and_then(|at| record.get(at)).unwrap_or_default();
                match Some(at) == session {
                    true => ordered.push_field(self.session(field, line)?.as_bytes()),
                    false => ordered.push_field(field),
                }
            }
            each(line, &ordered)?;
        }
        Ok(())
    }
}

/// The column of the session numbers.
const SESSION: &str = "session";

/// The union of the shards' columns: the fixed columns, then the others by family.
fn columns(shards: &[ShardRows]) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let names = shards.iter().flat_map(|shard| &shard.header);
    let mut columns: Vec<String> = names.filter(|name| seen.insert(*name)).cloned().collect();
    columns.sort_by_key(|column| crate::rank(column));
    columns
}

/// Writes the rows of all shards. Returns the number of rows of each shard. A sample in two shards is an error.
fn write_records(path: &Path, shards: &[ShardRows], columns: &[String]) -> Result<Vec<u64>> {
    let io = |error: csv::Error| ReportError::io(path, error);
    let place = |name: &str| columns.iter().position(|column| column == name);
    let identity = ["experiment", "sample", "attempt"].map(place);
    let named = ["label", "instance", "repeat", "sample"].map(place);
    let mut writer = csv::Writer::from_path(path).map_err(io)?;
    writer.write_record(columns).map_err(io)?;
    // The shard and the line of each identity.
    let mut first: FastMap<u64, (usize, u64)> = FastMap::default();
    let mut counts = vec![0; shards.len()];
    for (at, shard) in shards.iter().enumerate() {
        shard.rows(columns, |line, row| {
            let field = |place: Option<usize>| place.and_then(|at| row.get(at));
            let known = first.insert(hash(identity.map(field)), (at, line));
            if let Some((of, before)) = known {
                let [one, other] = [(of, before), (at, line)]
                    .map(|(of, line)| format!("{}:{line}", shards[of].path.display()));
                let word = |place| String::from_utf8_lossy(field(place).unwrap_or_default());
                let [label, instance, repeat, sample] = named.map(word);
                refuse!(
                    "the same sample in two shards: {one} and {other} ({label} on {instance}, repeat {repeat}, sample {sample})"
                );
            }
            counts[at] += 1;
            writer.write_byte_record(row).map_err(io)
        })?;
    }
    writer.flush().map_err(csv::Error::from).map_err(io)?;
    Ok(counts)
}

/// Writes the data dictionary. The line of each column comes from the first shard that has it.
fn write_dictionary(new: &Path, folders: &[PathBuf], columns: &[String]) -> Result<()> {
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
    });
    sources.collect()
}

#[cfg(test)]
mod tests;
