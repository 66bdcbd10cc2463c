//! Reads and writes the `.map` and `.scen` files of the published grid benchmarks, and both in one text.
//!
//! One text holds a whole instance: the map; a scenario, beginning with `version 1`, if there are queries; and a line
//! `question` with `key=value` words if the rules are not the default. A `.map` is therefore such a text, and so is a
//! map followed by its `.scen`.

use std::fmt::Write as _;

use ikeru_core::{InputError, Settings, Value, input_error, refuse};

use crate::instance::{Instance, MapInput, Query};
use crate::lines::MapLines;
use crate::map::{Cell, LONGEST_SIDE, Terrain, TerrainMap};
use crate::question::{self, Question};

/// The fields of a row of a scenario.
const ROW: &str = "9 fields: bucket map width height start-x start-y goal-x goal-y length";

/// Reads a text of an instance.
///
/// # Errors
/// Names the line and what was expected.
pub fn read(text: &str) -> Result<Instance, InputError> {
    let mut lines = MapLines::new(text);
    let map = read_map(&mut lines, text.len())?;
    let mut input = MapInput {
        map,
        map_name: "map".to_owned(),
        scenario: Vec::new(),
        other_map: None,
        question: Question::default(),
    };
    let mut scenario_lines = Vec::new();
    if let Some((number, line)) = lines.next_filled() {
        // A scenario from a separate file may begin with a byte order mark.
        let line = line.trim_start_matches('\u{feff}');
        match line.split_whitespace().next() {
            Some("version") => {
                read_version(number, line)?;
                read_rows(&mut lines, &mut input, &mut scenario_lines)?;
            }
            Some("question") => read_question(&mut lines, number, line, &mut input)?,
            _ => {
                let expected = "expected `version 1`, `question` or the end of the text";
                refuse!(
                    number,
                    "`{}` stands after the last row of the map, {expected}",
                    clip(line)
                );
            }
        }
    }
    check_ends(&input, &scenario_lines)?;
    Instance::new(input)
}

/// Reads a map and the scenario that was published with it.
///
/// # Errors
/// As [`read`]; an error of the scenario names the line of the scenario's file.
pub fn read_scenario(map_text: &str, scenario_text: &str) -> Result<Instance, InputError> {
    let mut input = read(map_text)?.input.as_ref().clone();
    input.scenario.clear();
    input.other_map = None;
    let mut lines = MapLines::new(scenario_text);
    if !is_row(
        scenario_text
            .lines()
            .find(|line| !line.trim().is_empty())
            .unwrap_or_default(),
    ) {
        let (number, line) = lines.expect("`version 1`")?;
        read_version(number, line)?;
    }
    let mut scenario_lines = Vec::new();
    read_rows(&mut lines, &mut input, &mut scenario_lines)?;
    check_ends(&input, &scenario_lines)?;
    Instance::new(input)
}

/// The map named in the first row if `text` is a scenario without its map. The oldest scenarios have no line `version
/// 1`.
pub fn named_map(text: &str) -> Option<&str> {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let first = lines.next()?;
    if is_row(first) {
        return fields(first).get(1).copied();
    }
    if !first
        .trim_start()
        .to_ascii_lowercase()
        .starts_with("version")
    {
        return None;
    }
    lines
        .next()
        .filter(|row| is_row(row))
        .and_then(|row| fields(row).get(1).copied())
}

/// Returns whether a line has the fields of a row of a scenario.
fn is_row(line: &str) -> bool {
    let fields = fields(line);
    let numbers = |fields: &[&str]| fields.iter().all(|field| field.parse::<u32>().is_ok());
    fields.len() == 9 && numbers(&fields[..1]) && numbers(&fields[2..8])
}

/// Writes an instance without the settings asked of it, so that [`read`] returns the same input.
pub fn write(input: &MapInput) -> String {
    let mut text = write_map(&input.map);
    if !input.scenario.is_empty() {
        text += &write_scenario(input);
    }
    let words = input.question.words();
    if !words.is_empty() {
        let _ = writeln!(text, "question {words}");
    }
    text
}

/// Writes a `.map` file.
pub fn write_map(map: &TerrainMap) -> String {
    let mut text = format!(
        "type octile\nheight {}\nwidth {}\nmap\n",
        map.height(),
        map.width()
    );
    for row in map.letters().chunks(map.width()) {
        text.extend(row.iter().map(|letter| char::from(*letter)));
        text.push('\n');
    }
    text
}

/// Writes a `.scen` file; an unknown length is written as -1.
pub fn write_scenario(input: &MapInput) -> String {
    let mut text = "version 1\n".to_owned();
    let (width, height) = (input.map.width(), input.map.height());
    for query in &input.scenario {
        let (start, goal) = (query.start, query.goal);
        let _ = writeln!(
            text,
            "{}\t{}\t{width}\t{height}\t{}\t{}\t{}\t{}\t{}",
            query.bucket,
            input.map_name,
            start.x,
            start.y,
            goal.x,
            goal.y,
            query.published.unwrap_or(-1.0)
        );
    }
    text
}

fn read_map(lines: &mut MapLines, text_length: usize) -> Result<TerrainMap, InputError> {
    let (number, line) = lines.expect("`type octile`")?;
    if line.starts_with("version") {
        refuse!(
            number + 1,
            "a scenario whose first row names no map, expected a row of {ROW}"
        );
    }
    if line.split_whitespace().ne(["type", "octile"]) {
        refuse!(number, "`{}`, expected `type octile`", clip(line));
    }
    let mut sides = [0, 0];
    for _ in 0..2 {
        let (number, line) = lines.expect("`height` or `width`")?;
        let (side, length) = read_side(number, line)?;
        if sides[side] != 0 {
            refuse!(number, "the same side is given twice");
        }
        sides[side] = length;
    }
    let [height, width] = sides;
    let (number, line) = lines.expect("`map`")?;
    if line != "map" {
        refuse!(number, "`{}`, expected `map`", clip(line));
    }
    // A header with more cells than the text has letters is refused before memory is allocated.
    if width * height > text_length {
        refuse!(
            number,
            "the header announces {width}×{height} cells, more than the text has letters"
        );
    }
    let mut letters = Vec::with_capacity(width * height);
    for row in 0..height {
        let (number, mut line) = lines.expect(&format!("row {} of {height}", row + 1))?;
        if row + 1 == height {
            line = lines.cut((number, line), width);
        }
        read_row(number, line, width, &mut letters)?;
    }
    TerrainMap::new(width, height, letters)
}

fn read_side(number: usize, line: &str) -> Result<(usize, usize), InputError> {
    let mut words = line.split_whitespace();
    let side = match words.next() {
        Some("height") => 0,
        Some("width") => 1,
        _ => {
            refuse!(number, "`{}`, expected `height` or `width`", clip(line));
        }
    };
    words
        .next()
        .and_then(|word| word.parse::<usize>().ok())
        .filter(|length| (1..=LONGEST_SIDE).contains(length) && words.next().is_none())
        .map(|length| (side, length))
        .ok_or_else(|| {
            input_error!(
                number,
                "`{}`, expected a side from 1 to {LONGEST_SIDE}",
                clip(line)
            )
        })
}

fn read_row(
    number: usize,
    line: &str,
    width: usize,
    letters: &mut Vec<u8>,
) -> Result<(), InputError> {
    let found = line.chars().count();
    if found != width {
        refuse!(number, "the row has {found} letters, expected {width}");
    }
    for (column, letter) in line.chars().enumerate() {
        match u8::try_from(letter)
            .ok()
            .filter(|l| Terrain::of(*l).is_some())
        {
            Some(letter) => letters.push(letter),
            None => {
                refuse!(
                    number,
                    "`{letter}` in column {} is no terrain, expected one of . G E = S T ^ W @ O",
                    column + 1
                );
            }
        }
    }
    Ok(())
}

fn read_version(number: usize, line: &str) -> Result<(), InputError> {
    let mut words = line.split_whitespace();
    let is_one = |word: &str| word.parse() == Ok(1.0);
    match (words.next(), words.next(), words.next()) {
        (Some(word), Some(version), None)
            if word.eq_ignore_ascii_case("version") && is_one(version) =>
        {
            Ok(())
        }
        _ => Err(input_error!(
            number,
            "`{}`, expected `version 1`",
            clip(line)
        )),
    }
}

/// Reads a row of a scenario. A row of another map than the first row's is counted and gives `None`.
fn read_query(
    number: usize,
    line: &str,
    input: &mut MapInput,
    first: bool,
) -> Result<Option<Query>, InputError> {
    let fields = fields(line);
    if let [_, name, _, _, _, _, _, _, _] = fields[..] {
        if first {
            name.clone_into(&mut input.map_name);
        } else if input.map_name != name {
            let (_, rows) = input.other_map.get_or_insert_with(|| (clip(name), 0));
            *rows += 1;
            return Ok(None);
        }
    }
    read_fields(number, &fields, &input.map).map(Some)
}

/// Reads the rows of a scenario up to the end of the text or a `question` line; `numbers` gets their line numbers.
fn read_rows(
    lines: &mut MapLines,
    input: &mut MapInput,
    numbers: &mut Vec<usize>,
) -> Result<(), InputError> {
    while let Some((number, line)) = lines.next_filled() {
        if line.split_whitespace().next() == Some("question") {
            return read_question(lines, number, line, input);
        }
        if let Some(query) = read_query(number, line, input, numbers.is_empty())? {
            input.scenario.push(query);
            numbers.push(number);
        }
    }
    Ok(())
}

fn read_fields(number: usize, fields: &[&str], map: &TerrainMap) -> Result<Query, InputError> {
    let wrong = |message: String| InputError::at(number, message);
    let &[
        bucket,
        _,
        width,
        height,
        start_x,
        start_y,
        goal_x,
        goal_y,
        length,
    ] = fields
    else {
        return Err(wrong(format!("{} fields, expected {ROW}", fields.len())));
    };
    let whole = |field: &str, what: &str| {
        field.parse::<u32>().map_err(|_| {
            wrong(format!(
                "{what} is `{}`, expected a whole number",
                clip(field)
            ))
        })
    };
    let side = |x: &str, y: &str, what: &str| {
        let coordinate = |field: &str| {
            let expected = || wrong(format!("{what} is `{x},{y}`, expected a cell of the map"));
            field.parse::<u16>().map_err(|_| expected())
        };
        Ok::<Cell, InputError>(Cell::new(coordinate(x)?, coordinate(y)?))
    };
    let sizes = (
        whole(width, "width")? as usize,
        whole(height, "height")? as usize,
    );
    let map = (map.width(), map.height());
    if sizes != map {
        return Err(wrong(format!(
            "the row is for a map of {}×{}, this one has {}×{}; maps are not scaled",
            sizes.0, sizes.1, map.0, map.1
        )));
    }
    let length: f64 = length
        .parse()
        .ok()
        .filter(|length: &f64| length.is_finite())
        .ok_or_else(|| wrong(format!("length is `{}`, expected a number", clip(length))))?;
    let (start, goal) = (
        side(start_x, start_y, "start")?,
        side(goal_x, goal_y, "goal")?,
    );
    // A negative length means that it is unknown, and so does a length of 0 between different cells.
    let is_known = length > 0.0 || (length == 0.0 && start == goal);
    Ok(Query {
        bucket: whole(bucket, "bucket")?,
        start,
        goal,
        published: is_known.then_some(length),
    })
}

fn read_question(
    lines: &mut MapLines,
    number: usize,
    line: &str,
    input: &mut MapInput,
) -> Result<(), InputError> {
    let mut settings = Settings::new();
    for word in line.split_whitespace().skip(1) {
        let (key, value) = word
            .split_once('=')
            .ok_or_else(|| input_error!(number, "`{}`, expected key=value", clip(word)))?;
        if settings.value(key).is_some() {
            refuse!(number, "a second `{key}`, expected one");
        }
        settings.set(key, Value::parse(value));
    }
    let at = |error: InputError| InputError::at(number, error.message);
    // Start and goal belong to the queries of a scenario.
    let rules: Vec<_> = question::SETTINGS
        .iter()
        .filter(|setting| !["start", "goal", "bucket", "tenth"].contains(&setting.name))
        .copied()
        .collect();
    settings.check("the question", &[&rules]).map_err(at)?;
    input.question = input.question.with(&settings).map_err(at)?;
    match lines.next_filled() {
        None => Ok(()),
        Some((number, _)) => Err(InputError::at(number, "expected nothing after `question`")),
    }
}

/// Refuses a query that is not on the map; the error names its line.
fn check_ends(input: &MapInput, numbers: &[usize]) -> Result<(), InputError> {
    for (query, number) in input.scenario.iter().zip(numbers) {
        for (end, cell) in query.ends() {
            if !input.map.contains(cell) {
                refuse!(*number, "{end} {cell} is outside the map");
            }
        }
    }
    Ok(())
}

/// The fields of a row: separated by tabs if that gives nine fields, otherwise by white space.
fn fields(line: &str) -> Vec<&str> {
    let by_tabs: Vec<&str> = line.trim_end().split('\t').map(str::trim).collect();
    match by_tabs.len() {
        9 => by_tabs,
        _ => line.split_whitespace().collect(),
    }
}

/// The beginning of a line for a message.
fn clip(line: &str) -> String {
    let mut clipped: String = line.chars().take(40).collect();
    if clipped.len() < line.len() {
        clipped.push('…');
    }
    clipped
}
