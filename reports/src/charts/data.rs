//! The points of a chart as a table, for its CSV file.

use super::chart::{Chart, Point};
use crate::row;
use crate::statistics::{Bound, Estimate};
use crate::table::{Cell, Table};
use crate::units::Quantity;

impl Chart {
    /// One row per point of every series, including hidden ones, and per median or mean of samples (middle): panel, series,
    /// x, y with its interval, and whether it failed or was stopped. Published values follow.
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
            "failed or stopped".to_owned(),
        ];
        for panel in &self.panels {
            for series in &panel.series {
                for name in std::iter::once(&series.name).chain(&series.same) {
                    let middle = format!("{name} (middle)");
                    let points = series.points.iter().map(|point| (name, point));
                    let summaries = series.summaries.iter().map(|point| (&middle, point));
                    for (name, point) in points.chain(summaries) {
                        let stopped = if point.is_open() { "yes" } else { "no" };
                        let row = self.row([&panel.title, name], point, stopped);
                        table.rows.push(row);
                    }
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
        let x = match self.x.name(point.x) {
            Some(name) => Cell::from(name),
            None => Cell::from((point.x, bare(self.x.quantity))),
        };
        let y = Estimate {
            value: point.mid,
            interval: point.interval,
            bound: Bound::Exact,
        };
        row![panel, series, x, (y, bare(self.y.quantity)), stopped]
    }
}

/// A share is a number from 0 to 1 in a CSV.
fn bare(quantity: Quantity) -> Quantity {
    match quantity {
        Quantity::Share => Quantity::Real,
        other => other,
    }
}
