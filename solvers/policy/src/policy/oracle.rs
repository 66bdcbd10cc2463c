//! The oracle: it knows the whole sequence and searches for the earliest completion of a template.
//!
//! It is a beam search with equal quotas for the templates, in which boards are ranked by the number of filled
//! capitals and then by match. Its result is an upper bound on the optimum and [`Repertoire::least_moves`] is a lower
//! bound; if both are equal, the optimum is proven.
//!
//! [`Repertoire::least_moves`]: crate::repertoire::Repertoire::least_moves

use std::collections::HashSet;

use ikeru_chain::record::GameRecord;
use ikeru_chain::simulate::place;
use ikeru_chain::{Board, Piece, Placement, Rotation, Size};

use super::landing::{Landing, Landings};
use super::{DeadlinePassed, PolicyWork};
use crate::matching::{Contacts, Matcher, TemplateTarget};

/// A board of the beam; `parent` is the index of its parent in the ply before.
#[derive(Clone, Copy)]
struct OracleCandidate {
    board: Board,
    parent: u32,
    placement: Placement,
    /// Templates without violation.
    alive: u32,
}

/// A state ranked for one template.
struct RankedState {
    filled: u32,
    agreeing: i64,
    index: u32,
}

/// The children of a layer.
enum Expansion {
    /// The child of state `parent` after placement `last` completes a template.
    Completed { parent: u32, last: Placement },
    /// No child completes a template; those that violate every template are in a separate list.
    Open {
        agreeing: Vec<OracleCandidate>,
        violating: Vec<OracleCandidate>,
    },
}

/// The placements of `pieces` from the start of `game` that complete a template of `target` earliest among all that a
/// beam of `width` boards finds; `None` if it finds none.
///
/// # Errors
/// If the deadline passes.
pub fn complete_early(
    target: &TemplateTarget,
    game: &GameRecord,
    pieces: &[Piece],
    width: usize,
    work: &mut PolicyWork,
) -> Result<Option<Vec<Placement>>, DeadlinePassed> {
    let landings = Landings::new(game.start.size());
    let quota = width.div_ceil(target.matcher.count());
    let mut plies: Vec<Vec<(u32, Placement)>> = Vec::new();
    let mut layer = vec![OracleCandidate {
        board: game.start,
        parent: 0,
        placement: Placement {
            column: 0,
            rotation: Rotation::Up,
        },
        alive: target.matcher.all(),
    }];
    for &piece in pieces {
        layer = match expand(target, game, landings.of(piece), &layer, piece, work)? {
            Expansion::Completed { parent, last } => return Ok(Some(path(&plies, parent, last))),
            Expansion::Open {
                agreeing,
                mut violating,
            } => match select(&target.matcher, &agreeing, quota, work)? {
                // If every board violates every template, continue from any of them: a clear may repair it.
                selected if selected.is_empty() => {
                    violating.truncate(width);
                    violating
                }
                selected => selected,
            },
        };
        let moves = layer.iter().map(|state| (state.parent, state.placement));
        plies.push(moves.collect());
    }
    Ok(None)
}

/// All children of `layer` by `piece`, without duplicates.
fn expand(
    target: &TemplateTarget,
    game: &GameRecord,
    landings: &[Landing],
    layer: &[OracleCandidate],
    piece: Piece,
    work: &mut PolicyWork,
) -> Result<Expansion, DeadlinePassed> {
    let matcher = &*target.matcher;
    let (mut agreeing, mut violating) = (Vec::new(), Vec::new());
    let mut seen = HashSet::new();
    for (parent, state) in (0..).zip(layer) {
        work.check_deadline()?;
        if game.loss.is_lost(&state.board, piece, game.above_top) {
            continue;
        }
        for landing in landings {
            if landing.cells(&state.board).is_none() {
                continue;
            }
            work.placements += 1;
            let placement = landing.placement;
            let (board, chain) = place(&state.board, piece, placement);
            let mut before = state.board;
            before.place(piece, placement);
            if target.is_met_before(&before) || target.is_met_after(&board) {
                return Ok(Expansion::Completed {
                    parent,
                    last: placement,
                });
            }
            if !seen.insert(board) {
                continue;
            }
            // Without a clear a violated template stays violated.
            let candidates = if chain.steps == 0 {
                state.alive
            } else {
                matcher.all()
            };
            let agrees =
                |number: &usize| candidates >> number & 1 == 1 && matcher.agrees(*number, &board);
            let alive = (0..matcher.count()).filter(agrees);
            let alive = alive.fold(0, |mask, number| mask | 1 << number);
            let list = if alive == 0 {
                &mut violating
            } else {
                &mut agreeing
            };
            list.push(OracleCandidate {
                board,
                parent,
                placement,
                alive,
            });
        }
    }
    Ok(Expansion::Open {
        agreeing,
        violating,
    })
}

/// The most bytes that a beam of `width` boards takes: all children, and the set of boards that finds duplicates.
pub fn bytes(width: usize, size: Size) -> usize {
    let children = width.saturating_mul(Placement::all_turned(size).count());
    children.saturating_mul(size_of::<OracleCandidate>() + 2 * size_of::<Board>())
}

/// Selects for every template the best `quota` states that no earlier template has selected.
fn select(
    matcher: &Matcher,
    states: &[OracleCandidate],
    quota: usize,
    work: &PolicyWork,
) -> Result<Vec<OracleCandidate>, DeadlinePassed> {
    let contacts: Vec<Contacts> = states
        .iter()
        .map(|state| Contacts::of(&state.board))
        .collect();
    let mut taken = vec![false; states.len()];
    let mut selected = Vec::new();
    for number in 0..matcher.count() {
        work.check_deadline()?;
        let mut ranked: Vec<RankedState> = states
            .iter()
            .enumerate()
            .filter(|&(index, state)| !taken[index] && state.alive >> number & 1 == 1)
            .map(|(index, state)| RankedState {
                filled: matcher.filled(number, state.board.occupied()),
                agreeing: matcher.agreeing(number, &state.board, &contacts[index]),
                index: index as u32,
            })
            .collect();
        let key = |ranked: &RankedState| {
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

/// The placements that lead to state `parent` of the last ply, followed by `last`.
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
