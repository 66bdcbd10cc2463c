//! Further samples for published figures that are open: `reproduce` takes them after its first page is written, and
//! `--until-decided` for the claims of a text.
//!
//! The figure that is expected to be decided at the least cost comes first; the headline of a source may cost more. Its
//! sample is doubled: with instances of further seeds, or with repeats if it has only one instance. Each doubling is a
//! look at the figure, and the level of the page allows for `LOOKS` of them.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use anyhow::Result;
use ikeru_bench_data::Mode;
use ikeru_bench_data::published::Filter;
use ikeru_book::open_figures::{OpenFigure, so_far};
use ikeru_core::Value;
use ikeru_reports::report::ReportAsked;
use ikeru_reports::units::plural;

use super::{Addition, RunSoFar, STEP, Undecided};
use crate::plan::{Cell, Stage};

/// The maximum number of times that the sample of a figure is doubled.
const DOUBLINGS: u32 = 8;

/// The maximum number of looks at a figure: the first, one after each doubling, and one when the time is over.
const LOOKS: u32 = DOUBLINGS + 2;

/// The cost of a source's headline is divided by this number before figures are ordered by their cost.
const HEADLINE: f64 = 8.0;

/// The interval at which the page is written again while figures are settled.
const PAGE: Duration = Duration::from_secs(120);

/// Published figures.
#[derive(Default)]
pub struct Figures {
    /// The number of doublings of each figure's sample.
    doubled: HashMap<String, u32>,
    /// When the page was written, or the first look.
    written: Option<Instant>,
}

impl Undecided for Figures {
    /// The samples that double those of the open figures whose decisions cost least: at most one figure of each
    /// experiment. Figures after the first are added while the total stays within `STEP`. The page is written at first, and
    /// again every two minutes.
    fn next(&mut self, look: &RunSoFar) -> Result<Vec<Addition>> {
        let (decided, open) = so_far(&look.run, &look.experiments, &look.rows)?;
        let left = look.left();
        // Several figures may not be decided in the time that is left: the one whose samples double soonest comes first.
        let mut ordered: Vec<(f64, f64, &OpenFigure)> = Vec::new();
        for figure in &open {
            let cost = cost(look, figure, left);
            let own = [cost, seconds_of(look, figure)][usize::from(figure.sampled > 0)];
            let part = if figure.is_headline { HEADLINE } else { 1.0 };
            ordered.push((cost / part, own, figure));
        }
        ordered.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let (mut next, mut seconds) = (Vec::<Addition>::new(), 0.0);
        for (_, own, figure) in ordered {
            let is_same = |one: &Addition| one.stage.experiment == figure.experiment;
            let is_long = !next.is_empty() && seconds + own > STEP;
            if own > left || is_long || next.iter().any(is_same) {
                continue;
            }
            let doubled = self.doubled.entry(figure.id.clone()).or_default();
            if let Some((stage, times)) = doubled_sample(look, figure, doubled)? {
                let why = format!("{} open, now {}", plural(open.len(), "figure"), figure.id);
                next.push(Addition { stage, times, why });
                seconds += own;
            }
        }
        let written = *self.written.get_or_insert_with(Instant::now);
        let folder = &look.session.folder;
        let is_due = !folder.join("index.html").exists() || written.elapsed() > PAGE;
        if !next.is_empty() && is_due {
            let book = ikeru_book::report(folder, ReportAsked::default())?;
            let (open, page) = (open.len(), book.run.folder.page_path());
            let page = page.display();
            look.session.conditions.progress.say(&format!(
                "{decided} figures are decided, {open} are open; the page so far: {page}"
            ));
            self.written = Some(Instant::now());
        }
        Ok(next)
    }

    fn looks(&self) -> u32 {
        LOOKS
    }
}

/// The expected cost of deciding a figure, in seconds, when `left` seconds are left.
fn cost(look: &RunSoFar, figure: &OpenFigure, left: f64) -> f64 {
    if figure.sampled > 0 {
        return figure.cost(seconds_of(look, figure), left);
    }
    let mut experiments = look.experiments.iter();
    let experiment = experiments.find(|it| it.name == figure.experiment);
    let expected = experiment.and_then(|it| it.run.expected_seconds?.at(false));
    let share = look.planned(&figure.experiment).map_or(1.0, |stage| {
        let own = stage.cells.iter().filter(|cell| is_of(cell, figure));
        own.count() as f64 / stage.cells.len().max(1) as f64
    });
    expected.map_or(f64::INFINITY, |time| share * time.as_secs_f64())
}

/// The expected seconds to double the sample of a figure.
fn seconds_of(look: &RunSoFar, figure: &OpenFigure) -> f64 {
    match look.planned(&figure.experiment).map(|stage| stage.mode) {
        Some(Mode::Contended) => figure.seconds / look.session.conditions.jobs as f64,
        _ => figure.seconds,
    }
}

/// The samples of the next doubling that brings any, and how many times as many instances the experiment has with them: further
/// instances, or further repeats of the only one. An earlier session, or another figure, may have taken those of a doubling.
fn doubled_sample(
    look: &RunSoFar,
    figure: &OpenFigure,
    doubled: &mut u32,
) -> Result<Option<(Stage, u32)>> {
    let taken = look.cells(&figure.experiment);
    let is_known = figure.sampled > 0;
    while *doubled < DOUBLINGS {
        *doubled += u32::from(is_known);
        let times = 1 << *doubled;
        let Some(mut stage) = look.session.drawn(&figure.experiment, times)? else {
            return Ok(None);
        };
        let is_taken = |cell: &Cell| taken.contains_key(&cell.id.to_string());
        let cells = &mut stage.cells;
        cells.retain(|cell| is_of(cell, figure) && !is_taken(cell));
        if let (true, 1, Some(planned)) = (
            cells.is_empty(),
            figure.instances,
            look.planned(&figure.experiment),
        ) {
            let own = planned.cells.iter().filter(|cell| is_of(cell, figure));
            cells.extend(own.cloned());
            let own = cells
                .iter()
                .filter_map(|cell| taken.get(&cell.id.to_string()));
            let own = own.flat_map(|own| look.rows.numbers("repeat", own));
            stage.first_repeat = own.map(|last| last as u32 + 1).max().unwrap_or(0);
            stage.repeats = stage.repeats.saturating_mul(times);
        }
        if !stage.cells.is_empty() && stage.first_repeat < stage.repeats {
            return Ok(Some((stage, times)));
        }
        if !is_known {
            *doubled = DOUBLINGS;
        }
    }
    Ok(None)
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
