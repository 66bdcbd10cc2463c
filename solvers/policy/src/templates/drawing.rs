//! Templates as drawings: one capital letter for each group, and `.` for any content.
//!
//! ```text
//! # stairs-4
//! D.....
//! CBBA..
//! BAAA..
//! BEFGH.
//! CDEFGH
//! CDEFGH
//! CDEFGH
//! ```
//!
//! The bottom row is last, and empty lines separate drawings. A drawing is a pattern, which need not fire, if the
//! word `pattern` follows its name (the thesis's domino) or if every capital occurs in two cells. A line like `differ
//! d F` adds a relation.

use ikeru_core::{InputError, input_error, refuse};

/// The size in cells of a drawing or of its board. Any size is allowed: relations do not depend on the boards on
/// which chains are simulated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DrawingExtent {
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
}

impl DrawingExtent {
    /// All cells.
    pub const fn cells(self) -> usize {
        self.width * self.height
    }

    /// The number of cell (`column`, `row`); cells are numbered from the bottom row, and from the left in each row.
    pub const fn index(self, column: usize, row: usize) -> usize {
        row * self.width + column
    }

    /// The cells adjacent to cell `index`.
    pub fn neighbours(self, index: usize) -> impl Iterator<Item = usize> {
        let (column, row) = (index % self.width, index / self.width);
        let beside = [
            (column > 0).then(|| index - 1),
            (column + 1 < self.width).then(|| index + 1),
            (row > 0).then(|| index - self.width),
            (row + 1 < self.height).then(|| index + self.width),
        ];
        beside.into_iter().flatten()
    }
}

/// The kind of a drawing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DrawingKind {
    /// A chain: it fires as drawn, and its groups vanish one after another.
    Chain,
    /// A pattern, which need not fire.
    Pattern,
}

/// A template as drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateDrawing {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: DrawingKind,
    /// The size of the drawing; `height` is the number of rows drawn.
    pub extent: DrawingExtent,
    /// The capital of each cell, by [`DrawingExtent::index`].
    pub cells: Vec<Option<char>>,
    /// Pairs of labels that must differ, in addition to those given by adjacency.
    pub differ: Vec<(String, String)>,
    /// The line of its name, from 1.
    pub line: usize,
    /// Its file, if it is known.
    pub file: Option<String>,
}

impl TemplateDrawing {
    /// An error with the file and line of this drawing.
    pub(crate) fn error(&self, message: impl Into<String>) -> InputError {
        let error = InputError::at(self.line, message);
        match &self.file {
            Some(file) => InputError::new(error.in_file(file)),
            None => error,
        }
    }

    /// The capitals that occur, in alphabetical order.
    pub fn capitals(&self) -> Vec<char> {
        let mut capitals: Vec<char> = self.cells.iter().flatten().copied().collect();
        capitals.sort_unstable();
        capitals.dedup();
        capitals
    }
}

/// Reads all drawings of a file, which must hold at least one.
///
/// # Errors
/// Names the line and what was expected.
pub fn read(text: &str) -> Result<Vec<TemplateDrawing>, InputError> {
    let lines: Vec<(usize, &str)> = (1..).zip(text.lines().map(str::trim_end)).collect();
    let drawings: Vec<TemplateDrawing> = lines
        .split(|(_, line)| line.trim().is_empty())
        .filter(|block| !block.is_empty())
        .map(read_block)
        .collect::<Result<_, _>>()?;
    if drawings.is_empty() {
        refuse!("no template, expected `# name` and rows of capitals and `.`");
    }
    for (index, drawing) in drawings.iter().enumerate() {
        if drawings[..index].iter().any(|d| d.name == drawing.name) {
            let message = format!("a second template called `{}`", drawing.name);
            return Err(InputError::at(drawing.line, message));
        }
    }
    Ok(drawings)
}

/// Reads the drawings of the file called `file`; all errors name it.
///
/// # Errors
/// As [`read`].
pub fn read_file(text: &str, file: &str) -> Result<Vec<TemplateDrawing>, InputError> {
    let mut drawings = read(text).map_err(|error| InputError::new(error.in_file(file)))?;
    for drawing in &mut drawings {
        drawing.file = Some(file.to_owned());
    }
    Ok(drawings)
}

/// Returns whether every capital occurs in exactly two cells, so that no group can vanish.
fn is_of_pairs(cells: &[Option<char>]) -> bool {
    let count = |capital| cells.iter().filter(|&&cell| cell == capital).count();
    cells.iter().all(|&cell| cell.is_none() || count(cell) == 2)
}

fn read_block(block: &[(usize, &str)]) -> Result<TemplateDrawing, InputError> {
    let (line, header) = block[0];
    // Words like `score=623` are notes and are ignored.
    let words: Vec<&str> = header
        .split_whitespace()
        .filter(|word| !word.contains('='))
        .collect();
    let (name, kind) = match words[..] {
        ["#", name] => (name.to_owned(), DrawingKind::Chain),
        ["#", name, "pattern"] => (name.to_owned(), DrawingKind::Pattern),
        _ => {
            let message = format!("`{header}`, expected `# name` or `# name pattern`");
            return Err(InputError::at(line, message));
        }
    };
    let is_rule = |(_, text): &&(usize, &str)| text.starts_with("differ ");
    let differ = block[1..]
        .iter()
        .filter(is_rule)
        .map(|&(line, text)| {
            let words: Vec<&str> = text.split_whitespace().collect();
            match words[1..] {
                [a, b] => Ok((a.to_owned(), b.to_owned())),
                _ => Err(input_error!(
                    line,
                    "`{text}`, expected `differ` and two labels"
                )),
            }
        })
        .collect::<Result<_, _>>()?;
    let rows: Vec<&(usize, &str)> = block[1..].iter().filter(|row| !is_rule(row)).collect();
    let Some(&&(_, first)) = rows.first() else {
        let message = format!("template `{name}` has no rows");
        return Err(InputError::at(line, message));
    };
    let extent = DrawingExtent {
        width: first.chars().count(),
        height: rows.len(),
    };
    let mut cells = Vec::with_capacity(extent.cells());
    for &&(line, row) in rows.iter().rev() {
        if row.chars().count() != extent.width {
            let found = row.chars().count();
            let message = format!("a row of {found} cells, expected {}", extent.width);
            return Err(InputError::at(line, message));
        }
        for letter in row.chars() {
            cells.push(match letter {
                '.' => None,
                'A'..='Z' => Some(letter),
                _ => {
                    let message = format!("`{letter}` in a template, expected A to Z or `.`");
                    return Err(InputError::at(line, message));
                }
            });
        }
    }
    if cells.iter().all(Option::is_none) {
        let message = format!("template `{name}` has no capital");
        return Err(InputError::at(line, message));
    }
    let kind = if is_of_pairs(&cells) {
        DrawingKind::Pattern
    } else {
        kind
    };
    Ok(TemplateDrawing {
        name,
        kind,
        extent,
        cells,
        differ,
        line,
        file: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drawing_is_read_from_the_bottom() {
        let drawings = read("# one pattern\nA.\nAB\ndiffer A b\n\n# two\nCC\n").expect("two");
        assert_eq!(drawings.len(), 2);
        assert_eq!(drawings[0].cells, [Some('A'), Some('B'), Some('A'), None]);
        assert_eq!(drawings[0].kind, DrawingKind::Pattern);
        assert_eq!(drawings[0].capitals(), ['A', 'B']);
        assert_eq!(drawings[0].differ, [("A".to_owned(), "b".to_owned())]);
        assert_eq!(drawings[1].line, 6);
        assert_eq!(drawings[1].kind, DrawingKind::Pattern, "made of pairs");
    }

    #[test]
    fn bad_drawings_say_where_and_what() {
        let message = |text| read(text).expect_err(text).in_file("t");
        assert_eq!(
            message(""),
            "t: no template, expected `# name` and rows of capitals and `.`"
        );
        assert_eq!(
            message("AA\n"),
            "t:1: `AA`, expected `# name` or `# name pattern`"
        );
        assert_eq!(message("# x\nAA\nA\n"), "t:3: a row of 1 cells, expected 2");
        assert_eq!(
            message("# x\nAa\n"),
            "t:2: `a` in a template, expected A to Z or `.`"
        );
        assert_eq!(message("# x\n"), "t:1: template `x` has no rows");
        assert_eq!(message("# x\n..\n"), "t:1: template `x` has no capital");
        assert_eq!(
            message("# x\nA\n\n# x\nA\n"),
            "t:4: a second template called `x`"
        );
        assert_eq!(
            message("# x\nA\ndiffer A\n"),
            "t:3: `differ A`, expected `differ` and two labels"
        );
    }
}
