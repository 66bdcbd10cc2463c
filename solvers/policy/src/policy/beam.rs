//! Beam search over the visible pieces and random continuations, the method of current strong programs.
//!
//! Each ply keeps the boards of the best evaluation (`latent`): first along the visible pieces, then along each of a
//! few continuations. The policy chooses the placement with the best evaluation on average over the continuations,
//! and fires a chain if it expects no better one.
//!
//! In the same time, 8 to 14 plies give about equal results; shallower beams give worse ones. (Selecting first by
//! shape alone saves half the time and loses more than one step of chain length.)

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

use ikeru_chain::simulate::place;
use ikeru_chain::{Board, Chain, Piece, PieceSequence, Placement, PuyoColour, Size};
use ikeru_core::Random;

use super::landing::Landings;
use super::latent::{Evaluator, SHAPE, heuristic_value};
use super::{Policy, PolicyMove, PolicyWork, View, free_cells};

/// The size of the search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BeamSize {
    /// Boards kept at each ply.
    pub width: usize,
    /// Plies, including those of the visible pieces.
    pub depth: usize,
    /// Random continuations of the visible pieces.
    pub continuations: usize,
}

/// The policy.
pub struct Beam {
    size: BeamSize,
    seed: u64,
    landings: Landings,
    layer: Vec<BeamState>,
    candidates: Vec<BeamState>,
    evaluator: Evaluator,
    seen: HashSet<u64, BuildHasherDefault<AlreadyHashed>>,
}

/// A board of the beam.
#[derive(Debug, Clone, Copy)]
struct BeamState {
    board: Board,
    /// The index of the first placement that leads to it.
    first: u8,
    value: i32,
}

/// The evaluation of a first placement over the continuations.
#[derive(Debug, Clone, Copy)]
struct Evaluation {
    total: u64,
    least: u32,
}

/// The longest chain after which a line is continued.
const LONGEST_ON_THE_WAY: u32 = 2;
/// The shortest chain worth firing.
const SHORTEST: u32 = 8;
/// The number of boards that are evaluated together: their latent chains stay in the first-level cache.
const TOGETHER: usize = 32;
/// With fewer free cells than this there may be no room to fire a latent chain: its value is reduced in proportion.
const ROOM: u32 = 12;

impl Beam {
    /// A policy for boards of size `board`; `seed` draws its continuations.
    pub fn new(board: Size, size: BeamSize, seed: u64) -> Self {
        Self {
            size,
            seed,
            landings: Landings::new(board),
            layer: Vec::new(),
            candidates: Vec::new(),
            evaluator: Evaluator::default(),
            seen: HashSet::default(),
        }
    }

    /// The evaluation of each first placement over the continuations.
    fn evaluations(&mut self, view: &View, work: &mut PolicyWork) -> Vec<Evaluation> {
        let known = &view.pieces[..view.pieces.len().min(self.size.depth)];
        let mut fired = vec![0; self.landings.of(known[0]).len()];
        self.layer.clear();
        self.layer.push(BeamState {
            board: *view.board,
            first: 0,
            value: 0,
        });
        self.grow(known, 0, view.colours, &mut fired, work);
        let shared_prefix = self.layer.clone();
        let nothing_yet = Evaluation {
            total: 0,
            least: u32::MAX,
        };
        let mut evaluations = vec![nothing_yet; fired.len()];
        if work.is_late() {
            return evaluations;
        }
        for pieces in self.continuations(view, self.size.depth - known.len()) {
            if work.is_late() {
                break;
            }
            self.layer.clone_from(&shared_prefix);
            let mut values = fired.clone();
            self.grow(&pieces, known.len(), view.colours, &mut values, work);
            for state in &self.layer {
                let value = &mut values[usize::from(state.first)];
                *value = (*value).max(state.final_value(view.turn));
            }
            for (evaluation, value) in evaluations.iter_mut().zip(values) {
                evaluation.total += u64::from(value);
                evaluation.least = evaluation.least.min(value);
            }
        }
        evaluations
    }

    /// Random pieces after the visible ones. Each random sequence is repeated with its colours rotated, once for each
    /// colour, so that every piece has each colour equally often.
    fn continuations(&self, view: &View, length: usize) -> Vec<Vec<Piece>> {
        let seed = self.seed.wrapping_add(view.turn as u64);
        let mut random = PieceSequence::from_random(Random::new("policy.beam", seed), view.colours);
        let mut continuations = Vec::with_capacity(self.size.continuations);
        while continuations.len() < self.size.continuations {
            let pieces: Vec<Piece> = random.by_ref().take(length).collect();
            let left = self.size.continuations - continuations.len();
            let turned = (0..view.colours.min(left)).map(|by| turned(&pieces, by, view.colours));
            continuations.extend(turned);
        }
        continuations
    }

    /// Advances the layer by `pieces`, starting `from` plies below the root. A chain after the first piece raises the
    /// entry of its first placement in `fired`.
    fn grow(
        &mut self,
        pieces: &[Piece],
        from: usize,
        colours: usize,
        fired: &mut [u32],
        work: &mut PolicyWork,
    ) {
        for (ply, &piece) in (from..).zip(pieces) {
            self.expand(piece, ply == 0, fired, work);
            for states in self.candidates.chunks_mut(TOGETHER) {
                // The clock is asked once for every board.
                if states.iter().any(|_| work.is_late()) {
                    return;
                }
                self.evaluator.boards.clear();
                let boards = states.iter().map(|state| state.board);
                self.evaluator.boards.extend(boards);
                let values = self.evaluator.evaluate(colours, work);
                for (state, value) in states.iter_mut().zip(values) {
                    state.value = value;
                }
            }
            keep(&mut self.candidates, self.size.width);
            std::mem::swap(&mut self.layer, &mut self.candidates);
        }
    }

    /// Collects all children of the layer, without duplicates, as candidates without a value.
    fn expand(&mut self, piece: Piece, at_root: bool, fired: &mut [u32], work: &mut PolicyWork) {
        self.candidates.clear();
        self.seen.clear();
        for state in &self.layer {
            if work.is_late() {
                return;
            }
            for (index, landing) in self.landings.of(piece).iter().enumerate() {
                if landing.cells(&state.board).is_none() {
                    continue;
                }
                work.placements += 1;
                let first = if at_root { index as u8 } else { state.first };
                let (board, chain) = place(&state.board, piece, landing.placement);
                if chain.steps > 0 {
                    work.chains += 1;
                    if !at_root {
                        let fired = &mut fired[usize::from(first)];
                        *fired = (*fired).max(heuristic_value(chain));
                    }
                    if chain.steps > LONGEST_ON_THE_WAY {
                        continue;
                    }
                }
                if self.seen.insert(hash(&board)) {
                    self.candidates.push(BeamState {
                        board,
                        first,
                        value: 0,
                    });
                }
            }
        }
    }
}

impl BeamState {
    /// The value of its latent chain at the end of a search from move `turn`.
    fn final_value(&self, turn: usize) -> u32 {
        let value = (self.value / SHAPE).max(0) as u32;
        // Once the placed puyos would fill the board, a chain that was not fired may never be: it counts half.
        let overdue = 2 * turn >= self.board.size().cells();
        let value = if overdue { value / 2 } else { value };
        value * free_cells(&self.board).min(ROOM) / ROOM
    }
}

/// The weight of a future chain against one that can be fired now, in parts of the number of cells. It is the full
/// number until the placed puyos would fill the board, and then decreases with each puyo. The lines of the search
/// know their pieces, so a future chain that was not fired until then may be put off for ever.
fn patience(view: &View) -> u32 {
    let cells = view.board.size().cells() as u32;
    let overdue = (2 * view.turn as u32).saturating_sub(cells);
    cells.saturating_sub(overdue)
}

/// Keeps the `count` states of the highest value.
fn keep(states: &mut Vec<BeamState>, count: usize) {
    if states.len() > count {
        states.select_nth_unstable_by_key(count, |state| std::cmp::Reverse(state.value));
        states.truncate(count);
    }
}

/// `pieces` with the first `colours` colours rotated by `by` places.
fn turned(pieces: &[Piece], by: usize, colours: usize) -> Vec<Piece> {
    let turned =
        |colour: PuyoColour| PuyoColour::new((colour.index() + by) % colours).unwrap_or(colour);
    let turned = |piece: &Piece| Piece {
        axis: turned(piece.axis),
        child: turned(piece.child),
    };
    pieces.iter().map(turned).collect()
}

/// The hash by which boards are compared. A collision only removes one board from the beam.
fn hash(board: &Board) -> u64 {
    let words = board
        .planes()
        .iter()
        .flat_map(|&plane| [plane as u64, (plane >> 64) as u64]);
    words.fold(0_u64, |hash, word| {
        (hash.rotate_left(29) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    })
}

/// Uses a hash as its own hash value.
#[derive(Debug, Default)]
struct AlreadyHashed(u64);

impl Hasher for AlreadyHashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0 << 8 | u64::from(byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

impl Policy for Beam {
    fn choose(&mut self, view: &View, work: &mut PolicyWork) -> Option<PolicyMove> {
        work.decisions += 1;
        let evaluations = self.evaluations(view, work);
        let mut now: Option<(Chain, Placement)> = None;
        let mut best: Option<(Evaluation, Placement)> = None;
        for (landing, &evaluation) in self.landings.of(view.pieces[0]).iter().zip(&evaluations) {
            let placement = landing.placement;
            if !placement.is_legal(view.board) {
                continue;
            }
            let (_, chain) = place(view.board, view.pieces[0], placement);
            if now.is_none_or(|(known, _)| heuristic_value(chain) > heuristic_value(known)) {
                now = Some((chain, placement));
            }
            if best.is_none_or(|(known, _)| evaluation.total > known.total) {
                best = Some((evaluation, placement));
            }
        }
        let ((chain, firing), (evaluation, placement)) = (now?, best?);
        // Each line of the search knows its future pieces, the player does not. When little room is left, the least
        // value over the continuations counts instead of the mean.
        let later = if free_cells(view.board) < ROOM {
            u64::from(evaluation.least)
        } else {
            evaluation.total / self.size.continuations.max(1) as u64
        };
        let later = later * u64::from(patience(view)) / view.board.size().cells() as u64;
        if chain.steps >= SHORTEST && u64::from(heuristic_value(chain)) >= later {
            return Some(PolicyMove {
                placement: firing,
                fires: true,
            });
        }
        let nothing_ahead = evaluation.total == 0 && chain.steps > 0;
        Some(PolicyMove::build(if nothing_ahead {
            firing
        } else {
            placement
        }))
    }
}
