//! `ikeru-console-probe PROBLEM VARIANT FILE ANSWERS [key=value…]`: answers, then prints score, size, memory and
//! counters, one name and its value per line. Exit code 3: the variant refuses the question; 2: an error.
#![deny(unsafe_code)]

mod allocator;
#[cfg(target_os = "linux")]
mod seed;

use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use ikeru_console_probe::{ProbeFailure, ProbeQuestion, problem};
use ikeru_core::InputError;

#[global_allocator]
static ALLOCATOR: allocator::Counting = allocator::Counting;

const USAGE: &str = "usage: ikeru-console-probe PROBLEM VARIANT FILE ANSWERS [key=value…]";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (text, code) = match run(&arguments) {
        Ok(text) => (text, ExitCode::SUCCESS),
        Err(ProbeFailure::Input(error)) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
        Err(refused) => (format!("{refused}\n"), ExitCode::from(3)),
    };
    match std::io::stdout().write_all(text.as_bytes()) {
        Ok(()) => code,
        Err(_) => ExitCode::from(2),
    }
}

fn run(arguments: &[String]) -> Result<String, ProbeFailure> {
    let [name, variant, file, answers, settings @ ..] = arguments else {
        return Err(InputError::new(USAGE).into());
    };
    let answers = answers.parse().ok().filter(|answers| *answers > 0);
    let answers = answers.ok_or_else(|| InputError::new(USAGE))?;
    let question = ProbeQuestion::read(problem(name)?, Path::new(file), settings)?;
    let before = allocator::start();
    let mut solver = question.prepare(variant)?;
    let answer = question.answer(solver.as_mut(), answers);
    let memory = allocator::highest() - before;
    let score = answer
        .score
        .map_or("none".to_owned(), |score| score.to_string());
    let mut text = format!(
        "score {score}\nsize {}\ntable_bytes {}\nmemory_bytes {memory}\n",
        question.size(),
        answer.table_bytes
    );
    for (name, value) in answer.counters.iter() {
        text += &format!("counter {name} {value}\n");
    }
    Ok(text)
}
