//! Beam search over the visible pieces and random continuations: what strong programs do today.
//!
//! For each of a few continuations the best boards are kept ply by ply. A board is worth the longest
//! chain that one to three puyos dropped on a column would start, and a little for its shape. (A first
//! choice by shape alone saves half the time and loses more than a chain.) The placement whose boards promise the largest attack, on average
//! over the continuations, is chosen; the chain is fired when nothing larger is in sight.

use std::collections::HashSet;

use ikeru_core::Random;

use super::landing::{Drops, beside};
use super::{Decision, Policy, View, Work};
use crate::board::{Board, Cell, PuyoColour, Size};
use crate::matching::Contacts;
use crate::placement::{Piece, Placement};
use crate::sequence::Sequence;
use crate::simulate::Chain;

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
    layers: [Vec<State>; 2],
    candidates: Vec<State>,
    seen: HashSet<[u128; 3]>,
}

/// A board of the beam.
#[derive(Debug, Clone, Copy)]
struct State {
    board: Board,
    first: u8,
    value: i32,
}

/// The longest chain that is allowed on the way without ending the line.
const THROUGH: u32 = 2;
/// The shortest chain worth firing unless the board is nearly full.
const SHORTEST: u32 = 8;
/// Puyos of one colour that a dormant chain may still need.
const MISSING: usize = 3;

impl Beam {
    /// For boards of `board`, with its own chance from `seed`.
    #[must_use]
    pub fn new(board: Size, size: BeamSize, seed: u64) -> Self {
        Self {
            size,
            seed,
            drops: Drops::new(board),
            layers: [Vec::new(), Vec::new()],
            candidates: Vec::new(),
            seen: HashSet::new(),
        }
    }

    /// The largest attack that each first placement promises along `pieces`.
    fn promises(&mut self, view: &View, pieces: &[Piece], work: &mut Work) -> Vec<u32> {
        let firsts = self.drops.of(pieces[0]).len();
        let mut promises = vec![0; firsts];
        self.layers[0].clear();
        self.layers[0].push(State {
            board: *view.board,
            first: 0,
            value: 0,
        });
        for (ply, &piece) in pieces.iter().enumerate() {
            self.expand(piece, ply, &mut promises, work);
            self.select(view.colours, work);
            if self.layers[0].is_empty() {
                break;
            }
        }
        for state in &self.layers[0] {
            // A chain that still needs its trigger is worth less than one that fired.
            let promise = &mut promises[usize::from(state.first)];
            *promise = (*promise).max((state.value / SHAPE).max(0) as u32 / 2);
        }
        promises
    }

    /// All children of the current layer, as candidates valued by shape.
    fn expand(&mut self, piece: Piece, ply: usize, promises: &mut [u32], work: &mut Work) {
        self.candidates.clear();
        self.seen.clear();
        for state in &self.layers[0] {
            for (index, drop) in self.drops.of(piece).iter().enumerate() {
                if drop.cells(&state.board).is_none() {
                    continue;
                }
                work.placements += 1;
                let first = if ply == 0 { index as u8 } else { state.first };
                let (board, chain) = crate::simulate::place(&state.board, piece, drop.placement);
                if chain.steps > 0 {
                    work.chains += 1;
                    if ply > 0 {
                        let promise = &mut promises[usize::from(first)];
                        *promise = (*promise).max(worth(chain));
                    }
                    if chain.steps > THROUGH {
                        continue;
                    }
                }
                if self.seen.insert(board.planes) {
                    let value = shape(&board);
                    self.candidates.push(State {
                        board,
                        first,
                        value,
                    });
                }
            }
        }
    }

    /// Keeps the best candidates by shape and dormant chain.
    fn select(&mut self, colours: usize, work: &mut Work) {
        for state in &mut self.candidates {
            state.value += SHAPE * dormant(&state.board, colours, work) as i32;
        }
        keep(&mut self.candidates, self.size.width);
        self.layers[0].clear();
        self.layers[0].append(&mut self.candidates);
    }
}

/// What a chain of N steps is worth: the attack of N groups of four. More puyos at a step would lift
/// the attack, but they are lost to the chain.
fn worth(chain: Chain) -> u32 {
    3 * chain.steps * chain.steps.saturating_sub(1)
}

/// Keeps the `count` states of the highest value.
fn keep(states: &mut Vec<State>, count: usize) {
    if states.len() > count {
        states.select_nth_unstable_by_key(count, |state| std::cmp::Reverse(state.value));
        states.truncate(count);
    }
}

/// Shape points that a point of attack outweighs.
const SHAPE: i32 = 16;

/// How promising a board looks: equal neighbours, an even surface that is higher at the walls.
fn shape(board: &Board) -> i32 {
    let contacts = Contacts::of(board).count() as i32;
    let heights = &board.heights()[..board.size().width()];
    let mean = heights.iter().map(|&h| i32::from(h)).sum::<i32>() / heights.len() as i32;
    let last = heights.len() - 1;
    let uneven: i32 = heights
        .iter()
        .enumerate()
        .map(|(column, &height)| {
            let wall = i32::from(column == 0 || column == last);
            (i32::from(height) - mean - wall).pow(2)
        })
        .sum();
    SHAPE * contacts - 8 * uneven
}

/// The largest attack of a chain that up to [`MISSING`] puyos of a colour, dropped on one column, start.
fn dormant(board: &Board, colours: usize, work: &mut Work) -> u32 {
    let size = board.size();
    let mut best = 0;
    for colour in PuyoColour::all().take(colours) {
        let plane = board.plane(colour);
        for column in 0..size.width() {
            let height = usize::from(board.heights()[column]);
            if height >= size.height() {
                continue;
            }
            let stone = 1_u128 << (16 * column + height);
            let mut group = stone;
            for _ in 0..3 {
                group |= beside(group) & plane;
            }
            let missing = 5_usize.saturating_sub(group.count_ones() as usize).max(1);
            if missing > MISSING || height + missing > size.height() {
                continue;
            }
            let mut fired = *board;
            for _ in 0..missing {
                fired.drop(column, Cell::Puyo(colour));
            }
            let chain = work.resolve(&mut fired);
            best = best.max(worth(chain).saturating_sub(4 * (missing as u32 - 1)));
        }
    }
    best
}

impl Policy for Beam {
    fn choose(&mut self, view: &View, work: &mut Work) -> Option<Decision> {
        work.decisions += 1;
        let drops: Vec<Placement> = self
            .drops
            .of(view.pieces[0])
            .iter()
            .map(|drop| drop.placement)
            .collect();
        let mut totals = vec![0_u64; drops.len()];
        let seed = self.seed.wrapping_add(view.turn as u64);
        let mut random = Sequence::from_random(Random::new("policy.beam", seed), view.colours);
        for _ in 0..self.size.continuations {
            let mut pieces = view.pieces.to_vec();
            pieces.extend(
                random
                    .by_ref()
                    .take(self.size.depth.saturating_sub(pieces.len())),
            );
            pieces.truncate(self.size.depth);
            let promises = self.promises(view, &pieces, work);
            for (total, promise) in totals.iter_mut().zip(promises) {
                *total += u64::from(promise);
            }
        }
        let mut now: Option<(Chain, Placement)> = None;
        let mut best: Option<(u64, Placement)> = None;
        for (&placement, &total) in drops.iter().zip(&totals) {
            if !placement.is_legal(view.board) {
                continue;
            }
            let (_, chain) = crate::simulate::place(view.board, view.pieces[0], placement);
            if now.is_none_or(|(known, _)| worth(chain) > worth(known)) {
                now = Some((chain, placement));
            }
            if best.is_none_or(|(known, _)| total > known) {
                best = Some((total, placement));
            }
        }
        let ((chain, firing), (total, placement)) = (now?, best?);
        let later = total / self.size.continuations.max(1) as u64;
        if chain.steps >= SHORTEST && u64::from(worth(chain)) >= later
            || total == 0 && chain.steps > 0
        {
            return Some(Decision {
                placement: firing,
                fires: true,
            });
        }
        Some(Decision::build(placement))
    }
}
