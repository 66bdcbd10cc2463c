//! The points of a chart as a table, for its CSV file.

use super::chart::{Chart, Point, Series};
use crate::statistics::{Bound, Estimate};
use crate::table::{Cell, Table};
use crate::units::Quantity;

impl Chart {
    /// One row per point of every series, including hidden ones: panel, series, x, y with its interval, and whether it
    /// was stopped at the limit. Published values follow.
    pub fn table(&self) -> Table {
        let or = |label: &str, name: &str| match label {
            "" => name.to_owned(),
            label => label.to_owned(),
        };
        let mut table = Table::new(&self.title, "");
        table.heads = vec![
            "panel".to_owned(),
            "series".to_owned(),
            or(&self.x.label, "x"),
            or(&self.y.label, "y"),
            "stopped at the limit".to_owned(),
        ];
        for panel in &self.panels {
            for series in &panel.series {
                for name in std::iter::once(&series.name).chain(&series.same) {
                    let points = points(series).map(|point| {
                        let stopped = if point.censored { "yes" } else { "no" };
                        self.row([&panel.title, name], point, stopped)
                    });
                    table.rows.extend(points);
                }
            }
            for value in &panel.published {
                let name = match &value.series {
                    Some(series) => format!("published, {series} ({})", value.figure),
                    None => format!("published ({})", value.figure),
                };
                let point = Point::new(value.x, value.y);
                table.rows.push(self.row([&panel.title, &name], &point, ""));
            }
        }
        table
    }

    fn row(&self, [panel, series]: [&str; 2], point: &Point, stopped: &str) -> Vec<Cell> {
        let x = match self.x.categories.get(point.x.max(0.0).round() as usize) {
            Some(name) => Cell::from(name),
            None => Cell::from((point.x, bare(self.x.quantity))),
        };
        let y = Estimate {
            value: point.mid,
            interval: point.interval,
            bound: Bound::Exact,
        };
        vec![
            Cell::from(panel),
            Cell::from(series),
            x,
            Cell::from((y, bare(self.y.quantity))),
            Cell::from(stopped),
        ]
    }
}

/// The points of a series, followed by the summary of raw samples.
fn points(series: &Series) -> impl Iterator<Item = &Point> {
    series.points.iter().chain(&series.summaries)
}

/// A share is a number from 0 to 1 in a CSV.
fn bare(quantity: Quantity) -> Quantity {
    match quantity {
        Quantity::Share => Quantity::Real,
        other => other,
    }
}
