//! Answers of two runs that contradict each other. Those of one run are judged when it is read
//! ([`Rows::judge_claims`](crate::Rows::judge_claims)).

use std::collections::HashMap;

use ikeru_core::Score;

use crate::Rows;
use crate::rows::Claim;

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

/// A confirmed score, and what it claims.
#[derive(PartialEq)]
struct Confirmed {
    score: Score,
    claim: Option<Claim>,
}

impl Confirmed {
    fn contradicts(&self, other: &Self) -> bool {
        let excludes = |claim: &Claim| other.claim.is_some_and(|other| claim.excludes(&other));
        let is_wrong = |claim: &Claim| claim.is_beaten_by(other.score) || excludes(claim);
        self.claim.as_ref().is_some_and(is_wrong)
    }
}

/// The confirmed scores of each question.
fn confirmed<'a>((rows, selection): (&'a Rows, &[u32])) -> HashMap<&'a str, Vec<Confirmed>> {
    let mut found: HashMap<&str, Vec<Confirmed>> = HashMap::new();
    for row in selection {
        if let Some(score) = rows.confirmed(*row) {
            let of_question = found.entry(rows.text("question", *row)).or_default();
            let claim = rows.claim(*row);
            let one = Confirmed { score, claim };
            // Repeats have few scores.
            if !of_question.contains(&one) {
                of_question.push(one);
            }
        }
    }
    found.remove("");
    found
}

#[cfg(test)]
mod tests {
    use ikeru_core::Direction;

    use super::*;
    use crate::rows_of as rows;

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
        let found = |a: &Rows, b: &Rows| contradictions((a, &a.all()), (b, &b.all()));
        let [seven, eight] = ["7", "8"].map(|score| run("true", score));
        assert_eq!(found(&seven, &eight), 1);
        assert_eq!(found(&seven, &seven), 0);
        // A heuristic may be worse than a proof, but not better.
        let [six, nine] = ["6", "9"].map(|score| run("false", score));
        assert_eq!([found(&six, &eight), found(&eight, &nine)], [0, 1]);
    }
}
