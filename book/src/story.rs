//! The story: a card for each source, and the experiments grouped by source in the order of its story.

use std::collections::BTreeMap;

use ikeru_bench_data::published::{FigureKind, Headline, PictureOf};
use ikeru_bench_data::{Experiment, PublishedSource};

use crate::figures;
use ikeru_records::Result;
use ikeru_reports::charts::times;
use ikeru_reports::page::{EXPERIMENTS, PageGroup, PictureFrame};

use crate::page::{BookGroup, BookSection, FigureRow, SourceCard};
use crate::verdicts::measure;
use ikeru_records::rows::Rows;
use ikeru_statistics::{Bound, Estimate};

/// The sections grouped by source, each group in the order of its story. The sections without a source form the last
/// group, `Experiments`. `source_of` returns the name of an experiment's source.
pub fn groups(
    sources: &[PublishedSource],
    mut sections: Vec<BookSection>,
    source_of: impl Fn(&str) -> Option<String>,
) -> Vec<BookGroup> {
    let mut groups = Vec::new();
    for source in figures::in_order(sources) {
        let is_own =
            |own: &mut BookSection| source_of(&own.section.name).as_deref() == Some(source.word());
        let mut own: Vec<BookSection> = sections.extract_if(.., is_own).collect();
        let story = source.story.as_ref();
        let told = story.map_or(&[][..], |story| &story.experiments);
        let place = |own: &BookSection| told.iter().position(|name| *name == own.section.name);
        own.sort_by_key(|section| place(section).unwrap_or(told.len()));
        if !own.is_empty() {
            groups.push(PageGroup {
                title: source.source.clone(),
                word: source.word().to_owned(),
                reference: source.reference.clone(),
                link: source.link.clone().unwrap_or_default(),
                sections: own,
            });
        }
    }
    if !sections.is_empty() {
        groups.push(PageGroup::of_experiments(sections));
    }
    groups
}

/// The address of each experiment: on the page of its group in a book, else on the only page.
pub fn links(experiments: &[Experiment], sources: &[PublishedSource]) -> BTreeMap<String, String> {
    let link = |experiment: &Experiment| {
        let name = &experiment.name;
        let mut words = sources.iter().map(PublishedSource::word);
        let word = words.find(|word| experiment.source() == Some(*word));
        match experiments {
            [one] if one.claims.is_none() => format!("#{name}"),
            _ => format!("{}.html#{name}", word.unwrap_or(EXPERIMENTS)),
        }
    };
    let links = experiments.iter().map(|one| (one.name.clone(), link(one)));
    links.collect()
}

/// A card for each source whose headline this run measured, in the order of the story.
///
/// # Errors
/// A gain with an unknown statistic or an impossible range.
pub fn cards(
    rows: &Rows,
    sources: &[PublishedSource],
    figures: &[FigureRow],
    groups: &[BookGroup],
) -> Result<Vec<SourceCard>> {
    let mut cards = Vec::new();
    for source in figures::in_order(sources) {
        let Some(story) = &source.story else { continue };
        let is_headline = |row: &&FigureRow| row.id == story.figure && !row.ours.is_empty();
        let group = groups.iter().find(|group| group.word == source.word());
        let (Some(row), Some(group)) = (figures.iter().find(is_headline), group) else {
            continue;
        };
        let gain = story.gain.as_ref().map(|headline| gain(rows, headline));
        let mut consoles = group.sections.iter().map(|section| &section.consoles);
        let consoles = consoles.find(|lines| !lines.is_empty());
        let picture = story.picture.as_ref();
        cards.push(SourceCard {
            source: source.source.clone(),
            link: format!("{}.html", source.word()),
            about: story.about.clone(),
            question: story.question.clone(),
            picture: picture.and_then(|of| self::picture(of, &group.sections)),
            quote: story.quote.clone(),
            row: row.clone(),
            why: story.why.clone(),
            rules: source.rules.clone(),
            together: source.together.clone(),
            gain: gain.transpose()?.flatten(),
            consoles: consoles.cloned().unwrap_or_default(),
        });
    }
    Ok(cards)
}

/// The gain of a better algorithm; `None` if it was not measured, if both sides were stopped, or if no difference was
/// found.
fn gain(rows: &Rows, headline: &Headline) -> Result<Option<[String; 3]>> {
    let Some(measured) = measure(rows, &headline.ours)? else {
        return Ok(None);
    };
    let estimate = measured.estimate;
    let (mut number, mut interval) = figures::in_words(estimate, &headline.unit);
    if let (FigureKind::RatioTo(_), Bound::Exact) = (&headline.ours.is, estimate.bound) {
        number = ratio(estimate);
    } else if let (Bound::AtLeast, Some(ends)) = (estimate.bound, estimate.interval) {
        // The mean of bounds is no bound of the mean over other questions.
        let low = Estimate::bounded(ends.low, Bound::AtLeast);
        (number, interval) = figures::in_words(low, &headline.unit);
    }
    if let (Some(scope), false) = (measured.scope, interval.is_empty()) {
        interval += &format!(" {scope}");
    }
    let is_known = estimate.bound != Bound::Either && !number.is_empty();
    Ok(is_known.then(|| [number, interval, headline.says.clone()]))
}

/// A ratio as in titles; empty if its interval contains 1.
fn ratio(estimate: Estimate) -> String {
    match estimate.interval {
        Some(ends) if ends.low <= 1.0 && ends.high >= 1.0 => String::new(),
        _ => times(estimate.value),
    }
}

/// The frame of a card: the frame `of.frame` of the experiment's picture with the most frames, or its last frame.
/// Frames that are only links do not count.
fn picture(of: &PictureOf, sections: &[BookSection]) -> Option<PictureFrame> {
    let mut sections = sections.iter().map(|own| &own.section);
    let section = sections.find(|section| section.name == of.experiment)?;
    let groups = section.pictures.iter();
    let longest = groups.max_by_key(|group| group.frames.len())?;
    let mut embedded: Vec<&PictureFrame> = longest.frames.iter().collect();
    embedded.retain(|frame| frame.image.starts_with("data:"));
    let last = embedded.len().checked_sub(1)?;
    Some(embedded[of.frame.min(last)].clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ikeru_reports::page::{PictureFrames, Section};

    fn section(name: &str) -> BookSection {
        let name = name.to_owned();
        BookSection {
            section: Section {
                name,
                ..Section::default()
            },
            ..BookSection::default()
        }
    }

    #[test]
    fn experiments_stand_by_source_in_the_order_of_the_story() {
        let sources = ikeru_bench_data::builtin::published().expect("sources");
        let sections = ["astar-tie", "mine", "ikerukana-table", "astar-example"].map(section);
        let groups = groups(sources, sections.into(), |name| {
            Some(name.split('-').next().unwrap_or("").to_owned())
        });
        let seen: Vec<Vec<&str>> = groups
            .iter()
            .map(|group| {
                group
                    .sections
                    .iter()
                    .map(|own| own.section.name.as_str())
                    .collect()
            })
            .collect();
        assert_eq!(
            seen,
            [
                vec!["ikerukana-table"],
                vec!["astar-example", "astar-tie"],
                vec!["mine"]
            ]
        );
        assert_eq!(groups[0].word, "ikerukana");
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
        let mut one = section("e");
        one.section.pictures = vec![
            frames(&["data:1"]),
            frames(&["data:2", "data:3", "pictures/4.svg"]),
        ];
        let sections = [one];
        let at = |frame| {
            let experiment = "e".to_owned();
            let found = picture(&PictureOf { experiment, frame }, &sections);
            found.map(|frame| frame.image)
        };
        assert_eq!(at(0).as_deref(), Some("data:2"));
        assert_eq!(at(99).as_deref(), Some("data:3"));
    }
}
