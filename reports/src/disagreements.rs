//! Answers that contradict each other: two proven scores that differ, or a confirmed score that is better than a proven one.

use std::collections::HashMap;
use std::fmt;

use ikeru_core::{Direction, Score};

use crate::Rows;
use crate::records::{Family, Outcome};

/// Exact variants whose proven answers to one question differ, or are worse than a confirmed one: one of them is wrong,
/// even if the referee, which checks one witness at a time, accepted all of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disagreement {
    /// The experiment.
    pub experiment: String,
    /// The instance.
    pub instance: String,
    /// The settings of the question: `god=true steps=48`.
    pub question: String,
    /// The different scores of each label, in the order of the rows: `memo: 21; bitboard: no answer`.
    pub scores: String,
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (experiment, instance, scores) = (&self.experiment, &self.instance, &self.scores);
        let question = match self.question.as_str() {
            "" => String::new(),
            question => format!(", {question}"),
        };
        write!(
            f,
            "exact variants disagree: {experiment}, {instance}{question}: {scores}"
        )
    }
}

/// The disagreements of selected rows that claim to be proven, with each other and with better confirmed scores, in the order
/// of the experiments. Each answer of a command is such a claim if all scores must be equal. Rows without a
/// question are left out.
pub fn disagreements(rows: &Rows, selection: &[u32]) -> Vec<Disagreement> {
    let mut answered = selection.to_vec();
    if !answered.iter().any(|row| is_claim(rows, *row)) {
        return Vec::new();
    }
    answered.retain(|row| rows.is_answered(*row) && !rows.text("question", *row).is_empty());
    let by = ["experiment", "instance", "problem", "question"];
    let questions = rows.group_by(&by, &answered);
    let found = questions.iter().filter_map(|own| disagreement(rows, own));
    found.collect()
}

/// The number of questions on which two runs contradict each other: two proven scores differ, or one run has a better
/// score than the other one proved.
pub fn contradictions(a: (&Rows, &[u32]), b: (&Rows, &[u32])) -> usize {
    let [of_a, of_b] = [a, b].map(confirmed);
    let either = |a: &Confirmed, b: &Confirmed| a.contradicts(b) || b.contradicts(a);
    let contradict = |(question, one): &(&&str, &Vec<Confirmed>)| {
        let other = of_b.get(*question).map_or(&[][..], Vec::as_slice);
        one.iter().any(|a| other.iter().any(|b| either(a, b)))
    };
    of_a.iter().filter(contradict).count()
}

/// A confirmed score; `None` for the answer that there is no solution.
#[derive(PartialEq)]
struct Confirmed {
    score: Option<Score>,
    is_claim: bool,
    direction: Option<Direction>,
}

impl Confirmed {
    fn of(rows: &Rows, row: u32) -> Self {
        Self {
            score: rows.score(row),
            is_claim: is_claim(rows, row),
            direction: rows.direction(row),
        }
    }

    /// Returns whether the other score is better than `score`.
    fn is_beaten_by(&self, other: Option<Score>) -> bool {
        // Compared as integers: `f64` does not distinguish all scores above 2⁵³.
        let is_better = |(own, other)| self.direction.is_some_and(|it| it.is_better(other, own));
        self.score.zip(other).is_some_and(is_better)
    }

    fn contradicts(&self, other: &Self) -> bool {
        let differ = self.score.is_none() || other.is_claim;
        let is_other = (differ && other.score != self.score) || self.is_beaten_by(other.score);
        self.is_claim && is_other
    }
}

/// The confirmed scores of each question.
fn confirmed<'a>((rows, selection): (&'a Rows, &[u32])) -> HashMap<&'a str, Vec<Confirmed>> {
    let mut found: HashMap<&str, Vec<Confirmed>> = HashMap::new();
    for row in selection {
        if rows.confirmed(*row).is_some() {
            let of_question = found.entry(rows.text("question", *row)).or_default();
            let one = Confirmed::of(rows, *row);
            // Repeats have few scores.
            if !of_question.contains(&one) {
                of_question.push(one);
            }
        }
    }
    found.remove("");
    found
}

/// Returns whether no other answer to the question of a row can be better.
fn is_claim(rows: &Rows, row: u32) -> bool {
    let is_equal = rows.is_command(row) && rows.direction(row) == Some(Direction::Equal);
    match rows.outcome(row) {
        Some(Outcome::Solved) => is_equal || rows.text("exact", row) == "true",
        // A command that would have proven its answer was stopped.
        Some(Outcome::Timeout) => is_equal && rows.is_of_commands(row) && rows.score(row).is_some(),
        _ => false,
    }
}

/// The disagreement of the claims of a question with each other, or with a better score.
fn disagreement(rows: &Rows, question: &[u32]) -> Option<Disagreement> {
    let claim = *question.iter().find(|row| is_claim(rows, **row))?;
    let proven = Confirmed::of(rows, claim);
    let contradicts = |row: &u32| proven.contradicts(&Confirmed::of(rows, *row));
    // The ledger has one score for an instance, and none for each of its settings.
    let settings = rows.described(rows.family(Family::Setting), claim);
    let known = rows.best_known(claim).filter(|_| settings.is_empty());
    let known = known.filter(|best| proven.is_beaten_by(Some(*best)));
    if known.is_none() && !question.iter().any(contradicts) {
        return None;
    }
    let known = known.map(|best| rows.decimal(claim, best));
    let known = known.map(|best| format!("best known in bests.csv: {best}"));
    let mut scores: Vec<String> = known.into_iter().collect();
    for row in question {
        let [label, score] = ["label", "score"].map(|column| rows.text(column, *row));
        let score = if score.is_empty() { "no answer" } else { score };
        let found = format!("{label}: {score}");
        if (is_claim(rows, *row) || contradicts(row)) && !scores.contains(&found) {
            scores.push(found);
        }
    }
    let text = |column| rows.text(column, claim).to_owned();
    Some(Disagreement {
        experiment: text("experiment"),
        instance: text("instance"),
        question: settings,
        scores: scores.join("; "),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows_of as rows;

    #[test]
    fn scores_that_differ_beyond_the_digits_of_a_float_disagree() {
        let rows = rows(
            "schema,outcome,exact,experiment,label,instance,question,score\n\
             1,solved,true,e,a,i,q,9007199254740993\n1,solved,true,e,b,i,q,9007199254740992\n",
        );
        let found = disagreements(&rows, &rows.all());
        assert_eq!(found[0].scores, "a: 9007199254740993; b: 9007199254740992");
        // Other rows are not looked at.
        assert!(disagreements(&rows, &rows.with("label", "a")).is_empty());
    }

    #[test]
    fn two_runs_contradict_each_other_where_no_row_of_one_run_does() {
        let run = |exact: &str, score: &str| {
            let text = "schema,experiment,instance,problem,label,question,outcome,score,exact\n";
            let mut rows = rows(&format!(
                "{text}1,e,i,p,a,q,solved,{score},{exact}\n1,e,j,p,a,r,solved,5,{exact}\n"
            ));
            rows.set_directions([("p", Direction::Maximize)]);
            rows
        };
        let found = |a: &Rows, b: &Rows| {
            assert!(disagreements(a, &a.all()).is_empty());
            contradictions((a, &a.all()), (b, &b.all()))
        };
        let [seven, eight] = ["7", "8"].map(|score| run("true", score));
        assert_eq!(found(&seven, &eight), 1);
        assert_eq!(found(&seven, &seven), 0);
        // A heuristic may be worse than a proof, but not better.
        let [six, nine] = ["6", "9"].map(|score| run("false", score));
        assert_eq!([found(&six, &eight), found(&eight, &nine)], [0, 1]);
    }

    #[test]
    fn a_confirmed_score_that_is_better_than_a_proven_one_disagrees() {
        let mut rows = rows(
            "schema,problem,outcome,exact,experiment,label,variant,instance,question,score\n\
             1,p,solved,true,e,a,p,i,q,1\n1,p,timeout,false,e,b,p,i,q,2\n1,p,solved,false,e,c,p,i,q,0\n\
             1,s,solved,false,e,a,s,i,q,1\n1,s,solved,false,e,b,s,i,q,2\n1,s,timeout,false,e,c,s,i,q,\n",
        );
        let words = |rows: &Rows| {
            let found = disagreements(rows, &rows.all());
            let words = found.into_iter().map(|one| one.scores);
            words.collect::<Vec<_>>()
        };
        rows.set_directions([("p", Direction::Minimize)]);
        assert_eq!(words(&rows), ["a: 1; c: 0"]);
        rows.set_directions([("p", Direction::Maximize), ("s", Direction::Equal)]);
        assert_eq!(words(&rows), ["a: 1; b: 2"]);
        rows.commands = ["s".to_owned()].into();
        assert_eq!(words(&rows), ["a: 1; b: 2", "a: 1; b: 2"]);
    }
}
