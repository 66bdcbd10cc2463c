//! The referee: replays a match by the rules of [`super::duel`], with its own simulator.

use ikeru_chain::Placement;
use ikeru_chain::firing::Firing;
use ikeru_core::{Checked, Deadline, Refereed, Rejection, Wrong};

use super::contest::{Contest, MatchMoves, score};
use super::duel::{Duel, MatchResult};
use super::variants::check_opponent;

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
    if answer.is_read {
        check_opponent(instance, &answer.placements, deadline)?;
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
    use ikeru_chain::{Cell, Piece, PieceSequence};
    use ikeru_core::testing::{answer, settings};
    use ikeru_core::{Problem, Random};

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
                is_read: false,
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

    #[test]
    fn the_moves_of_the_opponent_are_its_own() {
        for opponent in ["random", "greedy", "potential"] {
            let text = "loss: entrance\npieces: RG BY RG BY RG BY RG BY\n";
            let asked = asked(text, &format!("opponent={opponent} turns=6"));
            let played = answer::<Versus>(&asked, "greedy", &settings(""));
            let (attempt, _) = played.expect("a match");
            let mut json = Versus::answer_json(&asked, attempt.answer().expect("played"));
            let judged = |json: &serde_json::Value| {
                let answer = Versus::read_answer(&asked, json).expect("a match");
                check(&asked, &answer, Deadline::never())
            };
            assert!(judged(&json).is_ok(), "{opponent}");
            json["opponent_placements"][2] = "5D".into();
            let wrong = refused(judged(&json));
            let why = format!("turn 3: the opponent, `{opponent}`, places its piece at");
            assert!(wrong.starts_with(&why), "{wrong}");
        }
    }

    fn asked(text: &str, question: &str) -> Contest {
        let listed = Versus::read(text).expect("a match");
        Versus::ask(&listed, &settings(question)).expect("a question")
    }

    /// The moves of both sides, turn by turn.
    fn turns(ours: &str, theirs: &str) -> Vec<[Placement; 2]> {
        let placed = |words: &str| -> Vec<Placement> {
            let words = words.split_whitespace();
            words.map(|word| word.parse().expect("placed")).collect()
        };
        let both = placed(ours).into_iter().zip(placed(theirs));
        both.map(<[Placement; 2]>::from).collect()
    }

    fn judged(asked: &Contest, placements: Vec<[Placement; 2]>, score: i64) -> Refereed {
        let answer = MatchMoves {
            placements,
            score,
            is_read: false,
        };
        check(asked, &answer, Deadline::never())
    }

    fn refused(refereed: Refereed) -> String {
        match refereed {
            Err(Rejection::Wrong(Wrong(why))) => why,
            other => panic!("expected a wrong answer: {other:?}"),
        }
    }

    /// The measures `win`, `loss`, `draw`, `turns_played` and `attack_balance`.
    fn measures(refereed: Refereed) -> [f64; 5] {
        let measures = refereed.expect("a match").measures;
        let names = ["win", "loss", "draw", "turns_played", "attack_balance"];
        assert_eq!(measures.len(), names.len());
        let found: Vec<f64> = (names.iter().zip(measures))
            .map(|(name, (known, value))| {
                assert_eq!(*name, known);
                value
            })
            .collect();
        found.try_into().expect("five measures")
    }

    /// Twelve cells and pieces of which no four puyos have the same colour.
    const SMALL: &str = "board: 3x4\npieces: RG BY PC RG BY RB\n";
    /// A cell of column 1 and one of column 2 are free afterwards: a piece fits beside itself.
    const FITS: &str = "3U 3U 1U 1R 2U";
    /// A cell of column 1 and one of column 3 are free afterwards: no piece fits.
    const STUCK: &str = "1R 2R 2U 1U 3U";

    #[test]
    fn the_side_loses_for_which_the_next_piece_does_not_fit() {
        let small = asked(SMALL, "");
        let judged = |ours: &str, theirs: &str, score| judged(&small, turns(ours, theirs), score);
        let won = [1.0, 0.0, 0.0, 5.0, 0.0];
        assert_eq!(measures(judged(FITS, STUCK, 1)), won);
        let lost = [0.0, 1.0, 0.0, 5.0, 0.0];
        assert_eq!(measures(judged(STUCK, FITS, -1)), lost);
        let drawn = [0.0, 0.0, 1.0, 5.0, 0.0];
        assert_eq!(measures(judged(STUCK, STUCK, 0)), drawn);
        for (ours, theirs, found) in [(FITS, STUCK, 1), (STUCK, FITS, -1), (STUCK, STUCK, 0)] {
            for claimed in (-2..=2).filter(|&claimed| claimed != found) {
                assert_eq!(
                    refused(judged(ours, theirs, claimed)),
                    format!("claimed a result of {claimed}, the match has {found}")
                );
            }
        }
        // The match goes on while both sides can place the next piece.
        assert_eq!(refused(judged(FITS, FITS, 0)), "the match is not over");
        let six = |last: &str| format!("{FITS} {last}");
        let drawn = [0.0, 0.0, 1.0, 6.0, 0.0];
        assert_eq!(measures(judged(&six("1R"), &six("2L"), 0)), drawn);
        assert_eq!(
            refused(judged(&six("1R"), &six("2R"), 0)),
            "turn 6: 2R is no legal placement"
        );
    }

    #[test]
    fn one_change_of_a_right_match_is_refused_with_its_turn() {
        let small = asked(SMALL, "");
        let judged = |ours: &str, theirs: &str| refused(judged(&small, turns(ours, theirs), 1));
        // A turn less, or more.
        assert_eq!(
            judged("3U 3U 1U 1R", "1R 2R 2U 1U"),
            "the match is not over"
        );
        assert_eq!(
            judged(&format!("{FITS} 1L"), &format!("{STUCK} 1U")),
            "turn 6: the match was over before"
        );
        // A placement of one side or the other that does not fit.
        assert_eq!(
            judged("3U 3U 3U 1R 2U", STUCK),
            "turn 3: 3U is no legal placement"
        );
        assert_eq!(
            judged(FITS, "1R 2R 2U 2R 3U"),
            "turn 4: 2R is no legal placement"
        );
        assert_eq!(
            judged("3U 3R 1U 1R 2U", STUCK),
            "turn 2: 3R is no legal placement"
        );
        assert_eq!(
            judged("9U 3U 1U 1R 2U", STUCK),
            "turn 1: 9U is no legal placement"
        );
        // Another legal placement leaves the loser a place.
        assert_eq!(judged(FITS, "1R 1R 2U 1U 3U"), "the match is not over");
    }

    #[test]
    fn all_turns_played_are_a_draw_even_if_the_next_piece_does_not_fit() {
        let five = asked(SMALL, "turns=5");
        let drawn = [0.0, 0.0, 1.0, 5.0, 0.0];
        let judged = |score| judged(&five, turns(FITS, STUCK), score);
        assert_eq!(measures(judged(0)), drawn);
        assert_eq!(refused(judged(1)), "claimed a result of 1, the match has 0");
    }

    #[test]
    fn the_attack_balance_counts_what_the_first_side_sends_more() {
        let text = "pieces: RR RG GG GY RB YB\n";
        let chain_of_two = asked(text, "");
        // In the fifth turn four reds vanish, and then four greens: an attack of 6. The other side has no chain.
        let (fired, quiet) = ("2U 2U 3U 3U 1U 6U", "6U 6U 4U 4U 1U 2U");
        let balance = |balance| [0.0, 0.0, 1.0, 6.0, balance];
        let judged = |ours, theirs| judged(&chain_of_two, turns(ours, theirs), 0);
        assert_eq!(measures(judged(fired, quiet)), balance(6.0));
        assert_eq!(measures(judged(quiet, fired)), balance(-6.0));
        assert_eq!(measures(judged(fired, fired)), balance(0.0));
        // The garbage waits for the other side after the fifth turn and falls after the sixth.
        let mut seen = Vec::new();
        let both = turns(fired, quiet);
        let replayed = replay(&chain_of_two, &both, Deadline::never(), |duel| {
            let garbage = duel.sides.map(|side| side.board.garbage().count_ones());
            let pending = duel.sides.map(|side| side.pending);
            seen.push((duel.turn, pending, garbage));
        });
        let (duel, verdict) = replayed.expect("a match");
        assert_eq!(verdict, MatchResult::Draw);
        assert_eq!(duel.turn, 6);
        let mut expected: Vec<_> = (1..5).map(|turn| (turn, [0, 0], [0, 0])).collect();
        expected.extend([(5, [0, 6], [0, 0]), (6, [0, 0], [0, 6])]);
        assert_eq!(seen, expected);
        assert_eq!(duel.sides[0].board.stones(), 4);
        assert_eq!(duel.sides[1].board.stones(), 12 + 6);
    }

    #[test]
    fn the_pieces_of_both_sides_part_after_the_first_clear() {
        let text = "colours: 4\nseed: 1\nRRR...\n";
        // The first pieces are RY GG RG; the first side lets four reds vanish with the first one.
        let both = turns("4U 6U 6U 1U 2U", "6U 6U 6U 5U 5U");
        let common: Vec<Piece> = PieceSequence::new(1, 4).take(5).collect();
        let mut announced = PieceSequence::new(1, 4);
        let _ = announced.by_ref().take(3).count();
        let own: Vec<Piece> = announced
            .parted(Random::new("versus.second", 1))
            .take(2)
            .collect();
        assert_ne!(own, common[3..]);
        for (shared, second) in [("always", &common[3..]), ("until-clear", &own)] {
            let game = asked(text, &format!("turns=5 shared_pieces={shared}"));
            let replayed = replay(&game, &both, Deadline::never(), |_| ());
            let boards = replayed.expect("a match").0.sides.map(|side| side.board);
            let cells = |side: usize, column: usize, rows: [usize; 2]| {
                rows.map(|row| boards[side].cell(column, row))
            };
            let puyos = |piece: Piece| [piece.axis, piece.child].map(Cell::Puyo);
            assert_eq!(cells(0, 0, [0, 1]), puyos(common[3]));
            assert_eq!(cells(0, 1, [0, 1]), puyos(common[4]));
            assert_eq!(cells(1, 4, [0, 1]), puyos(second[0]));
            assert_eq!(cells(1, 4, [2, 3]), puyos(second[1]));
        }
    }

    #[test]
    fn a_replay_stops_at_its_deadline() {
        let stop = std::sync::atomic::AtomicBool::new(true);
        let passed = Deadline::never().or_stop(&stop);
        let small = asked(SMALL, "");
        let answer = MatchMoves {
            placements: turns(FITS, STUCK),
            score: 1,
            is_read: false,
        };
        assert_eq!(check(&small, &answer, passed), Err(Rejection::Timeout));
    }
}
