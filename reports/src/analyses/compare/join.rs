//! Cells of two sides, joined on what both know of them.

use std::collections::HashMap;

use super::{PAIRS, Side, Terms, sides};
use crate::analyses::questions::known_settings;
use crate::analyses::{described, varying};
use crate::error::ReportError;
use crate::statistics::Interval;
use crate::statistics::median;
use crate::statistics::statistic::Sample;

/// The samples of one question on both sides.
#[derive(Debug, Clone, Default)]
pub(super) struct Pair {
    pub(super) variant: String,
    pub(super) instance: String,
    /// What tells the question from others of the instance.
    pub(super) question: String,
    pub(super) a: Vec<f64>,
    pub(super) b: Vec<f64>,
    /// Whether stopped samples decide the median.
    pub(super) stopped: (bool, bool),
}

impl Pair {
    pub(super) fn medians(&self) -> Option<(f64, f64)> {
        Some((median(&self.a)?, median(&self.b)?))
    }

    /// Whether repeats never differ.
    pub(super) fn is_constant(&self) -> bool {
        let constant = |values: &[f64]| values.iter().all(|value| *value == values[0]);
        constant(&self.a) && constant(&self.b)
    }

    pub(super) fn flagged(&self, ratio: Option<Interval>) -> Option<Interval> {
        ratio.map(|ratio| Interval {
            at_least: self.stopped.0 || self.stopped.1,
            ..ratio
        })
    }
}

/// A row of the table.
pub(super) struct Row {
    pub(super) variant: String,
    pub(super) place: String,
    pub(super) pairs: Vec<Pair>,
}

/// Pairs by variant and instance; where there are too few to test as pairs, each for itself.
pub(super) fn rows_of_table(pairs: Vec<Pair>) -> Vec<Row> {
    let mut place: HashMap<(String, String), usize> = HashMap::new();
    let mut groups: Vec<Vec<Pair>> = Vec::new();
    for pair in pairs {
        let key = (pair.variant.clone(), pair.instance.clone());
        let at = *place.entry(key).or_insert(groups.len());
        if at == groups.len() {
            groups.push(Vec::new());
        }
        groups[at].push(pair);
    }
    let row = |pairs: Vec<Pair>| Row {
        variant: pairs[0].variant.clone(),
        place: match pairs.as_slice() {
            [one] => format!("{} {}", one.instance, one.question)
                .trim()
                .to_owned(),
            _ => pairs[0].instance.clone(),
        },
        pairs,
    };
    let mut rows = Vec::new();
    for group in groups {
        if group.len() >= PAIRS {
            rows.push(row(group));
        } else {
            rows.extend(group.into_iter().map(|pair| row(vec![pair])));
        }
    }
    // The order of a run's rows is random; that of a table is not.
    rows.sort_by(|a, b| (&a.place, &a.variant).cmp(&(&b.place, &b.variant)));
    rows
}

/// What could be joined.
pub(super) struct Joined {
    pub(super) pairs: Vec<Pair>,
    pub(super) caveats: Vec<String>,
    /// What A solved and no sample of B solved, in words.
    pub(super) lost: Vec<String>,
}

/// One side's cells by their keys, in the order of its rows.
type Cells<'a> = Vec<(Vec<&'a str>, Vec<u32>)>;

/// Joins the cells of both sides.
///
/// # Errors
/// When one side has questions that the other lacks, unless forced; when nothing has a value on both.
pub(super) fn join(a: &Side, b: &Side, terms: &Terms) -> Result<Joined, ReportError> {
    let keys = keys(a, b);
    let mut of_a: HashMap<Vec<&str>, (Vec<Vec<u32>>, bool)> = HashMap::new();
    for (key, cell) in cells_of(a, &keys) {
        of_a.entry(key).or_default().0.push(cell);
    }
    let column = terms.metric.column();
    let apart_a = varying(a.rows, &a.selection, "");
    let apart_b = varying(b.rows, &b.selection, "");
    let (mut pairs, mut lost) = (Vec::new(), Vec::new());
    let (mut failed, mut both_stopped, mut only_b) = (0, 0, 0);
    for (key, cell) in cells_of(b, &keys) {
        let Some((partners, met)) = of_a.get_mut(&key) else {
            only_b += 1;
            continue;
        };
        *met = true;
        let ours = Sample::of(b.rows, &column, &cell);
        for partner in partners.iter() {
            let theirs = Sample::of(a.rows, &column, partner);
            let stopped = (theirs.median_is_bound(), ours.median_is_bound());
            let name = variant((a, partner[0]), (b, cell[0]));
            let question = question((a, partner[0], &apart_a), (b, cell[0], &apart_b));
            let instance = b.rows.text("instance", cell[0]).to_owned();
            if is_solved(a, partner) && !is_solved(b, &cell) {
                let outcome = b.rows.text("outcome", cell[0]);
                lost.push(format!(
                    "{name} on {instance} {question} was solved, now {outcome}"
                ));
            }
            if theirs.values.is_empty() || ours.values.is_empty() {
                failed += 1;
            } else if stopped == (true, true) {
                both_stopped += 1;
            } else {
                pairs.push(Pair {
                    variant: name,
                    instance,
                    question,
                    a: theirs.values,
                    b: ours.values.clone(),
                    stopped,
                });
            }
        }
    }
    let only_a = of_a.values().filter(|(_, met)| !met).count();
    let none_met = only_a == of_a.len();
    let mut caveats = sides::forced(unmet(only_a, only_b), terms.force)?;
    if none_met {
        pairs = independent(a, b, terms);
        caveats.push(
            "No question stands on both sides: the medians of each side's questions are compared as independent samples."
                .to_owned(),
        );
    }
    for (count, what) in [
        (
            failed,
            "had no value on one side (skipped, crashed, out of memory or wrong)",
        ),
        (
            both_stopped,
            "were stopped on both sides, which says nothing",
        ),
    ] {
        if count > 0 {
            caveats.push(format!("{count} pairs of cells {what} and are left out."));
        }
    }
    if pairs.is_empty() && lost.is_empty() {
        let word = terms.metric.word();
        return Err(ReportError::Question(format!(
            "{} and {} have no instance in common with a value of {word} on both sides",
            a.name, b.name
        )));
    }
    Ok(Joined {
        pairs,
        caveats,
        lost,
    })
}

fn is_solved(side: &Side, cell: &[u32]) -> bool {
    let outcomes = cell.iter().map(|row| side.rows.text("outcome", *row));
    outcomes.into_iter().any(|outcome| outcome == "solved")
}

fn unmet(only_a: usize, only_b: usize) -> Vec<String> {
    if only_a + only_b == 0 {
        return Vec::new();
    }
    vec![format!(
        "instance set differs: {only_a} questions only in A, {only_b} only in B"
    )]
}

/// Where no question is shared: the medians of each instance name's questions, side by side.
fn independent(a: &Side, b: &Side, terms: &Terms) -> Vec<Pair> {
    let column = terms.metric.column();
    let by = if a.variant.is_none() && b.variant.is_none() {
        vec!["instance", "label"]
    } else {
        vec!["instance"]
    };
    let groups = |side: &Side| side.rows.group_by(&by, &side.selection);
    let medians = |side: &Side, group: &[u32]| -> Vec<f64> {
        let questions = side.rows.group_by(&["cell"], group).into_iter();
        questions
            .filter_map(|cell| median(&Sample::of(side.rows, &column, &cell).values))
            .collect()
    };
    let words = |side: &Side, row: u32| -> Vec<String> {
        let words = by.iter().map(|name| side.rows.text(name, row).to_owned());
        words.collect()
    };
    let mut pairs = Vec::new();
    for of_b in groups(b) {
        let key = words(b, of_b[0]);
        for of_a in groups(a).iter().filter(|group| words(a, group[0]) == key) {
            pairs.push(Pair {
                variant: variant((a, of_a[0]), (b, of_b[0])),
                instance: key[0].clone(),
                a: medians(a, of_a),
                b: medians(b, &of_b),
                ..Pair::default()
            });
        }
    }
    pairs.retain(|pair| !pair.a.is_empty() && !pair.b.is_empty());
    pairs
}

/// The columns on which both sides are joined: experiment and label where they must agree, settings
/// that both know.
fn keys<'a>(a: &Side<'a>, b: &Side<'a>) -> Vec<&'a str> {
    let mut keys = vec!["problem", "instance_hash", "threads"];
    // Columns that were found different were forced to meet nevertheless.
    keys.extend(
        ["mode", "bound_policy"]
            .iter()
            .filter(|name| a.distinct(name) == b.distinct(name)),
    );
    let several = |side: &Side| side.distinct("experiment").len() > 1;
    if several(a) || several(b) {
        keys.push("experiment");
    }
    if a.variant.is_none() && b.variant.is_none() {
        keys.push("label");
    }
    let of_b = known_settings(b.rows, &b.selection);
    let of_a = known_settings(a.rows, &a.selection).into_iter();
    // Two named variants may each have one value of a setting for themselves: the width of a beam.
    let own = |name: &&str| {
        let (values_a, values_b) = (a.distinct(name), b.distinct(name));
        let is_one = values_a.len() == 1 && values_b.len() == 1;
        a.variant.is_some() && a.variant != b.variant && is_one && values_a != values_b
    };
    keys.extend(of_a.filter(|name| of_b.contains(name) && !own(name)));
    keys
}

/// A side's cells with their words in `keys`.
fn cells_of<'a>(side: &Side<'a>, keys: &[&str]) -> Cells<'a> {
    let own = known_settings(side.rows, &side.selection);
    let mut by: Vec<&str> = keys.to_vec();
    by.push("label");
    by.extend(own.iter().filter(|name| !keys.contains(*name)));
    let cells = side.rows.group_by(&by, &side.selection).into_iter();
    cells
        .map(|cell| {
            let words = keys.iter().map(|name| side.rows.text(name, cell[0]));
            (words.collect(), cell)
        })
        .collect()
}

/// `memo`, or `memo → bitboard` where two are compared.
fn variant((a, row_a): (&Side, u32), (b, row_b): (&Side, u32)) -> String {
    let (from, to) = (a.rows.text("label", row_a), b.rows.text("label", row_b));
    if from == to {
        to.to_owned()
    } else {
        format!("{from} → {to}")
    }
}

/// Seed and settings, each said once.
fn question(a: (&Side, u32, &[&str]), b: (&Side, u32, &[&str])) -> String {
    let (side, row, apart) = b;
    let seed = side.rows.text("seed", row);
    let mut said = Vec::new();
    if !seed.is_empty() {
        said.push(format!("seed={seed}"));
    }
    for (side, row, apart) in [(side, row, apart), a] {
        let words = described(side.rows, apart, row);
        for word in words.split(' ').filter(|word| !word.is_empty()) {
            if !said.iter().any(|known| known == word) && !word.starts_with("generator=") {
                said.push(word.to_owned());
            }
        }
    }
    said.join(" ")
}
