//! The performance profile of Dolan and Moré: the share of cells that are solved within a multiple of the
//! best variant's value.

use super::cactus;
use super::prelude::*;

pub(super) const KIND: Kind = Kind {
    word: "profile",
    axes,
    series,
    ..cactus::KIND
};

fn axes(question: &Question) -> (Axis, Axis) {
    let plot = question.plot;
    let label = format!("{}, times the best variant's", column_word(&plot.y));
    let x = Axis {
        label: plot.x_label.clone().unwrap_or(label),
        scale: plot.x_scale,
        ..Axis::default()
    };
    (x, question.share_axis())
}

fn series(question: &Question, panel: &[u32]) -> Vec<Series> {
    let ratios = ratios(question, panel);
    question.by_series(panel, |own| {
        let name = question.rows.text(question.series, own[0]);
        let own_ratios = ratios.iter().filter(|(series, _)| *series == name);
        let values = own_ratios.clone().filter_map(|(_, ratio)| *ratio).collect();
        question.shares(values, own_ratios.count(), own)
    })
}

/// Each question's cells as (series, how many times the best one's value).
fn ratios<'a>(question: &Question<'a>, panel: &[u32]) -> Vec<(&'a str, Option<f64>)> {
    let rows = question.rows;
    let mut ratios = Vec::new();
    for same in rows.by_question(panel) {
        let cells = question.cells(&[question.series], &same);
        let best = cells.iter().filter_map(|cell| cell.1).reduce(f64::min);
        ratios.extend(cells.iter().map(|(cell, value)| {
            let ratio = value.zip(best);
            let ratio = ratio.map(|(value, best)| value / best.max(f64::MIN_POSITIVE));
            (rows.text(question.series, cell[0]), ratio)
        }));
    }
    ratios
}
