//! Grids of up to 64×64: half rows of `BITS` bits, with the rows of each parity in `N` vectors.
//!
//! Grids of up to 32×32 have 16 bits, one vector for the even rows and one for the odd rows. A step north or south
//! moves a vector to the other one, unchanged or shifted by one lane. A step east or west shifts a whole vector by
//! one bit or not at all, which the colour determines at compile time.
//!
//! PERF: a plain step is 26 vector operations and 8 loads of masks; its 8 planes of 256 bits stay in registers. Four
//! vector units could do a step in 6.5 cycles; measured are 3.05 ns per step (slope between 48 and 2,048 steps, Zen
//! 3), about 10 cycles, and 117 ns per question in addition to the steps (benches `bitboard/plain`, `bitboard/god`).

use ikeru_core::{Deadline, Search};

use super::handover::step_with_god;
use super::lanes::{HalfRowBlock, HalfRows, Lanes, Portable};
use super::planes::{Planes, Rows, advance};
#[cfg(target_arch = "x86_64")]
use super::vector::Vector;
use super::{EAST, NORTH, SOUTH, Square, WEST, edges, meetings, spread, walked};
use crate::answer::Answer;
use crate::graph::Vertex;
use crate::grid::GridShape;
use crate::instance::{Instance, MAX_PLAYERS};
use crate::variants::avx2::{self, Detected, VectorWork, deposit};
use crate::variants::{Sets, StartKernel, TimeIsUp};

/// Returns whether the rows of a grid fit into half rows of `BITS` bits, and those of each parity into `N` vectors.
pub fn fits<const BITS: usize, const N: usize>(grid: GridShape) -> bool {
    grid.width <= 2 * BITS && grid.height <= 2 * 256 * N / BITS
}

/// The steps between two comparisons of the state with that of two steps before, from which on the states alternate:
/// once all squares that walks can reach are full, or no walk is left.
///
/// PERF: 10,000 steps on 30×30 take as long as about 130; questions of fewer than 64 steps compare nothing.
pub const PART: usize = 32;

/// The number of parts of [`PART`] steps between two readings of the clock: a fraction of a millisecond.
const PARTS_PER_LOOK: usize = 1 << 10;

/// The number of 64-bit words in the planes of a board: two vectors of four words for each direction.
const WORDS_PER_BOARD: u64 = 4 * 2 * 4;

pub struct Narrow<'a, const BITS: usize, const N: usize> {
    instance: &'a Instance,
    grid: GridShape,
    /// The squares from which an edge leads in a direction, by colour, direction and parity of the row.
    masks: [Planes<HalfRowBlock<N>>; 2],
}

impl<'a, const BITS: usize, const N: usize> Narrow<'a, BITS, N> {
    pub fn new(instance: &'a Instance, grid: GridShape) -> Self {
        let mut masks = [[[HalfRowBlock::EMPTY; 2]; 4]; 2];
        edges(&instance.graph, grid, |row, first, colour, ways| {
            for (mask, squares) in masks[colour].iter_mut().zip(ways) {
                mask[row % 2].add(row / 2 * BITS + first, squares);
            }
        });
        Self {
            instance,
            grid,
            masks,
        }
    }

    /// The squares reached from each of `starts`, which must have one colour, and the number of steps walked.
    ///
    /// PERF: each step depends on the step before, so two walks in one loop use idle vector units: 900 starts of
    /// 30×30 take 0.88 of the time.
    #[inline(always)]
    fn plain<V: HalfRows, const STARTS: usize>(
        &self,
        proof: V::Proof,
        starts: [Vertex; STARTS],
        deadline: Deadline,
    ) -> Result<([Rows<HalfRowBlock<N>>; STARTS], usize), TimeIsUp> {
        let mut walks = [standing::<V, N>(proof, Square::of(self.grid, starts[0])); STARTS];
        for at in 1..STARTS {
            walks[at] = standing::<V, N>(proof, Square::of(self.grid, starts[at]));
        }
        let masks = &self.masks;
        let mut left = self.instance.question.steps;
        if Square::of(self.grid, starts[0]).colour == 1 && left > 0 {
            step_all::<V, N, 1, STARTS>(&mut walks, masks);
            left -= 1;
        }
        let (mut parts, mut saved) = (0, 0);
        while left >= 2 * PART {
            for _ in 1..PART / 2 {
                step_all::<V, N, 0, STARTS>(&mut walks, masks);
                step_all::<V, N, 1, STARTS>(&mut walks, masks);
            }
            let before = walks;
            step_all::<V, N, 0, STARTS>(&mut walks, masks);
            step_all::<V, N, 1, STARTS>(&mut walks, masks);
            (left, parts) = (left - PART, parts + 1);
            if repeats(&walks, &before) {
                (saved, left) = (left & !1, left & 1);
            } else if parts % PARTS_PER_LOOK == 0 && deadline.passed() {
                return Err(TimeIsUp);
            }
        }
        for _ in 0..left / 2 {
            step_all::<V, N, 0, STARTS>(&mut walks, masks);
            step_all::<V, N, 1, STARTS>(&mut walks, masks);
        }
        if left % 2 == 1 {
            step_all::<V, N, 0, STARTS>(&mut walks, masks);
        }
        let mut reached = [[HalfRowBlock::EMPTY; 2]; STARTS];
        for (reached, planes) in reached.iter_mut().zip(&walks) {
            *reached = stored(union(planes));
        }
        Ok((reached, self.instance.question.steps - saved))
    }

    /// The reached squares and those with the god on another player, and the work.
    #[inline(always)]
    fn with_god<V: HalfRows>(
        &self,
        proof: V::Proof,
        start: Vertex,
        holder: usize,
        deadline: Deadline,
    ) -> Result<([Rows<HalfRowBlock<N>>; 2], NarrowWork), TimeIsUp> {
        let question = &self.instance.question;
        let nothing = [[Lanes::load(proof, &HalfRowBlock::EMPTY); 2]; 4];
        let mut boards = [nothing; MAX_PLAYERS];
        let square = Square::of(self.grid, start);
        boards[holder] = standing::<V, N>(proof, square);
        let mut places = [None; MAX_PLAYERS - 1];
        for (place, meeting) in places.iter_mut().zip(meetings(self.grid, &question.others)) {
            let Square { row, bit, .. } = meeting.square;
            let here = HalfRowBlock::<1>::bit((row / 2 * BITS + bit) % 256);
            *place = Some((meeting, V::load(proof, &here.0[0])));
        }
        // Holders whose board may not be empty; a board rarely becomes empty again.
        let mut alive = 1_usize << holder;
        let (mut left, mut moved, mut colour) = (question.steps, 0, square.colour);
        let (mut parts, mut saved, mut before) = (0, 0, boards);
        // The first part ends on colour 0.
        let mut part = left.min(colour);
        loop {
            for at in 0..part {
                if at + 2 == PART {
                    before = boards;
                }
                moved += match colour {
                    0 => step_with_god::<V, N, 0>(&mut boards, &mut alive, &self.masks, &places),
                    _ => step_with_god::<V, N, 1>(&mut boards, &mut alive, &self.masks, &places),
                };
                colour = 1 - colour;
            }
            left -= part;
            if part == PART {
                parts += 1;
                if repeats(&boards, &before) {
                    (saved, left) = (left & !1, left & 1);
                } else if parts % PARTS_PER_LOOK == 0 && deadline.passed() {
                    return Err(TimeIsUp);
                }
            }
            if left == 0 {
                break;
            }
            part = if left < 2 * PART { left } else { PART };
        }
        let mut elsewhere = union(&boards[1]);
        for planes in &boards[2..] {
            elsewhere = join(elsewhere, union(planes));
        }
        let all = stored(join(union(&boards[0]), elsewhere));
        let steps = question.steps - saved;
        let work = NarrowWork {
            steps,
            boards: moved,
        };
        Ok(([all, stored(elsewhere)], work))
    }

    /// Answers with one kind of lanes and returns the work.
    #[inline(always)]
    pub fn answer_with<V: HalfRows>(
        &self,
        proof: V::Proof,
        detected: Option<Detected>,
        start: Vertex,
        reachable: &mut [u64],
        god_free: Option<&mut [u64]>,
        deadline: Deadline,
    ) -> Result<NarrowWork, TimeIsUp> {
        let colour = self.last_colour(start);
        if let (Some(holder), Some(god_free)) = (self.instance.question.holder(), god_free) {
            let ([all, elsewhere], work) = self.with_god::<V>(proof, start, holder, deadline)?;
            unpack::<BITS, N>(detected, &all, colour, self.grid, reachable);
            unpack::<BITS, N>(detected, &elsewhere, colour, self.grid, god_free);
            Ok(work)
        } else {
            let ([all], steps) = self.plain::<V, 1>(proof, [start], deadline)?;
            unpack::<BITS, N>(detected, &all, colour, self.grid, reachable);
            Ok(NarrowWork::plain(steps))
        }
    }

    /// Answers with portable lanes.
    ///
    /// PERF: not inlined, so that it is compiled once and not for each kind of vectors.
    #[inline(never)]
    pub fn answer_portably(
        &self,
        start: Vertex,
        reachable: &mut [u64],
        god_free: Option<&mut [u64]>,
        deadline: Deadline,
    ) -> Result<NarrowWork, TimeIsUp> {
        self.answer_with::<Portable<BITS>>((), None, start, reachable, god_free, deadline)
    }

    /// Counts the work of a start: the words of the moved boards, or for half rows of 32 bits the same windows as in
    /// [`bands`](super::bands).
    fn count(&self, start: Vertex, work: NarrowWork, search: &mut Search) {
        if BITS == 16 {
            search.counters.add("words", WORDS_PER_BOARD * work.boards);
        } else {
            let (words, rows) = walked(self.grid, start, work.steps);
            let holders = self.instance.question.holders() as u64;
            search.counters.add("words", holders * words);
            search.counters.add("rows", holders * rows);
        }
    }

    /// Returns whether walks from both starts are on squares of one colour after each step, without the god.
    #[cfg(target_arch = "x86_64")]
    fn walk_alike(&self, starts: [Vertex; 2]) -> bool {
        let [one, two] = starts.map(|start| Square::of(self.grid, start).colour);
        one == two && self.instance.question.holder().is_none()
    }

    /// The colour of the squares reached by the last step.
    fn last_colour(&self, start: Vertex) -> usize {
        (Square::of(self.grid, start).colour + self.instance.question.steps) % 2
    }
}

/// The work of a question.
#[derive(Debug, Clone, Copy)]
pub struct NarrowWork {
    /// The steps walked, without those that only repeat two states.
    steps: usize,
    /// The boards moved by them: one a step, with the god one for each player who may hold it.
    boards: u64,
}

impl NarrowWork {
    fn plain(steps: usize) -> Self {
        Self {
            steps,
            boards: steps as u64,
        }
    }
}

/// Returns whether two states of the walks are equal.
#[inline(always)]
fn repeats<V: HalfRows, const N: usize, const COUNT: usize>(
    walks: &[Planes<Lanes<V, N>>; COUNT],
    before: &[Planes<Lanes<V, N>>; COUNT],
) -> bool {
    let mut same = true;
    for at in 0..COUNT {
        for way in 0..4 {
            let (now, then) = (walks[at][way], before[at][way]);
            same &= now[0].same(then[0]) & now[1].same(then[1]);
        }
    }
    same
}

/// The planes of a walk at `square` that may leave in any direction.
#[inline(always)]
fn standing<V: HalfRows, const N: usize>(proof: V::Proof, square: Square) -> Planes<Lanes<V, N>> {
    let nothing = Lanes::load(proof, &HalfRowBlock::EMPTY);
    let mut board = [nothing; 2];
    for (parity, here) in board.iter_mut().enumerate() {
        let bit = square.row / 2 * V::BITS + square.bit;
        let is_here = square.row % 2 == parity;
        *here = Lanes::load(
            proof,
            &HalfRowBlock::bit(if is_here { bit } else { usize::MAX }),
        );
    }
    let mut planes = [[nothing; 2]; 4];
    (planes[EAST], planes[NORTH]) = (board, board);
    planes
}

/// Makes one step of every walk from squares of `COLOUR`.
#[inline(always)]
fn step_all<V: HalfRows, const N: usize, const COLOUR: usize, const STARTS: usize>(
    walks: &mut [Planes<Lanes<V, N>>; STARTS],
    masks: &[Planes<HalfRowBlock<N>>; 2],
) {
    for planes in walks {
        *planes = advance::<V, N, COLOUR>(planes, masks);
    }
}

#[inline(always)]
fn join<V: HalfRows, const N: usize>(
    one: Rows<Lanes<V, N>>,
    two: Rows<Lanes<V, N>>,
) -> Rows<Lanes<V, N>> {
    [one[0].or(two[0]), one[1].or(two[1])]
}

/// The squares reached in any direction.
#[inline(always)]
fn union<V: HalfRows, const N: usize>(planes: &Planes<Lanes<V, N>>) -> Rows<Lanes<V, N>> {
    join(
        join(planes[EAST], planes[WEST]),
        join(planes[NORTH], planes[SOUTH]),
    )
}

// No `map` here: closures in adapters of the standard library would not be compiled for AVX2.
#[inline(always)]
fn stored<V: HalfRows, const N: usize>(rows: Rows<Lanes<V, N>>) -> Rows<HalfRowBlock<N>> {
    [rows[0].store(), rows[1].store()]
}

/// Writes half rows of `colour` as a row of bits over vertices, which must be empty.
///
/// PERF: each word is completed in a register; in memory, each row of the grid would wait for the row before.
#[inline(always)]
fn unpack<const BITS: usize, const N: usize>(
    detected: Option<Detected>,
    rows: &Rows<HalfRowBlock<N>>,
    colour: usize,
    grid: GridShape,
    row: &mut [u64],
) {
    let places = 0x5555_5555_5555_5555 >> (64 - 2 * BITS);
    let lay = |half: u64, by: usize| match detected {
        Some(_) => deposit(detected, half, places << by),
        None => spread(None, half & (u64::MAX >> (64 - BITS))) << by,
    };
    let (mut vertex, mut word) = (0, 0);
    let mut put = |bits: u64, count: usize| {
        let (at, shift) = (vertex / 64, vertex % 64);
        word |= bits << shift;
        if let Some(out) = row.get_mut(at) {
            *out = word;
        }
        vertex += count;
        if vertex / 64 > at {
            // Two shifts, because a shift by 64 is not allowed.
            word = bits >> 1 >> (63 - shift);
        }
    };
    for at in 0..4 * N {
        let [even, odd] = [rows[0].0[at / 4].0[at % 4], rows[1].0[at / 4].0[at % 4]];
        for lane in (0..64).step_by(BITS) {
            let (even, odd) = (even >> lane, odd >> lane);
            if BITS == 16 {
                put(
                    lay(even, colour) | lay(odd, 1 - colour + grid.width),
                    2 * grid.width,
                );
            } else {
                put(lay(even, colour), grid.width);
                put(lay(odd, 1 - colour), grid.width);
            }
        }
    }
    // The last word.
    put(0, 0);
}

/// One start and the rows for its answer.
struct NarrowStart<'a, 'b, const BITS: usize, const N: usize> {
    board: &'b Narrow<'a, BITS, N>,
    start: Vertex,
    reachable: &'b mut [u64],
    god_free: Option<&'b mut [u64]>,
    deadline: Deadline<'b>,
}

impl<const BITS: usize, const N: usize> VectorWork for NarrowStart<'_, '_, BITS, N> {
    type Output = Result<NarrowWork, TimeIsUp>;
    #[inline(always)]
    fn run(self, detected: Option<Detected>) -> Self::Output {
        let Self {
            board,
            start,
            reachable,
            god_free,
            deadline,
        } = self;
        #[cfg(target_arch = "x86_64")]
        if let Some(detected) = detected {
            return board.answer_with::<Vector<BITS>>(
                detected,
                Some(detected),
                start,
                reachable,
                god_free,
                deadline,
            );
        }
        let _ = detected;
        // A condition of the compiler, so that the portable form of larger boards is not compiled.
        if const { BITS == 16 } {
            return board.answer_portably(start, reachable, god_free, deadline);
        }
        unreachable!("without vector instructions, larger boards are bands")
    }
}

/// Two starts of one colour and the rows of their answers, on a machine with AVX-512.
#[cfg(target_arch = "x86_64")]
struct NarrowPair<'a, 'b, const BITS: usize, const N: usize> {
    board: &'b Narrow<'a, BITS, N>,
    starts: [Vertex; 2],
    rows: [usize; 2],
    answer: &'b mut Answer,
    deadline: Deadline<'b>,
}

#[cfg(target_arch = "x86_64")]
impl<const BITS: usize, const N: usize> VectorWork for NarrowPair<'_, '_, BITS, N> {
    type Output = Result<usize, TimeIsUp>;
    #[inline(always)]
    fn run(self, detected: Option<Detected>) -> Self::Output {
        let (board, deadline) = (self.board, self.deadline);
        let Some(proof) = detected else {
            unreachable!("AVX-512 was detected")
        };
        let (reached, steps) = board.plain::<Vector<BITS>, 2>(proof, self.starts, deadline)?;
        let colour = board.last_colour(self.starts[0]);
        for (reached, row) in reached.iter().zip(self.rows) {
            let row = self.answer.reachable.row_mut(row);
            unpack::<BITS, N>(detected, reached, colour, board.grid, row);
        }
        Ok(steps)
    }
}

impl<const BITS: usize, const N: usize> StartKernel for Narrow<'_, BITS, N> {
    fn answer(&mut self, start: Vertex, sets: Sets, search: &mut Search) -> Result<(), TimeIsUp> {
        let Sets {
            reachable,
            god_free,
        } = sets;
        let work = avx2::run(NarrowStart {
            board: self,
            start,
            reachable,
            god_free,
            deadline: search.deadline,
        })?;
        self.count(start, work, search);
        Ok(())
    }

    fn answer_two(
        &mut self,
        starts: [Vertex; 2],
        rows: [usize; 2],
        answer: &mut Answer,
        search: &mut Search,
    ) -> Result<(), TimeIsUp> {
        // The planes of two boards need more than sixteen registers, and those of two larger boards more than 32.
        #[cfg(target_arch = "x86_64")]
        if const { N == 1 } && avx2::has_avx512() && self.walk_alike(starts) {
            let steps = avx2::run(NarrowPair {
                board: self,
                starts,
                answer,
                rows,
                deadline: search.deadline,
            })?;
            for start in starts {
                self.count(start, NarrowWork::plain(steps), search);
            }
            return Ok(());
        }
        for (start, row) in starts.into_iter().zip(rows) {
            self.answer(start, Sets::of(answer, row), search)?;
        }
        Ok(())
    }

    fn table_bytes(&self) -> u64 {
        size_of_val(&self.masks) as u64
    }
}
