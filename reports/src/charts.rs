//! Charts as SVG and PNG: one question each, whose answer is the title.
//!
//! | module | owns |
//! |---|---|
//! | `chart` | the data of a chart: panels, series, points with intervals |
//! | `kind` | the definition of a kind of chart |
//! | `kinds` | the kinds, one file each |
//! | `free` | charts of values that no column has |
//! | `question` | the rows, series, panels and points of an experiment's plot |
//! | `sentence` | titles and readings, their blanks filled from the rows |
//! | `blank` | the blanks as an experiment's file writes them |
//! | `claim` | the statement that the ratios of two series support |
//! | `words` | the names of columns and values in sentences |
//! | `same` | series that are hidden under others |
//! | `data` | the points of a chart as a CSV |
//! | `published` | values from elsewhere next to ours |
//! | `look` | one colour and marker for each label of a page |
//! | `axis` | ranges and ticks |
//! | `frame` | the place of one panel's data on the sheet |
//! | `marks` | the marks that several kinds draw: points, intervals and steps |
//! | `rows` | marks in rows below each other, with names at the left |
//! | `guides` | dashed lines across a panel, and their labels |
//! | `legend` | legends, and labels at the ends of lines |
//! | `layout` | title, legend, panels with their axes, from top to bottom |

mod axis;
mod blank;
mod chart;
pub(crate) mod claim;
mod data;
mod frame;
mod free;
mod guides;
mod kind;
mod kinds;
mod layout;
mod legend;
mod look;
mod marks;
mod published;
mod question;
mod rows;
mod same;
mod sentence;
mod words;

use std::path::Path;

use ikeru_bench_data::Plot;

use crate::error::Result;
use crate::rows::Rows;
pub use crate::sheet::DrawError;
use crate::sheet::{Colours, unwritable};
use crate::whole;
pub(crate) use blank::{BlankAsked, SentencePart, parts};
pub use chart::{Axis, Chart, Panel, Point, Published, Series, Style};
pub use claim::times;
use frame::TEXT;
pub use frame::Width;
pub use free::{JOINED_ROWS, of_style};
pub use kinds::{LINES, check};
pub use look::{Look, Looks, Marker, OKABE_ITO, SERIES};
pub use published::QuotedValue;
use question::PlotQuestion;
pub(crate) use question::described;
pub use question::statistic;
pub use sentence::Sentence;
pub use words::axis_word;
pub(crate) use words::{Wording, clock, with_clock};

/// The result of an experiment's plot.
#[derive(Debug, Clone, PartialEq)]
pub struct PlotAnswer {
    /// The title: a sentence with the answer.
    pub title: Sentence,
    /// A sentence that explains how to read the chart.
    pub reading: Sentence,
    /// The chart; `None` if no row has a point.
    pub chart: Option<Chart>,
}

/// Computes the title, the reading and the chart of `plot` from `rows`. A `quoted` value is drawn if a mark of the
/// plot has exactly its rows.
///
/// # Errors
/// An unknown kind or statistic, an invalid blank, or an impossible range in a filter of the plot or of a value.
pub fn answer(
    plot: &Plot,
    rows: &Rows,
    looks: &Looks,
    quoted: &[QuotedValue],
) -> Result<PlotAnswer> {
    let kind = kinds::named(&plot.kind)?;
    let mut question = PlotQuestion::new(plot, rows, looks, (kind.along, kind.shares))?;
    // A value from elsewhere belongs to all rows of its mark.
    let panels = kind.panels(&question, quoted)?;
    if panels.iter().all(|panel| panel.published.is_empty()) {
        question.compare_common_questions(kind.shares)?;
    }
    let mut title = sentence::title(&question)?;
    title.text += &question.clock_and_failures(&title.text);
    let reading = sentence::reading(&plot.reading, &question)?;
    let mut chart = kind.chart(&question, &title.text, quoted)?;
    if let (Some(chart), false) = (&mut chart, title.scopes.is_empty()) {
        let scopes: Vec<&str> = title.scopes.iter().copied().collect();
        chart.subtitle += &format!("; title: {}", scopes.join(" and "));
    }
    Ok(PlotAnswer {
        title,
        reading,
        chart,
    })
}

/// A chart as two SVGs in the colours of the page around them. The page must declare the CSS variables `--paper`,
/// `--ink`, `--quiet`, `--grid` and `--s0` to `--s15`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drawn {
    /// For a page of at least 600 pixels. The page styles paths without a fill, and text without a size.
    pub wide: String,
    /// For a narrower page: legend and panels below each other, 380 pixels wide.
    pub narrow: String,
}

/// The program and the name of a drawing, as its file says them.
pub(crate) fn signature(name: &str) -> String {
    format!("ikeru, {name}")
}

/// Device pixels per pixel of a drawing for a talk: 1,920 in its width.
const FOR_TALKS: f64 = 3.0;

/// Writes the chart as `.svg` and `.png`, whose subtitle names the program and the file, and its points as
/// `.csv`; narrow files are without title and subtitle, which a paper's caption has. The drawings for the page have no title: the page has it as text.
///
/// # Errors
/// A file cannot be written.
pub fn draw(
    chart: &Chart,
    path_without_extension: &Path,
    width: Width,
) -> Result<Drawn, DrawError> {
    let name = path_without_extension.file_name().unwrap_or_default();
    let mut alone = chart.clone();
    alone.subtitle = format!("{}; {}", chart.subtitle, signature(&name.to_string_lossy()));
    if width == Width::Narrow {
        (alone.title, alone.subtitle) = Default::default();
    }
    let mut file = layout::sheet(&alone, width);
    if width == Width::Talk {
        file.scale = FOR_TALKS;
    }
    let with = |ending: &str| {
        let mut path = path_without_extension.as_os_str().to_owned();
        path.push(ending);
        std::path::PathBuf::from(path)
    };
    let write = |ending: &str, text: &str| {
        let path = with(ending);
        whole::write(&path, text).map_err(|source| unwritable(&path, source))
    };
    let svg = file.svg(&chart.title, &chart.subtitle, Colours::Own);
    write(".svg", &svg)?;
    write(".csv", &chart.csv())?;
    file.png(&with(".png"))?;
    let untitled = Chart {
        title: String::new(),
        ..chart.clone()
    };
    let [wide, narrow] = [Width::Wide, Width::Narrow].map(|width| {
        let sheet = layout::sheet(&untitled, width);
        let svg = sheet.svg(&chart.title, &chart.subtitle, Colours::Page(&SERIES));
        // The style sheet of the page sets this size.
        svg.replace(&format!(" font-size=\"{TEXT}\""), "")
    });
    Ok(Drawn { wide, narrow })
}
