//! Writes a run folder's tables, plots and pages, from the files of the run folder alone.

mod card;
mod failures;
pub(crate) mod figures;
pub(crate) mod results;
mod ruler;
mod section;
mod story;
mod tables;

pub use results::ExperimentAnswer;
pub use tables::decisions as decisions_table;

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use ikeru_bench_data::{Experiment, InstanceSpec, builtin};

use self::section::Folder;
use crate::closing::{Closing, closing};
use crate::consoles::{Basis, throughput};
use crate::decisions;
use crate::failures::Failures;
use crate::page::{self, Badge, Fact, FigureRow, Page, PageGroup, SourceCard};
use crate::run_file::{RanExperiment, RunFile};
use crate::table::Table;
use crate::{ReportError, Rows, anytime, side_by_side, summary, units, whole};

/// The result of a report.
#[derive(Debug)]
pub struct Report {
    /// The path of the page.
    pub page: PathBuf,
    /// The answer of each experiment, in the order of the page.
    pub answers: Vec<ExperimentAnswer>,
    /// The headline of each source whose headline was measured.
    pub cards: Vec<SourceCard>,
    /// The number of published figures of each verdict.
    pub verdicts: Vec<Badge>,
    /// Every published figure in the scope of the run.
    pub figures: Vec<FigureRow>,
    /// The names of the files in `plots/`, without ending.
    pub plots: Vec<String>,
    /// The variants of the only experiment side by side.
    pub variants: Option<Table>,
    /// The number of samples.
    pub samples: usize,
    /// The failures of the run.
    pub failures: Failures,
    /// The number of checked rows, and of wrong ones.
    pub closing: Closing,
    /// A sentence on repeated rows and a torn last line, if there are any.
    pub uncounted: Option<String>,
    /// The part of the planned samples that is missing, one line for each experiment.
    pub unfinished: Vec<String>,
    /// The rows.
    pub rows: Rows,
}

/// Writes `summary.csv`, `figures.csv`, `throughput.csv`, `anytime.csv`, `plots/`, `cards/`, `index.html` and the
/// sources' pages of the run folder; nothing else there is changed.
///
/// # Errors
/// A `records.csv` or `run.toml` that is missing or cannot be read; a file that cannot be written.
pub fn report(run_folder: &Path) -> Result<Report, ReportError> {
    have_threads();
    let (run, experiments, rows) = read(run_folder)?;
    let summaries = summary::summarize(&rows, &experiments);
    let (tables, book) = rayon::join(
        || tables(run_folder, &rows, &summaries),
        || book(run_folder, (&run, &experiments), &rows, &summaries),
    );
    tables?;
    Ok(Report { rows, ..book? })
}

/// Starts the threads of a report. If the system starts none, the current thread does all the work.
fn have_threads() {
    if rayon::ThreadPoolBuilder::new().build_global().is_err() {
        let alone = rayon::ThreadPoolBuilder::new()
            .num_threads(1)
            .use_current_thread();
        // This fails if the threads already exist.
        let _ = alone.build_global();
    }
}

fn tables(
    run_folder: &Path,
    rows: &Rows,
    summaries: &[summary::Summary],
) -> Result<(), ReportError> {
    summary::write(&run_folder.join("summary.csv"), rows, summaries)?;
    throughput::write(run_folder, rows, Basis::built_in()?)?;
    anytime::write(run_folder, rows)
}

/// The pages, plots and figures; without the rows.
fn book(
    run_folder: &Path,
    (run, experiments): (&RunFile, &[Experiment]),
    rows: &Rows,
    summaries: &[summary::Summary],
) -> Result<Report, ReportError> {
    let plots = run_folder.join("plots");
    std::fs::create_dir_all(&plots).map_err(|error| ReportError::io(&plots, error))?;
    let sources = builtin::published()?;
    let placed = figures::judged(rows, experiments, sources, run.looks.max(1))?;
    figures::write(&run_folder.join("figures.csv"), &placed)?;
    let failures = Failures::of(rows);
    let decided = run_folder.join(decisions::FILE).exists();
    let links = story::links(experiments, sources);
    let folder = Folder {
        path: run_folder,
        run,
        rows,
        summaries,
        failures: &failures,
        placed: &placed,
        links: &links,
        decisions: decided.then(|| decisions::comparisons(rows, experiments)),
        all_have_sources: experiments
            .iter()
            .all(|experiment| experiment.source().is_some()),
        drawn: RefCell::default(),
        room: RefCell::new(crate::frames::ROOM),
    };
    let sections = experiments
        .iter()
        .map(|experiment| folder.section(experiment));
    let sections = sections.collect::<Result<Vec<_>, _>>()?;
    let groups = story::groups(sources, sections, |name| {
        let own = experiments
            .iter()
            .find(|experiment| experiment.name == name);
        own.and_then(Experiment::source).map(str::to_owned)
    });
    let answers = results::answers(&groups);
    let ordered = figures::rows(&placed, &links);
    let cards = story::cards(rows, sources, &ordered, &groups)?;
    write_cards(run_folder, &cards)?;
    let page = page(&folder, groups, cards.clone(), ordered);
    let pages = page::html(&page)
        .map_err(|error| ReportError::Question(format!("the page's template: {error:#}")))?;
    let path = run_folder.join("index.html");
    for (name, html) in pages {
        let path = run_folder.join(name);
        whole::write(&path, html).map_err(|error| ReportError::io(&path, error))?;
    }
    let variants = match experiments {
        [one] => Some(results::variants(rows, one)),
        _ => None,
    };
    let verdicts = figures::counted(&placed);
    let mut plots: Vec<String> = folder.drawn.take().into_iter().collect();
    plots.sort_unstable();
    let figures = placed.iter().map(|one| figures::row(one, &links)).collect();
    Ok(Report {
        page: path,
        answers,
        cards,
        verdicts,
        figures,
        plots,
        variants,
        samples: rows.len(),
        closing: closing(rows),
        uncounted: uncounted(rows),
        unfinished: run.unfinished(rows),
        failures,
        rows: Rows::default(),
    })
}

fn write_cards(run_folder: &Path, cards: &[SourceCard]) -> Result<(), ReportError> {
    if cards.is_empty() {
        return Ok(());
    }
    let place = run_folder.join("cards");
    std::fs::create_dir_all(&place).map_err(|error| ReportError::io(&place, error))?;
    for card in cards {
        let file = card.link.replace(".html", ".png");
        card::write(card, &place.join(file))
            .map_err(|error| ReportError::Question(error.to_string()))?;
    }
    Ok(())
}

/// Reads a run folder's `run.toml`, its experiments and its rows.
pub(crate) fn read(run_folder: &Path) -> Result<(RunFile, Vec<Experiment>, Rows), ReportError> {
    let run = RunFile::read(run_folder)?;
    let experiments: Vec<Experiment> = run
        .experiments
        .iter()
        .map(RanExperiment::read)
        .collect::<Result<_, _>>()?;
    let mut rows = Rows::read(&run_folder.join("records.csv"))?;
    set_orders(&mut rows, &experiments, run.seed)?;
    rows.set_directions(run.directions());
    rows.set_defaults(run.defaults.clone());
    Ok((run, experiments, rows))
}

/// Orders experiments, instances, generators and variants as in the run's experiments, because the rows have a random
/// order.
fn set_orders(rows: &mut Rows, experiments: &[Experiment], seed: u64) -> Result<(), ReportError> {
    rows.set_order(
        "experiment",
        experiments
            .iter()
            .map(|experiment| experiment.name.as_str()),
    );
    let (mut variants, mut instances, mut generators) = (Vec::new(), Vec::new(), Vec::new());
    for experiment in experiments {
        let specs = experiment.variant_specs()?;
        merge(&mut variants, specs.into_iter().map(|spec| spec.label));
        let entries = experiment.instances.iter();
        merge(
            &mut generators,
            entries.filter_map(|entry| entry.generator.clone()),
        );
        let specs = experiment.instance_specs(seed)?.into_iter();
        let labels = specs.filter_map(|spec| match spec {
            InstanceSpec::Generated { label, .. } => Some(label),
            InstanceSpec::Files { label, .. } => label,
        });
        merge(&mut instances, labels);
    }
    rows.set_order("label", variants.iter().map(String::as_str));
    rows.set_order("instance", instances.iter().map(String::as_str));
    rows.set_order("generator", generators.iter().map(String::as_str));
    rows.set_order("bound_policy", ["private", "shared"]);
    Ok(())
}

/// Adds new words to an order: each after the word before it, or before the first known word. The orders of two
/// experiments rarely contradict each other.
fn merge(order: &mut Vec<String>, words: impl Iterator<Item = String>) {
    let mut words: Vec<String> = words.collect();
    words.dedup();
    let place = |order: &[String], word: &String| order.iter().position(|known| known == word);
    let first = words.iter().find_map(|word| place(order, word));
    let mut at = first.unwrap_or(order.len());
    for word in words {
        match place(order, &word) {
            Some(known) => at = known + 1,
            None => {
                order.insert(at, word);
                at += 1;
            }
        }
    }
}

/// The content of the pages, for the templates.
fn page(
    folder: &Folder,
    groups: Vec<PageGroup>,
    cards: Vec<SourceCard>,
    figures: Vec<FigureRow>,
) -> Page {
    let Folder {
        run,
        failures,
        placed,
        rows,
        ..
    } = folder;
    let again = format!("ikeru report {}", folder.path.display());
    let unfinished = run.unfinished(rows).into_iter();
    let mut doubts: Vec<String> = unfinished
        .map(|missing| format!("unfinished, {missing}"))
        .collect();
    doubts.extend(run.doubts());
    doubts.extend(uncounted(rows));
    let mut pairs = side_by_side::pairs(folder.path);
    pairs.sort_by_key(|pair| groups.iter().position(|group| group.word == pair.source));
    let only = match groups.as_slice() {
        [group] if group.sections.len() == 1 => group.sections.first(),
        _ => None,
    };
    let sections = || groups.iter().flat_map(|group| &group.sections);
    let (title, description) = match only {
        Some(section) => (section.title.clone(), section.answer.clone()),
        // If every experiment belongs to a source, the heading is that of the book of sources.
        None if folder.all_have_sources => (TITLE.to_owned(), DESCRIPTION.to_owned()),
        None => (
            joined(sections().map(|section| section.title.as_str()), " · "),
            joined(sections().map(|section| section.answer.as_str()), ". "),
        ),
    };
    Page {
        title,
        description,
        subtitle: subtitle(run, rows.len()),
        command: run.command.clone(),
        more: if folder.all_have_sources {
            more(run)
        } else {
            String::new()
        },
        cards,
        verdicts: figures::counted(*placed),
        figures,
        image: groups.iter().find_map(PageGroup::image).unwrap_or_default(),
        pairs,
        machine: facts(run),
        doubts: doubts.join("; "),
        alarms: failures::alarms(failures),
        failure_sentence: failures.sentence(),
        failures: failures::groups(failures),
        is_book: only.is_none(),
        groups,
        again,
    }
}

/// The heading of a book.
const TITLE: &str = "Five texts about games, run again";

/// The description of a book, for link previews and for its first page.
const DESCRIPTION: &str = "Articles and a thesis say how fast their programs are, what saves how much, what a console could do. \
                           Each program ran again beside better ones, a referee checked every answer, and each claim has a verdict.";

/// The first texts, and the number of further ones.
fn joined<'a>(texts: impl Iterator<Item = &'a str>, between: &str) -> String {
    let texts: Vec<&str> = texts.collect();
    let shown = &texts[..texts.len().min(SHOWN_TITLES)];
    match texts.len() - shown.len() {
        0 => shown.join(between),
        more => format!("{}{between}and {more} more", shown.join(between)),
    }
}

/// The largest number of titles of experiments in the heading of their common page.
const SHOWN_TITLES: usize = 3;

/// A sentence on what `--full` would add to a quick run of the sources' experiments; empty for other scales.
fn more(run: &RunFile) -> String {
    match run.scale.as_str() {
        "quick" => "This is the quick scale; with --full the same experiments run at the sources' own scale: larger \
                    instances, more of them, more repeats."
            .to_owned(),
        _ => String::new(),
    }
}

fn subtitle(run: &RunFile, samples: usize) -> String {
    let mut parts = vec![
        format!(
            "{} of {}",
            units::plural(samples, "sample"),
            units::plural(run.experiments.len(), "experiment")
        ),
        format!("seed {}", run.seed),
    ];
    if !run.scale.is_empty() {
        parts.push(format!("{} scale", run.scale));
    }
    if !run.sets.is_empty() {
        parts.push(format!("set {}", run.sets.join(" ")));
    }
    parts.join(", ")
}

/// The machine, the versions, and the sessions if there are several.
fn facts(run: &RunFile) -> Vec<Fact> {
    let mut pairs: Vec<(String, String)> = run
        .machine
        .iter()
        .chain(&run.versions)
        .map(|(name, value)| (name.replace('_', " "), value.clone()))
        .collect();
    if run.sessions.len() > 1 {
        let sessions = run.sessions.iter();
        pairs.extend(sessions.map(|session| {
            let name = format!("session {}", session.number);
            (name, format!("{}, by {}", session.started, session.command))
        }));
    }
    let fact = |(name, value)| Fact { name, value };
    pairs.into_iter().map(fact).collect()
}

/// A sentence on lines of the file that are not counted: repeated rows, and a last line without its end.
pub fn uncounted(rows: &Rows) -> Option<String> {
    let count = rows.repeated();
    let repeated = (count > 0).then(|| {
        let rows = units::plural(count, "row");
        format!("{rows} stood twice in records.csv with the same values, counted once")
    });
    let torn = rows.is_torn().then(|| {
        "the last line of records.csv has no line break, so that it may be torn: left out"
            .to_owned()
    });
    let all: Vec<String> = repeated.into_iter().chain(torn).collect();
    (!all.is_empty()).then(|| all.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_merged_without_contradiction() {
        let mut order = Vec::new();
        for words in [
            "memo bitboard slots",
            "naive bitboard dedupe",
            "slots batch",
        ] {
            merge(&mut order, words.split(' ').map(str::to_owned));
        }
        let expected = ["memo", "naive", "bitboard", "dedupe", "slots", "batch"];
        assert_eq!(order, expected);
    }
}
