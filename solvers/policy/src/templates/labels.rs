//! Stage 1, the labelling table (thesis, chapter 5, figure 5.1): a capital for each group, a distinct small letter
//! for each empty cell adjacent to a group (the border), and no label elsewhere.

use ikeru_core::InputError;

use super::drawing::{DrawingExtent, TemplateDrawing};
use super::firing::LabelGrid;

/// The labels of all cells of a board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelTable {
    extent: DrawingExtent,
    /// The label number of each cell; numbers below `capitals` are capitals.
    cells: LabelGrid,
    names: Vec<String>,
    capitals: usize,
}

impl LabelTable {
    /// Labels `drawing` on a board of `extent`, its bottom row on the floor.
    ///
    /// # Errors
    /// If the drawing is not as wide as the board or is higher than it.
    pub fn new(drawing: &TemplateDrawing, extent: DrawingExtent) -> Result<Self, InputError> {
        if drawing.extent.width != extent.width || drawing.extent.height > extent.height {
            return Err(drawing.error(format!(
                "template `{}` is {} wide and {} high, expected exactly {} wide and at most {} high",
                drawing.name,
                drawing.extent.width,
                drawing.extent.height,
                extent.width,
                extent.height
            )));
        }
        let capitals = drawing.capitals();
        let number = |capital| capitals.iter().position(|&known| known == capital);
        let mut cells: LabelGrid = drawing
            .cells
            .iter()
            .map(|cell| cell.and_then(number))
            .collect();
        cells.resize(extent.cells(), None);
        let mut names: Vec<String> = capitals.iter().map(|&capital| capital.into()).collect();
        let bare = cells.clone();
        // Border cells are lettered from the top row, in reading order.
        for row in (0..extent.height).rev() {
            for column in 0..extent.width {
                let cell = extent.index(column, row);
                if bare[cell].is_none() && extent.neighbours(cell).any(|n| bare[n].is_some()) {
                    cells[cell] = Some(names.len());
                    names.push(small_letter(names.len() - capitals.len()));
                }
            }
        }
        Ok(Self {
            extent,
            cells,
            names,
            capitals: capitals.len(),
        })
    }

    /// The board's size.
    pub fn extent(&self) -> DrawingExtent {
        self.extent
    }

    /// The number of labels; the capitals come first, in firing order.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Returns whether there is no label; always false, because every drawing has a capital.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The number of labels that are capitals.
    pub fn capitals(&self) -> usize {
        self.capitals
    }

    /// The label of cell `index`.
    pub fn label(&self, index: usize) -> Option<usize> {
        self.cells[index]
    }

    /// Returns whether `label` is a capital.
    pub fn is_capital(&self, label: usize) -> bool {
        label < self.capitals
    }

    /// The letter of `label`.
    pub fn name(&self, label: usize) -> &str {
        &self.names[label]
    }

    /// The label called `name`.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| known == name)
    }

    /// The labels of all cells, without the border unless `border` is set.
    pub(super) fn grid(&self, border: bool) -> LabelGrid {
        let keep = |&label: &usize| border || self.is_capital(label);
        self.cells.iter().map(|cell| cell.filter(keep)).collect()
    }
}

/// `a` to `z`, then `aa`, `ab`, …
fn small_letter(index: usize) -> String {
    let last = char::from(b'a' + (index % 26) as u8);
    match index / 26 {
        0 => last.into(),
        more => small_letter(more - 1) + &String::from(last),
    }
}
