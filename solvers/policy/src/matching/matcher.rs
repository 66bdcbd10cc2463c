//! The matches of a set of templates with boards.

use ikeru_chain::{Board, Cell, Size};
use ikeru_core::{InputError, refuse};

use super::compiled::Compiled;
use super::contacts::Contacts;
use super::filled::{HEIGHT_PAIRS, HeightValue, VECTOR, filled_sums, padded};
use super::planes::{BITS, CellBit, MaskByCell, bit_of, extent};
use crate::templates::Template;
use crate::templates::criterion::Criterion;
use crate::templates::matrix::Match;

/// The most templates of a set: one bit each.
pub const MAX_TEMPLATES: usize = 32;
/// The most labels of a template that have hard relations: one bit each.
pub const MAX_GROUPS: usize = 32;

/// A set of templates compiled for a board size.
pub struct Matcher {
    size: Size,
    count: usize,
    /// `equal[y][x]`: templates in which cells x and y must be the same colour.
    pub(super) equal: Vec<MaskByCell>,
    /// `differ[y][x]`: templates in which they must differ.
    pub(super) differ: Vec<MaskByCell>,
    /// For each cell, the templates in which it has hard relations: as a capital, or as a border cell if the border
    /// is hard. Garbage there violates the template, because garbage does not agree even with itself.
    pub(super) hard: MaskByCell,
    templates: Vec<Compiled>,
    /// Twice Σ |t| between the lowest h cells of column c and the lowest k cells of column d, c ≤ d, both orders
    /// counted. Each pair of columns, h and k has a row of `count` sums, [`padded`]. PERF: one row is a few vectors,
    /// so that 21 additions of rows give the sums of a height vector for all templates.
    filled: Vec<i32>,
}

impl Matcher {
    /// Compiles `templates`, all made for a board of `size`.
    ///
    /// # Errors
    /// If there are none, too many, or one was made for another size.
    pub fn new(templates: &[Template], size: Size) -> Result<Self, InputError> {
        if !(1..=MAX_TEMPLATES).contains(&templates.len()) {
            refuse!(
                "{} templates in play, expected 1 to {MAX_TEMPLATES}; FILE.txt:WORD takes those whose names begin with WORD",
                templates.len()
            );
        }
        let extent = extent(size);
        let mut matcher = Self {
            size,
            count: templates.len(),
            equal: vec![[0; BITS]; BITS],
            differ: vec![[0; BITS]; BITS],
            hard: [0; BITS],
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
                refuse!(
                    "template `{}` has {} labels with hard relations, expected at most {MAX_GROUPS}",
                    template.drawing.name,
                    compiled.groups.len()
                );
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
        for cell in (0..cells).filter(|&cell| template.is_hard(cell, cell)) {
            self.hard[bit_of(self.size, cell)] |= 1 << number;
        }
    }

    /// The board size for which the templates were compiled.
    pub fn size(&self) -> Size {
        self.size
    }

    /// The number of templates.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The mask of all templates.
    pub fn all(&self) -> u32 {
        u32::MAX >> (MAX_TEMPLATES - self.count)
    }

    /// The number of cells of the chain of template `number`.
    pub fn capital_count(&self, number: usize) -> u32 {
        self.templates[number].capital_count
    }

    /// The number of cells of the chain of template `number` that are filled.
    #[inline]
    pub fn filled(&self, number: usize, occupied: u128) -> u32 {
        (self.templates[number].capitals & occupied).count_ones()
    }

    /// The column deficit of template `number` in cells: the 4-norm, over the columns, of the number of empty chain
    /// cells. It is close to the largest number; a second column with the same number adds a little.
    pub(super) fn column_deficit(&self, number: usize, occupied: u128) -> f64 {
        let missing = self.templates[number].capitals & !occupied;
        let lacks = |column: usize| ((missing >> (16 * column)) as u16).count_ones();
        let columns = 0..self.size.width();
        // Only integers and square roots are used, so that the result is the same on every machine.
        f64::from(columns.map(|column| lacks(column).pow(4)).sum::<u32>())
            .sqrt()
            .sqrt()
    }

    /// Planes of the groups of template `number`, in firing order.
    pub(crate) fn groups(&self, number: usize) -> &[u128] {
        &self.templates[number].groups
    }

    /// The groups of template `number` that must differ from `group`, as a mask.
    pub(crate) fn differing(&self, number: usize, group: usize) -> u32 {
        self.templates[number].differing[group]
    }

    /// Twice Σ |t| between all filled cells of a settled board with `heights`, for every template.
    #[inline]
    pub(super) fn filled_sums(&self, heights: &[u8; Size::MAX_WIDTH]) -> [i32; MAX_TEMPLATES] {
        let mut sums = [0; MAX_TEMPLATES];
        let (width, row) = (self.size.width(), padded(self.count));
        let mut first = 0;
        for (c, &h) in heights[..width].iter().enumerate() {
            for &k in &heights[c..width] {
                let at = (first + 16 * usize::from(h) + usize::from(k)) * row;
                let parts = self.filled[at..at + row].as_chunks::<VECTOR>().0;
                for (sums, more) in sums.as_chunks_mut::<VECTOR>().0.iter_mut().zip(parts) {
                    for (sum, more) in sums.iter_mut().zip(more) {
                        *sum += more;
                    }
                }
                first += HEIGHT_PAIRS;
            }
        }
        sums
    }

    /// Returns whether `board` agrees with all hard relations of template `number`, computed from scratch.
    pub fn agrees(&self, number: usize, board: &Board) -> bool {
        let template = &self.templates[number];
        if template.hard & board.garbage() != 0 {
            return false;
        }
        // The groups that have a stone of an earlier colour.
        let mut seen = 0_u32;
        for plane in board.colour_planes().iter().filter(|plane| **plane != 0) {
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

    /// Twice Σ s·t of template `number` for a board whose hard relations all agree.
    pub fn agreeing(&self, number: usize, board: &Board, contacts: &Contacts) -> i64 {
        let filled = self.filled_sums(board.heights())[number];
        i64::from(filled) - self.soft_penalty(number, board, contacts)
    }

    /// The amount that violated soft relations take from the sum of template `number`.
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

    /// The amount that contacts between border and chain take from the sum of template `number`.
    #[inline]
    pub fn border_penalty(&self, number: usize, contacts: &Contacts) -> i64 {
        let template = &self.templates[number];
        i64::from(
            template.vertical.taken(contacts.vertical)
                + template.horizontal.taken(contacts.horizontal),
        )
    }

    /// Returns whether all border relations are between neighbours, so that [`Matcher::border_penalty`] covers them.
    pub(crate) fn only_neighbours(&self) -> bool {
        self.templates
            .iter()
            .all(|template| template.distant.is_empty())
    }

    /// Converts the sum `agreeing` of a template into a match.
    #[inline]
    #[expect(
        clippy::cast_precision_loss,
        reason = "sums of weights stay far below 2^53"
    )]
    pub fn value(&self, number: usize, agreeing: i64) -> f64 {
        agreeing as f64 / self.templates[number].total as f64
    }

    /// The match of template `number`, computed from scratch; `None` means −∞.
    pub fn match_with(&self, number: usize, board: &Board) -> Option<f64> {
        self.agrees(number, board)
            .then(|| self.value(number, self.agreeing(number, board, &Contacts::of(board))))
    }

    /// The templates without violation that meet `criterion`.
    pub fn completed(&self, board: &Board, criterion: Criterion) -> u32 {
        if let Criterion::Missing(most) = criterion {
            return self.agreeing_of(board, |number| self.lacks_at_most(number, board, most));
        }
        let (sums, contacts) = (self.filled_sums(board.heights()), Contacts::of(board));
        self.agreeing_of(board, |number| {
            let sum = i64::from(sums[number]);
            let empty = self.empty(number, board.occupied());
            let is_met = |agreeing| criterion.is_met(empty, || self.fraction(number, agreeing));
            // The soft penalty is computed only for templates that pass without it.
            is_met(sum) && is_met(sum - self.soft_penalty(number, board, &contacts))
        })
    }

    /// The templates that satisfy `meet` and agree with `board`. Agreement is tested last because it takes longest.
    fn agreeing_of(&self, board: &Board, meet: impl Fn(usize) -> bool) -> u32 {
        (0..self.count)
            .filter(|&number| meet(number) && self.agrees(number, board))
            .fold(0, |mask, number| mask | 1 << number)
    }

    /// Returns whether at most `most` cells of the chain of template `number` are empty. PERF: the portable target
    /// has no `popcnt`.
    #[inline]
    fn lacks_at_most(&self, number: usize, board: &Board, most: u32) -> bool {
        let empty = self.templates[number].capitals & !board.occupied();
        (0..most).fold(empty, |plane, _| plane & plane.wrapping_sub(1)) == 0
    }

    /// A lower bound on the stones of a board that meets `criterion`.
    pub(crate) fn fewest_stones(&self, criterion: Criterion) -> u32 {
        let enough = |number: usize, stones: u32| {
            // A stone adds at most the Σ |t| of its row to the sum.
            let rows = self.templates[number].rows.iter().take(stones as usize);
            let most = || self.fraction(number, rows.sum());
            criterion.is_met(self.capital_count(number).saturating_sub(stones), most)
        };
        (0..BITS as u32)
            .find(|&stones| (0..self.count).any(|number| enough(number, stones)))
            .unwrap_or(BITS as u32)
    }

    /// Returns whether a template without violation meets `criterion` on a board that fills the cells of `occupied`
    /// and whose heights have `value`, if the border penalty is `penalty`.
    #[inline]
    pub(crate) fn meets_with(
        &self,
        value: &HeightValue,
        (occupied, penalty): (u128, i64),
        criterion: Criterion,
    ) -> bool {
        let number = usize::from(value.number);
        let agreeing = i64::from(value.agreeing) - penalty;
        let found = || self.fraction(number, agreeing);
        criterion.is_met(self.empty(number, occupied), found)
    }

    fn empty(&self, number: usize, occupied: u128) -> u32 {
        self.capital_count(number) - self.filled(number, occupied)
    }

    fn fraction(&self, number: usize, agreeing: i64) -> Match {
        Match {
            agreeing,
            total: self.templates[number].total,
        }
    }
}
