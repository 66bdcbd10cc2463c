//! Grids of any size as bands of rows, walked in a window that grows with the steps.
//!
//! A band has two vectors of half rows for each direction of arrival, one for even and one for odd rows, as in
//! [`narrow`](super::narrow): 32 rows of up to 32 columns, 16 of up to 64, or 8 of up to 128. Wider grids have
//! several bands side by side.
//!
//! PERF: the bands of a step do not depend on each other, unlike the steps of `narrow` (bench
//! `bitboard/plain-64x64`).

use ikeru_core::Search;

use super::handover::hand_over;
use super::lanes::{HalfRows, Portable, Stored};
use super::narrow::PART;
use super::shape::{BandShape, Span};
#[cfg(target_arch = "x86_64")]
use super::vector::Vector;
use super::{
    EAST, Meeting, NORTH, SOUTH, Square, StepWindow, WEST, edges, meetings, put, spread, walked,
};
use crate::colouring::from_and_to;
use crate::graph::Vertex;
use crate::grid::GridShape;
use crate::instance::{Instance, MAX_PLAYERS};
use crate::variants::avx2::{self, Detected, VectorWork};
use crate::variants::{Sets, StartKernel, TimeIsUp};

/// The number of bands advanced between two readings of the clock: a fraction of a millisecond.
const BANDS_PER_LOOK: usize = 1 << 14;

/// The vectors by direction of arrival (or of leaving) and parity of the row.
type Band = [[Stored; 2]; 4];
/// The bands of a grid, surrounded by empty bands.
type Board = Vec<Band>;

const EMPTY: Band = [[Stored([0; 4]); 2]; 4];

pub struct Bands<'a> {
    instance: &'a Instance,
    grid: GridShape,
    shape: BandShape,
    /// For each colour, the squares from which an edge leads in each direction.
    masks: [Board; 2],
    /// The boards by colour and holder, empty outside the last window.
    boards: [Vec<Board>; 2],
    /// The window in which the boards may not be empty.
    dirty: Option<Span>,
}

impl<'a> Bands<'a> {
    pub fn new(instance: &'a Instance, grid: GridShape) -> Self {
        let shape = BandShape::of(grid);
        let rows = grid.height.div_ceil(512 / shape.bits) + 2;
        let empty = vec![EMPTY; rows * shape.stride + 1];
        let mut masks = [empty.clone(), empty.clone()];
        edges(&instance.graph, grid, |row, first, colour, ways| {
            let (at, parity, bit) = shape.place(row, first);
            for (planes, squares) in masks[colour][at].iter_mut().zip(ways) {
                planes[parity].0[bit / 64] |= squares << (bit % 64);
            }
        });
        let boards = vec![empty; instance.question.holders()];
        Self {
            instance,
            grid,
            shape,
            masks,
            boards: [boards.clone(), boards],
            dirty: None,
        }
    }

    fn clear(&mut self) {
        let Some(span) = self.dirty.take() else {
            return;
        };
        for board in self.boards.iter_mut().flatten() {
            for piece in self.shape.pieces(&span) {
                board[piece].fill(EMPTY);
            }
        }
    }

    /// Answers with portable lanes.
    ///
    /// PERF: not inlined, so that it is compiled once and not for each kind of vectors.
    #[inline(never)]
    pub fn walk_portably(
        &mut self,
        start: Vertex,
        sets: Sets,
        search: &mut Search,
    ) -> Result<(), TimeIsUp> {
        match self.shape.bits {
            16 => self.walk::<Portable<16>>((), None, start, sets, search),
            32 => self.walk::<Portable<32>>((), None, start, sets, search),
            _ => self.walk::<Portable<64>>((), None, start, sets, search),
        }
    }

    /// Answers with one kind of lanes.
    #[inline(always)]
    fn walk<V: HalfRows>(
        &mut self,
        proof: V::Proof,
        detected: Option<Detected>,
        start: Vertex,
        sets: Sets,
        search: &mut Search,
    ) -> Result<(), TimeIsUp> {
        self.clear();
        let grid = self.grid;
        // The bits as a constant, so that the bands of a window need no division.
        let shape = BandShape {
            bits: V::BITS,
            ..self.shape
        };
        let question = &self.instance.question;
        let (steps, holders) = (question.steps, question.holders());
        let place = grid.place(start);
        let all = shape.span(&StepWindow::of(grid, place, steps));
        self.dirty = Some(all.clone());

        // A walk that arrived in two directions: every exit is free.
        let square = Square::of(grid, start);
        let holder = question.holder().unwrap_or(0);
        let (at, parity, here) = shape.here(square);
        for way in [EAST, NORTH] {
            self.boards[square.colour][holder][at][way][parity] = here;
        }
        let mut places = [None; MAX_PLAYERS - 1];
        if question.holder().is_some() {
            for (place, meeting) in places.iter_mut().zip(meetings(grid, &question.others)) {
                *place = Some((meeting, shape.here(meeting.square)));
            }
        }

        // Holders whose board may not be empty; a board rarely becomes empty again.
        let mut alive = 1_usize << holder;
        let (mut colour, mut bands) = (square.colour, 0);
        let (mut step, mut end, mut before) = (0, steps, Vec::new());
        while step < end {
            step += 1;
            let window = StepWindow::of(grid, place, step);
            let span = shape.span(&window);
            bands += span.rows.len() * span.columns.len() * holders;
            for holder in (0..holders).filter(|holder| alive >> holder & 1 == 1) {
                self.advance::<V>(proof, colour, &span, holder);
            }
            colour ^= 1;
            for (meeting, place) in places.iter().flatten() {
                if meeting.square.colour == colour && alive & (1 << meeting.player | 1) != 0 {
                    alive |= self.hand_over::<V>(proof, *meeting, *place);
                }
            }
            if step % PART == PART - 2 && end - step > PART {
                before.clear();
                before.extend(self.planes_of(colour, &all).copied());
            } else if step % PART == 0
                && !before.is_empty()
                && self.planes_of(colour, &all).eq(&before)
            {
                end = step + (end - step) % 2;
            }
            if bands >= BANDS_PER_LOOK {
                bands = 0;
                if search.deadline.passed() {
                    return Err(TimeIsUp);
                }
            }
        }
        let (words, rows) = walked(grid, start, step);
        search.counters.add("words", holders as u64 * words);
        search.counters.add("rows", holders as u64 * rows);
        self.unpack::<V>(proof, detected, colour, &all, sets);
        Ok(())
    }

    /// The bands of a colour in a span.
    fn planes_of(&self, colour: usize, span: &Span) -> impl Iterator<Item = &Band> {
        let pieces = self.shape.pieces(span);
        let boards = self.boards[colour].iter();
        pieces.flat_map(move |piece| boards.clone().flat_map(move |board| &board[piece.clone()]))
    }

    /// Makes one step from squares of `colour` into `span`.
    #[inline(always)]
    fn advance<V: HalfRows>(&mut self, proof: V::Proof, colour: usize, span: &Span, holder: usize) {
        let (from, to) = from_and_to(&mut self.boards, colour);
        let (from, to) = (&from[holder], &mut to[holder]);
        let edges = &self.masks[colour];
        if colour == 0 {
            advance::<V, 0>(proof, self.shape, span, [edges, from], to);
        } else {
            advance::<V, 1>(proof, self.shape, span, [edges, from], to);
        }
    }

    /// Applies the handover rule to walks that meet a player. Returns the holders who may have got the god, one bit
    /// each.
    #[inline(always)]
    fn hand_over<V: HalfRows>(
        &mut self,
        proof: V::Proof,
        meeting: Meeting,
        (at, parity, here): (usize, usize, Stored),
    ) -> usize {
        let here = V::load(proof, &here);
        let hands_over = meeting.taken(here);
        let (mut given, mut taken) = (here.without(here), here.without(here));
        for way in 0..4 {
            let boards = &mut self.boards[meeting.square.colour];
            let mut mine = V::load(proof, &boards[0][at][way][parity]);
            let mut theirs = V::load(proof, &boards[meeting.player][at][way][parity]);
            hand_over(here, hands_over, &mut mine, &mut theirs);
            mine.store(&mut boards[0][at][way][parity]);
            theirs.store(&mut boards[meeting.player][at][way][parity]);
            (given, taken) = (given.or(theirs.and(here)), taken.or(mine.and(here)));
        }
        usize::from(!given.is_empty()) << meeting.player | usize::from(!taken.is_empty())
    }

    /// Writes the squares of all boards as rows of bits over vertices.
    #[inline(always)]
    fn unpack<V: HalfRows>(
        &self,
        proof: V::Proof,
        detected: Option<Detected>,
        colour: usize,
        span: &Span,
        sets: Sets,
    ) {
        let Sets {
            reachable,
            god_free,
        } = sets;
        let [mine, others @ ..] = self.boards[colour].as_slice() else {
            return;
        };
        let out = Out {
            detected,
            grid: self.grid,
            colour,
        };
        let mut elsewhere = god_free;
        for row in span.rows.clone() {
            for column in span.columns.clone() {
                let at = self.shape.at(row, column);
                for parity in 0..2 {
                    let mut all = BandPlanes::<V>(proof, &mine[at]).union(parity);
                    if let Some(elsewhere) = elsewhere.as_deref_mut() {
                        let mut free = all.without(all);
                        for board in others {
                            free = free.or(BandPlanes::<V>(proof, &board[at]).union(parity));
                        }
                        all = all.or(free);
                        out.write(free, (row, column, parity), elsewhere);
                    }
                    out.write(all, (row, column, parity), reachable);
                }
            }
        }
    }
}

/// Makes one step from squares of `COLOUR` into `span`.
#[inline(always)]
fn advance<V: HalfRows, const COLOUR: usize>(
    proof: V::Proof,
    shape: BandShape,
    span: &Span,
    [edges, from]: [&[Band]; 2],
    to: &mut [Band],
) {
    for column in span.columns.clone() {
        // Walks that leave the band above southward; outside the window there are none.
        let mut above = V::load(proof, &Stored::default());
        for row in span.rows.clone() {
            let at = shape.at(row, column);
            let (here, below) = (&from[at], &from[at + shape.stride]);
            let (here, below) = (
                Leaving::<V>(proof, here, &edges[at]),
                Leaving::<V>(proof, below, &edges[at + shape.stride]),
            );
            let mut ways = here.all();
            let [east, west, north, south] = &mut ways;
            // In rows of this parity the squares are in odd columns, in the other rows in even ones.
            let odd = 1 - COLOUR;
            east[odd] = east[odd].left();
            west[1 - odd] = west[1 - odd].right();
            if shape.is_wide() {
                let (before, after) = (at - 1, at + 1);
                let before = Leaving::<V>(proof, &from[before], &edges[before]);
                let after = Leaving::<V>(proof, &from[after], &edges[after]);
                east[odd] = east[odd].or(before.to(EAST, odd).highest());
                west[1 - odd] = west[1 - odd].or(after.to(WEST, 1 - odd).lowest());
            }
            // Rows 2j and 2j+1 share a lane: one of the two directions leads to another lane.
            north[0] = north[0].down(below.to(NORTH, 0));
            let leaves = south[1];
            south[1] = south[1].up(above);
            above = leaves;
            north.swap(0, 1);
            south.swap(0, 1);
            for (stored, way) in to[at].iter_mut().zip(ways) {
                way[0].store(&mut stored[0]);
                way[1].store(&mut stored[1]);
            }
        }
    }
}

/// The walks that leave a band: its planes and the squares from which edges lead.
struct Leaving<'a, V: HalfRows>(V::Proof, &'a Band, &'a Band);

impl<V: HalfRows> Leaving<'_, V> {
    /// The walks that leave in each direction, by parity of the row.
    #[inline(always)]
    fn all(&self) -> [[V; 2]; 4] {
        let mut all = [[self.to(EAST, 0); 2]; 4];
        for (way, rows) in all.iter_mut().enumerate() {
            *rows = [self.to(way, 0), self.to(way, 1)];
        }
        all
    }

    /// The walks that leave in one direction.
    #[inline(always)]
    fn to(&self, way: usize, parity: usize) -> V {
        let planes = BandPlanes::<V>(self.0, self.1).without(BACK[way], parity);
        planes.and(V::load(self.0, &self.2[way][parity]))
    }
}

/// The opposite of each direction.
const BACK: [usize; 4] = [WEST, EAST, SOUTH, NORTH];

/// The planes of a band.
struct BandPlanes<'a, V: HalfRows>(V::Proof, &'a Band);

// Methods instead of closures, because code that is not inlined is compiled without vector instructions.
impl<V: HalfRows> BandPlanes<'_, V> {
    #[inline(always)]
    fn get(&self, way: usize, parity: usize) -> V {
        V::load(self.0, &self.1[way][parity])
    }

    /// The squares reached in any direction except `way`.
    #[inline(always)]
    fn without(&self, way: usize, parity: usize) -> V {
        let two = if way < NORTH { NORTH } else { EAST };
        let pair = self.get(two, parity).or(self.get(two + 1, parity));
        self.get(BACK[way], parity).or(pair)
    }

    /// The squares reached in any direction.
    #[inline(always)]
    fn union(&self, parity: usize) -> V {
        self.get(WEST, parity).or(self.without(WEST, parity))
    }
}

/// Writes half rows of `colour` as rows of bits over vertices.
struct Out {
    detected: Option<Detected>,
    grid: GridShape,
    colour: usize,
}

impl Out {
    #[inline(always)]
    fn write<V: HalfRows>(
        &self,
        squares: V,
        (row, column, parity): (usize, usize, usize),
        out: &mut [u64],
    ) {
        let mut stored = Stored::default();
        squares.store(&mut stored);
        let lanes = 256 / V::BITS;
        let first = 2 * lanes * row + parity;
        let odd = (self.colour + parity) % 2;
        for lane in 0..lanes {
            let bit = lane * V::BITS;
            let half = stored.0[bit / 64] >> (bit % 64);
            let vertex = (first + 2 * lane) * self.grid.width + 128 * column + odd;
            // Vertices beyond the last row are not squares: their bits are 0.
            if vertex / 64 >= out.len() {
                break;
            }
            let low = half & ((1 << V::BITS.min(32)) - 1);
            put(out, vertex, spread(self.detected, low));
            if V::BITS == 64 {
                let high = spread(self.detected, half >> 32);
                put(out, vertex + 64, high);
            }
        }
    }
}

/// One start and the rows for its answer.
struct BandsStart<'a, 'b, 'c> {
    bands: &'b mut Bands<'a>,
    start: Vertex,
    sets: Sets<'b>,
    search: &'b mut Search<'c>,
}

impl VectorWork for BandsStart<'_, '_, '_> {
    type Output = Result<(), TimeIsUp>;
    #[inline(always)]
    fn run(self, detected: Option<Detected>) -> Self::Output {
        let Self {
            bands,
            start,
            sets,
            search,
        } = self;
        #[cfg(target_arch = "x86_64")]
        if let Some(proof) = detected {
            return match bands.shape.bits {
                16 => bands.walk::<Vector<16>>(proof, detected, start, sets, search),
                32 => bands.walk::<Vector<32>>(proof, detected, start, sets, search),
                _ => bands.walk::<Vector<64>>(proof, detected, start, sets, search),
            };
        }
        let _ = detected;
        bands.walk_portably(start, sets, search)
    }
}

impl StartKernel for Bands<'_> {
    fn answer(&mut self, start: Vertex, sets: Sets, search: &mut Search) -> Result<(), TimeIsUp> {
        avx2::run(BandsStart {
            bands: self,
            start,
            sets,
            search,
        })
    }

    fn table_bytes(&self) -> u64 {
        self.masks
            .iter()
            .chain(self.boards.iter().flatten())
            .map(|board| size_of_val(board.as_slice()) as u64)
            .sum()
    }
}
