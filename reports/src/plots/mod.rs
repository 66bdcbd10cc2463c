//! Charts as SVG and PNG: one question each, whose answer is the title.
//!
//! | module | owns |
//! |---|---|
//! | `chart` | what is drawn: panels, series, points with intervals |
//! | [`from_rows`] | charts of a run: what an experiment's plot asks of its records |
//! | `published` | published values in charts of a run |
//! | [`ratios`] | ratios in titles and sentences |
//! | `look` | one colour and marker for each label of a run |
//! | `axis` | ranges, ticks and their words |
//! | `render` | the layout of a chart, and its axes |
//! | `marks` | lines, bars, points: what each kind draws in a panel |
//! | `labels` | legends, and labels at the ends of lines |
mod axis;
mod chart;
pub mod from_rows;
mod labels;
mod look;
mod marks;
mod published;
pub mod ratios;
mod render;

use std::path::Path;

pub use chart::{Axis, Chart, Guide, Panel, Point, Published, Series, Unit};
pub use look::{Look, Looks, Marker, OKABE_ITO};

pub use crate::sheet::DrawError;

/// The chart as an SVG.
///
/// # Errors
/// When the drawing library refuses.
pub fn svg(chart: &Chart) -> Result<String, DrawError> {
    render::sheet(chart).svg(&chart.title, &chart.subtitle)
}

/// Writes the same plot as `.svg` and `.png`.
///
/// # Errors
/// When a file cannot be written.
pub fn draw(chart: &Chart, path_without_extension: &Path) -> Result<(), DrawError> {
    let sheet = render::sheet(chart);
    let with = |ending: &str| {
        let mut path = path_without_extension.as_os_str().to_owned();
        path.push(ending);
        std::path::PathBuf::from(path)
    };
    let svg_path = with(".svg");
    let svg = sheet.svg(&chart.title, &chart.subtitle)?;
    std::fs::write(&svg_path, svg).map_err(|source| crate::sheet::unwritable(&svg_path, source))?;
    sheet.png(&with(".png"))
}
