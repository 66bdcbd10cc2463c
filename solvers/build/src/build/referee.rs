//! The referee: plays the placements again with its own simulator and matches templates by matrices.

use ikeru_chain::Board;
use ikeru_chain::record::Replay;
use ikeru_core::{Checked, Deadline, Rejection, Score, Wrong};

use super::challenge::{Challenge, Goal};
use super::problem::Played;
use crate::templates::criterion::Criterion;

/// Checks the game and the score that is claimed for it.
pub(super) fn check(
    instance: &Challenge,
    answer: &Played,
    deadline: Deadline,
) -> Result<Checked, Rejection> {
    let limit = instance.question.moves;
    if answer.placements.len() > limit {
        let count = answer.placements.len();
        return Err(Wrong(format!("{count} placements, at most {limit} are allowed")).into());
    }
    let replay = instance.replay(&answer.placements)?;
    let checked = judge(instance, &replay, deadline)?;
    match checked.score {
        Some(score) if score != answer.score => {
            let claimed = answer.score;
            Err(Wrong(format!(
                "claimed a score of {claimed}, the game has {score}"
            ))
            .into())
        }
        _ => Ok(checked),
    }
}

/// The score of a game and everything measured on it.
pub(super) fn judge(
    instance: &Challenge,
    replay: &Replay,
    deadline: Deadline,
) -> Result<Checked, Rejection> {
    let question = &instance.question;
    let (move_number, chain) = replay.largest().unwrap_or_default();
    let flag = |holds: bool| f64::from(u8::from(holds));
    let mut measures = vec![
        ("chains", f64::from(chain.steps)),
        ("attack", f64::from(chain.attack)),
        ("moves", move_number as f64),
        ("below_8", flag(chain.steps < 8)),
        ("placed", replay.moves.len() as f64),
        ("lost", flag(replay.lost)),
    ];
    let score = match question.goal {
        Goal::Chain => Score::from(chain.attack),
        Goal::Template => {
            let repertoire = instance
                .repertoire()
                .map_err(|error| Wrong(error.message))?;
            let completion = question.completion;
            let complete = |board: &Board, criterion: Option<Criterion>| {
                criterion.is_some_and(|criterion| repertoire.completed(board, criterion))
            };
            let mut moves = None;
            for (number, played) in (1..).zip(&replay.moves) {
                if deadline.passed() {
                    return Err(Rejection::Timeout);
                }
                if complete(&played.placed, completion.before())
                    || complete(&played.after, Some(completion.after()))
                {
                    moves = Some(number);
                    break;
                }
            }
            measures.push(("completed", flag(moves.is_some())));
            measures.extend(moves.map(|moves| ("moves_to_completion", moves as f64)));
            measures.push(("over_30", flag(moves.is_none_or(|moves| moves > 30))));
            let least = instance.least_moves(&repertoire);
            measures.extend(least.map(|moves| ("least_moves", moves as f64)));
            let regret = moves
                .zip(least)
                .map(|(moves, least)| moves as f64 - least as f64);
            measures.extend(regret.map(|regret| ("regret_at_most", regret)));
            -(moves.unwrap_or(question.moves + 1) as Score)
        }
    };
    Ok(Checked {
        score: Some(score),
        measures,
    })
}
