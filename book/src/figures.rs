//! The published figures in the scope of a run folder: judges each once, and writes them as rows of the page and as
//! `figures.csv`.

use std::collections::BTreeMap;
use std::path::Path;

use ikeru_bench_data::published::FigureKind;
use ikeru_bench_data::{Experiment, Figure, PublishedSource, builtin};
use ikeru_consoles::Basis;
use ikeru_consoles::validation::is_checked;

use crate::page::{Badge, FigureRow};
use crate::printed_unit::{range, word};
use crate::ruler::{ruler, strip};
use crate::verdicts::{
    HARDLY, JudgedFigure, StoredKind, Verdict, decide_by_readings, decide_with_games, judge,
};
use ikeru_records::Result;
use ikeru_records::rows::Rows;
use ikeru_records::units;
use ikeru_records::whole::{CsvTable, number};
use ikeru_reports::table::{Tone, sign};
use ikeru_statistics::{Bound, Estimate, Interval};

/// The sources in the order of the story.
pub fn in_order(sources: &[PublishedSource]) -> Vec<&PublishedSource> {
    let mut sources: Vec<&PublishedSource> = sources.iter().collect();
    sources.sort_by_key(|source| source.story.as_ref().map_or(u32::MAX, |story| story.order));
    sources
}

/// Every figure in the scope of the run, by source in the order of the story. A single experiment has the figures that
/// it answers in its scope; several experiments, or one with the claims of a text, have all figures of their sources. `looks` is the number of times that
/// the page is judged while its samples grow.
///
/// # Errors
/// An experiment that answers an unknown figure; a figure with an unknown statistic or an impossible range.
pub fn judged<'a>(
    rows: &Rows,
    experiments: &[Experiment],
    sources: &'a [PublishedSource],
    looks: u32,
) -> Result<Vec<JudgedFigure<'a>>> {
    for id in experiments.iter().flat_map(|one| &one.answers) {
        builtin::figure(sources, id)?;
    }
    if sources.is_empty() {
        return Ok(Vec::new());
    }
    let is_in_scope = |source: &PublishedSource, figure: &Figure| match experiments {
        [one] if one.claims.is_none() => one.answers.contains(&figure.id),
        all => all.iter().any(|one| one.source() == Some(source.word())),
    };
    let mut judged = Vec::new();
    for source in in_order(sources) {
        for figure in source.figures.iter().filter(|one| is_in_scope(source, one)) {
            judged.push(judge(rows, source, figure)?);
        }
    }
    decide_with_games(rows, &mut judged, looks)?;
    decide_by_readings(&mut judged);
    let mut answered_by = answering(experiments)?;
    for one in &mut judged {
        if !one.is_of(experiments) {
            one.experiment = answered_by.remove(&one.figure.id).unwrap_or_default();
        }
    }
    Ok(judged)
}

/// The experiment that answers each figure: one of the run, else a built-in one.
fn answering(experiments: &[Experiment]) -> Result<BTreeMap<String, String>> {
    let mut answered_by = BTreeMap::new();
    let built_in = builtin::experiment_texts().map(|(name, _)| builtin::experiment(name));
    for experiment in experiments.iter().cloned().map(Ok).chain(built_in) {
        let Experiment { name, answers, .. } = experiment?;
        for id in answers {
            answered_by.entry(id).or_insert_with(|| name.clone());
        }
    }
    Ok(answered_by)
}

/// The figure as a row of the page; `links` has the addresses of the experiments, `facts` the verdicts of all facts.
pub fn row(
    judged: &JudgedFigure,
    links: &BTreeMap<String, String>,
    facts: &BTreeMap<&str, Verdict>,
) -> FigureRow {
    let (figure, experiment) = (judged.figure, &judged.experiment);
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
    let nearest = judged.readings.as_ref();
    let nearest = nearest.map(|of| of.nearest_in_words(&figure.unit));
    FigureRow {
        id: figure.id.clone(),
        fact: figure.fact().to_owned(),
        of_fact: facts
            .get(figure.fact())
            .map_or("", |of_fact| of_fact.name()),
        source: judged.source.source.clone(),
        place: figure.place.clone(),
        claim: figure.claim.clone(),
        ruler: ruler(judged, said.trim_end()),
        strip: strip(judged, said.trim_end()),
        nearest: nearest.unwrap_or_default(),
        printed,
        band,
        right: right.unwrap_or_default(),
        ours,
        interval,
        within: match &judged.ours {
            Some(ours) if ours.is_modelled => "models".to_owned(),
            Some(ours) => ["95 %"]
                .into_iter()
                .chain(ours.scope)
                .collect::<Vec<_>>()
                .join(" "),
            None => "95 %".to_owned(),
        },
        modelled: modelled(judged),
        verdict: judged.verdict.name(),
        direction: judged.direction(),
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

/// The remark on a modelled value: whether the models of its consoles were checked.
fn modelled(judged: &JudgedFigure) -> &'static str {
    let names = match judged.figure.ours.as_ref().map(|ours| &ours.is) {
        _ if !judged.ours.as_ref().is_some_and(|ours| ours.is_modelled) => return "",
        Some(FigureKind::Console(name) | FigureKind::ConsoleToHere(name)) => {
            std::slice::from_ref(name)
        }
        Some(FigureKind::ConsoleRatio(both)) => both,
        _ => &[],
    };
    let is_open = |basis: &Basis| {
        let all = &basis.consoles.consoles;
        let mut own = all.iter().filter(|console| names.contains(&console.name));
        own.any(|console| !is_checked(&basis.checks, console, all))
    };
    ["modelled", "modelled, not checked"][usize::from(Basis::built_in().is_ok_and(is_open))]
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
    format!("{}, {said}", units::plural(sampled, judged.sampled))
}

/// The value as the source prints it, with the unit if it is a number.
fn printed(figure: &Figure) -> String {
    let printed = figure.as_printed();
    // Ours is compared with the value of a quotient.
    let is_quotient = printed.contains(" / ") && printed.starts_with(|c: char| c.is_ascii_digit());
    if let Some(value) = figure.value.filter(|_| is_quotient) {
        return format!("{} ({printed})", word(value, &figure.unit));
    }
    let is_share = figure.unit.starts_with("of the");
    let has_unit = is_share || printed.contains(char::is_alphabetic);
    units::and_unit(printed, if has_unit { "" } else { &figure.unit })
}

/// The order of verdicts in lists of figures, the most interesting first.
const ORDER: [Verdict; 9] = [
    Verdict::Differs,
    Verdict::OpenRule,
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
        Verdict::Calibrated | Verdict::Erratum | Verdict::OpenRule => Tone::Warn,
        Verdict::Undecided | Verdict::OnTheEdge | Verdict::NotComparable | Verdict::NotMeasured => {
            Tone::Still
        }
    }
}

/// The verdicts of which a fact of several figures has the first.
const AGAINST: [Verdict; 9] = [
    Verdict::Differs,
    Verdict::OpenRule,
    Verdict::Undecided,
    Verdict::OnTheEdge,
    Verdict::Erratum,
    Verdict::Calibrated,
    Verdict::Reproduced,
    Verdict::NotComparable,
    Verdict::NotMeasured,
];

/// The verdict of each fact.
pub fn facts<'a, 'b: 'a>(
    judged: impl IntoIterator<Item = &'a JudgedFigure<'b>>,
) -> BTreeMap<&'a str, Verdict> {
    let rank = |verdict: Verdict| AGAINST.iter().position(|one| *one == verdict);
    let mut facts = BTreeMap::new();
    for one in judged {
        let known = facts.entry(one.figure.fact()).or_insert(one.verdict);
        if rank(one.verdict) < rank(*known) {
            *known = one.verdict;
        }
    }
    facts
}

/// The number of facts of each verdict.
pub fn counted<'a, 'b: 'a>(judged: impl IntoIterator<Item = &'a JudgedFigure<'b>>) -> Vec<Badge> {
    let mut counts: BTreeMap<Verdict, usize> = BTreeMap::new();
    for verdict in facts(judged).into_values() {
        *counts.entry(verdict).or_default() += 1;
    }
    let badge = |(verdict, count): (Verdict, usize)| Badge {
        text: verdict.counted(count),
        badge: tone(verdict),
    };
    counts.into_iter().map(badge).collect()
}

/// Writes `figures.csv`. Numbers are bare, in `unit`; an empty field is unknown. `chance` is the probability of the
/// verdict by chance for this figure alone and a single look at it.
///
/// # Errors
/// A file that cannot be written.
pub fn write(path: &Path, judged: &[JudgedFigure]) -> Result<()> {
    type One<'a> = &'a JudgedFigure<'a>;
    let ours = |one: &One| Some(one.ours.as_ref()?.estimate);
    let band = |one: &One| {
        let [low, high] = one.compared_band()?;
        Some(Interval { low, high })
    };
    let sampled = |one: &One| Some(one.ours.as_ref()?.sampled.to_string());
    CsvTable::<One>::default()
        .column("id", |one| one.figure.id.clone())
        .column("fact", |one| one.figure.fact().to_owned())
        .column("source", |one| one.source.source.clone())
        .column("place", |one| one.figure.place.clone())
        .column("claim", |one| one.figure.claim.clone())
        .column("printed", |one| one.figure.as_printed())
        .column("published", |one| number(one.figure.value))
        .column("unit", |one| one.figure.unit.clone())
        .ends("band", band)
        .column("corrected", |one| number(one.figure.corrected))
        .estimate("ours", ours)
        .ends("decides", |one| one.decides)
        .column("sampled", move |one| sampled(one).unwrap_or_default())
        .column("chance", |one| number(one.chance))
        .column("verdict", |one| one.verdict.name())
        .column("direction", |one| one.direction())
        .column("reason", |one| {
            let stored = one.stored.map_or("", StoredKind::words);
            format!("{stored} {}", one.reason()).trim().to_owned()
        })
        .column("explained", |one| one.explained())
        .column("experiment", |one| one.experiment.clone())
        .write(path, judged)
}
