//! A bound on the value that one more piece can reach from given column heights. It rules out all placements of the
//! piece at once.

use ikeru_chain::{Piece, Size};

use super::landing::Landings;
use crate::matching::HeightValues;

/// The bound on all placements of one more piece from `heights`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ahead {
    heights: [u8; Size::MAX_WIDTH],
    /// An upper bound on the value of every leaf after one more piece, with or without a chain; infinity if a leaf
    /// may complete a template.
    pub bound: f64,
    /// The number of legal placements of a double.
    doubles: u32,
}

impl Ahead {
    /// The number of legal placements of `piece`: two for each placement of a double, unless it is a double.
    #[inline]
    pub fn placements(&self, piece: Piece) -> u32 {
        self.doubles << u32::from(!piece.is_double())
    }
}

/// The [`Ahead`] of height vectors: a direct-mapped cache that is kept between moves.
pub(super) struct HeightsAhead {
    lines: Vec<Ahead>,
}

/// The number of height vectors in the cache: a move at depth 3 needs at most 66 before a chain.
const LINES: usize = 1 << 9;
/// The key of an empty line: higher than any column.
const NO_HEIGHTS: [u8; Size::MAX_WIDTH] = [u8::MAX; Size::MAX_WIDTH];

impl HeightsAhead {
    /// An empty cache.
    pub fn new() -> Self {
        let none = Ahead {
            heights: NO_HEIGHTS,
            bound: f64::NEG_INFINITY,
            doubles: 0,
        };
        Self {
            lines: vec![none; LINES],
        }
    }

    /// The bound on one more piece from `heights`.
    #[inline]
    pub fn of(
        &mut self,
        heights: &[u8; Size::MAX_WIDTH],
        landings: &Landings,
        values: &mut HeightValues,
    ) -> Ahead {
        let key = u64::from_le_bytes(*heights).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let line = &mut self.lines[(key >> (64 - LINES.trailing_zeros())) as usize];
        if line.heights != *heights {
            *line = Self::fill(heights, landings, values);
        }
        *line
    }

    /// The size of the cache in bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.lines[..])
    }

    #[cold]
    fn fill(
        heights: &[u8; Size::MAX_WIDTH],
        landings: &Landings,
        values: &mut HeightValues,
    ) -> Ahead {
        let after = landings.heights_after(heights);
        let (bound, doubles) = after.fold((f64::NEG_INFINITY, 0), |(bound, doubles), after| {
            (values.bound(&after).max(bound), doubles + 1)
        });
        Ahead {
            heights: *heights,
            bound,
            doubles,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ikeru_chain::{Board, Cell, PuyoColour};
    use ikeru_core::Random;

    use super::*;
    use crate::matching::TemplateTarget;
    use crate::repertoire::Repertoire;
    use crate::templates::TemplateOptions;
    use crate::templates::criterion::Completion;

    #[test]
    fn no_placement_of_one_more_piece_is_better_than_its_bound() {
        let set = Repertoire::named(
            "stairs+sandwich",
            &[],
            Size::THESIS,
            TemplateOptions::default(),
            4,
        );
        let matcher = set.expect("a set").matcher;
        let target = TemplateTarget::new(Arc::clone(&matcher), Completion::default());
        let mut values = HeightValues::new(target.clone(), 0.0);
        let (landings, mut ahead) = (Landings::new(Size::THESIS), HeightsAhead::new());
        let mut random = Random::new("ahead", 1);
        let (mut kept, mut cleared, mut finite) = (0, 0, 0);
        for round in 0..3000 {
            let mut board = Board::empty(Size::THESIS);
            let mut puyo = || PuyoColour::new(random.index(2 + round % 3)).expect("a colour");
            let piece = Piece {
                axis: puyo(),
                child: puyo(),
            };
            for stone in 0..round % 75 {
                let column = (stone * 5 + round) % 6;
                if usize::from(board.heights()[column]) < Size::THESIS.height() {
                    board.drop(column, Cell::Puyo(puyo()));
                }
            }
            ikeru_chain::resolve(&mut board);
            let found = ahead.of(board.heights(), &landings, &mut values);
            let placements: Vec<_> = piece.placements(&board).collect();
            assert_eq!(
                found.placements(piece) as usize,
                placements.len(),
                "{board}"
            );
            finite += u32::from(found.bound.is_finite());
            for placement in placements {
                let mut below = board;
                below.place(piece, placement);
                let is_met = target.is_met_before(&below);
                cleared += u32::from(ikeru_chain::resolve(&mut below).steps > 0);
                assert!(found.bound.is_infinite() || !is_met && !target.is_met_after(&below));
                let matches =
                    (0..matcher.count()).filter_map(|number| matcher.match_with(number, &below));
                for value in matches {
                    kept += 1;
                    assert!(
                        value <= found.bound,
                        "{value} above {}: {below}",
                        found.bound
                    );
                }
            }
        }
        assert!(
            kept > 1000 && cleared > 1000 && finite > 1000,
            "{kept} {cleared} {finite}"
        );
    }
}
