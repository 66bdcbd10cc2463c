//! `bitboard`: grid maps as bit planes, one plane for every direction of arrival.
//!
//! A step moves whole planes: north and south are other rows, east and west shifts by one bit, masks
//! keep the edges that exist. A grid is bipartite, so after a given number of steps only squares of
//! one colour can be reached: a row holds only those, column `c` at bit `c / 2`. With that
//!
//! ```text
//! east'  = (east | north | south) moved east, where an edge leads west
//! ```
//!
//! and so on for the other three: everything but what came from the other way. At the start all
//! exits are free, which is the same as having arrived in two directions.
//!
//! `prepare` recognises the grid and makes the masks of its edges; start, steps, players and god
//! belong to the answer. Grids of up to 32×32 stay in registers ([`narrow`]); others are walked in
//! a window that grows with the steps ([`wide`]).

mod lanes;
mod narrow;
mod wide;

use ikeru_core::{Refusal, Source, Variant};

use super::{PerStart, begin};
use crate::Reach;
use crate::graph::{Graph, Vertex};
use crate::grid::Grid;
use crate::instance::Instance;

pub const VARIANT: Variant<Reach> = Variant {
    name: "bitboard",
    about: "grid maps as four bit planes, one for each direction of arrival, half a row to a word",
    source: Source::Ours,
    exact: true,
    version: 2,
    settings: &[],
    prepare: |instance, _, deadline| {
        begin(instance, deadline)?;
        let grid = grid_of(instance)?;
        Ok(if narrow::fits(grid) {
            PerStart::new(instance, narrow::Narrow::new(instance, grid))
        } else {
            PerStart::new(instance, wide::Wide::new(instance, grid))
        })
    },
};

fn grid_of(instance: &Instance) -> Result<Grid, Refusal> {
    Grid::of(&instance.graph)
        .ok_or_else(|| Refusal::skip("takes only maps numbered along the rows of a grid"))
}

/// Directions in the order of planes and masks.
const EAST: usize = 0;
const WEST: usize = 1;
const NORTH: usize = 2;
const SOUTH: usize = 3;

/// The direction of the edge from `tail` to `head`.
fn direction(tail: Vertex, head: Vertex) -> usize {
    match (head > tail, head.abs_diff(tail)) {
        (true, 1) => EAST,
        (false, 1) => WEST,
        (false, _) => NORTH,
        (true, _) => SOUTH,
    }
}

/// Every arc of a grid: its tail and its direction. In one-column grids no difference is 1 but the
/// width; those are one row by [`Grid::of`].
fn arcs(graph: &Graph) -> impl Iterator<Item = (Vertex, usize)> + '_ {
    graph.all().flat_map(|tail| {
        let neighbours = graph.neighbours(tail).iter();
        neighbours.map(move |&head| (tail, direction(tail, head)))
    })
}

/// Where a square stands in the half rows: its colour, its row, its bit.
#[derive(Debug, Clone, Copy)]
struct Square {
    colour: usize,
    row: usize,
    bit: usize,
}

impl Square {
    fn of(grid: Grid, vertex: Vertex) -> Self {
        let (row, column) = grid.place(vertex);
        Self {
            colour: (row + column) % 2,
            row,
            bit: column / 2,
        }
    }
}

/// A square where players stand.
#[derive(Debug, Clone, Copy)]
struct Meeting {
    square: Square,
    /// One bit per player.
    players: usize,
    /// The player who takes the god from player 0.
    lowest: usize,
}

/// The squares where players 1, 2, 3 stand, those on one square together.
fn meetings(grid: Grid, others: &[Vertex]) -> impl Iterator<Item = Meeting> + '_ {
    let first = |&(index, vertex): &(usize, &Vertex)| !others[..index].contains(vertex);
    others
        .iter()
        .enumerate()
        .filter(first)
        .map(move |(index, vertex)| {
            let here = others
                .iter()
                .enumerate()
                .filter(|&(_, other)| other == vertex);
            Meeting {
                square: Square::of(grid, *vertex),
                players: here.map(|(player, _)| 2 << player).sum(),
                lowest: index + 1,
            }
        })
}

#[cfg(test)]
mod tests {
    use super::lanes::Portable;
    use super::*;
    use crate::answer::Answer;
    use crate::generate;
    use crate::variants::{Kernel, Sets};
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

    /// The answer of a kernel from `start`; whoever answered before must leave nothing behind.
    fn answer(instance: &Instance, mut kernel: impl Kernel, starts: &[Vertex]) -> Vec<Answer> {
        let incumbent = Incumbent::new(Direction::Equal);
        let mut search = Search::new(&incumbent);
        let one = |&start: &Vertex| {
            let mut answer = Answer::empty(instance);
            let done = kernel.answer(start, Sets::of(&mut answer, 0), &mut search);
            assert!(done.is_ok(), "there is no deadline");
            answer
        };
        starts.iter().map(one).collect()
    }

    #[test]
    fn narrow_and_wide_agree_where_both_fit() {
        let sizes = [
            (32, 32),
            (31, 32),
            (32, 31),
            (30, 30),
            (3, 32),
            (32, 2),
            (7, 9),
        ];
        for (seed, (width, height)) in (0..).zip(sizes) {
            let map = map(width, height, seed);
            let last = (width * height - 1) as Vertex;
            let starts = [map.start(0), 0, last];
            for (steps, god) in [(0, true), (1, true), (17, false), (40, true), (97, true)] {
                let instance = asked(&map, steps, god);
                let grid = Grid::of(&instance.graph).expect("a grid");
                let narrow = answer(&instance, narrow::Narrow::new(&instance, grid), &starts);
                let wide = answer(&instance, wide::Wide::new(&instance, grid), &starts);
                assert_eq!(narrow, wide, "{width}x{height}, {steps} steps, god {god}");
                let portable = answer(&instance, PortableNarrow::new(&instance, grid), &starts);
                assert_eq!(
                    narrow, portable,
                    "{width}x{height}, {steps} steps, god {god}"
                );
            }
        }
    }

    #[test]
    fn wide_grids_cross_words() {
        for (seed, (width, height)) in (0..).zip([(300, 5), (5, 300), (129, 130), (600, 1)]) {
            let map = map(width, height, seed);
            for (steps, god) in [(0, true), (5, false), (140, true)] {
                let instance = asked(&map, steps, god);
                let grid = Grid::of(&instance.graph).expect("a grid");
                let starts = [map.start(0), 0, 127, 128];
                let found = answer(&instance, wide::Wide::new(&instance, grid), &starts);
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

    /// [`narrow::Narrow`] on portable lanes, whatever the machine has.
    struct PortableNarrow<'a>(narrow::Narrow<'a>);

    impl<'a> PortableNarrow<'a> {
        fn new(instance: &'a Instance, grid: Grid) -> Self {
            Self(narrow::Narrow::new(instance, grid))
        }
    }

    impl Kernel for PortableNarrow<'_> {
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
                .answer_with::<Portable>((), start, reachable, god_free, search.deadline)
                .map(drop)
        }
    }
}
