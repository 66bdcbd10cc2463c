//! Searches over time: the share of targets that were reached, and what was found when. Their values come from no column of the
//! rows, so that they are no kinds of an experiment's plot.

use ikeru_bench_data::Scale;

use super::chart::{Axis, Chart, Panel};
use super::kinds::{FINDS, SHARES};
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
        x: time(),
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

/// The chart of panels whose points are times in nanoseconds with the score found then.
pub fn finds_over_time(title: String, subtitle: String, panels: Vec<Panel>) -> Chart {
    Chart {
        style: FINDS,
        title,
        subtitle,
        x: time(),
        y: Axis {
            label: "score".to_owned(),
            quantity: Quantity::Count,
            ..Axis::default()
        },
        bars_from: None,
        panels,
        guides: Vec::new(),
    }
}

fn time() -> Axis {
    Axis {
        label: "time".to_owned(),
        scale: Scale::Log,
        quantity: Quantity::Time,
        categories: Vec::new(),
    }
}
