//! Charts as SVG and PNG: one question each, whose answer is the title.
//!
//! | module | owns |
//! |---|---|
//! | `chart` | what is drawn: panels, series, points with intervals |
//! | `kind` | what tells one kind of chart from the others |
//! | `kinds` | the kinds, one file each |
//! | `consoles` | questions per second on consoles |
//! | `question` | what an experiment's plot asks of the rows of a run |
//! | `sentence` | titles and readings, with measured ratios |
//! | `published` | published values beside ours |
//! | `look` | one colour and marker for each label of a run |
//! | `axis` | ranges and ticks |
//! | `frame` | where one panel's data lies |
//! | `marks` | points, intervals and steps, as several kinds draw them |
//! | `legend` | legends, and labels at the ends of lines |
//! | `layout` | title, legend, panels with their axes, from top to bottom |

mod axis;
mod chart;
mod consoles;
mod frame;
mod kind;
mod kinds;
mod layout;
mod legend;
mod look;
mod marks;
mod published;
mod question;
mod sentence;

use std::path::Path;

use ikeru_bench_data::{Figure, Plot};

use crate::error::ReportError;
use crate::rows::Rows;
pub use crate::sheet::DrawError;
use crate::sheet::unwritable;
pub use chart::{Axis, Chart, Panel, Point, Published, Series, Style};
pub use consoles::consoles;
pub use kinds::{BARS, check};
pub use look::{Look, Looks, Marker, OKABE_ITO};
use question::Question;
pub(crate) use question::column_word;
pub use question::{described, looks};
pub use sentence::Sentence;

/// What the rows answer to an experiment's plot.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The answer's sentence.
    pub title: Sentence,
    /// How to read the chart.
    pub reading: Sentence,
    /// The chart; `None` where no row has something to draw.
    pub chart: Option<Chart>,
}

/// What `plot` asks of `rows`. Of the published `figures`, those stand beside ours that a mark of the plot
/// answers.
///
/// # Errors
/// An unknown kind, or an impossible range in a filter of the plot or of a figure.
pub fn answer(
    plot: &Plot,
    rows: &Rows,
    looks: &Looks,
    figures: &[&Figure],
) -> Result<Answer, ReportError> {
    let kind = kinds::named(&plot.kind)?;
    let question = Question::new(plot, rows, looks, (kind.along, kind.shares))?;
    let title = sentence::title(&question)?;
    let reading = sentence::filled(&plot.reading, &question)?;
    let chart = kind.chart(&question, &title.text, figures)?;
    Ok(Answer {
        title,
        reading,
        chart,
    })
}

/// Writes the chart as `.svg` and `.png`; gives back the SVG.
///
/// # Errors
/// When a file cannot be written.
pub fn draw(chart: &Chart, path_without_extension: &Path) -> Result<String, DrawError> {
    let sheet = layout::sheet(chart);
    let with = |ending: &str| {
        let mut path = path_without_extension.as_os_str().to_owned();
        path.push(ending);
        std::path::PathBuf::from(path)
    };
    let svg = sheet.svg(&chart.title, &chart.subtitle)?;
    let path = with(".svg");
    std::fs::write(&path, &svg).map_err(|source| unwritable(&path, source))?;
    sheet.png(&with(".png"))?;
    Ok(svg)
}
