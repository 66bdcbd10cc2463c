//! The match of a set of templates, incrementally: for search.
//!
//! The same numbers as [`crate::templates::matrix`], from three observations:
//!
//! 1. *Violation* is one bit per template. For every cell and colour, [`Constraints`] keeps the mask
//!    of templates that a stone of that colour there would rule out. Placing a stone is a row of
//!    ORs: templates in which another cell must equal it forbid the other colours there, templates
//!    in which it must differ forbid its own.
//! 2. Of a template that is not violated every hard pair of filled cells agrees, so that its sum
//!    depends on *which* cells are filled alone; on a settled board that is the column heights.
//!    [`HeightValues`] keeps the sums of a height vector, best template first.
//! 3. What the soft border takes away again is read off the pairs of equal neighbours.
//!
//! A clear changes everything: [`Constraints::of`] counts the resolved board again.

use ikeru_core::InputError;

use crate::board::{Board, Cell, PuyoColour, Size};
use crate::templates::Template;
use crate::templates::drawing::Extent;
use crate::templates::matrix::Stone;
use crate::templates::truth::Relation;

/// Bits of a plane: 16 per column.
const BITS: usize = 128;
/// The bit of a cell in every plane.
type CellBit = usize;
/// Per cell, a mask of templates.
type MaskByCell = [u32; BITS];

/// The most templates of a set: one bit each.
pub const MAX_TEMPLATES: usize = 32;
/// The most labels of a template that are bound by hard relations: one bit each.
pub const MAX_GROUPS: usize = 32;

/// A set of templates compiled for a board size.
pub struct Matcher {
    size: Size,
    count: usize,
    /// `equal[y][x]`: templates in which cells x and y must be the same colour.
    equal: Vec<MaskByCell>,
    /// `differ[y][x]`: templates in which they must differ.
    differ: Vec<MaskByCell>,
    /// Templates with a capital in a cell.
    capital: MaskByCell,
    templates: Vec<Compiled>,
    /// Σ |t| between the lowest h cells of column c and the lowest k of column d, c ≤ d, both orders
    /// counted: for the pair of columns, h and k a row of `count` sums. PERF: one row is one or two
    /// vectors, so that 21 additions of rows value a height vector for all templates.
    filled: Vec<i32>,
}

/// One template for fast questions.
struct Compiled {
    /// The plane of its capital cells.
    capitals: u128,
    capital_count: u32,
    /// Planes of labels with a hard relation.
    groups: Vec<u128>,
    /// Per group, a mask of the groups that must differ from it.
    differing: Vec<u32>,
    /// Σ |t|.
    total: i64,
    /// Border pairs of vertical neighbours by their lower cell; what a violation takes away.
    vertical: Border,
    /// Border pairs of horizontal neighbours by their left cell.
    horizontal: Border,
    /// Soft pairs that are no neighbours.
    distant: Vec<(CellBit, CellBit, i32)>,
    /// Border cells with the weight of their diagonal, for garbage.
    diagonal: Border,
}

struct Border {
    plane: u128,
    penalty: Box<[i32; BITS]>,
}

impl Border {
    fn new() -> Self {
        Self {
            plane: 0,
            penalty: Box::new([0; BITS]),
        }
    }

    fn add(&mut self, bit: CellBit, penalty: i32) {
        self.plane |= 1 << bit;
        self.penalty[bit] += penalty;
    }

    #[inline]
    fn taken(&self, violated: u128) -> i32 {
        bits(self.plane & violated)
            .map(|bit| self.penalty[bit])
            .sum()
    }
}

/// The set bits of a plane.
#[inline]
pub(crate) fn bits(mut plane: u128) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (plane != 0).then(|| {
            let bit = plane.trailing_zeros() as usize;
            plane &= plane - 1;
            bit
        })
    })
}

/// Pairs of neighbours of the same colour: the lower cells of vertical, the left cells of horizontal ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Contacts {
    /// Lower cells.
    pub vertical: u128,
    /// Left cells.
    pub horizontal: u128,
}

impl Contacts {
    /// All contacts of `board`.
    #[must_use]
    pub fn of(board: &Board) -> Self {
        let coloured = board.planes[1] | board.planes[2];
        let same = |shift: u32| {
            let differing = board
                .planes
                .iter()
                .fold(0, |any, &plane| any | (plane ^ (plane >> shift)));
            coloured & (coloured >> shift) & !differing
        };
        Self {
            vertical: same(1),
            horizontal: same(16),
        }
    }

    /// How many there are.
    #[inline]
    #[must_use]
    pub fn count(&self) -> u32 {
        self.vertical.count_ones() + self.horizontal.count_ones()
    }

    /// Adds the contacts of the stone at `bit` with its neighbours of the same colour, `beside`.
    #[inline]
    pub fn add(&mut self, bit: u128, beside: u128) {
        if beside & (bit << 1) != 0 {
            self.vertical |= bit;
        }
        self.vertical |= beside & (bit >> 1);
        if beside & (bit << 16) != 0 {
            self.horizontal |= bit;
        }
        self.horizontal |= beside & (bit >> 16);
    }
}

impl Matcher {
    /// Compiles `templates`, all made for a board of `size`.
    ///
    /// # Errors
    /// When there are none, too many, or one for another size.
    pub fn new(templates: &[Template], size: Size) -> Result<Self, InputError> {
        if !(1..=MAX_TEMPLATES).contains(&templates.len()) {
            return Err(InputError::new(format!(
                "a set of {} templates, expected 1 to {MAX_TEMPLATES}",
                templates.len()
            )));
        }
        let extent = extent(size);
        let mut matcher = Self {
            size,
            count: templates.len(),
            equal: vec![[0; BITS]; BITS],
            differ: vec![[0; BITS]; BITS],
            capital: [0; BITS],
            templates: Vec::with_capacity(templates.len()),
            filled: filled_sums(templates, size),
        };
        for (number, template) in templates.iter().enumerate() {
            if template.labels.extent() != extent {
                let name = &template.drawing.name;
                let message = format!("template `{name}` was not made for a {size} board");
                return Err(InputError::new(message));
            }
            matcher.relate(number, template);
            let compiled = Compiled::new(template, size);
            if compiled.groups.len() > MAX_GROUPS {
                return Err(InputError::new(format!(
                    "template `{}` has {} labels with hard relations, expected at most {MAX_GROUPS}",
                    template.drawing.name,
                    compiled.groups.len()
                )));
            }
            matcher.templates.push(compiled);
        }
        Ok(matcher)
    }

    fn relate(&mut self, number: usize, template: &Template) {
        let cells = template.labels.extent().cells();
        for i in 0..cells {
            for j in (0..cells).filter(|&j| template.is_hard(i, j)) {
                let table = match template.pair(i, j).signum() {
                    1 => &mut self.equal,
                    _ => &mut self.differ,
                };
                table[bit_of(self.size, i)][bit_of(self.size, j)] |= 1 << number;
            }
        }
        for cell in template.capital_cells() {
            self.capital[bit_of(self.size, cell)] |= 1 << number;
        }
    }

    /// The board size it was compiled for.
    #[must_use]
    pub fn size(&self) -> Size {
        self.size
    }

    /// How many templates there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// The mask of all templates.
    #[must_use]
    pub fn all(&self) -> u32 {
        u32::MAX >> (MAX_TEMPLATES - self.count)
    }

    /// Cells of the chain of template `number`.
    #[must_use]
    pub fn capital_count(&self, number: usize) -> u32 {
        self.templates[number].capital_count
    }

    /// How many cells of the chain of template `number` are filled.
    #[inline]
    #[must_use]
    pub fn filled(&self, number: usize, occupied: u128) -> u32 {
        (self.templates[number].capitals & occupied).count_ones()
    }

    /// Planes of the groups of template `number`, in firing order.
    pub(crate) fn groups(&self, number: usize) -> &[u128] {
        &self.templates[number].groups
    }

    /// The groups of template `number` that must differ from `group`, as a mask.
    pub(crate) fn differing(&self, number: usize, group: usize) -> u32 {
        self.templates[number].differing[group]
    }

    /// Σ |t| between all filled cells of a settled board with `heights`, for every template.
    #[inline]
    fn filled_sums(&self, heights: &[u8; Size::MAX_WIDTH]) -> [i32; MAX_TEMPLATES] {
        let mut sums = [0; MAX_TEMPLATES];
        let width = self.size.width();
        let mut first = 0;
        for (c, &h) in heights[..width].iter().enumerate() {
            for &k in &heights[c..width] {
                let row = (first + 16 * usize::from(h) + usize::from(k)) * self.count;
                for (sum, more) in sums.iter_mut().zip(&self.filled[row..row + self.count]) {
                    *sum += more;
                }
                first += HEIGHT_PAIRS;
            }
        }
        sums
    }

    /// Whether `board` agrees with all hard relations of template `number`, from scratch.
    #[must_use]
    pub fn agrees(&self, number: usize, board: &Board) -> bool {
        let template = &self.templates[number];
        if template.capitals & board.garbage() != 0 {
            return false;
        }
        // Per colour, the groups that have a stone of it.
        let mut seen = 0_u32;
        for colour in PuyoColour::all() {
            let plane = board.plane(colour);
            let mut here = 0_u32;
            let mut differing = 0_u32;
            for (group, &cells) in template.groups.iter().enumerate() {
                if cells & plane != 0 {
                    here |= 1 << group;
                    differing |= template.differing[group];
                }
            }
            if here & (seen | differing) != 0 {
                return false;
            }
            seen |= here;
        }
        true
    }

    /// Σ s·t of template `number` for a board whose hard relations all agree.
    #[must_use]
    pub fn agreeing(&self, number: usize, board: &Board, contacts: &Contacts) -> i64 {
        let filled = self.filled_sums(board.heights())[number];
        i64::from(filled) - self.soft_penalty(number, board, contacts)
    }

    /// What violated soft relations take from Σ s·t of template `number`.
    #[must_use]
    pub fn soft_penalty(&self, number: usize, board: &Board, contacts: &Contacts) -> i64 {
        let template = &self.templates[number];
        let mut penalty = self.border_penalty(number, contacts);
        let garbage = board.garbage();
        if garbage != 0 {
            penalty += i64::from(template.diagonal.taken(garbage));
        }
        for &(i, j, weight) in &template.distant {
            let cell = |bit: CellBit| board.cell(bit / 16, bit % 16);
            if matches!(cell(i), Cell::Puyo(_)) && cell(i) == cell(j) {
                penalty += i64::from(weight);
            }
        }
        penalty
    }

    /// What contacts between border and chain take from Σ s·t of template `number`.
    #[inline]
    #[must_use]
    pub fn border_penalty(&self, number: usize, contacts: &Contacts) -> i64 {
        let template = &self.templates[number];
        i64::from(
            template.vertical.taken(contacts.vertical)
                + template.horizontal.taken(contacts.horizontal),
        )
    }

    /// Whether border relations are neighbours all, so that [`Matcher::border_penalty`] knows them.
    pub(crate) fn only_neighbours(&self) -> bool {
        self.templates
            .iter()
            .all(|template| template.distant.is_empty())
    }

    /// A match from its sum.
    #[inline]
    #[must_use]
    #[expect(
        clippy::cast_precision_loss,
        reason = "sums of weights stay far below 2^53"
    )]
    pub fn value(&self, number: usize, agreeing: i64) -> f64 {
        agreeing as f64 / self.templates[number].total as f64
    }

    /// The match of template `number` from scratch; `None` stands for −∞.
    #[must_use]
    pub fn match_with(&self, number: usize, board: &Board) -> Option<f64> {
        self.agrees(number, board)
            .then(|| self.value(number, self.agreeing(number, board, &Contacts::of(board))))
    }

    /// The templates without violation that have all capitals but `missing` in place.
    #[must_use]
    pub fn completed(&self, board: &Board, missing: u32) -> u32 {
        let occupied = board.occupied();
        let complete = |number: &usize| {
            self.filled(*number, occupied) + missing >= self.capital_count(*number)
                && self.agrees(*number, board)
        };
        (0..self.count)
            .filter(complete)
            .fold(0, |mask, number| mask | 1 << number)
    }
}

impl Compiled {
    fn new(template: &Template, size: Size) -> Self {
        let extent = template.labels.extent();
        let cells = 0..extent.cells();
        let plane = |cells: &mut dyn Iterator<Item = usize>| {
            cells.fold(0_u128, |plane, cell| plane | 1 << bit_of(size, cell))
        };
        // Labels with a hard relation are the capitals, and the border where it is hard.
        let hard: Vec<usize> = (0..template.labels.len())
            .filter(|&label| {
                cells
                    .clone()
                    .any(|c| template.labels.label(c) == Some(label) && template.is_hard(c, c))
            })
            .collect();
        let of_label = |label: usize| {
            plane(
                &mut cells
                    .clone()
                    .filter(|&cell| template.labels.label(cell) == Some(label)),
            )
        };
        let groups: Vec<u128> = hard.iter().map(|&label| of_label(label)).collect();
        let differing = hard
            .iter()
            .map(|&a| {
                (0..hard.len()).fold(0, |mask, other| {
                    let differ = template.truth.relation(a, hard[other]) == Relation::Differ;
                    mask | u32::from(differ) << other
                })
            })
            .collect();
        let weight = |i: usize, j: usize| template.pair(i, j).abs();
        let total = cells
            .clone()
            .flat_map(|i| cells.clone().map(move |j| i64::from(weight(i, j))))
            .sum();
        let capitals = plane(&mut template.capital_cells());
        let mut compiled = Self {
            capitals,
            capital_count: capitals.count_ones(),
            groups,
            differing,
            total,
            vertical: Border::new(),
            horizontal: Border::new(),
            distant: Vec::new(),
            diagonal: Border::new(),
        };
        compiled.add_border(template, size);
        compiled
    }

    fn add_border(&mut self, template: &Template, size: Size) {
        let cells = template.labels.extent().cells();
        for i in 0..cells {
            for j in (i..cells).filter(|&j| template.pair(i, j) != 0 && !template.is_hard(i, j)) {
                let weight = template.pair(i, j).abs();
                // A violation turns +t into −t, in both orders of the pair.
                let (low, high) = (bit_of(size, i), bit_of(size, j));
                match high.abs_diff(low) {
                    0 => self.diagonal.add(low, 2 * weight),
                    1 => self.vertical.add(low.min(high), 4 * weight),
                    16 => self.horizontal.add(low.min(high), 4 * weight),
                    _ => self.distant.push((low, high, 4 * weight)),
                }
            }
        }
    }
}

/// Rows per pair of columns in [`Matcher::filled`]: heights 0 to 15 of both.
const HEIGHT_PAIRS: usize = 16 * 16;

fn filled_sums(templates: &[Template], size: Size) -> Vec<i32> {
    let extent = extent(size);
    let count = templates.len();
    let pairs = size.width() * (size.width() + 1) / 2;
    let mut sums = vec![0; pairs * HEIGHT_PAIRS * count];
    let mut first = 0;
    for c in 0..size.width() {
        for d in c..size.width() {
            let orders = if c == d { 1 } else { 2 };
            let at = |h: usize, k: usize, number: usize| (first + 16 * h + k) * count + number;
            for (number, template) in templates.iter().enumerate() {
                for h in 0..size.height() {
                    for k in 0..size.height() {
                        let here = template.pair(extent.index(c, h), extent.index(d, k)).abs();
                        sums[at(h + 1, k + 1, number)] =
                            orders * here + sums[at(h, k + 1, number)] + sums[at(h + 1, k, number)]
                                - sums[at(h, k, number)];
                    }
                }
            }
            first += HEIGHT_PAIRS;
        }
    }
    sums
}

/// The size of a board as templates know it.
#[must_use]
pub fn extent(size: Size) -> Extent {
    Extent {
        width: size.width(),
        height: size.height(),
    }
}

fn bit_of(size: Size, cell: usize) -> CellBit {
    16 * (cell % size.width()) + cell / size.width()
}

/// The stones of `board` in the order that relation matrices number cells in.
#[must_use]
pub fn stones(board: &Board) -> Vec<Stone> {
    let size = board.size();
    let rows = 0..size.height();
    rows.flat_map(|row| (0..size.width()).map(move |column| (column, row)))
        .map(|(column, row)| match board.cell(column, row) {
            Cell::Empty => Stone::Empty,
            Cell::Garbage => Stone::Garbage,
            Cell::Puyo(colour) => Stone::Kind(colour.index() as u8),
        })
        .collect()
}

/// For every colour and cell, the templates that a stone of that colour there would violate; and
/// the templates not violated yet.
#[derive(Clone)]
pub struct Constraints {
    /// Templates without violation.
    pub alive: u32,
    forbidden: [MaskByCell; PuyoColour::COUNT],
}

impl Constraints {
    /// Those of an empty board.
    #[must_use]
    pub fn none(matcher: &Matcher) -> Self {
        Self {
            alive: matcher.all(),
            forbidden: [[0; BITS]; PuyoColour::COUNT],
        }
    }

    /// Those of `board`, stone by stone; only the first `colours` colours matter.
    #[must_use]
    pub fn of(matcher: &Matcher, board: &Board, colours: usize) -> Self {
        let mut constraints = Self::none(matcher);
        for colour in PuyoColour::all() {
            for bit in bits(board.plane(colour)) {
                constraints.place(matcher, colour, bit, colours);
            }
        }
        for bit in bits(board.garbage()) {
            constraints.alive &= !matcher.capital[bit];
        }
        constraints
    }

    /// A stone of `colour` comes to cell `bit`. PERF: rows of 16 masks per column, whole vectors.
    #[inline]
    pub fn place(&mut self, matcher: &Matcher, colour: PuyoColour, bit: usize, colours: usize) {
        self.alive &= !self.forbidden[colour.index()][bit];
        let lanes = 16 * matcher.size.width();
        for (number, row) in self.forbidden[..colours].iter_mut().enumerate() {
            let table = if number == colour.index() {
                &matcher.differ
            } else {
                &matcher.equal
            };
            for (mask, more) in row[..lanes].iter_mut().zip(&table[bit][..lanes]) {
                *mask |= more;
            }
        }
    }

    /// The templates not violated after two stones at once, without placing them.
    #[inline]
    #[must_use]
    pub fn alive_after(
        &self,
        matcher: &Matcher,
        (first, first_bit): (PuyoColour, usize),
        (second, second_bit): (PuyoColour, usize),
    ) -> u32 {
        let together = if first == second {
            &matcher.differ
        } else {
            &matcher.equal
        };
        self.alive
            & !(self.forbidden[first.index()][first_bit]
                | self.forbidden[second.index()][second_bit]
                | together[first_bit][second_bit])
    }
}

/// What a height vector is worth to one template, before the border takes its share.
#[derive(Debug, Clone, Copy)]
pub struct HeightValue {
    /// The match if nothing is violated.
    pub value: f64,
    /// The template.
    pub number: u8,
    /// Cells of the chain that are filled.
    pub filled: u8,
}

/// The values of height vectors, best template first; a direct-mapped cache that outlives moves.
pub struct HeightValues {
    keys: Vec<u64>,
    values: Vec<HeightValue>,
    count: usize,
}

/// Height vectors that the cache holds. PERF: a move at depth 3 meets at most 462 without a clear.
const LINES: usize = 1 << 12;

impl HeightValues {
    /// An empty cache for `matcher`.
    #[must_use]
    pub fn new(matcher: &Matcher) -> Self {
        let none = HeightValue {
            value: 0.0,
            number: 0,
            filled: 0,
        };
        Self {
            keys: vec![u64::MAX; LINES],
            values: vec![none; LINES * matcher.count],
            count: matcher.count,
        }
    }

    /// The values of `heights`, best first.
    #[inline]
    pub fn get(&mut self, matcher: &Matcher, heights: &[u8; Size::MAX_WIDTH]) -> &[HeightValue] {
        // Four bits per column: no height is above 15.
        let key = heights
            .iter()
            .fold(0_u32, |key, &height| key << 4 | u32::from(height));
        let line = (key.wrapping_mul(0x9E37_79B1) >> (32 - LINES.trailing_zeros())) as usize;
        let slots = line * self.count..(line + 1) * self.count;
        if self.keys[line] != u64::from(key) {
            self.keys[line] = u64::from(key);
            fill(matcher, heights, &mut self.values[slots.clone()]);
        }
        &self.values[slots]
    }

    /// Bytes that the cache takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.keys.len() * size_of::<u64>() + self.values.len() * size_of::<HeightValue>()
    }
}

#[cold]
fn fill(matcher: &Matcher, heights: &[u8; Size::MAX_WIDTH], values: &mut [HeightValue]) {
    let columns = heights.iter().enumerate();
    let occupied = columns.fold(0_u128, |plane, (column, &height)| {
        plane | ((1 << height) - 1) << (16 * column)
    });
    let sums = matcher.filled_sums(heights);
    for (number, slot) in values.iter_mut().enumerate() {
        *slot = HeightValue {
            value: matcher.value(number, i64::from(sums[number])),
            number: number as u8,
            filled: matcher.filled(number, occupied) as u8,
        };
    }
    values.sort_unstable_by(|a, b| b.value.total_cmp(&a.value));
}
