//! A policy in a match, with tactics that look at the other board.

use std::sync::Arc;

use ikeru_chain::{AboveTop, Board, Chain, Piece, Placement, resolve};
use ikeru_core::{Refusal, Settings};

use super::contest::{Contender, Contest};
use super::duel::{Duel, DuelSide};
use super::tactics::Tactics;
use crate::policy::combined::{Combined, SwitchRules};
use crate::policy::greedy::Greedy;
use crate::policy::potential::{Potential, PotentialRules};
use crate::policy::random::RandomPolicy;
use crate::policy::{Policy, PolicyWork, View};

/// A lead in attack, or garbage waiting, that decides a match (thesis 6.2).
const DECISIVE: u32 = 30;

/// The other side and the pieces that it will place next, which both sides see.
type OtherSide<'a> = (&'a DuelSide, &'a [Piece]);

/// A policy with tactics for a match.
pub(super) struct Player {
    policy: Box<dyn Policy>,
    /// The turn at which the policy began its current chain.
    since: usize,
    /// The reaction to the other side; `None` if the policy ignores it.
    tactics: Option<Tactics>,
    /// Finds the attacks that a board can start within the visible pieces.
    scout: Potential,
}

impl Player {
    /// The policy of `contender` for side number `side`; `settings` replace its default tactics. `random` plays each
    /// side from a different seed.
    pub(super) fn new(
        contender: Contender,
        side: u64,
        contest: &Contest,
        settings: &Settings,
    ) -> Result<Self, Refusal> {
        let size = contest.record.start.size();
        let (policy, tactics): (Box<dyn Policy>, _) = match contender {
            Contender::Random => {
                let policy = RandomPolicy::of_game(1 + side, &contest.record);
                (Box::new(policy), None)
            }
            Contender::Greedy => (Box::new(Greedy), None),
            Contender::Combined => {
                let repertoire = contest.repertoire();
                let repertoire = repertoire.map_err(|error| Refusal::skip(error.message))?;
                let (rules, switch) = (PotentialRules::EXTENDING, SwitchRules::default());
                let matcher = repertoire.matcher;
                let policy = Combined::new((Arc::clone(&matcher), matcher), rules, switch);
                (Box::new(policy), Some(Tactics::COMBINED.with(settings)?))
            }
            Contender::Potential => (
                Box::new(Potential::new(size, PotentialRules::default())),
                Some(Tactics::POTENTIAL.with(settings)?),
            ),
        };
        Ok(Self {
            policy,
            since: 0,
            tactics,
            scout: Potential::new(size, PotentialRules::default()),
        })
    }

    pub(super) fn restart(&mut self) {
        self.policy.restart();
        self.since = 0;
    }

    /// Chooses where side `own` of `duel` places the first of its visible pieces. `shown` has those of both sides.
    pub(super) fn choose(
        &mut self,
        duel: &Duel,
        own: usize,
        shown: [&[Piece]; 2],
        colours: usize,
        work: &mut PolicyWork,
    ) -> Option<Placement> {
        let (side, pieces) = (&duel.sides[own], shown[own]);
        let other = (&duel.sides[1 - own], shown[1 - own]);
        let view = View {
            board: &side.board,
            pieces,
            turn: duel.turn - self.since,
            colours,
            above_top: duel.above_top(),
        };
        if let Some(tactics) = self.tactics {
            if let Some(placement) = self.fires(tactics, &view, side.pending, other, work) {
                self.begin_again(duel.turn + 1);
                return Some(placement);
            }
            if let Some(placement) = self.prepares(tactics, &view, other, work) {
                return Some(placement);
            }
        }
        let decision = self.policy.choose(&view, work)?;
        if decision.fires {
            self.begin_again(duel.turn + 1);
        }
        Some(decision.placement)
    }

    /// The placement with the largest attack at once, if it gives a decisive lead or answers a decisive attack.
    fn fires(
        &self,
        tactics: Tactics,
        view: &View,
        pending: u32,
        other: OtherSide,
        work: &mut PolicyWork,
    ) -> Option<Placement> {
        let (chain, placement) = best_now(view, work)?;
        let answers = pending >= DECISIVE && chain.attack * 2 >= pending;
        let leads = chain.steps >= tactics.strike
            && chain.attack >= self.reply(other, tactics.reply, view.above_top, work) + DECISIVE;
        (answers || leads).then_some(placement)
    }

    /// The first placement towards a chain that the visible pieces can start, if it gives a decisive lead.
    fn prepares(
        &self,
        tactics: Tactics,
        view: &View,
        other: OtherSide,
        work: &mut PolicyWork,
    ) -> Option<Placement> {
        if !tactics.prepare {
            return None;
        }
        let (attack, placement) = self.scout.outlook(view, work).later?;
        let visible = other.1.len();
        let leads = attack >= Chain::of_fours(tactics.strike).attack
            && attack >= self.reply(other, visible, view.above_top, work) + DECISIVE;
        leads.then_some(placement)
    }

    /// The largest attack that the other side can start with the first `count` of its pieces.
    fn reply(
        &self,
        (other, pieces): OtherSide,
        count: usize,
        above_top: AboveTop,
        work: &mut PolicyWork,
    ) -> u32 {
        let known = &pieces[..pieces.len().min(count)];
        self.scout.best_attack(&other.board, known, above_top, work)
    }

    /// Starts to build the next chain, after the last one was fired.
    fn begin_again(&mut self, turn: usize) {
        self.policy.restart();
        self.since = turn;
    }
}

/// The placement with the largest attack at once; `None` if nothing vanishes.
fn best_now(view: &View, work: &mut PolicyWork) -> Option<(Chain, Placement)> {
    let mut best: Option<(Chain, Placement)> = None;
    for placement in view.above_top.placements(view.pieces[0], view.board) {
        work.placements += 1;
        let mut below: Board = *view.board;
        below.place_in_part(view.pieces[0], placement);
        let chain = resolve(&mut below);
        if chain.steps > 0 && best.is_none_or(|(known, _)| chain.attack > known.attack) {
            best = Some((chain, placement));
        }
    }
    best
}
