//! Generators of fields: random fields, and fields that are one long chain. The parameters that other problems use
//! too, the board's size and the colours, are declared here.

use ikeru_core::{
    Generator, InputError, Random, Settings, generators, input_error, refuse, settings,
};

use crate::Simulation;
use crate::board::{Board, Cell, PuyoColour, Size};
use crate::fields::FieldList;
use crate::simulate::{self, bitboard::groups_of_four};

settings! {
    /// Columns of the board, of every generator.
    pub WIDTH: usize = "width", Size::THESIS.width(), 2..=Size::MAX_WIDTH, "columns of the board";
    /// Rows of the board, of every generator.
    pub HEIGHT: usize = "height", Size::THESIS.height(), 2..=Size::MAX_HEIGHT, "rows of the board";
    /// Colours in play, of every generator.
    pub COLOURS: usize = "colours", 4, 1..=PuyoColour::COUNT, "colours of puyos";
    /// The guarantee of a sequence, of the generators of games.
    pub GUARANTEE: usize = "guarantee", 0, 0..=100, "turns in a row after which a missing colour is in the next piece; 0: colours are independent";
    FIELDS: usize = "fields", 1, 1..=100_000, "how many fields";
    STONES: Option<usize> = "stones", 0..=Size::MAX_WIDTH * Size::MAX_HEIGHT, "puyos on the board; all cells if not given";
    GARBAGE: f64 = "garbage", 0.0, 0.0..=1.0, "share of the puyos that are garbage";
    STEPS: usize = "steps", 19, 1..=30, "steps of the chain";
    COPIES: usize = "copies", 1, 1..=100_000, "how often the field is there; for timing a single field";
}

/// Every generator.
pub const ALL: &[Generator<Simulation>] = generators! {
    "chain.random-field" (FIELDS WIDTH HEIGHT STONES COLOURS GARBAGE) random_fields, "Puyos of random colours over random columns.";
    "chain.long-chain" (STEPS WIDTH HEIGHT COLOURS COPIES) long_chains, "A field that is one chain of groups of four, grown backwards.";
};

fn long_chains(parameters: &Settings, random: &mut Random) -> Result<FieldList, InputError> {
    let (size, colours) = (board_size(parameters)?, parameters.get(&COLOURS)?);
    let field = long_chain(random, size, parameters.get(&STEPS)?, colours)?;
    Ok(FieldList::of(vec![field; parameters.get(&COPIES)?]))
}

fn random_fields(parameters: &Settings, random: &mut Random) -> Result<FieldList, InputError> {
    let (size, colours) = (board_size(parameters)?, parameters.get(&COLOURS)?);
    let stones = parameters.get(&STONES.within(0..=size.cells() as i64))?;
    let stones = stones.unwrap_or(size.cells());
    let garbage = parameters.get(&GARBAGE)?;
    let field = |_| random_field(random, size, stones, colours, garbage);
    Ok(FieldList::of(
        (0..parameters.get(&FIELDS)?).map(field).collect(),
    ))
}

/// The size that `parameters` give.
///
/// # Errors
/// A width or a height that no board has.
pub fn board_size(parameters: &Settings) -> Result<Size, InputError> {
    Size::new(parameters.get(&WIDTH)?, parameters.get(&HEIGHT)?)
}

/// A settled field of `stones` puyos in the first `colours` colours, each dropped onto a random column that is not
/// full. Each puyo is replaced by garbage with probability `garbage`.
///
/// # Panics
/// When `colours` is 0 or there are more stones than cells.
pub fn random_field(
    random: &mut Random,
    size: Size,
    stones: usize,
    colours: usize,
    garbage: f64,
) -> Board {
    let mut board = Board::empty(size);
    for _ in 0..stones {
        let open: Vec<usize> = (0..size.width())
            .filter(|&column| usize::from(board.heights()[column]) < size.height())
            .collect();
        let column = open[random.index(open.len())];
        let cell = if garbage > 0.0 && random.chance(garbage) {
            Cell::Garbage
        } else {
            random_puyo(random, colours)
        };
        board.drop(column, cell);
    }
    board
}

/// A settled field of `stones` puyos in the first `colours` colours in which nothing vanishes.
///
/// # Errors
/// When 1000 tries find no place and colour for the next puyo at which nothing vanishes.
///
/// # Panics
/// When `colours` is 0.
pub fn stable_field(
    random: &mut Random,
    size: Size,
    stones: usize,
    colours: usize,
) -> Result<Board, InputError> {
    const TRIES: usize = 1000;
    let mut board = Board::empty(size);
    for stone in 0..stones {
        let next = (0..TRIES).find_map(|_| {
            let column = random.index(size.width());
            let puyo = random_puyo(random, colours);
            if usize::from(board.heights()[column]) == size.height() {
                return None;
            }
            let mut next = board;
            next.drop(column, puyo);
            (simulate::resolve(&mut next).steps == 0).then_some(next)
        });
        board = next.ok_or_else(|| {
            input_error!(
                "no stable field of {stones} puyos in {colours} colours on a {size} board: \
                 puyo {} finds no place",
                stone + 1
            )
        })?;
    }
    Ok(board)
}

fn random_puyo(random: &mut Random, colours: usize) -> Cell {
    PuyoColour::new(random.index(colours)).map_or(Cell::Garbage, Cell::Puyo)
}

/// A field that is one chain of `steps` steps of four puyos each. It is built backwards: each new group is inserted
/// under the puyos that will fall when it vanishes.
///
/// The search is a beam search over fields with the same number of steps. A field enters the next generation if exactly
/// four puyos vanish first and the chain has the right number of steps and clears the field.
///
/// # Errors
/// When the board has fewer than `4·steps` cells, or when no such field is found.
pub fn long_chain(
    random: &mut Random,
    size: Size,
    steps: usize,
    colours: usize,
) -> Result<Board, InputError> {
    const RESTARTS: usize = 100;
    if 4 * steps > size.cells() {
        refuse!(
            "a chain of {steps} steps needs {} cells, a {size} board has {}",
            4 * steps,
            size.cells()
        );
    }
    (0..RESTARTS)
        .find_map(|_| grow_chain(random, size, steps, colours))
        .ok_or_else(|| {
            input_error!("no chain of {steps} steps found on a {size} board in {colours} colours")
        })
}

fn grow_chain(random: &mut Random, size: Size, steps: usize, colours: usize) -> Option<Board> {
    const BEAM: usize = 64;
    const TRIES: usize = 100_000;
    let mut fields = vec![Board::empty(size)];
    for step in 1..=steps {
        let mut longer = Vec::with_capacity(BEAM);
        for _ in 0..TRIES {
            let field = &fields[random.index(fields.len())];
            let next = with_group(random, field, colours).filter(|next| is_chain(next, step));
            longer.extend(next);
            if longer.len() == BEAM {
                break;
            }
        }
        if longer.is_empty() {
            return None;
        }
        fields = longer;
    }
    fields.first().copied()
}

/// Returns whether the field is one chain of `steps` steps that begins with exactly four puyos and leaves none.
fn is_chain(field: &Board, steps: usize) -> bool {
    // PERF: nearly all fields fail here, at a twentieth of the cost of simulating their chain.
    let groups = PuyoColour::all().map(|colour| groups_of_four(field.plane(colour)));
    if groups.fold(0, |all, group| all | group).count_ones() != 4 {
        return false;
    }
    let mut rest = *field;
    let chain = simulate::resolve(&mut rest);
    chain.steps as usize == steps && rest.stones() == 0
}

/// The field with a random connected group of four inserted and the puyos above it lifted; `None` if it does not fit.
fn with_group(random: &mut Random, field: &Board, colours: usize) -> Option<Board> {
    let size = field.size();
    let mut group = [(random.index(size.width()), random.index(size.height())); 4];
    let mut cells = 1;
    while cells < group.len() {
        let (column, row) = group[random.index(cells)];
        let next = match random.index(4) {
            0 => (column.wrapping_sub(1), row),
            1 => (column + 1, row),
            2 => (column, row.wrapping_sub(1)),
            _ => (column, row + 1),
        };
        if next.0 >= size.width() || next.1 >= size.height() {
            return None;
        }
        if !group[..cells].contains(&next) {
            group[cells] = next;
            cells += 1;
        }
    }
    // Inserted from the bottom, so that the rows are those of the field with the whole group.
    group.sort_by_key(|&(_, row)| row);
    let puyo = random_puyo(random, colours);
    let mut field = *field;
    let mut cells = group.iter();
    let fits = cells.all(|&(column, row)| insert(&mut field, column, row, puyo));
    fits.then_some(field)
}

/// Inserts `cell` at (`column`, `row`) and lifts the puyos above it; returns false if it does not fit.
fn insert(board: &mut Board, column: usize, row: usize, cell: Cell) -> bool {
    let height = usize::from(board.heights()[column]);
    if row > height || height == board.size().height() {
        return false;
    }
    // The rows of the column from `row` on. The topmost is empty.
    let from = Board::bit(column, board.size().height()) - Board::bit(column, row);
    for plane in &mut board.planes {
        let above = *plane & from;
        *plane += above;
    }
    board.set(column, row, cell);
    true
}
