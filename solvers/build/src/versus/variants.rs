//! The variants: who may play. They differ by the policy's name alone.

use ikeru_chain::begin;
use ikeru_core::{
    Attempt, BoxedSolve, Deadline, Prepare, Refusal, Search, Setting, Settings, Source, Variant,
};

use super::Versus;
use super::contest::{Contest, Moves, VISIBLE, score};
use super::duel::Verdict;
use super::player::Player;
use super::tactics::TACTICS;
use crate::policy::Work;

const fn variant(
    name: &'static str,
    about: &'static str,
    source: Source,
    settings: &'static [Setting],
    prepare: Prepare<Versus>,
) -> Variant<Versus> {
    Variant {
        name,
        about,
        source,
        exact: false,
        version: 2,
        settings,
        prepare,
    }
}

const THESIS: Source = Source::Article {
    name: "Thesis",
    section: "6.2",
};

/// Every variant, naive first.
pub(super) static ALL: [Variant<Versus>; 4] = [
    variant(
        "random",
        "any legal placement",
        Source::Ours,
        &[],
        |game, settings, deadline| prepare(game, "random", settings, deadline),
    ),
    variant(
        "greedy",
        "the largest attack at once",
        Source::Ours,
        &[],
        |game, settings, deadline| prepare(game, "greedy", settings, deadline),
    ),
    variant(
        "potential",
        "potential maximization",
        THESIS,
        &TACTICS,
        |game, settings, deadline| prepare(game, "potential", settings, deadline),
    ),
    variant(
        "combined",
        "templates, then potential maximization",
        THESIS,
        &TACTICS,
        |game, settings, deadline| prepare(game, "combined", settings, deadline),
    ),
];

fn prepare<'a>(
    game: &'a Contest,
    name: &str,
    settings: &Settings,
    deadline: Deadline,
) -> Result<BoxedSolve<'a, Versus>, Refusal> {
    begin(deadline)?;
    let mut players = [
        Player::named(name, 0, game, settings)?,
        Player::named(&game.opponent, 1, game, &Settings::new())?,
    ];
    Ok(Box::new(move |search: &mut Search| {
        let mut work = Work::until(search.deadline);
        let played = play(game, &mut players, &mut work, search);
        work.count(&mut search.counters);
        match played {
            Some(played) => {
                search.incumbent.raise(played.score);
                Attempt::Solved(played)
            }
            None => Attempt::Timeout {
                best: None,
                bound: None,
            },
        }
    }))
}

fn play(
    game: &Contest,
    players: &mut [Player; 2],
    work: &mut Work,
    search: &Search,
) -> Option<Moves> {
    let pieces = game.pieces();
    let colours = game.record.colours();
    let mut duel = game.duel();
    let mut placements = Vec::new();
    players.iter_mut().for_each(Player::restart);
    for turn in 0..game.turns() {
        if let Some(verdict) = duel.verdict(pieces[turn]) {
            return Some(Moves {
                placements,
                score: score(verdict),
            });
        }
        let shown = &pieces[turn..pieces.len().min(turn + VISIBLE)];
        let first = players[0].choose(&duel, 0, shown, colours, work);
        let second = players[1].choose(&duel, 1, shown, colours, work);
        // A late decision is none.
        if search.deadline.passed() {
            return None;
        }
        let (Some(first), Some(second)) = (first, second) else {
            break;
        };
        duel.play(pieces[turn], [first, second], |board| work.resolve(board));
        placements.push([first, second]);
    }
    Some(Moves {
        placements,
        score: score(Verdict::Draw),
    })
}
