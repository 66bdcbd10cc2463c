//! The oracle: it knows the whole sequence, and looks for the earliest completion of a template.
//!
//! A beam over the known sequence, with equal quotas for the templates, ranked by capitals in place
//! and then by match. What it finds bounds the optimum from above; [`Repertoire::least_moves`] bounds
//! it from below, and where both meet the optimum is proven.
//!
//! [`Repertoire::least_moves`]: crate::repertoire::Repertoire::least_moves

use std::collections::HashSet;

use ikeru_chain::record::GameRecord;
use ikeru_chain::simulate::place;
use ikeru_chain::{Board, Piece, Placement, Rotation, Size};

use super::landing::Landings;
use super::{DeadlinePassed, Work};
use crate::matching::{Contacts, Matcher, Target};

/// A board of the beam; `parent` is its index in the ply before.
#[derive(Clone, Copy)]
struct State {
    board: Board,
    parent: u32,
    placement: Placement,
    /// Templates without violation.
    alive: u32,
}

/// A state ranked for one template.
struct Ranked {
    filled: u32,
    agreeing: i64,
    index: u32,
}

/// The placements of `pieces` from the beginning of `game` that complete a template of `target` earliest among those that a beam of `width`
/// boards meets; `None` if it meets none.
///
/// # Errors
/// When the deadline passes.
pub fn complete_early(
    target: &Target,
    game: &GameRecord,
    pieces: &[Piece],
    width: usize,
    work: &mut Work,
) -> Result<Option<Vec<Placement>>, DeadlinePassed> {
    let matcher = &*target.matcher;
    let landings = Landings::new(game.start.size());
    let quota = width.div_ceil(matcher.count());
    let mut plies: Vec<Vec<(u32, Placement)>> = Vec::new();
    let mut layer = vec![State {
        board: game.start,
        parent: 0,
        placement: Placement {
            column: 0,
            rotation: Rotation::Up,
        },
        alive: matcher.all(),
    }];
    for &piece in pieces {
        let mut next = Vec::new();
        let mut violated = Vec::new();
        let mut seen = HashSet::new();
        for (parent, state) in layer.iter().enumerate() {
            work.check_deadline()?;
            if game.loss.is_lost(&state.board, piece) {
                continue;
            }
            for landing in landings.of(piece) {
                if landing.cells(&state.board).is_none() {
                    continue;
                }
                work.placements += 1;
                let (board, chain) = place(&state.board, piece, landing.placement);
                let mut before = state.board;
                before.place(piece, landing.placement);
                if target.is_met_before(&before) || target.is_met_after(&board) {
                    return Ok(Some(path(&plies, parent as u32, landing.placement)));
                }
                if !seen.insert(board) {
                    continue;
                }
                // Without a clear nothing that was violated is mended.
                let candidates = if chain.steps == 0 {
                    state.alive
                } else {
                    matcher.all()
                };
                let alive = (0..matcher.count())
                    .filter(|&number| {
                        candidates >> number & 1 == 1 && matcher.agrees(number, &board)
                    })
                    .fold(0, |mask, number| mask | 1 << number);
                let list = if alive == 0 { &mut violated } else { &mut next };
                list.push(State {
                    board,
                    parent: parent as u32,
                    placement: landing.placement,
                    alive,
                });
            }
        }
        layer = select(matcher, &next, quota, work)?;
        if layer.is_empty() {
            // Every board violates every template: go on from any of them, a clear may mend it.
            violated.truncate(width);
            layer = violated;
        }
        plies.push(
            layer
                .iter()
                .map(|state| (state.parent, state.placement))
                .collect(),
        );
    }
    Ok(None)
}

/// Bytes that a beam of `width` boards takes at most: all their children, and which boards are among them.
#[must_use]
pub fn bytes(width: usize, size: Size) -> usize {
    let children = width.saturating_mul(Placement::all_turned(size).count());
    children.saturating_mul(size_of::<State>() + 2 * size_of::<Board>())
}

/// For every template its best `quota` states that no template before has taken.
fn select(
    matcher: &Matcher,
    states: &[State],
    quota: usize,
    work: &Work,
) -> Result<Vec<State>, DeadlinePassed> {
    let contacts: Vec<Contacts> = states
        .iter()
        .map(|state| Contacts::of(&state.board))
        .collect();
    let mut taken = vec![false; states.len()];
    let mut selected = Vec::new();
    for number in 0..matcher.count() {
        work.check_deadline()?;
        let mut ranked: Vec<Ranked> = states
            .iter()
            .enumerate()
            .filter(|&(index, state)| !taken[index] && state.alive >> number & 1 == 1)
            .map(|(index, state)| Ranked {
                filled: matcher.filled(number, state.board.occupied()),
                agreeing: matcher.agreeing(number, &state.board, &contacts[index]),
                index: index as u32,
            })
            .collect();
        let key = |ranked: &Ranked| {
            (
                std::cmp::Reverse((ranked.filled, ranked.agreeing)),
                ranked.index,
            )
        };
        if ranked.len() > quota {
            ranked.select_nth_unstable_by_key(quota, key);
            ranked.truncate(quota);
        }
        for ranked in ranked {
            taken[ranked.index as usize] = true;
            selected.push(states[ranked.index as usize]);
        }
    }
    Ok(selected)
}

/// The placements that lead to state `parent` of the last ply, and one more.
fn path(plies: &[Vec<(u32, Placement)>], mut parent: u32, last: Placement) -> Vec<Placement> {
    let mut placements = vec![last];
    for ply in plies.iter().rev() {
        let (before, placement) = ply[parent as usize];
        placements.push(placement);
        parent = before;
    }
    placements.reverse();
    placements
}
