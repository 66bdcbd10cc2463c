//! Macros, booktabs tables and data for pgfplots.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::works::{CitedWork, bibliography};
use super::write;
use crate::page::FigureRow;
use crate::report::{Report, results};
use crate::row;
use crate::run_file::{RanExperiment, RunFile};
use crate::table::{Table, spelt};
use crate::{ReportError, report};

/// Writes `paper/` in the run folder: `macros.tex`, `figures.tex`, `tables/`, `data/`, `variants.bib`, and `example.tex`, a
/// document that takes them in; gives back its path.
///
/// # Errors
/// A run folder that does not read, or a file that cannot be written.
pub fn export(run_folder: &Path, works: &[CitedWork]) -> Result<PathBuf, ReportError> {
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
            ..results::variants(&report.rows, &RanExperiment::read(ran)?)
        };
        write(
            &folder.join(format!("tables/{name}.tex")),
            &table.booktabs(),
        )?;
    }
    let curves = data(&report, &run_folder.join("plots"), &folder.join("data"))?;
    write(&folder.join("variants.bib"), &bibliography(works))?;
    let names = experiments.iter().map(|ran| ran.name.as_str());
    write(
        &folder.join("example.tex"),
        &example(names, &report.figures, &curves),
    )?;
    Ok(folder)
}

/// A document with everything: the figures, a value in a sentence, the tables, one plot, the bibliography.
fn example<'a>(
    experiments: impl Iterator<Item = &'a str>,
    figures: &[FigureRow],
    curves: &[String],
) -> String {
    let mut text = "% pdflatex example; bibtex example; pdflatex example; pdflatex example\n\
        \\documentclass{article}\n\
        \\usepackage[T1]{fontenc}\n\
        \\usepackage{booktabs}\n\
        \\usepackage{longtable}\n\
        \\usepackage{pgfplots}\n\
        \\pgfplotsset{compat=1.17}\n\
        \\setlength{\\textwidth}{7in}\n\
        \\setlength{\\oddsidemargin}{-.3in}\n\
        \\input{macros}\n\
        \\begin{document}\n"
        .to_owned();
    if let Some(figure) = figures.iter().find(|figure| !figure.ours.is_empty()) {
        let name = macro_name(&figure.id);
        text += &format!(
            "{}: \\{name}{{}} (printed: \\{name}Printed{{}}; \\{name}Verdict{{}}).\n",
            spelt(&figure.claim)
        );
    }
    if !curves.is_empty() {
        text += "\n\\begin{tikzpicture}\n\\begin{axis}[legend pos=outer north east]\n";
        for curve in curves {
            text += &format!(
                "\\addplot+[error bars/.cd, y dir=both, y explicit] table [col sep=comma, y error minus=minus, y error plus=plus] {{data/{curve}.csv}};\n\\addlegendentry{{{}}}\n",
                spelt(curve)
            );
        }
        text += "\\end{axis}\n\\end{tikzpicture}\n";
    }
    text += "\n\\tiny\n\\input{figures}\n";
    for name in experiments {
        text += &format!("\\input{{tables/{name}}}\\clearpage\n");
    }
    text + "\\normalsize\n\\nocite{*}\n\\bibliographystyle{plain}\n\\bibliography{variants}\n\\end{document}\n"
}

/// For each figure its value, interval, printed value and verdict: `\ikeruAstarTotal`, `\ikeruAstarTotalInterval`, ….
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

/// A macro has letters alone: `challeran/5x6-dfs` is `ikeruChalleranFivexSixDfs`.
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

/// Each series of each plot as `PLOT--PANEL--SERIES.csv` with x, y and the reach of its interval below and above, as
/// pgfplots takes them: `\addplot+[error bars/.cd, y dir=both, y explicit] table [col sep=comma, y error minus=minus, y
/// error plus=plus] {…}`. The names of the first plot's series whose x are numbers come back.
fn data(report: &Report, plots: &Path, folder: &Path) -> Result<Vec<String>, ReportError> {
    let mut curves = Vec::new();
    for plot in &report.plots {
        let path = plots.join(format!("{plot}.csv"));
        if !path.exists() {
            continue;
        }
        let unreadable = |error: csv::Error| ReportError::io(&path, error);
        let mut reader = csv::Reader::from_path(&path).map_err(unreadable)?;
        let header = reader.headers().map_err(unreadable)?.clone();
        let ends = ["low", "high"].map(|end| header.iter().position(|head| head.ends_with(end)));
        let mut series: BTreeMap<String, String> = BTreeMap::new();
        let mut is_numeric = true;
        for row in reader.records() {
            let row = row.map_err(unreadable)?;
            let field = |at: usize| row.get(at).unwrap_or_default();
            let number = |at: Option<usize>| at.and_then(|at| field(at).parse::<f64>().ok());
            let Some(y) = number(Some(3)) else { continue };
            is_numeric &= number(Some(2)).is_some();
            let [low, high] = ends.map(number);
            let reach = |end: Option<f64>| end.map_or(0.0, |end| (end - y).abs());
            let x = match field(2) {
                words if words.contains([',', '"']) => {
                    format!("\"{}\"", words.replace('"', "\"\""))
                }
                plain => plain.to_owned(),
            };
            let name = [plot.as_str(), field(0), field(1)];
            let name = name.into_iter().filter(|part| !part.is_empty()).map(plain);
            let lines = series.entry(name.collect::<Vec<_>>().join("--"));
            let lines = lines.or_insert_with(|| "x,y,minus,plus\n".to_owned());
            *lines += &format!("{x},{y},{},{}\n", reach(low), reach(high));
        }
        for (name, lines) in &series {
            write(&folder.join(format!("{name}.csv")), lines)?;
        }
        if curves.is_empty() && is_numeric {
            curves.extend(series.into_keys());
        }
    }
    Ok(curves)
}

/// A name as part of a file's name.
fn plain(name: &str) -> String {
    let fits = |c: char| {
        if c.is_ascii_alphanumeric() || matches!(c, '-' | '+') {
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
        let mut once = std::collections::BTreeSet::new();
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
