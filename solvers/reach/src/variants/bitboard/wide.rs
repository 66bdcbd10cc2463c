//! Grids of any size: half rows of 64-bit words, walked in a window that grows with the steps.

use ikeru_core::Search;

use super::{EAST, NORTH, SOUTH, Square, StepWindow, WEST, edges, meetings};
use crate::answer::insert;
use crate::colouring::from_and_to;
use crate::graph::Vertex;
use crate::grid::GridShape;
use crate::instance::Instance;
use crate::variants::{Sets, StartKernel, TimeIsUp};

pub struct WideRows<'a> {
    instance: &'a Instance,
    grid: GridShape,
    /// Words in a row, an empty one at either end included, so that shifts need no special case.
    row_words: usize,
    /// By colour: squares from which an edge leads each way.
    masks: [Board; 2],
    /// By colour and holder. Empty outside of the window last walked.
    boards: [Vec<Board>; 2],
    /// The window that the boards are not empty in.
    dirty: Option<StepWindow>,
}

/// The four words of a place, one per direction, for every word of every row; an empty row above
/// and below.
type Board = Vec<[u64; 4]>;

impl<'a> WideRows<'a> {
    pub fn new(instance: &'a Instance, grid: GridShape) -> Self {
        let row_words = grid.width.div_ceil(2).div_ceil(64) + 2;
        let empty: Board = vec![[0; 4]; row_words * (grid.height + 2)];
        let mut masks = [empty.clone(), empty.clone()];
        edges(&instance.graph, grid, |row, first, colour, ways| {
            let mask = &mut masks[colour][(row + 1) * row_words + first / 64 + 1];
            for (mask, squares) in mask.iter_mut().zip(ways) {
                *mask |= squares << (first % 64);
            }
        });
        let boards = vec![empty; instance.question.holders()];
        Self {
            instance,
            grid,
            row_words,
            masks,
            boards: [boards.clone(), boards],
            dirty: None,
        }
    }

    fn clear(&mut self) {
        let Some(window) = self.dirty.take() else {
            return;
        };
        for board in self.boards.iter_mut().flatten() {
            for row in window.rows.clone() {
                let first = (row + 1) * self.row_words + 1;
                board[first + window.words.start..first + window.words.end].fill([0; 4]);
            }
        }
    }

    /// One step from squares of `colour` into the window.
    fn advance(&mut self, colour: usize, window: &StepWindow, holder: usize) {
        let row_words = self.row_words;
        let edges = &self.masks[1 - colour];
        let (from, to) = from_and_to(&mut self.boards, colour);
        let (from, to) = (&from[holder], &mut to[holder]);
        for row in window.rows.clone() {
            // Whether this row's squares stand on odd columns.
            let odd = (colour + row) % 2 == 1;
            for word in window.words.clone() {
                let at = (row + 1) * row_words + word + 1;
                let [east, west, north, south] = from[at];
                let vertical = north | south;
                let (mut eastward, mut westward) = (east | vertical, west | vertical);
                if odd {
                    let [east, _, north, south] = from[at - 1];
                    eastward = eastward << 1 | (east | north | south) >> 63;
                } else {
                    let [_, west, north, south] = from[at + 1];
                    westward = westward >> 1 | (west | north | south) << 63;
                }
                let [east, west, _, south] = from[at - row_words];
                let southward = south | east | west;
                let [east, west, north, _] = from[at + row_words];
                let northward = north | east | west;
                let edge = &edges[at];
                let next = &mut to[at];
                next[EAST] = eastward & edge[WEST];
                next[WEST] = westward & edge[EAST];
                next[NORTH] = northward & edge[SOUTH];
                next[SOUTH] = southward & edge[NORTH];
            }
        }
    }

    /// Where walks meet players, the god changes hands.
    fn hand_over(&mut self, colour: usize) {
        for meeting in meetings(self.grid, &self.instance.question.others) {
            if meeting.square.colour != colour {
                continue;
            }
            let at = place(self.row_words, meeting.square);
            let here = 1 << (meeting.square.bit % 64);
            let boards = &mut self.boards[colour];
            for way in 0..4 {
                let gives = boards[0][at][way] & here;
                boards[0][at][way] &= !here;
                for holder in 1..boards.len() {
                    if meeting.players >> holder & 1 == 1 {
                        let takes = boards[holder][at][way] & here;
                        boards[holder][at][way] &= !here;
                        boards[0][at][way] |= takes;
                    }
                }
                boards[meeting.lowest][at][way] |= gives;
            }
        }
    }

    /// Adds the squares of a board to a row of bits over vertices.
    fn unpack(&self, colour: usize, window: &StepWindow, holder: usize, out: &mut [u64]) {
        let board = &self.boards[colour][holder];
        for row in window.rows.clone() {
            let odd = (colour + row) % 2;
            for word in window.words.clone() {
                let ways = board[(row + 1) * self.row_words + word + 1];
                let mut left = ways[EAST] | ways[WEST] | ways[NORTH] | ways[SOUTH];
                while left != 0 {
                    let bit = left.trailing_zeros() as usize;
                    left &= left - 1;
                    let column = 2 * (64 * word + bit) + odd;
                    insert(out, (row * self.grid.width + column) as Vertex);
                }
            }
        }
    }
}

/// The index of a square in a board.
fn place(row_words: usize, square: Square) -> usize {
    (square.row + 1) * row_words + square.bit / 64 + 1
}

impl StartKernel for WideRows<'_> {
    fn answer(&mut self, start: Vertex, sets: Sets, search: &mut Search) -> Result<(), TimeIsUp> {
        let Sets {
            reachable,
            god_free,
        } = sets;
        let question = &self.instance.question;
        let (steps, holders) = (question.steps, question.holders());
        let square = Square::of(self.grid, start);
        self.clear();
        let from = self.grid.place(start);
        let window = StepWindow::of(self.grid, from, steps);
        self.dirty = Some(window.clone());
        let board = &mut self.boards[square.colour][question.holder().unwrap_or(0)];
        // Arrived in two directions: every exit is free.
        let here = &mut board[place(self.row_words, square)];
        here[EAST] = 1 << (square.bit % 64);
        here[NORTH] = here[EAST];
        let mut colour = square.colour;
        let (mut rows, mut words) = (0, 0);
        for step in 0..steps {
            let window = StepWindow::of(self.grid, from, step + 1);
            rows += holders * window.rows.len();
            words += holders * window.rows.len() * 4 * window.words.len();
            for holder in 0..holders {
                self.advance(colour, &window, holder);
            }
            colour ^= 1;
            if question.holder().is_some() {
                self.hand_over(colour);
            }
            if search.deadline.passed() {
                return Err(TimeIsUp);
            }
        }
        search.counters.add("words", words as u64);
        search.counters.add("rows", rows as u64);
        self.unpack(colour, &window, 0, reachable);
        if let Some(god_free) = god_free {
            for holder in 1..holders {
                self.unpack(colour, &window, holder, god_free);
            }
            for (all, elsewhere) in reachable.iter_mut().zip(god_free) {
                *all |= *elsewhere;
            }
        }
        Ok(())
    }

    fn table_bytes(&self) -> u64 {
        self.masks
            .iter()
            .chain(self.boards.iter().flatten())
            .map(|board| size_of_val(board.as_slice()) as u64)
            .sum()
    }
}
