//! The plots of a run folder for pgfplots, and their data.

use std::collections::BTreeSet;
use std::iter;
use std::path::Path;

use super::write;
use ikeru_bench_data::{Experiment, Plot, Scale};
use ikeru_records::{ReportError, Result};
use ikeru_reports::table::spelt;

/// Values that span more than this factor have a logarithmic axis.
const LOG: f64 = 30.0;
/// Intervals as bars.
const ERRORS: &str = "error bars/.cd, y dir=both, y explicit";
/// Marks that no line joins, and intervals as bars.
const MARKS: &str = "only marks, error bars/.cd, y dir=both, y explicit";

/// Writes each series of each plot as `data/PLOT--PANEL--SERIES.csv` with x, y, and the distances from y to the ends of
/// its interval, and each plot as `plots/PLOT.tex`. Returns the plots that have data.
///
/// # Errors
/// A file that cannot be read or written.
pub fn write_all<'a>(
    plots: &[String],
    experiments: &'a [Experiment],
    from: &Path,
    folder: &Path,
) -> Result<BTreeSet<String>> {
    let mut drawn = BTreeSet::new();
    for plot in plots {
        let path = from.join(format!("{plot}.csv"));
        if path.exists() {
            let of = |one: &'a Experiment| one.plots.iter().find(|it| one.file_of(it) == *plot);
            write_plot(plot, experiments.iter().find_map(of), &path, folder)?;
            drawn.insert(plot.clone());
        }
    }
    Ok(drawn)
}

fn write_plot(plot: &str, declared: Option<&Plot>, path: &Path, folder: &Path) -> Result<()> {
    let unreadable = |error: csv::Error| ReportError::io(path, error);
    let mut reader = csv::Reader::from_path(path).map_err(unreadable)?;
    let header = reader.headers().map_err(unreadable)?.clone();
    let ends = ["low", "high"].map(|end| header.iter().position(|head| head.ends_with(end)));
    let rows: Result<Vec<_>, _> = reader.records().collect();
    let rows = rows.map_err(unreadable)?;
    let has_names = rows.iter().any(|row| row[2].parse::<f64>().is_err());
    let (mut names, mut numbers) = (Vec::new(), [Vec::new(), Vec::new()]);
    let mut panels: Vec<(&str, Vec<_>)> = Vec::new();
    let units = [2, 3].map(|at| unit(&header[at], rows.iter().map(|row| &row[at])));
    for row in &rows {
        let number = |at: usize| {
            let number = row.get(at)?.parse::<f64>().ok()?;
            Some(number / units[usize::from(at > 2)].0)
        };
        let Some(y) = number(3) else { continue };
        let next = names.len() as f64;
        let x = match has_names {
            true => *entry(&mut names, &row[2], next),
            false => number(2).unwrap_or(0.0),
        };
        let [minus, plus] = ends.map(|end| end.and_then(number).map_or(0.0, |end| (end - y).abs()));
        let series = entry(&mut panels, &row[0], Vec::new());
        let lines = entry(series, &row[1], "x,y,minus,plus\n".to_owned());
        *lines += &format!("{x},{y},{minus},{plus}\n");
        numbers[0].push(x);
        numbers[1].push(y);
    }
    let scale = |at: usize| match declared.map(|plot| [plot.x_scale, plot.y_scale][at]) {
        Some(Scale::Log) => "log",
        Some(Scale::Linear) => "linear",
        None if span(&numbers[at]) > LOG => "log",
        None => "linear",
    };
    let each: BTreeSet<_> = rows.iter().map(|row| (&row[0], &row[2])).collect();
    let kind = declared.map_or("", |plot| plot.kind.as_str());
    let (marks, style) = match kind {
        "cactus" => ("const plot, no marks", ", ymin=0, ymax=1"),
        // A logarithmic axis has no zero from which a bar could start.
        "bar" if has_names && scale(1) == "linear" => match each.len() == rows.len() {
            true => (ERRORS, ", ybar, bar shift=0pt, ymin=0"),
            false => (ERRORS, ", ybar, ymin=0"),
        },
        _ if has_names => (MARKS, ""),
        _ => (ERRORS, ""),
    };
    let y = match scale(1) {
        // It has no two powers of ten to label.
        "log" if span(&numbers[1]) < 100.0 => "log, log ticks with fixed point",
        scale => scale,
    };
    let ticks = match has_names {
        true => named(&names),
        false => format!(", xmode={}", scale(0)),
    };
    let [x_label, y_label] = [2, 3].map(|at| label(&header[at], units[at - 2].1));
    let (mut text, mut taken) = (String::new(), BTreeSet::new());
    for (panel, series) in &panels {
        let title = spelt(panel);
        text += &format!(
            "\\begin{{tikzpicture}}\\begin{{axis}}[width=0.75\\columnwidth, height=0.5\\columnwidth, title={{{title}}}, xlabel={{{x_label}}}, ylabel={{{y_label}}}, ymode={y}{ticks}{style}, legend pos=outer north east, legend style={{font=\\scriptsize}}]\n"
        );
        for (name, lines) in series {
            let file = file_name([plot, panel, name], &mut taken);
            write(&folder.join("data").join(&file), lines)?;
            text += &format!(
                "\\addplot+[{marks}] table[col sep=comma, x=x, y=y, y error minus=minus, y error plus=plus] {{data/{file}}};\n\\addlegendentry{{{}}}\n",
                spelt(name)
            );
        }
        text += "\\end{axis}\\end{tikzpicture}\n\n";
    }
    write(&folder.join(format!("plots/{plot}.tex")), &text)
}

/// The divisor and the name of the unit of a column of nanoseconds; `(1, "")` for other columns.
fn unit<'a>(head: &str, values: impl Iterator<Item = &'a str>) -> (f64, &'static str) {
    if !head.ends_with(", ns") {
        return (1.0, "");
    }
    let values = values.filter_map(|value| value.parse().ok());
    let most = values.fold(0.0, f64::max);
    let mut units = [(1e9, "s"), (1e6, "ms"), (1e3, "µs")].into_iter();
    units.find(|(size, _)| most >= *size).unwrap_or((1.0, "ns"))
}

/// The ticks of an axis with names.
fn named(names: &[(&str, f64)]) -> String {
    let ticks = names.iter().map(|(name, _)| format!("{{{}}}", spelt(name)));
    let (ticks, last) = (
        ticks.collect::<Vec<_>>().join(","),
        names.len().saturating_sub(1),
    );
    format!(
        ", xtick={{0,...,{last}}}, xticklabels={{{ticks}}}, x tick label style={{rotate=30, anchor=east}}"
    )
}

/// The label of an axis in its unit; none for names without one.
fn label(head: &str, unit: &str) -> String {
    match (head, unit) {
        ("x", _) => String::new(),
        (head, "") => spelt(head),
        (head, unit) => spelt(&head.replace(", ns", &format!(", {unit}"))),
    }
}

/// The item of a name in a list, to which `new` is added if it is not there.
fn entry<'a, 'b, T>(all: &'a mut Vec<(&'b str, T)>, name: &'b str, new: T) -> &'a mut T {
    let known = all.iter().position(|(known, _)| *known == name);
    let at = known.unwrap_or(all.len());
    if at == all.len() {
        all.push((name, new));
    }
    &mut all[at].1
}

/// The largest number divided by the smallest; 0 unless all are positive.
fn span(numbers: &[f64]) -> f64 {
    let low = numbers.iter().copied().fold(f64::INFINITY, f64::min);
    let high = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if low > 0.0 { high / low } else { 0.0 }
}

/// A file's name of letters without accents, digits, `+` and hyphens, which LaTeX reads. Two names may differ only in
/// other characters, or in case.
fn file_name(parts: [&str; 3], taken: &mut BTreeSet<String>) -> String {
    let fits = |c: char| match c {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '+' => c,
        _ => '-',
    };
    let parts = parts.into_iter().filter(|part| !part.is_empty());
    let parts: Vec<String> = parts.map(|part| part.chars().map(fits).collect()).collect();
    let name = parts.join("--");
    let numbered = (2..).map(|number| format!("{name}-{number}"));
    let mut names = iter::once(name.clone()).chain(numbered);
    let free = names.find(|name| taken.insert(name.to_lowercase()));
    format!("{}.csv", free.unwrap_or(name))
}
