//! Beam search over the visible pieces and random continuations: what strong programs do today.
//!
//! The best boards are kept ply by ply, by the chain that sleeps in them, what it leaves and a little by
//! their shape ([`super::dormant`]): first along the visible pieces, then on along each of a few continuations.
//! The placement whose boards promise the longest chain, on average over the continuations, is chosen;
//! a chain is fired when nothing longer is in sight.
//!
//! In the same time, 8 to 14 plies do about equally well; shallower beams are near-sighted. (A first
//! choice by shape alone saves half the time and loses more than a chain.)

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

use ikeru_core::Random;

use super::dormant::{SHAPE, prospect, worth};
use super::landing::Drops;
use super::{Decision, Policy, View, Work, free_cells};
use crate::board::{Board, PuyoColour, Size};
use crate::placement::{Piece, Placement};
use crate::sequence::Sequence;
use crate::simulate::{Chain, place};

/// How much is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BeamSize {
    /// Boards kept at each ply.
    pub width: usize,
    /// Plies, the visible ones included.
    pub depth: usize,
    /// Random continuations of the visible pieces.
    pub continuations: usize,
}

/// The policy.
pub struct Beam {
    size: BeamSize,
    seed: u64,
    drops: Drops,
    layer: Vec<State>,
    candidates: Vec<State>,
    seen: HashSet<u64, BuildHasherDefault<AlreadyHashed>>,
}

/// A board of the beam.
#[derive(Debug, Clone, Copy)]
struct State {
    board: Board,
    /// The index of the first placement on the way to it.
    first: u8,
    value: i32,
}

/// What a first placement promises over the continuations.
#[derive(Debug, Clone, Copy)]
struct Outlook {
    total: u64,
    least: u32,
}

/// The longest chain that is allowed on the way without ending the line.
const THROUGH: u32 = 2;
/// The shortest chain worth firing.
const SHORTEST: u32 = 8;
/// On a board with fewer free cells than these there may be no room left to fire what sleeps in it:
/// its worth shrinks with them.
const ROOM: u32 = 12;

impl Beam {
    /// For boards of `board`, with its own chance from `seed`.
    #[must_use]
    pub fn new(board: Size, size: BeamSize, seed: u64) -> Self {
        Self {
            size,
            seed,
            drops: Drops::new(board),
            layer: Vec::new(),
            candidates: Vec::new(),
            seen: HashSet::default(),
        }
    }

    /// What each first placement promises over the continuations.
    fn outlooks(&mut self, view: &View, work: &mut Work) -> Vec<Outlook> {
        let known = &view.pieces[..view.pieces.len().min(self.size.depth)];
        let mut fired = vec![0; self.drops.of(known[0]).len()];
        self.layer.clear();
        self.layer.push(State {
            board: *view.board,
            first: 0,
            value: 0,
        });
        self.grow(known, 0, view.colours, &mut fired, work);
        let trunk = self.layer.clone();
        let nothing_yet = Outlook {
            total: 0,
            least: u32::MAX,
        };
        let mut outlooks = vec![nothing_yet; fired.len()];
        if work.is_late() {
            return outlooks;
        }
        for pieces in self.continuations(view, self.size.depth - known.len()) {
            if work.is_late() {
                break;
            }
            self.layer.clone_from(&trunk);
            let mut promises = fired.clone();
            self.grow(&pieces, known.len(), view.colours, &mut promises, work);
            for state in &self.layer {
                let promise = &mut promises[usize::from(state.first)];
                *promise = (*promise).max(state.promise(view.turn));
            }
            for (outlook, promise) in outlooks.iter_mut().zip(promises) {
                outlook.total += u64::from(promise);
                outlook.least = outlook.least.min(promise);
            }
        }
        outlooks
    }

    /// Random pieces after the visible ones. Every few continuations are one in turned colours, so
    /// that each piece to come has every colour equally often.
    fn continuations(&self, view: &View, length: usize) -> Vec<Vec<Piece>> {
        let seed = self.seed.wrapping_add(view.turn as u64);
        let mut random = Sequence::from_random(Random::new("policy.beam", seed), view.colours);
        let mut continuations = Vec::with_capacity(self.size.continuations);
        while continuations.len() < self.size.continuations {
            let pieces: Vec<Piece> = random.by_ref().take(length).collect();
            let left = self.size.continuations - continuations.len();
            let turned = (0..view.colours.min(left)).map(|by| turned(&pieces, by, view.colours));
            continuations.extend(turned);
        }
        continuations
    }

    /// Moves the layer on by `pieces`, `from` plies below the root; a chain on the way lifts the entry
    /// of its first placement in `fired`.
    fn grow(
        &mut self,
        pieces: &[Piece],
        from: usize,
        colours: usize,
        fired: &mut [u32],
        work: &mut Work,
    ) {
        for (ply, &piece) in (from..).zip(pieces) {
            self.expand(piece, ply == 0, fired, work);
            for state in &mut self.candidates {
                if work.is_late() {
                    return;
                }
                state.value = prospect(&state.board, colours, work);
            }
            keep(&mut self.candidates, self.size.width);
            std::mem::swap(&mut self.layer, &mut self.candidates);
        }
    }

    /// All children of the layer, once each, as candidates without a value.
    fn expand(&mut self, piece: Piece, at_root: bool, fired: &mut [u32], work: &mut Work) {
        self.candidates.clear();
        self.seen.clear();
        for state in &self.layer {
            if work.is_late() {
                return;
            }
            for (index, drop) in self.drops.of(piece).iter().enumerate() {
                if drop.cells(&state.board).is_none() {
                    continue;
                }
                work.placements += 1;
                let first = if at_root { index as u8 } else { state.first };
                let (board, chain) = place(&state.board, piece, drop.placement);
                if chain.steps > 0 {
                    work.chains += 1;
                    if !at_root {
                        let fired = &mut fired[usize::from(first)];
                        *fired = (*fired).max(worth(chain));
                    }
                    if chain.steps > THROUGH {
                        continue;
                    }
                }
                if self.seen.insert(hash(&board)) {
                    self.candidates.push(State {
                        board,
                        first,
                        value: 0,
                    });
                }
            }
        }
    }
}

impl State {
    /// What it promises where a search from move `turn` ends.
    fn promise(&self, turn: usize) -> u32 {
        let promise = (self.value / SHAPE).max(0) as u32;
        // As many puyos were placed as there is room for: what was not fired yet may never be.
        let overdue = 2 * turn >= self.board.size().cells();
        let promise = if overdue { promise / 2 } else { promise };
        promise * free_cells(&self.board).min(ROOM) / ROOM
    }
}

/// Keeps the `count` states of the highest value.
fn keep(states: &mut Vec<State>, count: usize) {
    if states.len() > count {
        states.select_nth_unstable_by_key(count, |state| std::cmp::Reverse(state.value));
        states.truncate(count);
    }
}

/// `pieces` with each of the first `colours` colours replaced by the one `by` places on.
fn turned(pieces: &[Piece], by: usize, colours: usize) -> Vec<Piece> {
    let turned =
        |colour: PuyoColour| PuyoColour::new((colour.index() + by) % colours).unwrap_or(colour);
    let turned = |piece: &Piece| Piece {
        axis: turned(piece.axis),
        child: turned(piece.child),
    };
    pieces.iter().map(turned).collect()
}

/// Boards with equal hashes are taken for equal: at worst one of them is missing in the beam.
fn hash(board: &Board) -> u64 {
    let words = board
        .planes
        .iter()
        .flat_map(|&plane| [plane as u64, (plane >> 64) as u64]);
    words.fold(0_u64, |hash, word| {
        (hash.rotate_left(29) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    })
}

/// Hashes a hash by itself.
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
    fn choose(&mut self, view: &View, work: &mut Work) -> Option<Decision> {
        work.decisions += 1;
        let outlooks = self.outlooks(view, work);
        let mut now: Option<(Chain, Placement)> = None;
        let mut best: Option<(Outlook, Placement)> = None;
        for (drop, &outlook) in self.drops.of(view.pieces[0]).iter().zip(&outlooks) {
            let placement = drop.placement;
            if !placement.is_legal(view.board) {
                continue;
            }
            let (_, chain) = place(view.board, view.pieces[0], placement);
            if now.is_none_or(|(known, _)| worth(chain) > worth(known)) {
                now = Some((chain, placement));
            }
            if best.is_none_or(|(known, _)| outlook.total > known.total) {
                best = Some((outlook, placement));
            }
        }
        let ((chain, firing), (outlook, placement)) = (now?, best?);
        // Each line of the search knows its own pieces to come, the player does not: where a mistake
        // is the last one, only what every continuation promises is waited for.
        let later = if free_cells(view.board) < ROOM {
            u64::from(outlook.least)
        } else {
            outlook.total / self.size.continuations.max(1) as u64
        };
        if chain.steps >= SHORTEST && u64::from(worth(chain)) >= later {
            return Some(Decision {
                placement: firing,
                fires: true,
            });
        }
        let nothing_ahead = outlook.total == 0 && chain.steps > 0;
        Some(Decision::build(if nothing_ahead {
            firing
        } else {
            placement
        }))
    }
}
