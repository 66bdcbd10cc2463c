//! What the reviewers of an artifact ask for: which claim is checked by which command, a smoke test, and metadata.

use std::path::{Path, PathBuf};

use ikeru_bench_data::{Experiment, PublishedSource, builtin};
use serde_json::{Value as Json, json};

use super::write;
use crate::page::FigureRow;
use crate::run_file::{RanExperiment, RunFile};
use crate::table::{Cell, Form, Table};
use crate::units::Quantity;
use crate::{ReportError, report, row};

/// Writes `claims.md`, `claims.csv`, `smoke-test.sh`, `ro-crate-metadata.json` and `CITATION.cff` into the run folder, which
/// they make an RO-Crate; gives back their paths.
///
/// # Errors
/// A run folder that does not read, or a file that cannot be written.
pub fn artifact(run_folder: &Path) -> Result<Vec<PathBuf>, ReportError> {
    let report = report(run_folder)?;
    let run = RunFile::read(run_folder)?;
    let experiments = run.experiments.iter().map(RanExperiment::read);
    let experiments: Vec<Experiment> = experiments.collect::<Result<_, _>>()?;
    let claims = claims(&report.figures, &experiments, run.scale == "full");
    let sources = builtin::published()?;
    let files = [
        ("claims.md", claims.to(Form::Markdown)),
        ("claims.csv", claims.to(Form::Csv)),
        ("smoke-test.sh", smoke_test(&run)),
        ("CITATION.cff", citation(&sources)),
        (
            "ro-crate-metadata.json",
            format!("{:#}\n", crate_of(&run, run_folder)),
        ),
    ];
    let mut written = Vec::new();
    for (name, text) in files {
        let path = run_folder.join(name);
        write(&path, &text)?;
        written.push(path);
    }
    Ok(written)
}

/// Figure, command, expected minutes, verdict.
fn claims(figures: &[FigureRow], experiments: &[Experiment], full: bool) -> Table {
    let heads = "figure | claim | printed | ours | command | expected minutes | verdict";
    let mut table = Table::new("Claims, and the commands that check them", heads);
    let scale = if full { " --full" } else { "" };
    for figure in figures {
        let of = |one: &&Experiment| one.name == figure.experiment;
        let expected = experiments
            .iter()
            .find(of)
            .and_then(|one| one.run.expected_seconds);
        let minutes = expected.and_then(|expected| expected.at(full));
        let minutes = minutes.map(|time| (time.as_secs_f64() / 60.0, Quantity::Real));
        let command = match figure.experiment.as_str() {
            "" => Cell::EMPTY,
            name => Cell::from(format!("ikeru run {name}{scale}")),
        };
        table.rows.push(row![
            &figure.id,
            &figure.claim,
            &figure.printed,
            &figure.ours,
            command,
            minutes.map_or(Cell::EMPTY, Cell::from),
            figure.verdict
        ]);
    }
    table
}

/// A shell script: one experiment of the run with two short samples a cell, no wrong answer.
fn smoke_test(run: &RunFile) -> String {
    let name = run
        .experiments
        .first()
        .map_or("ikerukana-table", |ran| ran.name.as_str());
    format!(
        "#!/bin/sh\n# Is the program there, does it measure, are its answers right? Seconds.\nset -eu\nout=$(mktemp -d)\n\
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

/// The files of the folder, each with what it holds.
const FILES: [(&str, &str, &str); 9] = [
    ("records.csv", "text/csv", "One row per sample"),
    (
        "columns.csv",
        "text/csv",
        "What each column of records.csv holds",
    ),
    ("summary.csv", "text/csv", "One row per cell"),
    (
        "figures.csv",
        "text/csv",
        "Every published figure beside ours",
    ),
    (
        "claims.csv",
        "text/csv",
        "Claims, and the commands that check them",
    ),
    (
        "run.toml",
        "application/toml",
        "The experiments as they ran, the machine, the versions",
    ),
    ("index.html", "text/html", "The report"),
    ("smoke-test.sh", "application/x-sh", "A test of seconds"),
    ("CITATION.cff", "application/yaml", "How to cite"),
];

/// RO-Crate 1.1.
fn crate_of(run: &RunFile, folder: &Path) -> Json {
    let is_there = |name: &str| folder.join(name).exists();
    let files: Vec<&(&str, &str, &str)> = FILES.iter().filter(|file| is_there(file.0)).collect();
    let started = run
        .sessions
        .first()
        .map_or("", |session| session.started.as_str());
    let parts: Vec<Json> = files.iter().map(|file| json!({ "@id": file.0 })).collect();
    let mut graph = vec![
        json!({
            "@id": "ro-crate-metadata.json",
            "@type": "CreativeWork",
            "conformsTo": { "@id": "https://w3id.org/ro/crate/1.1" },
            "about": { "@id": "./" },
        }),
        json!({
            "@id": "./",
            "@type": "Dataset",
            "name": "Measurements of ikeru",
            "description": format!("Samples, statistics and plots made by `{}`", run.command),
            "datePublished": started,
            "license": { "@id": "https://spdx.org/licenses/MIT" },
            "hasPart": parts,
            "mentions": { "@id": "#run" },
        }),
        json!({
            "@id": "#run",
            "@type": "CreateAction",
            "name": run.command,
            "startTime": started,
            "instrument": { "@id": "#ikeru" },
            "result": { "@id": "records.csv" },
        }),
        json!({
            "@id": "#ikeru",
            "@type": "SoftwareApplication",
            "name": "ikeru",
            "version": env!("CARGO_PKG_VERSION"),
        }),
    ];
    graph.extend(files.iter().map(|(name, format, about)| {
        json!({ "@id": name, "@type": "File", "name": about, "encodingFormat": format })
    }));
    json!({ "@context": "https://w3id.org/ro/crate/1.1/context", "@graph": graph })
}
