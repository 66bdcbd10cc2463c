//! The variants, which differ only in the [`Contender`].

use ikeru_chain::{Piece, Placement};
use ikeru_core::{
    Attempt, Choice, Deadline, OURS, Prepared, Rejection, Search, SettingInfo, Settings, Variant,
    Wrong,
};

use super::Versus;
use super::contest::{Contender, Contest, MatchMoves, score};
use super::duel::{Duel, MatchResult};
use super::player::Player;
use super::tactics::TACTICS;
use crate::policy::PolicyWork;

/// The variant that plays as a row of [`Contender::WORDS`].
const fn variant<const ROW: usize>(
    about: &'static str,
    source: &'static str,
    settings: &'static [SettingInfo],
) -> Variant<Versus> {
    Variant {
        name: Contender::WORDS[ROW].0,
        about,
        source,
        exact: false,
        version: 4,
        settings,
        prepare: prepare::<ROW>,
    }
}

const THESIS: &str = "Thesis, 6.2";

/// Every variant, naive first.
pub(super) static ALL: [Variant<Versus>; 4] = [
    variant::<0>("any legal placement", OURS, &[]),
    variant::<1>("the largest attack at once", OURS, &[]),
    variant::<2>("potential maximization", THESIS, TACTICS),
    variant::<3>("templates, then potential maximization", THESIS, TACTICS),
];

fn prepare<'a, const ROW: usize>(
    game: &'a Contest,
    settings: &Settings,
    deadline: Deadline,
) -> Prepared<'a, Versus> {
    deadline.check()?;
    let mut players = [
        Player::new(Contender::WORDS[ROW].1, 0, game, settings)?,
        Player::new(game.opponent, 1, game, &Settings::new())?,
    ];
    Ok(Box::new(move |search: &mut Search| {
        let mut work = PolicyWork::until(search.deadline);
        let [first, second] = &mut players;
        first.restart();
        let choose = |duel: &Duel, shown: [&[Piece]; 2], work: &mut PolicyWork| {
            first.choose(duel, 0, shown, game.record.colours(), work)
        };
        let played = play(game, choose, second, &mut work);
        work.count(&mut search.counters);
        match played {
            Some(played) => {
                search.incumbent.improve(played.score);
                Attempt::unproven(played)
            }
            None => Attempt::nothing(),
        }
    }))
}

/// Refuses moves that `game.opponent` would not make in this match.
///
/// # Errors
/// The first turn in which it places its piece elsewhere; the deadline passes first.
pub(super) fn check_opponent(
    game: &Contest,
    placements: &[[Placement; 2]],
    deadline: Deadline,
) -> Result<(), Rejection> {
    let opponent = Player::new(game.opponent, 1, game, &Settings::new());
    let mut opponent = opponent.map_err(|refusal| Wrong(refusal.to_string()))?;
    // A match ends here before a move that the referee refuses.
    let given = |duel: &Duel, _: [&[Piece]; 2], _: &mut PolicyWork| {
        let [first, _] = *placements.get(duel.turn)?;
        let board = &duel.sides[0].board;
        duel.above_top().allows(first, board).then_some(first)
    };
    let mut work = PolicyWork::until(deadline);
    let played = play(game, given, &mut opponent, &mut work).ok_or(Rejection::Timeout)?;
    let mut turns = (1..).zip(played.placements.iter().zip(placements));
    match turns.find(|(_, (played, claimed))| played != claimed) {
        None => Ok(()),
        Some((turn, ([_, played], [_, claimed]))) => Err(Wrong(format!(
            "turn {turn}: the opponent, `{}`, places its piece at {played}, claimed is {claimed}",
            game.opponent.word()
        ))
        .into()),
    }
}

/// Plays a match of a player that chooses by `first` against `second`; `None` if the deadline of `work` passes first.
fn play(
    game: &Contest,
    mut first: impl FnMut(&Duel, [&[Piece]; 2], &mut PolicyWork) -> Option<Placement>,
    second: &mut Player,
    work: &mut PolicyWork,
) -> Option<MatchMoves> {
    let mut supply = game.supply();
    let colours = game.record.colours();
    let mut duel = game.duel();
    let mut placements = Vec::new();
    second.restart();
    for turn in 0..game.turns() {
        let Some(pieces) = supply.of(turn) else { break };
        if let Some(verdict) = duel.verdict(pieces) {
            return Some(MatchMoves {
                placements,
                score: score(verdict),
                is_read: false,
            });
        }
        let shown = supply.visible(turn);
        let ours = first(&duel, shown, work);
        let theirs = second.choose(&duel, 1, shown, colours, work);
        // A decision after the deadline does not count.
        if work.check_deadline().is_err() {
            return None;
        }
        let (Some(ours), Some(theirs)) = (ours, theirs) else {
            break;
        };
        let chains = duel.play(pieces, [ours, theirs], |board| work.resolve(board));
        supply.after(turn, chains);
        placements.push([ours, theirs]);
    }
    Some(MatchMoves {
        placements,
        score: score(MatchResult::Draw),
        is_read: false,
    })
}
