//! The largest attack at once: no look-ahead.

use std::cmp::Reverse;

use super::{Policy, PolicyMove, PolicyWork, View};

/// Chooses the placement with the largest attack at once. Ties are broken by the longer chain, then by the smaller
/// sum of the squared column heights.
pub struct Greedy;

impl Policy for Greedy {
    fn choose(&mut self, view: &View, work: &mut PolicyWork) -> Option<PolicyMove> {
        let mut best = None;
        for placement in view.above_top.placements(view.pieces[0], view.board) {
            let mut board = *view.board;
            board.place_in_part(view.pieces[0], placement);
            let chain = work.resolve(&mut board);
            work.placements += 1;
            let squares = board.heights().iter().map(|&h| u32::from(h).pow(2));
            let squares: u32 = squares.sum();
            let value = (chain.attack, chain.steps, Reverse(squares));
            if best.is_none_or(|(known, _)| value > known) {
                best = Some((value, placement));
            }
        }
        best.map(|(_, placement)| PolicyMove::build(placement))
    }
}
