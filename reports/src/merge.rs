//! Several run folders of one experiment as one: shards that ran apart.
//!
//! A sample that stands in two shards must be the same in every field, and is kept once. Nothing is
//! written before everything was checked, and nothing that exists is overwritten.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write as _;
use std::io::Read;
use std::path::{Path, PathBuf};

use csv::ByteRecord;
use ikeru_core::ContentHash;

use crate::error::ReportError;
use crate::records::FIXED;
use crate::rows::{open_whole, schema_of};
use crate::run_file::{MergedRun, RunFile, machines_differ};
use crate::shown;

/// What was merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Merged {
    /// Samples in the new folder.
    pub samples: u64,
    /// Samples that stood in more than one shard.
    pub repeated: u64,
}

/// Merges the run folders into the new folder `out`. `command` is what the person typed; with `force`
/// shards of different machines are merged, and `run.toml` says so.
///
/// # Errors
/// Folders that are no runs or not of one experiment, `--set`, seed and scale; two different samples
/// under one identity, both shown; an `out` that exists.
pub fn merge(
    folders: &[PathBuf],
    out: &Path,
    command: &str,
    force: bool,
) -> Result<Merged, ReportError> {
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
    check(folders, &runs, force)?;
    let shards: Vec<Shard> = folders
        .iter()
        .map(|folder| Shard::open(folder))
        .collect::<Result<_, _>>()?;
    let columns = columns(&shards);
    let seen = see(&shards, &columns)?;

    std::fs::create_dir_all(out).map_err(|error| ReportError::io(out, error))?;
    write_records(&out.join("records.csv"), &shards, &columns)?;
    let run = RunFile {
        command: command.to_owned(),
        sources: sources(folders, &runs, &seen.samples),
        machine: if force {
            machine(&runs)
        } else {
            runs[0].machine.clone()
        },
        ..runs[0].clone()
    };
    let path = out.join("run.toml");
    let text = run
        .text()
        .map_err(|error| ReportError::Question(format!("{}: {error}", path.display())))?;
    std::fs::write(&path, text).map_err(|error| ReportError::io(&path, error))?;
    for folder in folders {
        shown::copy(folder, out)?;
    }
    Ok(Merged {
        samples: seen.identities.len() as u64,
        repeated: seen.samples.iter().sum::<u64>() - seen.identities.len() as u64,
    })
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
        let same_machine = machines_differ(&run.machine, &first.machine).is_empty()
            && run.is_of_several_machines() == first.is_of_several_machines();
        compare(
            "machine (--force merges nevertheless)",
            force || same_machine,
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
struct Shard {
    path: PathBuf,
    header: Vec<String>,
}

impl Shard {
    fn open(folder: &Path) -> Result<Self, ReportError> {
        let path = folder.join("records.csv");
        let header = reader(&path)?
            .headers()
            .map_err(|error| ReportError::io(&path, error))?
            .iter()
            .map(str::to_owned)
            .collect();
        let shard = Self { path, header };
        for name in ["schema", "experiment", "sample"] {
            if !shard.header.iter().any(|column| column == name) {
                return Err(shard.wrong(1, format!("the column `{name}` is missing")));
            }
        }
        Ok(shard)
    }

    fn wrong(&self, line: u64, message: String) -> ReportError {
        ReportError::Row {
            path: self.path.clone(),
            line,
            message,
        }
    }

    /// Where each of `columns` stands in this shard; `None` where it lacks one.
    fn places(&self, columns: &[String]) -> Vec<Option<usize>> {
        let place = |name: &String| self.header.iter().position(|column| column == name);
        columns.iter().map(place).collect()
    }

    /// Gives every row, in the order of `columns`, with its line to `each`.
    fn rows(
        &self,
        columns: &[String],
        mut each: impl FnMut(u64, &ByteRecord) -> Result<(), ReportError>,
    ) -> Result<(), ReportError> {
        let places = self.places(columns);
        let mut reader = reader(&self.path)?;
        let (mut record, mut ordered) = (ByteRecord::new(), ByteRecord::new());
        loop {
            let more = reader.read_byte_record(&mut record);
            if !more.map_err(|error| ReportError::io(&self.path, error))? {
                return Ok(());
            }
            let line = record.position().map_or(0, csv::Position::line);
            if record.len() != self.header.len() {
                let (found, expected) = (record.len(), self.header.len());
                return Err(self.wrong(line, format!("{found} fields; expected {expected}")));
            }
            ordered.clear();
            for place in &places {
                ordered.push_field(place.and_then(|at| record.get(at)).unwrap_or_default());
            }
            each(line, &ordered)?;
        }
    }
}

fn reader(path: &Path) -> Result<csv::Reader<impl Read>, ReportError> {
    let file = open_whole(path)?;
    Ok(csv::ReaderBuilder::new()
        .flexible(true)
        .buffer_capacity(1 << 18)
        .from_reader(file))
}

/// Every column of any shard: the fixed ones, then settings, parameters, counters and measures.
fn columns(shards: &[Shard]) -> Vec<String> {
    let mut columns: Vec<String> = Vec::new();
    for name in shards.iter().flat_map(|shard| &shard.header) {
        if !columns.contains(name) {
            columns.push(name.clone());
        }
    }
    let prefixes = ["setting_", "param_", "counter_", "measure_"];
    let rank = |name: &String| {
        let fixed = FIXED.iter().position(|(fixed, _)| fixed == name);
        let prefix = prefixes.iter().position(|prefix| name.starts_with(prefix));
        (fixed.is_none(), fixed, prefix)
    };
    columns.sort_by_key(rank);
    columns
}

/// Which samples there are.
struct Seen {
    /// Content, shard and line of each identity's first row.
    identities: HashMap<ContentHash, (ContentHash, usize, u64)>,
    /// How many rows each shard has.
    samples: Vec<u64>,
}

/// A row's identity: its experiment, its sample, and which attempt at it this is.
fn identity(columns: &[String], row: &ByteRecord) -> ContentHash {
    let field = |name: &str| {
        let place = columns.iter().position(|column| column == name);
        place.and_then(|at| row.get(at)).unwrap_or_default()
    };
    ContentHash::of(&[field("experiment"), field("sample"), field("attempt")])
}

/// Looks at every row; two different ones under one identity are an error.
fn see(shards: &[Shard], columns: &[String]) -> Result<Seen, ReportError> {
    let mut seen = Seen {
        identities: HashMap::new(),
        samples: vec![0; shards.len()],
    };
    let mut conflict = None;
    for (at, shard) in shards.iter().enumerate() {
        shard.rows(columns, |line, row| {
            schema_of(row.get(0)).map_err(|message| shard.wrong(line, message))?;
            seen.samples[at] += 1;
            let fields: Vec<&[u8]> = row.iter().collect();
            let content = ContentHash::of(&fields);
            let first = *seen
                .identities
                .entry(identity(columns, row))
                .or_insert((content, at, line));
            if first.0 != content && conflict.is_none() {
                conflict = Some(((first.1, first.2), (at, line)));
            }
            Ok(())
        })?;
    }
    match conflict {
        None => Ok(seen),
        Some((a, b)) => Err(both_shown(shards, columns, a, b)?),
    }
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

fn write_records(path: &Path, shards: &[Shard], columns: &[String]) -> Result<(), ReportError> {
    let io = |error: csv::Error| ReportError::io(path, error);
    let mut writer = csv::Writer::from_path(path).map_err(io)?;
    writer.write_record(columns).map_err(io)?;
    let mut written = HashSet::new();
    for shard in shards {
        shard.rows(columns, |_, row| {
            if written.insert(identity(columns, row)) {
                writer.write_byte_record(row).map_err(io)?;
            }
            Ok(())
        })?;
    }
    writer.flush().map_err(|error| ReportError::io(path, error))
}

fn sources(folders: &[PathBuf], runs: &[RunFile], samples: &[u64]) -> Vec<MergedRun> {
    let source = |((folder, run), samples): ((&PathBuf, &RunFile), &u64)| {
        let own = MergedRun {
            folder: folder.display().to_string(),
            command: run.command.clone(),
            samples: *samples,
            machine: run.machine.clone(),
        };
        // A merged folder stands for the runs that it was merged from.
        if run.is_of_several_machines() {
            run.sources.clone()
        } else {
            vec![own]
        }
    };
    folders
        .iter()
        .zip(runs)
        .zip(samples)
        .flat_map(source)
        .collect()
}

/// What the machines have in common, and both where they differ.
fn machine(runs: &[RunFile]) -> BTreeMap<String, String> {
    let mut all: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, value) in runs.iter().flat_map(|run| &run.machine) {
        let values = all.entry(name.clone()).or_default();
        if !values.contains(value) {
            values.push(value.clone());
        }
    }
    all.into_iter()
        .map(|(name, values)| (name, values.join("; ")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::Rows;
    use crate::run_file::RanExperiment;

    const HEADER: &str =
        "schema,experiment,sample,label,instance,repeat,outcome,wall_ns,setting_steps";

    fn run() -> RunFile {
        RunFile {
            command: "ikeru run e".to_owned(),
            experiments: vec![RanExperiment {
                name: "e".to_owned(),
                text: "text".to_owned(),
            }],
            machine: [("cpu".to_owned(), "one".to_owned())].into(),
            ..RunFile::default()
        }
    }

    /// A run folder with `rows` under `header`.
    fn shard(inside: &Path, name: &str, run: &RunFile, header: &str, rows: &str) -> PathBuf {
        let folder = inside.join(name);
        std::fs::create_dir(&folder).expect("a folder");
        std::fs::write(folder.join("run.toml"), run.text().expect("text")).expect("written");
        std::fs::write(folder.join("records.csv"), format!("{header}\n{rows}")).expect("written");
        folder
    }

    #[test]
    fn shards_become_one_and_the_same_sample_is_kept_once() {
        let inside = tempfile::tempdir().expect("a folder");
        let wider = "schema,experiment,sample,label,instance,repeat,outcome,wall_ns,setting_width,setting_steps";
        let folders = [
            shard(
                inside.path(),
                "a",
                &run(),
                HEADER,
                "1,e,s1,memo,i,0,solved,7,1\n1,e,s2,memo,i,1,solved,8,1\n",
            ),
            shard(
                inside.path(),
                "b",
                &run(),
                wider,
                "1,e,s2,memo,i,1,solved,8,,1\n1,e,s3,beam,i,0,solved,9,5,1\n1,e,torn",
            ),
        ];
        let out = inside.path().join("out");
        let merged = merge(&folders, &out, "ikeru merge a b", false).expect("merged");
        assert_eq!((merged.samples, merged.repeated), (3, 1));
        let rows = Rows::read(&out.join("records.csv")).expect("rows");
        assert_eq!(rows.len(), 3);
        assert_eq!(rows.text("setting_width", 2), "5");
        assert_eq!(rows.numbers("wall_ns", &rows.all()), [7.0, 8.0, 9.0]);
        let run = RunFile::read(&out).expect("run.toml");
        assert_eq!(run.command, "ikeru merge a b");
        let samples: Vec<u64> = run.sources.iter().map(|source| source.samples).collect();
        assert_eq!(samples, [2, 2]);
        let error = merge(&folders, &out, "", false).expect_err("exists");
        assert!(error.to_string().contains("exists already"), "{error}");
    }

    #[test]
    fn two_samples_of_one_identity_are_both_shown_and_nothing_is_written() {
        let inside = tempfile::tempdir().expect("a folder");
        let folders = [
            shard(
                inside.path(),
                "a",
                &run(),
                HEADER,
                "1,e,s1,memo,i,0,solved,7,1\n",
            ),
            shard(
                inside.path(),
                "b",
                &run(),
                HEADER,
                "1,e,s1,memo,i,0,solved,9,1\n",
            ),
        ];
        let out = inside.path().join("out");
        let error = merge(&folders, &out, "", false)
            .expect_err("refused")
            .to_string();
        for words in [
            "a/records.csv:2: wall_ns=7",
            "b/records.csv:2: wall_ns=9",
            "memo on i",
        ] {
            assert!(error.contains(words), "{error}");
        }
        assert!(!out.exists());
    }

    #[test]
    fn what_is_no_shard_is_refused() {
        let inside = tempfile::tempdir().expect("a folder");
        let first = shard(
            inside.path(),
            "a",
            &run(),
            HEADER,
            "1,e,s1,memo,i,0,solved,7,1\n",
        );
        let others = [
            (
                "set",
                RunFile {
                    sets: vec!["steps=1".to_owned()],
                    ..run()
                },
                "another --set",
            ),
            ("seed", RunFile { seed: 2, ..run() }, "another --seed"),
            (
                "experiment",
                RunFile {
                    experiments: Vec::new(),
                    ..run()
                },
                "another experiment",
            ),
            (
                "machine",
                RunFile {
                    machine: [("cpu".to_owned(), "two".to_owned())].into(),
                    ..run()
                },
                "another machine",
            ),
        ];
        let out = inside.path().join("out");
        for (name, run, hint) in others {
            let other = shard(
                inside.path(),
                name,
                &run,
                HEADER,
                "1,e,s2,memo,i,0,solved,7,1\n",
            );
            let folders = [first.clone(), other];
            let error = merge(&folders, &out, "", false)
                .expect_err(name)
                .to_string();
            assert!(error.contains(hint), "{error}");
            if name == "machine" {
                merge(&folders, &out, "", true).expect("forced");
                assert!(
                    RunFile::read(&out)
                        .expect("run.toml")
                        .is_of_several_machines()
                );
            }
        }
        let newer = shard(
            inside.path(),
            "newer",
            &run(),
            HEADER,
            "99,e,s2,memo,i,0,solved,7,1\n",
        );
        let error = merge(&[first, newer], &inside.path().join("none"), "", false);
        let error = error.expect_err("newer").to_string();
        assert!(error.contains("schema 99 is newer"), "{error}");
    }
}
