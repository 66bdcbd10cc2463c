//! The referee: replays the placements with its own simulator and decides by matrices when a template is completed.

use std::sync::{Arc, OnceLock};

use ikeru_chain::Board;
use ikeru_chain::firing::Firing;
use ikeru_chain::points::points;
use ikeru_chain::record::{RecordedMove, Replay};
use ikeru_core::{Checked, Deadline, InputError, Referee, Refereed, Rejection, Score, Wrong};

use super::Build;
use super::challenge::{Challenge, Goal, Played};
use crate::matching::Constraints;
use crate::repertoire::Repertoire;
use ikeru_chain::simulate::place;

/// The referee of one challenge. It builds the templates at the first answer that it measures.
#[derive(Default)]
pub struct Judge(OnceLock<Result<Arc<Repertoire>, InputError>>);

impl Referee<Build> for Judge {
    fn check(&self, instance: &Challenge, answer: &Played, deadline: Deadline) -> Refereed {
        let limit = instance.question.moves;
        if answer.placements.len() > limit {
            let count = answer.placements.len();
            return Err(Wrong(format!("{count} placements, at most {limit} are allowed")).into());
        }
        let replay = instance.replay(&answer.placements)?;
        let checked = self.measure(instance, &replay, deadline)?;
        match checked.score {
            Some(score) if score != answer.score => {
                let claimed = answer.score;
                let why = format!("claimed a score of {claimed}, the game has {score}");
                Err(Wrong(why).into())
            }
            _ => Ok(checked),
        }
    }
}

impl Judge {
    /// The score of a game and everything measured on it.
    pub(super) fn measure(
        &self,
        instance: &Challenge,
        replay: &Replay,
        deadline: Deadline,
    ) -> Refereed {
        let largest = replay.largest();
        let (move_number, chain) =
            largest.map_or_else(Default::default, |(number, played)| (number, played.chain));
        let points = largest.map_or(0, |(_, played)| points(&Firing::of(&played.placed)));
        let mut measures = vec![
            ("chains", f64::from(chain.steps)),
            ("attack", f64::from(chain.attack)),
            ("points", points as f64),
            ("moves", move_number as f64),
            ("below_8", flag(chain.steps < 8)),
            ("placed", replay.moves.len() as f64),
            ("lost", flag(replay.lost)),
        ];
        let repertoire = self.0.get_or_init(|| instance.repertoire()).as_ref();
        let score = match instance.question.goal {
            Goal::Chain => {
                if let Ok(repertoire) = repertoire {
                    let built = moves_to_completion(instance, repertoire, replay, deadline)?;
                    measures.push(("built", flag(built.is_some())));
                }
                Score::from(chain.attack)
            }
            Goal::Template => {
                let repertoire = repertoire.map_err(|error| Wrong(error.message.clone()))?;
                measures.push(("templates", repertoire.templates.len() as f64));
                if repertoire.sets.len() > 1 {
                    measures.extend(matching(instance, repertoire, replay));
                }
                let moves = moves_to_completion(instance, repertoire, replay, deadline)?;
                measures.push(("completed", flag(moves.is_some())));
                measures.extend(moves.map(|moves| ("moves_to_completion", moves as f64)));
                measures.push(("over_30", flag(moves.is_none_or(|moves| moves > 30))));
                let least = instance.least_moves(repertoire);
                measures.extend(least.map(|moves| ("least_moves", moves as f64)));
                let regret = moves
                    .zip(least)
                    .map(|(moves, least)| moves as f64 - least as f64);
                measures.extend(regret.map(|regret| ("regret_at_most", regret)));
                -(moves.unwrap_or(instance.question.moves + 1) as Score)
            }
        };
        Ok(Checked {
            score: Some(score),
            measures,
        })
    }
}

/// The number, from 1, of the first move that completes a template of `repertoire`.
fn moves_to_completion(
    instance: &Challenge,
    repertoire: &Repertoire,
    replay: &Replay,
    deadline: Deadline,
) -> Result<Option<usize>, Rejection> {
    let completion = instance.question.completion;
    let complete = |board: &Board, criterion| repertoire.completed(board, criterion);
    for (number, played) in (1..).zip(&replay.moves) {
        if deadline.passed() {
            return Err(Rejection::Timeout);
        }
        let before = completion.before();
        if before.is_some_and(|criterion| complete(&played.placed, criterion))
            || complete(&played.after, completion.after())
        {
            return Ok(Some(number));
        }
    }
    Ok(None)
}

/// Measures which templates the boards of a game violate: `one_set_from` and `stays_dead`.
fn matching(
    instance: &Challenge,
    repertoire: &Repertoire,
    replay: &Replay,
) -> Vec<(&'static str, f64)> {
    let matcher = &repertoire.matcher;
    let colours = instance.record.colours();
    let alive = |board: &Board| Constraints::of(matcher, board, colours).alive;
    let is_one = |played: &RecordedMove| {
        let sets = repertoire.sets.iter();
        let left = alive(&played.after);
        sets.filter(|set| left & **set != 0).count() <= 1
    };
    let one_set_from = (1..).zip(&replay.moves).find(|(_, played)| is_one(played));
    let (mut children, mut dead_children) = (0, 0);
    for pair in replay.moves.windows(2) {
        let board = &pair[0].after;
        let dead = matcher.all() & !alive(board);
        for placement in pair[1].piece.placements(board) {
            let (below, _) = place(board, pair[1].piece, placement);
            children += dead.count_ones();
            dead_children += (dead & !alive(&below)).count_ones();
        }
    }
    let stays_dead = f64::from(dead_children) / f64::from(children.max(1));
    let one_set_from = one_set_from.map(|(number, _)| ("one_set_from", f64::from(number)));
    one_set_from
        .into_iter()
        .chain([("stays_dead", stays_dead)])
        .collect()
}

fn flag(holds: bool) -> f64 {
    f64::from(u8::from(holds))
}
