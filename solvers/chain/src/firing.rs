//! Simulates a chain step by step, for referees and for pictures: cells keep their origins, and groups are found by a
//! recursive flood fill. It shares no code with any kernel.

use ikeru_core::{InputError, input_error};

use crate::board::{Board, Cell, PuyoColour};
use crate::simulate::Chain;

/// A cell as (column, row).
pub type Place = (usize, usize);

/// A chain, step by step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Firing {
    /// All steps.
    pub steps: Vec<FiringStep>,
    /// The field that is left.
    pub rest: Board,
}

/// One step of a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FiringStep {
    /// The board before it.
    pub before: Board,
    /// The groups that vanish.
    pub groups: Vec<PuyoGroup>,
    /// Cells of `before` that vanish, garbage included.
    pub vanishing: Vec<Place>,
    /// The cells of these puyos before the whole chain, in the same order.
    pub origins: Vec<Place>,
}

/// A group of four puyos or more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PuyoGroup {
    /// Its colour.
    pub colour: PuyoColour,
    /// The number of its puyos.
    pub puyos: usize,
}

impl Firing {
    /// Fires `board` and records every step.
    pub fn of(board: &Board) -> Self {
        let mut columns = FiringColumns::of(board);
        let mut steps = Vec::new();
        loop {
            let groups = columns.groups();
            let vanishing = columns.with_garbage(&groups);
            if vanishing.is_empty() {
                let rest = columns.board(board);
                return Self { steps, rest };
            }
            steps.push(FiringStep {
                before: columns.board(board),
                groups: groups.iter().map(|(group, _)| *group).collect(),
                origins: vanishing
                    .iter()
                    .map(|&place| columns.puyo(place).1)
                    .collect(),
                vanishing: vanishing.clone(),
            });
            columns.remove(&vanishing);
        }
    }

    /// The steps, the cleared puyos, and the attack by formula 6.1 as printed in the thesis.
    pub fn chain(&self) -> Chain {
        let n = self.steps.len();
        let counts = self.steps.iter().map(|step| step.vanishing.len());
        let extra: usize = (1..)
            .zip(counts.clone())
            .map(|(i, count)| i * (count - 4))
            .sum();
        Chain {
            steps: n as u32,
            cleared: counts.sum::<usize>() as u32,
            attack: (3 * n * n.saturating_sub(1) + extra) as u32,
        }
    }
}

/// Refuses a field on which something vanishes before a piece is placed.
///
/// # Errors
/// Gives the number of steps of the chain.
pub fn check_stable(field: &Board) -> Result<(), InputError> {
    match Firing::of(field).steps.len() {
        0 => Ok(()),
        steps => Err(input_error!(
            "the field fires a chain of {steps} as it stands, expected a stable one"
        )),
    }
}

/// The puyos of each column from the bottom, each with its original place.
struct FiringColumns(Vec<Vec<(Cell, Place)>>);

impl FiringColumns {
    fn of(board: &Board) -> Self {
        let size = board.size();
        let column = |x| {
            let cells = (0..size.height()).map(move |y| (board.cell(x, y), (x, y)));
            cells.filter(|(cell, _)| *cell != Cell::Empty).collect()
        };
        Self((0..size.width()).map(column).collect())
    }

    fn puyo(&self, (x, y): Place) -> (Cell, Place) {
        self.0[x][y]
    }

    fn colour(&self, (x, y): Place) -> Option<Cell> {
        self.0.get(x)?.get(y).map(|puyo| puyo.0)
    }

    fn board(&self, like: &Board) -> Board {
        let mut board = Board::empty(like.size());
        for (x, column) in self.0.iter().enumerate() {
            for (y, &(cell, _)) in column.iter().enumerate() {
                board.set(x, y, cell);
            }
        }
        board
    }

    /// Groups of at least four, each with its places.
    fn groups(&self) -> Vec<(PuyoGroup, Vec<Place>)> {
        let mut groups: Vec<(PuyoGroup, Vec<Place>)> = Vec::new();
        for (x, column) in self.0.iter().enumerate() {
            for y in 0..column.len() {
                let Some(cell @ Cell::Puyo(colour)) = self.colour((x, y)) else {
                    continue;
                };
                if groups.iter().any(|(_, places)| places.contains(&(x, y))) {
                    continue;
                }
                let mut places = Vec::new();
                self.collect((x, y), cell, &mut places);
                let puyos = places.len();
                if puyos >= 4 {
                    groups.push((PuyoGroup { colour, puyos }, places));
                }
            }
        }
        groups
    }

    /// The places of `groups` and of the adjacent garbage, sorted.
    fn with_garbage(&self, groups: &[(PuyoGroup, Vec<Place>)]) -> Vec<Place> {
        let puyos = || groups.iter().flat_map(|(_, places)| places).copied();
        let beside = puyos().flat_map(beside);
        let garbage = beside.filter(|&place| self.colour(place) == Some(Cell::Garbage));
        let mut all: Vec<Place> = garbage.chain(puyos()).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    fn collect(&self, place: Place, colour: Cell, group: &mut Vec<Place>) {
        if self.colour(place) == Some(colour) && !group.contains(&place) {
            group.push(place);
            for next in beside(place) {
                self.collect(next, colour, group);
            }
        }
    }

    fn remove(&mut self, places: &[Place]) {
        for (x, column) in self.0.iter_mut().enumerate() {
            let mut y = 0..;
            column.retain(|_| y.next().is_none_or(|y| !places.contains(&(x, y))));
        }
    }
}

/// The four adjacent cells; a coordinate below 0 wraps to a number far beyond any board.
fn beside((x, y): Place) -> [Place; 4] {
    [
        (x.wrapping_sub(1), y),
        (x + 1, y),
        (x, y.wrapping_sub(1)),
        (x, y + 1),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::read_field;

    #[test]
    fn a_chain_of_two_told_step_by_step() {
        let field = read_field("R.....\nG.....\nG.....\nG.O...\nGRRRO.").expect("a field");
        let firing = Firing::of(&field);
        let [first, second] = &firing.steps[..] else {
            panic!("{} steps", firing.steps.len());
        };
        let red = |puyos| PuyoGroup {
            colour: PuyoColour::new(0).expect("a colour"),
            puyos,
        };
        assert_eq!((first.groups.len(), first.groups[0].puyos), (1, 4));
        assert_eq!(second.groups, [red(4)]);
        assert_eq!(first.vanishing, [(0, 0), (0, 1), (0, 2), (0, 3)]);
        assert_eq!(
            second.vanishing,
            [(0, 0), (1, 0), (2, 0), (2, 1), (3, 0), (4, 0)]
        );
        assert_eq!(
            second.origins,
            [(0, 4), (1, 0), (2, 0), (2, 1), (3, 0), (4, 0)]
        );
        assert_eq!(firing.rest, Board::empty(field.size()));
        assert!(check_stable(&firing.rest).is_ok());
        let error = check_stable(&field).expect_err("not stable").message;
        assert!(error.contains("a chain of 2 "), "{error}");
        let expected = Chain {
            steps: 2,
            cleared: 10,
            attack: 6 + 2 * 2,
        };
        assert_eq!(firing.chain(), expected);
    }
}
