//! `ikeru solve`: one instance, one variant, one sample; or the check of a certificate.

mod solved;
#[cfg(feature = "solvers")]
mod verify;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, bail};
use clap::Args;
use ikeru_bench_data::experiment::{Protocol, VariantTable, parse_duration};
use ikeru_bench_data::{Mode, text_file};
use ikeru_core::{AnyInstance, AnyProblem, AnySolver, BoundPolicy, Incumbent, Settings};
use ikeru_reports::{picture, whole};

use self::solved::Solved;
use super::scope::parse_mebibytes;
use crate::execute::foreign::Call;
use crate::execute::{Outcome, Prepared, Sample, Task, Watch};
use crate::files;
use crate::plan::{Program, Solver};
use crate::{input, interrupt, output, registry};

/// The arguments of `solve`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  ikeru solve reach map.csv --set steps=10 --json\n  \
    ikeru solve trail puzzle.txt --limit 60s --threads 2\n  \
    ikeru generate chain.long-chain | ikeru solve chain -\n  \
    ikeru solve trail puzzle.txt --certificate proof.txt\n  \
    ikeru solve --verify proof.txt --instance puzzle.txt\n  \
    ikeru solve reach map.csv --set steps=10 -- python3 solve.py {instance} {setting:steps}\n\n\
    A command after `--` answers in place of a variant (docs/your-solver.md).\n\
    `ikeru list problems --verbose` and `ikeru list variants --verbose` list the settings.\n\
    Exit code 3 when the referee finds the answer wrong, 4 when it did not judge it, 2 when a certificate does not hold (docs/certificates.md)."
)]
pub struct Arguments {
    /// The problem, such as reach
    #[arg(required_unless_present = "verify")]
    problem: Option<String>,
    /// The instance; `-` is standard input
    #[arg(required_unless_present = "verify")]
    file: Option<PathBuf>,
    /// The variant [default: the best exact one for the instance]
    #[arg(long, value_name = "V")]
    variant: Option<String>,
    /// A setting of the question or of the variant; may be repeated
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
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
    /// Draw the answer into FILE, named *.svg or *.png; several frames are numbered: x-0.svg, x-1.svg, …
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,
    /// Write a certificate of optimality into FILE; needs a variant that can, such as lagrangian
    #[arg(long, value_name = "FILE", help_heading = CERTIFICATES)]
    certificate: Option<PathBuf>,
    /// Check the certificate in FILE instead of solving; `-` is standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["problem", "variant", "threads", "picture", "private", "certificate"],
          help_heading = CERTIFICATES)]
    verify: Option<PathBuf>,
    /// The instance that the certificate must be about, with --set its question [default: the one written in it]
    #[arg(long, value_name = "FILE", requires = "verify", help_heading = CERTIFICATES)]
    instance: Option<PathBuf>,
    /// Memory limit per process of the command, like 256MiB
    #[arg(long, value_name = "SIZE", requires = "command", value_parser = parse_mebibytes, help_heading = COMMAND)]
    memory: Option<u64>,
    /// How the command is asked: once per process, or jsonl for a process that answers many times
    #[arg(long, value_name = "PROTOCOL", requires = "command", value_parser = protocol, help_heading = COMMAND)]
    protocol: Option<Protocol>,
    /// A solver in any language: a program and its arguments, with {instance} or {stdin} among them
    #[arg(last = true, value_name = "COMMAND", conflicts_with_all = ["variant", "private", "certificate"])]
    command: Vec<String>,
}

fn protocol(word: &str) -> Result<Protocol, String> {
    let known = Protocol::named(word).filter(|known| *known != Protocol::Text);
    known.ok_or_else(|| "expected once or jsonl".to_owned())
}

const CERTIFICATES: &str = "Certificates";
const COMMAND: &str = "A command in place of a variant";

/// Solves or verifies, and prints.
///
/// # Errors
/// An unknown name or setting, an instance that cannot be read, or one that the variant cannot take.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    if arguments.limit.is_some_and(|limit| limit.is_zero()) {
        bail!("--limit: is 0; expected a longer time");
    }
    if let Some(path) = &arguments.picture {
        picture_ending(path)?;
    }
    #[cfg(feature = "solvers")]
    if let Some(proof) = &arguments.verify {
        let about = (arguments.instance.as_deref(), arguments.set.as_slice());
        return verify::run(proof, about, arguments.limit, arguments.json);
    }
    #[cfg(not(feature = "solvers"))]
    if arguments.verify.is_some() {
        bail!("--verify: this program was built without the solvers and their certificates");
    }
    let problem = registry::problem(arguments.problem.as_deref().unwrap_or_default())?;
    let file = arguments.file.as_deref().unwrap_or(Path::new(""));
    if let (Some(proof), Ok(file)) = (&arguments.certificate, file.canonicalize())
        && proof.canonicalize().is_ok_and(|proof| proof == file)
    {
        let proof = proof.display();
        bail!("--certificate {proof}: it is the instance itself");
    }
    let settings = input::parse_sets(&arguments.set)?;
    let named = arguments.variant.as_deref();
    let named = named.map(|name| problem.variant(name)).transpose()?;
    let instance = input::read_instance(problem, file)?;
    let instance = instance.ask(&settings.only(problem.settings()))?;
    let instance = instance.as_ref();
    if !arguments.command.is_empty() {
        let scratch = files::scratch().context("a temporary folder")?;
        let call = call(problem, &settings, arguments, scratch.path())?;
        interrupt::listen().context("signals cannot be listened to")?;
        let words = arguments.command.iter().map(|word| output::quoted(word));
        let about = words.collect::<Vec<_>>().join(" ");
        let task = Task {
            foreign: Some(call),
            ..arguments.task(FOREIGN, Settings::new())
        };
        return arguments.answer(problem, instance, &task, &about);
    }
    let variant = match named {
        Some(variant) => variant,
        None => problem.variant(instance.default_variant())?,
    };
    let what = format!("{} with the variant {}", problem.name(), variant.name);
    settings.check(&what, &[problem.settings(), variant.settings])?;
    let task = arguments.task(variant.name, settings.only(variant.settings));
    arguments.answer(problem, instance, &task, variant.about)
}

/// The name of the solver after `--`.
const FOREIGN: &str = "foreign";

/// The call of the command.
fn call(
    problem: &dyn AnyProblem,
    settings: &Settings,
    arguments: &Arguments,
    scratch: &Path,
) -> anyhow::Result<Call> {
    let foreign = VariantTable {
        command: Some(arguments.command.clone()),
        protocol: arguments.protocol,
        ..VariantTable::default()
    };
    let checked = foreign.check(FOREIGN);
    checked.map_err(|(_, message)| anyhow!(message))?;
    let program = Program::find(FOREIGN, &foreign, Path::new(""))?;
    Solver::Foreign(program.clone().into()).check(settings, problem)?;
    let counters = problem.counters().iter();
    Ok(Call {
        program,
        settings: settings.with_defaults(problem.settings()),
        threads: u32::from(arguments.threads),
        limit: arguments.limit,
        memory: arguments.memory.map(|mib| mib.saturating_mul(1 << 20)),
        counters: counters.map(|known| known.name.to_owned()).collect(),
        scratch: scratch.to_owned(),
        leads: true,
    })
}

impl Arguments {
    /// One sample of one answer.
    fn task(&self, variant: &str, method: Settings) -> Task {
        Task {
            variant: variant.to_owned(),
            method,
            bound_policy: match self.private {
                true => BoundPolicy::Private,
                false => BoundPolicy::Shared,
            },
            threads: u32::from(self.threads),
            mode: Mode::Isolated,
            limit: self.limit.unwrap_or(Duration::MAX),
            sample: Duration::ZERO,
            warm_up: Duration::ZERO,
            foreign: None,
        }
    }

    /// Takes the sample and prints it; `about` is the solver's sentence.
    fn answer(
        &self,
        problem: &dyn AnyProblem,
        instance: &dyn AnyInstance,
        task: &Task,
        about: &str,
    ) -> anyhow::Result<ExitCode> {
        let watch = Watch {
            incumbent: &Incumbent::new(problem.direction()),
            begins: &|_| (),
            stop: interrupt::flag(),
        };
        let certificate = Certificate::default();
        let started = Instant::now();
        let wanted = self.certificate.is_some().then_some(&certificate);
        let certified = wanted.and_then(|it| certified(problem, instance, &task.variant, it));
        let mut prepared = certified.map(|solver| Prepared::of(solver, started.elapsed()));
        let sample = task.sample_here(instance, &mut prepared, &watch)?;
        let (name, why) = (&task.variant, &sample.detail);
        let Some(prepared) = prepared else {
            match sample.outcome {
                Outcome::Skipped => bail!("the variant {name} cannot take this instance: {why}"),
                Outcome::Timeout => {
                    output::print(&solved::unprepared(problem, name, instance, self.json))?;
                    return Ok(ExitCode::SUCCESS);
                }
                _ => bail!("the variant {name}: {why}"),
            }
        };
        let failed = [Outcome::Crashed, Outcome::OutOfMemory, Outcome::Skipped];
        if failed.contains(&sample.outcome) {
            bail!("the solver {name}: {why}");
        }
        if let Some(path) = &self.certificate {
            let certificate = certificate.lock().unwrap_or_else(PoisonError::into_inner);
            write_certificate(name, &sample, certificate.as_deref(), path)?;
        }
        let solved = Solved {
            problem,
            variant: name,
            about,
            sample: &sample,
            prepared: &prepared,
        };
        output::print(&match self.json {
            true => solved.json(instance),
            false => solved.text(),
        })?;
        if let Some(path) = &self.picture {
            draw(problem, &prepared, path)?;
        }
        Ok(match sample.outcome {
            Outcome::Wrong => output::WRONG_ANSWER.into(),
            Outcome::Unchecked | Outcome::RefereeFailed => output::NOTHING_SOLVED.into(),
            _ => ExitCode::SUCCESS,
        })
    }
}

/// The text of a certificate, once its solver has answered.
type Certificate = Mutex<Option<String>>;

/// The solver that leaves the certificate of its answer, if the problem and the variant have one.
#[cfg_attr(not(feature = "solvers"), expect(unused_variables))]
fn certified<'a>(
    problem: &dyn AnyProblem,
    instance: &'a dyn AnyInstance,
    variant: &str,
    certificate: &'a Certificate,
) -> Option<Box<dyn AnySolver + 'a>> {
    #[cfg(feature = "solvers")]
    if problem.name() == ikeru_trail_proof::PROBLEM {
        return ikeru_trail_proof::solver(instance, variant, certificate);
    }
    None
}

/// Writes the certificate of an answer.
fn write_certificate(
    variant: &str,
    sample: &Sample,
    certificate: Option<&str>,
    path: &Path,
) -> anyhow::Result<()> {
    let name = path.display();
    match certificate {
        Some(certificate) if certificate.len() as u64 > text_file::LONGEST_FILE => bail!(
            "--certificate {name}: it has {} MiB, more than the {} that `solve --verify` reads",
            certificate.len() >> 20,
            text_file::LONGEST_FILE >> 20
        ),
        Some(certificate) => {
            whole::write(path, certificate).with_context(|| format!("{name}: cannot be written"))
        }
        None if sample.outcome == Outcome::Timeout => {
            bail!("--certificate {name}: nothing is proven before the search has ended")
        }
        None => bail!("--certificate {name}: {variant} writes no certificates"),
    }
}

/// Width of a drawn answer in pixels.
const PICTURE_WIDTH: u32 = 800;

/// The format of a picture, by its name.
fn picture_ending(path: &Path) -> anyhow::Result<&str> {
    let ending = path.extension().and_then(|ending| ending.to_str());
    let known = ending.filter(|ending| ["svg", "png"].contains(ending));
    let path = path.display();
    known.with_context(|| format!("--picture {path}: expected a name that ends in .svg or .png"))
}

/// Draws the frames of the last answer, one file each.
fn draw(problem: &dyn AnyProblem, prepared: &Prepared, path: &Path) -> anyhow::Result<()> {
    let ending = picture_ending(path)?;
    let frames = prepared.solver.pictures();
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
            let written = whole::write(&file, picture::svg(frame, PICTURE_WIDTH));
            written.with_context(|| format!("{}: cannot be written", file.display()))?;
        }
    }
    Ok(())
}
