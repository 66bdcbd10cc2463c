//! Random placements: the baseline that every policy must beat.

use ikeru_chain::Placement;
use ikeru_core::Random;

use super::{Policy, PolicyMove, PolicyWork, View};

/// Chooses a legal placement at random.
pub struct RandomPolicy {
    seed: u64,
    random: Random,
}

impl RandomPolicy {
    /// A policy that draws the placements of every game from `seed`.
    pub fn new(seed: u64) -> Self {
        Self {
            seed,
            random: Random::new("policy.random", seed),
        }
    }
}

impl Policy for RandomPolicy {
    fn choose(&mut self, view: &View, work: &mut PolicyWork) -> Option<PolicyMove> {
        let legal = view.above_top.placements(view.pieces[0], view.board);
        let placements: Vec<Placement> = legal.collect();
        work.placements += placements.len() as u64;
        (!placements.is_empty())
            .then(|| PolicyMove::build(placements[self.random.index(placements.len())]))
    }

    fn restart(&mut self) {
        self.random = Random::new("policy.random", self.seed);
    }
}
