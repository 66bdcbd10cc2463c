//! Joins the cells of two sides on the columns that both sides have.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::cut::CutPair;
use super::sides::{COMPARES, ComparedSide, forced};
use super::terms::CompareTerms;
use crate::analyses::scores::{common_methods, methods};
use crate::analyses::varying;
use crate::error::{ReportError, Result};
use crate::records::Outcome;
use crate::rows::QUESTION;
use crate::statistics::decision::LEVEL;
use crate::statistics::hypothesis::{Test, fails_more, holm};
use crate::statistics::median;
use crate::statistics::sample::CensoredSample;
use crate::statistics::stratified::{Stratum, constants_apart, least_p, van_elteren};
use crate::units::plural;
use ikeru_records::refuse;

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
    /// True if the searches of both sides repeat their values by contract, or if the question has enough repeats to show by
    /// their equality that they do.
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
    let can_be_decided = |all: Sizes| variants * least_p(all) < LEVEL;
    // Once for each variant: it looks at all pairs.
    let places = blind.into_iter().filter_map(|(variant, (count, all))| {
        let is_united = count > 1 && all.is_some_and(can_be_decided);
        is_united.then(|| (variant, format!("{count} instances")))
    });
    let places: BTreeMap<String, String> = places.collect();
    let mut all: BTreeMap<(String, String), Vec<Pair>> = BTreeMap::new();
    for ((instance, variant), pairs) in groups {
        let place = places.get(&variant).cloned().unwrap_or(instance);
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
    /// For each of these questions, the probability that B fails at least this number of samples by chance.
    chances: Vec<f64>,
    /// Questions, in words, of which A failed samples and B none, or that only B solved and of which A was not stopped
    /// sooner.
    pub(super) gained: Vec<String>,
    /// The samples of each question that were stopped without a value, by variant.
    stops: BTreeMap<String, Vec<Stratum>>,
    /// The number of these samples.
    stopped: usize,
    /// The number of pairs of cells in which one side has no value, or lacks the value of a sample.
    failed: usize,
    both_stopped: usize,
    /// The number of pairs of cells with timeouts whose value may still rise or fall.
    unclear: usize,
    /// The number of pairs of cells that only one side answered, after more time than the other had.
    sooner: usize,
}

impl Joined {
    /// Adds the cells of one question.
    fn add(&mut self, metric: &str, a: SideRows, b: SideRows) {
        for own_a in a.settings() {
            for own_b in b.settings() {
                self.add_outcomes(metric, a.only(&own_a), b.only(&own_b));
            }
        }
        let [theirs, ours] = [a, b].map(|one| one.known(metric));
        if theirs.values.is_empty() || ours.values.is_empty() || theirs.missing + ours.missing > 0 {
            self.failed += 1;
        } else if theirs.median_is_bound() && ours.median_is_bound() {
            self.both_stopped += 1;
        } else if let Some(cut) = CutPair::of(&theirs, &ours) {
            let repeats = |one: SideRows| one.side.rows.repeats_counters(one.own[0]);
            self.pairs.push(Pair {
                variant: self.name(a, b),
                instance: b.text("instance").to_owned(),
                hash: b.text("instance_hash").to_owned(),
                question: question(a, b),
                is_deterministic: repeats(a) && repeats(b),
                is_placebo: is_one_cell(a, b),
                a: theirs,
                b: ours,
                cut,
                failed: [a, b].map(SideRows::failed),
            });
        } else {
            self.unclear += 1;
        }
    }

    /// `memo`, or `memo → bitboard` where two labels are compared, with the experiment where a side has several.
    fn name(&self, a: SideRows, b: SideRows) -> String {
        let [from, to] = [a, b].map(SideRows::label);
        let mut name = to.to_owned();
        if from != to {
            name = format!("{from} → {to}");
        }
        if self.has_experiments {
            name += &format!(" in {}", b.text("experiment"));
        }
        name
    }

    /// Adds the answers that one side lost or gained with one setting of each side.
    fn add_outcomes(&mut self, metric: &str, a: SideRows, b: SideRows) {
        let (name, instance) = (self.name(a, b), b.text("instance"));
        let place = format!("{name} on {instance} {}", question(a, b));
        let place = place.trim_end();
        let is_sooner = |other: SideRows, time| {
            let stopped = other.typical(Outcome::Timeout);
            stopped.is_some_and(|stopped| stopped < time)
        };
        let [fails_a, fails_b] = [a, b].map(|one| !one.failed().is_empty());
        match [a, b].map(|one| one.typical(Outcome::Solved)) {
            [Some(time), None] if !fails_b => match is_sooner(b, time) {
                true => self.sooner += 1,
                false => {
                    let outcome = b.text("outcome");
                    self.lost.push(format!("{place} was solved, now {outcome}"));
                }
            },
            _ if fails_a || fails_b => self.add_failures(place, [a, b]),
            [None, Some(time)] => match is_sooner(a, time) {
                true => self.sooner += 1,
                false => {
                    let outcome = a.text("outcome");
                    self.gained.push(format!("{place}, {outcome} before"));
                }
            },
            // A solver that never prints the metric is not compared by it.
            [Some(_), Some(_)]
                if a.distinct("limit_ns") == b.distinct("limit_ns")
                    && [a, b]
                        .iter()
                        .all(|one| !one.sample(metric).values.is_empty()) =>
            {
                let [a, b] = [a, b].map(|one| one.stops(metric));
                let own = self.stops.entry(name).or_default();
                own.push(Stratum { a, b });
            }
            _ => {}
        }
    }

    /// Adds a question with failed samples.
    fn add_failures(&mut self, place: &str, sides: [SideRows; 2]) {
        let [before, now] = sides.map(SideRows::failed);
        let counts = sides.map(|one| one.side.rows.failures(one.own).values().sum::<usize>());
        let of = sides.map(|one| one.own.len());
        let share = |side: usize| counts[side] as f64 / of[side] as f64;
        let is_solved = |side: usize| sides[side].typical(Outcome::Solved).is_some();
        if counts[0] == 0 {
            self.lost.push(format!("{place}: {now}, none before"));
        } else if counts[1] == 0 && is_solved(1) {
            let said = format!("{place}: none failed, {before} before");
            self.gained.push(said);
        } else if share(1) > share(0) {
            self.shaky.push(format!("{place}: {now}, {before} before"));
            self.chances.push(fails_more(counts, of));
        }
    }

    /// Moves the questions of which B failed significantly more samples to the losses.
    fn judge_failures(&mut self) {
        let chances = holm(&std::mem::take(&mut self.chances)).into_iter();
        let shaky = std::mem::take(&mut self.shaky).into_iter().zip(chances);
        let (lost, shaky): (Vec<_>, Vec<_>) = shaky.partition(|(_, chance)| *chance < LEVEL);
        self.lost.extend(lost.into_iter().map(|(said, _)| said));
        self.shaky = shaky.into_iter().map(|(said, _)| said).collect();
    }

    /// Adds a loss for each variant of which more samples of B than of A were stopped without a value than chance explains,
    /// over all questions that both sides solved within the same limit.
    fn judge_stops(&mut self) {
        let level = LEVEL / self.stops.len().max(1) as f64;
        for (variant, strata) in &self.stops {
            let of = |side: fn(&Stratum) -> &Vec<f64>| {
                let own = strata.iter().flat_map(side);
                own.fold((0.0, 0), |(stops, of), stop| (stops + stop, of + 1))
            };
            let [a, b] = [of(|stratum| &stratum.a), of(|stratum| &stratum.b)];
            self.stopped += (a.0 + b.0) as usize;
            let is_more = |test: Test| test.statistic > 0.0 && test.p < level;
            if van_elteren(strata).is_some_and(is_more) {
                self.lost.push(format!(
                    "{variant}: {} of {} samples were stopped without a value, {} of {} before",
                    b.0, b.1, a.0, a.1
                ));
            }
        }
    }

    /// Finds the questions of variants that promise nothing, as commands do, on which equal values would hardly differ between
    /// the sides by chance. Each variant may search at random on one question that shows it nowhere, and on those that scatter.
    fn judge_repeats(&mut self) {
        let is_open = |pair: &&mut Pair| !pair.is_deterministic;
        let open: Vec<&mut Pair> = self.pairs.iter_mut().filter(is_open).collect();
        let variants: HashSet<&str> = open.iter().map(|pair| &*pair.variant).collect();
        let scatter = open.iter().filter(|pair| !pair.cut.is_constant()).count();
        let count = (variants.len() + scatter) as f64;
        for pair in open {
            let (a, b) = pair.cut.sizes();
            pair.is_deterministic = 2.0 * constants_apart(a, b) * count < LEVEL;
        }
    }

    /// Notes on the pairs of cells that are left out.
    pub(super) fn left_out(&self) -> Vec<String> {
        let failed = "had no value, or samples without one, on one side (stopped, skipped, crashed, out of memory or wrong) and are left out.";
        let stopped = "have timeouts on both sides, which says nothing, and are left out.";
        let unclear = "were stopped where the value may still rise or fall and are left out.";
        let sooner = "were answered by one side alone, after more time than the other side had: that is no loss and no gain.";
        let all = [
            (self.failed, failed),
            (self.both_stopped, stopped),
            (self.unclear, unclear),
            (self.sooner, sooner),
        ];
        let some = all.into_iter().filter(|(count, _)| *count > 0);
        let said = |(count, what): (usize, &str)| match count {
            1 => {
                let what = what.replacen("were", "was", 1).replacen("have", "has", 1);
                format!("1 pair of cells {what}")
            }
            _ => format!("{count} pairs of cells {what}"),
        };
        let stopped = (self.stopped > 0).then(|| {
            let samples = plural(self.stopped, "sample");
            format!("Stopped without a value, and left out of their pairs: {samples}.")
        });
        some.map(said).chain(stopped).collect()
    }
}

/// Some rows of a side.
#[derive(Clone, Copy)]
struct SideRows<'a> {
    side: &'a ComparedSide<'a>,
    own: &'a [u32],
    /// The columns that distinguish the questions of the side.
    apart: &'a [&'a str],
}

impl<'a> SideRows<'a> {
    /// Some of its rows.
    fn only<'b>(self, own: &'b [u32]) -> SideRows<'b>
    where
        'a: 'b,
    {
        SideRows { own, ..self }
    }

    /// The text of its first row.
    fn text(self, column: &str) -> &'a str {
        self.side.rows.text(column, self.own[0])
    }

    fn sample(self, metric: &str) -> CensoredSample {
        self.side.rows.sample(metric, self.own)
    }

    /// The sample without the stopped ones that have no value, if they are too few to decide its median: the test on all
    /// stops counts them.
    fn known(self, metric: &str) -> CensoredSample {
        let sample = self.sample(metric);
        if 2 * sample.missing < sample.values.len() && self.failed().is_empty() {
            return sample.known();
        }
        sample
    }

    fn failed(self) -> String {
        self.side.rows.failed_in_words(self.own)
    }

    /// For each sample 1 if it was stopped without a value of `metric`, else 0.
    fn stops(self, metric: &str) -> Vec<f64> {
        let rows = self.side.rows;
        let is_stopped =
            |row: u32| rows.number(metric, row).is_none() && rows.lacks_value(metric, row);
        let stops = self.own.iter().map(|row| u8::from(is_stopped(*row)).into());
        stops.collect()
    }

    /// The values of a column.
    fn distinct(self, column: &str) -> Vec<String> {
        self.side.rows.distinct(column, self.own)
    }

    /// Returns whether all its rows have this text.
    fn are_all(self, column: &str, text: &str) -> bool {
        let mut own = self.own.iter();
        own.all(|row| self.side.rows.text(column, *row) == text)
    }

    /// The label. Several labels of one variant have its name.
    fn label(self) -> &'a str {
        let label = self.text("label");
        match &self.side.variant {
            Some(variant) if !self.are_all("label", label) => variant,
            _ => label,
        }
    }

    /// The rows of each label and setting.
    fn settings(self) -> Vec<Vec<u32>> {
        let methods = methods((self.side.rows, self.own));
        let by = [&["label"][..], &methods].concat();
        self.side.rows.group_by(&by, self.own)
    }

    /// The median time of the samples with this outcome; `None` if there is none. An answer that came after the limit took
    /// the limit: a timeout of the other side was then not sooner.
    fn typical(self, outcome: Outcome) -> Option<f64> {
        let rows = self.side.rows;
        let time = |row: &u32| {
            let [time, limit] = ["wall_ns", "limit_ns"].map(|name| rows.number(name, *row));
            let limit = limit.filter(|_| outcome == Outcome::Solved);
            Some(time?.min(limit.unwrap_or(f64::INFINITY)))
        };
        let ended = rows.ended(self.own, outcome);
        median(&ended.iter().filter_map(time).collect::<Vec<_>>())
    }
}

/// One side's rows by their keys, in their order.
type Cells<'a> = Vec<(Vec<&'a str>, Vec<u32>)>;

/// The refusal of sides without a common question.
fn nothing_common(a: &ComparedSide, b: &ComparedSide) -> ReportError {
    let [of_a, of_b] = [a, b].map(|side| side.distinct("instance_hash"));
    let why = if of_a.is_disjoint(&of_b) {
        "run the same experiment with the same seeds"
    } else {
        "the instances are the same, but variants, settings or the problem's referee differ"
    };
    ReportError::Question(format!("no question stands on both sides; {why}"))
}

/// Joins the cells of both sides. `is_scored`: the scores of both are compared too, so that a join without a pair is no error.
///
/// # Errors
/// One side has questions that the other lacks (unless forced), or no question has a value on both sides.
pub(super) fn join(
    a: &ComparedSide,
    b: &ComparedSide,
    terms: &CompareTerms,
    is_scored: bool,
) -> Result<Joined> {
    let keys = keys(a, b, terms);
    // The node is the last key if the cells are joined by node.
    let is_blocked = keys.last() == Some(&NODE);
    let without_node = |key: &[&'_ str]| key[..key.len() - usize::from(is_blocked)].join("\n");
    let of_a = cells_of(a, &a.selection, &keys).into_iter();
    let mut of_a: HashMap<_, _> = of_a.map(|(key, cell)| (key, (cell, false))).collect();
    let metric = terms.metric.column();
    let apart = [a, b].map(|side| varying(side.rows, &side.selection, ""));
    let [all_a, all_b] = [(a, &apart[0]), (b, &apart[1])].map(|(side, apart)| SideRows {
        side,
        own: &side.selection,
        apart,
    });
    let mut joined = Joined {
        has_experiments: keys.contains(&"experiment"),
        ..Joined::default()
    };
    let (mut only_b, mut both) = (Vec::new(), HashSet::new());
    for (key, cell) in cells_of(b, &b.selection, &keys) {
        let Some((partner, met)) = of_a.get_mut(&key) else {
            only_b.push(without_node(&key));
            continue;
        };
        *met = true;
        both.insert(without_node(&key));
        joined.add(&metric, all_a.only(partner), all_b.only(&cell));
    }
    let only_a = of_a.iter().filter(|(_, (_, met))| !met);
    let only_a: Vec<String> = only_a.map(|(key, _)| without_node(key)).collect();
    joined.judge_failures();
    joined.judge_stops();
    joined.judge_repeats();
    if both.is_empty() && !is_blocked {
        return Err(nothing_common(a, b));
    }
    // A side that has only an answer without a verdict was asked the question, so the sides do not differ in it.
    let unjudged = [a, b].map(|side| cells_of(side, &side.unjudged, &keys));
    let unjudged = unjudged.iter().flatten().map(|(key, _)| without_node(key));
    let known: HashSet<String> = unjudged.chain(both.iter().cloned()).collect();
    let of_one = |only: &[String]| only.iter().filter(|key| !known.contains(*key)).count();
    let unmet = match [of_one(&only_a), of_one(&only_b)] {
        [0, 0] => None,
        // A run may ask one variant more than another, as where it draws further instances until claims are decided.
        [in_a, in_b] if std::ptr::eq(a.rows, b.rows) && !both.is_empty() => {
            joined.caveats.push(format!(
                "{in_a} cells only in A and {in_b} only in B are left out: the run asked one side more."
            ));
            None
        }
        [a, b] => Some(format!(
            "questions or variants differ: {a} cells only in A, {b} only in B"
        )),
    };
    let notes = forced(unmet.into_iter().collect(), terms.force, COMPARES)?;
    joined.caveats.extend(notes);
    if is_blocked {
        let alone = [&only_a, &only_b].into_iter().flatten();
        let alone = alone.filter(|key| both.contains(*key)).count();
        let left_out = match alone {
            0 => String::new(),
            _ => format!("; {alone} cells whose other side is on another node are left out"),
        };
        joined.caveats.push(format!(
            "The rows were taken on several nodes: both sides of a pair are from one node{left_out}."
        ));
    }
    let said = [&joined.lost, &joined.gained, &joined.shaky];
    if joined.pairs.is_empty() && said.iter().all(|said| said.is_empty()) && !is_scored {
        let word = terms.metric.word();
        let both = format!("{} and {}", a.name, b.name);
        refuse!(
            "{both} have no question of which enough samples have a value of {word} on both sides"
        );
    }
    Ok(joined)
}

/// Returns whether all rows belong to one cell: version, program, settings and question are equal.
fn is_one_cell(a: SideRows, b: SideRows) -> bool {
    let cell = a.text("cell");
    !cell.is_empty() && [a, b].iter().all(|one| one.are_all("cell", cell))
}

/// The column of the machine that took a sample.
const NODE: &str = "node";

/// The columns on which both sides are joined: the problem, the question, the experiment and the label where they must
/// agree, the method settings that both sides have, with equal values unless they select the same variant, and last the node
/// where a side has several nodes.
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
    let [of_a, of_b] = [a, b].map(|side| (side.rows, side.selection.as_slice()));
    keys.extend(common_methods(of_a, of_b, a.variant == b.variant));
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

/// The `rows` of a side with equal values in the columns `keys`, and these values. The samples of all settings of a label
/// are one sample if the settings are no keys.
fn cells_of<'a>(side: &ComparedSide<'a>, rows: &[u32], keys: &[&str]) -> Cells<'a> {
    let cells = side.rows.group_by(keys, rows).into_iter();
    let words = |row| keys.iter().map(|name| side.rows.text(name, row)).collect();
    cells.map(|cell| (words(cell[0]), cell)).collect()
}

/// The seed unless the instance's name has it, and the settings of both sides that are equal in all their rows, each
/// listed once.
fn question(a: SideRows, b: SideRows) -> String {
    let mut said = vec![format!("seed={}", b.text("seed"))];
    let named = format!("seed {}", b.text("seed"));
    said.retain(|seed| seed != "seed=" && !b.text("instance").ends_with(&named));
    for one in [b, a] {
        let apart = one.apart.iter().copied();
        let apart = apart.filter(|name| one.are_all(name, one.text(name)));
        let words = one.side.rows.described(apart, one.own[0]);
        for word in words.split(' ').filter(|word| !word.is_empty()) {
            if !said.iter().any(|known| known == word) && !word.starts_with("generator=") {
                said.push(word.to_owned());
            }
        }
    }
    said.join(" ")
}
