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
    let rows = reader
        .records()
        .collect::<Result<Vec<_>, _>>()
        .map_err(unreadable)?;
    let has_names = rows.iter().any(|row| row[2].parse::<f64>().is_err());
    let (mut names, mut numbers) = (Vec::new(), [Vec::new(), Vec::new()]);
    let mut panels: Vec<(&str, Vec<(&str, String)>)> = Vec::new();
    let units = [2, 3].map(|at| unit(&header[at], rows.iter().map(|row| &row[at])));
    for row in &rows {
        let number = |at: usize| {
            let number = row.get(at)?.parse::<f64>().ok()?;
            Some(number / units[usize::from(at > 2)].0)
        };
        let Some(y) = number(3) else { continue };
        let x = if has_names {
            place(&mut names, |name| *name == &row[2], || &row[2]) as f64
        } else {
            number(2).unwrap_or(0.0)
        };
        let [minus, plus] = ends.map(|end| end.and_then(number).map_or(0.0, |end| (end - y).abs()));
        let at = place(
            &mut panels,
            |(panel, _)| *panel == &row[0],
            || (&row[0], Vec::new()),
        );
        let (series, head) = (&mut panels[at].1, "x,y,minus,plus\n".to_owned());
        let at = place(series, |(name, _)| *name == &row[1], || (&row[1], head));
        series[at].1 += &format!("{x},{y},{minus},{plus}\n");
        numbers[0].push(x);
        numbers[1].push(y);
    }
    let scale = |at: usize| match declared.map(|plot| [plot.x_scale, plot.y_scale][at]) {
        Some(Scale::Log) => "log",
        Some(Scale::Linear) => "linear",
        None if span(&numbers[at]) > LOG => "log",
        None => "linear",
    };
    let kind = declared.map_or("", |plot| plot.kind.as_str());
    // A logarithmic axis has no zero from which a bar could start.
    let has_bars = kind == "bar" && has_names && scale(1) == "linear";
    let each: BTreeSet<_> = rows.iter().map(|row| (&row[0], &row[2])).collect();
    let (marks, style) = match kind {
        "cactus" => ("const plot, no marks", ", ymin=0, ymax=1"),
        _ if has_bars && each.len() == rows.len() => (ERRORS, ", ybar, bar shift=0pt, ymin=0"),
        _ if has_bars => (ERRORS, ", ybar, ymin=0"),
        _ if has_names => (MARKS, ""),
        _ => (ERRORS, ""),
    };
    // A short logarithmic axis has no powers of ten to label.
    let is_short = scale(1) == "log" && span(&numbers[1]) < 100.0;
    let fixed = if is_short {
        ", log ticks with fixed point"
    } else {
        ""
    };
    let names = names.iter().map(|name| format!("{{{}}}", spelt(name)));
    let ticks: Vec<String> = names.collect();
    let ticks = match has_names {
        true => format!(
            ", xtick={{0,...,{}}}, xticklabels={{{}}}, x tick label style={{rotate=30, anchor=east}}",
            ticks.len().saturating_sub(1),
            ticks.join(",")
        ),
        false => format!(", xmode={}", scale(0)),
    };
    let [x_label, y_label] = [2, 3].map(|at| match units[at - 2].1 {
        "" if header[at] == *"x" => String::new(),
        "" => spelt(&header[at]),
        unit => spelt(&header[at].replace(", ns", &format!(", {unit}"))),
    });
    let (mut text, mut taken) = (String::new(), BTreeSet::new());
    for (panel, series) in &panels {
        let (title, y) = (spelt(panel), scale(1));
        text += &format!(
            "\\begin{{tikzpicture}}\\begin{{axis}}[width=0.75\\columnwidth, height=0.5\\columnwidth, title={{{title}}}, xlabel={{{x_label}}}, ylabel={{{y_label}}}, ymode={y}{fixed}{ticks}{style}, legend pos=outer north east, legend style={{font=\\scriptsize}}]\n"
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

/// The place of an item in a list, to which it is added if it is not there.
fn place<T>(all: &mut Vec<T>, is: impl Fn(&T) -> bool, new: impl FnOnce() -> T) -> usize {
    all.iter().position(is).unwrap_or_else(|| {
        all.push(new());
        all.len() - 1
    })
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
    let fits = |c: char| {
        if c.is_ascii_alphanumeric() || matches!(c, '-' | '+') {
            c
        } else {
            '-'
        }
    };
    let parts = parts.into_iter().filter(|part| !part.is_empty());
    let parts: Vec<String> = parts.map(|part| part.chars().map(fits).collect()).collect();
    let name = parts.join("--");
    let numbered = (2..).map(|number| format!("{name}-{number}"));
    let mut names = iter::once(name.clone()).chain(numbered);
    let free = names.find(|name| taken.insert(name.to_lowercase()));
    format!("{}.csv", free.unwrap_or(name))
}
