//! The plots of a run folder for pgfplots, and their data.

use std::collections::{BTreeMap, BTreeSet};
use std::iter;
use std::path::Path;

use super::write;
use ikeru_bench_data::Scale;
use ikeru_records::{ReportError, Result};
use ikeru_reports::table::spelt;

/// The scales of the x and y axis of each plot that an experiment's file asks for.
pub type Scales = BTreeMap<String, [Scale; 2]>;

/// In other plots, values that span more than this factor have a logarithmic axis.
const LOG: f64 = 30.0;

/// Writes each series of each plot as `data/PLOT--PANEL--SERIES.csv` with x, y, and the distances from y to the ends of
/// its interval, and each plot as `plots/PLOT.tex`. Returns the plots that have data.
///
/// # Errors
/// A file that cannot be read or written.
pub fn write_all(
    (plots, scales): (&[String], &Scales),
    from: &Path,
    folder: &Path,
) -> Result<BTreeSet<String>> {
    let mut drawn = BTreeSet::new();
    for plot in plots {
        let path = from.join(format!("{plot}.csv"));
        if path.exists() {
            write_plot((plot, scales.get(plot)), &path, folder)?;
            drawn.insert(plot.clone());
        }
    }
    Ok(drawn)
}

fn write_plot(
    (plot, scales): (&str, Option<&[Scale; 2]>),
    path: &Path,
    folder: &Path,
) -> Result<()> {
    let unreadable = |error: csv::Error| ReportError::io(path, error);
    let mut reader = csv::Reader::from_path(path).map_err(unreadable)?;
    let header = reader.headers().map_err(unreadable)?.clone();
    let ends = ["low", "high"].map(|end| header.iter().position(|head| head.ends_with(end)));
    let rows: Result<Vec<_>, _> = reader.records().collect();
    let rows = rows.map_err(unreadable)?;
    let has_names = rows.iter().any(|row| row[2].parse::<f64>().is_err());
    let (mut names, mut numbers) = (Vec::new(), [Vec::new(), Vec::new()]);
    let mut panels: BTreeMap<&str, Vec<(&str, String)>> = BTreeMap::new();
    for row in &rows {
        let number = |at: usize| row.get(at).and_then(|field| field.parse::<f64>().ok());
        let Some(y) = number(3) else { continue };
        let x = if has_names {
            let known = names.iter().position(|name| *name == &row[2]);
            known.unwrap_or_else(|| {
                names.push(&row[2]);
                names.len() - 1
            }) as f64
        } else {
            number(2).unwrap_or(0.0)
        };
        let [minus, plus] = ends.map(|end| end.and_then(number).map_or(0.0, |end| (end - y).abs()));
        let series = panels.entry(&row[0]).or_default();
        if series.last().is_none_or(|(name, _)| *name != &row[1]) {
            series.push((&row[1], "x,y,minus,plus\n".to_owned()));
        }
        let line = format!("{x},{y},{minus},{plus}\n");
        if let Some((_, lines)) = series.last_mut() {
            *lines += &line;
        }
        numbers[0].push(x);
        numbers[1].push(y);
    }
    let mode = |at: usize| mode(&numbers[at], scales.map(|scales| scales[at]));
    let marks = if has_names { "only marks, " } else { "" };
    let ticks = names.iter().map(|name| format!("{{{}}}", spelt(name)));
    let ticks: Vec<String> = ticks.collect();
    let ticks = match has_names {
        true => format!(
            ", xtick={{0,...,{}}}, xticklabels={{{}}}, x tick label style={{rotate=30, anchor=east}}",
            names.len().saturating_sub(1),
            ticks.join(",")
        ),
        false => format!(", xmode={}", mode(0)),
    };
    let [x_label, y_label] = [2, 3].map(|at| spelt(&header[at]));
    let (mut text, mut taken) = (String::new(), BTreeSet::new());
    for (panel, series) in &panels {
        let (title, y) = (spelt(panel), mode(1));
        text += &format!(
            "\\begin{{tikzpicture}}\\begin{{axis}}[width=0.75\\columnwidth, height=0.5\\columnwidth, title={{{title}}}, xlabel={{{x_label}}}, ylabel={{{y_label}}}, ymode={y}{ticks}, legend pos=outer north east, legend style={{font=\\scriptsize}}]\n"
        );
        for (name, lines) in series {
            let file = file_name([plot, panel, name], &mut taken);
            write(&folder.join("data").join(&file), lines)?;
            text += &format!(
                "\\addplot+[{marks}error bars/.cd, y dir=both, y explicit] table[col sep=comma, x=x, y=y, y error minus=minus, y error plus=plus] {{data/{file}}};\n\\addlegendentry{{{}}}\n",
                spelt(name)
            );
        }
        text += "\\end{axis}\\end{tikzpicture}\n\n";
    }
    write(&folder.join(format!("plots/{plot}.tex")), &text)
}

/// The mode of an axis: that of its scale, if it is known.
fn mode(numbers: &[f64], scale: Option<Scale>) -> &'static str {
    let low = numbers.iter().copied().fold(f64::INFINITY, f64::min);
    let high = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let is_log = scale.map_or(high / low > LOG, |scale| scale == Scale::Log);
    if low > 0.0 && is_log { "log" } else { "linear" }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_has_the_scale_of_its_plot() {
        let modes =
            |scale| [&[1.0, 2.0][..], &[1.0, 100.0], &[0.0, 100.0]].map(|it| mode(it, scale));
        assert_eq!(modes(Some(Scale::Log)), ["log", "log", "linear"]);
        assert_eq!(modes(Some(Scale::Linear)), ["linear"; 3]);
        assert_eq!(modes(None), ["linear", "log", "linear"]);
    }
}
