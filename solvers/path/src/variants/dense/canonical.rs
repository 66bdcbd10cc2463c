//! Canonical neighbours: the steps that a search has to take from a cell.
//!
//! On mixed ground these are all legal steps; `jps-weighted` compares costs there too. If a cell and its neighbours have
//! the same factor, a step is left out if a path through another neighbour of the predecessor is cheaper, or equally
//! cheap and earlier in the canonical order, diagonal steps first (Harabor and Grastien 2011; Sturtevant and Rabin
//! 2016). The natural and the forced neighbours remain. The table is computed by trying all paths of one and two steps
//! in each of the 256 neighbourhoods, so it is valid for every rule of corner cutting.

use std::sync::OnceLock;

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
    ///
    /// PERF: computed once in a process: 1.3 million instructions, most of the preparation of a map of 64×64.
    pub fn of_rule(moves: StepRules) -> &'static Self {
        static TABLES: [OnceLock<CanonicalNeighbours>; 6] = [const { OnceLock::new() }; 6];
        let rule = 2 * moves.corners as usize + usize::from(moves.diagonal);
        TABLES[rule].get_or_init(|| Self::new(moves))
    }

    fn new(moves: StepRules) -> Self {
        let mut table = Box::new([[0; 512]; 9]);
        for mask in 0..=255_u8 {
            let (alike, mixed) = (usize::from(mask), usize::from(u16::from(mask) | MIXED));
            let steps = Neighbourhood::uniform(moves, mask).steps();
            for (row, alike_steps) in table.iter_mut().zip(steps) {
                row[alike] = alike_steps;
                row[mixed] = steps[NOWHERE];
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
#[derive(Debug, Clone, Copy)]
pub struct Neighbourhood {
    /// The rules of steps.
    pub moves: StepRules,
    /// The neighbours that can be entered, one bit for each direction.
    pub mask: u8,
    /// The costs of a straight and of a diagonal step onto the neighbour in each direction and, last, onto the cell.
    pub prices: [[u32; 2]; 9],
}

impl Neighbourhood {
    /// Ground of one factor. Fifths order paths of two steps correctly under both kinds of costs.
    fn uniform(moves: StepRules, mask: u8) -> Self {
        let prices = [[5, 7]; 9];
        Self {
            moves,
            mask,
            prices,
        }
    }

    /// The steps to take after arriving in each direction and at a start.
    pub fn steps(&self) -> [u8; NOWHERE + 1] {
        let mut steps = [0; NOWHERE + 1];
        for direction in Heading::ALL {
            if self.legal((0, 0), direction) {
                for (steps, arrival) in steps.iter_mut().zip(0..) {
                    let taken =
                        usize::from(arrival) == NOWHERE || !self.dominated(arrival, direction);
                    *steps |= u8::from(taken) << direction.0;
                }
            }
        }
        steps
    }

    fn free(&self, cell: (i32, i32)) -> bool {
        place(cell).is_some_and(|at| at == CENTRE || self.mask >> at & 1 == 1)
    }

    /// The cost of a step in `direction` onto `cell`, one of the nine.
    fn onto(&self, cell: (i32, i32), direction: Heading) -> u64 {
        let prices = self.prices[place(cell).unwrap_or(CENTRE)];
        u64::from(prices[usize::from(direction.is_diagonal())])
    }

    fn legal(&self, (x, y): (i32, i32), direction: Heading) -> bool {
        self.moves.legal(direction, |side| {
            let (dx, dy) = side.offset();
            self.free((x + i32::from(dx), y + i32::from(dy)))
        })
    }

    /// Returns whether the step `direction` after arriving by `arrival` can be left out: another path that avoids
    /// this cell is cheaper, or equally cheap and earlier in the canonical order.
    fn dominated(&self, arrival: u8, direction: Heading) -> bool {
        let (dx, dy) = Heading(arrival).offset();
        let predecessor = (-i32::from(dx), -i32::from(dy));
        let target = after((0, 0), direction);
        if target == predecessor {
            return true;
        }
        let here = self.onto((0, 0), Heading(arrival)) + self.onto(target, direction);
        let straight_first = !Heading(arrival).is_diagonal();
        Heading::ALL.into_iter().any(|first| {
            let middle = after(predecessor, first);
            if middle == (0, 0) || !self.legal(predecessor, first) {
                return false;
            }
            if middle == target {
                return self.onto(target, first) < here;
            }
            let Some(second) = Heading::of(target.0 - middle.0, target.1 - middle.1) else {
                return false;
            };
            let other = self.onto(middle, first) + self.onto(target, second);
            let canonical = first.is_diagonal() && straight_first;
            (other < here || other == here && canonical) && self.legal(middle, second)
        })
    }
}

fn after((x, y): (i32, i32), direction: Heading) -> (i32, i32) {
    let (dx, dy) = direction.offset();
    (x + i32::from(dx), y + i32::from(dy))
}

/// The place of the cell itself in [`Neighbourhood::prices`].
const CENTRE: usize = 8;

/// The direction of a neighbour, or [`CENTRE`]; `None` if the cell is not one of the nine.
fn place((x, y): (i32, i32)) -> Option<usize> {
    let inside = x.abs() <= 1 && y.abs() <= 1;
    inside.then(|| [7, 0, 1, 6, CENTRE, 2, 5, 4, 3][(3 * y + x + 4) as usize])
}
