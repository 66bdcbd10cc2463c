//! What the reviewers of an artifact ask for: which claim is checked by which command, a smoke test, and metadata.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ikeru_bench_data::{Experiment, PublishedSource, builtin};

use super::write;
use crate::run_file::{RanExperiment, RunFile};
use crate::table::{Cell, Form, Table};
use crate::units::Quantity;
use crate::{ExperimentAnswer, Report, ReportError, report, row};

/// Writes `claims.md`, `claims.csv`, `smoke-test.sh` and `CITATION.cff` into the run folder; gives back their paths. `carried` has the files in the run folder of the experiments that are not
/// built in, by the experiments' names.
///
/// # Errors
/// A run folder that does not read, or a file that cannot be written.
pub fn artifact(
    run_folder: &Path,
    carried: &BTreeMap<String, PathBuf>,
) -> Result<Vec<PathBuf>, ReportError> {
    let report = report(run_folder)?;
    let run = RunFile::read(run_folder)?;
    let experiments = run.experiments.iter().map(RanExperiment::read);
    let experiments: Vec<Experiment> = experiments.collect::<Result<_, _>>()?;
    let claims = claims(&report, &experiments, carried, run.scale == "full");
    let sources = builtin::published()?;
    let files = [
        ("claims.md", claims.to(Form::Markdown)),
        ("claims.csv", claims.to(Form::Csv)),
        ("smoke-test.sh", smoke_test(&run, carried)),
        ("CITATION.cff", citation(&sources)),
    ];
    let mut written = Vec::new();
    for (name, text) in files {
        let path = run_folder.join(name);
        write(&path, &text)?;
        written.push(path);
    }
    Ok(written)
}

/// Figure, command, expected minutes, verdict; an experiment without published figures has its answer as claim.
fn claims(
    report: &Report,
    experiments: &[Experiment],
    carried: &BTreeMap<String, PathBuf>,
    full: bool,
) -> Table {
    let heads = "figure | claim | printed | ours | command | expected minutes | verdict";
    let mut table = Table::new("Claims, and the commands that check them", heads);
    let command = |name: &str| match (name, carried.get(name)) {
        ("", _) => Cell::EMPTY,
        // Its file has the scale at which it ran.
        (_, Some(file)) => Cell::from(format!("ikeru run {}", file.display())),
        (name, None) if full => Cell::from(format!("ikeru run {name} --full")),
        (name, None) => Cell::from(format!("ikeru run {name}")),
    };
    let minutes = |name: &str| {
        let of = |one: &&Experiment| one.name == name;
        let expected = experiments.iter().find(of);
        let expected = expected.and_then(|one| one.run.expected_seconds?.at(full));
        expected.map_or(Cell::EMPTY, |time| {
            Cell::from((time.as_secs_f64() / 60.0, Quantity::Real))
        })
    };
    for figure in &report.figures {
        table.rows.push(row![
            &figure.id,
            &figure.claim,
            &figure.printed,
            &figure.ours,
            command(&figure.experiment),
            minutes(&figure.experiment),
            figure.verdict
        ]);
    }
    let has_figures = |answer: &&ExperimentAnswer| {
        let mut figures = report.figures.iter();
        figures.any(|figure| figure.experiment == answer.experiment)
    };
    for answer in report.answers.iter().filter(|one| !has_figures(one)) {
        table.rows.push(row![
            &answer.experiment,
            &answer.text,
            Cell::EMPTY,
            Cell::EMPTY,
            command(&answer.experiment),
            minutes(&answer.experiment),
            Cell::EMPTY
        ]);
    }
    table
}

/// A shell script: one experiment of the run with two short samples a cell, no wrong answer.
fn smoke_test(run: &RunFile, carried: &BTreeMap<String, PathBuf>) -> String {
    let name = run
        .experiments
        .first()
        .map_or("ikerukana-table", |ran| ran.name.as_str());
    // A name is letters, digits, dots, hyphens and underlines: nothing that a shell would read.
    let (enter, name) = match carried.contains_key(name) {
        true => (
            format!("cd \"$(dirname \"$0\")/experiments/{name}\"\n"),
            format!("{name}.toml"),
        ),
        false => (String::new(), name.to_owned()),
    };
    format!(
        "#!/bin/sh\n# Is the program there, does it measure, are its answers right? Seconds.\nset -eu\n{enter}out=$(mktemp -d)\n\
         trap 'rm -rf \"$out\"' EXIT\n\
         ikeru run {name} --repeats 2 --limit 1s --json --out \"$out/run\" >\"$out/result.json\"\n\
         test -s \"$out/run/index.html\"\ntest -s \"$out/run/figures.csv\"\n\
         if grep -q '\"wrong\":[1-9]' \"$out/result.json\"; then echo 'a wrong answer' >&2; exit 1; fi\necho 'good'\n"
    )
}

/// A word of YAML in quotes.
fn yaml(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn citation(sources: &[PublishedSource]) -> String {
    let mut text = format!(
        "cff-version: 1.2.0\nmessage: \"If you use these measurements, please cite the program and the sources it measures.\"\n\
         type: software\ntitle: ikeru\nversion: {}\nlicense: {}\nauthors:\n  - name: {}\nreferences:\n",
        env!("CARGO_PKG_VERSION"),
        env!("CARGO_PKG_LICENSE"),
        yaml("the ikeru developers"),
    );
    for source in sources {
        text += &format!(
            "  - type: generic\n    title: {}\n    authors:\n      - name: {}\n",
            yaml(&source.reference),
            yaml(&source.source)
        );
    }
    text
}
