//! Claims of a proof that other answers to the same question contradict.

use std::collections::{BTreeMap, BTreeSet};

use ikeru_core::{Direction, Score};

use super::Rows;
use crate::{Family, Outcome, bests};

/// The claim of an answer that no other answer to its question is better than a score.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claim {
    /// The score; `None` if there is no answer, by the claim.
    score: Option<Score>,
    /// Which way a score is better; `None` if no way is, or if it is not known.
    direction: Option<Direction>,
}

impl Claim {
    /// Returns whether an answer with this score contradicts the claim.
    pub fn is_beaten_by(&self, score: Score) -> bool {
        // Compared as integers: `f64` does not distinguish all scores above 2⁵³.
        let is_better = |own| self.direction.is_some_and(|it| it.is_better(score, own));
        self.score.is_none_or(is_better)
    }

    /// Returns whether both claims cannot be true, although neither score is better.
    pub fn excludes(&self, other: &Self) -> bool {
        self.direction.is_none() && self.score != other.score
    }
}

/// The outcomes and details that replace those of rows.
type Judged = BTreeMap<u32, (Outcome, String)>;

impl Rows {
    /// The claim of an answer: `exact`, a `bound`, or any answer of a command if all scores must be equal.
    pub fn claim(&self, row: u32) -> Option<Claim> {
        let outcome = self.outcome(row)?;
        let is_solved = outcome == Outcome::Solved;
        let score = self.score(row);
        let direction = self.direction(row);
        // A command that would have proven its answer was stopped.
        let is_equal = direction == Some(Direction::Equal)
            && score.is_some()
            && self.is_command(row)
            && (is_solved || self.is_of_commands(row));
        let direction = direction.filter(|it| *it != Direction::Equal);
        let of = |score| Claim { score, direction };
        let bound = || bests::of_decimal(self.text("bound", row)).filter(|_| direction.is_some());
        match outcome {
            Outcome::Solved if self.text("exact", row) == "true" => Some(of(score)),
            Outcome::Solved | Outcome::Timeout if is_equal => Some(of(score)),
            Outcome::Solved | Outcome::Timeout => bound().map(|(bound, _)| of(Some(bound))),
            _ => None,
        }
    }

    /// Makes each row wrong whose claim a confirmed answer refutes: that of another row, or one that the ledger has. Claims
    /// that are contradicted where nobody is shown to be wrong become [`Outcome::Disputed`]. Only these rows in memory
    /// are changed. Rows without a question are left out.
    pub fn judge_claims(&mut self) {
        let mut answered: Vec<u32> = (0..self.len as u32).collect();
        if !answered.iter().any(|row| self.claim(*row).is_some()) {
            return;
        }
        answered.retain(|row| self.is_answered(*row) && !self.text("question", *row).is_empty());
        let mut judged = Judged::new();
        for question in self.group_by(&["problem", "question"], &answered) {
            self.judge(&question, &mut judged);
        }
        if !judged.is_empty() {
            self.replace_outcomes(&judged);
        }
    }

    /// Judges the claims of the rows of one question.
    fn judge(&self, own: &[u32], judged: &mut Judged) {
        let claims = own.iter().map(|row| (*row, self.claim(*row)));
        let claims = claims.filter_map(|(row, claim)| Some((row, claim?)));
        let mut claims: Vec<(u32, Claim)> = claims.collect();
        let Some(&(first, Claim { direction, .. })) = claims.first() else {
            return;
        };
        let is_refereed = !self.unrefereed.contains(self.text("problem", first));
        let is_better = |a, b| direction.is_some_and(|it| it.is_better(a, b));
        let scored = own.iter().filter_map(|row| Some((self.score(*row)?, *row)));
        let best = scored
            .clone()
            .reduce(|best, next| match is_better(next.0, best.0) {
                true => next,
                false => best,
            });
        // The ledger has one score for an instance, and none for each of its settings.
        let settings = || self.described(self.family(Family::Setting), first);
        let known = self.known(first).filter(|_| settings().is_empty());
        let against = [
            best.map(|(score, row)| (score, Some(row), is_refereed)),
            known.map(|it| (it.score, None, is_refereed && !it.answer.is_empty())),
        ];
        // A referee's score is rounded to the last decimal digit, if it has any.
        let digits = self.digits.get(self.text("problem", first));
        let rounding = u64::from(digits.is_some_and(|digits| *digits > 0));
        for (row, claim) in &claims {
            let is_far = |score| claim.score.is_none_or(|own| own.abs_diff(score) > rounding);
            let found = against.iter().flatten();
            let mut found = found.filter(|(score, ..)| claim.is_beaten_by(*score));
            let proof = found.clone().find(|it| it.2 && is_far(it.0));
            let Some(&(score, rival, is_confirmed)) = proof.or_else(|| found.next()) else {
                continue;
            };
            let outcome = match proof {
                Some(_) => Outcome::Wrong,
                None => Outcome::Disputed,
            };
            let whose = rival.map_or("bests.csv", |rival| self.text("label", rival));
            let how = match (is_confirmed, rival) {
                (true, _) if !is_far(score) => "which may be rounding",
                (true, Some(_)) => "confirmed",
                (true, None) => "with its answer",
                (false, _) => "not confirmed",
            };
            let claimed = self.claimed(*row, claim);
            let better = self.decimal(*row, score);
            let why = format!("{claimed}; {whose} has {better}, {how}");
            judged.insert(*row, (outcome, why));
        }
        if !is_refereed {
            for (score, row) in scored {
                let beaten = claims.iter().find(|(_, claim)| claim.is_beaten_by(score));
                if let Some((other, claim)) = beaten {
                    let why = || {
                        let label = self.text("label", *other);
                        format!("{label} {}", self.claimed(*other, claim))
                    };
                    let entry = judged.entry(row);
                    entry.or_insert_with(|| (Outcome::Disputed, why()));
                }
            }
        }
        claims.retain(|(row, _)| !judged.contains_key(row));
        if claims.iter().any(|(_, one)| one.excludes(&claims[0].1)) {
            let said = claims.iter().map(|(row, _)| self.said(*row));
            let said: BTreeSet<String> = said.collect();
            let said = Vec::from_iter(said).join("; ");
            let rows = claims.iter().map(|(row, _)| *row);
            judged.extend(rows.map(|row| (row, (Outcome::Disputed, said.clone()))));
        }
    }

    fn said(&self, row: u32) -> String {
        let [label, score] = ["label", "score"].map(|column| self.text(column, row));
        let score = if score.is_empty() { "no answer" } else { score };
        format!("{label}: {score}")
    }

    fn claimed(&self, row: u32, claim: &Claim) -> String {
        match claim.score {
            Some(score) => {
                let score = self.decimal(row, score);
                format!("claims that no answer is better than {score}")
            }
            None => "claims that there is no answer".to_owned(),
        }
    }

    fn replace_outcomes(&mut self, judged: &Judged) {
        self.rewrite("outcome", |_, row, _| {
            let (outcome, _) = judged.get(&row)?;
            Some(outcome.name().to_owned())
        });
        self.rewrite("detail", |_, row, _| Some(judged.get(&row)?.1.clone()));
        self.late.retain(|row| !judged.contains_key(row));
        self.name_outcomes();
    }
}
