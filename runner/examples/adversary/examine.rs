//! The properties that every input must have.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

use ikeru_bench_data::Experiment;
use ikeru_core::{
    AnyInstance, AnyProblem, Deadline, Direction, Incumbent, Random, Rejection, Score, Search,
    Settings,
};
use ikeru_policy::templates::drawing;
use ikeru_reports::failures::Failures;
use ikeru_reports::run_file::RunFile;
use ikeru_reports::{Rows, check, summary};

use crate::configuration::{Configuration, Side, answers, draw};
use crate::inputs::{self, ANSWER, Kind};

/// Time for one answer.
pub const LIMIT: Duration = Duration::from_millis(50);

/// The time after which an input has ignored its limits.
const PATIENCE: Duration = Duration::from_secs(20);

/// The maximum size of solved instances; larger ones are read, written and asked, but not solved.
const SOLVED_SIZE: u64 = 5_000;

/// The last stage that an input reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// It is no input of its kind.
    Refused,
    /// It was read.
    Accepted,
    /// It was read, and an answer was refereed.
    Solved,
}

impl Depth {
    fn of(is_read: bool) -> Self {
        match is_read {
            true => Self::Accepted,
            false => Self::Refused,
        }
    }
}

/// The share of instances that are solved while the budget has time: an answer takes a thousand times as long as
/// reading.
const SOLVES: f64 = 0.1;

/// The time for solving: unlimited, or a share of the total time.
pub struct Budget {
    share: Option<f64>,
    started: Instant,
    spent: Duration,
}

impl Budget {
    /// Solving takes about this share of the time; without a share it is unlimited.
    pub fn new(share: Option<f64>) -> Self {
        Self {
            share,
            started: Instant::now(),
            spent: Duration::ZERO,
        }
    }

    /// Returns whether this input is solved. A random number is drawn in any case, so that the rest of an input does
    /// not depend on the time.
    fn allows(&self, random: &mut Random) -> bool {
        let is_drawn = random.chance(SOLVES);
        let is_left = |share| self.spent < self.started.elapsed().mul_f64(share);
        self.share.is_none_or(|share| is_drawn && is_left(share))
    }

    fn spend<T>(&mut self, solve: impl FnOnce() -> T) -> T {
        let started = Instant::now();
        let result = solve();
        self.spent += started.elapsed();
        result
    }
}

/// Examines one input; an instance is solved as well if the budget has time for it.
///
/// # Errors
/// A panic, a wrong answer, another text after reading back, or a limit that is ignored.
pub fn examine(
    kind: Kind,
    text: &str,
    budget: &mut Budget,
    random: &mut Random,
) -> Result<Depth, String> {
    let started = Instant::now();
    let examined = catch_unwind(AssertUnwindSafe(|| match kind {
        Kind::Instance(problem) => instance(problem, text, budget, random),
        Kind::Parameters(problem) => parameters(problem, budget, random),
        Kind::Drawings => Ok(Depth::of(drawing::read(text).is_ok())),
        Kind::Experiment => experiment(text),
        Kind::Records => records(text),
        Kind::Run => Ok(Depth::of(
            RunFile::of_text(text, Path::new("run.toml")).is_ok(),
        )),
        Kind::Certificate => certificate(text, budget, random),
        Kind::Answer(problem) => foreign_answer(problem, text, budget, random),
    }));
    let took = started.elapsed();
    // Generators have no time limit.
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
    budget: &mut Budget,
    random: &mut Random,
) -> Result<Depth, String> {
    let Ok(instance) = problem.read_with(text, &|_| Ok(MAP.to_owned())) else {
        return Ok(Depth::Refused);
    };
    read_back(problem, instance.as_ref())?;
    solve(problem, instance.as_ref(), budget, random)
}

/// The score that the default variant proves of an instance, if it does so in time.
fn proven(instance: &dyn AnyInstance, direction: Direction) -> Option<Option<Score>> {
    let name = instance.default_variant();
    let prepared = instance.prepare(name, &Settings::new(), Deadline::after(LIMIT));
    let mut solver = prepared.ok()?;
    let incumbent = Incumbent::new(direction);
    solver.solve(&mut Search {
        deadline: Deadline::after(LIMIT),
        ..Search::new(&incumbent)
    });
    let checked = solver.referee(Deadline::after(LIMIT))?.ok()?;
    solver.proven().then_some(checked.score)
}

/// A certificate that is accepted proves the best score.
fn certificate(text: &str, budget: &mut Budget, random: &mut Random) -> Result<Depth, String> {
    let Ok(verified) = ikeru_trail_proof::verify(text) else {
        return Ok(Depth::Refused);
    };
    let problem = inputs::certified();
    let instance = problem.read(&verified.instance);
    let instance = instance.map_err(|error| format!("it is about no instance: {error}"))?;
    if !budget.allows(random) {
        return Ok(Depth::Accepted);
    }
    match budget.spend(|| proven(instance.as_ref(), problem.direction())) {
        None => Ok(Depth::Accepted),
        Some(score) if score == verified.score => Ok(Depth::Solved),
        Some(score) => Err(format!(
            "it proves {:?}, but the best is {score:?}",
            verified.score
        )),
    }
}

/// An answer that was read is written and read again as the same answer; if it was accepted, it is accepted again. No
/// accepted answer is better than a proven one.
fn foreign_answer(
    problem: &'static dyn AnyProblem,
    text: &str,
    budget: &mut Budget,
    random: &mut Random,
) -> Result<Depth, String> {
    let Some((instance, answer)) = text.split_once(ANSWER) else {
        return Ok(Depth::Refused);
    };
    let Ok(instance) = problem.read_with(instance, &|_| Ok(MAP.to_owned())) else {
        return Ok(Depth::Refused);
    };
    let Ok(answer) = serde_json::from_str(answer) else {
        return Ok(Depth::Refused);
    };
    let judge = |answer| instance.judge(answer, Deadline::after(LIMIT));
    let Ok(judged) = judge(&answer) else {
        return Ok(Depth::Refused);
    };
    let again =
        judge(&judged.answer).map_err(|error| format!("once written it is refused: {error}"))?;
    let is_timeout = |verdict: &Result<_, Rejection>| matches!(verdict, Err(Rejection::Timeout));
    if is_timeout(&judged.verdict) || is_timeout(&again.verdict) {
        return Ok(Depth::Accepted);
    }
    // Claims in addition to the witness are not written again, so a refused answer may be accepted then.
    let is_lost = judged.verdict.is_ok() && again.verdict.is_err();
    if again.answer != judged.answer || is_lost {
        return Err("it is another answer once written and read".to_owned());
    }
    let Ok(checked) = judged.verdict else {
        return Ok(Depth::Accepted);
    };
    if !budget.allows(random) {
        return Ok(Depth::Accepted);
    }
    let best = budget.spend(|| proven(instance.as_ref(), problem.direction()));
    let is_beaten = match (problem.direction(), best) {
        (_, None) => return Ok(Depth::Accepted),
        (Direction::Equal, Some(best)) => checked.score != best,
        (Direction::Maximize, Some(best)) => checked.score > best,
        (Direction::Minimize, Some(best)) => checked
            .score
            .is_some_and(|score| best.is_none_or(|best| score < best)),
    };
    match is_beaten {
        true => Err(format!(
            "its score {:?} beats the proven {best:?}",
            checked.score
        )),
        false => Ok(Depth::Solved),
    }
}

fn parameters(
    problem: &'static dyn AnyProblem,
    budget: &mut Budget,
    random: &mut Random,
) -> Result<Depth, String> {
    let drawn = Configuration::draw(problem, random);
    let Some(instance) = drawn.instance() else {
        return Ok(Depth::Refused);
    };
    if instance.size() < SOLVED_SIZE {
        let back = read_back(problem, instance.as_ref());
        back.map_err(|error| format!("{drawn}: {error}"))?;
    }
    if instance.size() > SOLVED_SIZE || !budget.allows(random) {
        return Ok(Depth::Accepted);
    }
    budget
        .spend(|| drawn.check(instance.as_ref()))
        .map_err(|error| {
            let smallest = drawn.clone().smallest();
            format!("{drawn}: {error}; the smallest that fails: {smallest}")
        })
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

/// Asks a random question, and lets variants answer if there is time.
fn solve(
    problem: &dyn AnyProblem,
    instance: &dyn AnyInstance,
    budget: &mut Budget,
    random: &mut Random,
) -> Result<Depth, String> {
    let question = draw(problem.settings(), random);
    let asked = instance
        .ask(&question)
        .or_else(|_| instance.ask(&Settings::new()));
    let Ok(asked) = asked else {
        return Ok(Depth::Accepted);
    };
    if asked.size() > SOLVED_SIZE || !budget.allows(random) {
        return Ok(Depth::Accepted);
    }
    let sides = Side::two(problem, random);
    let answered = budget.spend(|| answers(problem, asked.as_ref(), &sides));
    answered.map_err(|error| format!("asked {question}, {error}"))
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
    // A NaN is not equal to itself.
    if again != experiment && !written.contains("nan") {
        return Err("it is another experiment once read back".to_owned());
    }
    let _ = experiment.at_full_scale().instance_specs(2);
    Ok(Depth::Accepted)
}

fn records(text: &str) -> Result<Depth, String> {
    let Ok(rows) = Rows::read_text(text, Path::new("records.csv")) else {
        return Ok(Depth::Refused);
    };
    let _ = Failures::of(&rows).sentence();
    let summaries = summary::summarize(&rows, &[]);
    let mut writer = csv::Writer::from_writer(Vec::new());
    let written = summary::table(&rows).fill(&mut writer, &summaries);
    written.map_err(|error| error.to_string())?;
    Ok(Depth::Accepted)
}
