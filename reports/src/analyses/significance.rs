//! Whether variants differ from the baseline: Welch's t, Mann–Whitney, and by how much.

use ikeru_bench_data::Experiment;
use ikeru_bench_data::experiment::Analysis;

use super::{Finding, varying};
use crate::error::ReportError;
use crate::row;
use crate::rows::{Rows, TIME};
use crate::statistics::hypothesis::{holm, mann_whitney, welch};
use crate::summary::baseline_label;
use crate::table::Table;
use crate::units::Quantity;

/// A difference is called real if Holm's corrected p of Mann–Whitney is below this.
const LEVEL: f64 = 0.05;

/// One row per instance, question and variant: times of the variant against the baseline's.
pub(super) fn significance(
    rows: &Rows,
    selection: &[u32],
    _: &Analysis,
    experiment: &Experiment,
) -> Result<Finding, ReportError> {
    let mut table = Table::new(
        "Is the difference real?",
        "variant | instance | samples | times as fast | 95 % interval | Welch's t | p (Welch) | U | p (Mann–Whitney) | p (Holm) | verdict",
    );
    table.notes.push(format!(
        "Welch's t compares mean times without assuming equal variances, Mann–Whitney compares ranks without assuming a distribution. Holm's correction holds the chance of any false alarm in this table below {LEVEL}; the interval of the ratio of medians lies between order statistics of both sides, from seven samples on each on."
    ));
    let Some(baseline) = baseline_label(experiment) else {
        return Ok(table.into());
    };
    let apart = varying(rows, selection, "");
    let several_seeds = rows.distinct("seed", selection).len() > 1;
    let mut p_values = Vec::new();
    for question in rows.by_question(selection) {
        let labels = rows.group("label", &question);
        let Some((_, of_baseline)) = labels.iter().find(|(label, _)| *label == baseline) else {
            continue;
        };
        let of_baseline = rows.sample(TIME, of_baseline);
        let slow = &of_baseline.values;
        for (label, of_label) in labels.iter().filter(|(label, _)| *label != baseline) {
            let own = rows.sample(TIME, of_label);
            let fast = &own.values;
            let ratio = of_baseline.ratio(&own);
            let (Some(ratio), Some(t), Some(u)) =
                (ratio, welch(slow, fast), mann_whitney(slow, fast))
            else {
                continue;
            };
            p_values.push((u.p, ratio.value));
            let instance = rows.text("instance", of_label[0]);
            let mut at = rows.described(apart.iter().copied(), of_label[0]);
            if several_seeds {
                at = format!("seed={} {at}", rows.text("seed", of_label[0]));
            }
            table.rows.push(row![
                label,
                format!("{instance} {at}").trim(),
                format!("{} and {}", slow.len(), fast.len()),
                (ratio.value, Quantity::Ratio),
                (ratio.interval, Quantity::Ratio),
                (t.statistic, Quantity::Real),
                (t.p, Quantity::Real),
                (u.statistic, Quantity::Plain),
                (u.p, Quantity::Real),
            ]);
        }
    }
    let raw: Vec<f64> = p_values.iter().map(|(p, _)| *p).collect();
    for ((row, p), (_, ratio)) in table.rows.iter_mut().zip(holm(&raw)).zip(p_values) {
        let verdict = match (p < LEVEL, ratio > 1.0) {
            (true, true) => "faster",
            (true, false) => "slower",
            (false, _) => "no difference shown",
        };
        row.extend(row![(p, Quantity::Real), verdict]);
    }
    Ok(table.into())
}
