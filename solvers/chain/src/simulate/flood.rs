//! The naive simulator: a flood fill from every cell of an array of cells.

use crate::board::{Board, Cell, Size};
use crate::simulate::{Chain, FloodWork, missing};

/// The number of connected puyos from which a group vanishes.
const GROUP: usize = 4;

/// Simulates the chain.
pub fn resolve(board: &mut Board) -> Chain {
    resolve_counted(board, &mut FloodWork::default())
}

/// Simulates the chain and adds its work to `work`.
pub fn resolve_counted(board: &mut Board, work: &mut FloodWork) -> Chain {
    let mut grid = CellArray::of(board);
    let mut chain = Chain::default();
    grid.go_on(&mut chain);
    if chain.steps > 0 {
        *board = grid.board();
    }
    work.add(grid.work);
    chain
}

/// The board that is left after `group` vanishes, and the chain. See [`Simulator::fire`](crate::simulate::Simulator).
pub(crate) fn fire(board: &Board, group: u128) -> (Board, Chain) {
    let mut grid = CellArray::of(board);
    let mut chain = Chain::default();
    let cells = board.size().iter();
    let cells = cells.filter(|&(column, row)| group & Board::bit(column, row) != 0);
    let cleared = grid.clear(cells.collect());
    chain.push(cleared + missing(group));
    grid.go_on(&mut chain);
    (grid.board(), chain)
}

/// A board as an array of cells.
struct CellArray {
    size: Size,
    cells: [[Cell; Size::MAX_HEIGHT]; Size::MAX_WIDTH],
    work: FloodWork,
}

impl CellArray {
    fn of(board: &Board) -> Self {
        let mut cells = [[Cell::Empty; Size::MAX_HEIGHT]; Size::MAX_WIDTH];
        for (column, row) in board.size().iter() {
            cells[column][row] = board.cell(column, row);
        }
        Self {
            size: board.size(),
            cells,
            work: FloodWork::default(),
        }
    }

    fn board(&self) -> Board {
        let mut board = Board::empty(self.size);
        for (column, row) in self.size.iter() {
            board.set(column, row, self.cells[column][row]);
        }
        board
    }

    /// Simulates steps until no group vanishes and appends each step to `chain`.
    fn go_on(&mut self, chain: &mut Chain) {
        loop {
            let vanishing = self.vanishing();
            if vanishing.is_empty() {
                return;
            }
            chain.push(self.clear(vanishing));
        }
    }

    /// Removes `vanishing` and the adjacent garbage and drops the rest; returns the number of removed puyos.
    fn clear(&mut self, vanishing: Vec<(usize, usize)>) -> u32 {
        let mut cleared = 0;
        for (column, row) in vanishing {
            cleared += u32::from(self.cells[column][row] != Cell::Empty);
            self.cells[column][row] = Cell::Empty;
            for (column, row) in neighbours(self.size, column, row) {
                if self.cells[column][row] == Cell::Garbage {
                    self.cells[column][row] = Cell::Empty;
                    cleared += 1;
                }
            }
        }
        self.fall();
        cleared
    }

    /// The cells of all groups that are large enough to vanish.
    fn vanishing(&mut self) -> Vec<(usize, usize)> {
        let mut seen = [[false; Size::MAX_HEIGHT]; Size::MAX_WIDTH];
        let mut vanishing = Vec::new();
        let mut work = FloodWork {
            cells: self.size.iter().count() as u64,
            ..FloodWork::default()
        };
        for (column, row) in self.size.iter() {
            if !seen[column][row] && matches!(self.cells[column][row], Cell::Puyo(_)) {
                let group = self.group(column, row, &mut seen);
                work.groups += 1;
                work.puyos += group.len() as u64;
                if group.len() >= GROUP {
                    vanishing.extend(group);
                }
            }
        }
        self.work.add(work);
        vanishing
    }

    /// The cells of the group of (`column`, `row`); marks them as seen.
    fn group(
        &self,
        column: usize,
        row: usize,
        seen: &mut [[bool; Size::MAX_HEIGHT]; Size::MAX_WIDTH],
    ) -> Vec<(usize, usize)> {
        let colour = self.cells[column][row];
        seen[column][row] = true;
        let mut group = vec![(column, row)];
        let mut next = 0;
        while let Some(&(column, row)) = group.get(next) {
            next += 1;
            for (column, row) in neighbours(self.size, column, row) {
                if !seen[column][row] && self.cells[column][row] == colour {
                    seen[column][row] = true;
                    group.push((column, row));
                }
            }
        }
        group
    }

    fn fall(&mut self) {
        for column in &mut self.cells {
            let mut height = 0;
            for row in 0..self.size.height() {
                if column[row] != Cell::Empty {
                    column.swap(height, row);
                    height += 1;
                }
            }
        }
    }
}

/// The cells adjacent to (`column`, `row`) on a board of `size`.
fn neighbours(size: Size, column: usize, row: usize) -> impl Iterator<Item = (usize, usize)> {
    let beside = [
        (column.wrapping_sub(1), row),
        (column + 1, row),
        (column, row.wrapping_sub(1)),
        (column, row + 1),
    ];
    beside
        .into_iter()
        .filter(move |&(column, row)| column < size.width() && row < size.height())
}
