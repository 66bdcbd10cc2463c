//! The probe has the same scores and counters as the contract, and distinguishes refusals from errors.

use std::path::Path;
use std::process::{Command, Output};

use ikeru_console_probe::{problem, problems};
use ikeru_core::{Deadline, Incumbent, Search, Settings, Value};

fn probe(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ikeru-console-probe"))
        .args(arguments)
        .output()
        .expect("the probe starts")
}

fn text(output: &[u8]) -> String {
    String::from_utf8(output.to_vec()).expect("text")
}

/// A problem, a generator, its parameters and the question's settings.
type ProbeQuestion<'a> = (&'a str, &'a str, Numbers<'a>, Numbers<'a>);

type Numbers<'a> = &'a [(&'a str, i64)];

fn settings(numbers: Numbers) -> Settings {
    let numbers = numbers.iter();
    numbers
        .map(|(name, number)| (*name, Value::Int(*number)))
        .collect()
}

/// Writes the instance of seed 1 and returns its file.
fn write(folder: &Path, problem: &str, generator: &str, parameters: Numbers) -> String {
    let known = self::problem(problem).expect("a problem");
    let instance = known.generate(generator, &settings(parameters), 1);
    let file = folder.join(problem);
    std::fs::write(&file, instance.expect("generated").text()).expect("written");
    file.to_str().expect("a plain path").to_owned()
}

/// The first line of `text` that starts with `word`, without it.
fn value<'a>(text: &'a str, word: &str) -> &'a str {
    let line = text.lines().find_map(|line| line.strip_prefix(word));
    line.expect("a line with the word").trim()
}

#[test]
fn every_variant_prints_what_the_contract_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let questions: [ProbeQuestion; 7] = [
        (
            "reach",
            "reach.spanning-grid",
            &[("width", 8), ("height", 7)],
            &[("steps", 7)],
        ),
        ("trail", "trail.random", &[("width", 3), ("height", 3)], &[]),
        (
            "path",
            "path.terrain",
            &[("width", 24), ("height", 20), ("queries", 3)],
            &[],
        ),
        ("chain", "chain.long-chain", &[], &[]),
        (
            "routes",
            "routes.spanning-grid",
            &[("width", 6), ("height", 5)],
            &[("steps", 6)],
        ),
        ("deep", "deep.random", &[("pieces", 2)], &[]),
        ("build", "build.sequence", &[], &[("moves", 3)]),
    ];
    let mut compared = 0;
    for (name, generator, parameters, asked) in questions {
        let file = write(folder.path(), name, generator, parameters);
        let known = problem(name).expect("a problem");
        let content = std::fs::read_to_string(&file).expect("read");
        let instance = known.read(&content).expect("an instance");
        let instance = instance.ask(&settings(asked)).expect("a question");
        let words: Vec<String> = asked
            .iter()
            .map(|(key, number)| format!("{key}={number}"))
            .collect();
        for variant in known.variants() {
            let what = format!("{name} {}", variant.name);
            let mut arguments = vec![name, variant.name, file.as_str(), "2"];
            arguments.extend(words.iter().map(String::as_str));
            let output = probe(&arguments);
            let printed = text(&output.stdout);
            let prepared = instance.prepare(variant.name, &Settings::new(), Deadline::never());
            let Ok(mut solver) = prepared else {
                assert_eq!(output.status.code(), Some(3), "{what}");
                assert!(printed.starts_with("refused: "), "{printed}");
                continue;
            };
            let incumbent = Incumbent::new(known.direction());
            let mut search = Search::new(&incumbent);
            solver.solve(&mut search);
            let score = solver.claimed().expect("a score");
            assert_eq!(value(&printed, "score "), score.to_string(), "{what}");
            assert_eq!(
                value(&printed, "size "),
                instance.size().to_string(),
                "{what}"
            );
            let memory: u64 = value(&printed, "memory_bytes ").parse().expect("bytes");
            assert!(memory >= solver.table_bytes(), "{what}: {memory}");
            let counters = search.counters.iter();
            let counters: Vec<String> = counters
                .map(|(counter, count)| format!("counter {counter} {count}"))
                .collect();
            let lines = printed.lines().filter(|line| line.starts_with("counter "));
            assert!(lines.eq(counters.iter()), "{what}: {printed}");
            compared += 1;
        }
    }
    assert!(compared >= 20, "only {compared} variants were compared");
    // `versus` is not counted.
    assert_eq!(problems().len(), questions.len() + 1);
}

#[test]
fn a_mistake_is_one_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = write(folder.path(), "chain", "chain.long-chain", &[]);
    for (arguments, part) in [
        (vec!["chain", "flood", &file], "usage: "),
        (vec!["chain", "flood", &file, "0"], "usage: "),
        (vec!["chian", "flood", &file, "1"], "did you mean `chain`?"),
        (vec!["chain", "flod", &file, "1"], "did you mean `flood`?"),
        (vec!["chain", "flood", "none.txt", "1"], "none.txt: "),
        (
            vec!["chain", "flood", &file, "1", "wide"],
            "`wide` is no key=value",
        ),
        (vec!["chain", "flood", &file, "1", "wide=3"], "wide"),
    ] {
        let output = probe(&arguments);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
        assert!(message.contains(part), "{arguments:?}: {message}");
        assert_eq!(message.lines().count(), 1, "{message}");
    }
}
