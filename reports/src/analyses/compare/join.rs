//! Joins the cells of two sides on the columns that both sides have.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::cut::CutPair;
use super::sides::{self, ComparedSide};
use super::terms::CompareTerms;
use crate::analyses::scores::{common_methods, methods};
use crate::analyses::varying;
use crate::error::{ReportError, Result};
use crate::records::{Outcome, is_suspect};
use crate::rows::QUESTION;
use crate::statistics::decision::LEVEL;
use crate::statistics::hypothesis::fails_more;
use crate::statistics::median;
use crate::statistics::sample::CensoredSample;
use crate::statistics::stratified::least_p;

/// The time and the state of the machine of one sample.
#[derive(Debug, Clone, Copy)]
pub(super) struct TakenAt {
    /// The start in nanoseconds; only the order of the values matters.
    pub started: f64,
    /// The value divided by the median of its cell.
    pub ratio: f64,
    /// True if the canary deviated.
    pub suspect: bool,
}

/// The samples of one question on both sides.
pub(super) struct Pair {
    pub(super) variant: String,
    pub(super) instance: String,
    /// The instance's identity.
    pub(super) hash: String,
    /// The seed and the settings that distinguish the question from others of the instance.
    pub(super) question: String,
    pub(super) a: CensoredSample,
    pub(super) b: CensoredSample,
    /// Both sides, cut at the same value.
    pub(super) cut: CutPair,
    /// The start time and the canary of each side's solved samples; empty where the file has no start times.
    pub(super) taken: [Vec<TakenAt>; 2],
    /// True if the values can show whether they scatter: each side has several samples, or the searches of both sides
    /// repeat their counters by contract.
    pub(super) is_deterministic: bool,
    /// True if both sides are one cell: the same version and program on the same question.
    pub(super) is_placebo: bool,
    /// The failed samples of each side in words; empty where none failed.
    pub(super) failed: [String; 2],
}

/// A row of the table.
pub(super) struct ComparedRow {
    pub(super) variant: String,
    pub(super) place: String,
    pub(super) pairs: Vec<Pair>,
}

impl ComparedRow {
    /// Returns whether the same version and program answered on both sides.
    pub(super) fn is_placebo(&self) -> bool {
        self.pairs.iter().all(|pair| pair.is_placebo)
    }
}

/// Groups the pairs by variant and instance name. Instances with one sample a side, of which none can be decided alone,
/// form one row together if that can be decided.
pub(super) fn rows_of_table(pairs: Vec<Pair>, terms: &CompareTerms) -> Vec<ComparedRow> {
    let mut groups: BTreeMap<(String, String), Vec<Pair>> = BTreeMap::new();
    for pair in pairs {
        let key = (pair.instance.clone(), pair.variant.clone());
        groups.entry(key).or_default().push(pair);
    }
    let row = |((instance, variant), pairs): ((String, String), Vec<Pair>)| ComparedRow {
        place: match pairs.as_slice() {
            [one] => format!("{instance} {}", one.question).trim().to_owned(),
            _ => instance,
        },
        variant,
        pairs,
    };
    united(groups, terms).into_iter().map(row).collect()
}

/// The numbers of samples of A and B, by question.
type Sizes = Vec<(usize, usize)>;

/// Unites the groups of a variant if none of them can be decided, because their samples are too few for the number of
/// rows.
fn united(
    groups: BTreeMap<(String, String), Vec<Pair>>,
    terms: &CompareTerms,
) -> BTreeMap<(String, String), Vec<Pair>> {
    let is_random = |pair: &Pair| terms.metric.is_time() || !pair.is_deterministic;
    let sizes = |pairs: &[Pair]| -> Sizes { pairs.iter().map(|pair| pair.cut.sizes()).collect() };
    // The smallest p of all rows is multiplied by their number.
    let rows = groups.len() as f64;
    // For each variant the number of its groups, and the sizes of all their pairs if none of the groups can be decided.
    let mut blind: BTreeMap<String, (usize, Option<Sizes>)> = BTreeMap::new();
    for ((_, variant), pairs) in &groups {
        let own = sizes(pairs);
        let is_blind = pairs.iter().all(is_random) && rows * least_p(own.clone()) >= LEVEL;
        let first = || (0, Some(Vec::new()));
        let (count, together) = blind.entry(variant.clone()).or_insert_with(first);
        *count += 1;
        *together = together.take().filter(|_| is_blind).map(|mut all| {
            all.extend(own);
            all
        });
    }
    let variants = blind.len() as f64;
    let can_be_decided =
        |together: &[(usize, usize)]| variants * least_p(together.to_vec()) < LEVEL;
    let mut all: BTreeMap<(String, String), Vec<Pair>> = BTreeMap::new();
    for ((instance, variant), pairs) in groups {
        let place = match blind.get(&variant) {
            Some((count @ 2.., Some(together))) if can_be_decided(together) => {
                format!("{count} instances")
            }
            _ => instance,
        };
        all.entry((place, variant)).or_default().extend(pairs);
    }
    all
}

/// The result of the join.
#[derive(Default)]
pub(super) struct Joined {
    /// True if a side has several experiments, each of which is compared with itself.
    has_experiments: bool,
    pub(super) pairs: Vec<Pair>,
    pub(super) caveats: Vec<String>,
    /// Questions, in words, of which B failed samples and A none or significantly fewer, or that only A solved and of
    /// which B was not stopped sooner.
    pub(super) lost: Vec<String>,
    /// Questions, in words, of which B failed more samples than A, but not significantly more.
    pub(super) shaky: Vec<String>,
    /// Questions, in words, of which A failed samples and B none, or that only B solved and of which A was not stopped
    /// sooner.
    pub(super) gained: Vec<String>,
    /// The number of pairs of cells in which one side has no value, or lacks the value of a sample.
    failed: usize,
    both_stopped: usize,
    /// The number of pairs of cells with timeouts whose value may still rise or fall.
    unclear: usize,
    /// The number of pairs of cells that only one side answered, after more time than the other had.
    sooner: usize,
}

impl Joined {
    /// Adds the cells of one question. `apart_a` and `apart_b` are the columns that distinguish the questions of each
    /// side.
    fn add(
        &mut self,
        metric: &str,
        (a, of_a, apart_a): (&ComparedSide, &[u32], &[&str]),
        (b, of_b, apart_b): (&ComparedSide, &[u32], &[&str]),
    ) {
        let (theirs, ours) = (a.rows.sample(metric, of_a), b.rows.sample(metric, of_b));
        let mut name = variant((a, of_a[0]), (b, of_b[0]));
        if self.has_experiments {
            name += &format!(" in {}", b.rows.text("experiment", of_b[0]));
        }
        let question = question((a, of_a[0], apart_a), (b, of_b[0], apart_b));
        let instance = b.rows.text("instance", of_b[0]).to_owned();
        let place = format!("{name} on {instance} {question}");
        let place = place.trim_end();
        let failed = [(a, of_a), (b, of_b)].map(|(side, own)| side.rows.failed_in_words(own));
        match answered((a, of_a), (b, of_b)) {
            _ if !failed.concat().is_empty() => {
                self.add_failures(place, &failed, [of_a, of_b], [&theirs, &ours]);
            }
            OneSided::Lost => {
                let outcome = b.rows.text("outcome", of_b[0]);
                self.lost.push(format!("{place} was solved, now {outcome}"));
            }
            OneSided::Gained => {
                let outcome = a.rows.text("outcome", of_a[0]);
                self.gained.push(format!("{place}, {outcome} before"));
            }
            OneSided::StoppedSooner => self.sooner += 1,
            OneSided::Alike => {}
        }
        if theirs.values.is_empty() || ours.values.is_empty() || theirs.missing + ours.missing > 0 {
            self.failed += 1;
        } else if theirs.median_is_bound() && ours.median_is_bound() {
            self.both_stopped += 1;
        } else if let Some(cut) = CutPair::of(&theirs, &ours) {
            let sizes = cut.sizes();
            self.pairs.push(Pair {
                variant: name,
                instance,
                hash: b.rows.text("instance_hash", of_b[0]).to_owned(),
                question,
                is_deterministic: sizes.0.min(sizes.1) > 1
                    || (a.rows.repeats_counters(of_a[0]) && b.rows.repeats_counters(of_b[0])),
                is_placebo: is_one_cell((a, of_a[0]), (b, of_b[0])),
                taken: [(a, of_a), (b, of_b)].map(|(side, own)| taken(side, own, metric)),
                a: theirs,
                b: ours,
                cut,
                failed,
            });
        } else {
            self.unclear += 1;
        }
    }

    /// Adds a question with failed samples.
    fn add_failures(
        &mut self,
        place: &str,
        failed: &[String; 2],
        rows: [&[u32]; 2],
        samples: [&CensoredSample; 2],
    ) {
        let [counts, of] = [samples.map(|side| side.failed), rows.map(<[u32]>::len)];
        let [before, now] = failed;
        let share = |side: usize| counts[side] as f64 / of[side] as f64;
        if counts[0] == 0 {
            self.lost.push(format!("{place}: {now}, none before"));
        } else if counts[1] == 0 {
            self.gained
                .push(format!("{place}: none failed, {before} before"));
        } else if fails_more(counts, of) < LEVEL {
            self.lost.push(format!("{place}: {now}, {before} before"));
        } else if share(1) > share(0) {
            self.shaky.push(format!("{place}: {now}, {before} before"));
        }
    }

    /// Adds the notes on the pairs of cells that are left out.
    fn say_what_is_left_out(&mut self) {
        for (count, what) in [
            (
                self.failed,
                "had no value, or failed samples, on one side (skipped, crashed, out of memory or wrong)",
            ),
            (
                self.both_stopped,
                "were stopped on both sides, which says nothing",
            ),
            (
                self.unclear,
                "were stopped where the value may still rise or fall",
            ),
        ] {
            if count > 0 {
                let said = format!("{count} pairs of cells {what} and are left out.");
                self.caveats.push(said);
            }
        }
        if self.sooner > 0 {
            self.caveats.push(format!(
                "{} pairs of cells were answered by one side alone, after more time than the other side had: that is no loss and no gain.",
                self.sooner
            ));
        }
    }
}

/// One side's cells by their keys, in the order of its rows.
type Cells<'a> = Vec<(Vec<&'a str>, Vec<u32>)>;

/// Joins the cells of both sides.
///
/// # Errors
/// One side has questions that the other lacks (unless forced), or no question has a value on both sides.
pub(super) fn join(a: &ComparedSide, b: &ComparedSide, terms: &CompareTerms) -> Result<Joined> {
    let keys = keys(a, b, terms);
    // The node is the last key if the cells are joined by node.
    let is_blocked = keys.last() == Some(&NODE);
    let without_node = |key: &[&'_ str]| key[..key.len() - usize::from(is_blocked)].join("\n");
    let mut of_a: HashMap<Vec<&str>, (Vec<Vec<u32>>, bool)> = HashMap::new();
    for (key, cell) in cells_of(a, &a.selection, &keys) {
        of_a.entry(key).or_default().0.push(cell);
    }
    let metric = terms.metric.column();
    let apart_a = varying(a.rows, &a.selection, "");
    let apart_b = varying(b.rows, &b.selection, "");
    let mut joined = Joined {
        has_experiments: keys.contains(&"experiment"),
        ..Joined::default()
    };
    let (mut only_b, mut both) = (Vec::new(), HashSet::new());
    for (key, cell) in cells_of(b, &b.selection, &keys) {
        let Some((partners, met)) = of_a.get_mut(&key) else {
            only_b.push(without_node(&key));
            continue;
        };
        *met = true;
        both.insert(without_node(&key));
        for partner in partners.iter() {
            joined.add(&metric, (a, partner, &apart_a), (b, &cell, &apart_b));
        }
    }
    let only_a = of_a.iter().filter(|(_, (_, met))| !met);
    let only_a: Vec<String> = only_a.map(|(key, _)| without_node(key)).collect();
    if both.is_empty() && !is_blocked {
        return Err(ReportError::Question(
            "no question stands on both sides; run the same experiment with the same seeds"
                .to_owned(),
        ));
    }
    // A side that has only an answer without a verdict was asked the question, so the sides do not differ in it.
    let unjudged = [a, b].map(|side| cells_of(side, &side.unjudged, &keys));
    let unjudged = unjudged.iter().flatten().map(|(key, _)| without_node(key));
    let known: HashSet<String> = unjudged.chain(both.iter().cloned()).collect();
    let of_one = |only: &[String]| only.iter().filter(|key| !known.contains(*key)).count();
    let unmet = unmet(of_one(&only_a), of_one(&only_b));
    joined.caveats = sides::forced(unmet, terms.force)?;
    if is_blocked {
        let alone = [&only_a, &only_b].into_iter().flatten();
        let alone = alone.filter(|key| both.contains(*key)).count();
        joined.caveats.push(format!(
            "The rows were taken on several nodes: both sides of a pair are from one node{}.",
            match alone {
                0 => String::new(),
                _ => format!("; {alone} cells whose other side is on another node are left out"),
            }
        ));
    }
    joined.say_what_is_left_out();
    let said = [&joined.lost, &joined.gained, &joined.shaky];
    if joined.pairs.is_empty() && said.iter().all(|said| said.is_empty()) {
        let word = terms.metric.word();
        return Err(ReportError::Question(format!(
            "{} and {} have no instance in common with a value of {word} on both sides",
            a.name, b.name
        )));
    }
    Ok(joined)
}

/// Returns whether both rows belong to one cell: version, program, settings and question are equal.
fn is_one_cell((a, row_a): (&ComparedSide, u32), (b, row_b): (&ComparedSide, u32)) -> bool {
    let cell = a.rows.text("cell", row_a);
    !cell.is_empty() && cell == b.rows.text("cell", row_b)
}

/// The side that answered a question.
enum OneSided {
    /// Both, or neither.
    Alike,
    /// A alone, and B was not stopped sooner than A's time.
    Lost,
    /// B alone, and A was not stopped sooner than B's time.
    Gained,
    /// One side alone, and the other was stopped sooner.
    StoppedSooner,
}

fn answered((a, of_a): (&ComparedSide, &[u32]), (b, of_b): (&ComparedSide, &[u32])) -> OneSided {
    let (one, other, outcome) = match (solved_within(a, of_a), solved_within(b, of_b)) {
        (Some(time), None) => (time, (b, of_b), OneSided::Lost),
        (None, Some(time)) => (time, (a, of_a), OneSided::Gained),
        _ => return OneSided::Alike,
    };
    match stopped_after(other.0, other.1) {
        Some(time) if time < one => OneSided::StoppedSooner,
        _ => outcome,
    }
}

/// The longest time of a solved sample; `None` if there is none.
fn solved_within(side: &ComparedSide, cell: &[u32]) -> Option<f64> {
    let solved = cell
        .iter()
        .filter(|row| side.rows.outcome(**row) == Some(Outcome::Solved));
    let time = |row: &u32| side.rows.number("wall_ns", *row).unwrap_or(0.0);
    solved.map(time).reduce(f64::max)
}

/// The longest time of a timeout; `None` if the cell has none.
fn stopped_after(side: &ComparedSide, cell: &[u32]) -> Option<f64> {
    let stopped = cell
        .iter()
        .filter(|row| side.rows.outcome(**row) == Some(Outcome::Timeout));
    let times = stopped.filter_map(|row| side.rows.number("wall_ns", *row));
    times.reduce(f64::max)
}

/// The start times and canaries of a cell's solved samples, with their values divided by the cell's median.
fn taken(side: &ComparedSide, cell: &[u32], metric: &str) -> Vec<TakenAt> {
    let rows = side.rows;
    let Some(middle) = median(&rows.numbers(metric, &rows.solved(cell))) else {
        return Vec::new();
    };
    let taken = rows.solved(cell).into_iter().filter_map(|row| {
        Some(TakenAt {
            started: rows.number("started_ns", row)?,
            ratio: rows.number(metric, row)? / middle,
            suspect: rows.number("canary", row).is_some_and(is_suspect),
        })
    });
    taken.collect()
}

fn unmet(only_a: usize, only_b: usize) -> Vec<String> {
    if only_a + only_b == 0 {
        return Vec::new();
    }
    vec![format!(
        "questions or variants differ: {only_a} cells only in A, {only_b} only in B"
    )]
}

/// The column of the machine that took a sample.
const NODE: &str = "node";

/// The columns on which both sides are joined: the problem, the question, the experiment and the label where they must
/// agree, the method settings where both sides select the same variant, and last the node where a side has several
/// nodes.
fn keys<'a>(a: &ComparedSide<'a>, b: &ComparedSide<'a>, terms: &CompareTerms) -> Vec<&'a str> {
    let mut keys = vec!["problem"];
    // A column whose values differ between the sides is no key: the comparison was forced.
    let is_forced = |name: &str| {
        ["mode", "bound_policy"].contains(&name) && a.distinct(name) != b.distinct(name)
    };
    keys.extend(QUESTION.iter().filter(|name| !is_forced(name)));
    let several = |side: &ComparedSide| side.distinct("experiment").len() > 1;
    if several(a) || several(b) {
        keys.push("experiment");
    }
    if a.variant.is_none() && b.variant.is_none() {
        keys.push("label");
    }
    if a.variant == b.variant {
        keys.extend(common_methods(
            (a.rows, &a.selection),
            (b.rows, &b.selection),
        ));
    }
    if terms.metric.is_time() && !terms.force && are_of_several_nodes(a, b) {
        keys.push(NODE);
    }
    keys
}

/// Returns whether a run has several nodes. Two runs of one node each do not count: the facts of their machines
/// distinguish the hosts.
fn are_of_several_nodes(a: &ComparedSide, b: &ComparedSide) -> bool {
    let (of_a, of_b) = (a.distinct(NODE), b.distinct(NODE));
    let is_one_run = std::ptr::eq(a.rows, b.rows);
    of_a.len() > 1 || of_b.len() > 1 || (is_one_run && of_a != of_b)
}

/// The cells among `rows` of a side with their values in the columns `keys`.
fn cells_of<'a>(side: &ComparedSide<'a>, rows: &[u32], keys: &[&str]) -> Cells<'a> {
    let mut by: Vec<&str> = keys.to_vec();
    by.push("label");
    let methods = methods((side.rows, &side.selection));
    by.extend(methods.iter().filter(|name| !keys.contains(*name)));
    let cells = side.rows.group_by(&by, rows).into_iter();
    cells
        .map(|cell| {
            let words = keys.iter().map(|name| side.rows.text(name, cell[0]));
            (words.collect(), cell)
        })
        .collect()
}

/// `memo`, or `memo → bitboard` where two labels are compared.
fn variant((a, row_a): (&ComparedSide, u32), (b, row_b): (&ComparedSide, u32)) -> String {
    let (from, to) = (a.rows.text("label", row_a), b.rows.text("label", row_b));
    if from == to {
        to.to_owned()
    } else {
        format!("{from} → {to}")
    }
}

/// The seed and the settings of both sides, each listed once.
fn question(a: (&ComparedSide, u32, &[&str]), b: (&ComparedSide, u32, &[&str])) -> String {
    let (side, row, apart) = b;
    let seed = side.rows.text("seed", row);
    let mut said = Vec::new();
    if !seed.is_empty() {
        said.push(format!("seed={seed}"));
    }
    for (side, row, apart) in [(side, row, apart), a] {
        let words = side.rows.described(apart.iter().copied(), row);
        for word in words.split(' ').filter(|word| !word.is_empty()) {
            if !said.iter().any(|known| known == word) && !word.starts_with("generator=") {
                said.push(word.to_owned());
            }
        }
    }
    said.join(" ")
}
