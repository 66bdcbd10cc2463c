//! The run folder: created or resumed, its `run.toml` kept up to date, restored if it was removed.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use ikeru_bench_data::Experiment;
use ikeru_bench_data::experiment::Run;
use ikeru_core::{AnyProblem, Settings};
use ikeru_reports::Rows;
use ikeru_reports::records;
use ikeru_reports::run_file::{self, RanExperiment, RunFile, Session};
use ikeru_reports::whole;

use super::journal::{Finished, Journal};
use super::lock::Lock;
use super::options::CampaignOptions;
use crate::execute::confinement::Confinement;
use crate::machine::{self, ObservedLoad};
use crate::output;
use crate::plan::Plan;
use crate::registry::{self, by_problem};

/// An open run folder.
pub(super) struct Opened {
    pub journal: Journal,
    pub finished: Finished,
    /// The session that begins now.
    pub session: Session,
    /// No other program writes into the folder at the same time.
    _lock: Lock,
}

/// The files of a run folder that every run has.
const FILES: [&str; 2] = ["records.csv", "run.toml"];

fn holds_a_run(folder: &Path) -> bool {
    FILES.iter().any(|name| folder.join(name).exists())
}

/// Refuses a folder that holds a run.
pub(super) fn check_free(folder: &Path) -> Result<()> {
    if holds_a_run(folder) {
        let folder = folder.display();
        bail!("{folder} holds a run already; choose another folder, or go on with `run --resume`");
    }
    Ok(())
}

/// Opens the run folder: a new one, or with `--resume` one of the same experiments. `ran` has the experiments and their
/// folders.
pub(super) fn open(
    folder: &Path,
    plan: &Plan,
    options: &CampaignOptions,
    ran: RunFile,
) -> Result<Opened> {
    let [records, about] = FILES.map(|name| folder.join(name));
    if folder.is_file() {
        bail!(
            "{}: a file; expected a folder for the run",
            folder.display()
        );
    }
    std::fs::create_dir_all(folder)
        .with_context(|| format!("{}: cannot be created", folder.display()))?;
    match holds_a_run(folder) {
        true => run_file::check_kinds(folder)?,
        false => check_empty(folder)?,
    }
    let lock = Lock::take(folder, options.session.patience)?;
    let (file, journal, finished) = if holds_a_run(folder) {
        if !options.session.resume {
            check_free(folder)?;
        }
        let file = resumed(folder, plan, options, ran)?;
        let (journal, finished) = Journal::resume(&records, plan.columns.clone())?;
        warn_if_forced(check_instances(&records, plan), options)?;
        write_run_file(&about, &file)?;
        (file, journal, finished)
    } else {
        let file = begun(plan, options, ran);
        write_run_file(&about, &file)?;
        let journal = Journal::create(&records, plan.columns.clone())?;
        (file, journal, Finished::new())
    };
    let dictionary = folder.join(records::DICTIONARY);
    journal.columns.write_dictionary(&dictionary)?;
    let session = file.sessions.last().cloned().unwrap_or_default();
    Ok(Opened {
        journal,
        finished,
        session,
        _lock: lock,
    })
}

/// `run.toml` of the folder with one session more.
fn resumed(folder: &Path, plan: &Plan, options: &CampaignOptions, ran: RunFile) -> Result<RunFile> {
    let (before, about) = (RunFile::read(folder)?, folder.join("run.toml"));
    if let Some(what) = difference(&before, options, &ran.experiments)? {
        let (about, command) = (about.display(), before.command);
        bail!("{about} holds a run with {what}; it was made by `{command}`");
    }
    let number = before.sessions.iter().map(|session| session.number).max();
    let mut session = Session {
        is_later: true,
        repeats: before.first_repeats(),
        questions: BTreeMap::new(),
        ..session(number.unwrap_or(0) + 1, plan, options)
    };
    if let Some(doubt) = other_environment(&before, &session) {
        output::warn(&doubt);
        session.doubts.push(doubt);
    }
    let same = check_same(&before, &session).with_context(|| about.display().to_string());
    warn_if_forced(same, options)?;
    let mut file = RunFile {
        folders: ran.folders,
        experiments: ran.experiments,
        looks: before.looks.max(options.session.looks),
        planned: planned(plan, options, &before.planned),
        // A whole plan counts all samples, also those of shards that were not merged.
        missing: match options.choice.is_whole() {
            true => Vec::new(),
            false => before.missing,
        },
        ..before
    };
    file.sessions.push(session);
    Ok(file)
}

/// `run.toml` of a new folder.
fn begun(plan: &Plan, options: &CampaignOptions, ran: RunFile) -> RunFile {
    let problems: Vec<_> = plan.stages.iter().map(|stage| stage.problem).collect();
    let direction = |problem: &dyn AnyProblem| Some(problem.direction().name().to_owned());
    RunFile {
        command: output::command_line(),
        scale: scale(options),
        seed: options.choice.seed,
        sets: options.overrides.sets.clone(),
        looks: options.session.looks,
        order: ORDER.to_owned(),
        again: options.session.again.clone(),
        sessions: vec![session(1, plan, options)],
        directions: by_problem(&problems, direction),
        defaults: registry::defaults(&problems),
        words: by_problem(&problems, registry::words),
        batches: by_problem(&problems, registry::batch),
        variants: by_problem(&problems, registry::variants),
        planned: planned(plan, options, &BTreeMap::new()),
        folders: ran.folders,
        experiments: ran.experiments,
        ..RunFile::default()
    }
}

/// Refuses a folder that holds files of another origin: a run writes files of many names and could overwrite them.
fn check_empty(folder: &Path) -> Result<()> {
    let entries = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut names = entries.flatten().map(|entry| entry.file_name());
    let is_own = |name: &OsString| name == super::lock::FILE || whole::is_hidden(name);
    if let Some(name) = names.find(|name| !is_own(name)) {
        let (folder, name) = (folder.display(), name.to_string_lossy());
        bail!(
            "{folder} holds other files, such as {name}; expected a new folder, an empty one, or that of a run"
        );
    }
    Ok(())
}

/// The session that begins now.
fn session(number: u32, plan: &Plan, options: &CampaignOptions) -> Session {
    let is_isolated = plan.stages.iter().any(|stage| stage.isolate) || !plan.programs.is_empty();
    let mut versions = machine::versions();
    let contents = |own: &BTreeSet<String>| own.iter().cloned().collect::<Vec<_>>().join(" ");
    let programs = plan.programs.iter();
    versions.extend(programs.map(|(name, own)| (Session::command(name), contents(own))));
    let problems = plan.stages.iter().map(|stage| stage.problem.name());
    versions.extend(problems.filter_map(|name| {
        let content = registry::declared(name)?.content(&Settings::new());
        Some((Session::referee(name), content))
    }));
    let repeats = plan.stages.iter();
    let repeats = repeats.map(|stage| (stage.experiment.clone(), stage.repeats));
    let isolation = is_isolated.then(|| Confinement::possible().name());
    let mut doubts = options.session.doubts.clone();
    if plan.is_timed() {
        doubts.extend(machine::standing_doubts());
    }
    Session {
        number,
        is_later: false,
        command: output::command_line(),
        shard: options.choice.shard,
        comment: options.session.comment.clone(),
        started: machine::moment(),
        repeats: repeats.collect(),
        questions: questions(plan),
        order_seed: options.choice.seed.wrapping_add(u64::from(number - 1)),
        binary: machine::binary().to_owned(),
        isolation: isolation.unwrap_or_default(),
        doubts,
        machine: machine::machine(),
        environment: match plan.programs.is_empty() {
            true => BTreeMap::new(),
            false => machine::environment(),
        },
        versions,
    }
}

/// The number of questions of each experiment of the plan.
fn questions(plan: &Plan) -> BTreeMap<String, usize> {
    let mut questions: BTreeMap<String, BTreeSet<_>> = BTreeMap::new();
    for stage in &plan.stages {
        let own = questions.entry(stage.experiment.clone()).or_default();
        own.extend(stage.cells.iter().map(|cell| cell.asked.to_string()));
    }
    let counts = questions.into_iter();
    counts.map(|(name, own)| (name, own.len())).collect()
}

/// The inherited variables that differ from those of the last session with commands, in words.
fn other_environment(before: &RunFile, session: &Session) -> Option<String> {
    let mut known = before.sessions.iter().rev();
    let last = known.find(|one| !one.environment.is_empty())?;
    let (number, others) = (last.number, session.other_variables(last).join(", "));
    (!others.is_empty())
        .then(|| format!("commands see another environment than in session {number}: {others}"))
}

/// With `--force` a difference from earlier sessions is a warning.
fn warn_if_forced(checked: Result<()>, options: &CampaignOptions) -> Result<()> {
    let Err(difference) = checked else {
        return Ok(());
    };
    if !options.session.force {
        bail!("{difference:#}; --force goes on, and the report says so");
    }
    output::warn(&format!(
        "{difference:#}; what another referee judged leaves all tables, all other samples stay in them"
    ));
    Ok(())
}

/// Refuses an instance whose file was changed since its samples were taken, or whose command now makes another one.
fn check_instances(records: &Path, plan: &Plan) -> Result<()> {
    let mut known: BTreeMap<(&str, &str), BTreeSet<String>> = BTreeMap::new();
    for stage in &plan.stages {
        let of_command = registry::declared(stage.problem.name()).is_some();
        let cells = stage.cells.iter().map(|cell| &cell.input);
        for input in cells.filter(|input| of_command || input.origin == "file") {
            let name = (stage.experiment.as_str(), input.name.as_str());
            let hashes = known.entry(name).or_default();
            hashes.insert(input.hash.to_string());
        }
    }
    if known.is_empty() {
        return Ok(());
    }
    let rows = Rows::read(records)?;
    let mut changed = BTreeSet::new();
    for row in rows.all() {
        let name = (rows.text("experiment", row), rows.text("instance", row));
        let hash = rows.text("instance_hash", row);
        if known.get(&name).is_some_and(|here| !here.contains(hash)) {
            changed.insert(name.1);
        }
    }
    let Some(name) = changed.first() else {
        return Ok(());
    };
    let others = match changed.len() - 1 {
        0 => String::new(),
        others => format!(" ({others} more were changed too)"),
    };
    bail!(
        "instance `{name}` is not the one whose samples were taken: its file or its generator was changed{others}"
    )
}

/// Refuses a session whose machine or program differs from those of earlier sessions.
fn check_same(before: &RunFile, session: &Session) -> Result<()> {
    for earlier in &before.sessions {
        if let Some((name, there, here)) = session.differs_from(earlier) {
            let number = earlier.number;
            bail!("session {number} ran with {name} `{there}`, here it is `{here}`");
        }
    }
    Ok(())
}

/// The number of samples that each experiment should have, by this plan or by that of an earlier session. One that waits for
/// time that is left should have none.
fn planned(
    plan: &Plan,
    options: &CampaignOptions,
    before: &BTreeMap<String, u64>,
) -> BTreeMap<String, u64> {
    let mut planned = BTreeMap::new();
    for stage in plan.first_pass(options.session.looks > 0) {
        *planned.entry(stage.experiment.clone()).or_default() += stage.samples();
    }
    for (experiment, samples) in before {
        let known: &mut u64 = planned.entry(experiment.clone()).or_default();
        *known = (*known).max(*samples);
    }
    planned
}

/// The derivation of the order of samples from the seed, as text for `run.toml`.
const ORDER: &str = "shuffled by the session's order_seed (stream `schedule`), in isolated mode anew for each round";

/// The reason why a run cannot be resumed. Other variants, instances, settings, repeats, words and plots are no reason: the
/// samples of what the file has are added to those that are there.
fn difference(
    before: &RunFile,
    options: &CampaignOptions,
    experiments: &[RanExperiment],
) -> Result<Option<&'static str>> {
    if before.seed != options.choice.seed {
        return Ok(Some("another --seed"));
    }
    if before.scale != scale(options) {
        return Ok(Some("the other scale (--full)"));
    }
    // Any samples may follow those of a merged run.
    if before.sources.is_empty() && before.shard() != options.choice.shard {
        return Ok(Some("another --shard"));
    }
    if before.sets != options.overrides.sets {
        return Ok(Some("another --set"));
    }
    let names =
        |ran: &[RanExperiment]| -> Vec<String> { ran.iter().map(|one| one.name.clone()).collect() };
    if names(&before.experiments) != names(experiments) {
        return Ok(Some("other experiments"));
    }
    for (ran, asked) in before.experiments.iter().zip(experiments) {
        let (ran, asked) = (ran.read()?, asked.read()?);
        let conditions = |one: &Experiment| Run {
            repeats: None,
            ..one.run.clone()
        };
        if ran.problem.name() != asked.problem.name() {
            return Ok(Some("another problem"));
        }
        if conditions(&ran) != conditions(&asked) {
            return Ok(Some("another [run], --limit or --mode"));
        }
    }
    Ok(None)
}

fn scale(options: &CampaignOptions) -> String {
    let is_full = options.overrides.full;
    if is_full { "full" } else { "quick" }.to_owned()
}

/// Adds the observations of the machine to a session in `run.toml`.
pub(super) fn note(folder: &Path, session: u32, watched: &ObservedLoad) -> Result<()> {
    let mut file = RunFile::read(folder)?;
    for own in &mut file.sessions {
        if own.number == session {
            own.machine.extend(watched.machine.clone());
            own.doubts.extend(watched.doubts.clone());
        }
    }
    write_run_file(&folder.join("run.toml"), &file)
}

/// Adds `--draw` to the commands of experiments that were drawn larger: with it, the command that measures one of
/// their cells again finds the cell.
pub(super) fn note_draw(folder: &Path, experiment: &str, times: u32) -> Result<()> {
    let mut file = RunFile::read(folder)?;
    if let Some(again) = file.again.get_mut(experiment) {
        let (first, before) = again.split_once(" --draw ").unwrap_or((again, "1"));
        if before.parse().is_ok_and(|before: u32| before >= times) {
            return Ok(());
        }
        *again = format!("{first} --draw {times}");
    }
    write_run_file(&folder.join("run.toml"), &file)
}

/// Writes `run.toml` completely or not at all.
fn write_run_file(about: &Path, file: &RunFile) -> Result<()> {
    let text = file.text().context("run.toml")?;
    whole::write(about, text).with_context(|| format!("{}: cannot be written", about.display()))
}

/// If the run folder was removed during the run, writes it again with all finished samples.
pub(super) fn rescue(
    error: anyhow::Error,
    journal: &mut Journal,
    folder: &Path,
    about: &[u8],
) -> anyhow::Error {
    if !journal.is_removed() {
        return error;
    }
    let written = std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(folder.join("run.toml"), about))
        .map_err(anyhow::Error::from)
        .and_then(|()| journal.restore());
    match written {
        Ok(rows) => anyhow!("{error}; its {rows} rows are written there again, --resume goes on"),
        Err(again) => anyhow!("{error}, and cannot be written again: {again:#}"),
    }
}
