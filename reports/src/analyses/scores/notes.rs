//! The notes under a table of scores: turns, instances that agree, further pairs, samples that count for nothing.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};

use ikeru_bench_data::Experiment;
use ikeru_compare::chance::one_way;
use ikeru_compare::pairing::Side;

use super::pairs::{ScorePair, by_question};
use super::sides;
use crate::records::{Family, Outcome};
use crate::rows::Rows;
use crate::units;

/// A note if a label is decided to be better on one half of the instances by a feature, and worse on the other half.
pub(super) fn turn(pair: &ScorePair, rows: &Rows, selection: &[u32]) -> Option<String> {
    let features = rows.family(Family::Parameter).chain(["size"]);
    let features: Vec<&str> = features
        .filter(|feature| rows.distinct(feature, selection).len() > 1)
        .collect();
    let level = pair.level() / (2 * features.len()) as f64;
    let turns = |feature: &&str| {
        let mut values = rows.numbers(feature, selection);
        values.sort_by(f64::total_cmp);
        let middle = *values.get(values.len() / 2)?;
        let [low, high] = [true, false].map(|is_low| {
            let mut sides = sides(pair, rows, selection);
            for own in &mut sides {
                own.retain(|row| rows.number(feature, *row).map(|it| it < middle) == Some(is_low));
            }
            let sides = sides.each_ref().map(|own| Side { rows, own });
            let names = [pair.baseline.clone(), pair.label.clone()];
            ScorePair::between(names, sides, level).side()
        });
        let (low, high) = low.zip(high).filter(|(low, high)| low != high)?;
        let word = |side: Ordering| if side.is_gt() { "better" } else { "worse" };
        let (label, baseline) = (&pair.label, &pair.baseline);
        let name = Family::of(feature).map_or(*feature, |(_, name)| name);
        Some(format!(
            "{label} against {baseline} turns with {name}: decided, {} below {middle}; decided, {} from {middle} on.",
            word(low),
            word(high)
        ))
    };
    features.iter().find_map(turns)
}

/// A warning if the differences of instances with one value of a feature agree more than chance. What the experiment sets is no
/// draw.
pub(super) fn alike(
    pair: &ScorePair,
    rows: &Rows,
    selection: &[u32],
    experiment: &Experiment,
) -> Option<String> {
    if !rows.clusters.is_empty() {
        return None;
    }
    let sides = sides(pair, rows, selection);
    let [a, b] = sides.each_ref().map(|own| Side { rows, own });
    let differences: HashMap<&str, f64> = by_question(a, b)
        .into_iter()
        .map(|(row, difference)| (rows.text("question", row), difference))
        .collect();
    let mut features: Vec<&str> = rows.family(Family::Parameter).collect();
    features.retain(|feature| {
        let name = Family::of(feature).map_or(*feature, |(_, name)| name);
        let mut entries = experiment.instances.iter();
        let is_set = entries.any(|entry| entry.set.contains_key(name));
        !is_set && !experiment.parameters.contains_key(name)
    });
    let chance = |feature: &&str| {
        let mut groups: BTreeMap<&str, HashMap<&str, f64>> = BTreeMap::new();
        for row in b.own {
            let question = rows.text("question", *row);
            let known = differences.get(question).map(|it| (question, *it));
            groups
                .entry(rows.text(feature, *row))
                .or_default()
                .extend(known);
        }
        let groups = groups.values().map(|own| own.values().copied().collect());
        one_way(&groups.collect::<Vec<Vec<f64>>>())
    };
    let agrees =
        |feature: &&&str| chance(feature).is_some_and(|p| p * (features.len() as f64) < 0.01);
    let feature = features.iter().find(agrees)?;
    let name = Family::of(feature).map_or(*feature, |(_, name)| name);
    Some(format!(
        "Instances with the same `{name}` agree in their differences more than chance: as independent ones they decide too much. `cluster = \"{name}\"` in [problem] counts each {name} once."
    ))
}

/// A note on undecided pairs: the number of further pairs like these that would decide them, and the shared level.
pub(super) fn further(pairs: &[ScorePair], advice: &str) -> Option<String> {
    let open = pairs.iter().filter(|pair| pair.side().is_none());
    let needs = |pair: &ScorePair| Some(format!("{} for {}", pair.needs()?, pair.label));
    let mut named: Vec<String> = open.filter_map(needs).collect();
    let others = if named.len() > 2 { " and so on" } else { "" };
    named.truncate(2);
    let shared = match pairs.len() {
        0 | 1 => String::new(),
        count => format!(" {count} comparisons share the level of 5 %, so each needs more pairs."),
    };
    let note = format!(
        "Undecided comparisons need, if further pairs are like these, {}{others}. {advice}.{shared}",
        named.join(", ")
    );
    (!named.is_empty()).then_some(note)
}

/// Notes on samples without an answer, and on those on which the referee failed.
pub(super) fn caveats(rows: &Rows, selection: &[u32], experiment: &Experiment) -> Vec<String> {
    let mut notes = Vec::new();
    let labels = rows.distinct("label", selection);
    let variants = experiment.variant_specs().unwrap_or_default().into_iter();
    let ran = variants.filter(|variant| labels.contains(&variant.label));
    let declared = ran.filter_map(|variant| variant.foreign);
    let mut silent: Vec<String> = declared.flat_map(|foreign| foreign.counters).collect();
    let printed = |name: &String| rows.numbers(&Family::Counter.column(name), selection);
    silent.retain(|name| printed(name).is_empty());
    silent.sort_unstable();
    silent.dedup();
    if let [first, ..] = silent.as_slice() {
        let all = silent.join(", ");
        notes.push(format!(
            "No solver printed {all}: a counter is a line `#s {first} 12` of standard error."
        ));
    }
    let has_failed = |row: &u32| rows.counts(*row) && rows.confirmed(*row).is_none();
    if selection.iter().any(has_failed) {
        notes.push("A sample without an answer counts as the worst score: 0 % of the best known, 100 % worse than any answer. Mean scores leave it out: those of variants that solved other instances are of other instances. In the median time it counts with its limit.".to_owned());
    }
    if let count @ 1.. = selection.iter().filter(|row| rows.is_added(**row)).count() {
        let samples = units::plural(count, "sample");
        notes.push(format!(
            "{samples} of repeats that a later session added: they count in the table, and in no pair."
        ));
    }
    if let count @ 1.. = rows.ended(selection, Outcome::RefereeFailed).len() {
        let answers = units::plural(count, "answer");
        notes.push(format!(
            "The referee failed on {answers}, which count for no solver: means and shares are of the other answers."
        ));
    }
    notes
}
