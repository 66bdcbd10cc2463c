//! The output at the end of a run: the outcomes of its samples, the answers, the verdicts, and the page.

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use ikeru_book::BookReport;
use ikeru_reports::closing::Closing;
use ikeru_reports::report::variant_results;
use ikeru_reports::table::{Table, filled};
use ikeru_reports::units::{count, plural};
use ikeru_reports::{ExperimentAnswer, row};
use serde_json::{Map, Value as Json, json};

use super::headlines::{claims, counted, headlines, named, open_figures};
use crate::output;

/// The flags that `run`, `reproduce` and `report` share.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct TableWidth {
    /// With all columns of the table, however narrow the terminal is; of several experiments an answer for each
    #[arg(short, long)]
    pub verbose: bool,
}

impl TableWidth {
    /// The columns that a table may take.
    pub fn width(self) -> Option<usize> {
        output::width().filter(|_| !self.verbose)
    }
}

/// The maximum number of lines of one kind of failure; the page has more.
const MOST_LINES: usize = 10;

/// The form of the summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// The answers, as text.
    Answers,
    /// One JSON object.
    Json,
    /// Only failures.
    Nothing,
}

/// Prints the outcomes of a run's samples, then the answers, the verdicts, and the path of the page. A report on
/// several experiments of published sources has a line for each source and the names of figures that differ instead;
/// with `--verbose` it has a line for each experiment.
///
/// # Errors
/// When standard output is closed.
pub fn print(report: &BookReport, output_form: Output, wide: TableWidth) -> Result<ExitCode> {
    let code = warn(report, output_form);
    match output_form {
        Output::Answers => {
            let mut experiments = report.run.folder.experiments.iter();
            if experiments.any(|one| one.claims.is_some()) {
                output::print(&claims(report, wide.width()))?;
            } else if report.cards.is_empty() || report.run.answers.len() < 2 || wide.verbose {
                output::print(&answers(report, wide.width()))?;
            } else {
                output::print_toned(&headlines(report))?;
                output::print(&named(report))?;
            }
            output::print_link(&report.run.folder.page_path())?;
            // The questions are batches, like the rows of a published scenario.
            if report.run.answers.len() == 1 && report.run.folder.rows.has_batches() {
                let Closing { rows, wrong } = report.run.folder.closing;
                let (rows, wrong) = (plural(rows as usize, "row"), count(wrong as usize));
                output::print(&format!("{rows} answered, {wrong} wrong\n"))?;
            }
        }
        Output::Json => output::print(&format!("{}\n", json(report)))?,
        Output::Nothing => {}
    }
    Ok(code)
}

/// Reports on standard error the outcomes of a run's samples, and the rows that are to be read with care. Returns the
/// exit code.
pub fn warn(report: &BookReport, output_form: Output) -> ExitCode {
    let failures = &report.run.folder.failures;
    if output_form != Output::Nothing || failures.alarms_of_all() > 0 {
        for line in failures.in_lines(MOST_LINES).lines() {
            output::tell_filled(line);
        }
    }
    let unfinished = report.run.folder.unfinished.iter();
    let unfinished = unfinished.map(|missing| format!("unfinished: {missing}"));
    let rows = &report.run.folder.rows;
    let uncounted = ikeru_reports::uncounted(rows).into_iter();
    let uncounted = uncounted.chain(ikeru_reports::contested(rows));
    let uncounted = uncounted.map(|text| format!("warning: {text}"));
    let warnings = unfinished.chain(uncounted);
    let warnings = warnings.chain(failures.advice().map(str::to_owned));
    warnings.for_each(|warning| output::tell_filled(&warning));
    match (failures.has_wrong_answers(), failures.is_without_solution()) {
        (true, _) => output::WRONG_ANSWER.into(),
        (false, true) => output::NOTHING_SOLVED.into(),
        (false, false) if !report.run.folder.unfinished.is_empty() => output::UNFINISHED.into(),
        (false, false) => ExitCode::SUCCESS,
    }
}

/// The variants side by side or an answer for each experiment, and the verdicts.
fn answers(report: &BookReport, of_table: Option<usize>) -> String {
    let width = output::width();
    let mut text = String::new();
    let mut notes = [].as_slice();
    if let Some(variants) = &report.run.variants {
        text += &format!("{}\n\n", variants.within(of_table).trim_end());
        notes = &variants.notes;
    }
    match report.run.answers.as_slice() {
        [one] if notes.contains(&one.text) => text.truncate(text.len() - 1),
        [one] => text += &(filled(&one.text, width) + "\n"),
        several => {
            let mut table = Table::new("", "mark | experiment | answer");
            let mark = |answer: &ExperimentAnswer| if answer.alarms == 0 { "✓" } else { "✗" };
            let rows = several.iter();
            let rows = rows.map(|one| row![mark(one), &one.experiment, &one.text]);
            table.rows.extend(rows);
            text += &table.body(width);
        }
    }
    if !report.verdicts.is_empty() {
        text += &format!("\n{}", counted(report, width));
    }
    if report.run.answers.len() > 1 {
        text += &open_figures(report, width);
    }
    text + "\n"
}

/// The summary as a JSON object.
pub fn json(report: &BookReport) -> Json {
    let failures = &report.run.folder.failures;
    let counts = failures.counts.iter();
    let counts = counts.map(|(outcome, count)| (outcome.name().to_owned(), json!(count)));
    let counts: Map<String, Json> = counts.collect();
    let experiments = report.run.folder.experiments.iter();
    let rows = &report.run.folder.rows;
    let variants = experiments.map(|experiment| variant_results(rows, experiment).json());
    json!({
        "page": report.run.folder.page_path(),
        "samples": report.run.folder.rows.len(),
        "outcomes": counts,
        "questions": { "answered": report.run.folder.closing.rows, "wrong": report.run.folder.closing.wrong },
        "answers": report.run.answers,
        "variants": variants.collect::<Vec<_>>(),
        "comparisons": report.run.folder.comparisons,
        "figures": report.figures,
        "verdicts": report.verdicts,
    })
}
