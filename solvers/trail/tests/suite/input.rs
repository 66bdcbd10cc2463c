//! Tests of the errors of the text format and of the question, with their lines and expectations.

use ikeru_core::{Problem, Random, Settings, Value};
use ikeru_trail::{TrailProblem, format};
use serde_json::json;

use crate::read;

const BOARD: &str = "2 3\n+1\n+2 -3\n*4\n+5 +6\n+7\n";

/// Reads the texts of a table, each behind `head`, and compares line and message of the errors.
#[track_caller]
fn refused(head: &str, line: usize, rows: &str) {
    for row in rows.lines() {
        let (text, message) = row.split_once('|').expect("a text and a message");
        let error = format::read(&format!("{head}{}", text.trim())).expect_err(message);
        let found = (error.line, error.message.as_str());
        assert_eq!(found, (Some(line), message.trim()));
    }
}

#[test]
fn sizes_must_be_boards() {
    refused(
        "",
        1,
        "| expected the width of the board in vertices, found the end of the text
        3 | expected the height of the board in vertices, found the end of the text
        x 3 | expected the width of the board in vertices, found `x`
        0 5 | a board needs at least two vertices, found 0 x 5
        1 1 | a board needs at least two vertices, found 1 x 1
        -1 1 | expected the width of the board in vertices, found `-1`
        18446744073709551615 18446744073709551615 | the board is too large",
    );
}

#[test]
fn operations_are_counted_and_known() {
    let missing = "expected vertical operation 2 of 2 in row 1 of 3 (`+4`, `-1` or `*3`)";
    let (digits, most) = ("9".repeat(30), i64::MAX);
    let rows = format!(
        "| {missing}, found the end of the text
        /2 | {missing}, found `/2`
        3 | {missing}, found `3`
        +-3 | {missing}, found `+-3`
        - | {missing}, found `-`
        +{digits} | {missing} with a number of at most {most}, found `+{digits}`"
    );
    refused("2 3\n+1\n+2 ", 3, &rows);
    let error = format::read("2 2 *99999999999\n+1 +2\n*99999999999").expect_err("too large");
    let (line, message) = (error.line, error.message.as_str());
    assert!(
        line == Some(3) && message.starts_with("the numbers are too large with `*99999999999`"),
        "{error}"
    );
}

#[test]
fn the_route_so_far_is_a_trail_on_the_board() {
    refused(
        BOARD,
        7,
        "+8 | expected the number of vertices of the route so far (at least 1) or the end, found `+8`
        1 6 5 | vertex 6 is not on the board, expected 0 to 5
        1 0 6 | vertex 6 is not on the board, expected 0 to 5
        2 0 3 5 | no edge leads from vertex 0 to vertex 3
        3 0 1 0 5 | the edge from vertex 1 to vertex 0 is passed twice
        1 0 | expected the goal, a vertex number, found the end of the text
        0 0 | expected the number of vertices of the route so far (at least 1) or the end, found `0`
        3 0 1 | expected vertex 3 of 3 of the route so far, found the end of the text",
    );
}

#[test]
fn the_best_route_is_replayed() {
    let head = format!("{BOARD}1 0 5\n");
    let best = read(&format!("{head}4 0 2 3 5 18"));
    assert_eq!(best.best_known().map(|trail| trail.score), Some(18));
    // The number may be that of its edges.
    assert_eq!(read(&format!("{head}3 0 2 3 5 18")), best);
    let counts = "expected 4 vertices of the best route (or its 4 edges' 5 vertices) and its score";
    let rows = format!(
        "4 0 2 3 5 17 | the best route has the score 18, expected 17 as written
        3 0 2 4 8 | a trail must end at the goal 5
        2 3 5 7 | a trail must begin with [0], the route so far
        4 0 2 3 5 18 1 1 | {counts}, found 7 numbers
        4 0 | {counts}, found 1 numbers
        4 0 2 x 5 18 | expected a vertex number or the score of the best route, found `x`
        4 0 2 -3 5 18 | expected a vertex number, found `-3`"
    );
    refused(&head, 8, &rows);
}

#[test]
fn the_question_is_on_the_board() {
    let puzzle = read(&format!("{BOARD}2 0 1 5"));
    let ask =
        |name, value| TrailProblem::ask(&puzzle, &Settings::from_iter([(name, Value::Int(value))]));
    let error = ask("start", 6).expect_err("off the board");
    assert_eq!(
        error.message,
        "setting `start` is `6`, expected a whole number from 0 to 5"
    );
    assert!(ask("goal", -1).is_err());
    let other = ask("start", 3).expect("a vertex");
    assert_eq!((other.route(), other.goal()), (&[3][..], 5));
    let other = ask("goal", 3).expect("a vertex");
    assert_eq!((other.route(), other.goal()), (&[0, 1][..], 3));
}

#[test]
fn without_a_question_the_trail_leads_from_corner_to_corner() {
    let puzzle = read(BOARD);
    assert_eq!((puzzle.start(), puzzle.goal()), (0, 5));
    assert_eq!(format::write(&puzzle), format!("{BOARD}1 0 5\n"));
}

#[test]
fn no_text_makes_reading_panic() {
    let mut random = Random::new("trail torn texts", 1);
    let whole = format!("{BOARD}2 0 1 5\n4 0 1 3 5 30\n");
    for _ in 0..20_000 {
        let mut bytes = whole.clone().into_bytes();
        for _ in 0..=random.below(3) {
            let place = random.index(bytes.len().max(1));
            if bytes.is_empty() {
                break;
            }
            match random.below(3) {
                0 => bytes[place] = b"0123456789+-*x \n"[random.index(16)],
                1 => drop(bytes.remove(place)),
                _ => bytes.truncate(place + 1),
            }
        }
        if let Ok(puzzle) = format::read(&String::from_utf8_lossy(&bytes)) {
            let again = format::read(&format::write(&puzzle));
            assert_eq!(again.as_ref(), Ok(&puzzle), "written and read again");
        }
    }
}

#[test]
fn an_answer_has_its_witness() {
    let puzzle = TrailProblem::read("3 1\n+1 +1\n2 0 1 0\n").expect("a puzzle");
    let read = |answer| TrailProblem::read_answer(&puzzle, &answer);
    assert_eq!(read(json!({ "trail": null })), Ok(None));
    let missing = read(json!({ "goal": 0 })).expect_err("no trail");
    assert!(
        missing.to_string().contains("missing key `trail`"),
        "{missing}"
    );
}
