//! `ikeru compare RUN`: one line per variant over all instances of a run.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Result, anyhow, bail};
use ikeru_bench_data::Experiment;
use ikeru_core::{Better, Direction, unknown};
use ikeru_reports::analyses::compare::CompareTerms;
use ikeru_reports::analyses::rank::{RankTerms, limit, rank};
use ikeru_reports::analyses::scores;
use ikeru_reports::comparisons::has_scores;
use ikeru_reports::failures::wrong_answers;
use ikeru_reports::metric::Metric;
use ikeru_reports::summary::baseline_label;
use ikeru_reports::table::{Cell, Content, Form, Table};

use super::{Arguments, better};
use crate::folder::{self, SelectedRun};
use crate::output;

/// Ranks the variants of each experiment of the run.
///
/// # Errors
/// A folder without a run, an unknown metric or label, or rows that may not be ranked together.
pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let folder = arguments.read(Path::new(&arguments.a))?;
    let spinner = folder::waiting("ranking".to_owned());
    let mut tables = Vec::new();
    let experiments = folder.rows.group("experiment", &folder.selection);
    let is_one = experiments.len() == 1;
    let wrong = wrong_answers(&folder.rows, &folder.selection);
    let has_wrong = !wrong.is_empty();
    wrong.iter().for_each(|line| output::tell(line));
    let mut last = None;
    for (name, rows) in experiments {
        let asked = AskedRanking {
            folder: &folder,
            name: &name,
            word: arguments.metric(&folder, &rows),
            rows: &rows,
            arguments,
        };
        let word = asked.word;
        let metric = Metric::read(word, &[(&folder.rows, &rows)])?;
        let is_without_side = folder.rows.direction(rows[0]) == Some(Direction::Equal);
        let ranked = match metric {
            Metric::Score if is_without_side => Err(anyhow!(
                "the scores of {name} are equal or wrong; none is better, so there is no ranking"
            )),
            Metric::Score => Ok(asked.by_score()?),
            metric => {
                if better(&folder, &metric)? != Better::Lower {
                    let word = metric.word();
                    bail!(
                        "a ranking takes what is better when it is lower, as a time is; {word} is not"
                    );
                }
                let terms = asked.terms(metric)?;
                rank((&folder.rows, &folder.run), &rows, &terms).map_err(Into::into)
            }
        };
        match ranked {
            Ok(mut table) => {
                if word == "time" && asked.experiment().is_some_and(has_scores) {
                    table.note("Ranked by time; `--metric score` ranks by the scores.");
                }
                table.notes.extend(folder.unfinished());
                tables.push((name, table));
            }
            Err(error) if is_one => last = Some(error),
            Err(error) => {
                output::warn(&format!("{name} is not ranked: {error}"));
                last = Some(anyhow!("no experiment is ranked"));
            }
        }
    }
    spinner.finish_and_clear();
    match last {
        Some(error) if tables.is_empty() && !has_wrong => return Err(error),
        Some(error) if is_one => output::warn(&format!("not ranked: {error}")),
        _ => {
            let are_alike = tables.iter().all(|(_, one)| one.heads == tables[0].1.heads);
            if !are_alike && arguments.format.form() == Form::Csv {
                let names: Vec<&str> = tables.iter().map(|(name, _)| name.as_str()).collect();
                bail!(
                    "{} have different columns; choose one with --where experiment={}",
                    names.join(", "),
                    names[0]
                );
            }
            output::print_tables(tables, arguments.format)?;
        }
    }
    let unfinished = folder.unfinished();
    output::tell_without_place(&unfinished, arguments.format);
    Ok(match has_wrong {
        true => output::WRONG_ANSWER.into(),
        false if !unfinished.is_empty() => output::UNFINISHED.into(),
        false => ExitCode::SUCCESS,
    })
}

/// The variants of one experiment that are to be ranked.
struct AskedRanking<'a> {
    folder: &'a SelectedRun,
    name: &'a str,
    /// The word of the metric.
    word: &'a str,
    rows: &'a [u32],
    arguments: &'a Arguments,
}

impl AskedRanking<'_> {
    fn terms(&self, metric: Metric) -> Result<RankTerms> {
        let said = self.experiment().map(|it| it.run.limit());
        Ok(RankTerms {
            compared: CompareTerms {
                is_any_clock: self.word == "time",
                force: self.arguments.force,
                ..CompareTerms::of(metric, Better::Lower)
            },
            baseline: self.baseline()?,
            limit: limit(&self.folder.rows, self.rows, said),
        })
    }

    /// The experiment as it ran; `None` if `run.toml` does not have it.
    fn experiment(&self) -> Option<&Experiment> {
        let mut ran = self.folder.experiments.iter();
        ran.find(|ran| ran.name == self.name)
    }

    /// The label of `--against`, else the baseline of the experiment.
    ///
    /// # Errors
    /// A label that the experiment does not have.
    fn baseline(&self) -> Result<Option<String>> {
        let labels = self.folder.rows.distinct("label", self.rows);
        let wanted = self.arguments.against.as_ref();
        if let Some(wanted) = wanted.filter(|wanted| !labels.contains(wanted)) {
            let known = labels.iter().map(String::as_str);
            return Err(unknown(&format!("variant of {}", self.name), wanted, known).into());
        }
        Ok(wanted
            .cloned()
            .or_else(|| self.experiment().and_then(baseline_label)))
    }

    /// The table of scores of the experiment; the variant nearest to the best known scores is first.
    fn by_score(&self) -> Result<Table> {
        let (rows, own) = (&self.folder.rows, self.rows);
        let Some(experiment) = self.experiment() else {
            bail!(
                "{}: run.toml has no experiment {}",
                self.folder.name,
                self.name
            );
        };
        let baseline = self.baseline()?;
        let pairs = baseline.map(|baseline| scores::pairs(rows, own, &baseline));
        let pairs = pairs.unwrap_or_default();
        let mut table = scores::table(rows, own, experiment, &pairs);
        let compared = pairs.iter().map(|pair| pair.comparison("score"));
        table.comparisons = compared.collect();
        table.title = format!("{}: scores", self.name);
        let share = |row: &Vec<Cell>| match row[3].content {
            Content::Number(share, _) => share.value,
            _ => f64::NEG_INFINITY,
        };
        table.rows.sort_by(|a, b| share(b).total_cmp(&share(a)));
        Ok(table)
    }
}
