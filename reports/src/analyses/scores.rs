//! Which variant has the better scores: a row for each variant, and a sentence for each pair with the baseline.
//!
//! A sample that failed or ran out of time without an answer counts as the worst score: 0 % of the best known, and
//! worse than any answer. The difference of a pair is that of the two scores on one question, divided by the larger of
//! their sizes, so that +1 % means the same on every instance; it is at most 100 %, as against a failure.

use std::collections::BTreeMap;

use ikeru_bench_data::Experiment;
use ikeru_bench_data::experiment::{Analysis, CommandProblem};
use ikeru_core::{Direction, Score};
use ikeru_statistics::decision::{Decision, LEVEL};
use ikeru_statistics::interval::t_mean;
use ikeru_statistics::paired::PairedScores;
use ikeru_statistics::{Estimate, Interval, mean};

use super::Finding;
use crate::error::Result;
use crate::records::Outcome;
use crate::row;
use crate::rows::Rows;
use crate::sampled::Statistic;
use crate::summary::baseline_label;
use crate::table::Table;
use crate::units::{self, Quantity, rounded};

/// The scores of one question and repeat, by label; `None` for a sample without a score.
type Answers = BTreeMap<String, Option<Score>>;

/// One variant compared with the baseline.
#[derive(Debug, Clone)]
pub struct ScorePair {
    /// The variant.
    pub label: String,
    /// The baseline.
    pub baseline: String,
    /// The paired differences; positive ones are better than the baseline.
    pub scores: PairedScores,
}

/// Compares the scores of each label with those of `baseline`, in the order in which the questions were answered. There
/// are no pairs if the baseline was not chosen.
pub fn pairs(rows: &Rows, selection: &[u32], baseline: &str) -> Vec<ScorePair> {
    let Some(direction) = selection.first().and_then(|row| rows.direction(*row)) else {
        return Vec::new();
    };
    let questions = answers(rows, selection);
    let mut labels = rows.distinct("label", selection);
    if !labels.iter().any(|label| label == baseline) {
        return Vec::new();
    }
    labels.retain(|label| label != baseline);
    let level = LEVEL / labels.len().max(1) as f64;
    let pair = |label: String| {
        let mut scores = PairedScores::new(level);
        for answers in &questions {
            if let (Some(own), Some(base)) = (answers.get(&label), answers.get(baseline)) {
                scores.push(difference(direction, *own, *base));
            }
        }
        ScorePair {
            label,
            baseline: baseline.to_owned(),
            scores,
        }
    };
    labels.into_iter().map(pair).collect()
}

/// The scores of each question and repeat, in the order in which they were taken.
fn answers(rows: &Rows, selection: &[u32]) -> Vec<Answers> {
    let mut groups = rows.group_by(&["question", "repeat"], selection);
    let began = |group: &Vec<u32>| {
        let times = group
            .iter()
            .filter_map(|row| rows.number("started_ns", *row));
        times.fold(f64::INFINITY, f64::min)
    };
    groups.sort_by(|a, b| began(a).total_cmp(&began(b)));
    let groups = groups.into_iter();
    groups
        .map(|group| {
            let counted = group.iter().filter(|row| counts(rows, **row));
            counted
                .map(|row| (rows.text("label", *row).to_owned(), score(rows, *row)))
                .collect()
        })
        .collect()
}

/// Returns whether a sample counts for its solver: it was asked, and the referee did not fail.
fn counts(rows: &Rows, row: u32) -> bool {
    rows.outcome(row) != Some(Outcome::RefereeFailed) && rows.text("asked", row) != "false"
}

/// The confirmed score of a sample; `None` if it failed or has no answer.
fn score(rows: &Rows, row: u32) -> Option<Score> {
    let has_answer = matches!(rows.outcome(row), Some(Outcome::Solved | Outcome::Timeout));
    rows.text("score", row).parse().ok().filter(|_| has_answer)
}

/// The relative difference of a pair, positive if `own` is better.
pub fn difference(direction: Direction, own: Option<Score>, base: Option<Score>) -> f64 {
    let (own, base) = match (own, base) {
        (Some(own), Some(base)) => (own as f64, base as f64),
        (own, base) => return f64::from(i8::from(own.is_some()) - i8::from(base.is_some())),
    };
    let size = own.abs().max(base.abs());
    if size == 0.0 {
        return 0.0;
    }
    let better = match direction {
        Direction::Minimize => base - own,
        Direction::Maximize | Direction::Equal => own - base,
    };
    // Scores on both sides of zero are farther apart than the larger one: no answer is worse than a failure.
    (better / size).clamp(-1.0, 1.0)
}

/// The score as a share of the best: 1 for the best, 0 without an answer. `None` if a score is negative.
fn share(direction: Direction, own: Option<Score>, best: Score) -> Option<f64> {
    let Some(own) = own else {
        return Some(0.0);
    };
    if own == best {
        return Some(1.0);
    }
    let (above, below) = match direction {
        Direction::Minimize => (best, own),
        Direction::Maximize | Direction::Equal => (own, best),
    };
    (own >= 0 && best >= 0).then(|| above as f64 / below as f64)
}

/// An estimate of a share, whose interval ends at 0 and 1.
fn within_one(share: Estimate) -> Estimate {
    let interval = share.interval.map(|ends| Interval {
        low: ends.low.max(0.0),
        high: ends.high.min(1.0),
    });
    Estimate { interval, ..share }
}

/// The table of scores, and the sentence of the first pair.
pub(super) fn scores(
    rows: &Rows,
    selection: &[u32],
    _: &Analysis,
    experiment: &Experiment,
) -> Result<Finding> {
    let baseline = baseline_label(experiment);
    let pairs = baseline.map_or(Vec::new(), |baseline| pairs(rows, selection, &baseline));
    Ok(Finding {
        answer: pairs.first().map(ScorePair::sentence),
        ..table(rows, selection, experiment, &pairs).into()
    })
}

/// The table of scores: one row for each variant, with a sentence for each pair as a note.
pub fn table(
    rows: &Rows,
    selection: &[u32],
    experiment: &Experiment,
    pairs: &[ScorePair],
) -> Table {
    let direction = selection.first().and_then(|row| rows.direction(*row));
    let direction = direction.unwrap_or(Direction::Equal);
    let less = match direction {
        Direction::Minimize => " (less is better)",
        Direction::Maximize | Direction::Equal => "",
    };
    let heads = format!(
        "variant | solved | mean score{less} | of the best known | best | best alone | failed | median time"
    );
    let mut table = Table::new("Scores", &heads);
    let questions = answers(rows, selection);
    let bests = best_of_each(rows, selection, direction);
    let problem = experiment.problem.commands();
    let decimals = problem.map_or(0, |problem| problem.decimals);
    let scale = 10_f64.powf(f64::from(decimals));
    // A mean has one digit more than a score.
    let quantity = Quantity::Decimals(decimals as u8 + 1);
    for (label, own) in rows.group("label", selection) {
        let own: Vec<u32> = own.into_iter().filter(|row| counts(rows, *row)).collect();
        let known: Vec<Option<Score>> = own.iter().map(|row| score(rows, *row)).collect();
        let values: Vec<f64> = known.iter().flatten().map(|score| *score as f64).collect();
        let shares: Option<Vec<f64>> = own
            .iter()
            .zip(&known)
            .map(|(row, own)| {
                let best = bests.get(rows.text("instance_hash", *row));
                best.map_or(Some(0.0), |best| share(direction, *own, *best))
            })
            .collect();
        let shares = shares.and_then(|shares| t_mean(&shares)).map(within_one);
        let solved = own
            .iter()
            .filter(|row| rows.outcome(**row) == Some(Outcome::Solved));
        let solved = solved.count();
        let late = match values.len().saturating_sub(solved) {
            0 => String::new(),
            late => format!(", {} at the limit", units::count(late as u64)),
        };
        let [best, alone] = first_places(&questions, &label, direction);
        let time = Statistic::Median.of(rows, crate::rows::TIME, &own);
        table.rows.push(row![
            label,
            format!(
                "{} of {}{late}",
                units::count(solved as u64),
                units::count(own.len() as u64)
            ),
            (mean(&values).map(|mean| mean / scale), quantity),
            (shares, Quantity::Share),
            best,
            alone,
            own.len() - values.len(),
            (time.map(|time| time.value), Quantity::Time),
        ]);
    }
    table
        .notes
        .extend(pairs.iter().skip(1).map(ScorePair::sentence));
    let mut all = questions.iter().flat_map(BTreeMap::values);
    let has_failed = all.any(Option::is_none);
    table.notes.extend(caveats(rows, selection, has_failed));
    if problem.is_some_and(CommandProblem::is_unchecked) {
        table.notes.push(
            "Unchecked: the problem has no referee; scores are what the solvers say.".to_owned(),
        );
    }
    table
}

/// Notes on samples without an answer, and on those on which the referee failed.
fn caveats(rows: &Rows, selection: &[u32], has_failed: bool) -> Vec<String> {
    let mut notes = Vec::new();
    if has_failed {
        notes.push("A sample without an answer counts as the worst score: 0 % of the best known, 100 % worse than any answer. In the median time it counts with its limit.".to_owned());
    }
    let failed = Some(Outcome::RefereeFailed);
    let unjudged = selection.iter().filter(|row| rows.outcome(**row) == failed);
    if let count @ 1.. = unjudged.count() {
        let answers = units::plural(count, "answer");
        notes.push(format!(
            "The referee failed on {answers}, which count for no solver."
        ));
    }
    notes
}

/// The best score of each instance, by its hash: of this run, or the best known one.
fn best_of_each(rows: &Rows, selection: &[u32], direction: Direction) -> BTreeMap<String, Score> {
    let mut bests: BTreeMap<String, Score> = BTreeMap::new();
    for row in selection {
        for score in score(rows, *row).into_iter().chain(rows.best_known(*row)) {
            let best = bests
                .entry(rows.text("instance_hash", *row).to_owned())
                .or_insert(score);
            if direction.is_better(score, *best) {
                *best = score;
            }
        }
    }
    bests
}

/// The number of questions on which no other label is better, and on which every other label is worse.
fn first_places(questions: &[Answers], label: &str, direction: Direction) -> [usize; 2] {
    let mut places = [0, 0];
    for answers in questions {
        let Some(Some(own)) = answers.get(label) else {
            continue;
        };
        let others = answers.iter().filter(|(other, _)| *other != label);
        let others: Vec<Score> = others.filter_map(|(_, score)| *score).collect();
        let is_best = !others.iter().any(|other| direction.is_better(*other, *own));
        places[0] += usize::from(is_best);
        places[1] += usize::from(is_best && !others.contains(own));
    }
    places
}

impl ScorePair {
    /// `swaps against greedy: +1.9 % (1.2 … 2.6), 40 pairs, better on 30, worse on 2: decided`.
    pub fn sentence(&self) -> String {
        let differences = self.scores.differences();
        let count = |is: fn(&f64) -> bool| {
            units::count(differences.iter().filter(|it| is(it)).count() as u64)
        };
        format!(
            "{} against {}: {}, {}, better on {}, worse on {}: {}",
            self.label,
            self.baseline,
            self.difference(),
            units::plural(differences.len(), "pair"),
            count(|it| *it > 0.0),
            count(|it| *it < 0.0),
            self.verdict()
        )
    }

    /// The mean difference in percent with its 95 % interval: `+1.9 % (+1.2 … +2.6)`.
    pub fn difference(&self) -> String {
        let mean = t_mean(self.scores.differences());
        mean.map_or("nothing to compare".to_owned(), |mean| {
            let ends = mean.interval.map_or(String::new(), |ends| {
                format!(" ({} … {})", percent(ends.low), percent(ends.high))
            });
            format!("{} %{ends}", percent(mean.value))
        })
    }

    /// The decision in words. Without one, the smallest difference that these pairs would have decided.
    pub fn verdict(&self) -> String {
        // One failure may weigh more in the mean than many small differences.
        let mean = t_mean(self.scores.differences()).and_then(|mean| mean.interval);
        let is_open = mean.is_some_and(|ends| ends.low <= 0.0 && ends.high >= 0.0);
        let on_most = if is_open {
            " on most pairs; their mean is not decided"
        } else {
            ""
        };
        if !self.scores.differences().is_empty()
            && self.scores.differences().iter().all(|it| *it == 0.0)
        {
            return "equal on every pair".to_owned();
        }
        match (self.scores.decision(), self.scores.sensitivity()) {
            (Decision::Higher, _) => format!("decided, better{on_most}"),
            (Decision::Lower, _) => format!("decided, worse{on_most}"),
            (_, Some(least)) if least > 0.0 => format!(
                "undecided; these pairs would show a difference of {} % with a chance of 80 %",
                rounded(100.0 * least, 2)
            ),
            _ => "undecided".to_owned(),
        }
    }
}

/// A share as a signed percentage without its sign `%`.
fn percent(share: f64) -> String {
    let text = rounded(100.0 * share.abs(), 2);
    let sign = match share {
        _ if text.chars().all(|c| matches!(c, '0' | '.')) => "",
        share if share < 0.0 => "−",
        _ => "+",
    };
    format!("{sign}{text}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(direction: Direction) -> (Rows, Experiment) {
        let mut text =
            "schema,experiment,problem,instance_hash,question,label,repeat,outcome,score,wall_ns\n"
                .to_owned();
        for seed in 0..30 {
            let (a, b) = (100 + seed % 7, 110 + seed % 7);
            text += &format!("1,e,p,i{seed},q{seed},a,0,solved,{a},1000\n");
            match seed {
                0 => text += "1,e,p,i0,q0,b,0,crashed,,1000\n",
                1 => text += "1,e,p,i1,q1,b,0,referee-failed,,1000\n",
                _ => text += &format!("1,e,p,i{seed},q{seed},b,0,solved,{b},2000\n"),
            }
        }
        let mut rows = crate::rows_of(&text);
        rows.set_directions([("p", direction)]);
        rows.set_bests(std::iter::once(("i5".to_owned(), 210)).collect());
        let experiment = Experiment::read(
            "e.toml",
            "name='e'\ntitle='t'\nproblem='p'\nvariants=['a','b']\ninstances=[{generator='g'}]\n[[analyses]]\nkind='scores'",
        );
        (rows, experiment.expect("an experiment"))
    }

    #[test]
    fn a_better_variant_is_decided_and_its_failure_counts() {
        let (rows, experiment) = run(Direction::Maximize);
        let found =
            scores(&rows, &rows.all(), &experiment.analyses[0], &experiment).expect("a table");
        let text = |row: usize| -> Vec<String> {
            found.table.rows[row]
                .iter()
                .map(ToString::to_string)
                .collect()
        };
        assert_eq!(text(1)[1], "28 of 29");
        // Best on all but the crash and the question that the referee did not judge; never shared.
        assert_eq!(text(1)[4..7], ["28", "28", "1"]);
        assert_eq!(text(0)[4..7], ["2", "2", "0"]);
        let note = &found.answer.expect("a pair").replace('\u{202f}', " ");
        // 28 pairs of about +9 %, and one of −100 %; the pair without a verdict is left out.
        assert!(
            note.starts_with("b against a: +5.1 % (−2.6 … +13)"),
            "{note}"
        );
        assert!(
            note.contains(
                "29 pairs, better on 28, worse on 1: decided, better on most pairs; their mean"
            ),
            "{note}"
        );
        let (rows, experiment) = run(Direction::Minimize);
        let found =
            scores(&rows, &rows.all(), &experiment.analyses[0], &experiment).expect("a table");
        let answer = found.answer.expect("a pair");
        assert!(answer.ends_with("decided, worse"), "{answer}");
    }

    #[test]
    fn differences_are_relative_to_the_larger_score() {
        use Direction::{Maximize, Minimize};
        for (direction, own, base, expected) in [
            (Maximize, Some(110), Some(100), 10.0 / 110.0),
            (Minimize, Some(110), Some(100), -10.0 / 110.0),
            (Maximize, Some(0), Some(0), 0.0),
            (Maximize, Some(-5), Some(5), -1.0),
            (Minimize, Some(-5), Some(10), 1.0),
            (Maximize, None, Some(5), -1.0),
            (Minimize, Some(5), None, 1.0),
            (Maximize, None, None, 0.0),
        ] {
            let found = difference(direction, own, base);
            assert!(
                (found - expected).abs() < 1e-12,
                "{own:?} {base:?}: {found}"
            );
        }
    }
}
