//! Invalid input and questions, and the messages that refuse them.

use ikeru_core::{Deadline, Problem, Refusal};
use ikeru_path::answer::Answer;
use ikeru_path::cost::Length;
use ikeru_path::map::Cell;
use ikeru_path::{GridPath, read_scenario};

use crate::{ABSENT, checked, settings};

const MAP: &str = "type octile\nheight 2\nwidth 3\nmap\n..@\n...\n";

fn refusal(text: &str) -> (Option<usize>, String) {
    let error = GridPath::read(text).expect_err("bad input");
    (error.line, error.message)
}

#[test]
fn maps_that_are_none() {
    // The line, a part of the message, and the text with `/` for a line break.
    for row in "1 | expected `type octile` |
        1 | expected `type octile` | type tile/height 2
        2 | first row names no map, expected a row of 9 fields | version 1/
        2 | first row names no map | version 1/A1.3dmap/
        3 | given twice | type octile/width 3/width 3
        2 | expected a side from 1 to 8192 | type octile/height x
        2 | expected a side from 1 to 8192 | type octile/height 999999999/width 9
        4 | more than the text has | type octile/height 8000/width 8000/map/.
        6 | expected row 2 of 2 | type octile/height 2/width 3/map/...
        5 | 2 letters, expected 3 | type octile/height 2/width 3/map/../...
        5 | `x` in column 20 | type octile/height 1/width 20/map/...................x
        5 | `é` in column 3 | type octile/height 1/width 3/map/..é"
        .lines()
    {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let (line, message) = refusal(&cells[2].replace('/', "\n"));
        assert_eq!(line, cells[0].parse().ok(), "{message}");
        assert!(message.contains(cells[1]), "{message}");
    }
}

#[test]
fn scenarios_that_do_not_fit() {
    for (row, part) in [
        ("0 m 3 2 0 0 2 1", "8 fields, expected 9"),
        ("0 m 4 2 0 0 2 1 1", "for a map of 4×2, this one has 3×2"),
        ("0 m 3 2 0 0 3 1 1", "goal 3,1 is outside the map"),
        ("0 m 3 2 -1 0 2 1 1", "start is `-1,0`"),
        ("x m 3 2 0 0 2 1 1", "bucket is `x`"),
        ("0 m 3 2 0 0 2 1 nan", "length is `nan`"),
    ] {
        let error = read_scenario(MAP, &format!("version 1\n{row}\n")).expect_err(row);
        assert_eq!(error.line, Some(2), "{error}");
        assert!(error.message.contains(part), "{error}");
        // The same rows after the map in one text.
        let (line, message) = refusal(&format!("{MAP}version 1\n{row}\n"));
        assert_eq!((line, message), (Some(8), error.message));
    }
    let scaled = read_scenario(MAP, "version 1\n0 m 6 4 0 0 2 1 2\n").expect_err("scaled");
    assert!(scaled.message.contains("maps are not scaled"), "{scaled}");
    let error = read_scenario(MAP, "version 2\n").expect_err("a version");
    assert!(error.message.contains("expected `version 1`"), "{error}");
}

#[test]
fn rows_of_other_maps_are_left_out_and_counted() {
    let own = "0 a 3 2 0 0 2 1 2.41421356\n";
    let others = "0 b 9 9 0 0 8 8 1\n0 c 3 2 0 0 2 1 2\n";
    let read = read_scenario(MAP, &format!("version 1\n{own}{others}{own}")).expect("a scenario");
    assert_eq!(read.queries.len(), 2);
    let words = "2 rows left out of other maps, such as `b`";
    assert_eq!(read.left_out_in_words(), words);
    let answer = crate::solve("dijkstra", &read, "", 1).expect("solved");
    assert!(GridPath::answer_text(&read, &answer).ends_with(words));
    let one = read_scenario(MAP, &format!("{own}{others}")).expect("a row of its own");
    let answer = crate::solve("dijkstra", &one, "", 1).expect("solved");
    assert!(GridPath::answer_text(&one, &answer).ends_with(words));
    let alone = read_scenario(MAP, own).expect("a row without a version");
    assert_eq!(alone.left_out_in_words(), "");
}

/// Of the letters of other programs one is documented as ground: `E`.
#[test]
fn a_place_for_deliveries_is_ground() {
    let read = |row: &str| GridPath::read(&format!("type octile\nheight 1\nwidth 3\nmap\n{row}\n"));
    let map = read(".E.").expect("a map");
    let asked = map.ask(&settings("start=0,0 goal=2,0")).expect("ends");
    assert!(asked.queries.len() == 1 && asked.factor(Cell::new(1, 0)) == Some(100));
    let error = read(".s.").expect_err("no terrain").message;
    assert!(
        error.starts_with("`s` in column 2 is no terrain"),
        "{error}"
    );
}

/// A row on blocked ground is read and left out; a part of the scenario that has no other row is skipped.
#[test]
fn a_blocked_row_is_left_out_and_said() {
    let mut rows = "version 1\n".to_owned();
    for row in 0..10 {
        rows += if row == 4 {
            "0 m 3 2 2 0 2 1 1\n"
        } else {
            "0 m 3 2 0 0 2 1 2.41421356\n"
        };
    }
    let read = read_scenario(MAP, &rows).expect("rows on the map");
    for variant in GridPath::VARIANTS {
        if ABSENT.contains(&variant.name) {
            continue;
        }
        for (words, skipped, left_out) in
            [("tenth=4", false, 0), ("tenth=5", true, 1), ("", false, 1)]
        {
            let asked = read.ask(&settings(words)).expect("rows");
            assert_eq!(asked.left_out, left_out, "{words}");
            let prepared = (variant.prepare)(&asked, &settings(""), Deadline::never());
            match prepared {
                Ok(_) => assert!(!skipped, "{} {words}", variant.name),
                Err(Refusal::Skip(why)) => {
                    assert!(skipped, "{} {words}: {why}", variant.name);
                    let says = "row 5 of the scenario: start 2,0 is wall, which the unit `grid` cannot enter";
                    assert_eq!(why, says);
                }
                Err(error) => panic!("{} {words}: {error}", variant.name),
            }
        }
    }
    // An answer from outside has no query there.
    let asked = read.ask(&settings("tenth=5")).expect("a row");
    let mut path = Answer::new();
    let length = Length {
        straight: 100,
        diagonal: 0,
    };
    path.push_path([Cell::new(2, 0), Cell::new(2, 1)], length);
    path.claim(asked.question.costs);
    assert!(checked(&asked, &path, Deadline::never()).is_err());
}

#[test]
fn questions_that_cannot_be_asked() {
    let map = GridPath::read(MAP).expect("a map");
    for (words, part) in [
        ("start=0,0", "needs goal="),
        ("start=0;0 goal=1,1", "expected x,y"),
        (
            "start=0,0 goal=2,0",
            "goal 2,0 is wall, which the unit `grid` cannot enter",
        ),
        ("start=0,0 goal=3,0", "goal 3,0 is outside the map of 3×2"),
        (
            "start=0,0 goal=1,1 unit=ship",
            "start 0,0 is plain, which the unit `ship`",
        ),
        ("bucket=3", "no query of bucket 3"),
        ("forest=-1", "expected a factor from 0 to 1000, or no"),
        ("forest=nan", "expected a factor from 0 to 1000, or no"),
        ("corners=both", "one of allow, one-side, both-sides"),
        ("unit=tanke", "nearest: `tank`"),
    ] {
        let error = map.ask(&settings(words)).expect_err(words);
        assert!(error.message.contains(part), "{words}: {error}");
    }
    for variant in GridPath::VARIANTS {
        let refused = (variant.prepare)(&map, &settings(""), Deadline::never());
        let Err(Refusal::Input(error)) = refused else {
            panic!("{}: nothing was asked, yet it answers", variant.name);
        };
        assert!(error.message.contains("nothing is asked"), "{error}");
    }
}

#[test]
fn a_question_in_the_text_is_checked_too() {
    for (line, part) in [
        ("question corners", "expected key=value"),
        (
            "question start=1,1",
            "unknown setting of the question `start`",
        ),
        ("question forest=x", "expected a factor"),
        ("nonsense", "stands after the last row"),
    ] {
        let (number, message) = refusal(&format!("{MAP}\n{line}\n"));
        assert_eq!(number, Some(8), "{message}");
        assert!(message.contains(part), "{message}");
    }
}

/// Reading any text must give an instance or an error.
#[test]
fn garbled_texts_never_panic() {
    use proptest::prelude::*;
    let lines = prop::sample::select(vec![
        "type octile",
        "height 2",
        "width 3",
        "map",
        "..@",
        "...",
        "version 1",
        "version 9e9",
        "0 m 3 2 0 0 1 1 1.4",
        "0\tm\t3\t2\t0\t0\t1\t1\t1.4",
        "question corners=allow",
        "",
        "é",
        "height 18446744073709551615",
        "0 m 3 2 99999 0 1 1 1e999",
        "question forest=1e300",
    ]);
    proptest!(ProptestConfig::with_cases(500), |(text in prop::collection::vec(lines, 0..12))| {
        if let Ok(instance) = GridPath::read(&text.join("\n")) {
            let written = GridPath::write(&instance);
            let again = GridPath::read(&written).expect("what was written can be read");
            prop_assert_eq!(GridPath::write(&again), written);
        }
    });
}

/// `cat X.map X.map.scen`: some published maps end without a newline.
#[test]
fn a_map_without_its_last_newline_is_joined_too() {
    let row = "0\tm\t3\t2\t0\t0\t1\t1\t1.41421356\n";
    let [version, later] = ["version 1\n", "\u{feff}version 1.0\n"].map(|it| format!("{it}{row}"));
    for next in [version, later, "question connectivity=4\n".to_owned()] {
        let read = |map: &str| GridPath::read(&format!("{map}{next}"));
        let [torn, whole] = [MAP.trim_end(), MAP].map(|map| read(map).expect("a map"));
        assert_eq!(GridPath::write(&torn), GridPath::write(&whole), "{next}");
    }
    refusal(&format!("{}versions\n", MAP.trim_end()));
}

/// A solver in another language reads the rows that are asked, and no others.
#[test]
fn the_file_of_a_foreign_solver_has_the_asked_rows() {
    let row = |bucket: u32, x: u32| format!("{bucket}\tm\t3\t2\t0\t0\t{x}\t1\t-1\n");
    // The end of the second one is no ground.
    let blocked = "0\tm\t3\t2\t0\t0\t2\t0\t-1\n";
    let rows = [row(0, 1), blocked.to_owned(), row(1, 0), row(1, 2)].concat();
    let base = ikeru_core::erase::<GridPath>().read(&format!("{MAP}version 1\n{rows}"));
    let base = base.expect("a map");
    for (asked, count) in [
        ("", 3),
        ("bucket=0", 1),
        ("bucket=1", 2),
        ("start=0,0 goal=1,1", 1),
    ] {
        let asked = base.ask(&settings(asked)).expect("a question");
        let file = String::from_utf8(asked.bytes()).expect("text");
        assert_eq!(file.matches("\tm\t").count(), count, "{file}");
        assert_eq!(asked.text(), base.text());
    }
}
