//! The clause that the referee refuses corrupted answers.

use serde_json::Value as Json;

use super::corrupt::corrupted;
use super::subject::{AnsweredSpecimen, Subject};
use crate::{AnyInstance, Deadline, Direction, Random, Score};

/// The number of corrupted answers made from each right answer.
const CORRUPTED: usize = 16;

pub fn wrong_refused(subject: &Subject, answers: &[AnsweredSpecimen], out: &mut Vec<String>) {
    let random = &mut Random::new("corrupted answers", subject.seed);
    let (mut tried, mut refused) = (0_u32, 0_u32);
    for answered in answers {
        let Some(json) = answered.solver.answer_json() else {
            continue;
        };
        let is_proven = answered.solver.proven();
        let best = answered.solver.claimed();
        for _ in 0..CORRUPTED {
            let Some(changed) = corrupted(&json, random) else {
                break;
            };
            match attack(answered.specimen.instance.as_ref(), &json, &changed) {
                Attack::WithoutEffect => {}
                Attack::Refused => {
                    tried += 1;
                    refused += 1;
                }
                Attack::Accepted(score) => {
                    tried += 1;
                    if is_proven && is_better(subject.problem.direction(), score, best) {
                        let who = &answered.who;
                        out.push(format!(
                            "{who}: the proven {best:?} is beaten by {score:?}: {changed}"
                        ));
                    }
                }
            }
        }
    }
    if tried == 0 {
        out.push("no answer could be corrupted".to_owned());
    } else if refused * 2 < tried {
        out.push(format!(
            "only {refused} of {tried} corrupted answers are refused"
        ));
    }
}

enum Attack {
    /// The changed place is ignored: the answer is read as the original one.
    WithoutEffect,
    Refused,
    /// Another right answer, with its score.
    Accepted(Option<Score>),
}

fn attack(instance: &dyn AnyInstance, json: &Json, changed: &Json) -> Attack {
    let Ok(judged) = instance.judge(changed, Deadline::never()) else {
        return Attack::Refused;
    };
    if judged.answer == *json {
        return Attack::WithoutEffect;
    }
    match judged.verdict {
        Err(_) => Attack::Refused,
        Ok(checked) => Attack::Accepted(checked.score),
    }
}

/// Returns whether an answer with `score` contradicts a proven optimum `best`.
pub fn is_better(direction: Direction, score: Option<Score>, best: Option<Score>) -> bool {
    match (direction, score, best) {
        (Direction::Equal, score, best) => score != best,
        (direction, Some(score), Some(best)) => direction.is_better(score, best),
        (_, None, None) => false,
        // One of the two has an answer, the other claims that there is none.
        (_, Some(_), None) | (_, None, Some(_)) => true,
    }
}
