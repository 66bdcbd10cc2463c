//! A policy in a match: it also looks at the other board.

use super::duel::Duel;
use crate::board::Board;
use crate::build::question::Challenge;
use crate::build::variants;
use crate::placement::{Piece, Placement};
use crate::policy::potential::{Potential, PotentialRules};
use crate::policy::simple::{Greedy, RandomPolicy};
use crate::policy::{Policy, View, Work};
use crate::simulate::{Chain, place};
use ikeru_core::{InputError, Settings};

/// A lead in attack, or garbage waiting, that decides a match (thesis 6.2).
const DECISIVE: u32 = 30;

/// The shortest chain that is fired for a lead: shorter ones throw away what could still grow.
const SHORTEST: u32 = 8;

/// A policy with match rules around it.
pub(super) struct Player {
    policy: Box<dyn Policy>,
    /// Turn at which the policy began on its present chain.
    since: usize,
    /// Whether it reacts to the other side at all.
    reacts: bool,
}

impl Player {
    pub(super) fn named(name: &str, challenge: &Challenge) -> Result<Self, InputError> {
        let size = challenge.record.start.size();
        let policy: Box<dyn Policy> = match name {
            "random" => Box::new(RandomPolicy::new(1)),
            "greedy" => Box::new(Greedy),
            "combined" => Box::new(variants::combined(challenge, &Settings::new())?),
            _ => Box::new(Potential::new(size, PotentialRules::default())),
        };
        Ok(Self {
            policy,
            since: 0,
            reacts: !matches!(name, "random" | "greedy"),
        })
    }

    pub(super) fn restart(&mut self) {
        self.policy.restart();
        self.since = 0;
    }

    /// Where side `own` of `duel` places the first of `pieces`.
    pub(super) fn choose(
        &mut self,
        duel: &Duel,
        own: usize,
        pieces: &[Piece],
        colours: usize,
        work: &mut Work,
    ) -> Option<Placement> {
        let (side, other) = (&duel.sides[own], &duel.sides[1 - own]);
        if self.reacts {
            let now = best_now(&side.board, pieces[0], work);
            let reply =
                best_now(&other.board, pieces[0], work).map_or(0, |(chain, _)| chain.attack);
            if let Some((chain, placement)) = now
                && (chain.steps >= SHORTEST && chain.attack >= reply + DECISIVE
                    || side.pending >= DECISIVE && chain.attack * 2 >= side.pending)
            {
                self.begin_again(duel.turn + 1);
                return Some(placement);
            }
        }
        let view = View {
            board: &side.board,
            pieces,
            turn: duel.turn - self.since,
            colours,
        };
        let decision = self.policy.choose(&view, work)?;
        if decision.fires {
            self.begin_again(duel.turn + 1);
        }
        Some(decision.placement)
    }

    /// The chain is gone: build the next one from the beginning.
    fn begin_again(&mut self, turn: usize) {
        self.policy.restart();
        self.since = turn;
    }
}

/// The placement with the largest attack at once, if anything vanishes.
fn best_now(board: &Board, piece: Piece, work: &mut Work) -> Option<(Chain, Placement)> {
    let mut best: Option<(Chain, Placement)> = None;
    for placement in piece.placements(board) {
        work.placements += 1;
        let (_, chain) = place(board, piece, placement);
        if chain.steps > 0 && best.is_none_or(|(known, _)| chain.attack > known.attack) {
            best = Some((chain, placement));
        }
    }
    best
}
