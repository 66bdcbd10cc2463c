//! The plots of a run folder for pgfplots, and their data.

use std::collections::BTreeSet;
use std::iter;
use std::path::Path;

use csv::StringRecord;
use minijinja::{Value, context};

use super::{rendered, write};
use ikeru_bench_data::{Experiment, Plot, Scale};
use ikeru_records::{ReportError, Result};
use ikeru_reports::charts::{Looks, Marker, log_ticks};
use ikeru_reports::table::spelt;

/// Values that span more than this factor have a logarithmic axis.
const LOG: f64 = 30.0;
/// The letters of a legend's line.
const MOST_LETTERS: usize = 100;
/// The letters of a name in a legend or under an axis.
const NAME: usize = 25;

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
    let rows: Result<Vec<_>, _> = reader.records().collect();
    let rows = rows.map_err(unreadable)?;
    let drawing = Drawing::of(declared, &header, &rows);
    let mut taken = BTreeSet::new();
    let mut panels = Vec::new();
    for (title, series) in &drawing.panels {
        let mut drawn = Vec::new();
        for (name, points) in series {
            let file = file_name([plot, title, name], &mut taken);
            write(&folder.join("data").join(&file), &lines(points))?;
            drawn.push(drawing.series(name, points, &file));
        }
        panels.push(context! { title => *title, series => drawn });
    }
    let text = drawing.text(plot, panels)?;
    write(&folder.join(format!("plots/{plot}.tex")), &text)
}

/// x, y, and the distances from y to the ends of its interval.
type Values = [f64; 4];

/// The points of each series.
type SeriesValues<'a> = Vec<(&'a str, Vec<Values>)>;

/// The points of a plot, and how they are drawn.
struct Drawing<'a> {
    kind: &'a str,
    /// The names along x; none if x is a number.
    names: Vec<(&'a str, f64)>,
    /// The series of each panel.
    panels: Vec<(&'a str, SeriesValues<'a>)>,
    /// The names of all series, with their places.
    series: Vec<(&'a str, usize)>,
    looks: Looks,
    has_legend: bool,
    is_log: [bool; 2],
    labels: [String; 2],
}

impl<'a> Drawing<'a> {
    fn of(declared: Option<&'a Plot>, header: &StringRecord, rows: &'a [StringRecord]) -> Self {
        let ends = ["low", "high"].map(|end| header.iter().position(|head| head.ends_with(end)));
        let has_names = rows.iter().any(|row| row[2].parse::<f64>().is_err());
        let units = [2, 3].map(|at| unit(&header[at], rows.iter().map(|row| &row[at])));
        let (mut names, mut series, mut panels) = (Vec::new(), Vec::new(), Vec::new());
        for row in rows {
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
            let distance =
                |end: Option<usize>| end.and_then(number).map_or(0.0, |end| (end - y).abs());
            let points = entry(&mut panels, &row[0], Vec::new());
            let points: &mut Vec<Values> = entry(points, &row[1], Vec::new());
            points.push([x, y, distance(ends[0]), distance(ends[1])]);
            let next = series.len();
            entry(&mut series, &row[1], next);
        }
        let all = || panels.iter().flat_map(|panel: &(_, SeriesValues)| &panel.1);
        let is_log = [0, 1].map(|at| {
            let numbers = all().flat_map(|one| &one.1).map(|point| point[at]);
            match declared.map(|plot| [plot.x_scale, plot.y_scale][at]) {
                Some(scale) => scale == Scale::Log,
                None => span(numbers) > LOG,
            }
        });
        Self {
            kind: declared.map_or("", |plot| plot.kind.as_str()),
            has_legend: rows.iter().any(|row| row[1] != row[2]) && series.len() > 1,
            looks: Looks::new(series.iter().map(|one| one.0), None),
            labels: [2, 3].map(|at| label(&header[at], units[at - 2].1)),
            is_log,
            names,
            panels,
            series,
        }
    }

    fn points(&self) -> impl Iterator<Item = &Values> {
        let series = self.panels.iter().flat_map(|panel| &panel.1);
        series.flat_map(|one| &one.1)
    }

    /// Returns whether it has bars. A logarithmic axis has no zero from which a bar could start.
    fn has_bars(&self) -> bool {
        self.kind == "bar" && !self.names.is_empty() && !self.is_log[1]
    }

    /// The plot with its panels.
    fn text(&self, plot: &str, panels: Vec<Value>) -> Result<String> {
        let (columns, size) = match panels.len() {
            ..=1 => (1, "width=0.8\\columnwidth, height=0.45\\columnwidth"),
            2..=4 => (2, "width=0.36\\columnwidth, height=0.28\\columnwidth"),
            _ => (3, "width=0.22\\columnwidth, height=0.22\\columnwidth"),
        };
        let ticks = |at: usize| {
            let values: Vec<f64> = self.points().map(|point| point[at]).collect();
            self.is_log[at].then(|| log_ticks(&values, at == 0))
        };
        let axes = [("x", 0), ("y", 1)].map(|(letter, at)| context! { letter, ticks => ticks(at) });
        let series = self.series.iter().map(|(name, _)| {
            let (red, green, blue) = self.looks.of(name).colour;
            let colour = format!("{red},{green},{blue}");
            context! { colour, style => self.style(name), name => short(name) }
        });
        let longest = self.series.iter().map(|one| one.0.chars().count()).max();
        let has_negative = self.points().any(|point| point[1] < 0.0);
        let page = context! {
            plot, panels, size, columns, kind => self.kind, labels => &self.labels, has_legend => self.has_legend,
            names => self.names.iter().map(|name| short(name.0)).collect::<Vec<_>>(),
            axes => &axes[usize::from(!self.names.is_empty())..],
            has_foot => self.kind == "cactus" || ["bar", "line"].contains(&self.kind) && !self.is_log[1] && !has_negative,
            has_bars => self.has_bars(), bar_width => format!("{:.3}", self.bar_width()),
            legend_columns => MOST_LETTERS / (longest.unwrap_or(0).min(NAME) + 5),
            series => series.collect::<Vec<_>>(),
        };
        rendered(include_str!("../../templates/plot.tex.j2"), page)
    }

    /// The width of a bar, as a part of the distance between two names.
    fn bar_width(&self) -> f64 {
        let bars = if self.has_legend {
            self.series.len() as f64
        } else {
            1.0
        };
        0.8 / bars
    }

    /// The colour and the marks of a series.
    fn style(&self, name: &str) -> String {
        let index = self.index(name);
        let look = self.looks.of(name);
        let mark = match look.marker {
            Marker::Disc => "mark=*",
            Marker::Square => "mark=square*",
            Marker::Triangle => "mark=triangle*",
            Marker::Nabla => "mark=triangle*, mark options={rotate=180}",
            Marker::Cross => "mark=+",
        };
        match self.kind {
            "cactus" => format!("series{index}, const plot, no marks, thick"),
            _ if self.has_bars() => format!("draw=none, fill=series{index}, area legend"),
            "strip" => format!("series{index}, {mark}, only marks, mark size=0.8pt"),
            "bar" => format!("series{index}, {mark}, only marks"),
            _ => format!("series{index}, {mark}, mark size=1.6pt"),
        }
    }

    /// A series in a panel. The median of samples is the last of its points.
    fn series(&self, name: &str, points: &[Values], file: &str) -> Value {
        let from_middle = self.index(name) as f64 - 0.5 * (self.series.len() - 1) as f64;
        let x = match self.has_bars() && self.has_legend {
            true => format!(
                "x expr=\\thisrow{{x}}+{:.3}",
                self.bar_width() * from_middle
            ),
            false => "x=x".to_owned(),
        };
        let is_one = points.len() > 1 && points.iter().all(|point| point[0] == points[0][0]);
        let median = points.last().filter(|_| self.kind == "strip" && is_one);
        context! { x, median, file, style => self.style(name) }
    }

    fn index(&self, name: &str) -> usize {
        let mut series = self.series.iter();
        series.find(|one| one.0 == name).map_or(0, |one| one.1)
    }
}

/// A name for LaTeX; the middle of a long one is left out.
fn short(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    if letters.len() <= NAME {
        return spelt(name);
    }
    let [start, end] = [&letters[..NAME / 2], &letters[letters.len() - NAME / 2..]];
    spelt(&start.iter().chain(&['…']).chain(end).collect::<String>())
}

/// The points of a series as CSV.
fn lines(points: &[Values]) -> String {
    let head = "x,y,minus,plus\n".to_owned();
    let line = |[x, y, minus, plus]: &Values| format!("{x},{y},{minus},{plus}\n");
    head + &points.iter().map(line).collect::<String>()
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
fn span(numbers: impl Iterator<Item = f64> + Clone) -> f64 {
    let low = numbers.clone().fold(f64::INFINITY, f64::min);
    let high = numbers.fold(f64::NEG_INFINITY, f64::max);
    if low > 0.0 { high / low } else { 0.0 }
}

/// The longest name of a file, in letters: file systems have 255 bytes, for number and ending too.
const LONGEST_NAME: usize = 200;

/// A file's name of letters without accents, digits, `+` and hyphens, which LaTeX reads. Two names may differ only in
/// other characters, or in case.
fn file_name(parts: [&str; 3], taken: &mut BTreeSet<String>) -> String {
    let fits = |c: char| match c {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '+' => c,
        _ => '-',
    };
    let parts = parts.into_iter().filter(|part| !part.is_empty());
    let parts: Vec<String> = parts.map(|part| part.chars().map(fits).collect()).collect();
    let mut name = parts.join("--");
    name.truncate(LONGEST_NAME);
    let numbered = (2..).map(|number| format!("{name}-{number}"));
    let mut names = iter::once(name.clone()).chain(numbered);
    let free = names.find(|name| taken.insert(name.to_lowercase()));
    format!("{}.csv", free.unwrap_or(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(plot: &str, rows: &str) -> String {
        let experiment = format!(
            "name = \"a\"\ntitle = \"a\"\nproblem = \"reach\"\nvariants = [\"slots\"]\n[[instances]]\ngenerator = \"reach.random\"\n[[plots]]\nname = \"p\"\ntitle = \"p\"\ny = \"score\"\n{plot}\n"
        );
        let experiment = [Experiment::read("a.toml", &experiment).expect("an experiment")];
        let plot = experiment[0].file_of(&experiment[0].plots[0]);
        let folder = tempfile::tempdir().expect("a folder");
        let rows = format!("panel,series,x,score,score low,score high\n{rows}");
        std::fs::write(folder.path().join(format!("{plot}.csv")), rows).expect("written");
        let plots = std::slice::from_ref(&plot);
        write_all(plots, &experiment, folder.path(), folder.path()).expect("written");
        std::fs::read_to_string(folder.path().join(format!("plots/{plot}.tex"))).expect("a plot")
    }

    #[test]
    fn bars_share_the_place_of_their_name() {
        let rows = ",a,one,1,,\n,a,two,2,,\n,b,one,3,,\n,c,two,4,,\n,d,two,4,,\n";
        let text = written("kind = \"bar\"\nx = \"instance\"", rows);
        for part in [
            "bar width=0.200",
            "x expr=\\thisrow{x}+-0.300",
            "x expr=\\thisrow{x}+0.300",
            "xmin=-0.5, xmax=1.5",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }

    #[test]
    fn a_logarithmic_axis_has_the_ticks_of_the_drawing() {
        let text = written(
            "kind = \"line\"\nx_scale = \"log\"",
            ",a,50,1,,\n,a,200,2,,\n",
        );
        assert!(
            text.contains("xtick={50.0,200.0}, xticklabels={{50},{200}}"),
            "{text}"
        );
    }

    #[test]
    fn samples_have_their_median_and_panels_stand_side_by_side() {
        let panel = |name| format!("{name},a,a,1,,\n{name},a,a,3,,\n{name},a,a,2,1,3\n");
        let rows: String = ["p", "q"].map(panel).concat();
        let text = written("kind = \"strip\"\npanels = \"instance\"", &rows);
        assert_eq!(
            text.matches("coordinates {(0.0,2.0) -= (0,1.0) += (0,1.0)}")
                .count(),
            2,
            "{text}"
        );
        assert!(
            text.contains("width=0.36\\columnwidth") && !text.contains("\n\n"),
            "{text}"
        );
    }
}
