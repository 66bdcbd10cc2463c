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
use serde_json::{Value as Json, json};

use super::Finding;
use crate::error::Result;
use crate::records::Outcome;
use crate::row;
use crate::rows::{QUESTION, Rows};
use crate::sampled::Statistic;
use crate::summary::baseline_label;
use crate::table::Table;
use crate::units::{self, Quantity, rounded};

/// The scores of one question in one repeat, by label; `None` for a sample without a score.
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
        for question in &questions {
            let both = question
                .iter()
                .filter_map(|answers| Some((*answers.get(&label)?, *answers.get(baseline)?)));
            add(&mut scores, direction, both);
        }
        ScorePair {
            label,
            baseline: baseline.to_owned(),
            scores,
        }
    };
    labels.into_iter().map(pair).collect()
}

/// Adds the mean difference of a question's scores. Its repeats are no further pairs: a solver may answer it in the same
/// way every time.
fn add(
    scores: &mut PairedScores,
    direction: Direction,
    both: impl Iterator<Item = (Option<Score>, Option<Score>)>,
) {
    let differences = both.map(|(own, base)| difference(direction, own, base));
    if let Some(mean) = mean(&differences.collect::<Vec<_>>()) {
        scores.push(mean);
    }
}

/// Compares the scores of two runs: B against A, by label, or the only label of each. A pair is a question that both
/// runs have.
pub fn between(a: (&Rows, &[u32]), b: (&Rows, &[u32])) -> Vec<ScorePair> {
    let Some(direction) = a.1.first().and_then(|row| a.0.direction(*row)) else {
        return Vec::new();
    };
    let [of_a, of_b] = [a, b].map(|(rows, selection)| rows.distinct("label", selection));
    let labels: Vec<[&String; 2]> = match (of_a.as_slice(), of_b.as_slice()) {
        ([a], [b]) => vec![[a, b]],
        _ => {
            let common = of_a.iter().filter(|label| of_b.contains(label));
            common.map(|label| [label, label]).collect()
        }
    };
    let level = LEVEL / labels.len().max(1) as f64;
    let before: BTreeMap<String, Vec<Answers>> = by_question(a.0, a.1).into_iter().collect();
    let now = by_question(b.0, b.1);
    let pair = |[old, new]: [&String; 2]| {
        let mut scores = PairedScores::new(level);
        for (question, ways) in &now {
            let both = before.get(question).into_iter().flatten().zip(ways);
            let both = both.filter_map(|(a, b)| Some((*b.get(new)?, *a.get(old)?)));
            add(&mut scores, direction, both);
        }
        ScorePair {
            label: format!("{new} of B"),
            baseline: "A".to_owned(),
            scores,
        }
    };
    labels.into_iter().map(pair).collect()
}

/// The scores of each question, in the order in which the questions were asked first: for each repeat and each way to
/// run, such as a number of threads.
fn answers(rows: &Rows, selection: &[u32]) -> Vec<Vec<Answers>> {
    let questions = by_question(rows, selection).into_iter();
    questions.map(|(_, answers)| answers).collect()
}

/// The same as [`answers`], with the hash of each question.
fn by_question(rows: &Rows, selection: &[u32]) -> Vec<(String, Vec<Answers>)> {
    let mut groups = rows.group_by(&["question"], selection);
    let began = |group: &Vec<u32>| {
        let times = group
            .iter()
            .filter_map(|row| rows.number("started_ns", *row));
        times.fold(f64::INFINITY, f64::min)
    };
    groups.sort_by(|a, b| began(a).total_cmp(&began(b)));
    let groups = groups.into_iter();
    let scores = |group: Vec<u32>| -> Answers {
        let counted = group.iter().filter(|row| counts(rows, **row));
        let scores = counted.map(|row| (rows.text("label", *row).to_owned(), score(rows, *row)));
        scores.collect()
    };
    let each = QUESTION.into_iter().chain(["repeat"]).collect::<Vec<_>>();
    groups
        .map(|group| {
            let question = rows.text("question", group[0]).to_owned();
            let ways = rows.group_by(&each, &group).into_iter();
            (question, ways.map(scores).collect())
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

fn without_interval(estimate: Estimate) -> Estimate {
    Estimate {
        interval: None,
        ..estimate
    }
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
        let late = match own.iter().filter(|row| rows.is_late(**row)).count() {
            0 => String::new(),
            late => format!(", {} of them at the limit", units::count(late as u64)),
        };
        let [best, alone] = first_places(&questions, &label, direction);
        let time = Statistic::Median.of(rows, crate::rows::TIME, &own);
        table.rows.push(row![
            label,
            format!(
                "{} of {}{late}",
                units::count(values.len() as u64),
                units::count(own.len() as u64)
            ),
            (mean(&values).map(|mean| mean / scale), quantity),
            (shares, Quantity::Share),
            best,
            alone,
            own.len() - values.len(),
            (time.map(without_interval), Quantity::Time),
        ]);
    }
    table
        .notes
        .extend(pairs.iter().skip(1).map(ScorePair::sentence));
    let mut all = questions.iter().flatten().flat_map(BTreeMap::values);
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

/// The number of questions, with their repeats, on which no other label is better, and on which every other label is
/// worse.
fn first_places(questions: &[Vec<Answers>], label: &str, direction: Direction) -> [usize; 2] {
    let mut places = [0, 0];
    for answers in questions.iter().flatten() {
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

    /// The comparison for programs; differences are shares, `null` without a pair.
    pub fn json(&self) -> Json {
        let differences = self.scores.differences();
        let mean = t_mean(differences);
        let count = |is: fn(&f64) -> bool| differences.iter().filter(|it| is(it)).count();
        json!({
            "variant": self.label,
            "baseline": self.baseline,
            "pairs": differences.len(),
            "better_on": count(|it| *it > 0.0),
            "worse_on": count(|it| *it < 0.0),
            "mean": mean.map(|mean| mean.value),
            "interval": mean.and_then(|mean| mean.interval).map(|ends| [ends.low, ends.high]),
            "decision": match self.decision() {
                Decision::Higher => "better",
                Decision::Lower => "worse",
                Decision::Same | Decision::Open => "undecided",
            },
        })
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

    /// The side of the differences, if it is decided and their mean is on the same side: one failure may weigh more in
    /// the mean than many small differences.
    pub fn decision(&self) -> Decision {
        let mean = mean(self.scores.differences()).unwrap_or(0.0);
        match self.scores.decision() {
            Decision::Higher if mean < 0.0 => Decision::Open,
            Decision::Lower if mean > 0.0 => Decision::Open,
            decision => decision,
        }
    }

    /// The decision in words. Without one, the smallest difference that these pairs would have decided.
    pub fn verdict(&self) -> String {
        if !self.scores.differences().is_empty()
            && self.scores.differences().iter().all(|it| *it == 0.0)
        {
            return "equal on every pair".to_owned();
        }
        let [side, other] = match self.scores.decision() {
            Decision::Lower => ["worse", "better"],
            _ => ["better", "worse"],
        };
        let mean = t_mean(self.scores.differences()).and_then(|mean| mean.interval);
        let is_open = mean.is_some_and(|ends| ends.low <= 0.0 && ends.high >= 0.0);
        match (self.decision(), self.scores.sensitivity()) {
            (Decision::Higher | Decision::Lower, _) if is_open => {
                format!("decided, {side} on most pairs; their mean is not decided")
            }
            (Decision::Higher | Decision::Lower, _) => format!("decided, {side}"),
            _ if self.scores.decision() != Decision::Open => {
                format!("undecided: {side} on most pairs, {other} in their mean")
            }
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

    /// Rows of `a` and `b`, one for each `(question, threads, repeat, score of a, score of b)`.
    fn rows_of(lines: &[(usize, u32, u32, i64, i64)]) -> Rows {
        let mut text =
            "schema,experiment,problem,instance_hash,question,label,threads,repeat,outcome,score\n"
                .to_owned();
        for (question, threads, repeat, a, b) in lines {
            let of = format!("1,e,p,i{question},q{question}");
            text += &format!("{of},a,{threads},{repeat},solved,{a}\n");
            text += &format!("{of},b,{threads},{repeat},solved,{b}\n");
        }
        let mut rows = crate::rows_of(&text);
        rows.set_directions([("p", Direction::Maximize)]);
        rows
    }

    fn only_pair(lines: &[(usize, u32, u32, i64, i64)]) -> ScorePair {
        let rows = rows_of(lines);
        pairs(&rows, &rows.all(), "a").remove(0)
    }

    #[test]
    fn repeats_and_threads_of_a_question_are_one_pair() {
        let of_question = |question: usize| {
            (0..20).map(move |repeat| (question, 1 + repeat % 2, repeat / 2, 100, 110))
        };
        let lines: Vec<_> = (0..2).flat_map(of_question).collect();
        let pair = only_pair(&lines);
        assert_eq!(pair.scores.differences().len(), 2);
        assert_eq!(pair.decision(), Decision::Open);
        // Another number of threads is compared with itself.
        let lines = [(0, 1, 0, 100, 100), (0, 2, 0, 150, 150)];
        assert_eq!(only_pair(&lines).scores.differences(), [0.0]);
    }

    #[test]
    fn a_side_against_the_mean_is_no_decision() {
        let small_gain = |question| match question % 8 {
            7 => (question, 1, 0, 1000, 700),
            _ => (question, 1, 0, 1000, 1001),
        };
        let lines: Vec<_> = (0..120).map(small_gain).collect();
        let pair = only_pair(&lines);
        assert_eq!(pair.scores.decision(), Decision::Higher);
        assert_eq!(pair.decision(), Decision::Open);
        let said = pair.sentence();
        assert!(
            said.ends_with("undecided: better on most pairs, worse in their mean"),
            "{said}"
        );
    }

    #[test]
    fn runs_are_compared_by_relative_differences() {
        let fallen = |question| match question {
            0 => (0, 1, 0, 100_000_000, 100_000_000),
            _ => (question, 1, 0, 100, 50),
        };
        let rows = rows_of(&(0..40).map(fallen).collect::<Vec<_>>());
        let side = |label| (&rows, rows.with("label", label));
        let (a, b) = (side("a"), side("b"));
        let found = between((a.0, &a.1), (b.0, &b.1));
        let said = found[0].sentence();
        assert!(
            said.starts_with("b of B against A: −49 %") && said.ends_with("decided, worse"),
            "{said}"
        );
    }
}
