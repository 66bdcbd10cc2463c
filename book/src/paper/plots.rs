//! The plots of a run folder for pgfplots, and their data.

use std::collections::{BTreeMap, BTreeSet};
use std::iter;
use std::path::Path;

use super::write;
use ikeru_records::ReportError;
use ikeru_reports::table::spelt;

/// Values that span more than this factor have a logarithmic axis.
const LOG: f64 = 30.0;

/// One series of one panel.
struct SeriesData {
    name: String,
    lines: String,
    file: String,
}

/// One plot, read from its CSV.
struct PlotData {
    /// The labels of the axes.
    labels: [String; 2],
    /// The series of each panel, in their order.
    panels: BTreeMap<String, Vec<SeriesData>>,
    /// The names along x, if they are no numbers.
    names: Vec<String>,
    /// The numbers along x and y.
    numbers: [Vec<f64>; 2],
}

/// Writes each series of each plot as `data/PLOT--PANEL--SERIES.csv` with x, y, and the distances from y to the ends of
/// its interval, and each plot as `plots/PLOT.tex`. Returns the plots that have data.
///
/// # Errors
/// A file that cannot be read or written.
pub fn write_all(
    plots: &[String],
    from: &Path,
    folder: &Path,
) -> Result<BTreeSet<String>, ReportError> {
    let mut drawn = BTreeSet::new();
    for plot in plots {
        let path = from.join(format!("{plot}.csv"));
        if !path.exists() {
            continue;
        }
        let mut data = PlotData::read(&path)?;
        data.write_series(plot, &folder.join("data"))?;
        write(&folder.join(format!("plots/{plot}.tex")), &data.tikz())?;
        drawn.insert(plot.clone());
    }
    Ok(drawn)
}

impl PlotData {
    fn read(path: &Path) -> Result<Self, ReportError> {
        let unreadable = |error: csv::Error| ReportError::io(path, error);
        let mut reader = csv::Reader::from_path(path).map_err(unreadable)?;
        let header = reader.headers().map_err(unreadable)?.clone();
        let ends = ["low", "high"].map(|end| header.iter().position(|head| head.ends_with(end)));
        let mut data = Self {
            labels: [2, 3].map(|at| header.get(at).unwrap_or_default().to_owned()),
            panels: BTreeMap::new(),
            names: Vec::new(),
            numbers: [Vec::new(), Vec::new()],
        };
        let rows: Vec<csv::StringRecord> = reader
            .records()
            .collect::<Result<_, _>>()
            .map_err(unreadable)?;
        let has_names = rows
            .iter()
            .any(|row| row.get(2).is_some_and(|x| x.parse::<f64>().is_err()));
        for row in &rows {
            let field = |at: usize| row.get(at).unwrap_or_default();
            let number = |at: Option<usize>| at.and_then(|at| field(at).parse::<f64>().ok());
            let Some(y) = number(Some(3)) else { continue };
            let [low, high] = ends.map(number);
            let reach = |end: Option<f64>| end.map_or(0.0, |end| (end - y).abs());
            let x = match has_names {
                true => data.place(field(2)) as f64,
                false => number(Some(2)).unwrap_or(0.0),
            };
            let panel = data.panels.entry(field(0).to_owned()).or_default();
            if panel.last().is_none_or(|series| series.name != field(1)) {
                panel.push(SeriesData {
                    name: field(1).to_owned(),
                    lines: "x,y,minus,plus,name\n".to_owned(),
                    file: String::new(),
                });
            }
            let name = format!("\"{}\"", field(2).replace('"', "\"\""));
            let line = format!("{x},{y},{},{},{name}\n", reach(low), reach(high));
            panel
                .last_mut()
                .into_iter()
                .for_each(|series| series.lines += &line);
            data.numbers[0].push(x);
            data.numbers[1].push(y);
        }
        Ok(data)
    }

    /// The index of a name along x.
    fn place(&mut self, name: &str) -> usize {
        let known = self.names.iter().position(|known| known == name);
        known.unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        })
    }

    fn write_series(&mut self, plot: &str, folder: &Path) -> Result<(), ReportError> {
        let mut taken = BTreeSet::new();
        for (panel, own) in &mut self.panels {
            for series in own {
                let parts = [plot, panel, &series.name].into_iter();
                let parts = parts.filter(|part| !part.is_empty()).map(plain);
                let name = parts.collect::<Vec<_>>().join("--");
                // Two names may differ only in characters that `plain` replaces, or in case.
                let numbered = (2..).map(|number| format!("{name}-{number}"));
                let mut names = iter::once(name.clone()).chain(numbered);
                let free = names.find(|name| taken.insert(name.to_lowercase()));
                series.file = format!("{}.csv", free.unwrap_or(name));
                write(&folder.join(&series.file), &series.lines)?;
            }
        }
        Ok(())
    }

    /// The panels as pictures of pgfplots.
    fn tikz(&self) -> String {
        let mode = |numbers: &[f64]| {
            let low = numbers.iter().copied().fold(f64::INFINITY, f64::min);
            let high = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            if low > 0.0 && high / low > LOG {
                "log"
            } else {
                "linear"
            }
        };
        let [x_label, y_label] = &self.labels;
        let names: Vec<String> = self
            .names
            .iter()
            .map(|name| format!("{{{}}}", spelt(name)))
            .collect();
        let (x, ticks) = match self.names.is_empty() {
            true => (mode(&self.numbers[0]), String::new()),
            false => {
                let places: Vec<String> = (0..names.len()).map(|at| at.to_string()).collect();
                let ticks = format!(
                    ", xtick={{{}}}, xticklabels={{{}}}, x tick label style={{rotate=30, anchor=east}}",
                    places.join(","),
                    names.join(",")
                );
                ("linear", ticks)
            }
        };
        let y = mode(&self.numbers[1]);
        let mut text = String::new();
        for (title, panel) in &self.panels {
            text += &format!(
                "\\begin{{tikzpicture}}\\begin{{axis}}[width=0.75\\columnwidth, height=0.5\\columnwidth, title={{{}}}, xlabel={{{}}}, ylabel={{{}}}, xmode={x}, ymode={y}{ticks}, legend pos=outer north east, legend style={{font=\\scriptsize}}]\n",
                spelt(title),
                spelt(x_label),
                spelt(y_label)
            );
            let line = if self.names.is_empty() {
                ""
            } else {
                "only marks, "
            };
            for series in panel {
                text += &format!(
                    "\\addplot+[{line}error bars/.cd, y dir=both, y explicit] table[col sep=comma, x=x, y=y, y error minus=minus, y error plus=plus] {{data/{}}};\n\\addlegendentry{{{}}}\n",
                    series.file,
                    spelt(&series.name)
                );
            }
            text += "\\end{axis}\\end{tikzpicture}\n\n";
        }
        text
    }
}

/// A name as part of a file's name: letters without accents, digits and hyphens, which LaTeX reads.
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
