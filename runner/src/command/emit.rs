//! `ikeru emit`: an experiment divided into shards, written for a scheduler.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Args;

use super::divide::{self, Division, Planned};
use crate::cluster::forms::{self, Form, Needs};
use crate::cluster::slurm::{self, Limits};
use crate::output;

/// What `emit` takes.
#[derive(Debug, Args)]
#[command(after_help = "\
Each form runs `ikeru shard DIR N` for every shard and `ikeru merge DIR` at the end; `ikeru status DIR` tells how far
they are.

Example: four shards by GNU parallel, two at a time
  ikeru emit ikerukana-table --mode contended --jobs 1 --as parallel --tasks 4 -o results/four
  JOBS=2 sh results/four/parallel.sh")]
pub struct Arguments {
    #[command(flatten)]
    planned: Planned,
    /// For whom
    #[arg(long = "as", value_name = "FORM")]
    form: Form,
    #[command(flatten)]
    division: Division,
    /// The container image with the program (k8s)
    #[arg(long, value_name = "IMAGE")]
    image: Option<String>,
    /// The persistent volume claim that holds the folder (k8s)
    #[arg(long, value_name = "CLAIM")]
    claim: Option<String>,
    /// The new folder
    #[arg(short, long, value_name = "DIR")]
    out: PathBuf,
}

/// Divides and writes.
///
/// # Errors
/// An input error, a form that cannot run it, or a folder that holds a campaign.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let form = arguments.form;
    let needs = Needs {
        image: arguments.image.clone().unwrap_or_default(),
        claim: arguments.claim.clone().unwrap_or_default(),
        // Where Slurm is not at hand, its usual limits stand.
        limits: slurm::configuration()
            .map_or_else(|_| Limits::default(), |text| Limits::read(&text)),
    };
    if form == Form::K8s && (arguments.image.is_none() || arguments.claim.is_none()) {
        bail!(
            "--as k8s needs --image and --claim: where the program is, and the volume with the folder"
        );
    }
    let check = |about: &_, root: &_| forms::check(about, root, form);
    let divided = divide::create(
        &arguments.planned,
        &arguments.division,
        &arguments.out,
        &check,
    )?;
    let files = forms::files(&divided, form, &needs);
    let paths = files.iter().map(|(name, text)| divided.write(name, text));
    let paths: Vec<PathBuf> = paths.collect::<Result<_>>()?;
    let first = paths
        .first()
        .map(|path| output::quoted(&path.to_string_lossy()));
    let how = match form {
        Form::Condor => "condor_submit",
        Form::K8s => "kubectl apply -f",
        Form::Commands | Form::Parallel | Form::Slurm => "sh",
    };
    output::print(&(divide::told(&divided) + &format!("{how} {}\n", first.unwrap_or_default())))?;
    Ok(ExitCode::SUCCESS)
}
