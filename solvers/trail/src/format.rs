//! Reads and writes the puzzle text and reports every error in it.
//!
//! The text is `w h`, then for each row its `w - 1` horizontal operations and, except for the last row, the `w`
//! vertical operations below it, written `+4`, `-1`, `*3` with any white space between them. Two optional parts
//! follow: the question as `m`, the m vertices of the route so far (the first is the start) and the goal; and the
//! best route known as `n`, its n vertices and its score. Existing files count the vertices of that route, while the
//! format's description counts its edges. Both are read (the number of words distinguishes them); vertices are
//! written. Without a question the trail leads from the top left to the bottom right.

use std::fmt::Write as _;
use std::sync::Arc;

use ikeru_core::{InputError, Score, input_error, refuse};

use crate::puzzle::{
    EdgeOperation, Magnitude, Puzzle, PuzzleBoard, Trail, Vertex, check_size, edge_count,
};

/// Reads a puzzle's text.
///
/// # Errors
/// Names the line and what was expected.
pub fn read(text: &str) -> Result<Puzzle, InputError> {
    let mut words = NumberedWords::of(text);
    let width: usize = words.number("the width of the board in vertices")?;
    let height: usize = words.number("the height of the board in vertices")?;
    let size_line = words.line;
    let sized = |error: InputError| InputError::at(size_line, error.message);
    check_size(width, height).map_err(sized)?;
    let Some(edges) = edge_count(width, height) else {
        refuse!(size_line, "the board is too large");
    };
    let mut operations = Vec::new();
    let mut magnitude = Magnitude::default();
    for edge in 0..edges {
        let operation = words.operation(width, height, edge)?;
        let too_large = |error: InputError| InputError::at(words.line, error.message);
        magnitude.take(operation).map_err(too_large)?;
        operations.push(operation);
    }
    let board = Arc::new(PuzzleBoard::new(width, height, operations)?);

    let Some((route, question_line)) = words.route()? else {
        let goal = board.vertex_count() - 1;
        return Puzzle::new(board, vec![0], goal);
    };
    let goal = words.number("the goal, a vertex number")?;
    let asked = |error: InputError| InputError::at(question_line, error.message);
    let puzzle = Puzzle::new(board, route, goal).map_err(asked)?;

    let Some((trail, best_line)) = words.best_route()? else {
        return Ok(puzzle);
    };
    puzzle
        .with_best_known(trail)
        .map_err(|error| InputError::at(best_line, error.message))
}

/// Writes a puzzle so that [`read`] returns it.
pub fn write(puzzle: &Puzzle) -> String {
    let board = puzzle.board();
    let (width, height) = (board.width(), board.height());
    let mut text = format!("{width} {height}\n");
    let mut operations = board.operations().iter().map(ToString::to_string);
    for row in 0..height {
        let mut line = |count: usize| {
            let words: Vec<String> = operations.by_ref().take(count).collect();
            if !words.is_empty() {
                let _ = writeln!(text, "{}", words.join(" "));
            }
        };
        line(width - 1);
        if row + 1 < height {
            line(width);
        }
    }
    let mut list = |vertices: &[Vertex], last: String| {
        let words: Vec<String> = vertices.iter().map(ToString::to_string).collect();
        let _ = writeln!(text, "{} {} {last}", vertices.len(), words.join(" "));
    };
    list(puzzle.route(), puzzle.goal().to_string());
    if let Some(best) = puzzle.best_known() {
        list(&best.vertices, best.score.to_string());
    }
    text
}

/// The words of a text with their line numbers.
struct NumberedWords<'t> {
    words: Box<dyn Iterator<Item = (usize, &'t str)> + 't>,
    /// The line of the last word read, from 1.
    line: usize,
}

impl<'t> NumberedWords<'t> {
    fn of(text: &'t str) -> Self {
        let lines = text.lines().enumerate();
        Self {
            words: Box::new(lines.flat_map(|(index, line)| {
                line.split_whitespace().map(move |word| (index + 1, word))
            })),
            line: 1,
        }
    }

    fn word(&mut self) -> Option<&'t str> {
        let (line, word) = self.words.next()?;
        self.line = line;
        Some(word)
    }

    fn error(&self, expected: &str, found: Option<&str>) -> InputError {
        let found = found.map_or("the end of the text".to_owned(), |word| format!("`{word}`"));
        input_error!(self.line, "expected {expected}, found {found}")
    }

    fn number<N: std::str::FromStr>(&mut self, what: &str) -> Result<N, InputError> {
        let word = self.word();
        word.filter(|word| !word.starts_with('+'))
            .and_then(|word| word.parse().ok())
            .ok_or_else(|| self.error(what, word))
    }

    fn operation(
        &mut self,
        width: usize,
        height: usize,
        edge: usize,
    ) -> Result<EdgeOperation, InputError> {
        let word = self.word();
        word.and_then(parse_operation).ok_or_else(|| {
            let mut expected = place_of(width, height, edge);
            if word.is_some_and(is_too_large) {
                expected += &format!(" with a number of at most {}", i64::MAX);
            }
            self.error(&expected, word)
        })
    }

    /// The number of vertices of a list; `None` at the end of the text.
    fn count(&mut self, what: &str) -> Result<Option<usize>, InputError> {
        let Some(word) = self.word() else {
            return Ok(None);
        };
        let count = word.parse().ok();
        count
            .filter(|count| *count > 0 && !word.starts_with('+'))
            .map(Some)
            .ok_or_else(|| {
                let expected = format!("the number of vertices of {what} (at least 1) or the end");
                self.error(&expected, Some(word))
            })
    }

    /// The route so far, with its line number.
    fn route(&mut self) -> Result<Option<(Vec<Vertex>, usize)>, InputError> {
        let Some(count) = self.count("the route so far")? else {
            return Ok(None);
        };
        let line = self.line;
        let mut vertices = Vec::new();
        for index in 1..=count {
            vertices.push(self.number(&format!("vertex {index} of {count} of the route so far"))?);
        }
        Ok(Some((vertices, line)))
    }

    /// The best route known, which is the rest of the text, with its line number.
    fn best_route(&mut self) -> Result<Option<(Trail, usize)>, InputError> {
        let Some(count) = self.count("the best route")? else {
            return Ok(None);
        };
        let line = self.line;
        let mut vertices = Vec::new();
        let mut last = None;
        while let Some(word) = self.word() {
            let expected = "a vertex number or the score of the best route";
            let number: Score = word
                .parse()
                .ok()
                .filter(|_| !word.starts_with('+'))
                .ok_or_else(|| self.error(expected, Some(word)))?;
            vertices.extend(last.replace(number));
        }
        let found = vertices.len();
        let Some(score) = last.filter(|_| found == count || Some(found) == count.checked_add(1))
        else {
            refuse!(
                line,
                "expected {count} vertices of the best route (or its {count} edges' {} vertices) and its score, found {} numbers",
                count.saturating_add(1),
                found + usize::from(last.is_some())
            );
        };
        if score == UNKNOWN {
            return Ok(None);
        }
        let vertex = |number| {
            Vertex::try_from(number)
                .map_err(|_| input_error!(line, "expected a vertex number, found `{number}`"))
        };
        let vertices = vertices.into_iter().map(vertex).collect::<Result<_, _>>()?;
        Ok(Some((Trail { vertices, score }, line)))
    }
}

/// The score that the article's program writes while it knows no best route: the smallest signed 32-bit number.
const UNKNOWN: Score = i32::MIN as Score;

/// Parses `+4`, `-1`, `*3` or `×3`; the digits after the operator have no sign.
fn parse_operation(word: &str) -> Option<EdgeOperation> {
    let mut rest = word.chars();
    let operator = rest.next()?;
    let digits = rest.as_str();
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let number: i64 = digits.parse().ok()?;
    match operator {
        '+' => Some(EdgeOperation::Add(number)),
        '-' => Some(EdgeOperation::Add(-number)),
        '*' | '×' => Some(EdgeOperation::Multiply(number)),
        _ => None,
    }
}

/// Returns whether `word` is an operation whose number is too large.
fn is_too_large(word: &str) -> bool {
    let digits = word.trim_start_matches(['+', '-', '*', '×']);
    !digits.is_empty()
        && word.chars().count() == digits.len() + 1
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && digits.parse::<i64>().is_err()
}

/// Names an edge for the author of the text.
fn place_of(width: usize, height: usize, edge: usize) -> String {
    let (row, place) = (edge / (2 * width - 1), edge % (2 * width - 1));
    let (kind, index, count) = if place < width - 1 {
        ("horizontal", place, width - 1)
    } else {
        ("vertical", place - (width - 1), width)
    };
    format!(
        "{kind} operation {} of {count} in row {} of {height} (`+4`, `-1` or `*3`)",
        index + 1,
        row + 1
    )
}
