//! The book: what published sources claim about their programs, compared with the rows of a run.
//!
//! A source is a text with figures ([`ikeru_bench_data::published`]). The book judges each figure, and adds its claims to
//! the page of experiments that [`ikeru_reports`] makes. A user's own sources make a book too.
//!
//! | module | owns |
//! |---|---|
//! | [`consoles`] | how long the answers of a run would take on consoles: analyses, tables, sentences |
//! | [`figures`] | the published figures in the scope of a run: `figures.csv` and the rows of the page |
//! | [`open_figures`] | the published figures that are open, and the cost of deciding them |
//! | [`page`] | the contents of a book's pages, and their HTML |
//! | `quoted` | the figures that a plot may show |
//! | [`mod@report`] | a run folder's tables, plots and pages |
//! | `ruler` | a figure's band and our interval on one axis |
//! | [`side_by_side`] | two searches of one instance, step by step |
//! | `story` | the order of the sources, and their cards |
//! | [`verdicts`] | compares published figures with our measurements |
#![forbid(unsafe_code)]

pub mod consoles;
pub mod evidence;
pub mod figures;
pub mod open_figures;
pub mod page;
mod printed_unit;
mod quoted;
pub mod report;
mod ruler;
pub mod side_by_side;
mod speed;
mod story;
pub mod verdicts;

use ikeru_bench_data::{Experiment, PublishedSource, builtin};
use ikeru_records::rows::Rows;
use ikeru_records::{Result, refuse};
use ikeru_reports::additions::Additions;

use crate::verdicts::measure;

pub use report::{BookReport, report};

/// Adds the analyses of consoles to the experiments' language, and the check of an experiment's `source` and `answers`.
/// A program calls it once, before it plans or reports anything.
pub fn open() {
    let additions = Additions {
        analyses: consoles::KINDS,
        check,
    };
    additions.add();
}

/// The sources of the experiments: the texts of those that bring their claims along, then the built-in ones and those of
/// `--data`, if another experiment has a source. A text takes the place of a source with the same word.
///
/// # Errors
/// None in practice: all of them were read before.
pub fn sources(experiments: &[Experiment]) -> Result<Vec<PublishedSource>> {
    let mut sources: Vec<PublishedSource> = Vec::new();
    let own = experiments.iter().filter_map(|one| one.claims.as_ref());
    let is_of_others = |one: &Experiment| one.claims.is_none() && one.source().is_some();
    let others = match experiments.iter().any(is_of_others) {
        true => builtin::published()?,
        false => &[],
    };
    for source in own.chain(others) {
        if sources.iter().all(|known| known.word() != source.word()) {
            sources.push(source.clone());
        }
    }
    Ok(sources)
}

/// Refuses an experiment of an unknown source or console, or one that answers an unknown figure.
fn check(experiment: &Experiment) -> Result<()> {
    for analysis in &experiment.analyses {
        consoles::check(analysis)?;
    }
    if experiment.source().is_none() {
        return Ok(());
    }
    let sources = &sources(std::slice::from_ref(experiment))?[..];
    if let Some(source) = &experiment.source {
        let words = || sources.iter().map(PublishedSource::word);
        if !words().any(|word| word == source) {
            let unknown = ikeru_core::unknown("source", source, words()).message;
            refuse!("`source`: {unknown}");
        }
    }
    for id in &experiment.answers {
        let (_, figure) = builtin::figure(sources, id)?;
        let Some(ours) = &figure.ours else { continue };
        let known = builtin::experiment_texts().map(|(name, _)| name);
        let known: Vec<&str> = known.chain([experiment.name.as_str()]).collect();
        if !known.contains(&ours.experiment.as_str()) {
            let unknown = ikeru_core::unknown("experiment", &ours.experiment, known).message;
            refuse!("figure `{id}`: {unknown}");
        }
        if let Err(error) = measure(&Rows::default(), ours) {
            refuse!("figure `{id}`: {error}");
        }
    }
    Ok(())
}

#[cfg(test)]
pub(crate) fn rows_of(text: &str) -> Rows {
    Rows::of_table(text)
}
