//! Questions per second on consoles: one mark with its band per console and variant, and the rates that a game
//! requires. The values come from no column of the rows, so this is not a kind of an experiment's plot.

use ikeru_bench_data::Scale;
use ikeru_bench_data::experiment::{GuideAxis, GuideLine};

use super::chart::{Axis, Chart, Foot, Names, Panel, Style};
use super::frame::PlotFrame;
use super::marks::{centred, marker, said, whisker};
use crate::sheet::{FAINT, Sheet};

/// The rates that a game requires, per second, with their labels.
const RATES: [(f64, &str); 3] = [(60.0, "60 Hz"), (30.0, "30 Hz"), (10.0, "0.1 s")];

const STYLE: &Style = &Style {
    foot: Foot::Lowest,
    names: Names::Legend,
    series: dodged,
    beside: centred,
};

/// The style where a console has several points of one series.
const AROUND: &Style = &Style {
    series: around,
    ..*STYLE
};

/// The chart of panels whose x values are indices of `consoles`. The consoles from the index `handhelds` on are
/// handhelds.
pub fn consoles(
    title: String,
    subtitle: String,
    consoles: Vec<String>,
    handhelds: Option<usize>,
    panels: Vec<Panel>,
) -> Chart {
    let guide = |axis, (at, label): (f64, &str)| GuideLine {
        at,
        label: label.to_owned(),
        axis,
    };
    let border = handhelds.filter(|first| *first > 0);
    let border = border.map(|first| (first as f64 - 0.5, "handhelds"));
    let border = border.map(|border| guide(GuideAxis::X, border));
    let rates = RATES.map(|rate| guide(GuideAxis::Y, rate));
    Chart {
        style: STYLE,
        title,
        subtitle,
        x: Axis {
            categories: consoles,
            ..Axis::default()
        },
        y: Axis {
            label: "questions per second".to_owned(),
            scale: Scale::Log,
            ..Axis::default()
        },
        bars_from: None,
        panels,
        guides: rates.into_iter().chain(border).collect(),
    }
}

/// The chart of modelled times divided by measured times, with points around the indices of `consoles`.
pub fn checks(title: String, subtitle: String, consoles: Vec<String>, panel: Panel) -> Chart {
    let equal = GuideLine {
        at: 1.0,
        label: "equal".to_owned(),
        axis: GuideAxis::Y,
    };
    let mut chart = self::consoles(title, subtitle, consoles, None, vec![panel]);
    chart.y.label = "modelled by measured".to_owned();
    chart.guides = vec![equal];
    chart.style = AROUND;
    chart
}

/// Draws the marks of a console side by side, one place for each series, with a line between the consoles.
fn dodged(sheet: &mut Sheet, chart: &Chart, panel: &Panel, frame: &PlotFrame) {
    apart(sheet, chart, panel, frame, 0.84);
}

/// Draws the marks where their points are.
fn around(sheet: &mut Sheet, chart: &Chart, panel: &Panel, frame: &PlotFrame) {
    apart(sheet, chart, panel, frame, 0.0);
}

/// Draws the series of a console over a share of its width.
fn apart(sheet: &mut Sheet, chart: &Chart, panel: &Panel, frame: &PlotFrame, share: f64) {
    for border in 1..chart.x.categories.len() {
        let x = frame.x(border as f64 - 0.5);
        sheet.line((x, frame.top), (x, frame.bottom()), 0.5, FAINT);
    }
    let slot = frame.width / chart.x.categories.len().max(1) as f64;
    let count = panel.series.len().max(1) as f64;
    let radius = (0.3 * slot / count).clamp(2.2, 4.5);
    for (index, series) in panel.series.iter().enumerate() {
        let beside = share * slot * ((index as f64 + 0.5) / count - 0.5);
        sheet.group(&series.name, "", |sheet| {
            for point in &series.points {
                let x = frame.x(point.x) + beside;
                said(sheet, chart, series, point, |sheet| {
                    whisker(sheet, (x, radius), point, frame, series.look.colour);
                    let at = (x, frame.y(point.mid));
                    marker(sheet, at, series.look, radius, point.censored);
                });
            }
        });
    }
}
