//! What keeps the house small: budgets of code lines, one name for one thing, short files and functions, no code that
//! reads prose. `house.toml` at the top has the numbers; who exceeds one edits it there and says why.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

/// `house.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct House {
    /// The most code lines of each room: without tests, blank lines and comments.
    rooms: BTreeMap<String, usize>,
    /// The most code lines of a file below each folder, and of a function.
    files: BTreeMap<String, usize>,
    function: usize,
    /// Names that mean one thing in each solver, or in each subcommand.
    own_words: BTreeSet<String>,
    /// What is over a limit or has two meanings, and why.
    exceptions: BTreeMap<String, String>,
}

fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The code of every source file by its path, without tests, comments and blank lines.
fn sources() -> BTreeMap<String, Vec<String>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![top()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path
                .file_name()
                .map(|name| name.to_string_lossy().into_owned());
            let name = name.expect("a name");
            let is_left_out = ["tests", "benches", "examples", "target"].contains(&name.as_str());
            if path.is_dir() && !is_left_out && !name.starts_with('.') {
                folders.push(path);
            } else if name.ends_with(".rs") && name != "tests.rs" && name != "build.rs" {
                let text = fs::read_to_string(&path).expect("text");
                let inside = path
                    .strip_prefix(top())
                    .expect("inside")
                    .display()
                    .to_string();
                found.insert(inside, code(&text));
            }
        }
    }
    found
}

fn code(text: &str) -> Vec<String> {
    let mut lines: Vec<&str> = text.lines().collect();
    let mut tests = lines.windows(2).enumerate();
    let is_test = |pair: &[&str]| pair[0] == "#[cfg(test)]" && pair[1].ends_with('{');
    if let Some((at, _)) = tests.find(|(_, pair)| is_test(pair)) {
        lines.truncate(at);
    }
    let is_code = |line: &&str| !line.trim().is_empty() && !line.trim().starts_with("//");
    lines
        .into_iter()
        .filter(is_code)
        .map(str::to_owned)
        .collect()
}

/// Asserts that every fault is among the exceptions; `rule` is the sentence that a reader gets.
fn check(rule: &str, house: &House, faults: &BTreeMap<String, String>) {
    let news: Vec<String> = faults
        .iter()
        .filter(|(key, _)| !house.exceptions.contains_key(*key))
        .map(|(key, fault)| format!("{key}: {fault}"))
        .collect();
    assert!(news.is_empty(), "{rule}\n{}", news.join("\n"));
}

fn house() -> House {
    let text = fs::read_to_string(top().join("house.toml")).expect("house.toml");
    toml::from_str(&text).expect("the keys of house.toml")
}

#[test]
fn no_room_exceeds_its_budget_of_code_lines() {
    let house = house();
    let mut lines: BTreeMap<&str, usize> = BTreeMap::new();
    for (path, code) in sources() {
        let rooms = house
            .rooms
            .keys()
            .filter(|room| path.starts_with(room.as_str()));
        let room = rooms.max_by_key(|room| room.len());
        let room = room.unwrap_or_else(|| panic!("{path} is in no room of house.toml"));
        *lines.entry(room).or_default() += code.len();
    }
    for (room, most) in &house.rooms {
        let now = lines.get(room.as_str()).copied().unwrap_or(0);
        assert!(
            now <= *most,
            "{room} has {now} code lines, its budget in house.toml is {most}: cut, or edit it and say why"
        );
    }
}

#[test]
fn no_type_name_means_two_things() {
    let house = house();
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (path, code) in sources() {
        for line in &code {
            let words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
            let mut words =
                words.filter(|word| !["", "pub", "crate", "super", "in"].contains(word));
            let is_type = matches!(words.next(), Some("struct" | "enum" | "trait"));
            if let Some(name) = words.next().filter(|_| is_type) {
                places
                    .entry(name.to_owned())
                    .or_default()
                    .push(path.clone());
            }
        }
    }
    places.retain(|name, own| own.len() > 1 && !house.own_words.contains(name));
    let faults = places.into_iter().map(|(name, own)| (name, own.join(", ")));
    check(
        "a type name stands for one thing in the workspace",
        &house,
        &faults.collect(),
    );
}

#[test]
fn files_and_functions_are_short() {
    let house = house();
    let mut faults = BTreeMap::new();
    for (path, code) in sources() {
        let folders = house
            .files
            .iter()
            .filter(|(folder, _)| path.starts_with(folder.as_str()));
        let most = folders.max_by_key(|(folder, _)| folder.len());
        if let Some((_, most)) = most.filter(|(_, most)| code.len() > **most) {
            faults.insert(
                path.clone(),
                format!("{} code lines, at most {most}", code.len()),
            );
        }
        // A function ends with the brace in the column of its `fn`.
        let mut begun: Option<(usize, usize, &str)> = None;
        for (at, line) in code.iter().enumerate() {
            let indent = line.len() - line.trim_start().len();
            let head = line
                .trim_start()
                .trim_start_matches("pub ")
                .trim_start_matches("const ");
            if head.starts_with("fn ") && !line.ends_with('}') && !line.ends_with(';') {
                begun = Some((at, indent, head));
            } else if let Some((from, column, head)) = begun.filter(|_| line.trim_start() == "}")
                && column == indent
            {
                let name = head[3..].split(['(', '<']).next().unwrap_or_default();
                if at - from + 1 > house.function {
                    let lines = format!("{} lines, at most {}", at - from + 1, house.function);
                    faults.insert(format!("{path} {name}"), lines);
                }
                begun = None;
            }
        }
    }
    check("a file or a function is over its limit", &house, &faults);
}

#[test]
fn no_code_reads_prose_that_another_part_wrote() {
    let house = house();
    let mut faults = BTreeMap::new();
    for (path, code) in sources() {
        for line in &code {
            let reads = ["contains(\"", "starts_with(\"", "split_once(\"", "find(\""];
            let of_prose = [
                "message",
                "detail",
                "remark",
                "error.to_string()",
                "reason",
                "why",
            ];
            let is_read = reads.iter().any(|call| {
                let before = line
                    .split(call)
                    .next()
                    .filter(|before| before.len() < line.len());
                before.is_some_and(|before| {
                    of_prose
                        .iter()
                        .any(|word| before.trim_end_matches('.').ends_with(word))
                })
            });
            if is_read {
                faults.insert(format!("{path} reads prose"), line.trim().to_owned());
            }
        }
    }
    check(
        "data has columns, errors have positions: no code reads messages",
        &house,
        &faults,
    );
}

#[test]
fn one_module_knows_which_system_it_is_compiled_for() {
    let house = house();
    let mut faults = BTreeMap::new();
    for (path, code) in sources() {
        let asks = [
            "target_os",
            "cfg(unix",
            "cfg(windows",
            "cfg!(unix",
            "cfg!(windows",
        ];
        let calls = ["std::os::", "rustix::", "signal_hook::"];
        let is_fault = |line: &&String| asks.iter().chain(&calls).any(|word| line.contains(word));
        let own = path.starts_with("runner/session/src/system");
        if let Some(line) = code.iter().find(is_fault).filter(|_| !own) {
            faults.insert(
                format!("{path} asks for the system"),
                line.trim().to_owned(),
            );
        }
    }
    check(
        "what differs by system is in runner/session/src/system alone",
        &house,
        &faults,
    );
}

#[test]
fn every_exception_is_still_one() {
    let house = house();
    let text: String = sources()
        .into_iter()
        .map(|(path, code)| path + "\n" + &code.join("\n"))
        .collect();
    for key in house.exceptions.keys() {
        let first = key.split(' ').next().unwrap_or_default();
        assert!(
            text.contains(first),
            "house.toml: the exception `{key}` is about nothing any more"
        );
    }
}
