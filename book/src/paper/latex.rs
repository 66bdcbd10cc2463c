//! Macros, booktabs tables and data for pgfplots.

use std::collections::{BTreeMap, BTreeSet};
use std::iter;
use std::path::{Path, PathBuf};

use minijinja::value::Serde;
use minijinja::{Environment, context};

use super::write;
use crate::page::{FigureRow, SourceCard};
use ikeru_reports::report::variants;

use crate::report::{BookReport, report};
use ikeru_records::ReportError;
use ikeru_records::run_file::{RanExperiment, RunFile};
use ikeru_reports::row;
use ikeru_reports::table::{Table, spelt};

/// Writes `paper/` in the run folder: `macros.tex`, `figures.tex`, `tables/`, `data/`, and `article.tex`, a short
/// article that includes them. Returns the path of `paper/` and the report.
///
/// # Errors
/// An unreadable run folder, or a file that cannot be written.
pub fn export(run_folder: &Path) -> Result<(PathBuf, BookReport), ReportError> {
    let report = report(run_folder)?;
    let folder = run_folder.join("paper");
    write(&folder.join("macros.tex"), &macros(&report.figures))?;
    write(
        &folder.join("figures.tex"),
        &figures(&report.figures).booktabs(),
    )?;
    let experiments = RunFile::read(run_folder)?.experiments;
    for ran in &experiments {
        let name = &ran.name;
        let table = Table {
            title: name.clone(),
            ..variants(&report.run.rows, &RanExperiment::read(ran)?)
        };
        write(
            &folder.join(format!("tables/{name}.tex")),
            &table.booktabs(),
        )?;
    }
    data(&report, &run_folder.join("plots"), &folder.join("data"))?;
    write(
        &folder.join("article.tex"),
        &article(&report, &experiments)?,
    )?;
    Ok((folder, report))
}

/// The text of `article.tex`: claims with our answers in the order of the story, errors in the sources, figures that
/// differ, open figures; all figures and tables in an appendix.
fn article(report: &BookReport, experiments: &[RanExperiment]) -> Result<String, ReportError> {
    let mut environment = Environment::new();
    environment.add_filter("tex", |text: &str| spelt(text));
    environment.add_filter("macro", |id: &str| macro_name(id));
    let drawing = |card: &SourceCard| {
        let own = format!("{}-", card.row.experiment);
        report
            .run
            .plots
            .iter()
            .find(|plot| plot.starts_with(&own))
            .cloned()
    };
    let drawings: Vec<_> = report.cards.iter().map(drawing).collect();
    let names: Vec<_> = experiments.iter().map(|ran| ran.name.clone()).collect();
    let page = context! {
        cards => Serde(&report.cards), figures => Serde(&report.figures), verdicts => Serde(&report.verdicts),
        samples => report.run.samples, unfinished => &report.run.unfinished, drawings, names,
    };
    let text = environment.render_str(include_str!("../../templates/article.tex.j2"), page);
    text.map_err(|error| ReportError::Question(format!("article.tex: {error:#}")))
}

/// Macros for each figure's value, interval, printed value and verdict: `\ikeruAstarTotal`,
/// `\ikeruAstarTotalInterval`, ….
fn macros(figures: &[FigureRow]) -> String {
    let mut text = "% \\input this in the preamble. NAME, NAMEInterval, NAMEPrinted and NAMEVerdict of every figure.\n".to_owned();
    for figure in figures {
        let name = macro_name(&figure.id);
        for (part, value) in [
            ("", &figure.ours),
            ("Interval", &figure.interval),
            ("Printed", &figure.printed),
            ("Verdict", &figure.verdict.to_owned()),
        ] {
            text += &format!("\\newcommand{{\\{name}{part}}}{{{}}}\n", spelt(value));
        }
    }
    text
}

/// The macro of a figure, which has letters only: `challeran/5x6-dfs` is `ikeruChalleranFivexSixDfs`.
fn macro_name(id: &str) -> String {
    const DIGITS: [&str; 10] = [
        "Zero", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine",
    ];
    let mut name = "ikeru".to_owned();
    let mut is_first = true;
    for c in id.chars() {
        match c.to_digit(10) {
            Some(digit) => name += DIGITS[digit as usize],
            None if c.is_ascii_alphabetic() && is_first => name.push(c.to_ascii_uppercase()),
            None if c.is_ascii_alphabetic() => name.push(c),
            None => {}
        }
        is_first = !c.is_ascii_alphanumeric();
    }
    name
}

fn figures(figures: &[FigureRow]) -> Table {
    let heads = "figure | printed | agrees within | ours | 95 % interval | verdict";
    let mut table = Table::new("Published figures beside ours", heads);
    let rows = figures.iter().map(|figure| {
        row![
            &figure.id,
            &figure.printed,
            &figure.band,
            &figure.ours,
            &figure.interval,
            figure.verdict
        ]
    });
    table.rows.extend(rows);
    table
}

/// Writes each series of each plot as `PLOT--PANEL--SERIES.csv` with x, y, and the distances from y to the ends of its
/// interval, in the form of pgfplots: `\addplot+[error bars/.cd, y dir=both, y explicit] table [col sep=comma, y error
/// minus=minus, y error plus=plus] {…}`.
fn data(report: &BookReport, plots: &Path, folder: &Path) -> Result<(), ReportError> {
    for plot in &report.run.plots {
        let path = plots.join(format!("{plot}.csv"));
        if !path.exists() {
            continue;
        }
        let unreadable = |error: csv::Error| ReportError::io(&path, error);
        let mut reader = csv::Reader::from_path(&path).map_err(unreadable)?;
        let header = reader.headers().map_err(unreadable)?.clone();
        let ends = ["low", "high"].map(|end| header.iter().position(|head| head.ends_with(end)));
        let mut series: BTreeMap<[String; 2], String> = BTreeMap::new();
        for row in reader.records() {
            let row = row.map_err(unreadable)?;
            let field = |at: usize| row.get(at).unwrap_or_default();
            let number = |at: Option<usize>| at.and_then(|at| field(at).parse::<f64>().ok());
            let Some(y) = number(Some(3)) else { continue };
            let [low, high] = ends.map(number);
            let reach = |end: Option<f64>| end.map_or(0.0, |end| (end - y).abs());
            let x = match field(2) {
                words if words.contains([',', '"']) => {
                    format!("\"{}\"", words.replace('"', "\"\""))
                }
                plain => plain.to_owned(),
            };
            let lines = series.entry([0, 1].map(|at| field(at).to_owned()));
            let lines = lines.or_insert_with(|| "x,y,minus,plus\n".to_owned());
            *lines += &format!("{x},{y},{},{}\n", reach(low), reach(high));
        }
        let mut taken = BTreeSet::new();
        for ([panel, name], lines) in &series {
            let parts = [plot.as_str(), panel, name].into_iter();
            let parts = parts.filter(|part| !part.is_empty()).map(plain);
            let name = parts.collect::<Vec<_>>().join("--");
            // Two names may differ only in characters that `plain` replaces, or in case.
            let numbered = (2..).map(|number| format!("{name}-{number}"));
            let mut names = iter::once(name.clone()).chain(numbered);
            let free = names.find(|name| taken.insert(name.to_lowercase()));
            write(&folder.join(format!("{}.csv", free.unwrap_or(name))), lines)?;
        }
    }
    Ok(())
}

/// A name as part of a file's name.
fn plain(name: &str) -> String {
    let fits = |c: char| {
        if c.is_alphanumeric() || matches!(c, '-' | '+') {
            c
        } else {
            '-'
        }
    };
    name.chars().map(fits).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_figure_has_a_macro_of_its_own() {
        let sources = ikeru_bench_data::builtin::published().expect("sources");
        let figures = sources.iter().flat_map(|source| &source.figures);
        let names: Vec<String> = figures.map(|figure| macro_name(&figure.id)).collect();
        let parts = ["Interval", "Printed", "Verdict"];
        let mut once = BTreeSet::new();
        for name in &names {
            assert!(name.chars().all(|c| c.is_ascii_alphabetic()), "{name}");
            assert!(once.insert(name.clone()), "{name} stands twice");
            for part in parts {
                assert!(once.insert(format!("{name}{part}")), "{name}{part}");
            }
        }
        assert_eq!(macro_name("challeran/5x6-dfs"), "ikeruChalleranFivexSixDfs");
    }
}
