//! Unsafe kernel module: the chains of many boards at once, with AVX2 and BMI2.
//!
//! A step of a chain is one long sequence of dependent instructions; the sequences of several boards are independent,
//! so that a processor overlaps them. All boards take their first step, then those on which puyos vanished take their
//! second step, and so on, with two boards in one register. The selection of the boards that continue is branch-free:
//! every board is written, and the count advances only if puyos vanish on it. The end of a chain is therefore never
//! mispredicted.
//!
//! Only boards of the first four colours without garbage are simulated together: their third plane is the plane of
//! occupied cells, so that only the other two planes must fall. Other boards are simulated one by one.
#![expect(
    unsafe_code,
    reason = "calls functions compiled for detected processor features"
)]

use std::arch::x86_64::{
    __m128i, _mm_andnot_si128, _mm_set_epi64x, _mm_testz_si128, _mm256_castsi256_si128,
    _mm256_extracti128_si256, _mm256_set_m128i, _pdep_u64, _pext_u64,
};

use super::avx2::{
    Planes, count_ones, fire, groups, halves, heights, resolve, settled_lanes, store, vector,
};
use super::{FieldOutcome, LatentChain, Trigger, fire_one_by_one, resolve_each, steps_one_by_one};
use crate::board::Board;

/// Simulates the chain of every board.
#[target_feature(enable = "avx2,bmi2,popcnt")]
pub(super) fn outcomes(outcomes: &mut [FieldOutcome]) {
    for run in outcomes.chunk_by_mut(|a, b| is_plain(&a.rest) == is_plain(&b.rest)) {
        if is_plain(&run[0].rest) && run.len() > 1 {
            resolve_plain(run);
        } else {
            resolve_each(run, |board| resolve(board));
        }
    }
}

/// The number of steps of the chain of every board.
///
/// PERF: without the boards that are left, fields of 10 stones take 0.65 of the time, full ones 0.86 (10,000 fields of
/// chain.random-field, CPU time, interleaved).
#[target_feature(enable = "avx2,bmi2,popcnt")]
pub(super) fn steps(boards: &[Board], steps: &mut [u32]) {
    let mut unsettled = UnsettledBoards::new();
    for (boards, steps) in boards.chunks(AT_ONCE).zip(steps.chunks_mut(AT_ONCE)) {
        if !boards.iter().all(is_plain) {
            steps_one_by_one(boards, steps, |board| resolve(board));
            continue;
        }
        steps.fill(0);
        unsettled.begin(boards.iter());
        while unsettled.count > 0 {
            unsettled.step(|at, _, _| steps[at] += 1);
        }
    }
}

/// See [`Simulator::fire_each`](super::Simulator::fire_each).
#[target_feature(enable = "avx2,bmi2,popcnt")]
pub(super) fn fire_each(boards: &[Board], fired: &[Trigger], chains: &mut Vec<LatentChain>) {
    if !boards.iter().all(is_plain) {
        return fire_one_by_one(boards, fired, chains, |board, group| fire(board, group));
    }
    chains.clear();
    chains.resize(fired.len(), LatentChain::default());
    let mut unsettled = UnsettledBoards::new();
    for (chains, fired) in chains.chunks_mut(AT_ONCE).zip(fired.chunks(AT_ONCE)) {
        unsettled.begin_with(boards, fired);
        let mut end = |at: usize, cleared, planes| {
            chains[at].chain.push(cleared);
            store(&mut chains[at].left, Planes(planes));
        };
        // The dropped puyos vanish too.
        unsettled.step(|at, vanishing, planes| end(at, count_ones(vanishing).max(3) + 1, planes));
        while unsettled.count > 0 {
            unsettled.step(|at, vanishing, planes| end(at, count_ones(vanishing), planes));
        }
    }
}

/// Returns whether a board has only puyos of the first four colours.
#[inline]
fn is_plain(board: &Board) -> bool {
    (board.planes[0] | board.planes[1]) & !board.planes[2] == 0
}

#[target_feature(enable = "avx2,bmi2,popcnt")]
fn resolve_plain(outcomes: &mut [FieldOutcome]) {
    let mut unsettled = UnsettledBoards::new();
    for outcomes in outcomes.chunks_mut(AT_ONCE) {
        unsettled.begin(outcomes.iter().map(|outcome| &outcome.rest));
        while unsettled.count > 0 {
            unsettled.step(|at, vanishing, planes| {
                let FieldOutcome { chain, rest } = &mut outcomes[at];
                chain.push(count_ones(vanishing));
                store(&mut rest.planes, Planes(planes));
                rest.heights = heights(Planes(planes));
            });
        }
    }
}

/// The number of boards that begin together: they fit into the first-level cache.
const AT_ONCE: usize = 64;

/// A board on which puyos vanish.
#[derive(Clone, Copy)]
struct Unsettled {
    /// The index of the board.
    at: usize,
    planes: [__m128i; 3],
    vanishing: __m128i,
}

/// The boards on which puyos vanish: the first `count` of `boards`.
struct UnsettledBoards {
    boards: [Unsettled; AT_ONCE],
    count: usize,
}

impl UnsettledBoards {
    #[inline]
    fn new() -> Self {
        // SAFETY: every bit pattern is a number or a vector.
        unsafe { std::mem::zeroed() }
    }

    /// Takes the boards, of at most [`AT_ONCE`], on which puyos vanish.
    #[inline]
    #[target_feature(enable = "avx2,bmi2,popcnt")]
    fn begin<'a>(&mut self, mut boards: impl Iterator<Item = &'a Board>) {
        self.count = 0;
        let mut at = 0;
        while let Some(one) = boards.next() {
            let two = boards.next();
            let planes = |board: &Board| board.planes.map(|plane| vector(plane));
            self.push([(at, planes(one)), (at + 1, two.map_or(NOTHING, planes))]);
            at += 2;
        }
    }

    /// Takes all boards, at most [`AT_ONCE`], each with the group that vanishes first.
    #[inline]
    #[target_feature(enable = "avx2,bmi2,popcnt")]
    fn begin_with(&mut self, boards: &[Board], fired: &[Trigger]) {
        self.count = fired.len();
        for (unsettled, (at, trigger)) in self.boards.iter_mut().zip(fired.iter().enumerate()) {
            *unsettled = Unsettled {
                at,
                planes: boards[trigger.board as usize]
                    .planes
                    .map(|plane| vector(plane)),
                vanishing: vector(trigger.group),
            };
        }
    }

    /// Simulates one step of every chain; calls `end` with each board, the vanishing puyos and the planes that are left.
    #[inline]
    #[target_feature(enable = "avx2,bmi2,popcnt")]
    fn step(&mut self, mut end: impl FnMut(usize, __m128i, [__m128i; 3])) {
        let count = std::mem::take(&mut self.count).min(AT_ONCE);
        for place in (0..count).step_by(2) {
            let two = [self.boards[place], self.boards[place + 1]];
            let mut fallen = [fall_plain(&two[0]), fall_plain(&two[1])];
            end(two[0].at, two[0].vanishing, fallen[0]);
            if place + 1 < count {
                end(two[1].at, two[1].vanishing, fallen[1]);
            } else {
                fallen[1] = NOTHING;
            }
            self.push([(two[0].at, fallen[0]), (two[1].at, fallen[1])]);
        }
    }

    /// Keeps the boards, of these two, on which puyos vanish.
    #[inline]
    #[target_feature(enable = "avx2,bmi2,popcnt")]
    fn push(&mut self, boards: [(usize, [__m128i; 3]); 2]) {
        let [(_, one), (_, two)] = boards;
        let both = |plane: usize| _mm256_set_m128i(two[plane], one[plane]);
        let groups = groups([both(0), both(1), both(2)]);
        let vanishing = [
            _mm256_castsi256_si128(groups),
            _mm256_extracti128_si256::<1>(groups),
        ];
        for ((at, planes), vanishing) in boards.into_iter().zip(vanishing) {
            self.boards[self.count % AT_ONCE] = Unsettled {
                at,
                planes,
                vanishing,
            };
            self.count += usize::from(_mm_testz_si128(vanishing, vanishing) == 0);
        }
    }
}

/// The planes used if there is no second board.
// SAFETY: every bit pattern is a vector.
const NOTHING: [__m128i; 3] = unsafe { std::mem::zeroed() };

/// The planes after the vanishing puyos are removed and the others have fallen.
#[inline]
#[target_feature(enable = "avx2,bmi2,popcnt")]
fn fall_plain(board: &Unsettled) -> [__m128i; 3] {
    let [code0, code1, occupied] = board.planes;
    let stay = _mm_andnot_si128(board.vanishing, occupied);
    let land = settled_lanes(stay);
    let (from, to) = (halves(stay), halves(land));
    let fall = |plane| {
        let [low, high] = halves(plane);
        let low = _pdep_u64(_pext_u64(low, from[0]), to[0]);
        let high = _pdep_u64(_pext_u64(high, from[1]), to[1]);
        _mm_set_epi64x(high as i64, low as i64)
    };
    [fall(code0), fall(code1), land]
}
