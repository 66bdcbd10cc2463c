//! The referee: replays a match by the rules of [`super::duel`], with its own simulator.

use ikeru_chain::Placement;
use ikeru_chain::firing::Firing;
use ikeru_core::{Checked, Deadline, Refereed, Rejection, Wrong};

use super::contest::{Contest, MatchMoves, score};
use super::duel::{Duel, MatchResult};

/// Checks the match and the score that is claimed for it.
pub(super) fn check(instance: &Contest, answer: &MatchMoves, deadline: Deadline) -> Refereed {
    let (duel, verdict) = replay(instance, &answer.placements, deadline, |_| ())?;
    let found = score(verdict);
    if found != answer.score {
        let claimed = answer.score;
        return Err(Wrong(format!(
            "claimed a result of {claimed}, the match has {found}"
        ))
        .into());
    }
    let flag = |holds: bool| f64::from(u8::from(holds));
    let [first, second] = duel.sides.map(|side| f64::from(side.attack));
    Ok(Checked {
        score: Some(found),
        measures: vec![
            ("win", flag(verdict == MatchResult::Won(0))),
            ("loss", flag(verdict == MatchResult::Won(1))),
            ("draw", flag(verdict == MatchResult::Draw)),
            ("turns_played", duel.turn as f64),
            ("attack_balance", first - second),
        ],
    })
}

/// Replays a match with the referee's simulator and calls `see` after every turn.
pub(super) fn replay(
    game: &Contest,
    placements: &[[Placement; 2]],
    deadline: Deadline,
    mut see: impl FnMut(&Duel),
) -> Result<(Duel, MatchResult), Rejection> {
    let (mut supply, turns) = (game.supply(), game.turns());
    let mut duel = game.duel();
    for (turn, placed) in placements.iter().enumerate() {
        if deadline.passed() {
            return Err(Rejection::Timeout);
        }
        let illegal = |why: &str| Rejection::from(Wrong(format!("turn {}: {why}", turn + 1)));
        let pieces = supply.of(turn).filter(|_| turn < turns);
        let pieces = pieces.ok_or_else(|| illegal("there are no more turns"))?;
        if duel.verdict(pieces).is_some() {
            return Err(illegal("the match was over before"));
        }
        for (side, placement) in duel.sides.iter().zip(placed) {
            if !duel.above_top().allows(*placement, &side.board) {
                return Err(illegal(&format!("{placement} is no legal placement")));
            }
        }
        let chains = duel.play(pieces, *placed, |board| {
            let firing = Firing::of(board);
            *board = firing.rest;
            firing.chain()
        });
        supply.after(turn, chains);
        see(&duel);
    }
    // A match is a draw after all its turns, even if a player could not place the next piece.
    let is_over = placements.len() >= turns;
    let next = supply.of(placements.len()).filter(|_| !is_over);
    let verdict = next.and_then(|pieces| duel.verdict(pieces));
    match verdict {
        Some(verdict) => Ok((duel, verdict)),
        None if !is_over => Err(Wrong("the match is not over".to_owned()).into()),
        None => Ok((duel, MatchResult::Draw)),
    }
}

#[cfg(test)]
mod tests {
    use ikeru_core::Problem;
    use ikeru_core::testing::settings;

    use super::super::Versus;
    use super::*;

    #[test]
    fn a_match_has_as_many_turns_as_were_asked() {
        let listed = Versus::read("pieces: RG RG RG RG RG RG\n").expect("a match");
        let asked = Versus::ask(&listed, &settings("turns=2")).expect("a question");
        let judged = |turns: usize, score| {
            let answer = MatchMoves {
                placements: vec![
                    ["1U", "1U"].map(|word| word.parse().expect("a placement"));
                    turns
                ],
                score,
            };
            check(&asked, &answer, Deadline::never())
        };
        let drawn = judged(2, 0).expect("a match");
        assert_eq!(drawn.score, Some(0));
        let turns = ("turns_played", 2.0);
        assert!(drawn.measures.contains(&turns) && drawn.measures.contains(&("draw", 1.0)));
        for (turns, score) in [(0, 0), (1, 0), (2, 1), (2, -1), (3, 0), (5, 0)] {
            assert!(judged(turns, score).is_err(), "{turns} turns, {score}");
        }
    }
}
