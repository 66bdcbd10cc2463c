//! `ikeru compare a.csv b.csv --pair COLUMN --value COLUMN`: the samples of other programs, compared as scores are.
//!
//! A file is CSV, tab-separated text, or a JSON object per line; a name with dots (`scores.f1`) is a path into objects. Rows
//! with one value of the pair column are one pair: several of a side count by their mean. A row without a value is a failure,
//! worse than any value. Notes count the failures, and the rows without a partner.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use ikeru_bench_data::text_file;
use ikeru_compare::LEVEL;
use ikeru_compare::chance::fails_more;
use ikeru_compare::scores::ScoreDifferences;
use ikeru_compare::words::Words;
use ikeru_core::unknown;
use ikeru_reports::analyses::compare::{ComparedSides, table, undecidable};
use ikeru_reports::analyses::scores::ScorePair;
use ikeru_reports::statistics::mean;
use ikeru_reports::units::plural;
use serde_json::Value as Json;

use crate::output::Format;

/// The columns of the samples of other programs.
#[derive(Debug, Args, Default)]
#[command(next_help_heading = "Samples of other programs (CSV, TSV, JSON lines)")]
pub struct SampleColumns {
    /// The column whose equal values make a pair, such as the task or the seed
    #[arg(
        long,
        value_name = "COLUMN",
        requires = "value",
        conflicts_with_all = ["metric", "only", "force", "against"]
    )]
    pair: Option<String>,
    /// The column of the value that is compared
    #[arg(long, value_name = "COLUMN", requires = "pair")]
    value: Option<String>,
    /// Pairs, or instances of a run folder, with one value of this column count once, by their mean: they depend on each other
    #[arg(long, value_name = "COLUMN", help_heading = "Options")]
    pub cluster: Option<String>,
    /// The column of names, where one file has all samples; the first name is A
    #[arg(long, value_name = "COLUMN", requires = "pair")]
    names: Option<String>,
    /// Lower values are better
    #[arg(long, requires = "pair")]
    minimize: bool,
}

/// A row of a file.
struct ForeignSample {
    pair: String,
    cluster: String,
    /// The name of its side, where one file has all samples.
    name: String,
    /// `None` of a failure.
    value: Option<f64>,
}

/// A side with its name.
type NamedSamples = (String, Vec<ForeignSample>);

impl SampleColumns {
    /// Returns whether the sides are such files.
    pub fn are_asked(&self) -> bool {
        self.pair.is_some()
    }

    /// Compares the files, or the names in the only one, with the first.
    ///
    /// # Errors
    /// A file that cannot be read, a column that it lacks, a value that is no number, or no common pair.
    pub fn run(&self, files: &[&str], gate: Option<f64>, format: Format) -> Result<ExitCode> {
        let sides = self.sides(files)?;
        let Some(((a, of_a), others)) = sides.split_first() else {
            bail!("{}: no samples", files.join(" "));
        };
        let column = self.value.as_deref().unwrap_or_default();
        let words = Words {
            better: "better",
            worse: "worse",
            margin: gate.unwrap_or(0.0),
        };
        let (mut rows, mut found) = (Vec::new(), ComparedSides::default());
        let mut sentences = Vec::new();
        for (b, of_b) in others {
            let differences = self.differences(files, [of_a, of_b])?;
            if differences.is_empty() {
                let pair = self.pair.as_deref().unwrap_or_default();
                let files = files.join(", ");
                bail!("{files}: {a} and {b} have no {pair} in common of which one has a value");
            }
            let level = LEVEL / others.len() as f64;
            let pair = ScorePair::of([a.clone(), b.clone()], level, differences);
            let pair = pair.within(words.margin);
            sentences.push(pair.sentence());
            let sides = [(a, of_a), (b, of_b)];
            sentences.extend(failures(sides));
            found.missing.extend(without_partner(sides));
            judge_failures(&mut found, sides, level);
            rows.push(vec![pair.comparison(column)]);
        }
        let open = found.undecidable.take();
        found.undecidable = open.or_else(|| undecidable(&rows, words.margin));
        let rows = rows.concat();
        let worse = rows.iter().filter(|row| row.is_worse_by(words.margin));
        let worse = worse.map(|row| format!("{}: {}", row.b, words.decision(row)));
        found.regressions.extend(worse);
        found.table = table(format!("{column}: B against A"), &rows, words);
        found.table.notes = sentences;
        found.table.notes.extend(found.missing.iter().cloned());
        super::ended(found, (gate.is_some(), true), format)
    }

    /// The sides: a file each, or the names in one file.
    fn sides(&self, files: &[&str]) -> Result<Vec<NamedSamples>> {
        if self.names.is_some() && files.len() > 1 {
            let files = files.join(" ");
            bail!("{files}: --names COLUMN has the sides of one file; expected one file");
        }
        if let (Some(_), [file]) = (&self.names, files) {
            let mut sides: Vec<NamedSamples> = Vec::new();
            for row in self.rows(file)? {
                match sides.iter_mut().find(|(known, _)| *known == row.name) {
                    Some((_, own)) => own.push(row),
                    None => sides.push((row.name.clone(), vec![row])),
                }
            }
            if sides.len() < 2 {
                let names = plural(sides.len(), "name");
                bail!("{file}: {names} in the column; expected two or more");
            }
            return Ok(sides);
        }
        if files.len() < 2 {
            let files = files.join(" ");
            bail!("{files}: a second file, or --names COLUMN, is missing");
        }
        let stem = |file: &str| {
            let stem = Path::new(file).file_stem().unwrap_or_default();
            stem.to_string_lossy().into_owned()
        };
        let stems: BTreeSet<String> = files.iter().map(|file| stem(file)).collect();
        let name = |file: &str| match stems.len() == files.len() {
            true => stem(file),
            false => file.to_owned(),
        };
        let side = |file: &&str| Ok((name(file), self.rows(file)?));
        files.iter().map(side).collect()
    }

    /// The rows of a file.
    fn rows(&self, file: &str) -> Result<Vec<ForeignSample>> {
        let text = text_file::read(Path::new(file))
            .with_context(|| format!("{file}: expected CSV or JSON lines"))?;
        // The reader counts a line from its first byte, which would be the second one of such an end.
        let text = text.replace("\r\n", "\n");
        let of = |column: &'_ Option<String>| column.clone().unwrap_or_default();
        let [pair, value] = [&self.pair, &self.value].map(of);
        // Without such a column, the pair takes its place.
        let [cluster, name] = [&self.cluster, &self.names].map(|it| it.as_ref().unwrap_or(&pair));
        let columns = [&*pair, &*value, cluster, name];
        let rows = match text.trim_start().starts_with('{') {
            true => objects(file, &text, columns)?,
            false => fields(file, &text, columns)?,
        };
        let row = |(line, [pair, number, cluster, name]): (usize, [String; 4])| {
            for (at, column) in [(&pair, columns[0]), (&cluster, columns[2])] {
                if at.is_empty() {
                    bail!(
                        "{file}:{line}: {column} is empty; expected what its pairs have in common"
                    );
                }
            }
            let value = match number.trim() {
                "" | "nan" | "NaN" | "NA" | "None" | "null" | "-" => None,
                "true" | "True" => Some(1.0),
                "false" | "False" => Some(0.0),
                text => {
                    let known = text.parse::<f64>().ok().filter(|it| it.is_finite());
                    let wrong = || format!("{file}:{line}: {value} is `{text}`; expected a number");
                    Some(known.with_context(wrong)?)
                }
            };
            Ok(ForeignSample {
                pair,
                cluster,
                name,
                value,
            })
        };
        rows.into_iter().map(row).collect()
    }

    /// The difference of each pair, or of each cluster, positive where B is better; the clusters are in the order in which the
    /// files have them.
    fn differences(&self, files: &[&str], sides: [&Vec<ForeignSample>; 2]) -> Result<Vec<f64>> {
        let mut places: HashMap<&str, usize> = HashMap::new();
        let mut of_pairs: HashMap<&str, &str> = HashMap::new();
        for ForeignSample { pair, cluster, .. } in sides.into_iter().flatten() {
            let known = *of_pairs.entry(pair).or_insert(cluster);
            if known != cluster {
                let files = files.join(", ");
                bail!("{files}: {pair} is in the clusters {known} and {cluster}; expected one");
            }
            let next = places.len();
            places.entry(cluster).or_insert(next);
        }
        let mut all = ScoreDifferences::default();
        for (pair, [base, own]) in by_pair(sides) {
            if !base.is_empty() && !own.is_empty() {
                let cluster = places[of_pairs[pair]];
                all.add((cluster, pair), [&base, &own], |own, base| {
                    self.difference(own, base)
                });
            }
        }
        let mut clusters: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
        for ((cluster, _), mean) in all.means() {
            clusters.entry(cluster).or_default().push(mean);
        }
        Ok(clusters.values().filter_map(|all| mean(all)).collect())
    }

    /// The difference as a share of the larger value.
    fn difference(&self, own: f64, base: f64) -> f64 {
        let larger = base.abs().max(own.abs());
        let better = if self.minimize {
            base - own
        } else {
            own - base
        };
        if larger > 0.0 {
            (better / larger).clamp(-1.0, 1.0)
        } else {
            0.0
        }
    }
}

/// The values of A and B of each pair, in the order of the pairs.
fn by_pair(sides: [&Vec<ForeignSample>; 2]) -> BTreeMap<&str, [Vec<Option<f64>>; 2]> {
    let mut pairs: BTreeMap<&str, [Vec<Option<f64>>; 2]> = BTreeMap::new();
    for (at, rows) in sides.into_iter().enumerate() {
        for row in rows {
            pairs.entry(&row.pair).or_default()[at].push(row.value);
        }
    }
    pairs
}

/// A side by its name.
type Named<'a> = (&'a String, &'a Vec<ForeignSample>);

/// A note on the failures; `None` if there are none.
fn failures(sides: [Named; 2]) -> Option<String> {
    let mut parts = sides
        .map(|(name, own)| (name, own.iter().filter(|row| row.value.is_none()).count()))
        .to_vec();
    parts.retain(|(_, failed)| *failed > 0);
    let said =
        |(name, failed): &(&String, usize)| format!("{} of {name}", plural(*failed, "failure"));
    let said: Vec<String> = parts.iter().map(said).collect();
    (!said.is_empty()).then(|| format!("{}.", said.join(", ")))
}

/// Notes on the rows whose pair the other side does not have.
fn without_partner([a, b]: [Named; 2]) -> Vec<String> {
    let mut notes = Vec::new();
    for ((name, own), (_, other)) in [(a, b), (b, a)] {
        let pairs: HashSet<&str> = other.iter().map(|row| &*row.pair).collect();
        let alone = own.iter().filter(|row| !pairs.contains(&*row.pair)).count();
        if alone > 0 {
            notes.push(format!(
                "{} of {name} without a partner.",
                plural(alone, "row")
            ));
        }
    }
    notes
}

/// Adds what B lost to `found`: pairs of which it has no value and A no failure, and more failures than chance explains.
fn judge_failures(found: &mut ComparedSides, [(a, of_a), (b, of_b)]: [Named; 2], level: f64) {
    let (mut failed, mut samples) = ([0; 2], [0; 2]);
    for (pair, sides) in by_pair([of_a, of_b]) {
        let fails = sides
            .each_ref()
            .map(|own| own.iter().filter(|it| it.is_none()).count());
        if sides.iter().any(Vec::is_empty) {
            continue;
        }
        if fails[0] == 0 && fails[1] == sides[1].len() {
            found
                .regressions
                .push(format!("{b} on {pair}: a failure, none of {a}"));
        }
        failed = [0, 1].map(|at| failed[at] + fails[at]);
        samples = [0, 1].map(|at| samples[at] + sides[at].len());
    }
    let said = || {
        let [of_a, of_b] = [0, 1].map(|at| format!("{} of {}", failed[at], samples[at]));
        format!("{b} failed {of_b} samples, {a} {of_a}")
    };
    if fails_more(failed, samples) < level {
        found.regressions.push(said());
    } else if failed[1] > failed[0] && found.undecidable.is_none() {
        found.undecidable = Some(format!("{}, which chance explains too", said()));
    }
}

/// The fields of some columns, by line.
type ByLine = Vec<(usize, [String; 4])>;

/// The rows of a table with a header, separated by commas, semicolons or tabs.
fn fields(file: &str, text: &str, columns: [&str; 4]) -> Result<ByLine> {
    let header = text.lines().next().unwrap_or_default();
    let count = |sign: &u8| header.bytes().filter(|byte| byte == sign).count();
    let delimiter = [b'\t', b';', b','].into_iter().max_by_key(count);
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter.unwrap_or(b','))
        // Counted below.
        .flexible(true)
        .from_reader(text.as_bytes());
    let heads = reader.headers().with_context(|| file.to_owned())?.clone();
    let mut places = [0; 4];
    for (place, column) in places.iter_mut().zip(columns) {
        let mut all = heads
            .iter()
            .enumerate()
            .filter(|(_, head)| head.trim() == column);
        let at = all.next();
        let (at, _) =
            at.with_context(|| format!("{file}:1: {}", unknown("column", column, heads.iter())))?;
        if all.next().is_some() {
            bail!("{file}:1: several columns are called {column}; expected one");
        }
        *place = at;
    }
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.with_context(|| file.to_owned())?;
        let line = record.position().map_or(0, |at| at.line() as usize);
        if record.len() != heads.len() {
            let found = plural(record.len(), "field");
            bail!("{file}:{line}: {found}; expected {}", heads.len());
        }
        let field = |at: usize| record.get(at).unwrap_or_default().trim().to_owned();
        rows.push((line, places.map(field)));
    }
    Ok(rows)
}

/// The rows of a file with a JSON object per line.
fn objects(file: &str, text: &str, columns: [&str; 4]) -> Result<ByLine> {
    let mut rows = Vec::new();
    let lines = (1..).zip(text.lines());
    for (line, text) in lines.filter(|(_, text)| !text.trim().is_empty()) {
        let wrong = |error: serde_json::Error| {
            let (said, column) = (error.to_string(), error.column());
            // It counts lines from this one.
            let said = said.split(" at line ").next().unwrap_or_default();
            anyhow!("{file}:{line}: expected a JSON object: {said} at column {column}")
        };
        let object: Json = serde_json::from_str(text).map_err(wrong)?;
        let field = |column: &str| {
            let path = || column.split('.').try_fold(&object, |at, name| at.get(name));
            match object.get(column).or_else(path) {
                Some(Json::String(text)) => Some(text.clone()),
                other => other.map(Json::to_string),
            }
        };
        if let Some(missing) = columns
            .into_iter()
            .find(|it| line == 1 && field(it).is_none())
        {
            let known = object
                .as_object()
                .into_iter()
                .flat_map(|object| object.keys());
            bail!(
                "{file}:1: {}",
                unknown("key", missing, known.map(String::as_str))
            );
        }
        rows.push((
            line,
            columns.map(|column| field(column).unwrap_or_default()),
        ));
    }
    Ok(rows)
}
