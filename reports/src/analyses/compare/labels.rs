//! The labels that are compared with each other, and their joined rows.

use std::cmp::Ordering;

use ikeru_bench_data::Pairing;
use ikeru_compare::LEVEL;
use ikeru_compare::comparison::{self, Comparison, ComparisonDecision, Part, Terms};
use ikeru_compare::decide::Question;
use ikeru_compare::pairing::{
    self, Joined, NODE, Pair, Side, columns, differs_in, is_by_node, join, question_columns,
    shared_column,
};

use super::sides::{COMPARES, ComparedSide, forced};
use super::{CompareTerms, words};
use crate::analyses::scores::ScorePair;
use crate::analyses::varying;
use crate::charts::claim::TitleClaim;
use crate::error::Result;
use crate::factor::{Factor, level};
use crate::metric::Metric;
use crate::rows::{QUESTION, Rows, TIME};

/// A label of A and one of B, and their joined rows.
pub(super) struct LabelPair<'a> {
    rows: [&'a Rows; 2],
    own: [Vec<u32>; 2],
    names: [String; 2],
    /// The columns that distinguish the questions of B.
    apart: Vec<&'a str>,
    pub(super) joined: Joined,
    pub(super) metric: Metric,
    /// The probability of any false decision.
    pub(super) level: f64,
    /// True if repeats of its run were taken until the times were decided.
    is_until_decided: bool,
}

/// The pairs of labels of both sides: the chosen variants, or every label that both runs have.
///
/// # Errors
/// One side has questions or labels that the other lacks (unless forced).
pub(super) fn of<'a>(
    sides: [&'a ComparedSide<'a>; 2],
    terms: &CompareTerms,
    notes: &mut Vec<String>,
) -> Result<Vec<LabelPair<'a>>> {
    let mut matching = MatchedLabels::of(sides);
    let both = std::mem::take(&mut matching.both);
    let mut pairs = Vec::new();
    let shared = LEVEL / (both.len().max(1) * terms.sides) as f64;
    for own in both {
        let names = matching.names(sides, &own);
        let [of_a, of_b] = [0, 1].map(|at| Side {
            rows: matching.rows[at],
            own: &own[at],
        });
        let joined = matching.join(of_a, of_b, terms, notes);
        let metric = match terms.is_any_clock {
            true if shared_column(TIME, [of_a, of_b]) != TIME => Metric::Wall,
            true => Metric::Cpu,
            false => terms.metric.clone(),
        };
        pairs.push(LabelPair {
            level: match matching.is_one_run && terms.are_of_one_run {
                true => level(matching.rows[1], own[1][0]),
                false => shared,
            },
            is_until_decided: sides.iter().any(|side| side.run.is_until_decided()),
            apart: varying(matching.rows[1], &own[1], ""),
            rows: matching.rows,
            names,
            joined,
            metric,
            own,
        });
    }
    let unmet = match matching.alone {
        [0, 0] => None,
        // A run may ask one variant more than another, as where it draws further instances until claims are decided.
        [in_a, in_b] if matching.is_one_run => {
            if pairs.iter().any(|pair| !pair.joined.instances.is_empty()) {
                notes.push(format!(
                    "{in_a} cells only in A and {in_b} only in B are left out: the run asked one side more."
                ));
            }
            None
        }
        [a, b] => Some(format!(
            "questions or variants differ: {a} cells only in A, {b} only in B"
        )),
    };
    notes.extend(forced(unmet.into_iter().collect(), terms.force, COMPARES)?);
    notes.extend(matching.note_on_nodes());
    Ok(pairs)
}

/// The rows of both sides by experiment and label.
struct MatchedLabels<'a> {
    rows: [&'a Rows; 2],
    /// True if both sides are of one run.
    is_one_run: bool,
    has_several_experiments: bool,
    both: Vec<[Vec<u32>; 2]>,
    /// The cells that one side alone has.
    alone: [usize; 2],
    /// The cells whose other side is on another node, if rows were taken on several nodes.
    on_other_nodes: Option<usize>,
}

impl<'a> MatchedLabels<'a> {
    fn of([a, b]: [&'a ComparedSide<'a>; 2]) -> Self {
        let rows = [a.rows, b.rows];
        let all = [a.all(), b.all()];
        let has_several = rows
            .iter()
            .any(|rows| rows.distinct("experiment", &rows.all()).len() > 1);
        let mut by = Vec::new();
        by.extend(has_several.then_some("experiment"));
        by.extend((a.variant.is_none() && b.variant.is_none()).then_some("label"));
        let name = |at: usize, own: &[u32]| -> Vec<&str> {
            by.iter()
                .map(|column| rows[at].text(column, own[0]))
                .collect()
        };
        let questions = |at: usize, own: &[u32]| rows[at].group_by(&QUESTION, own).len();
        let (mut both, mut alone) = (Vec::new(), [0, 0]);
        let mut of_b = rows[1].group_by(&by, &all[1]);
        for own in rows[0].group_by(&by, &all[0]) {
            match of_b
                .iter()
                .position(|other| name(1, other) == name(0, &own))
            {
                Some(at) => both.push([own, of_b.remove(at)]),
                None => alone[0] += questions(0, &own),
            }
        }
        alone[1] = of_b.iter().map(|own| questions(1, own)).sum();
        Self {
            is_one_run: std::ptr::eq(a.rows, b.rows),
            has_several_experiments: has_several,
            on_other_nodes: None,
            rows,
            both,
            alone,
        }
    }

    /// The names of A and B in the table: the labels, with the folders of two runs.
    fn names(&self, sides: [&ComparedSide; 2], own: &[Vec<u32>; 2]) -> [String; 2] {
        let folders = sides.map(|side| {
            let path = side.name.split(':').next().unwrap_or_default();
            let last = path.trim_end_matches('/').rsplit('/').next();
            last.unwrap_or_default().to_owned()
        });
        let labels = [0, 1].map(|at| match &sides[at].variant {
            Some(variant) => variant,
            None => self.rows[at].text("label", own[at][0]),
        });
        let mut names = [0, 1].map(|at| match self.is_one_run || folders[0] == folders[1] {
            true => labels[at].to_owned(),
            false => format!("{}:{}", folders[at], labels[at]),
        });
        if names[0] == names[1] {
            names = [0, 1].map(|at| match &sides[at].variant {
                Some(_) => sides[at].name.clone(),
                None => format!("{}:{}", sides[at].name, labels[at]),
            });
        }
        if self.has_several_experiments {
            let experiment = self.rows[1].text("experiment", own[1][0]);
            names[1] += &format!(" in {experiment}");
        }
        names
    }

    /// Joins the rows of a label of each side.
    fn join(
        &mut self,
        a: Side<'_>,
        b: Side<'_>,
        terms: &CompareTerms,
        notes: &mut Vec<String>,
    ) -> Joined {
        // Times of different modes are compared by force alone.
        let mut key = question_columns(a, b);
        let mut joined = join(a, b, &key);
        if joined.instances.is_empty() && terms.force {
            joined = join(a, b, &columns(Pairing::Instance, a, b));
            let note = "FORCED: different questions to the same instances are compared.";
            notes.push(note.to_owned());
        }
        for (all, own) in self.alone.iter_mut().zip(&joined.alone) {
            *all += own.len();
        }
        if terms.metric.is_time() && !terms.force && is_by_node(a, b) {
            key.push(NODE);
            joined = join(a, b, &key);
            let others = joined.alone.iter().map(Vec::len).sum::<usize>();
            *self.on_other_nodes.get_or_insert(0) += others;
        }
        // An answer without a verdict was asked, and counts for no side.
        for instance in &mut joined.instances {
            for pair in instance.iter_mut() {
                pair.a.retain(|row| a.rows.counts(*row));
                pair.b.retain(|row| b.rows.counts(*row));
            }
            instance.retain(|pair| !pair.a.is_empty() && !pair.b.is_empty());
        }
        joined.instances.retain(|instance| !instance.is_empty());
        joined
    }

    fn note_on_nodes(&self) -> Option<String> {
        let left_out = match self.on_other_nodes? {
            0 => String::new(),
            nodes => format!("; {nodes} cells whose other side is on another node are left out"),
        };
        Some(format!(
            "The rows were taken on several nodes: both sides of a pair are from one node{left_out}."
        ))
    }
}

impl LabelPair<'_> {
    /// The rows of both sides.
    pub(super) fn sides(&self) -> [Side<'_>; 2] {
        [0, 1].map(|at| Side {
            rows: self.rows[at],
            own: &self.own[at],
        })
    }

    /// The terms of the comparison.
    pub(super) fn terms(&self, terms: &CompareTerms, withheld: Option<String>) -> Terms {
        let has_zero = || {
            let column = self.metric.column();
            let mut sides = self.sides().into_iter();
            sides.any(|side| {
                side.rows
                    .numbers(&column, side.own)
                    .iter()
                    .any(|value| *value <= 0.0)
            })
        };
        Terms {
            better: terms.better,
            is_ratio: !terms.metric.is_by_difference() && !has_zero(),
            margin: terms.bound,
            withheld,
            ..Terms::of(self.names.clone(), self.metric.word(), self.level)
        }
    }

    /// The samples of each instance name.
    pub(super) fn parts(&self) -> Vec<Part> {
        let column = self.metric.column();
        let question = |pair: &Pair| {
            let [a, b] = self.rows;
            let is_exact =
                a.repeats_exactly(&column, &pair.a) && b.repeats_exactly(&column, &pair.b);
            Question::of(pair, self.rows, is_exact, &column)
        };
        let instances = self.joined.instances.iter().map(|instance| {
            let questions: Vec<Question> = instance.iter().map(question).collect();
            (instance[0].b[0], questions)
        });
        let parts = pairing::by_part(self.rows[1], instances).into_iter();
        let part = |(over, instances)| Part { over, instances };
        parts.map(part).collect()
    }

    /// The comparisons of all samples, or why there are none.
    pub(super) fn comparisons(&self, terms: &Terms) -> Vec<Comparison> {
        comparison::compare(&self.parts(), terms).unwrap_or_else(|| {
            let [a, b] = self.sides();
            let column = differs_in(a, b).filter(|_| self.joined.instances.is_empty());
            let why = column.map_or_else(
                || format!("no question has a value of {} on both sides", terms.metric),
                |column| format!("{column} differs"),
            );
            vec![Comparison::refused(terms, why)]
        })
    }

    /// The scores of problems of commands, compared by the relative difference on each instance: a mean over the scores of
    /// instances would be that of the largest ones.
    pub(super) fn scored(&self, terms: &CompareTerms) -> Option<ScorePair> {
        let sides = self.sides();
        let are_commands = |side: &Side| side.own.iter().all(|row| side.rows.is_of_commands(*row));
        let is_scored = terms.metric == Metric::Score && sides.iter().all(are_commands);
        is_scored
            .then(|| ScorePair::between(self.names.clone(), sides, self.level).within(terms.bound))
    }

    /// How far B goes to either side by question, if the order turns: `memo: 2× slower to 3× faster`.
    pub(super) fn turn(&self, terms: &CompareTerms) -> Option<String> {
        let [a, b] = self.rows;
        if self.metric.is_by_difference() || !std::ptr::eq(a, b) {
            return None;
        }
        let counted = self.own.each_ref().map(|own| {
            let counted = own.iter().copied().filter(|row| a.counts(*row));
            counted.collect::<Vec<u32>>()
        });
        let [of_a, of_b] = &counted;
        let column = self.metric.column();
        let factor = Factor::between(a, &column, [of_b, of_a], Pairing::Question)?;
        let (side, claim) = TitleClaim::of(&factor).filter(|(_, claim)| claim.is_both())?;
        let (below, above) = self.metric.words(terms.better);
        let words = match side {
            Ordering::Less => [below, above],
            _ => [above, below],
        };
        Some(format!("{}: {}", self.names[1], claim.beside(words)))
    }

    /// The question of a row of B in words: the label, the instance, the seed unless the instance's name has it, and the
    /// settings.
    pub(super) fn place(&self, row: u32) -> String {
        let rows = self.rows[1];
        let instance = rows.text("instance", row).to_owned();
        let mut said = vec![self.names[1].clone(), "on".to_owned(), instance];
        said.extend(
            rows.seed_beside_name(row)
                .map(|seed| format!("seed={seed}")),
        );
        let settings = rows.described(self.apart.iter().copied(), row);
        let settings = settings.split(' ').filter(|word| !word.is_empty());
        said.extend(
            settings
                .filter(|word| !word.starts_with("generator="))
                .map(str::to_owned),
        );
        said.join(" ")
    }

    /// Returns whether the same version and program answered on both sides.
    fn is_placebo(&self) -> bool {
        let cell = |at: usize, own: &[u32]| self.rows[at].text("cell", own[0]).to_owned();
        let is_one = |pair: &Pair| {
            let first = cell(0, &pair.a);
            let all = |at: usize, own: &[u32]| {
                own.iter()
                    .all(|row| self.rows[at].text("cell", *row) == first)
            };
            !first.is_empty() && all(0, &pair.a) && all(1, &pair.b)
        };
        let mut pairs = self.joined.instances.iter().flatten().peekable();
        pairs.peek().is_some() && pairs.all(is_one)
    }
}

/// The state of the machine between two sides that were measured one after the other, by the placebos.
enum Machine {
    /// No placebo was measured, or none is decided.
    Unknown(String),
    /// A placebo moved.
    Moved(String),
    /// A placebo stood still.
    Still,
}

impl Machine {
    /// The state by the pairs of the same program on both sides.
    fn of<'p>(placebos: impl Iterator<Item = &'p LabelPair<'p>>, terms: &CompareTerms) -> Self {
        let why = "measured one after the other, where a change of the machine is part of the difference; `ikeru ab` takes turns";
        let mut state = Self::Unknown(why.to_owned());
        for placebo in placebos {
            let own = placebo.terms(terms, None);
            let rows = comparison::compare(&placebo.parts(), &own).unwrap_or_default();
            let is_moved = |row: &&Comparison| {
                let is_decided =
                    row.is(ComparisonDecision::Better) || row.is(ComparisonDecision::Worse);
                is_decided && !row.is_within(terms.bound)
            };
            let label = &placebo.names[1];
            if let Some(row) = rows.iter().find(is_moved) {
                let moved = words(terms).decision(row);
                return Self::Moved(format!(
                    "the machine was in another state: {label} is the same program on both sides, and {moved}"
                ));
            }
            state = match (rows.first(), state) {
                (Some(row), Self::Unknown(_)) if row.is_within(terms.bound) => Self::Still,
                (Some(row), _) if !row.is_within(terms.bound) && row.low.is_some() => {
                    Self::Unknown(format!(
                        "measured one after the other, and {label}, the same program on both sides, is not decided to be the same"
                    ))
                }
                (_, state) => state,
            };
        }
        state
    }
}

/// For each pair of labels, why its times may not be decided. Sides that were measured one after the other differ by the state
/// of the machine too: pairs of the same program on both sides, the placebos, show whether it moved.
pub(super) fn withheld(pairs: &[LabelPair], terms: &CompareTerms) -> Vec<Option<String>> {
    let is_apart = |pair: &&LabelPair| {
        terms.metric.is_time() && {
            let [a, b] = pair.sides();
            a.is_apart(&b)
        }
    };
    let placebos = pairs
        .iter()
        .filter(is_apart)
        .filter(|pair| pair.is_placebo());
    let machine = Machine::of(placebos, terms);
    let until =
        "repeats were taken until the times were decided; comparisons.csv has the decisions";
    let why = |pair: &LabelPair| match &machine {
        _ if terms.metric.is_time() && pair.is_until_decided => Some(until.to_owned()),
        _ if !is_apart(&pair) => None,
        Machine::Moved(why) => Some(why.clone()),
        Machine::Unknown(why) if !pair.is_placebo() => Some(why.clone()),
        Machine::Unknown(_) | Machine::Still => None,
    };
    pairs.iter().map(why).collect()
}
