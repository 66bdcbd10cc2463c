//! Further samples for published figures that are open: `reproduce` takes them after its first page is written.
//!
//! The figure that is expected to be decided at the least cost comes first; the headline of a source may cost more. Its
//! sample is doubled: with instances of further seeds, or with repeats if it has only one instance. Each doubling is a
//! look at the figure, and the level of the page allows for [`LOOKS`] of them.

use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

use anyhow::Result;
use ikeru_bench_data::Mode;
use ikeru_bench_data::published::Filter;
use ikeru_book::open_figures::{FiguresSoFar, OpenFigure, so_far};
use ikeru_core::Value;
use ikeru_reports::Rows;
use ikeru_reports::report::ReportAsked;
use ikeru_reports::units::plural;

use crate::campaign::OpenSession;
use crate::execute::Executor;
use crate::plan::{Cell, Stage};

/// The maximum number of times that the sample of a figure is doubled.
const DOUBLINGS: u32 = 8;

/// The maximum number of looks at a figure: the first, one after each doubling, and one when the time is over.
pub const LOOKS: u32 = DOUBLINGS + 2;

/// The seconds of samples between two looks at all figures.
const STEP: f64 = 2.0;

/// The cost of a source's headline is divided by this number before figures are ordered by their cost.
const HEADLINE: f64 = 8.0;

/// The interval at which the page is written again while figures are settled.
const PAGE: Duration = Duration::from_secs(120);

/// Settles published figures after the first pass.
pub struct Settle {
    /// The time for further samples.
    pub budget: Duration,
    /// The beginning of the time, or `None` if it counts from the end of the first pass.
    pub began: Option<Instant>,
}

impl Settle {
    /// Doubles samples until no open figure can be decided in the time that is left. The page is written at first, and
    /// again every two minutes.
    ///
    /// # Errors
    /// A run folder that cannot be read or written, or an interruption.
    pub fn take<E: Executor>(&mut self, session: &mut OpenSession<E>) -> Result<()> {
        let end = self.began.unwrap_or_else(Instant::now) + self.budget;
        let mut doubled: HashMap<String, u32> = HashMap::new();
        let mut drawn = BTreeMap::new();
        let mut written = Instant::now();
        loop {
            let so_far = so_far(&session.folder)?;
            let left = end.saturating_duration_since(Instant::now());
            let next = next(session, &so_far, &mut doubled, left)?;
            if next.is_empty() {
                return session.note_draws(&drawn);
            }
            let progress = session.conditions.progress;
            let is_first = !session.folder.join("index.html").exists();
            if is_first || written.elapsed() > PAGE {
                let book = ikeru_book::report(&session.folder, ReportAsked::default())?;
                let page = book.run.folder.page_path();
                let (decided, open, page) = (so_far.decided, so_far.open.len(), page.display());
                progress.say(&format!(
                    "{decided} figures are decided, {open} are open; the page so far: {page}"
                ));
                written = Instant::now();
            }
            for (figure, stage) in next {
                let times = doubled.get(&figure.id).map_or(1, |times| 1 << times);
                let known = drawn.entry(figure.experiment.clone()).or_insert(times);
                *known = times.max(*known);
                let open = so_far.open.len();
                let open = plural(open, "figure");
                progress.message(&format!("{open} open, now {} ", figure.id));
                session.take_stage(&stage)?;
            }
        }
    }
}

/// The samples that double those of the open figures whose decisions cost least: at most one figure of each
/// experiment. Figures after the first are added while the total stays within [`STEP`].
fn next<'s, E: Executor>(
    session: &OpenSession<E>,
    so_far: &'s FiguresSoFar,
    doubled: &mut HashMap<String, u32>,
    left: Duration,
) -> Result<Vec<(&'s OpenFigure, Stage)>> {
    let left = left.as_secs_f64();
    let with_cost = |figure| (cost(session, figure, left), figure);
    let mut open: Vec<(f64, &OpenFigure)> = so_far.open.iter().map(with_cost).collect();
    let order = |(cost, figure): &(f64, &OpenFigure)| match figure.is_headline {
        true => cost / HEADLINE,
        false => *cost,
    };
    // Several figures may not be decided in the time that is left: the one whose samples double soonest comes first.
    let own = |(_, figure): &(f64, &OpenFigure)| seconds_of(session, figure);
    open.sort_by(|a, b| {
        let by_cost = order(a).total_cmp(&order(b));
        by_cost.then(own(a).total_cmp(&own(b)))
    });
    let (mut next, mut seconds) = (Vec::new(), 0.0);
    for (cost, figure) in open {
        let is_known = figure.sampled > 0;
        let own = match is_known {
            true => seconds_of(session, figure),
            false => cost,
        };
        let is_same = |one: &(&OpenFigure, Stage)| one.1.experiment == figure.experiment;
        let is_long = !next.is_empty() && seconds + own > STEP;
        if own > left || is_long || next.iter().any(is_same) {
            continue;
        }
        let times = doubled.entry(figure.id.clone()).or_default();
        while *times < DOUBLINGS {
            *times += u32::from(is_known);
            let stage = stage(session, figure, 1 << *times, &so_far.rows)?;
            match stage.filter(|stage| !stage.cells.is_empty()) {
                Some(stage) => {
                    next.push((figure, stage));
                    seconds += own;
                    break;
                }
                // An earlier session, or another figure, took them.
                None if is_known => {}
                None => *times = DOUBLINGS,
            }
        }
    }
    Ok(next)
}

/// The expected cost of deciding a figure, in seconds, when `left` seconds are left.
fn cost<E: Executor>(session: &OpenSession<E>, figure: &OpenFigure, left: f64) -> f64 {
    let Some(experiment) = session.experiment(&figure.experiment) else {
        return f64::INFINITY;
    };
    if figure.sampled == 0 {
        let expected = experiment.run.expected_seconds;
        let expected = expected.and_then(|seconds| seconds.at(false));
        let mut stages = session.campaign.plan.stages.iter();
        let stage = stages.find(|stage| stage.experiment == figure.experiment);
        let share = stage.map_or(1.0, |stage| {
            let own = stage.cells.iter().filter(|cell| is_of(cell, figure));
            own.count() as f64 / stage.cells.len().max(1) as f64
        });
        return expected.map_or(f64::INFINITY, |time| share * time.as_secs_f64());
    }
    figure.cost(seconds_of(session, figure), left)
}

/// The expected seconds to double the sample of a figure.
fn seconds_of<E: Executor>(session: &OpenSession<E>, figure: &OpenFigure) -> f64 {
    let experiment = session.experiment(&figure.experiment);
    let mode = experiment.map(|experiment| experiment.run.mode());
    match mode {
        Some(Mode::Contended) => figure.seconds / session.conditions.jobs as f64,
        _ => figure.seconds,
    }
}

/// The samples that a figure lacks if the number of its instances, or of the repeats of its only instance, is
/// multiplied by `times`.
fn stage<E: Executor>(
    session: &OpenSession<E>,
    figure: &OpenFigure,
    times: u32,
    rows: &Rows,
) -> Result<Option<Stage>> {
    let of = |times: u32| -> Result<Option<Stage>> {
        let mut stage = session.drawn(&figure.experiment, times)?;
        if let Some(stage) = &mut stage {
            stage.cells.retain(|cell| is_of(cell, figure));
        }
        Ok(stage)
    };
    let taken = taken(rows, &figure.experiment);
    let Some(mut stage) = of(times)? else {
        return Ok(None);
    };
    let is_taken = |cell: &Cell| taken.contains_key(&cell.id.to_string());
    stage.cells.retain(|cell| !is_taken(cell));
    if !stage.cells.is_empty() || figure.instances != 1 {
        return Ok(Some(stage));
    }
    let Some(mut stage) = of(1)? else {
        return Ok(None);
    };
    stage.repeats = stage.repeats.saturating_mul(times);
    let last = |cell: &Cell| taken.get(&cell.id.to_string()).copied().unwrap_or(0);
    stage.first_repeat = stage.cells.iter().map(last).max().unwrap_or(0);
    if stage.first_repeat >= stage.repeats {
        stage.cells.clear();
    }
    Ok(Some(stage))
}

/// The number of repeats of each cell of an experiment.
fn taken(rows: &Rows, experiment: &str) -> HashMap<String, u32> {
    let cells = rows.group("cell", &rows.with("experiment", experiment));
    let last = |own: &[u32]| rows.numbers("repeat", own).into_iter().fold(0.0, f64::max);
    let cells = cells.into_iter();
    let repeats = cells.map(|(cell, own)| (cell, last(&own) as u32 + 1));
    repeats.collect()
}

/// Returns whether rows of the cell may enter the figure.
fn is_of(cell: &Cell, figure: &OpenFigure) -> bool {
    let mut filters = figure.filters.iter();
    filters.any(|filter| selects(filter, cell))
}

/// Returns whether the filter may select rows of the cell, judged by the columns that are known before the cell runs.
fn selects(filter: &Filter, cell: &Cell) -> bool {
    filter.iter().all(|(column, values)| {
        let known = match column.as_str() {
            "label" => Some(cell.label.clone()),
            "variant" => Some(cell.solver.name().to_owned()),
            "instance" => Some(cell.input.name.clone()),
            "generator" => Some(cell.input.origin.clone()),
            "size" => Some(cell.input.size.to_string()),
            "threads" => Some(cell.threads.to_string()),
            "bound_policy" => Some(cell.bound_policy.name().to_owned()),
            other => cell.value(other).map(ToString::to_string),
        };
        let wanted = values.list().unwrap_or_default();
        known.is_none_or(|known| wanted.iter().any(|value| is(&known, value)))
    })
}

fn is(known: &str, wanted: &Value) -> bool {
    let number = |text: &str| text.parse::<f64>().ok();
    let wanted = wanted.to_string();
    known == wanted || number(known).is_some_and(|known| Some(known) == number(&wanted))
}
