//! The first screen: one card per source, and the experiments grouped by source in the order of the story.

use ikeru_bench_data::PublishedSource;
use ikeru_bench_data::published::PictureOf;

use super::figures::{self, PlacedFigure};
use crate::charts::claim::{FactorExtent, times};
use crate::error::ReportError;
use crate::page::{PageGroup, PictureFrame, Section, SourceCard};
use crate::rows::Rows;
use crate::statistics::{Bound, Estimate};
use crate::verdicts::{Measured, measure};

/// The anchor of a source's group.
fn anchor(source: &PublishedSource) -> String {
    format!("source-{}", source.word())
}

/// The sections by source; those without a source stand last, under no heading of their own if they are alone.
/// `source_of` says the word of an experiment's source.
pub fn groups(
    sources: &[PublishedSource],
    mut sections: Vec<Section>,
    source_of: impl Fn(&str) -> Option<String>,
) -> Vec<PageGroup> {
    let mut groups = Vec::new();
    for source in figures::in_order(sources) {
        let is_own =
            |section: &mut Section| source_of(&section.name).as_deref() == Some(source.word());
        let own: Vec<Section> = sections.extract_if(.., is_own).collect();
        if !own.is_empty() {
            groups.push(PageGroup {
                title: source.source.clone(),
                anchor: anchor(source),
                reference: source.reference.clone(),
                sections: own,
            });
        }
    }
    if !sections.is_empty() {
        groups.push(PageGroup {
            title: "Experiments".to_owned(),
            anchor: "experiments".to_owned(),
            sections,
            ..PageGroup::default()
        });
    }
    groups
}

/// A card for each source whose headline this run measured, in the order of the story.
///
/// # Errors
/// A headline with an unknown statistic or an impossible range.
pub fn cards(
    rows: &Rows,
    sources: &[PublishedSource],
    placed: &[PlacedFigure],
    groups: &[PageGroup],
) -> Result<Vec<SourceCard>, ReportError> {
    let mut cards = Vec::new();
    for source in figures::in_order(sources) {
        let Some(story) = &source.story else { continue };
        let headline = &story.headline;
        // Where both sides of a ratio were stopped, nothing is known of it.
        let is_known = |measured: &Measured| measured.estimate.bound != Bound::Either;
        let Some(measured) = measure(rows, &headline.ours)?.filter(is_known) else {
            continue;
        };
        let anchor = anchor(source);
        let sections = groups.iter().find(|group| group.anchor == anchor);
        let sections = sections.map_or(&[][..], |group| &group.sections);
        let (mut number, interval) = figures::in_words(measured.estimate, &headline.unit);
        let mut says = headline.says.clone();
        if headline.ours.relative_to.is_some() && measured.estimate.bound == Bound::Exact {
            number = ratio(measured.estimate);
        }
        if number.is_empty() {
            (number, says) = ("no difference found".to_owned(), String::new());
        }
        let is_judged = |one: &&PlacedFigure| one.judged.figure.id == headline.figure;
        cards.push(SourceCard {
            source: source.source.clone(),
            anchor,
            question: story.question.clone(),
            picture: story.picture.as_ref().and_then(|of| picture(of, sections)),
            number,
            interval,
            says,
            experiment: headline.ours.experiment.clone(),
            verdict: placed.iter().find(is_judged).map(figures::row),
            console: sections.iter().find_map(|section| section.console.clone()),
        });
    }
    Ok(cards)
}

/// A ratio as titles have it; nothing where its interval holds 1.
fn ratio(estimate: Estimate) -> String {
    match estimate.interval {
        Some(ends) if ends.low <= 1.0 && ends.high >= 1.0 => String::new(),
        Some(ends) => FactorExtent::mean(estimate.value, Some(ends)).factor(),
        None => times(estimate.value),
    }
}

/// The frame that a card shows: of the first picture of the experiment that has so many frames, else its last one. A
/// frame that is only a link is no picture of the first screen.
fn picture(of: &PictureOf, sections: &[Section]) -> Option<PictureFrame> {
    let section = sections
        .iter()
        .find(|section| section.name == of.experiment)?;
    let longest = section
        .pictures
        .iter()
        .max_by_key(|group| group.frames.len())?;
    let embedded = longest
        .frames
        .iter()
        .filter(|frame| frame.image.starts_with("data:"));
    let embedded: Vec<&PictureFrame> = embedded.collect();
    let last = embedded.len().checked_sub(1)?;
    Some(embedded[of.frame.min(last)].clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::PictureFrames;

    fn section(name: &str) -> Section {
        Section {
            name: name.to_owned(),
            ..Section::default()
        }
    }

    #[test]
    fn experiments_stand_by_source_in_the_order_of_the_story() {
        let sources = ikeru_bench_data::builtin::published().expect("sources");
        let sections = ["astar-tie", "mine", "ikerukana-table", "astar-example"].map(section);
        let groups = groups(&sources, sections.into(), |name| {
            Some(name.split('-').next().unwrap_or("").to_owned())
        });
        let seen: Vec<Vec<&str>> = groups
            .iter()
            .map(|group| group.sections.iter().map(|own| own.name.as_str()).collect())
            .collect();
        assert_eq!(
            seen,
            [
                vec!["ikerukana-table"],
                vec!["astar-tie", "astar-example"],
                vec!["mine"]
            ]
        );
        assert_eq!(groups[0].anchor, "source-ikerukana");
    }

    #[test]
    fn a_card_shows_an_embedded_frame_of_the_longest_picture() {
        let frame = |image: &str| PictureFrame {
            image: image.to_owned(),
            ..PictureFrame::default()
        };
        let frames = |images: &[&str]| PictureFrames {
            frames: images.iter().map(|image| frame(image)).collect(),
            ..PictureFrames::default()
        };
        let sections = [Section {
            pictures: vec![
                frames(&["data:1"]),
                frames(&["data:2", "data:3", "pictures/4.svg"]),
            ],
            ..section("e")
        }];
        let at = |frame| {
            let experiment = "e".to_owned();
            let found = picture(&PictureOf { experiment, frame }, &sections);
            found.map(|frame| frame.image)
        };
        assert_eq!(at(0).as_deref(), Some("data:2"));
        assert_eq!(at(99).as_deref(), Some("data:3"));
    }
}
