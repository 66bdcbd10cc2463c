//! The share of targets that searches reached over time. Its values come from no column of the rows, so that it is no kind of
//! an experiment's plot.

use ikeru_bench_data::Scale;

use super::chart::{Axis, Chart, Panel};
use super::kinds::SHARES;
use super::question::thinned;
use crate::units::Quantity;

/// The chart of a panel whose points are times in nanoseconds with the share reached by then.
pub fn shares_over_time(title: String, subtitle: String, mut panel: Panel) -> Chart {
    for series in &mut panel.series {
        series.points = thinned(std::mem::take(&mut series.points));
    }
    Chart {
        style: SHARES,
        title,
        subtitle,
        x: Axis {
            label: "time".to_owned(),
            scale: Scale::Log,
            quantity: Quantity::Time,
            categories: Vec::new(),
        },
        y: Axis {
            label: "share of targets reached".to_owned(),
            quantity: Quantity::Share,
            ..Axis::default()
        },
        bars_from: None,
        panels: vec![panel],
        guides: Vec::new(),
    }
}
