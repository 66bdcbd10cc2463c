//! The sequence of pieces of a seed. Colours are independent and uniform, if no guarantee is given; a seed always gives
//! the same sequence.
//!
//! With a guarantee of n turns, a colour that was missing from n pieces in a row is in the next piece. It then replaces one
//! of the piece's two colours, chosen by chance. Where several colours are due, the piece consists of the two that have been
//! missing for longest, in an order chosen by chance; a third one is in the piece after it.

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
    /// The turns in a row after which a missing colour comes; 0 for independent colours.
    guarantee: usize,
    /// The last pieces in a row that lack each colour.
    missing: [usize; PuyoColour::COUNT],
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
        Self {
            random,
            colours,
            guarantee: 0,
            missing: [0; PuyoColour::COUNT],
        }
    }

    /// The sequence in which a colour that was missing from `turns` pieces in a row is in the next one; 0 for independent
    /// colours.
    #[must_use]
    pub fn with_guarantee(self, turns: usize) -> Self {
        Self {
            guarantee: turns,
            ..self
        }
    }

    /// The same sequence so far, continued from another random stream.
    #[must_use]
    pub fn parted(&self, random: Random) -> Self {
        Self {
            random,
            ..self.clone()
        }
    }

    /// The colours that the next piece must have, those that have been missing for longest first.
    fn due(&mut self) -> Vec<PuyoColour> {
        let mut due: Vec<PuyoColour> = PuyoColour::all()
            .take(self.colours)
            .filter(|colour| self.missing[colour.index()] >= self.guarantee)
            .collect();
        self.random.shuffle(&mut due);
        due.sort_by_key(|colour| std::cmp::Reverse(self.missing[colour.index()]));
        due
    }

    /// Puts the colours that are due into `piece`.
    fn keep_guarantee(&mut self, piece: Piece) -> Piece {
        let kept = match self.due()[..] {
            [] => piece,
            [colour] if piece.axis == colour || piece.child == colour => piece,
            [axis] if self.random.index(2) == 0 => Piece { axis, ..piece },
            [child] => Piece { child, ..piece },
            [axis, child, ..] => Piece { axis, child },
        };
        for colour in PuyoColour::all() {
            let missing = &mut self.missing[colour.index()];
            let has_it = kept.axis == colour || kept.child == colour;
            *missing = if has_it { 0 } else { *missing + 1 };
        }
        kept
    }

    fn colour(&mut self) -> Option<PuyoColour> {
        PuyoColour::new(self.random.index(self.colours))
    }
}

impl Iterator for PieceSequence {
    type Item = Piece;

    /// Returns the next piece, never `None`.
    fn next(&mut self) -> Option<Piece> {
        let piece = Piece {
            axis: self.colour()?,
            child: self.colour()?,
        };
        Some(match self.guarantee {
            0 => piece,
            _ => self.keep_guarantee(piece),
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

    /// A second implementation without counters: it looks back over the pieces so far.
    fn naive(seed: u64, colours: usize, turns: usize, count: usize) -> Vec<[usize; 2]> {
        let mut random = Random::new("chain.sequence", seed);
        let mut pieces: Vec<[usize; 2]> = Vec::new();
        for _ in 0..count {
            let mut next = [random.index(colours), random.index(colours)];
            let missing = |colour: usize| {
                let back = pieces.iter().rev();
                back.take_while(|piece| !piece.contains(&colour)).count()
            };
            let mut due: Vec<usize> = (0..colours)
                .filter(|&colour| missing(colour) >= turns)
                .collect();
            random.shuffle(&mut due);
            let longest = due.iter().copied().max_by_key(|&colour| {
                let position = due.iter().position(|&other| other == colour);
                (missing(colour), std::cmp::Reverse(position))
            });
            if let Some(first) = longest {
                let others = due.iter().copied().filter(|&colour| colour != first);
                let second = others.reduce(|best, colour| {
                    if missing(colour) > missing(best) {
                        colour
                    } else {
                        best
                    }
                });
                match second {
                    Some(second) => next = [first, second],
                    None if next.contains(&first) => {}
                    None => next[random.index(2)] = first,
                }
            }
            pieces.push(next);
        }
        pieces
    }

    fn colours_of(piece: Piece) -> [usize; 2] {
        [piece.axis.index(), piece.child.index()]
    }

    #[test]
    fn the_guarantee_is_that_of_a_naive_implementation() {
        for seed in 0..300 {
            let (colours, turns) = (1 + seed as usize % 6, 1 + seed as usize / 6 % 5);
            let sequence = PieceSequence::new(seed, colours).with_guarantee(turns);
            let pieces: Vec<[usize; 2]> = sequence.take(100).map(colours_of).collect();
            assert_eq!(pieces, naive(seed, colours, turns, 100), "seed {seed}");
        }
    }

    #[test]
    fn a_colour_that_is_due_comes_next_unless_two_others_are_due() {
        for (seed, turns) in (0..200).zip([2, 3].into_iter().cycle()) {
            let sequence = PieceSequence::new(seed, 4).with_guarantee(turns);
            let pieces: Vec<[usize; 2]> = sequence.take(200).map(colours_of).collect();
            for window in pieces.windows(turns + 1) {
                let (before, next) = window.split_at(turns);
                let due: Vec<usize> = (0..4)
                    .filter(|colour| before.iter().all(|piece| !piece.contains(colour)))
                    .collect();
                let kept = due.iter().filter(|colour| next[0].contains(colour));
                assert_eq!(kept.count(), due.len().min(2), "seed {seed}: {window:?}");
            }
        }
    }

    #[test]
    fn a_guarantee_leaves_the_colours_uniform_and_makes_gaps_rarer() {
        let share_missing = |turns: usize| {
            let sequence = PieceSequence::new(5, 4).with_guarantee(turns);
            let pieces: Vec<[usize; 2]> = sequence.take(20_000).map(colours_of).collect();
            for colour in 0..4 {
                let count = pieces.iter().flatten().filter(|&&it| it == colour).count();
                assert!(count.abs_diff(10_000) < 400, "{turns}: {count}");
            }
            let windows = pieces.windows(4);
            let lacking =
                windows.filter(|window| (0..4).any(|it| !window.as_flattened().contains(&it)));
            lacking.count() as f64 / 20_000.0
        };
        // Of independent pieces nearly 4 · (9/16)⁴ of the windows of four lack a colour.
        assert!(share_missing(0) > 0.3);
        assert!(share_missing(3) < 0.005);
        assert_eq!(
            PieceSequence::new(9, 4).take(50).collect::<Vec<_>>(),
            PieceSequence::new(9, 4)
                .with_guarantee(0)
                .take(50)
                .collect::<Vec<_>>()
        );
    }

    #[test]
    fn a_parted_sequence_keeps_the_guarantee_across_the_parting() {
        for seed in 0..100 {
            let mut sequence = PieceSequence::new(seed, 4).with_guarantee(3);
            let mut pieces: Vec<[usize; 2]> = sequence.by_ref().take(10).map(colours_of).collect();
            let other = sequence.parted(Random::new("other", seed));
            pieces.extend(other.take(10).map(colours_of));
            for window in pieces.windows(5) {
                let last = window[3..].as_flattened();
                let missing = |colour: &usize| !window[..3].as_flattened().contains(colour);
                assert!((0..4).filter(missing).all(|colour| last.contains(&colour)));
            }
        }
    }
}
