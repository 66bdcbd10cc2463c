//! Writes a run folder's tables, plots and pages with what the published sources claim.

use std::collections::BTreeSet;
use std::path::Path;

use ikeru_bench_data::{Experiment, PublishedSource, builtin};
use ikeru_consoles::{Basis, throughput};
use ikeru_records::Result;
use ikeru_records::run_file::RunFile;
use ikeru_records::units::about;
use ikeru_reports::charts::QuotedValue;
use ikeru_reports::page::PageDrawing;
use ikeru_reports::report::{Folder, ReportAsked, answers};
use ikeru_reports::table::Tone;
use ikeru_reports::{ExperimentAnswer, Report};

use crate::consoles;
use crate::figures;
use crate::page::{self, Badge, BookPage, BookSection, FigureRow, OpenClaims, SourceCard};
use crate::quoted::quoted;
use crate::verdicts::{JudgedFigure, StoredKind};
use crate::{side_by_side, speed, story};

/// The result of a report with its claims.
#[derive(Debug)]
pub struct BookReport {
    /// The report on the experiments.
    pub run: Report,
    /// The headline of each source whose headline was measured.
    pub cards: Vec<SourceCard>,
    /// The number of published figures of each verdict.
    pub verdicts: Vec<Badge>,
    /// Every published figure in the scope of the run.
    pub figures: Vec<FigureRow>,
}

/// Writes `summary.csv`, `figures.csv`, `throughput.csv`, `plots/`, `index.html` and the sources' pages of
/// the run folder, and removes the drawings of plots that no experiment has any more. Experiments that belong to no source
/// and answer no figure get the page of [`ikeru_reports`].
///
/// # Errors
/// A `records.csv` or `run.toml` that is missing or cannot be read; a file that cannot be written.
pub fn report(run_folder: &Path, asked: ReportAsked) -> Result<BookReport> {
    let folder = Folder::read(run_folder, asked)?;
    let is_of_commands = |experiment: &Experiment| experiment.problem.commands().is_some();
    let tables = || {
        folder.write_tables()?;
        // Nobody counted the solvers of commands; reading the counts takes as long as the rest of a small report.
        if folder.experiments.iter().all(is_of_commands) {
            return Ok(());
        }
        let (rows, basis) = (&folder.rows, Basis::built_in()?);
        // The pages' cells; those of all experiments are twenty times as many.
        let mut shown: Vec<u32> = Vec::new();
        for experiment in folder.experiments.iter().filter(|it| consoles::shows(it)) {
            shown.extend(rows.with("experiment", &experiment.name));
        }
        if shown.is_empty() {
            shown = rows.all();
        }
        throughput::write(&folder.path, rows, &shown, basis)
    };
    let sources = crate::sources(&folder.experiments)?;
    let (tables, book) = rayon::join(tables, || Book::of(&folder, &sources)?.write());
    tables?;
    let (answers, cards, verdicts, figures) = book?;
    Ok(BookReport {
        run: folder.reported(answers),
        cards,
        verdicts,
        figures,
    })
}

/// What the pages of a book show: the fields of its [`BookReport`].
type Written = (
    Vec<ExperimentAnswer>,
    Vec<SourceCard>,
    Vec<Badge>,
    Vec<FigureRow>,
);

/// The claims of a run folder.
struct Book<'a> {
    folder: &'a Folder,
    sources: &'a [PublishedSource],
    /// The published figures in its scope.
    judged: Vec<JudgedFigure<'a>>,
    /// The same as rows, each computed once.
    rows: Vec<FigureRow>,
}

impl<'a> Book<'a> {
    fn of(folder: &'a Folder, sources: &'a [PublishedSource]) -> Result<Self> {
        let experiments = &folder.experiments;
        let looks = folder.run.looks.max(1);
        let judged = figures::judged(&folder.rows, experiments, sources, looks)?;
        let links = story::links(experiments, sources);
        let facts = figures::facts(&judged);
        let rows = judged.iter().map(|one| figures::row(one, &links, &facts));
        Ok(Self {
            rows: rows.collect(),
            folder,
            sources,
            judged,
        })
    }

    /// Writes `figures.csv`, the plots, the cards and the pages.
    fn write(&self) -> Result<Written> {
        let Self {
            folder, sources, ..
        } = self;
        let experiments = &folder.experiments;
        let sections = experiments
            .iter()
            .map(|experiment| self.section(experiment));
        let sections = sections.collect::<Result<Vec<_>, _>>()?;
        let groups = story::groups(sources, sections, |name| {
            let mut own = experiments.iter();
            let own = own.find(|experiment| experiment.name == name);
            own.and_then(Experiment::source).map(str::to_owned)
        });
        let cards = story::cards(&folder.rows, sources, &self.rows, &groups)?;
        let verdicts = figures::counted(&self.judged);
        let pages = if !sources.is_empty() {
            figures::write(&folder.path.join("figures.csv"), &self.judged)?;
            let mut pairs = side_by_side::pairs(&folder.path);
            pairs.sort_by_key(|pair| groups.iter().position(|group| group.word == pair.source));
            let mut page = folder.page(page::sections(&groups));
            page.is_divided |= experiments.iter().any(|one| one.claims.is_some());
            let is_told = |source: &&PublishedSource| {
                cards
                    .iter()
                    .any(|card: &SourceCard| card.source == source.source)
            };
            let told = figures::in_order(sources).into_iter().filter(is_told);
            let words = told.filter_map(|source| source.story.as_ref());
            let book = BookPage {
                words: words.flat_map(|story| story.words.clone()).collect(),
                page,
                more: String::new(),
                speed: self.speed(cards.len() > 1)?,
                cards: cards.clone(),
                figures: figures::most_interesting_first(self.rows.clone()),
                pairs,
            };
            page::html(&self.titled(book, &verdicts), &groups)
        } else {
            let sections = page::sections(&groups).cloned().collect();
            let groups = [ikeru_reports::page::PageGroup::of_experiments(sections)];
            let page = folder.page(ikeru_reports::page::sections(&groups));
            ikeru_reports::page::html(&page, &groups)
        };
        folder.write_pages(pages)?;
        let answers = answers(page::sections(&groups));
        Ok((answers, cards, verdicts, self.rows.clone()))
    }

    /// The plot of the sources' speed, for a page of several sources.
    fn speed(&self, is_asked: bool) -> Result<Option<PageDrawing>> {
        let Some(chart) = speed::chart(&self.folder.rows, self.sources)?.filter(|_| is_asked)
        else {
            return Ok(None);
        };
        let said = PageDrawing {
            title: chart.title.clone(),
            ..PageDrawing::default()
        };
        let name = self.folder.file_name("speed".to_owned());
        self.folder.draw(&chart, name, said).map(Some)
    }

    /// The heading of a book: that of the project's sources with a sentence on their scale, or the title of a text.
    fn titled(&self, mut book: BookPage, verdicts: &[Badge]) -> BookPage {
        let experiments = &self.folder.experiments;
        let is_shipped = |one: &Experiment| {
            one.claims.is_none() && one.source().is_some_and(builtin::is_shipped)
        };
        if experiments.iter().all(is_shipped) {
            if book.page.is_divided {
                [book.page.title, book.page.description] = builtin::BOOK.map(str::to_owned);
            }
            book.more = more(&self.folder.run);
        } else if let ([text], true) = (self.sources, book.page.is_divided) {
            book.page.title.clone_from(&text.reference);
            let verdicts = verdicts.iter().map(|one| one.text.as_str());
            let verdicts = verdicts.collect::<Vec<_>>().join(" · ");
            book.page.description = format!("Its claims, measured again: {verdicts}.");
        }
        book
    }

    /// The section of one experiment with its claims.
    fn section(&self, experiment: &Experiment) -> Result<BookSection> {
        let is_answered = |one: &&JudgedFigure| experiment.answers.contains(&one.figure.id);
        let judged: Vec<&JudgedFigure> = self.judged.iter().filter(is_answered).collect();
        let marks = judged.iter().filter_map(|one| quoted(one.figure));
        let marks: Vec<QuotedValue> = marks.collect();
        let mut section = self.folder.section(experiment, &marks)?;
        legend(experiment.problem.name()).clone_into(&mut section.legend);
        let verdicts = figures::counted(judged.iter().copied());
        let own = self.rows.iter();
        let own = own.filter(|row| experiment.answers.contains(&row.id));
        let figures = figures::most_interesting_first(own.cloned().collect());
        let consoles = consoles::lines(&self.folder.rows, experiment)?;
        if section.answer == section.title {
            let line = consoles.first().filter(|_| section.plots.is_empty());
            let line = line.map(|line| line.sentence.clone());
            let said = line.or_else(|| in_words(&figures));
            section.answer = said.unwrap_or(section.answer);
        }
        Ok(BookSection {
            section,
            open: open_claims(&judged, self.folder),
            verdicts,
            figures,
            consoles,
        })
    }
}

/// The open figures among `judged`, and the command that would decide them: it runs the experiments that measure them, or
/// those of a text again. `None` if no figure can be decided. The command may take three times the expected time.
fn open_claims(judged: &[&JudgedFigure], folder: &Folder) -> Option<OpenClaims> {
    let (run, experiments) = (&folder.run, &folder.experiments);
    let here = judged.iter().filter(|one| one.is_of(experiments));
    let here = here.filter(|one| one.stored != Some(StoredKind::Games));
    let needs = here.filter_map(|one| Some((one.experiment.as_str(), one.needs()?.1)));
    let (names, needs): (BTreeSet<&str>, Vec<f64>) = needs.unzip();
    let seconds: f64 = needs.iter().sum();
    let minutes = (seconds / 20.0).ceil().max(1.0);
    let is_long = minutes > 90.0;
    let (size, unit) = if is_long { (60.0, "h") } else { (1.0, "m") };
    let names: Vec<&str> = names.into_iter().collect();
    let budget = format!("--budget {}{unit}", (minutes / size).ceil());
    let command = match experiments.iter().any(|one| one.claims.is_some()) {
        true => {
            let again = names.iter().filter_map(|name| run.again.get(*name));
            let again = again.map(|again| format!("{again} --until-decided {budget}"));
            again.collect::<Vec<_>>().join("; ")
        }
        false => {
            let (names, data) = (names.join(" "), builtin::data_option());
            format!("ikeru reproduce {names} {budget}{data}")
        }
    };
    (!needs.is_empty()).then(|| OpenClaims {
        claims: needs.len(),
        command,
        time: about(1e9 * seconds.ceil()),
    })
}

/// A sentence on what `--full` would add to a quick run of the sources' experiments; empty for other scales.
fn more(run: &RunFile) -> String {
    match run.scale.as_str() {
        "quick" => "This is the quick scale; with --full the same experiments run at the sources' own scale: larger \
                    instances, more of them, more repeats."
            .to_owned(),
        _ => String::new(),
    }
}

/// The result of the published figures of an experiment: the first claims by verdict; without a decided one, the open ones.
fn in_words(figures: &[FigureRow]) -> Option<String> {
    let is_told = |row: &&FigureRow| row.tone != Tone::Still && row.needs.is_empty();
    let is_any = figures.iter().any(|row| is_told(&row));
    let is_open = |row: &FigureRow| !is_any && !row.needs.is_empty();
    let told = figures.iter().filter(|row| is_told(row) || is_open(row));
    let (mut words, mut before) = (String::new(), "");
    for row in told.take(MOST_CLAIMS) {
        if before == row.verdict {
            words += "; ";
        } else {
            let (first, rest) = row.verdict.split_at(1);
            let between = if words.is_empty() { "" } else { ". " };
            words += &format!("{between}{}{rest}: ", first.to_uppercase());
        }
        let claim = row.claim.trim_end_matches('.');
        match row.tone == Tone::Good {
            true => words += claim,
            false => words += &format!("“{claim}”"),
        }
        before = row.verdict;
    }
    Some(words).filter(|words| !words.is_empty())
}

/// The largest number of claims in the answer of an experiment.
const MOST_CLAIMS: usize = 3;

/// The colours of the pictures of a problem.
fn legend(problem: &str) -> &'static str {
    match problem {
        "reach" => {
            "Discs with a number: the players; player 0 moves. Green: reached in exactly this number of steps, and if the god counts, also \
             with the god on another player; orange: reached only with the god; grey: not reached, or blocked. Arrows: a \
             route."
        }
        "trail" => {
            "Arrows: the trail; their colour runs along a scale from the first edge to the last. Each label is the operation of its edge."
        }
        "path" => {
            "Blue disc: the start; red: the goal and the path; yellow: looked at; blue cells: in the open list; orange: \
             the current cell; grey: walls."
        }
        "chain" | "deep" | "build" | "versus" => {
            "Letters: colours, O is garbage. A number: the step of the chain in which the puyo vanishes."
        }
        _ => "",
    }
}
