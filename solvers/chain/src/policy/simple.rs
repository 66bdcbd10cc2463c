//! The two policies that everything else must beat: chance, and the largest attack at once.

use ikeru_core::Random;

use super::{Decision, Policy, View, Work};
use crate::placement::Placement;

/// Any legal placement.
pub struct RandomPolicy {
    seed: u64,
    random: Random,
}

impl RandomPolicy {
    /// Every game with the stream of `seed`.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self {
            seed,
            random: Random::new("policy.random", seed),
        }
    }
}

impl Policy for RandomPolicy {
    fn choose(&mut self, view: &View, work: &mut Work) -> Option<Decision> {
        let placements: Vec<Placement> = view.pieces[0].placements(view.board).collect();
        work.placements += placements.len() as u64;
        (!placements.is_empty())
            .then(|| Decision::build(placements[self.random.index(placements.len())]))
    }

    fn restart(&mut self) {
        self.random = Random::new("policy.random", self.seed);
    }
}

/// The placement with the largest attack at once; without one, the one that leaves the lowest board.
pub struct Greedy;

impl Policy for Greedy {
    fn choose(&mut self, view: &View, work: &mut Work) -> Option<Decision> {
        let value = |placement: &Placement| {
            let mut board = *view.board;
            board.place(view.pieces[0], *placement);
            let chain = work.resolve(&mut board);
            work.placements += 1;
            let squares: u32 = board
                .heights()
                .iter()
                .map(|&h| u32::from(h) * u32::from(h))
                .sum();
            (chain.attack, chain.steps, std::cmp::Reverse(squares))
        };
        let mut best = None;
        let mut value = value;
        for placement in view.pieces[0].placements(view.board) {
            let value = value(&placement);
            if best.is_none_or(|(known, _)| value > known) {
                best = Some((value, placement));
            }
        }
        best.map(|(_, placement)| Decision::build(placement))
    }
}
