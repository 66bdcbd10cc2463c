//! Random placements: the baseline that every policy must beat.

use ikeru_chain::record::GameRecord;
use ikeru_chain::{Piece, Placement};
use ikeru_core::Random;

use super::{Policy, PolicyMove, PolicyWork, View};

/// Chooses a legal placement at random.
pub struct RandomPolicy {
    random: Random,
    /// The state of `random` at the beginning of a game.
    beginning: Random,
}

impl RandomPolicy {
    /// A policy for one game, whose placements it draws from `seed`. Games of other pieces have other draws, so that a
    /// set of games is no repetition of one.
    pub fn of_game(seed: u64, game: &GameRecord) -> Self {
        const PIECES: usize = 64;
        let pieces = game.pieces.first(PIECES);
        let pieces: String = pieces.iter().map(Piece::to_string).collect();
        let beginning = Random::new(&format!("policy.random {pieces}"), seed);
        Self {
            random: beginning.clone(),
            beginning,
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
        self.random = self.beginning.clone();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_of_other_pieces_have_other_draws_and_a_game_has_its_own_again() {
        let draws = |seed: u64, game: u64| {
            let text = format!("seed: {game}\n");
            let game = GameRecord::read_beginning(&text).expect("a game");
            let mut policy = RandomPolicy::of_game(seed, &game);
            let first = policy.random.bits();
            policy.restart();
            assert_eq!(policy.random.bits(), first);
            first
        };
        assert_eq!(draws(1, 1), draws(1, 1));
        assert_ne!(draws(1, 1), draws(1, 2));
        assert_ne!(draws(1, 1), draws(2, 1));
    }
}
