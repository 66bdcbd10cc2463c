//! `ikeru solve --verify`: checks a certificate of optimality.

use std::path::Path;
use std::process::ExitCode;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, bail};
use ikeru_core::InputError;
use ikeru_reports::units;
use ikeru_trail_proof::{Verified, verify};
use serde_json::json;

use crate::{input, output, registry};

/// The words before the problem in the first line of a certificate.
const HEADER: &str = "ikeru certificate ";

/// Checks the certificate in `proof` and prints what it proves. It must be about the instance in the file `instance`
/// with the question of `sets`, or, without a file, about the instance that it contains.
///
/// # Errors
/// `FILE:LINE: …` if the certificate does not hold there, another instance than that of the certificate, or no end
/// within `limit`.
pub fn run(
    proof: &Path,
    (instance, sets): (Option<&Path>, &[String]),
    limit: Option<Duration>,
    json: bool,
) -> anyhow::Result<ExitCode> {
    if let (None, Some(set)) = (instance, sets.first()) {
        bail!("--set {set}: it needs --instance, the certificate has its own question");
    }
    let (name, text) = input::read_text(proof, "a certificate")?;
    let first = text.lines().next().unwrap_or_default();
    let Some(problem) = first.strip_prefix(HEADER) else {
        bail!("{name}:1: expected `{HEADER}` and a problem");
    };
    let problem = problem.split_whitespace().next().unwrap_or_default();
    let problem = registry::problem(problem)?;
    let started = Instant::now();
    let verified =
        within(limit, &text).with_context(|| format!("{name}: not checked within the limit"))?;
    let verified = verified.map_err(|error| anyhow!(error.in_file(&name)))?;
    let taken = started.elapsed().as_nanos();
    if let Some(file) = instance {
        let settings = input::parse_sets(sets)?;
        let instance = input::read_instance(problem, file)?.ask(&settings)?;
        if instance.text().trim_end() != verified.instance.trim_end() {
            let file = file.display();
            bail!("{name}: the certificate is about another instance than {file}");
        }
    }
    let text = if json {
        let object = json!({
            "problem": problem.name(),
            "score": verified.score,
            "leaves": verified.leaves,
            "infeasible": verified.infeasible,
            "bytes": text.len(),
            "wall_ns": u64::try_from(taken).unwrap_or(u64::MAX),
        });
        format!("{object}\n")
    } else {
        let proven = match verified.score {
            Some(score) => format!("no answer has a better score than {score}, and one has it"),
            None => "there is no answer".to_owned(),
        };
        let (leaves, infeasible, bytes) = (verified.leaves, verified.infeasible, text.len());
        let time = units::duration(taken as f64);
        format!(
            "proven     {proven}\nleaves     {leaves} bounded, {infeasible} without an answer\nsize       {bytes} bytes\ntime       {time}\n"
        )
    };
    output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// The check of a certificate; `None` if it does not end within `limit`. Its thread then ends with the program.
fn within(limit: Option<Duration>, text: &str) -> Option<Result<Verified, InputError>> {
    let Some(limit) = limit else {
        return Some(verify(text));
    };
    let (sender, receiver) = mpsc::channel();
    let text = text.to_owned();
    let check = move || {
        // The waiting thread may have given up.
        let _ = sender.send(verify(&text));
    };
    std::thread::Builder::new().spawn(check).ok()?;
    receiver.recv_timeout(limit).ok()
}
