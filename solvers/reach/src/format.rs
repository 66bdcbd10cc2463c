//! Map files: reads both dialects of CSV and writes the first.
//!
//! First dialect: the number of vertices N; N lines with the comma-separated neighbours of vertex 0 to N−1; the
//! number of players M; their M vertices, player 0 first; the player who holds the god, or −1. Second dialect:
//! `SIZE,N` and the N lines of neighbours; it has one player at vertex 0 and no god. White space around numbers,
//! commas at the end of a line, and lines of commas or nothing at the end, are ignored.

use std::fmt::Write as _;
use std::str::FromStr;
use std::sync::Arc;

use ikeru_core::{InputError, input_error, refuse};

use crate::graph::{Graph, MAX_ARCS, Vertex};
use crate::instance::{MAX_PLAYERS, Map};

/// Reads a map of either dialect.
///
/// # Errors
/// Names the line and what was expected.
pub fn read(text: &str) -> Result<Map, InputError> {
    let mut lines = NumberedLines::new(text);
    let (first, rest) = lines.next("the number of vertices")?;
    let mut cells = cells(rest);
    let head = cells.next().unwrap_or_default();
    let sized = head.eq_ignore_ascii_case("SIZE");
    let count = if sized {
        cells.next().unwrap_or_default()
    } else {
        head
    };
    if let Some(surplus) = cells.find(|cell| !cell.is_empty()) {
        refuse!(
            first,
            "`{surplus}` follows the number of vertices, expected nothing more"
        );
    }
    let vertices: usize = number(
        first,
        count,
        "the number of vertices, a whole number from 1",
    )?;
    if vertices == 0 {
        refuse!(first, "the map has 0 vertices, expected at least 1");
    }
    let graph = read_graph(&mut lines, first, vertices)?;
    let (players, holder) = if sized {
        (vec![0], None)
    } else {
        read_players(&mut lines, vertices)?
    };
    lines.finish()?;
    Ok(Map {
        graph: Arc::new(graph),
        players,
        holder,
    })
}

fn read_graph(
    lines: &mut NumberedLines,
    first: usize,
    vertices: usize,
) -> Result<Graph, InputError> {
    let left = lines.left();
    if left < vertices {
        refuse!(
            first + left,
            "the file ends here, expected {vertices} lines of neighbours after line {first}"
        );
    }
    let mut offsets = Vec::with_capacity(vertices + 1);
    let mut heads: Vec<Vertex> = Vec::new();
    offsets.push(0);
    for vertex in 0..vertices {
        let (line, text) = lines.next(&format!("the neighbours of vertex {vertex}"))?;
        for cell in cells(text) {
            heads.push(read_vertex(line, cell, vertices, "a neighbour")?);
        }
        if heads.len() > MAX_ARCS {
            refuse!(line, "expected at most {MAX_ARCS} neighbours in all");
        }
        offsets.push(heads.len() as u32);
    }
    Graph::new(offsets, heads)
        .map_err(|error| InputError::at(first + 1 + error.vertex as usize, error.to_string()))
}

fn read_players(
    lines: &mut NumberedLines,
    vertices: usize,
) -> Result<(Vec<Vertex>, Option<usize>), InputError> {
    let expected = format!("the number of players, 1 to {MAX_PLAYERS}");
    let (line, text) = lines.next(&expected)?;
    let count: usize = number(line, alone(text), &expected)?;
    if !(1..=MAX_PLAYERS).contains(&count) {
        refuse!(
            line,
            "there are {count} players, expected 1 to {MAX_PLAYERS}"
        );
    }
    let (line, text) = lines.next(&format!("the vertices of {count} players"))?;
    let players = cells(text)
        .map(|cell| read_vertex(line, cell, vertices, "a player"))
        .collect::<Result<Vec<_>, _>>()?;
    if players.len() != count {
        refuse!(
            line,
            "{} vertices of players, expected {count}",
            players.len()
        );
    }
    let expected = format!("the god's holder, -1 to {}", count - 1);
    let (line, text) = lines.next(&expected)?;
    let holder: i64 = number(line, alone(text), &expected)?;
    if !(-1..count as i64).contains(&holder) {
        refuse!(
            line,
            "player {holder} holds the god but there are {count} players, expected {expected}"
        );
    }
    Ok((players, usize::try_from(holder).ok()))
}

/// A line without its trailing commas, with which spreadsheets pad rows to equal length.
fn alone(text: &str) -> &str {
    text.trim_end_matches(|letter: char| letter == ',' || letter.is_whitespace())
}

/// The numbers of a line.
fn cells(text: &str) -> impl Iterator<Item = &str> {
    let text = alone(text);
    let cells = (!text.is_empty()).then(|| text.split(',').map(str::trim));
    cells.into_iter().flatten()
}

fn read_vertex(line: usize, cell: &str, vertices: usize, what: &str) -> Result<Vertex, InputError> {
    match cell.parse::<Vertex>() {
        Ok(vertex) if (vertex as usize) < vertices => Ok(vertex),
        _ => Err(input_error!(
            line,
            "`{cell}` is no vertex for {what}, expected a number from 0 to {}",
            vertices - 1
        )),
    }
}

fn number<T: FromStr>(line: usize, cell: &str, expected: &str) -> Result<T, InputError> {
    cell.parse()
        .map_err(|_| input_error!(line, "`{cell}`, expected {expected}"))
}

/// The lines of a text with their numbers.
struct NumberedLines<'a> {
    lines: Vec<&'a str>,
    taken: usize,
}

impl<'a> NumberedLines<'a> {
    fn new(text: &'a str) -> Self {
        // Spreadsheets may write a byte order mark.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        Self {
            lines: text.lines().map(str::trim).collect(),
            taken: 0,
        }
    }

    fn left(&self) -> usize {
        self.lines.len() - self.taken
    }

    /// The next line and its number.
    fn next(&mut self, expected: &str) -> Result<(usize, &'a str), InputError> {
        let line = self.lines.get(self.taken).ok_or_else(|| {
            input_error!(self.taken.max(1), "the file ends here, expected {expected}")
        })?;
        self.taken += 1;
        Ok((self.taken, line))
    }

    fn finish(&self) -> Result<(), InputError> {
        let rest = self.lines.iter().enumerate().skip(self.taken);
        match rest.into_iter().find(|(_, line)| !alone(line).is_empty()) {
            None => Ok(()),
            Some((index, surplus)) => Err(input_error!(
                index + 1,
                "`{surplus}`, expected the end of the file"
            )),
        }
    }
}

/// Writes a map in the first dialect.
pub fn write(map: &Map) -> String {
    let graph = &map.graph;
    let mut text = String::with_capacity(8 * graph.arc_count() + 16);
    let mut join = |items: &[Vertex]| {
        for (index, item) in items.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            // Writing to a string cannot fail.
            let _ = write!(text, "{comma}{item}");
        }
        text.push('\n');
    };
    join(&[graph.vertices() as Vertex]);
    for vertex in graph.all() {
        join(graph.neighbours(vertex));
    }
    join(&[map.players.len() as Vertex]);
    join(&map.players);
    match map.holder {
        Some(holder) => join(&[holder as Vertex]),
        None => text.push_str("-1\n"),
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const SQUARE: &str = "4\n1,3\n0,2\n1,3\n0,2\n2\n0,2\n1\n";

    #[test]
    fn the_first_dialect_round_trips() {
        let map = read(SQUARE).expect("a legal map");
        assert_eq!(map.players, [0, 2]);
        assert_eq!(map.holder, Some(1));
        assert_eq!(write(&map), SQUARE);
        let untidy = "\u{feff}4\r\n1, 3\r\n0,2\r\n1,3\r\n0,2\r\n1\r\n0\r\n-1\r\n\r\n";
        let map = read(untidy).expect("a legal map");
        assert_eq!((map.players.as_slice(), map.holder), ([0].as_slice(), None));
    }

    #[test]
    fn commas_at_the_end_of_a_row_are_those_of_a_spreadsheet() {
        let padded: String = SQUARE.lines().map(|row| row.to_owned() + ",,\n").collect();
        assert_eq!(read(&(padded + ",,,\n,\n")), read(SQUARE));
    }

    #[test]
    fn the_second_dialect_has_one_player_and_no_god() {
        let map = read("SIZE,3\n1\n0,2\n1").expect("a legal map");
        assert_eq!((map.players.as_slice(), map.holder), ([0].as_slice(), None));
        assert_eq!(map.graph.edges(), 2);
        assert_eq!(write(&map), "3\n1\n0,2\n1\n1\n0\n-1\n");
    }

    #[test]
    fn an_isolated_vertex_has_an_empty_line() {
        let map = read("3\n1\n0\n\n1\n2\n-1\n").expect("a legal map");
        assert_eq!(map.graph.degree(2), 0);
        assert_eq!(read(&write(&map)), Ok(map));
    }

    #[test]
    fn bad_maps_name_line_and_expectation() {
        let cases: &[(&str, usize, &str)] = &[
            ("", 1, "expected the number of vertices"),
            ("x\n", 1, "expected the number of vertices"),
            ("0\n", 1, "expected at least 1"),
            ("-3\n", 1, "expected the number of vertices"),
            ("99999999999999\n1\n", 2, "expected 99999999999999 lines"),
            ("4\n1\n0\n", 3, "expected 4 lines of neighbours"),
            ("2,1\n1\n0\n1\n0\n-1\n", 1, "expected nothing more"),
            ("2\n1\n0\n", 3, "expected the number of players"),
            ("2\n1\n0\n1\n", 4, "expected the vertices of 1 players"),
            ("2\n1\n0\n1\n0\n", 5, "expected the god's holder"),
            ("2\n2\n0\n1\n0\n-1\n", 2, "expected a number from 0 to 1"),
            ("2\n,1\n0\n1\n0\n-1\n", 2, "expected a number from 0 to 1"),
            ("2\n1\nx\n1\n0\n-1\n", 3, "expected a number from 0 to 1"),
            ("3\n1\n0\n1\n1\n0\n-1\n", 4, "does not name 2"),
            ("2\n1,1\n0\n1\n0\n-1\n", 2, "expected once"),
            ("2\n0,1\n0\n1\n0\n-1\n", 2, "its own neighbour"),
            ("2\n1\n0\n0\n\n-1\n", 4, "expected 1 to 4"),
            ("2\n1\n0\n5\n0,0,0,0,0\n-1\n", 4, "expected 1 to 4"),
            ("2\n1\n0\n2\n0\n-1\n", 5, "expected 2"),
            ("2\n1\n0\n1\n7\n-1\n", 5, "no vertex for a player"),
            (
                "2\n1\n0\n1\n0\n1\n",
                6,
                "holds the god but there are 1 players",
            ),
            (
                "2\n1\n0\n1\n0\n-2\n",
                6,
                "expected the god's holder, -1 to 0",
            ),
            ("2\n1\n0\n1\n0\nx\n", 6, "expected the god's holder"),
            ("2\n1\n0\n1\n0\n-1\n9\n", 7, "expected the end of the file"),
            ("SIZE\n1\n0\n", 1, "expected the number of vertices"),
            ("SIZE,2\n1\n0\n1\n", 4, "expected the end of the file"),
        ];
        for (text, line, expected) in cases {
            let error = read(text).expect_err(text);
            assert_eq!(error.line, Some(*line), "{text:?}: {error}");
            assert!(error.message.contains(expected), "{text:?}: {error}");
            assert!(!error.message.contains('\n'), "{error}");
        }
    }
}
