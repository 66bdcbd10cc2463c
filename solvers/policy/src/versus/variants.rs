//! The variants, which differ only in the [`Contender`].

use ikeru_core::{
    Attempt, Choice, Deadline, OURS, Prepared, Search, SettingInfo, Settings, Variant,
};

use super::Versus;
use super::contest::{Contender, Contest, MatchMoves, score};
use super::duel::MatchResult;
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
        let played = play(game, &mut players, &mut work, search);
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

fn play(
    game: &Contest,
    players: &mut [Player; 2],
    work: &mut PolicyWork,
    search: &Search,
) -> Option<MatchMoves> {
    let mut supply = game.supply();
    let colours = game.record.colours();
    let mut duel = game.duel();
    let mut placements = Vec::new();
    players.iter_mut().for_each(Player::restart);
    for turn in 0..game.turns() {
        let Some(pieces) = supply.of(turn) else { break };
        if let Some(verdict) = duel.verdict(pieces) {
            return Some(MatchMoves {
                placements,
                score: score(verdict),
            });
        }
        let shown = supply.visible(turn);
        let first = players[0].choose(&duel, 0, shown, colours, work);
        let second = players[1].choose(&duel, 1, shown, colours, work);
        // A decision after the deadline does not count.
        if search.deadline.passed() {
            return None;
        }
        let (Some(first), Some(second)) = (first, second) else {
            break;
        };
        let chains = duel.play(pieces, [first, second], |board| work.resolve(board));
        supply.after(turn, chains);
        placements.push([first, second]);
    }
    Some(MatchMoves {
        placements,
        score: score(MatchResult::Draw),
    })
}
