//! Whether variants differ from the baseline: Welch's t, Mann–Whitney, and by how much.

use ikeru_bench_data::Experiment;

use super::{Finding, range, short, varying};
use crate::rows::Rows;
use crate::statistics::hypothesis::{holm, mann_whitney, welch};
use crate::statistics::sample::Sample;
use crate::summary::baseline_label;

/// A difference is called real if Holm's corrected p of Mann–Whitney is below this.
const LEVEL: f64 = 0.05;

/// One row per instance, question and variant: times of the variant against the baseline's.
pub(super) fn significance(rows: &Rows, selection: &[u32], experiment: &Experiment) -> Finding {
    let mut finding = Finding::with_header(&[
        "variant",
        "instance",
        "samples",
        "times as fast",
        "95 % interval",
        "Welch's t",
        "p (Welch)",
        "U",
        "p (Mann–Whitney)",
        "p (Holm)",
        "verdict",
    ]);
    finding.title = "Is the difference real?".to_owned();
    finding.paragraphs.push(format!(
        "Welch's t compares mean times without assuming equal variances, Mann–Whitney compares ranks without assuming a distribution. Holm's correction holds the chance of any false alarm in this table below {LEVEL}; the interval of the ratio of medians lies between order statistics of both sides, from seven samples on each on."
    ));
    let Some(baseline) = baseline_label(experiment) else {
        return finding;
    };
    let apart = varying(rows, selection, "");
    let several_seeds = rows.distinct("seed", selection).len() > 1;
    let mut p_values = Vec::new();
    for question in rows.by_question(selection) {
        let labels = rows.group("label", &question);
        let Some((_, of_baseline)) = labels.iter().find(|(label, _)| *label == baseline) else {
            continue;
        };
        let of_baseline = Sample::of(rows, "wall_ns", of_baseline);
        let slow = &of_baseline.values;
        for (label, of_label) in labels.iter().filter(|(label, _)| *label != baseline) {
            let own = Sample::of(rows, "wall_ns", of_label);
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
            finding.rows.push(vec![
                label.clone(),
                format!("{instance} {at}").trim().to_owned(),
                format!("{} and {}", slow.len(), fast.len()),
                short(ratio.value),
                range(ratio.interval),
                short(t.statistic),
                short(t.p),
                short(u.statistic),
                short(u.p),
            ]);
        }
    }
    let raw: Vec<f64> = p_values.iter().map(|(p, _)| *p).collect();
    for ((row, p), (_, ratio)) in finding.rows.iter_mut().zip(holm(&raw)).zip(p_values) {
        let verdict = match (p < LEVEL, ratio > 1.0) {
            (true, true) => "faster",
            (true, false) => "slower",
            (false, _) => "no difference shown",
        };
        row.extend([short(p), verdict.to_owned()]);
    }
    finding
}
