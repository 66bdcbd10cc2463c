//! The published figures in the scope of a run folder: judges each once, and writes them as rows of the page and as
//! `figures.csv`.

use std::collections::BTreeMap;
use std::path::Path;

use ikeru_bench_data::{Experiment, Figure, PublishedSource, builtin};

use crate::page::{Badge, FigureRow};
use crate::printed_unit::{range, word};
use crate::ruler::ruler;
use crate::verdicts::{HARDLY, JudgedFigure, StoredKind, Verdict, decide_with_games, judge};
use ikeru_records::Result;
use ikeru_records::rows::Rows;
use ikeru_records::units;
use ikeru_records::whole::{CsvTable, number};
use ikeru_reports::table::{Tone, sign};
use ikeru_statistics::{Bound, Estimate, Interval};

/// A judged figure, and the experiment that answers it.
pub struct PlacedFigure<'a> {
    /// The figure with its verdict.
    pub judged: JudgedFigure<'a>,
    /// The experiment of the run that measures it, or else an experiment that names it among its answers.
    pub experiment: String,
    /// True if the run has that experiment.
    pub is_here: bool,
}

/// The sources in the order of the story.
pub fn in_order(sources: &[PublishedSource]) -> Vec<&PublishedSource> {
    let mut sources: Vec<&PublishedSource> = sources.iter().collect();
    sources.sort_by_key(|source| source.story.as_ref().map_or(u32::MAX, |story| story.order));
    sources
}

/// Every figure in the scope of the run, by source in the order of the story. A single experiment has the figures that
/// it answers in its scope, several experiments have all figures of their sources. `looks` is the number of times that
/// the page is judged while its samples grow.
///
/// # Errors
/// An experiment that answers an unknown figure; a figure with an unknown statistic or an impossible range.
pub fn judged<'a>(
    rows: &Rows,
    experiments: &[Experiment],
    sources: &'a [PublishedSource],
    looks: u32,
) -> Result<Vec<PlacedFigure<'a>>> {
    for id in experiments
        .iter()
        .flat_map(|experiment| &experiment.answers)
    {
        builtin::figure(sources, id)?;
    }
    if sources.is_empty() {
        return Ok(Vec::new());
    }
    let answered_by = answering(experiments)?;
    let is_here = |name: &str| experiments.iter().any(|known| known.name == name);
    let is_in_scope = |source: &PublishedSource, figure: &Figure| match experiments {
        [one] => one.answers.contains(&figure.id),
        all => all.iter().any(|one| one.source() == Some(source.word())),
    };
    let mut placed = Vec::new();
    for source in in_order(sources) {
        let figures = source.figures.iter();
        for figure in figures.filter(|figure| is_in_scope(source, figure)) {
            let measured_by = figure.ours.as_ref().map(|ours| ours.experiment.clone());
            let beside = answered_by.get(&figure.id).cloned();
            let measured_by = measured_by.filter(|name| is_here(name));
            let experiment = measured_by.or(beside).unwrap_or_default();
            placed.push(PlacedFigure {
                judged: judge(rows, source, figure)?,
                is_here: is_here(&experiment),
                experiment,
            });
        }
    }
    let mut judged: Vec<&mut JudgedFigure> = placed.iter_mut().map(|one| &mut one.judged).collect();
    decide_with_games(rows, &mut judged, looks)?;
    Ok(placed)
}

/// The experiment that answers each figure: one of the run, else a built-in one.
fn answering(experiments: &[Experiment]) -> Result<BTreeMap<String, String>> {
    let mut answered_by = BTreeMap::new();
    let mut add = |experiment: &Experiment| {
        for id in &experiment.answers {
            let name = || experiment.name.clone();
            answered_by.entry(id.clone()).or_insert_with(name);
        }
    };
    experiments.iter().for_each(&mut add);
    for (name, _) in builtin::experiment_texts() {
        add(&builtin::experiment(name)?);
    }
    Ok(answered_by)
}

/// The figure as a row of the page; `links` has the addresses of the experiments.
pub fn row(placed: &PlacedFigure, links: &BTreeMap<String, String>) -> FigureRow {
    let PlacedFigure {
        judged, experiment, ..
    } = placed;
    let figure = judged.figure;
    let (ours, interval) = ours(judged);
    let right = figure.corrected.map(|right| word(right, &figure.unit));
    let (printed, band) = (printed(figure), judged.band());
    let is_erratum = judged.verdict == Verdict::Erratum;
    let within = if band.is_empty() || is_erratum {
        &printed
    } else {
        &band
    };
    // A book's pages list the claims that stored rows judge after their experiments.
    let among_stored = || match judged.stored.is_some() && links.len() > 1 {
        true => format!("{}.html#claim-{}", judged.source.word(), figure.id),
        false => String::new(),
    };
    let said = format!("printed {within}, ours {ours} {interval}").replace(['<', '&', '"'], "");
    FigureRow {
        id: figure.id.clone(),
        source: judged.source.source.clone(),
        place: figure.place.clone(),
        claim: figure.claim.clone(),
        ruler: ruler(judged, said.trim_end()),
        printed,
        band,
        right: right.unwrap_or_default(),
        ours,
        interval,
        within: match judged.ours.as_ref().is_some_and(|ours| ours.is_modelled) {
            true => "models",
            false => "95 %",
        },
        verdict: judged.verdict.name(),
        tone: tone(judged.verdict),
        rank: judged.verdict as usize,
        is_stored: judged.stored.is_some(),
        reason: judged.reason(),
        explained: judged.explained(),
        needs: needs(judged),
        link: links.get(experiment).cloned().unwrap_or_else(among_stored),
        experiment: experiment.clone(),
    }
}

fn needs(judged: &JudgedFigure) -> String {
    let sampled = judged.ours.as_ref().map_or(0, |ours| ours.sampled);
    let said = match (judged.verdict, judged.needs()) {
        (Verdict::Undecided, _) if judged.stored == Some(StoredKind::Games) => {
            "stored games".to_owned()
        }
        (Verdict::Undecided, Some((samples, seconds))) => format!(
            "needs about {} ({})",
            units::rounded(samples as f64, 2),
            units::about(1e9 * seconds.ceil())
        ),
        (Verdict::Undecided, None) if judged.lacking.is_none() => {
            return "no sample of it decides".to_owned();
        }
        (Verdict::Undecided, None) if judged.is_without_interval() => {
            "too few for an interval".to_owned()
        }
        (Verdict::Undecided, None) => {
            format!(
                "needs more than {} times as many",
                units::count(HARDLY as usize)
            )
        }
        (Verdict::OnTheEdge, _) => "on the edge".to_owned(),
        _ => return String::new(),
    };
    format!("n = {}, {said}", units::count(sampled))
}

/// The value as the source prints it, with the unit if it is a number.
fn printed(figure: &Figure) -> String {
    let printed = figure.as_printed();
    let is_share = figure.unit.starts_with("of the");
    let has_unit = is_share || printed.contains(char::is_alphabetic);
    units::and_unit(printed, if has_unit { "" } else { &figure.unit })
}

/// The order of verdicts in lists of figures, the most interesting first.
const ORDER: [Verdict; 8] = [
    Verdict::Differs,
    Verdict::Erratum,
    Verdict::Undecided,
    Verdict::OnTheEdge,
    Verdict::Reproduced,
    Verdict::Calibrated,
    Verdict::NotComparable,
    Verdict::NotMeasured,
];

/// Orders the rows of figures, the most interesting verdicts first.
pub fn most_interesting_first(mut rows: Vec<FigureRow>) -> Vec<FigureRow> {
    rows.sort_by_key(|row| ORDER.iter().position(|known| *known as usize == row.rank));
    rows
}

/// Our figure and its interval, in the unit of the published one.
fn ours(judged: &JudgedFigure) -> (String, String) {
    match &judged.ours {
        None => (String::new(), String::new()),
        Some(ours) if ours.estimate.bound == Bound::Either => ("stopped".to_owned(), String::new()),
        Some(ours) => in_words(ours.estimate, &judged.figure.unit),
    }
}

/// A value with its unit, and its interval.
pub fn in_words(estimate: Estimate, unit: &str) -> (String, String) {
    let ends = estimate.interval.filter(|ends| ends.low < ends.high);
    let ends = ends.map(|ends| range(ends.low, ends.high, unit));
    let value = format!("{}{}", sign(estimate.bound), word(estimate.value, unit));
    (value, ends.unwrap_or_default())
}

fn tone(verdict: Verdict) -> Tone {
    match verdict {
        Verdict::Reproduced => Tone::Good,
        Verdict::Differs => Tone::Bad,
        Verdict::Calibrated | Verdict::Erratum => Tone::Warn,
        Verdict::Undecided | Verdict::OnTheEdge | Verdict::NotComparable | Verdict::NotMeasured => {
            Tone::Still
        }
    }
}

/// The number of figures of each verdict.
pub fn counted<'a, 'b: 'a>(placed: impl IntoIterator<Item = &'a PlacedFigure<'b>>) -> Vec<Badge> {
    let mut counts: BTreeMap<Verdict, usize> = BTreeMap::new();
    for placed in placed {
        *counts.entry(placed.judged.verdict).or_default() += 1;
    }
    let badge = |(verdict, count): (Verdict, usize)| Badge {
        text: verdict.counted(count),
        count,
        badge: tone(verdict),
        verdict: verdict.name(),
    };
    counts.into_iter().map(badge).collect()
}

/// Writes `figures.csv`. Numbers are bare, in `unit`; an empty field is unknown. `chance` is the probability of the
/// verdict by chance for this figure alone and a single look at it.
///
/// # Errors
/// A file that cannot be written.
pub fn write(path: &Path, placed: &[PlacedFigure]) -> Result<()> {
    type One<'a> = &'a PlacedFigure<'a>;
    let ours = |one: &One| Some(one.judged.ours.as_ref()?.estimate);
    let band = |one: &One| {
        let [low, high] = one.judged.compared_band()?;
        Some(Interval { low, high })
    };
    let sampled = |one: &One| {
        let ours = one.judged.ours.as_ref();
        ours.map(|ours| ours.sampled.to_string())
    };
    CsvTable::<One>::default()
        .column("id", |one| one.judged.figure.id.clone())
        .column("source", |one| one.judged.source.source.clone())
        .column("place", |one| one.judged.figure.place.clone())
        .column("claim", |one| one.judged.figure.claim.clone())
        .column("printed", |one| one.judged.figure.as_printed())
        .column("published", |one| number(one.judged.figure.value))
        .column("unit", |one| one.judged.figure.unit.clone())
        .ends("band", band)
        .column("corrected", |one| number(one.judged.figure.corrected))
        .estimate("ours", ours)
        .ends("decides", |one| one.judged.decides)
        .column("sampled", move |one| sampled(one).unwrap_or_default())
        .column("chance", |one| number(one.judged.chance))
        .column("verdict", |one| one.judged.verdict.name())
        .column("reason", |one| one.judged.reason())
        .column("explained", |one| one.judged.explained())
        .column("experiment", |one| one.experiment.clone())
        .write(path, placed)
}
