//! Mean differences to the baseline, instance by instance: a row for each value of x, a dot with its interval for each
//! series. Drawn lying, so that long names have room.

use std::collections::BTreeMap;

use super::prelude::*;
use crate::statistics::interval::t_mean;
use crate::statistics::mean;

pub(super) const KIND: PlotKind = PlotKind {
    word: "difference",
    shown: "mean differences over the instances that both answered, 95 % intervals",
    along: Along::Names,
    shares: false,
    axes,
    series,
    style: &Style {
        foot: Foot::Lowest,
        names: Names::Legend,
        is_lying: true,
        series: rows,
        beside: centred,
    },
};

fn axes(question: &PlotQuestion) -> (Axis, Axis) {
    let (mut x, mut y) = question.axes();
    x.label.clear();
    if let Some(baseline) = question.baseline() {
        y.label = format!("{}, difference to {baseline}", y.label);
    }
    (x, y)
}

fn series(question: &PlotQuestion, panel: &[u32]) -> Vec<Series> {
    question.by_series(panel, |own| {
        let by_x = question.rows.group(question.x, own);
        let baseline = by_x
            .iter()
            .find(|(name, _)| Some(name.as_str()) == question.baseline());
        let Some((_, baseline)) = baseline else {
            return Vec::new();
        };
        let point = |(name, rows): &(String, Vec<u32>)| {
            let difference = t_mean(&differences(question, rows, baseline))?;
            Some(Point::of(question.place(name)?, difference))
        };
        by_x.iter().filter_map(point).collect()
    })
}

/// Of each instance that both answered the difference of the means.
fn differences(question: &PlotQuestion, rows: &[u32], baseline: &[u32]) -> Vec<f64> {
    let of = |rows: &[u32]| -> BTreeMap<String, f64> {
        let instances = question.rows.group("instance_hash", rows).into_iter();
        let means = instances.filter_map(|(instance, own)| {
            let values = question.rows.numbers(&question.plot.y, &own);
            Some((instance, mean(&values)?))
        });
        means.collect()
    };
    let there = of(baseline);
    let here = of(rows).into_iter();
    here.filter_map(|(instance, value)| Some(value - there.get(&instance)?))
        .collect()
}

fn rows(sheet: &mut Sheet, chart: &Chart, panel: &Panel, frame: &PlotFrame) {
    let step = 0.5 / panel.series.len() as f64;
    for (place, series) in panel.series.iter().enumerate() {
        let away = step * (place as f64 - 0.5 * (panel.series.len() as f64 - 1.0));
        sheet.group(&series.name, "", |sheet| {
            for point in &series.points {
                let at = (frame.x(point.mid), frame.y(point.x + away));
                said(sheet, chart, series, point, |sheet| {
                    if let Some(ends) = point.interval {
                        let [low, high] = [ends.low, ends.high].map(|end| frame.x(end));
                        sheet.line((low, at.1), (high, at.1), 1.5, series.look.colour);
                    }
                    marker(sheet, at, series.look, 4.5, point.censored);
                });
            }
        });
    }
}
