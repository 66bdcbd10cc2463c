//! The sequence of pieces of a seed. Colours are independent and uniform; a seed always gives the same sequence.

use ikeru_core::Random;

use crate::board::PuyoColour;
use crate::placement::Piece;

/// An endless sequence of pieces.
///
/// The axis's colour is drawn before the child's. A shorter sequence of a seed is the beginning of every longer one.
#[derive(Debug, Clone)]
pub struct PieceSequence {
    random: Random,
    colours: usize,
}

impl PieceSequence {
    /// The sequence of `seed` in the first `colours` colours.
    ///
    /// # Panics
    /// When `colours` is 0 or more than [`PuyoColour::COUNT`].
    pub fn new(seed: u64, colours: usize) -> Self {
        Self::from_random(Random::new("chain.sequence", seed), colours)
    }

    /// A sequence from a random stream.
    ///
    /// # Panics
    /// When `colours` is 0 or more than [`PuyoColour::COUNT`].
    pub fn from_random(random: Random, colours: usize) -> Self {
        assert!(
            (1..=PuyoColour::COUNT).contains(&colours),
            "a sequence of {colours} colours"
        );
        Self { random, colours }
    }

    fn colour(&mut self) -> Option<PuyoColour> {
        PuyoColour::new(self.random.index(self.colours))
    }
}

impl Iterator for PieceSequence {
    type Item = Piece;

    /// Returns the next piece, never `None`.
    fn next(&mut self) -> Option<Piece> {
        Some(Piece {
            axis: self.colour()?,
            child: self.colour()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_means_the_same_sequence_for_ever() {
        let text = |seed| {
            let pieces = PieceSequence::new(seed, 4).take(12);
            pieces
                .map(|piece| piece.to_string())
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(text(1), "RY GG RG YB GY GB GY GR RR BY YR RB");
        assert_eq!(text(2), "RY YG GG GY RB YG RR BR GY YB YG YB");
    }

    #[test]
    fn colours_are_uniform_and_independent() {
        let mut counts = [[0_i32; 4]; 4];
        for piece in PieceSequence::new(3, 4).take(16_000) {
            counts[piece.axis.index()][piece.child.index()] += 1;
        }
        // Standard deviation of a count of mean 1,000: 31.
        assert!(
            counts
                .as_flattened()
                .iter()
                .all(|count| (count - 1000).abs() < 130)
        );
    }
}
