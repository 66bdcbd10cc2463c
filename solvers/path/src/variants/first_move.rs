//! `first-move`: a compressed path database, the first move from each cell to each other.
//!
//! A row of the table holds, for one cell, a first move to every cell of its connected part (Botea 2011). Cells are numbered
//! depth first along legal steps, so that cells with the same first move follow each other, and a row is kept as runs
//! (Strasser, Botea and Harabor 2015). Where several first moves are shortest, a run takes the one that carries it furthest. A query
//! is a look-up for each step and no search.
//!
//! *The path is shortest:* no step is free, so each first move of a shortest path shortens the rest by its own cost.

use std::ops::Range;
use std::sync::Arc;

use ikeru_core::{Deadline, Refusal, Settings, Ticker, Variant, skip};

use super::batch::solver;
use super::dense::board::DenseMap;
use super::dense::canonical::NOWHERE;
use super::dense::first_moves::FirstMoves;
use super::finder::{Finder, Prepared, QueryWork, Stopped};
use crate::GridPath;
use crate::answer::Answer;
use crate::cost::Guarantee;
use crate::instance::{Instance, Query};
use crate::map::{Cell, Heading, ROWS_PER_LOOK};

/// `first-move`.
pub const FIRST_MOVE: Variant<GridPath> = Variant {
    name: "first-move",
    about: "a table of the first move from each cell to each other, its rows compressed to runs: a look-up for each step, no search",
    source: "Strasser, Botea and Harabor 2015, Compressing optimal paths with run length encoding",
    exact: true,
    version: 1,
    settings: &[],
    prepare,
};

/// Open cells at most: the table is made by a search from each.
const MOST_OPEN: usize = 50_000;

/// Cells of the map at most: each of these searches clears as many.
const MOST_CELLS: usize = 1 << 22;

/// Runs that are kept at most: three quarters of a gibibyte.
const MOST_RUNS: usize = 1 << 28;

fn prepare<'a>(instance: &'a Instance, _: &Settings, deadline: Deadline) -> Prepared<'a> {
    let board = Arc::new(DenseMap::new(instance, true, deadline)?);
    let table = Arc::new(FirstMoveTable::new(instance, &board, deadline)?);
    Ok(solver(instance, move || FirstMove {
        board: board.clone(),
        table: table.clone(),
        offsets: board.offsets(),
        path: Vec::new(),
    }))
}

/// Open cells in depth-first order, so that each connected part is one range of numbers.
struct CellOrder {
    cells: Vec<Cell>,
    /// The number of each padded cell; of a blocked one it means nothing.
    numbers: Vec<u16>,
    /// The first number of each cell's connected part, by number.
    parts: Vec<u16>,
}

impl CellOrder {
    fn new(instance: &Instance, board: &DenseMap, ticker: &mut Ticker) -> Result<Self, Refusal> {
        if board.squares > MOST_CELLS {
            skip!(
                "a table of first moves is for maps of up to {MOST_CELLS} cells, this one has {}",
                board.squares
            );
        }
        let is_open = |cell: &Cell| instance.factor(*cell).is_some();
        let open = instance.map().cells().filter(is_open).count();
        if open > MOST_OPEN {
            skip!(
                "a table of first moves is for maps of up to {MOST_OPEN} open cells, this one has {open}"
            );
        }
        let mut order = Self {
            cells: Vec::new(),
            numbers: vec![u16::MAX; board.squares],
            parts: Vec::new(),
        };
        let mut stack = Vec::new();
        for cell in instance.map().cells() {
            if cell.x == 0 && ticker.passed() {
                return Err(Refusal::Timeout);
            }
            if is_open(&cell) && !order.has(board.square(cell)) {
                order.number_part(board, cell, &mut stack);
            }
        }
        Ok(order)
    }

    fn has(&self, square: usize) -> bool {
        self.numbers[square] != u16::MAX
    }

    /// Numbers all cells that can be reached from `root`. The stack holds cells with the steps that are left to try.
    fn number_part(&mut self, board: &DenseMap, root: Cell, stack: &mut Vec<(Cell, u8)>) {
        let part = self.cells.len() as u16;
        let mut next = Some(root);
        loop {
            if let Some(cell) = next.take() {
                let square = board.square(cell);
                self.numbers[square] = self.cells.len() as u16;
                self.cells.push(cell);
                self.parts.push(part);
                stack.push((cell, board.canonical(board.ground[square], NOWHERE)));
            }
            let Some((cell, steps)) = stack.last_mut() else {
                return;
            };
            if *steps == 0 {
                stack.pop();
                continue;
            }
            let ahead = cell.step(Heading(steps.trailing_zeros() as u8));
            *steps &= *steps - 1;
            if !self.has(board.square(ahead)) {
                next = Some(ahead);
            }
        }
    }

    /// The numbers of the connected part of a cell's number.
    fn part(&self, number: usize) -> Range<usize> {
        let first = self.parts[number];
        let after = self.parts.partition_point(|part| *part <= first);
        first.into()..after
    }
}

/// The first moves of all pairs, in runs of goals.
///
/// PERF: a look-up is a search among about 180 runs, 70 to 90 ns where the table is larger than the cache: on the published map arena2
/// (24,000 open cells, 13 MB, 20 s of preparation) a query takes a 14th of the time of `bucket` and three times that of `jps-bounds`.
struct FirstMoveTable {
    order: CellOrder,
    /// For each cell the first of its runs, and the end.
    rows: Vec<u32>,
    /// The number of the first goal of each run.
    goals: Vec<u16>,
    /// Its direction.
    moves: Vec<u8>,
}

impl FirstMoveTable {
    fn new(
        instance: &Instance,
        board: &Arc<DenseMap>,
        deadline: Deadline,
    ) -> Result<Self, Refusal> {
        let order = CellOrder::new(instance, board, &mut deadline.ticker(ROWS_PER_LOOK))?;
        let mut search = FirstMoves::new(board.clone())?;
        let mut ticker = deadline.ticker(1024);
        // From a cell to itself any move will do.
        let mut fitting = vec![u8::MAX; order.cells.len()];
        let mut table = Self {
            rows: vec![0],
            goals: Vec::new(),
            moves: Vec::new(),
            order,
        };
        for number in 0..table.order.cells.len() {
            let order = &table.order;
            search.from(order.cells[number], &mut ticker, |cell, directions| {
                fitting[usize::from(order.numbers[board.square(cell)])] = directions;
            })?;
            fitting[number] = u8::MAX;
            table.push_row(number, &fitting);
            if table.goals.len() > MOST_RUNS {
                skip!("the first moves of this map need more than three quarters of a gibibyte");
            }
        }
        Ok(table)
    }

    /// Appends the row of a cell: as few runs as there can be, each with a move that fits all of its goals.
    fn push_row(&mut self, number: usize, fitting: &[u8]) {
        let mut fits = 0;
        for goal in self.order.part(number) {
            if fits & fitting[goal] == 0 {
                if fits != 0 {
                    self.moves.push(fits.trailing_zeros() as u8);
                }
                self.goals.push(goal as u16);
                fits = fitting[goal];
            } else {
                fits &= fitting[goal];
            }
        }
        self.moves.push(fits.trailing_zeros() as u8);
        self.rows.push(self.goals.len() as u32);
    }

    /// The number of the cell with this padded number.
    #[inline]
    fn number(&self, square: usize) -> u16 {
        self.order.numbers[square]
    }

    /// The first move from one cell to another of its connected part, both by their numbers.
    #[inline]
    fn first_move(&self, from: u16, goal: u16) -> Heading {
        let first = self.rows[usize::from(from)] as usize;
        let end = self.rows[usize::from(from) + 1] as usize;
        let runs = self.goals[first..end].partition_point(|run| *run <= goal);
        // The first run begins with the first goal.
        Heading(self.moves[first + runs - 1])
    }

    fn bytes(&self) -> u64 {
        let CellOrder {
            cells,
            numbers,
            parts,
        } = &self.order;
        let order = size_of_val(&**cells) + size_of_val(&**numbers) + size_of_val(&**parts);
        let runs = size_of_val(&*self.goals) + size_of_val(&*self.moves);
        (order + size_of_val(&*self.rows) + runs) as u64
    }
}

struct FirstMove {
    board: Arc<DenseMap>,
    table: Arc<FirstMoveTable>,
    offsets: [isize; 8],
    path: Vec<Cell>,
}

impl Finder for FirstMove {
    fn find(
        &mut self,
        query: Query,
        answer: &mut Answer,
        work: &mut QueryWork,
    ) -> Result<(), Stopped> {
        let (board, table) = (&*self.board, &*self.table);
        let mut square = board.square(query.start);
        let goal = table.number(board.square(query.goal));
        let parts = &table.order.parts;
        if parts[usize::from(table.number(square))] != parts[usize::from(goal)] {
            answer.push_none();
            return Ok(());
        }
        self.path.clear();
        let (mut here, mut along) = (query.start, None);
        while here != query.goal {
            if work.ticker.passed() {
                return Err(Stopped::OutOfTime);
            }
            work.counts.expansions += 1;
            let direction = table.first_move(table.number(square), goal);
            // Over mixed ground a path is listed cell by cell.
            if !board.is_uniform || along != Some(direction) {
                self.path.push(here);
            }
            along = Some(direction);
            here = here.step(direction);
            square = square.wrapping_add_signed(self.offsets[usize::from(direction.0)]);
        }
        self.path.push(here);
        answer.push_path(self.path.iter().copied(), board.length(&self.path));
        Ok(())
    }

    fn table_bytes(&self) -> u64 {
        self.board.bytes() + self.table.bytes()
    }

    fn guarantee(&self) -> Guarantee {
        self.board.guarantee
    }
}
