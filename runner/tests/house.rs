//! The rules that keep the project readable: one meaning per name, short functions, no code that reads prose.
//! `house.toml` at the top has the numbers.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use ikeru_consoles::Consoles;
use ikeru_session::registry;
use serde::Deserialize;

/// `house.toml`, without `total`, which `.ci/release` checks.
#[derive(Deserialize)]
struct House {
    /// The most code lines of a function.
    function: usize,
    /// Names that mean one thing in each solver, or in each subcommand.
    own_words: BTreeSet<String>,
    /// The exceptions: functions over the limit and names with two meanings, each with the reason.
    exceptions: BTreeMap<String, String>,
    /// The number of `unsafe` blocks of each file, and the test that executes them under Miri.
    miri: BTreeMap<String, (usize, String)>,
}

fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The code of every source file of the workspace by its path, without tests, comments and blank lines.
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
            let is_left_out =
                ["tests", "benches", "examples", "target", "workshop"].contains(&name.as_str());
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

/// The name of the function that begins in this line, with or without words such as `pub` before its `fn`.
fn name_of_function(line: &str) -> Option<&str> {
    let (before, after) = line.trim_start().split_once("fn ")?;
    let is_before = |word: &str| {
        ["pub", "const", "unsafe", "extern", "\"C\"", "async"].contains(&word)
            || word.starts_with("pub(")
    };
    let is_head = before.split_whitespace().all(is_before);
    after.split(['(', '<']).next().filter(|_| is_head)
}

#[test]
fn functions_are_short() {
    let house = house();
    let mut faults = BTreeMap::new();
    for (path, code) in sources() {
        // A function ends with the brace in the column of its `fn`.
        let mut begun: Option<(usize, usize, &str)> = None;
        for (at, line) in code.iter().enumerate() {
            let indent = line.len() - line.trim_start().len();
            let head = name_of_function(line).filter(|_| !line.ends_with(['}', ';']));
            if let Some(name) = head {
                begun = Some((at, indent, name));
            } else if let Some((from, column, name)) = begun.filter(|_| line.trim_start() == "}")
                && column == indent
            {
                if at - from + 1 > house.function {
                    let lines = format!("{} lines, at most {}", at - from + 1, house.function);
                    faults.insert(format!("{path} {name}"), lines);
                }
                begun = None;
            }
        }
    }
    check("a function is over its limit", &house, &faults);
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
        let own = path.starts_with("session/src/system");
        if let Some(line) = code.iter().find(is_fault).filter(|_| !own) {
            faults.insert(
                format!("{path} asks for the system"),
                line.trim().to_owned(),
            );
        }
    }
    check(
        "what differs by system is in session/src/system alone",
        &house,
        &faults,
    );
}

/// The rooms that test and bet: `statistics` has intervals of one sample, `compare` decides between two sides, `book` whether a
/// figure lies in a band.
const INFERENTIAL: [&str; 3] = ["statistics", "compare", "book"];

#[test]
fn three_rooms_decide_and_the_others_show_what_they_say() {
    let mut faults = Vec::new();
    let folders = fs::read_dir(top()).expect("the workspace").flatten();
    let inside = fs::read_dir(top().join("solvers"))
        .expect("solvers")
        .flatten();
    for folder in folders.chain(inside) {
        let room = folder.file_name().to_string_lossy().into_owned();
        // A crate for the distributions of tests and bets.
        let manifest = fs::read_to_string(folder.path().join("Cargo.toml")).unwrap_or_default();
        if manifest.contains("\nstatrs") && !INFERENTIAL.contains(&&*room) {
            faults.push(format!("{room}/Cargo.toml depends on statrs"));
        }
    }
    // Intervals at another level than 95 % belong to a decision.
    let at_a_level = ["t_mean_at", "interval::student", "normal_quantile"];
    for (path, code) in sources() {
        let is_free = INFERENTIAL
            .iter()
            .any(|room| path.starts_with(&format!("{room}/")));
        let decides = |line: &&String| at_a_level.iter().any(|name| line.contains(name));
        if let Some(line) = code.iter().find(decides).filter(|_| !is_free) {
            faults.push(format!("{path}: {}", line.trim()));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn a_test_executes_every_unsafe_block_under_miri() {
    let blocks = |code: Vec<String>| code.join("\n").matches("unsafe {").count();
    let found: BTreeMap<String, usize> = sources()
        .into_iter()
        .map(|(path, code)| (path, blocks(code)))
        .filter(|(_, blocks)| *blocks > 0)
        .collect();
    let known = house().miri.into_iter();
    let known: BTreeMap<String, usize> = known.map(|(path, (blocks, _))| (path, blocks)).collect();
    assert_eq!(
        found, known,
        "left: the sources, right: [miri] in house.toml"
    );
}

/// The rooms that know no problem, no source and no console by name.
const GENERIC: [&str; 4] = ["session", "records", "reports", "statistics"];

/// The names of sources and consoles, and the names and words of problems.
fn particular_names() -> Vec<String> {
    let sources = ikeru_bench_data::builtin::published().expect("published figures");
    let sources = sources.iter().map(|source| source.source.clone());
    let consoles = Consoles::built_in().expect("consoles").consoles;
    let mut names: Vec<String> = consoles.into_iter().map(|console| console.name).collect();
    names.extend(sources);
    for problem in registry::problems() {
        let words = problem.info().words.iter();
        let words = words.flat_map(|(column, words)| [*column, *words]);
        let quoted = words.filter(|word| *word != "size").chain([problem.name()]);
        names.extend(quoted.map(|word| format!("\"{word}\"")));
        let batch = problem.info().batch;
        names.extend(batch.map(|measure| format!("\"measure_{measure}\"")));
    }
    names
}

#[test]
fn generic_rooms_name_no_problem_no_source_and_no_console() {
    let names = particular_names();
    let mut faults = Vec::new();
    for (path, code) in sources() {
        if !GENERIC
            .iter()
            .any(|room| path.starts_with(&format!("{room}/")))
        {
            continue;
        }
        for (line, name) in code
            .iter()
            .flat_map(|line| names.iter().map(move |name| (line, name)))
        {
            if line.contains('"') && has_word(line, name) {
                faults.push(format!("{path}: {name}: {}", line.trim()));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Returns whether `word` is in the line and is no part of a longer word.
fn has_word(line: &str, word: &str) -> bool {
    let is_outside = |letter: Option<char>| !letter.is_some_and(char::is_alphanumeric);
    line.match_indices(word).any(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + word.len()..]);
        is_outside(before.chars().next_back()) && is_outside(after.chars().next())
    })
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

#[test]
fn the_citation_has_the_version_of_the_program() {
    let citation = fs::read_to_string(top().join("CITATION.cff")).expect("CITATION.cff");
    let version = format!("\nversion: {}\n", env!("CARGO_PKG_VERSION"));
    assert!(citation.contains(&version), "expected{version}");
}
