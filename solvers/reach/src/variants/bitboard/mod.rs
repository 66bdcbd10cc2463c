//! `bitboard`: grid maps as bit planes, with one plane for each direction of arrival.
//!
//! A step moves whole planes: north and south move rows, east and west shift by one bit, and masks keep the existing
//! edges. A grid is bipartite, so after a given number of steps only squares of one colour can be reached: a row
//! stores only those, column `c` at bit `c / 2`. Then
//!
//! ```text
//! east'  = (east | north | south) moved east, where an edge leads west
//! ```
//!
//! and likewise for the other three directions: all walks except those that came from the opposite side. All exits of
//! the start are free, as if walks had arrived there in two directions.
//!
//! `prepare` recognises the grid and makes the masks of its edges; start, steps, players and god are used only when
//! answering. Grids of up to 32×32, and of up to 64×64 with AVX2, are moved as a whole ([`narrow`]); larger grids are
//! walked in bands of vectors ([`bands`]) within a window that grows with the steps. A step depends only on the state,
//! so once a state equals that of two steps before, two states alternate and the remaining steps are left out.

mod bands;
mod handover;
mod lanes;
mod narrow;
mod planes;
mod shape;
#[cfg(target_arch = "x86_64")]
mod vector;

use std::ops::Range;

use ikeru_core::{OURS, Refusal, Variant};

use super::avx2::{Detected, deposit};
use super::{PerStart, begin};
use crate::Reach;
use crate::graph::{Graph, Vertex};
use crate::grid::{GridShape, four_neighbours};
use crate::instance::Instance;

pub const VARIANT: Variant<Reach> = Variant {
    name: "bitboard",
    about: "grid maps as four bit planes, one for each direction of arrival, half a row to a word",
    source: OURS,
    exact: true,
    version: 7,
    settings: &[],
    prepare: |instance, _, deadline| {
        begin(instance, deadline)?;
        let grid = grid_of(instance)?;
        if narrow::fits::<16, 1>(grid) {
            let narrow = narrow::Narrow::<16, 1>::new(instance, grid);
            return Ok(PerStart::new(instance, narrow));
        }
        // Planes that do not fit the registers are worthwhile only with vector instructions.
        let has_vectors = super::avx2::detect().is_some();
        if has_vectors && narrow::fits::<32, 3>(grid) {
            let narrow = narrow::Narrow::<32, 3>::new(instance, grid);
            return Ok(PerStart::new(instance, narrow));
        }
        if has_vectors && narrow::fits::<32, 4>(grid) {
            let narrow = narrow::Narrow::<32, 4>::new(instance, grid);
            return Ok(PerStart::new(instance, narrow));
        }
        Ok(PerStart::new(instance, bands::Bands::new(instance, grid)))
    },
};

fn grid_of(instance: &Instance) -> Result<GridShape, Refusal> {
    GridShape::of(&instance.graph)
        .ok_or_else(|| Refusal::skip("takes only maps numbered along the rows of a grid"))
}

/// Directions in the order of planes and masks.
const EAST: usize = 0;
const WEST: usize = 1;
const NORTH: usize = 2;
const SOUTH: usize = 3;

/// The direction of the edge from `tail` to `head`. A difference of 1 is horizontal: [`GridShape::of`] treats
/// one-column grids as one row.
///
/// It has no branches, because the direction of an edge is unpredictable.
#[inline]
fn direction(tail: Vertex, head: Vertex) -> usize {
    let (back, vertical) = (head < tail, head.abs_diff(tail) != 1);
    usize::from(back) ^ (3 * usize::from(vertical))
}

/// Calls `add(row, first, colour, ways)` for each part of a half row, of up to 32 squares: `ways` holds, for each
/// direction, the squares of a colour from which an edge leads in it. Bit 0 is the square at bit `first` of the half
/// row.
#[inline]
fn edges(graph: &Graph, grid: GridShape, mut add: impl FnMut(usize, usize, usize, [u64; 4])) {
    let (mut row, mut column) = (0, 0);
    let mut ways = [0_u64; 4];
    for tail in graph.all() {
        let mut leads = 0_u64;
        for head in four_neighbours(graph, tail) {
            leads |= u64::from(head != tail) << direction(tail, head);
        }
        for (way, squares) in ways.iter_mut().enumerate() {
            *squares |= (leads >> way & 1) << (column % 64);
        }
        column += 1;
        if column % 64 == 0 || column == grid.width || tail as usize + 1 == graph.vertices() {
            let first = (column - 1) / 64 * 32;
            for colour in 0..2 {
                let odd = (row + colour) % 2;
                add(
                    row,
                    first,
                    colour,
                    ways.map(|squares| gather(squares >> odd)),
                );
            }
            ways = [0; 4];
        }
        if column == grid.width {
            (row, column) = (row + 1, 0);
        }
    }
}

/// Moves bit `2i` to bit `i`; the other bits are lost.
#[inline]
fn gather(bits: u64) -> u64 {
    let bits = bits & 0x5555_5555_5555_5555;
    let bits = (bits | bits >> 1) & 0x3333_3333_3333_3333;
    let bits = (bits | bits >> 2) & 0x0f0f_0f0f_0f0f_0f0f;
    let bits = (bits | bits >> 4) & 0x00ff_00ff_00ff_00ff;
    let bits = (bits | bits >> 8) & 0x0000_ffff_0000_ffff;
    (bits | bits >> 16) & 0x0000_0000_ffff_ffff
}

/// The place of a square in the half rows: its colour, its row, its bit.
#[derive(Debug, Clone, Copy)]
struct Square {
    colour: usize,
    row: usize,
    bit: usize,
}

impl Square {
    fn of(grid: GridShape, vertex: Vertex) -> Self {
        let (row, column) = grid.place(vertex);
        Self {
            colour: (row + column) % 2,
            row,
            bit: column / 2,
        }
    }
}

/// The rows, and words of a half row, that contain all walks.
#[derive(Debug, Clone)]
struct StepWindow {
    rows: Range<usize>,
    words: Range<usize>,
}

impl StepWindow {
    /// The window of walks of `steps` steps from a row and column.
    #[inline(always)]
    fn of(grid: GridShape, (row, column): (usize, usize), steps: usize) -> Self {
        let word = |column: usize| column / 128;
        let rightmost = (column + steps).min(grid.width - 1);
        Self {
            rows: row.saturating_sub(steps)..(row + steps).min(grid.height - 1) + 1,
            words: word(column.saturating_sub(steps))..word(rightmost) + 1,
        }
    }
}

/// The number of words and rows of the planes in all windows of a walk of `steps` steps from `start`, which is
/// counted for each holder, independent of how a kernel divides the planes.
#[inline(always)]
fn walked(grid: GridShape, start: Vertex, steps: usize) -> (u64, u64) {
    let (row, column) = grid.place(start);
    // The sum over all steps of the smaller of the step and `most`.
    let within = |most: usize| {
        let inner = steps.min(most);
        inner * (inner + 1) / 2 + (steps - inner) * most
    };
    let rows = within(row) + within(grid.height - 1 - row) + steps;
    if grid.width <= 128 {
        return (4 * rows as u64, rows as u64);
    }
    let windows = (1..=steps).map(|step| StepWindow::of(grid, (row, column), step));
    let words: usize = windows
        .map(|window| 4 * window.rows.len() * window.words.len())
        .sum();
    (words as u64, rows as u64)
}

/// Moves bit `i` of the lower half to bit `2i`: the inverse of [`gather`].
#[inline(always)]
fn spread(detected: Option<Detected>, bits: u64) -> u64 {
    if detected.is_some() {
        return deposit(detected, bits, 0x5555_5555_5555_5555);
    }
    let bits = (bits | bits << 16) & 0x0000_ffff_0000_ffff;
    let bits = (bits | bits << 8) & 0x00ff_00ff_00ff_00ff;
    let bits = (bits | bits << 4) & 0x0f0f_0f0f_0f0f_0f0f;
    let bits = (bits | bits << 2) & 0x3333_3333_3333_3333;
    (bits | bits << 1) & 0x5555_5555_5555_5555
}

/// Adds `bits` to a row of bits from `vertex` on; bits beyond the end of the row must be 0.
#[inline(always)]
fn put(row: &mut [u64], vertex: usize, bits: u64) {
    let shift = vertex % 64;
    if let Some([first, further @ ..]) = row.get_mut(vertex / 64..) {
        *first |= bits << shift;
        if let [second, ..] = further {
            // Two shifts, because a shift by 64 is not allowed.
            *second |= bits >> 1 >> (63 - shift);
        }
    }
}

/// A player other than player 0 whom walks may meet.
#[derive(Debug, Clone, Copy)]
struct Meeting {
    square: Square,
    player: usize,
    /// True if this player takes the god from player 0, which the lowest-numbered player on the square does.
    takes: bool,
}

/// Players 1, 2 and 3. Walks meet them in this order, so that the first player of a square keeps the god that it
/// takes from player 0.
fn meetings(grid: GridShape, others: &[Vertex]) -> impl Iterator<Item = Meeting> + '_ {
    let meeting = move |(index, &vertex): (usize, &Vertex)| Meeting {
        square: Square::of(grid, vertex),
        player: index + 1,
        takes: !others[..index].contains(&vertex),
    };
    others.iter().enumerate().map(meeting)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::Answer;
    use crate::generate;
    use crate::variants::{Sets, StartKernel};
    use ikeru_core::{Direction, Incumbent, Random, Search, Value};

    fn map(width: i64, height: i64, seed: u64) -> Instance {
        let settings = [("width", Value::Int(width)), ("height", Value::Int(height))];
        let mut random = Random::new("bitboard tests", seed);
        let generator = &generate::ALL[0];
        (generator.generate)(&settings.into_iter().collect(), &mut random).expect("legal sizes")
    }

    fn asked(map: &Instance, steps: i64, god: bool) -> Instance {
        let settings = [("steps", Value::Int(steps)), ("god", Value::Bool(god))];
        map.ask(&settings.into_iter().collect())
            .expect("a possible question")
    }

    /// The answers of a kernel from `starts` and its counters; an answer must not influence the next one.
    fn answer(
        instance: &Instance,
        mut kernel: impl StartKernel,
        starts: &[Vertex],
    ) -> (Vec<Answer>, [u64; 2]) {
        let incumbent = Incumbent::new(Direction::Equal);
        let mut search = Search::new(&incumbent);
        let one = |&start: &Vertex| {
            let mut answer = Answer::empty(instance);
            let done = kernel.answer(start, Sets::of(&mut answer, 0), &mut search);
            assert!(done.is_ok(), "there is no deadline");
            answer
        };
        let answers = starts.iter().map(one).collect();
        (
            answers,
            ["words", "rows"].map(|name| search.counters.get(name)),
        )
    }

    fn narrow_agrees<const BITS: usize, const N: usize>(sizes: &[(i64, i64)], counts: bool) {
        for (seed, &(width, height)) in (0..).zip(sizes) {
            let map = map(width, height, seed);
            let last = (width * height - 1) as Vertex;
            let starts = [map.start(0), 0, last];
            for (steps, god) in [(0, true), (1, true), (17, false), (40, true), (97, true)] {
                let instance = asked(&map, steps, god);
                let grid = GridShape::of(&instance.graph).expect("a grid");
                let new = || narrow::Narrow::<BITS, N>::new(&instance, grid);
                let narrow = answer(&instance, new(), &starts);
                let wide = answer(
                    &instance,
                    PortableBands(bands::Bands::new(&instance, grid)),
                    &starts,
                );
                let what = format!("{width}x{height}, {steps} steps, god {god}");
                assert_eq!(narrow.0, wide.0, "{what}");
                assert!(!counts || narrow.1 == wide.1, "{what}");
                if const { BITS == 16 } {
                    let portable = answer(&instance, PortableNarrow(new()), &starts);
                    assert_eq!(narrow.0, portable.0, "{what}");
                }
            }
        }
    }

    #[test]
    fn narrow_and_bands_agree_where_both_fit() {
        let sizes = [
            (32, 32),
            (31, 32),
            (32, 31),
            (30, 30),
            (3, 32),
            (32, 2),
            (7, 9),
        ];
        narrow_agrees::<16, 1>(&sizes, false);
        if super::super::avx2::detect().is_none() {
            return;
        }
        let sizes = [
            (33, 33),
            (34, 31),
            (63, 64),
            (64, 63),
            (64, 64),
            (40, 5),
            (5, 40),
        ];
        narrow_agrees::<32, 4>(&sizes, true);
        narrow_agrees::<32, 3>(&[(33, 33), (64, 48), (47, 47)], true);
    }

    /// The sizes are those at which the vectors, their number or their half rows change.
    #[test]
    fn bands_answer_and_count_alike_on_all_machines() {
        let edges = [1, 2, 31, 32, 33, 34, 63, 64, 65, 66, 128, 129, 257];
        let sizes = edges
            .iter()
            .flat_map(|&width| [5, 16, 33, 64, 65].map(|height| (width, height)))
            .chain(edges.iter().map(|&height| (40, height)));
        for (seed, (width, height)) in (0..).zip(sizes) {
            let map = map(width, height, seed);
            let last = (width * height - 1) as Vertex;
            let starts = [map.start(0), 0, last, last / 3];
            for (steps, god) in [(0, true), (3, false), (48, false), (41, true), (90, true)] {
                let instance = asked(&map, steps, god);
                let grid = GridShape::of(&instance.graph).expect("a grid");
                let bands = || bands::Bands::new(&instance, grid);
                assert_eq!(
                    answer(&instance, bands(), &starts),
                    answer(&instance, PortableBands(bands()), &starts),
                    "{width}x{height}, {steps} steps, god {god}"
                );
            }
        }
    }

    #[test]
    fn spread_bits_are_gathered_again() {
        for bits in [0, 1, 0x8000_0001, 0xffff_ffff, 0x1234_5678] {
            let spread_out = spread(None, bits);
            assert_eq!(spread_out & 0xaaaa_aaaa_aaaa_aaaa, 0);
            assert_eq!(gather(spread_out | spread_out << 1), bits);
            assert_eq!(spread(crate::variants::avx2::detect(), bits), spread_out);
        }
    }

    #[test]
    fn wide_grids_cross_words() {
        for (seed, (width, height)) in (0..).zip([(300, 5), (5, 300), (129, 130), (600, 1)]) {
            let map = map(width, height, seed);
            for (steps, god) in [(0, true), (5, false), (140, true)] {
                let instance = asked(&map, steps, god);
                let grid = GridShape::of(&instance.graph).expect("a grid");
                let starts = [map.start(0), 0, 127, 128];
                let found = answer(&instance, bands::Bands::new(&instance, grid), &starts).0;
                for (start, found) in starts.iter().zip(found) {
                    let settings = [("start", Value::Int(i64::from(*start)))];
                    let asked = instance
                        .ask(&settings.into_iter().collect())
                        .expect("a vertex");
                    let checked =
                        crate::referee::check(&asked, &found, ikeru_core::Deadline::never());
                    assert!(
                        checked.is_ok(),
                        "{width}x{height} from {start}: {checked:?}"
                    );
                }
            }
        }
    }

    /// [`narrow::Narrow`] on portable lanes, on every machine.
    struct PortableNarrow<'a, const BITS: usize, const N: usize>(narrow::Narrow<'a, BITS, N>);

    impl<const BITS: usize, const N: usize> StartKernel for PortableNarrow<'_, BITS, N> {
        fn answer(
            &mut self,
            start: Vertex,
            sets: Sets,
            search: &mut Search,
        ) -> Result<(), crate::variants::TimeIsUp> {
            let Sets {
                reachable,
                god_free,
            } = sets;
            self.0
                .answer_portably(start, reachable, god_free, search.deadline)
                .map(drop)
        }
    }

    /// [`bands::Bands`] on portable lanes, on every machine.
    struct PortableBands<'a>(bands::Bands<'a>);

    impl StartKernel for PortableBands<'_> {
        fn answer(
            &mut self,
            start: Vertex,
            sets: Sets,
            search: &mut Search,
        ) -> Result<(), crate::variants::TimeIsUp> {
            self.0.walk_portably(start, sets, search)
        }
    }
}
