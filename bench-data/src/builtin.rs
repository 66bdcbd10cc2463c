//! The data files of this crate, embedded in the binary.

use ikeru_core::unknown;

use crate::{DataError, Experiment, Figure, PublishedSource};

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// Name and text of every built-in experiment, in the order of their names.
pub fn experiment_texts() -> impl Iterator<Item = (&'static str, &'static str)> {
    EXPERIMENTS
        .iter()
        .map(|(file, text)| (file.trim_end_matches(".toml"), *text))
}

/// The built-in experiment called `name`.
///
/// # Errors
/// An unknown name, with the nearest known one.
pub fn experiment(name: &str) -> Result<Experiment, DataError> {
    match experiment_texts().find(|(known, _)| *known == name) {
        Some((_, text)) => Experiment::read(&format!("{name}.toml"), text),
        None => {
            let known = experiment_texts().map(|(known, _)| known);
            let error = unknown("experiment or file", name, known);
            Err(DataError::new("experiments", error.message))
        }
    }
}

/// The table `file` of `consoles/`: `counts.csv`, `costs.csv` or `schedules.csv`; empty if there is none.
pub fn console_table(file: &str) -> &'static str {
    let known = CONSOLES.iter().find(|(name, _)| *name == file);
    known.map_or("", |(_, text)| text)
}

/// Every published source.
pub fn published() -> Result<Vec<PublishedSource>, DataError> {
    PUBLISHED
        .iter()
        .map(|(file, text)| PublishedSource::read(file, text))
        .collect()
}

/// The published figure called `id`, with its source.
///
/// # Errors
/// An unknown identifier, with the nearest known one.
pub fn figure<'a>(
    sources: &'a [PublishedSource],
    id: &str,
) -> Result<(&'a PublishedSource, &'a Figure), DataError> {
    let all = || {
        sources
            .iter()
            .flat_map(|source| source.figures.iter().map(move |figure| (source, figure)))
    };
    all().find(|(_, figure)| figure.id == id).ok_or_else(|| {
        let known = all().map(|(_, figure)| figure.id.as_str());
        DataError::new("published", unknown("figure", id, known).message)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_experiment_reads_and_answers_known_figures() {
        let sources = published().expect("published figures read");
        for (name, text) in experiment_texts() {
            let experiment = Experiment::read(name, text).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(experiment.name, name, "an experiment is called as its file");
            let source = experiment.source().expect("an experiment has a source");
            assert!(sources.iter().any(|known| known.word() == source), "{name}");
            let again = experiment.text().expect("an experiment has a form in TOML");
            assert_eq!(
                Experiment::read(name, &again).expect("it reads back"),
                experiment
            );
            for id in &experiment.answers {
                figure(&sources, id).unwrap_or_else(|error| panic!("{name}: {error}"));
            }
        }
    }

    #[test]
    fn published_figures_are_unique_and_point_at_built_in_experiments() {
        let sources = published().expect("published figures read");
        let mut seen = std::collections::BTreeSet::new();
        for figure in sources.iter().flat_map(|source| &source.figures) {
            assert!(seen.insert(&figure.id), "{} stands twice", figure.id);
            if let Some(ours) = &figure.ours {
                experiment(&ours.experiment)
                    .unwrap_or_else(|error| panic!("{}: {error}", figure.id));
            }
            let is_measured = figure.ours.is_some();
            let is_erratum = figure.corrected.is_some();
            assert!(
                is_measured || !is_erratum,
                "{}: measured by nothing",
                figure.id
            );
            assert!(
                figure.value.is_some() || !is_measured,
                "{}: no value",
                figure.id
            );
        }
    }

    #[test]
    fn every_source_has_a_card_of_known_experiments_and_figures() {
        let sources = published().expect("published figures read");
        let mut orders: Vec<u32> = Vec::new();
        for source in &sources {
            let story = source.story.as_ref().expect("a story");
            orders.push(story.order);
            figure(&sources, &story.headline.figure).unwrap_or_else(|error| panic!("{error}"));
            let picture = story.picture.iter().map(|picture| &picture.experiment);
            for name in picture.chain([&story.headline.ours.experiment]) {
                experiment(name).unwrap_or_else(|error| panic!("{}: {error}", source.source));
            }
        }
        orders.sort_unstable();
        assert!(orders.into_iter().eq(1..=sources.len() as u32));
    }

    #[test]
    fn every_published_figure_stands_beside_an_experiment() {
        let mut answered = std::collections::BTreeSet::new();
        for (name, text) in experiment_texts() {
            let experiment = Experiment::read(name, text).unwrap_or_else(|error| panic!("{error}"));
            answered.extend(experiment.answers);
        }
        let sources = published().expect("published figures read");
        for figure in sources.iter().flat_map(|source| &source.figures) {
            assert!(answered.contains(&figure.id), "{} is on no page", figure.id);
        }
    }
}
