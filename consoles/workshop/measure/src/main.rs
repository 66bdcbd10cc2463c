//! `ikeru-console-measure`, called by `scripts/consoles.sh`. Exit code 1: an error, or a check that failed.
#![forbid(unsafe_code)]

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result, ensure};
use clap::{Parser, Subcommand};
use ikeru_console_measure::counts::{self, TargetPlace, consoles_of};
use ikeru_console_measure::emulate::{Bench, between_marks};
use ikeru_console_measure::target::{BuildTarget, targets};
use ikeru_console_measure::training;
use ikeru_consoles::cycles::CycleParts;
use ikeru_consoles::facts::Cycles;
use ikeru_consoles::{Console, Consoles};

#[derive(Parser)]
#[command(about = "Counts the training questions on the consoles' instruction sets")]
struct MeasureArguments {
    #[command(subcommand)]
    command: MeasureCommand,
}

#[derive(Subcommand)]
enum MeasureCommand {
    /// Prints a line per target: triple, processor, prefix of tools, emulator, two packages
    Targets {
        /// The starts of the targets' names; all if none is given
        targets: Vec<String>,
    },
    /// Runs the questions and writes the counts
    Count(CountArguments),
    /// Prints the modelled cycles between each two marks of a program as CSV: console, number, low, middle, high
    Modelled(ModelledArguments),
}

#[derive(clap::Args)]
#[command(args_override_self = true)]
struct CountArguments {
    /// The starts of the targets' names; all if none is given. Rows of other targets stay in the table
    targets: Vec<String>,
    /// The questions
    #[arg(long, default_value = "consoles/workshop/training.toml")]
    questions: PathBuf,
    /// The folder that has the probe of a target in `TARGET/release/`
    #[arg(long)]
    probes: PathBuf,
    /// The plugin
    #[arg(long)]
    plugin: PathBuf,
    /// A folder to run in
    #[arg(long)]
    work: PathBuf,
    /// Compiler and emulator, for the last column
    #[arg(long)]
    toolchain: String,
    /// The table to write
    #[arg(long)]
    out: PathBuf,
    /// Every run twice; they must be equal
    #[arg(long)]
    check: bool,
    /// Counts this variant alone, more than once for several; the rows of the others stay in the table
    #[arg(long = "variant", value_name = "VARIANT")]
    variants: Vec<String>,
    /// Asks only each N-th question
    #[arg(long, default_value_t = 1)]
    every: usize,
    /// A table whose counts must not differ by more than 15 %
    #[arg(long)]
    against: Option<PathBuf>,
    /// Programs that run at the same time
    #[arg(long, default_value_t = 2)]
    workers: usize,
}

#[derive(clap::Args)]
struct ModelledArguments {
    /// A console whose processor the program is for; may be given several times
    #[arg(long = "console", value_name = "NAME", required = true)]
    consoles: Vec<String>,
    /// QEMU's program for the target
    #[arg(long)]
    emulator: String,
    /// The plugin, with its whole path
    #[arg(long)]
    plugin: PathBuf,
    /// The folder to run in
    #[arg(long, default_value = ".")]
    folder: PathBuf,
    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true)]
    program: Vec<String>,
}

fn main() -> ExitCode {
    match run(MeasureArguments::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("ikeru-console-measure: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: MeasureCommand) -> Result<()> {
    match command {
        MeasureCommand::Targets { targets: names } => {
            for BuildTarget {
                triple,
                cpu,
                tools,
                emulator,
                packages: [compiler, library],
            } in targets(&names)?
            {
                println!("{triple} {cpu} {tools} {emulator} {compiler} {library}");
            }
            Ok(())
        }
        MeasureCommand::Count(arguments) => count(&arguments),
        MeasureCommand::Modelled(arguments) => modelled(&arguments),
    }
}

fn modelled(arguments: &ModelledArguments) -> Result<()> {
    let all = Consoles::built_in()?.consoles;
    let named = |name: &String| {
        let mut all = all.iter();
        let known = all.find(|console| console.name == *name && console.model.is_some());
        known.with_context(|| format!("`{name}` is no modelled console"))
    };
    let consoles: Vec<&Console> = arguments
        .consoles
        .iter()
        .map(named)
        .collect::<Result<_>>()?;
    let command = (arguments.emulator.as_str(), &arguments.program[..]);
    let marks = between_marks(command, &arguments.folder, &arguments.plugin, &consoles)?;
    for (number, console) in consoles.iter().enumerate() {
        let model = console.model.as_ref().context("a model")?;
        // A mark has the sums since the previous mark. Every second mark ends a timed part.
        for (at, sums) in marks.iter().skip(1).step_by(2).enumerate() {
            let count = counts::events(sums, console, number)?;
            let Cycles { low, mid, high } = CycleParts::of(&count, model).sum();
            println!("{:?},{at},{low:.0},{mid:.0},{high:.0}", console.name);
        }
    }
    Ok(())
}

fn count(arguments: &CountArguments) -> Result<()> {
    let named = |file: &PathBuf| file.display().to_string();
    let text =
        fs::read_to_string(&arguments.questions).with_context(|| named(&arguments.questions))?;
    let questions = training::read(&text).with_context(|| named(&arguments.questions))?;
    let questions: Vec<_> = questions
        .into_iter()
        .step_by(arguments.every.max(1))
        .collect();
    let consoles = Consoles::built_in()?.consoles;
    let targets = targets(&arguments.targets)?;
    let mut workers = Vec::new();
    for worker in 0..arguments.workers.max(1) {
        let mut places = Vec::new();
        for target in &targets {
            let probe = arguments.probes.join(target.triple).join(target.triple);
            let probe = probe.join("release/ikeru-console-probe");
            let folder = arguments.work.join(format!("{worker}-{}", target.triple));
            places.push(TargetPlace {
                target: target.triple,
                bench: Bench::new(*target, &folder, &probe, &arguments.plugin)?,
                consoles: consoles_of(&consoles, target.triple),
            });
        }
        workers.push(places);
    }
    let asked = training::of_variants(&questions, &arguments.variants)?;
    let mut rows = counts::count(&asked, &workers, &arguments.toolchain, arguments.check)?;
    let is_part = !arguments.targets.is_empty() || !arguments.variants.is_empty();
    if is_part && arguments.out.exists() {
        let others = counts::read(&arguments.out)?;
        rows = counts::beside(rows, others, &questions, (&asked, &targets));
    }
    counts::write(&arguments.out, &rows)?;
    println!("{}: {} rows", arguments.out.display(), rows.len());
    if let Some(file) = &arguments.against {
        let shipped = counts::read(file)?;
        let (factor, row) = counts::furthest(&rows, &shipped)
            .with_context(|| format!("{} has none of these questions", file.display()))?;
        println!(
            "at most ×{factor:.3} from {}: {} {} on {}",
            file.display(),
            row.variant,
            row.instance,
            row.console
        );
        ensure!(factor <= 1.15, "more than 15 % from {}", file.display());
    }
    Ok(())
}
