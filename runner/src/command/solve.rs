//! `ikeru solve`: one instance, one variant.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, bail};
use clap::Args;
use ikeru_bench_data::experiment::{Foreign, Protocol, parse_duration};
use ikeru_core::{
    AnyInstance, AnyProblem, AnySolver, BoundPolicy, Checked, ContentHash, Counters, Deadline,
    Direction, Ended, Incumbent, Refusal, Rejection, Score, Search, Settings, VariantInfo,
};
use ikeru_reports::{picture, units};
use serde_json::{Map, Value as Json, json};

use super::scope::parse_mebibytes;
use crate::execute::foreign::{Call, Process};
use crate::execute::{Outcome, child, failed, referee_limit};
use crate::plan::{Program, Solver};
use crate::{input, interrupt, output, registry};

/// What to solve, and how.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  ikeru solve reach map.csv --set steps=10 --json\n  \
    ikeru solve trail puzzle.txt --limit 60s --threads 2\n  \
    ikeru generate chain.long-chain | ikeru solve chain -\n  \
    ikeru solve trail puzzle.txt --certificate proof.txt\n  \
    ikeru solve build stairs --show truth\n  \
    ikeru solve reach map.csv --set steps=10 -- python3 solve.py {instance} {setting:steps}\n\n\
    A command behind `--` answers in place of a variant (docs/your-solver.md).\n\
    `ikeru list problems --verbose` and `ikeru list variants --verbose` tell the settings.\n\
    Exit code 3 when the referee finds the answer wrong."
)]
pub struct Arguments {
    /// The problem, such as reach
    problem: String,
    /// The instance; `-` is standard input
    file: PathBuf,
    /// The solver; left out, the best exact one for the instance
    #[arg(long, value_name = "V")]
    variant: Option<String>,
    /// A setting of the question or of the variant; may be given several times
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Give up after this time, such as 500ms, 60s or 2m
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    limit: Option<Duration>,
    /// Threads that the variant may use
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// Threads do not share their best score
    #[arg(long)]
    private: bool,
    /// One JSON object instead of text
    #[arg(long)]
    json: bool,
    /// Draw the answer into FILE.svg or FILE.png; several frames become FILE-0, FILE-1, …
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,
    /// Write a certificate of optimality into FILE, for `ikeru verify`; takes a variant that can, such as lagrangian
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,
    /// Only print a stage of the templates in FILE (or of a built-in set such as stairs, for `build`):
    /// labels, truth, weights or matrix
    #[arg(long, value_name = "STAGE", conflicts_with_all = ["variant", "limit", "json", "private", "certificate"])]
    show: Option<String>,
    /// Memory of each process of the command behind `--`, like 256MiB
    #[arg(long, value_name = "SIZE", requires = "command", value_parser = parse_mebibytes)]
    memory: Option<u64>,
    /// How the command behind `--` is asked: once, or jsonl for a process that answers many times
    #[arg(long, value_name = "PROTOCOL", requires = "command", value_parser = protocol)]
    protocol: Option<Protocol>,
    /// A solver in any language: a program and its arguments, with {instance} or {stdin} among them
    #[arg(last = true, value_name = "COMMAND", conflicts_with_all = ["variant", "private", "show", "certificate"])]
    command: Vec<String>,
}

fn protocol(word: &str) -> Result<Protocol, String> {
    match word {
        "once" => Ok(Protocol::Once),
        "jsonl" => Ok(Protocol::Jsonl),
        _ => Err("expected once or jsonl".to_owned()),
    }
}

/// Solves and prints.
///
/// # Errors
/// An unknown name or setting, an instance that cannot be read, or one that the variant cannot take.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let problem = registry::problem(&arguments.problem)?;
    if let Some(stage) = &arguments.show {
        return show(problem, &arguments.file, stage);
    }
    let settings = input::parse_sets(&arguments.set)?;
    let named = arguments.variant.as_deref();
    let named = named.map(|name| problem.variant(name)).transpose()?;
    let instance = input::read_instance(problem, &arguments.file)?;
    let instance = instance.ask(&settings.only(problem.settings()))?;
    let instance = instance.as_ref();
    if !arguments.command.is_empty() {
        let program = program(problem, &settings, arguments)?;
        let scratch = child::scratch()?;
        let call = call(problem, &settings, arguments, program, scratch.path());
        interrupt::listen().context("signals cannot be listened to")?;
        let about = arguments.command.iter().map(|word| output::quoted(word));
        let about = about.collect::<Vec<_>>().join(" ");
        let prepare = |deadline: Deadline<'static>| {
            let process = Process::prepare(call, instance, deadline)?;
            Ok(instance.answered_by(Box::new(process)))
        };
        return answer(arguments, problem, instance, (FOREIGN, &about), prepare);
    }
    let variant = match named {
        Some(variant) => variant,
        None => problem.variant(instance.default_variant())?,
    };
    settings.check(
        &format!("{} with the variant {}", problem.name(), variant.name),
        &[problem.settings(), variant.settings],
    )?;
    let method = settings.only(variant.settings);
    let prepare = |deadline: Deadline<'static>| instance.prepare(variant.name, &method, deadline);
    let VariantInfo { name, about, .. } = variant;
    answer(arguments, problem, instance, (name, about), prepare)
}

/// The name of the solver behind `--`.
const FOREIGN: &str = "foreign";

/// The program behind `--`, found from the working folder.
fn program(
    problem: &dyn AnyProblem,
    settings: &Settings,
    arguments: &Arguments,
) -> anyhow::Result<Program> {
    let foreign = Foreign {
        command: arguments.command.clone(),
        protocol: arguments.protocol.unwrap_or_default(),
        exact: false,
        counters: Vec::new(),
    };
    foreign
        .check(FOREIGN)
        .map_err(|(_, message)| anyhow!(message))?;
    let program = Program::find(FOREIGN, &foreign, Path::new(""))?;
    Solver::Foreign(program.clone().into()).check(settings, problem)?;
    Ok(program)
}

/// How the program behind `--` is asked.
fn call(
    problem: &dyn AnyProblem,
    settings: &Settings,
    arguments: &Arguments,
    program: Program,
    scratch: &Path,
) -> Call {
    let counters = problem.counters().iter();
    Call {
        program,
        settings: settings.with_defaults(problem.settings()),
        threads: u32::from(arguments.threads),
        limit: arguments.limit,
        memory: arguments
            .memory
            .map(|mebibytes| mebibytes.saturating_mul(1 << 20)),
        counters: counters.map(|known| known.name.to_owned()).collect(),
        scratch: scratch.to_owned(),
        leads: true,
    }
}

/// Prepares a solver with its name and sentence, lets it answer, and prints what came of it.
#[expect(
    clippy::needless_lifetimes,
    reason = "`prepare` borrows from the instance: elided, both would have lifetimes of their own"
)]
fn answer<'a>(
    arguments: &Arguments,
    problem: &dyn AnyProblem,
    instance: &'a dyn AnyInstance,
    who: (&str, &str),
    prepare: impl FnOnce(Deadline<'static>) -> Result<Box<dyn AnySolver + 'a>, Refusal>,
) -> anyhow::Result<ExitCode> {
    let started = Instant::now();
    let deadline = arguments.limit.map_or(Deadline::never(), Deadline::after);
    let mut solver = prepare(deadline).map_err(|refusal| refused(who.0, refusal))?;
    let prepare_ns = started.elapsed().as_nanos();
    let solved = solve(arguments, problem.direction(), solver.as_mut(), prepare_ns)?;
    if let Ended::Failed(failure) = &solved.ended
        && solved.outcome() != Outcome::Wrong
    {
        bail!("the solver {}: {failure}", who.0);
    }
    if let Some(path) = &arguments.certificate {
        write_certificate(who.0, &solved, path)?;
    }
    let text = if arguments.json {
        solved_json(problem, who.0, instance, solver.as_ref(), &solved)
    } else {
        solved_text(problem, who, solver.as_ref(), &solved)
    };
    output::print(&text)?;
    if let Some(path) = &arguments.picture {
        draw(problem, solver.as_ref(), path)?;
    }
    Ok(match solved.outcome() {
        Outcome::Wrong => output::WRONG_ANSWER.into(),
        _ => ExitCode::SUCCESS,
    })
}

/// Writes the certificate of an answer.
fn write_certificate(solver: &str, solved: &Solved, path: &Path) -> anyhow::Result<()> {
    let name = path.display();
    match (&solved.certificate, &solved.ended) {
        (Some(certificate), _) if certificate.len() as u64 > input::LONGEST_FILE => bail!(
            "--certificate {name}: it has {} MiB, more than the {} that `verify` reads",
            certificate.len() >> 20,
            input::LONGEST_FILE >> 20
        ),
        (Some(certificate), _) => {
            std::fs::write(path, certificate).with_context(|| format!("{name}: cannot be written"))
        }
        (None, Ended::Timeout { .. }) => {
            bail!("--certificate {name}: nothing is proven before the search has ended")
        }
        (None, _) => bail!("--certificate {name}: {solver} writes no certificates"),
    }
}

/// Width of a drawn answer in pixels.
const PICTURE_WIDTH: u32 = 800;

/// Draws the frames of the last answer, one file each.
fn draw(problem: &dyn AnyProblem, solver: &dyn AnySolver, path: &Path) -> anyhow::Result<()> {
    let ending = path.extension().and_then(|ending| ending.to_str());
    let Some(ending @ ("svg" | "png")) = ending else {
        bail!(
            "--picture {}: expected a name that ends in .svg or .png",
            path.display()
        );
    };
    let frames = solver.pictures();
    if frames.is_empty() {
        bail!("{} has no picture of this answer", problem.name());
    }
    for (place, frame) in frames.iter().enumerate() {
        let file = match (frames.len(), path.file_stem()) {
            (2.., Some(stem)) => {
                path.with_file_name(format!("{}-{place}.{ending}", stem.to_string_lossy()))
            }
            _ => path.to_owned(),
        };
        if ending == "png" {
            picture::png(frame, &file, PICTURE_WIDTH)?;
        } else {
            let drawing = picture::svg(frame, PICTURE_WIDTH);
            std::fs::write(&file, drawing)
                .with_context(|| format!("{}: cannot be written", file.display()))?;
        }
    }
    Ok(())
}

fn refused(variant: &str, refusal: Refusal) -> anyhow::Error {
    match refusal {
        Refusal::Skip(why) => anyhow!("the variant {variant} cannot take this instance: {why}"),
        Refusal::Input(error) => error.into(),
        Refusal::Timeout => anyhow!("the variant {variant}: {refusal}"),
    }
}

/// The results of one call of a solver, apart from its answer.
struct Solved {
    ended: Ended,
    prepare_ns: u128,
    wall_ns: u128,
    counters: Counters,
    referee: Option<Result<Checked, Rejection>>,
    /// The referee's score if there is one, else the variant's own.
    score: Option<Score>,
    /// The certificate, if one was asked for and the variant writes one of this answer.
    certificate: Option<String>,
}

fn solve(
    arguments: &Arguments,
    direction: Direction,
    solver: &mut dyn AnySolver,
    prepare_ns: u128,
) -> anyhow::Result<Solved> {
    let incumbent = Incumbent::new(direction);
    let mut search = Search::new(&incumbent);
    search.threads = usize::from(arguments.threads);
    if arguments.private {
        search.bound_policy = BoundPolicy::Private;
    }
    search.deadline = arguments.limit.map_or(Deadline::never(), Deadline::after);
    let started = Instant::now();
    let certificate = if arguments.certificate.is_some() {
        solver.certify(&mut search)
    } else {
        solver.solve(&mut search);
        None
    };
    let wall_ns = started.elapsed().as_nanos();
    let patience = referee_limit(arguments.limit.unwrap_or_default());
    let referee = solver.referee(Deadline::after(patience));
    let score = match &referee {
        Some(Ok(checked)) => checked.score,
        _ => solver.claimed(),
    };
    Ok(Solved {
        ended: solver
            .ended()
            .ok_or_else(|| anyhow!("the solver came back without an attempt"))?,
        prepare_ns,
        wall_ns,
        counters: search.counters,
        referee,
        score,
        certificate,
    })
}

impl Solved {
    fn outcome(&self) -> Outcome {
        match (&self.referee, &self.ended) {
            (Some(Err(Rejection::Wrong(_))), _) => Outcome::Wrong,
            (Some(Err(Rejection::Timeout)), _) => Outcome::Unchecked,
            (_, Ended::Solved) => Outcome::Solved,
            (_, Ended::Timeout { .. }) => Outcome::Timeout,
            (_, Ended::Failed(failure)) => failed(failure),
        }
    }

    fn bound(&self) -> Option<Score> {
        match self.ended {
            Ended::Timeout { bound } => bound,
            Ended::Solved | Ended::Failed(_) => None,
        }
    }

    /// `ok`, or the reason of the rejection; `None` if there was no answer to check.
    fn verdict(&self) -> Option<String> {
        if let Ended::Failed(failure) = &self.ended {
            return Some(failure.to_string());
        }
        self.referee.as_ref().map(|verdict| match verdict {
            Ok(_) => "ok".to_owned(),
            Err(wrong) => wrong.to_string(),
        })
    }

    fn measures(&self) -> &[(&'static str, f64)] {
        match &self.referee {
            Some(Ok(checked)) => &checked.measures,
            _ => &[],
        }
    }
}

fn solved_json(
    problem: &dyn AnyProblem,
    variant: &str,
    instance: &dyn AnyInstance,
    solver: &dyn AnySolver,
    solved: &Solved,
) -> String {
    let counters: Map<String, Json> = solved
        .counters
        .iter()
        .map(|(name, count)| (name.to_owned(), json!(count)))
        .collect();
    let measures: Map<String, Json> = solved
        .measures()
        .iter()
        .map(|(name, value)| ((*name).to_owned(), json!(value)))
        .collect();
    let hash: ContentHash = instance.hash();
    let object = json!({
        "problem": problem.name(),
        "variant": variant,
        "instance": { "hash": hash.to_string(), "size": instance.size() },
        "outcome": solved.outcome().name(),
        "score": solved.score,
        "bound": solved.bound(),
        "exact": solver.proven() && solved.outcome() == Outcome::Solved,
        "referee": solved.verdict(),
        "prepare_ns": u64::try_from(solved.prepare_ns).unwrap_or(u64::MAX),
        "wall_ns": u64::try_from(solved.wall_ns).unwrap_or(u64::MAX),
        "table_bytes": solver.table_bytes(),
        "counters": counters,
        "measures": measures,
        "answer": solver.answer_json(),
    });
    format!("{object}\n")
}

fn solved_text(
    problem: &dyn AnyProblem,
    (variant, about): (&str, &str),
    solver: &dyn AnySolver,
    solved: &Solved,
) -> String {
    let mut text = solver
        .answer_text()
        .unwrap_or_else(|| "no answer yet".to_owned());
    if !text.ends_with('\n') {
        text.push('\n');
    }
    let mut line = |name: &str, value: &str| {
        let _ = writeln!(text, "{name:<10} {value}");
    };
    line("variant", &format!("{} {variant}: {about}", problem.name()));
    line("outcome", solved.outcome().name());
    if let Some(score) = solved.score {
        let proven = solver.proven() && solved.outcome() == Outcome::Solved;
        let proof = if proven { " (exact)" } else { "" };
        line("score", &format!("{score}{proof}"));
    }
    if let Some(bound) = solved.bound() {
        line("bound", &bound.to_string());
    }
    if let Some(verdict) = solved.verdict() {
        line("referee", &verdict);
    }
    line(
        "time",
        &format!(
            "{}, after {} of preparation",
            units::duration(solved.wall_ns as f64),
            units::duration(solved.prepare_ns as f64)
        ),
    );
    for (name, count) in solved.counters.iter() {
        line("counter", &format!("{name} {count}"));
    }
    for (name, value) in solved.measures() {
        line("measure", &format!("{name} {value}"));
    }
    text
}

/// Prints a stage of what the problem prepares of `file`, or of a set of that name.
fn show(problem: &dyn AnyProblem, file: &Path, stage: &str) -> anyhow::Result<ExitCode> {
    let (name, text) = match file.exists() {
        true => input::read_text(file).map(|(name, text)| (name, Some(text)))?,
        false => (file.display().to_string(), None),
    };
    output::print(&problem.show(&name, text.as_deref(), stage)?)?;
    Ok(ExitCode::SUCCESS)
}
