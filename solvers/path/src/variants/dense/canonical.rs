//! Canonical neighbours: the steps that a search has to take from a cell.
//!
//! On mixed ground these are all legal steps. If a cell and its neighbours have the same factor, a step is left out
//! if a path through another neighbour of the predecessor is cheaper, or equally cheap and earlier in the canonical
//! order, diagonal steps first (Harabor and Grastien 2011; Sturtevant and Rabin 2016). The natural and the forced
//! neighbours remain. The table is computed by trying all paths of one and two steps in each of the 256
//! neighbourhoods, so it is valid for every rule of corner cutting.

use crate::map::Heading;
use crate::question::StepRules;

/// The direction of arrival at a start, which has no predecessor.
pub const NOWHERE: usize = 8;

/// The bit of a neighbourhood whose open cells differ in factor or whose cell has factor 0.
pub const MIXED: u16 = 256;

/// The bits of a neighbourhood: a neighbour in each direction, and [`MIXED`].
const AROUND: u16 = 511;

/// The canonical neighbours by direction of arrival (or [`NOWHERE`]) and neighbourhood, one bit for each direction.
#[derive(Debug)]
pub struct CanonicalNeighbours(Box<[[u8; 512]; 9]>);

impl CanonicalNeighbours {
    /// The table for a rule of legal steps.
    pub fn new(moves: StepRules) -> Self {
        let mut table = Box::new([[0; 512]; 9]);
        let others = [0, 1, 2, 3, 4, 5, 6, 7]
            .map(|arrival| Heading::ALL.map(|direction| Others::new(arrival, direction)));
        for mask in 0..=255_u8 {
            let (alike, mixed) = (usize::from(mask), usize::from(u16::from(mask) | MIXED));
            let around = Neighbourhood { moves, mask };
            let legal = Heading::ALL
                .into_iter()
                .filter(|d| around.legal((0, 0), *d));
            for direction in legal {
                for arrival in 0..=NOWHERE {
                    table[arrival][mixed] |= 1 << direction.0;
                    if arrival == NOWHERE
                        || !around.dominated(&others[arrival][usize::from(direction.0)])
                    {
                        table[arrival][alike] |= 1 << direction.0;
                    }
                }
            }
        }
        Self(table)
    }

    /// The steps to take from a cell of this ground after arriving in direction `arrival`.
    #[inline]
    pub fn of(&self, ground: u16, arrival: usize) -> u8 {
        self.0[arrival][usize::from(ground & AROUND)]
    }

    /// The size of the table in bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.0)
    }
}

/// A free cell with its eight neighbours; coordinates are relative to it.
struct Neighbourhood {
    moves: StepRules,
    mask: u8,
}

impl Neighbourhood {
    fn free(&self, (x, y): (i32, i32)) -> bool {
        (x, y) == (0, 0)
            || Heading::of(x, y).is_some_and(|direction| self.mask >> direction.0 & 1 == 1)
    }

    fn legal(&self, (x, y): (i32, i32), direction: Heading) -> bool {
        self.moves.legal(direction, |side| {
            let (dx, dy) = side.offset();
            self.free((x + i32::from(dx), y + i32::from(dy)))
        })
    }

    /// Returns whether the last step of these paths can be left out: one of the others is legal here.
    fn dominated(&self, others: &Others) -> bool {
        others.back
            || others.paths.iter().any(|(first, second)| {
                let middle = after(others.predecessor, *first);
                self.legal(others.predecessor, *first)
                    && second.is_none_or(|second| self.legal(middle, second))
            })
    }
}

/// The paths of one or two steps from the predecessor of a cell to the target of a step that are cheaper than the path
/// through the cell, or equally cheap and earlier in the canonical order.
struct Others {
    predecessor: (i32, i32),
    /// The target is the predecessor.
    back: bool,
    paths: Vec<(Heading, Option<Heading>)>,
}

impl Others {
    fn new(arrival: u8, direction: Heading) -> Self {
        let (dx, dy) = Heading(arrival).offset();
        let predecessor = (-i32::from(dx), -i32::from(dy));
        let target = after((0, 0), direction);
        let here = cost(Heading(arrival)) + cost(direction);
        let straight_first = !Heading(arrival).is_diagonal();
        let mut paths = Vec::new();
        for first in Heading::ALL {
            let middle = after(predecessor, first);
            if middle == (0, 0) {
                continue;
            }
            if middle == target {
                if cost(first) < here {
                    paths.push((first, None));
                }
                continue;
            }
            let canonical = first.is_diagonal() && straight_first;
            paths.extend(Heading::ALL.into_iter().filter_map(|second| {
                let other = cost(first) + cost(second);
                let fits =
                    after(middle, second) == target && (other < here || other == here && canonical);
                fits.then_some((first, Some(second)))
            }));
        }
        Self {
            predecessor,
            back: target == predecessor,
            paths,
        }
    }
}

fn after((x, y): (i32, i32), direction: Heading) -> (i32, i32) {
    let (dx, dy) = direction.offset();
    (x + i32::from(dx), y + i32::from(dy))
}

/// The cost of a step in fifths, which orders paths of two steps correctly under both kinds of costs.
fn cost(direction: Heading) -> u32 {
    if direction.is_diagonal() { 7 } else { 5 }
}
