//! The points of a chart as a CSV that plotting programs read as it is: plain heads, `nan` for what is not known.

use super::chart::{Axis, Chart, Point};
use crate::table::quoted;

impl Chart {
    /// One line per point of every series, including hidden ones, and per median or mean of samples (middle): panel if there are
    /// several, series, x, y, the ends of its interval, and whether it failed or was stopped. Published values follow.
    pub fn csv(&self) -> String {
        let has_panels = self.panels.iter().any(|panel| !panel.title.is_empty());
        let panel = |title: &str| match has_panels {
            true => quoted(title) + ",",
            false => String::new(),
        };
        let heads = [head(&self.x, "x"), head(&self.y, "y")].join(",");
        let head = if has_panels { "panel," } else { "" };
        let mut text = format!("{head}series,{heads},low,high,stopped\n");
        for one in &self.panels {
            for series in &one.series {
                for name in std::iter::once(&series.name).chain(&series.same) {
                    let middle = format!("{name} (middle)");
                    let points = series.points.iter().map(|point| (name, point));
                    let summaries = series.summaries.iter().map(|point| (&middle, point));
                    for (name, point) in points.chain(summaries) {
                        text += &(panel(&one.title) + &self.line(name, point));
                    }
                }
            }
            for value in &one.published {
                let name = match &value.series {
                    Some(series) => format!("published, {series} ({})", value.figure),
                    None => format!("published ({})", value.figure),
                };
                let point = Point::new(value.x, value.y);
                text += &(panel(&one.title) + &self.line(&name, &point));
            }
        }
        text
    }

    fn line(&self, series: &str, point: &Point) -> String {
        let x = match self.x.name(point.x) {
            Some(name) => quoted(name),
            None => point.x.to_string(),
        };
        let ends = point
            .interval
            .map_or([f64::NAN; 2], |ends| [ends.low, ends.high]);
        let [low, high] = ends.map(|end| match end.is_finite() {
            true => end.to_string(),
            false => "nan".to_owned(),
        });
        let stopped = if point.is_open() { "yes" } else { "no" };
        format!(
            "{},{x},{},{low},{high},{stopped}\n",
            quoted(series),
            point.mid
        )
    }
}

/// The name of an axis's column as a word.
fn head(axis: &Axis, otherwise: &str) -> String {
    match axis.column.replace('/', "_per_") {
        column if column.is_empty() => otherwise.to_owned(),
        column => column,
    }
}
