//! The data files of this crate, embedded in the binary, and those of one folder of the user.
//!
//! The user's folder holds `experiments/NAME.toml`, `published/NAME.toml` and `consoles/NAME.toml`; each of the three
//! may be absent. Every list and look-up of built-in data includes them.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, OnceLock};

use flate2::read::DeflateDecoder;
use ikeru_core::unknown;

use crate::{DataError, Experiment, Figure, PublishedSource, text_file};

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// Rows of long searches that were measured once, as in `records.csv`.
pub const STORED_ROWS: &str = include_str!("../reference/rows.csv");

/// Games that were played once: the name of the experiment, and a table with a row for each seed. A column is a label
/// and a measure of its game, `stairs: measure_over_30`; an empty field is a game without that measure.
pub fn stored_games() -> impl Iterator<Item = (&'static str, &'static str)> {
    static TEXTS: LazyLock<String> =
        LazyLock::new(|| unpacked(include_bytes!(concat!(env!("OUT_DIR"), "/GAMES"))));
    named(&TEXTS)
}

/// The means of games under every reading of a source's open rules: the name, and a table with a row for each reading. A column is a
/// rule, or a figure with mean, standard deviation and number of its games.
pub fn stored_readings() -> impl Iterator<Item = (&'static str, &'static str)> {
    static TEXTS: LazyLock<String> =
        LazyLock::new(|| unpacked(include_bytes!(concat!(env!("OUT_DIR"), "/READINGS"))));
    named(&TEXTS)
}

/// Compressed tables: they would be a megabyte of the program.
fn unpacked(packed: &[u8]) -> String {
    let mut texts = String::new();
    // A failure would show in the tests, which read every table.
    let _ = DeflateDecoder::new(packed).read_to_string(&mut texts);
    texts
}

/// The names and texts that the build wrote one after the other.
fn named(texts: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let mut parts = texts.split_terminator('\0');
    std::iter::from_fn(move || parts.next().zip(parts.next()))
}

/// The data of the user's folder.
static ADDED: OnceLock<Added> = OnceLock::new();

#[derive(Default)]
struct Added {
    folder: Option<PathBuf>,
    experiments: Vec<UserFile>,
    published: Vec<UserFile>,
    consoles: Vec<UserFile>,
}

/// A file of the user.
struct UserFile {
    path: PathBuf,
    /// The path as printed in errors.
    shown: String,
    /// The file's name without its ending.
    name: String,
    text: String,
}

impl Added {
    fn get() -> &'static Self {
        static NOTHING: LazyLock<Added> = LazyLock::new(Added::default);
        ADDED.get().unwrap_or(&NOTHING)
    }
}

/// Adds the data of the user's `folder`. Only the first call has an effect, and it must precede any look-up.
///
/// # Errors
/// A folder without data; a file that cannot be read, with its line and what was expected; an experiment whose name is
/// not its file's or is built in; a figure whose identifier is already used.
pub fn add(folder: &Path) -> Result<(), DataError> {
    let added = Added {
        folder: Some(folder.to_owned()),
        experiments: files(&folder.join("experiments"))?,
        published: files(&folder.join("published"))?,
        consoles: files(&folder.join("consoles"))?,
    };
    let all = [&added.experiments, &added.published, &added.consoles];
    if all.iter().all(|files| files.is_empty()) {
        let message = "has no data; expected experiments/NAME.toml, published/NAME.toml or consoles/NAME.toml";
        return Err(DataError::new(&folder.display().to_string(), message));
    }
    for file in &added.experiments {
        let experiment = Experiment::read(&file.shown, &file.text)?;
        if experiment.name != file.name {
            let (own, of_file) = (experiment.name, &file.name);
            let message =
                format!("the experiment has the name `{own}`, expected `{of_file}` as its file");
            return Err(DataError::new(&file.shown, message).at("name", &file.text));
        }
        if experiment_texts().any(|(known, _)| known == file.name) {
            let name = &file.name;
            let message = format!("an experiment `{name}` is built in; expected another name");
            return Err(DataError::new(&file.shown, message));
        }
    }
    let mut known: Vec<String> = Vec::new();
    for source in read_published()? {
        known.extend(source.figures.into_iter().map(|figure| figure.id));
    }
    for file in &added.published {
        for figure in PublishedSource::read(&file.shown, &file.text)?.figures {
            let id = figure.id;
            if known.contains(&id) {
                let message = format!("the figure `{id}` stands twice; expected another id");
                let error = DataError::new(&file.shown, message);
                return Err(error.at(&format!("\"{id}\""), &file.text));
            }
            known.push(id);
        }
    }
    let _ = ADDED.set(added);
    Ok(())
}

/// The TOML files of `folder`, sorted by name; none if the folder does not exist.
fn files(folder: &Path) -> Result<Vec<UserFile>, DataError> {
    let refuse = |path: &Path, error: std::io::Error| {
        let message = format!("cannot read it: {error}");
        DataError::new(&path.display().to_string(), message)
    };
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(|error| refuse(folder, error))? {
        let path = entry.map_err(|error| refuse(folder, error))?.path();
        if path.extension().is_none_or(|ending| ending != "toml") {
            continue;
        }
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        files.push(UserFile {
            text: text_file::read(&path).map_err(|error| refuse(&path, error))?,
            name: name.into_owned(),
            shown: path.display().to_string(),
            path,
        });
    }
    files.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(files)
}

/// The names and texts of the built-in experiments, sorted by name, then of the added ones.
pub fn experiment_texts() -> impl Iterator<Item = (&'static str, &'static str)> {
    let built_in = EXPERIMENTS.iter();
    let built_in = built_in.map(|(file, text)| (file.trim_end_matches(".toml"), *text));
    let added = Added::get().experiments.iter();
    built_in.chain(added.map(|file| (file.name.as_str(), file.text.as_str())))
}

/// The heading of a book of the sources that the project brings along, and its description for link previews.
pub const BOOK: [&str; 2] = [
    "Five texts about games, run again",
    "A board game, a maze, A*, Puyo Puyo: each program ran again beside better ones, and every answer was checked.",
];

/// Returns whether the project brings the figures of this source along.
pub fn is_shipped(source: &str) -> bool {
    let mut files = PUBLISHED.iter();
    files.any(|(file, _)| file.trim_end_matches(".toml") == source)
}

/// The option with which a command finds the user's data, after a blank and quoted for a shell; empty without such data.
pub fn data_option() -> String {
    let quoted = |data: &Path| ikeru_core::shell_quoted(&data.to_string_lossy());
    added_folder().map_or(String::new(), |data| format!(" --data={}", quoted(data)))
}

/// The user's folder, if one was added.
pub fn added_folder() -> Option<&'static Path> {
    Added::get().folder.as_deref()
}

/// The file of an added experiment.
pub fn added_experiment(name: &str) -> Option<&'static Path> {
    let mut added = Added::get().experiments.iter();
    let file = added.find(|file| file.name == name)?;
    Some(&file.path)
}

/// The built-in or added experiment called `name`.
///
/// # Errors
/// An unknown name, with the nearest known one.
pub fn experiment(name: &str) -> Result<Experiment, DataError> {
    let file = || {
        let added = added_experiment(name).map(|path| path.display().to_string());
        added.unwrap_or(format!("{name}.toml"))
    };
    match experiment_texts().find(|(known, _)| *known == name) {
        Some((_, text)) => Experiment::read(&file(), text),
        None => {
            let known = experiment_texts().map(|(known, _)| known);
            let error = unknown("experiment or file", name, known);
            Err(DataError::new("experiments", error.message))
        }
    }
}

/// The paths and texts of the added files of consoles. `ikeru-consoles` parses them.
pub fn added_consoles() -> impl Iterator<Item = (&'static str, &'static str)> {
    let added = Added::get().consoles.iter();
    added.map(|file| (file.shown.as_str(), file.text.as_str()))
}

/// The built-in published sources, then the added ones. They are read once.
///
/// # Errors
/// None in practice: a test reads the built-in sources, and [`add`] has read the others.
pub fn published() -> Result<&'static [PublishedSource], DataError> {
    static READ: OnceLock<Result<Vec<PublishedSource>, DataError>> = OnceLock::new();
    match READ.get_or_init(read_published) {
        Ok(sources) => Ok(sources),
        Err(error) => Err(error.clone()),
    }
}

fn read_published() -> Result<Vec<PublishedSource>, DataError> {
    let built_in = PUBLISHED.iter().copied();
    let added = Added::get().published.iter();
    let added = added.map(|file| (file.shown.as_str(), file.text.as_str()));
    let all = built_in.chain(added);
    all.map(|(file, text)| PublishedSource::read(file, text))
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
    let own = |source: &'a PublishedSource| source.figures.iter().map(move |one| (source, one));
    let all = || sources.iter().flat_map(own);
    all().find(|(_, figure)| figure.id == id).ok_or_else(|| {
        let known = all().map(|(_, figure)| figure.id.as_str());
        DataError::new("published", unknown("figure", id, known).message)
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use ikeru_core::ContentHash;

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
                figure(sources, id).unwrap_or_else(|error| panic!("{name}: {error}"));
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
                figure.band().is_some() || !is_measured,
                "{}: no value",
                figure.id
            );
        }
    }

    #[test]
    fn every_source_has_a_story_of_known_experiments_and_figures() {
        let sources = published().expect("published figures read");
        let mut orders: Vec<u32> = Vec::new();
        for source in sources {
            let story = source.story.as_ref().expect("a story");
            orders.push(story.order);
            let (_, headline) =
                figure(sources, &story.figure).unwrap_or_else(|error| panic!("{error}"));
            assert!(headline.ours.is_some(), "{} is not measured", story.figure);
            let picture = story.picture.iter().map(|picture| &picture.experiment);
            let gain = story.gain.iter().map(|gain| &gain.ours.experiment);
            for name in picture.chain(gain).chain(&story.experiments) {
                let known = experiment(name);
                let known = known.unwrap_or_else(|error| panic!("{}: {error}", source.source));
                assert_eq!(known.source(), Some(source.word()), "{name}");
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

    /// Figures with the same rows state one fact, unless the number is that of another program.
    #[test]
    fn figures_with_the_same_rows_state_one_fact() {
        let sources = published().expect("published figures read");
        let figures = sources.iter().flat_map(|source| &source.figures);
        let compared = figures.filter(|figure| figure.verdict.is_none() && !figure.is_of_another);
        let mut known: BTreeMap<String, &Figure> = BTreeMap::new();
        for figure in compared.filter(|figure| figure.ours.is_some()) {
            let first = known.entry(format!("{:?}", figure.ours)).or_insert(figure);
            assert_eq!(
                first.fact(),
                figure.fact(),
                "{} and {}",
                first.id,
                figure.id
            );
        }
    }

    #[test]
    fn the_verdicts_of_the_reference_are_of_the_figures_that_there_are() {
        let reference = include_str!("../reference/figures.csv").lines().skip(1);
        let known = reference.filter_map(|line| line.split(',').next());
        let known: std::collections::BTreeSet<&str> = known.collect();
        let sources = published().expect("published figures read").iter();
        let figures = sources.flat_map(|source| &source.figures);
        assert_eq!(known, figures.map(|figure| figure.id.as_str()).collect());
    }

    /// The fields of a line of `published/bands.csv` for every band that decides a verdict: id, band, hash of the
    /// reason.
    fn bands(sources: &[PublishedSource]) -> Vec<(String, String, String)> {
        let figures = sources.iter().flat_map(|source| &source.figures);
        let compared = figures.filter(|figure| figure.verdict.is_none() && figure.ours.is_some());
        let band = |figure: &Figure| {
            let [low, high] = figure.band()?;
            let reason = ContentHash::of(&[figure.reason.as_bytes()]).to_string();
            Some((
                figure.id.clone(),
                format!("{low:.9e},{high:.9e}"),
                reason[..16].to_owned(),
            ))
        };
        compared.filter_map(band).collect()
    }

    /// The file is a log: a figure whose band changes gets one more line at the end, which a person adds and reviews.
    #[test]
    fn a_band_changes_only_together_with_its_reason() {
        let mut log: BTreeMap<&str, Vec<(&str, &str)>> = BTreeMap::new();
        for line in include_str!("../published/bands.csv").lines().skip(1) {
            let (id, rest) = line.split_once(',').expect("four fields");
            let (band, reason) = rest.rsplit_once(',').expect("four fields");
            log.entry(id).or_default().push((band, reason));
        }
        let mut missing = String::new();
        for (id, band, reason) in bands(published().expect("published figures read")) {
            let entries = log.get(id.as_str()).map_or(&[][..], Vec::as_slice);
            let last = entries.last();
            for pair in entries.windows(2) {
                assert_ne!(
                    pair[0].1, pair[1].1,
                    "{id}: its band changed and its reason did not"
                );
            }
            let is_known = last.is_some_and(|(known, _)| *known == band);
            let is_current = entries.len() < 2 || last.is_some_and(|(_, known)| *known == reason);
            if !(is_known && is_current) {
                missing += &format!("{id},{band},{reason}\n");
            }
        }
        assert!(
            missing.is_empty(),
            "bands changed; lines for bands.csv, each with its reason:\n{missing}"
        );
    }
}
