//! Inputs by number: a text that some generator wrote, with a few things changed.
//!
//! An input depends only on the seed and its number, so that a finding can be reproduced.

use std::time::Duration;

use ikeru::registry;
use ikeru_bench_data::builtin;
use ikeru_core::testing::corrupt::corrupted;
use ikeru_core::testing::specimen;
use ikeru_core::{
    AnyProblem, AnySolver, ContentHash, Deadline, Incumbent, Random, Search, Settings,
};
use ikeru_reports::records::{Columns, Extra, Family, Outcome, Record, Sample};
use ikeru_trail_proof::{Certificate, PROBLEM, solver};

/// The kind of a text.
#[derive(Clone, Copy)]
pub enum Kind {
    /// An instance of a problem.
    Instance(&'static dyn AnyProblem),
    /// Drawings of templates.
    Drawings,
    /// An experiment's TOML.
    Experiment,
    /// A `records.csv`.
    Records,
    /// A `run.toml`.
    Run,
    /// A certificate.
    Certificate,
    /// An instance of a problem and, behind a line [`ANSWER`], an answer in JSON, as foreign solvers give it.
    Answer(&'static dyn AnyProblem),
    /// Not a text: a generator's parameters, drawn while it is examined.
    Parameters(&'static dyn AnyProblem),
}

impl Kind {
    /// A word for file names.
    pub fn word(self) -> String {
        match self {
            Self::Instance(problem) => problem.name().to_owned(),
            Self::Drawings => "drawings".to_owned(),
            Self::Experiment => "experiment".to_owned(),
            Self::Records => "records".to_owned(),
            Self::Run => "run".to_owned(),
            Self::Certificate => "certificate".to_owned(),
            Self::Answer(problem) => format!("answer-{}", problem.name()),
            Self::Parameters(problem) => format!("parameters-{}", problem.name()),
        }
    }

    /// The kind with this word.
    pub fn of_word(word: &str) -> Option<Self> {
        Kinds::all().into_iter().find(|kind| kind.word() == word)
    }
}

/// All kinds with the texts that their inputs begin with.
pub struct Kinds(Vec<(Kind, Vec<String>)>);

/// Instances of each generator to begin with.
const SPECIMENS: u64 = 3;

/// The share of drawn parameters that are examined.
const PARAMETERS: f64 = 0.02;

const DRAWINGS: &str = "# a stair\nAB....\nAAB...\nBBCC..\n\n# another\n.x.\nxox\n";

/// A whole `records.csv` of two samples.
fn records() -> String {
    let columns = Columns::new([
        Extra::new(Family::Setting, "steps", ""),
        Extra::new(Family::Counter, "states", ""),
    ]);
    let record = |label, outcome| Record {
        experiment: "e",
        sample: label_hash(label),
        label,
        variant: label,
        generator: "reach.full-grid",
        threads: 1,
        taken: Sample {
            outcome,
            detail: "slow, very".to_owned(),
            score: Some(7),
            batch: Some(Duration::from_nanos(2000)),
            iterations: 2,
            counters: vec![("states".into(), 77)],
            ..Sample::default()
        },
        settings: vec![(Family::Setting, "steps", "48".to_owned())],
        ..Record::default()
    };
    let rows = [
        record("memo", Outcome::Solved),
        record("slots", Outcome::Timeout),
    ];
    let mut text = columns.header_line();
    text.extend(rows.iter().map(|row| columns.line(row)));
    text
}

/// A sample's identity as a row has it.
fn label_hash(label: &str) -> String {
    ContentHash::of(&[label.as_bytes()]).to_string()
}

const RUN: &str = "schema = 1\ncommand = \"ikeru run e\"\nstarted = \"2026-01-01T00:00:00Z\"\nseed = 0\nscale = \"quick\"\nsets = []\n\
[machine]\ncpu = \"x\"\ncores = \"2\"\n[versions]\nikeru = \"0.1.0\"\n";

impl Kinds {
    fn all() -> Vec<Kind> {
        let problems = registry::problems().iter();
        let mut kinds: Vec<Kind> = problems
            .flat_map(|&problem| {
                [
                    Kind::Instance(problem),
                    Kind::Parameters(problem),
                    Kind::Answer(problem),
                ]
            })
            .collect();
        kinds.extend([
            Kind::Certificate,
            Kind::Drawings,
            Kind::Experiment,
            Kind::Records,
            Kind::Run,
        ]);
        kinds
    }

    /// The kinds with their first texts, as `seed` has them; only the kind with a word, if there is one.
    pub fn new(seed: u64, only: Option<&str>) -> Self {
        let with_texts = |kind| (kind, first_texts(kind, seed));
        let wanted = Self::all().into_iter();
        let wanted = wanted.filter(|kind| only.is_none_or(|only| kind.word() == only));
        Self(wanted.map(with_texts).collect())
    }

    /// Input `number`: its kind, its text, and the random numbers to examine it with.
    pub fn input(&self, seed: u64, number: u64) -> (Kind, String, Random) {
        let mut random = Random::new(&format!("fuzz {seed}"), number);
        let (kind, texts) = loop {
            let drawn = &self.0[random.index(self.0.len())];
            // Making an instance takes a thousand times as long as reading one.
            let is_slow = matches!(drawn.0, Kind::Parameters(_));
            if !is_slow || self.0.len() == 1 || random.chance(PARAMETERS) {
                break drawn;
            }
        };
        let text = match texts.as_slice() {
            [] => String::new(),
            texts => {
                let other = &texts[random.index(texts.len())];
                let text = &texts[random.index(texts.len())];
                with_other_answer(kind, text, &mut random)
                    .unwrap_or_else(|| changed(text, other, &mut random))
            }
        };
        (*kind, text, random)
    }
}

fn first_texts(kind: Kind, seed: u64) -> Vec<String> {
    match kind {
        Kind::Instance(problem) => {
            let generators = problem.generators().into_iter();
            let made = generators.flat_map(|generator| {
                let seeds = (0..SPECIMENS).map(move |number| seed + number);
                seeds.filter_map(move |seed| specimen::small(problem, &generator, seed).ok())
            });
            made.map(|specimen| specimen.instance.text()).collect()
        }
        Kind::Drawings => vec![DRAWINGS.to_owned()],
        Kind::Experiment => builtin::experiment_texts()
            .map(|(_, text)| text.to_owned())
            .collect(),
        Kind::Records => vec![records()],
        Kind::Run => vec![RUN.to_owned()],
        Kind::Parameters(_) => Vec::new(),
        Kind::Certificate => {
            let texts = first_texts(Kind::Instance(certified()), seed).into_iter();
            texts.filter_map(|text| certificate(&text)).collect()
        }
        Kind::Answer(problem) => {
            let texts = first_texts(Kind::Instance(problem), seed).into_iter();
            texts.filter_map(|text| answered(problem, &text)).collect()
        }
    }
}

/// The line between an instance and an answer.
pub const ANSWER: &str = "--- answer ---\n";

/// Time for the answer to an instance.
const LIMIT: Duration = Duration::from_millis(200);

/// The problem whose answers have certificates.
pub fn certified() -> &'static dyn AnyProblem {
    registry::problem(PROBLEM).expect("a built-in problem")
}

/// An instance's text and the answer of its default variant.
fn answered(problem: &dyn AnyProblem, text: &str) -> Option<String> {
    let instance = problem.read(text).ok()?;
    let name = instance.default_variant();
    let prepared = instance.prepare(name, &Settings::new(), Deadline::after(LIMIT));
    let mut solver = prepared.ok()?;
    solve(problem, solver.as_mut());
    Some(format!("{text}{ANSWER}{}", solver.answer_json()?))
}

/// The certificate of an answer to an instance.
fn certificate(text: &str) -> Option<String> {
    let instance = certified().read(text).ok()?;
    let certificate = Certificate::default();
    let mut solver = solver(instance.as_ref(), instance.default_variant(), &certificate)?;
    solve(certified(), solver.as_mut());
    drop(solver);
    certificate.into_inner().ok()?
}

fn solve(problem: &dyn AnyProblem, solver: &mut dyn AnySolver) {
    let incumbent = Incumbent::new(problem.direction());
    solver.solve(&mut Search {
        deadline: Deadline::after(LIMIT),
        ..Search::new(&incumbent)
    });
}

/// Half of the answers are changed in one place of their JSON, so that they are read.
fn with_other_answer(kind: &Kind, text: &str, random: &mut Random) -> Option<String> {
    let (Kind::Answer(_), true) = (kind, random.chance(0.5)) else {
        return None;
    };
    let (instance, answer) = text.split_once(ANSWER)?;
    let answer = corrupted(&serde_json::from_str(answer).ok()?, random)?;
    Some(format!("{instance}{ANSWER}{answer}"))
}

/// Words that have broken readers before, one of them empty.
const WORDS: &str = "0 1 2 -1 7 64 65 1000000 4294967296 9223372036854775807 -9223372036854775808 18446744073709551616 0.5 1e308 NaN true  *0 *99999999 +3037000 = .. \u{0} いける";

/// `text` with one to five changes of characters, words or lines; `other` lends lines.
pub fn changed(text: &str, other: &str, random: &mut Random) -> String {
    let mut text = text.to_owned();
    for _ in 0..random.between(1, 5) {
        text = match random.below(3) {
            0 => with_letter(&text, random),
            1 => with_word(&text, random),
            _ => with_line(&text, other, random),
        };
    }
    text
}

fn with_letter(text: &str, random: &mut Random) -> String {
    const LETTERS: [char; 20] = [
        '0', '1', '9', '-', '+', '*', '.', ',', ' ', '\n', '"', '=', '[', ']', '#', 'O', 'R', '@',
        'T', '→',
    ];
    let mut letters: Vec<char> = text.chars().collect();
    let letter = LETTERS[random.index(LETTERS.len())];
    let at = random.index(letters.len() + 1);
    match random.below(3) {
        0 if at < letters.len() => letters[at] = letter,
        1 if at < letters.len() => {
            letters.remove(at);
        }
        _ => letters.insert(at, letter),
    }
    letters.into_iter().collect()
}

/// A word, between blanks, commas or quotes, replaced by another.
fn with_word(text: &str, random: &mut Random) -> String {
    let is_edge =
        |letter: char| letter.is_whitespace() || matches!(letter, ',' | '"' | '=' | '[' | ']');
    let mut words: Vec<(usize, usize)> = Vec::new();
    let mut begin = None;
    for (at, letter) in text.char_indices().chain([(text.len(), ' ')]) {
        match (is_edge(letter), begin) {
            (false, None) => begin = Some(at),
            (true, Some(from)) => {
                words.push((from, at));
                begin = None;
            }
            _ => {}
        }
    }
    if words.is_empty() {
        return text.to_owned();
    }
    let (from, to) = words[random.index(words.len())];
    let (other_from, other_to) = words[random.index(words.len())];
    let known: Vec<&str> = WORDS.split(' ').collect();
    let word = match random.below(2) {
        0 => &text[other_from..other_to],
        _ => known[random.index(known.len())],
    };
    format!("{}{word}{}", &text[..from], &text[to..])
}

/// A line removed, doubled, moved, or taken from another text; or all that follows it gone.
fn with_line(text: &str, other: &str, random: &mut Random) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    let others: Vec<&str> = other.lines().collect();
    if lines.is_empty() || others.is_empty() {
        return text.to_owned();
    }
    let (at, to) = (random.index(lines.len()), random.index(lines.len()));
    match random.below(5) {
        0 => {
            lines.remove(at);
        }
        1 => lines.insert(to, lines[at]),
        2 => lines.swap(at, to),
        3 => lines.insert(at, others[random.index(others.len())]),
        _ => lines.truncate(at),
    }
    let mut text = lines.join("\n");
    text.push('\n');
    text
}
