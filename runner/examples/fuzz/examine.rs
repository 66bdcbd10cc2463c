//! What must hold for every input, however it came about.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

use ikeru_bench_data::Experiment;
use ikeru_build::templates::drawing;
use ikeru_core::{
    AnyInstance, AnyProblem, Deadline, Ended, Incumbent, Random, Refusal, Rejection, Search,
    SettingInfo, SettingKind, Settings, Value,
};
use ikeru_reports::failures::Failures;
use ikeru_reports::run_file::RunFile;
use ikeru_reports::{Rows, check, summary};

use crate::inputs::Kind;

/// Time for one answer.
const LIMIT: Duration = Duration::from_millis(50);

/// An input that takes longer than this has ignored its limits.
const PATIENCE: Duration = Duration::from_secs(20);

/// Larger instances are read, written and asked, but not solved.
const SOLVED_SIZE: u64 = 5_000;

/// How far an input came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// It is no input of its kind.
    Refused,
    /// It was read.
    Accepted,
    /// It was read, and an answer was refereed.
    Solved,
}

/// Examines one input; `solves` is the chance that an instance is solved as well.
///
/// # Errors
/// What must not happen: a panic, a wrong answer, another text after reading back, a limit that is ignored.
pub fn examine(
    kind: Kind,
    text: &str,
    solves: f64,
    random: &mut Random,
    folder: &Path,
) -> Result<Depth, String> {
    let started = Instant::now();
    let examined = catch_unwind(AssertUnwindSafe(|| match kind {
        Kind::Instance(problem) => instance(problem, text, solves, random),
        Kind::Parameters(problem) => parameters(problem, solves, random),
        Kind::Drawings => drawings(text),
        Kind::Experiment => experiment(text),
        Kind::Records => records(text, folder),
        Kind::Run => run(text, folder),
    }));
    let took = started.elapsed();
    // Generators have no limit of their own.
    let is_making = matches!(kind, Kind::Parameters(_));
    match examined {
        Err(panic) => {
            let message = panic.downcast_ref::<String>().cloned();
            let message =
                message.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
            Err(format!("panicked: {}", message.unwrap_or_default()))
        }
        Ok(_) if took > PATIENCE && !is_making => Err(format!("took {:.1} s", took.as_secs_f64())),
        Ok(result) => result,
    }
}

const MAP: &str = "type octile\nheight 3\nwidth 4\nmap\n....\n.@..\n..T.\n";

fn instance(
    problem: &'static dyn AnyProblem,
    text: &str,
    solves: f64,
    random: &mut Random,
) -> Result<Depth, String> {
    let Ok(instance) = problem.read_with(text, &|_| Ok(MAP.to_owned())) else {
        return Ok(Depth::Refused);
    };
    read_back(problem, instance.as_ref())?;
    solve(problem, instance.as_ref(), solves, random)
}

fn parameters(
    problem: &'static dyn AnyProblem,
    solves: f64,
    random: &mut Random,
) -> Result<Depth, String> {
    let generators = problem.generators();
    let generator = generators[random.index(generators.len())];
    let drawn = draw(generator.parameters, random);
    let made = problem.generate(generator.name, &drawn, random.below(1 << 20));
    let Ok(instance) = made else {
        return Ok(Depth::Refused);
    };
    let described = |error| format!("{} {drawn}: {error}", generator.name);
    if instance.size() < SOLVED_SIZE {
        read_back(problem, instance.as_ref()).map_err(described)?;
    }
    solve(problem, instance.as_ref(), solves, random).map_err(described)
}

fn read_back(problem: &dyn AnyProblem, instance: &dyn AnyInstance) -> Result<(), String> {
    let written = instance.text();
    match problem.read(&written) {
        Err(error) => Err(format!("its own text is refused: {error}")),
        Ok(again) if again.text() != written => {
            Err("it is written differently once read back".to_owned())
        }
        Ok(_) => Ok(()),
    }
}

/// Asks a random question, lets random variants answer, and the referee look.
fn solve(
    problem: &dyn AnyProblem,
    instance: &dyn AnyInstance,
    solves: f64,
    random: &mut Random,
) -> Result<Depth, String> {
    let question = draw(problem.settings(), random);
    let asked = instance
        .ask(&question)
        .or_else(|_| instance.ask(&Settings::new()));
    let Ok(asked) = asked else {
        return Ok(Depth::Accepted);
    };
    if asked.size() > SOLVED_SIZE || !random.chance(solves) {
        return Ok(Depth::Accepted);
    }
    let variants = problem.variants();
    let mut depth = Depth::Accepted;
    let mut proven: Option<(String, Option<i64>)> = None;
    for _ in 0..2 {
        let variant = variants[random.index(variants.len())];
        let method = draw(variant.settings, random);
        let who = format!("asked {question}, {} {method}", variant.name);
        let mut solver = match asked.prepare(variant.name, &method, Deadline::after(LIMIT)) {
            Ok(solver) => solver,
            Err(Refusal::Skip(_) | Refusal::Input(_) | Refusal::Timeout) => continue,
        };
        let incumbent = Incumbent::new(problem.direction());
        solver.solve(&mut Search {
            deadline: Deadline::after(LIMIT),
            ..Search::new(&incumbent)
        });
        match solver.referee(Deadline::after(LIMIT)) {
            None | Some(Err(Rejection::Timeout)) => continue,
            // A published length that was changed is rightly refused.
            Some(Err(Rejection::Wrong(wrong))) if wrong.to_string().contains("published as") => {
                continue;
            }
            Some(Err(Rejection::Wrong(wrong))) => return Err(format!("{who}: {wrong}")),
            Some(Ok(checked)) if solver.ended() == Some(Ended::Solved) && solver.proven() => {
                if let Some((first, score)) = &proven
                    && *score != checked.score
                {
                    return Err(format!(
                        "{who}: {:?}, but {first}: {score:?}",
                        checked.score
                    ));
                }
                proven = Some((who, checked.score));
            }
            Some(Ok(_)) => {}
        }
        depth = Depth::Solved;
    }
    Ok(depth)
}

/// Values for a third of the settings: small ones, wild ones, and words.
fn draw(declared: &[SettingInfo], random: &mut Random) -> Settings {
    const WILD: [i64; 9] = [-1, 0, 1, 63, 64, 65, 1000, 1_000_000, i64::MAX];
    let mut drawn = Settings::new();
    for setting in declared {
        if !random.chance(0.33) {
            continue;
        }
        let value = match (setting.kind, random.below(4)) {
            (SettingKind::Bool { default }, _) => Value::Bool(!default),
            (_, 0) => Value::Int(WILD[random.index(WILD.len())]),
            (SettingKind::Float { .. }, _) => Value::Float(random.unit() * 3.0 - 0.5),
            (SettingKind::Choice { words, .. }, _) => {
                Value::parse(words()[random.index(words().len())])
            }
            _ => Value::Int(random.between(0, 12)),
        };
        drawn.set(setting.name, value);
    }
    drawn
}

fn drawings(text: &str) -> Result<Depth, String> {
    Ok(match drawing::read(text) {
        Ok(_) => Depth::Accepted,
        Err(_) => Depth::Refused,
    })
}

fn experiment(text: &str) -> Result<Depth, String> {
    let Ok(experiment) = Experiment::read("fuzz.toml", text) else {
        return Ok(Depth::Refused);
    };
    let labels = experiment.variant_specs();
    let labels: Vec<String> = labels
        .into_iter()
        .flatten()
        .map(|spec| spec.label)
        .collect();
    let _ = experiment.instance_specs(1);
    let _ = experiment.setting_specs();
    let _ = check::check(&experiment, &["label", "wall_ns"], &labels);
    let written = experiment.text().map_err(|error| error.to_string())?;
    let again = Experiment::read("written.toml", &written).map_err(|error| error.to_string())?;
    // What is not a number equals nothing, itself included.
    if again != experiment && !written.contains("nan") {
        return Err("it is another experiment once read back".to_owned());
    }
    let _ = experiment.at_full_scale().instance_specs(2);
    Ok(Depth::Accepted)
}

fn records(text: &str, folder: &Path) -> Result<Depth, String> {
    let path = folder.join("records.csv");
    fs::write(&path, text).map_err(|error| error.to_string())?;
    let Ok(rows) = Rows::read(&path) else {
        return Ok(Depth::Refused);
    };
    let _ = Failures::of(&rows).sentence();
    let summaries = summary::summarize(&rows, &[]);
    let written = summary::write(&folder.join("summary.csv"), &rows, &summaries);
    written.map_err(|error| error.to_string())?;
    Ok(Depth::Solved)
}

fn run(text: &str, folder: &Path) -> Result<Depth, String> {
    let path = folder.join("run.toml");
    fs::write(&path, text).map_err(|error| error.to_string())?;
    Ok(match RunFile::read(folder) {
        Ok(_) => Depth::Accepted,
        Err(_) => Depth::Refused,
    })
}
