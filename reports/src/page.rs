//! The data of a run folder's pages, and their HTML. A run of several experiments is a short book: a first page, and
//! one page for each source. A run of one experiment has one page.
//!
//! [`Page`] is plain data, filled by `report`; the templates define its appearance. Text is escaped by the template
//! engine, drawings are SVG made by this crate. A page needs no other resource: it opens from `file://`, and without
//! scripts it shows the first frame of each picture. The script adds features that reading does not require: sorting,
//! filters, the frames of a picture, two searches in step, the command of a cell.

use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, context};
use serde::Serialize;

use crate::table::{Table, Tone};

/// The content of all pages.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Page {
    /// The heading.
    pub title: String,
    /// The description of the pages, for link previews and for the first page with cards.
    pub description: String,
    /// One line: the number of samples and experiments, the seed, the scale and the set.
    pub subtitle: String,
    /// The command line that made the run.
    pub command: String,
    /// The command line that makes this page again.
    pub again: String,
    /// A sentence on what `--full` would add; empty unless the run has the quick scale.
    pub more: String,
    /// One per source whose headline was measured, in the order of the story.
    pub cards: Vec<SourceCard>,
    /// The number of published figures of each verdict.
    pub verdicts: Vec<Badge>,
    /// Every published figure in the scope of the run, the most interesting verdicts first.
    pub figures: Vec<FigureRow>,
    /// The picture of the pages for link previews; a book with cards uses its first card instead.
    pub image: String,
    /// Pairs of searches, drawn step by step.
    pub pairs: Vec<SearchPair>,
    /// The machine, the versions, and the sessions if there are several.
    pub machine: Vec<Fact>,
    /// The reasons to doubt the times or the rows; empty if there are none.
    pub doubts: String,
    /// The number of samples that failed by mistake, and of questions on which exact variants disagree.
    pub alarms: usize,
    /// One sentence on the failures, or that there are none.
    pub failure_sentence: String,
    /// Tables of the samples that failed, timed out or were skipped.
    pub failures: Vec<FailureGroup>,
    /// The experiments by their source, in the order of the story.
    pub groups: Vec<PageGroup>,
    /// True if each group has a separate page.
    pub is_book: bool,
}

/// One source on the first page: question, picture, claim, our number, verdict, and why.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct SourceCard {
    /// The source's name.
    pub source: String,
    /// The page of its experiments.
    pub link: String,
    /// The game or the subject.
    pub about: String,
    /// Its question in simple words.
    pub question: String,
    /// A small picture of the problem.
    pub picture: Option<PictureFrame>,
    /// The claim as a quotation.
    pub quote: String,
    /// The claim with our number.
    pub row: FigureRow,
    /// The explanation of the result.
    pub why: String,
    /// The gain of a better algorithm: number, interval, sentence.
    pub gain: Option<[String; 3]>,
    /// The console lines of an analysis of the source's experiments; empty without such an analysis.
    pub consoles: Vec<ConsoleLine>,
}

/// The modelled performance of a console on an experiment's answers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ConsoleLine {
    /// The name of the console, or `every console`.
    pub console: String,
    /// The sentence on the answers within each time budget.
    pub sentence: String,
}

/// Two searches of the same instance, drawn step by step.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct SearchPair {
    /// The word of the source.
    pub source: String,
    /// The heading: what is searched.
    pub title: String,
    /// The two searches.
    pub sides: Vec<PairSide>,
}

/// One of two searches.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct PairSide {
    /// The variant.
    pub name: String,
    /// The description of the variant.
    pub about: String,
    /// The quantity that is counted.
    pub unit: String,
    /// The drawing: a group for each step, with the time from which it is shown and the count by then.
    pub drawing: String,
    /// True if it has a separate drawing; otherwise the drawing of the other side shows both.
    pub is_drawn: bool,
    /// The time at its end.
    pub end: u64,
    /// The count at its end.
    pub count: u64,
}

/// A published figure compared with ours.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct FigureRow {
    /// `source/what`.
    pub id: String,
    /// The source's name.
    pub source: String,
    /// The place in the source.
    pub place: String,
    /// The claim.
    pub claim: String,
    /// The value as the source prints it, with its unit.
    pub printed: String,
    /// The band within which a figure agrees.
    pub band: String,
    /// The correct value, if the source is wrong.
    pub right: String,
    /// Our value with its unit.
    pub ours: String,
    /// Its interval.
    pub interval: String,
    /// The kind of interval: `95 %`, or `models` (the band of the model) for a modelled value.
    pub within: &'static str,
    /// Band and interval on one axis, as an SVG; empty if nothing is compared.
    pub ruler: String,
    /// The verdict in words.
    pub verdict: &'static str,
    /// Its colour.
    pub tone: Tone,
    /// Its place in the order of verdicts.
    pub rank: usize,
    /// The reason for the verdict, and the choices that were made.
    pub reason: String,
    /// The sample size of an open figure, and what would decide it; empty for other figures.
    pub needs: String,
    /// The experiment that answers it.
    pub experiment: String,
    /// The address of that experiment; empty if the run does not have it.
    pub link: String,
}

/// The experiments of one source.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct PageGroup {
    /// The source's name.
    pub title: String,
    /// The name of its page and its anchor.
    pub word: String,
    /// Author or title, and year.
    pub reference: String,
    /// The address of the source or of its author's program.
    pub link: String,
    /// One section per experiment, in the order of the source's story.
    pub sections: Vec<Section>,
}

impl PageGroup {
    /// Its first plot that is not folded, as a PNG.
    pub fn image(&self) -> Option<String> {
        let mut plots = self.sections.iter().flat_map(|section| &section.plots);
        let shown = plots.find(|plot| !plot.folded && !plot.wide.is_empty())?;
        Some(format!("plots/{}.png", shown.name))
    }
}

/// A short labelled word with a colour of [`Tone`].
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Badge {
    /// The words, with their number.
    pub text: String,
    /// The number.
    pub count: usize,
    /// Its colour.
    pub badge: Tone,
    /// The verdict that it counts, which is the value of the filter.
    pub verdict: &'static str,
}

/// A name and its value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fact {
    /// The name.
    pub name: String,
    /// The value.
    pub value: String,
}

/// One kind of failure.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FailureGroup {
    /// The line that opens the table, if it is closed at first.
    pub summary: String,
    /// True if the table is open at first.
    pub open: bool,
    /// The samples, grouped.
    pub table: Table,
}

/// One experiment.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Section {
    /// The experiment's name: the section's anchor.
    pub name: String,
    /// The command that measures one of its cells again if `--cell ID` is appended; empty if there is none.
    pub again: String,
    /// Its title: the question.
    pub title: String,
    /// The answer in one sentence.
    pub answer: String,
    /// One line: problem, cells, samples, execution mode, bound policy and threads.
    pub extent: String,
    /// The number of published figures of each verdict.
    pub verdicts: Vec<Badge>,
    /// The number of samples that failed by mistake, and of questions on which exact variants disagree.
    pub alarms: usize,
    /// The number of samples that were stopped at their limit.
    pub stopped: usize,
    /// The description of the measurement, and how to read the result.
    pub about: String,
    /// The explanation of the result.
    pub why: String,
    /// Its variants, in the order of the ladder.
    pub variants: Vec<VariantNote>,
    /// Published figures compared with ours, with verdicts.
    pub figures: Vec<FigureRow>,
    /// Its plots; the first one shows the answer.
    pub plots: Vec<PageDrawing>,
    /// The tables that it asks for.
    pub tables: Vec<Table>,
    /// The decisions on pairs of repeats, if the run asked for them.
    pub decisions: Option<Table>,
    /// Analyses beyond plots and tables.
    pub analyses: Vec<AnalysisBlock>,
    /// The console lines of an analysis, for the card of the source.
    pub consoles: Vec<ConsoleLine>,
    /// Pictures of answers.
    pub pictures: Vec<PictureFrames>,
    /// Every cell.
    pub summary: Option<Table>,
}

/// A variant in a few words.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct VariantNote {
    /// Its label in plots and tables.
    pub label: String,
    /// The variant that runs under the label.
    pub name: String,
    /// Its idea.
    pub about: String,
    /// The source of the idea.
    pub source: String,
}

/// One plot with its sentence.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct PageDrawing {
    /// The files' name in `plots/` without ending.
    pub name: String,
    /// The sentence with the answer, which screen readers read instead of the drawing.
    pub title: String,
    /// True if it is folded at first.
    pub folded: bool,
    /// A sentence on how to read it.
    pub reading: String,
    /// The notes on the numbers in title and reading.
    pub notes: Vec<String>,
    /// The drawing for windows from 600 px on; empty if there is none.
    pub wide: String,
    /// The drawing for narrower windows; empty if the wide one is used for both.
    pub narrow: String,
    /// True if `plots/NAME.csv` exists.
    pub has_csv: bool,
    /// The reason why there is no drawing.
    pub missing: String,
}

/// An analysis on the page.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct AnalysisBlock {
    /// Its heading.
    pub title: String,
    /// Its notes.
    pub sentences: Vec<String>,
    /// Its charts.
    pub plots: Vec<PageDrawing>,
    /// Its tables.
    pub tables: Vec<Table>,
}

/// A picture, or several that follow each other.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct PictureFrames {
    /// The cell whose answer it shows.
    pub label: String,
    /// One frame or more.
    pub frames: Vec<PictureFrame>,
}

/// One frame.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct PictureFrame {
    /// The drawing as a `data:` URL, or the path of its file in the run folder. A browser runs no script in an image
    /// and loads nothing for it, so the drawing may be untrusted.
    pub image: String,
    /// The path of its file in the run folder; empty if there is none.
    pub file: String,
    /// One sentence under it.
    pub caption: String,
}

impl PictureFrame {
    /// A frame of a drawing from a file, which may be untrusted.
    pub fn of_svg(svg: &str, caption: impl Into<String>) -> Self {
        Self {
            image: format!("data:image/svg+xml,{}", encoded(svg)),
            caption: caption.into(),
            ..Self::default()
        }
    }
}

/// The text of an SVG for a `data:` URL in an attribute; it is shorter than base64 and compresses better.
fn encoded(svg: &str) -> String {
    let quote = if svg.contains('\'') { "%22" } else { "'" };
    let mut text = String::with_capacity(svg.len() + svg.len() / 4);
    for c in svg.chars() {
        match c {
            '"' => text += quote,
            '\'' => text += "%27",
            '%' => text += "%25",
            '#' => text += "%23",
            '&' => text += "%26",
            '<' => text += "%3C",
            '>' => text += "%3E",
            c if c.is_ascii_control() => text += &format!("%{:02X}", c as u32),
            c => text.push(c),
        }
    }
    text
}

const TEMPLATES: &[(&str, &str)] = &[
    ("parts.j2", include_str!("../templates/parts.j2")),
    ("base.j2", include_str!("../templates/base.j2")),
    ("index.j2", include_str!("../templates/index.j2")),
    ("source.j2", include_str!("../templates/source.j2")),
    ("glossary.j2", include_str!("../templates/glossary.j2")),
    ("page.css", include_str!("../templates/page.css")),
    ("page.js", include_str!("../templates/page.js")),
];

/// The name and the HTML of each page: the first page, and in a book one page for each group.
///
/// # Errors
/// A template that does not fit [`Page`]; tests exclude this.
pub fn html(page: &Page) -> Result<Vec<(String, String)>, minijinja::Error> {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    for (name, text) in TEMPLATES {
        environment.add_template(name, text)?;
    }
    let index = environment.get_template("index.j2")?;
    let index = index.render(context! { page => Serde(page) })?;
    let mut pages = vec![("index.html".to_owned(), index)];
    let own = page.groups.iter().filter(|_| page.is_book);
    for group in own {
        let card = page.cards.iter().find(|card| card.source == group.title);
        let source = environment.get_template("source.j2")?;
        let html = source.render(context! {
            page => Serde(page), group => Serde(group), card => Serde(card),
        })?;
        pages.push((format!("{}.html", group.word), html));
    }
    Ok(pages)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row;
    use crate::units::Quantity;

    fn table(title: &str) -> Table {
        Table {
            rows: vec![row!["<memo>", (1.25e6, Quantity::Time)]],
            ..Table::new(title, "variant | median")
        }
    }

    fn figure(verdict: &'static str) -> FigureRow {
        FigureRow {
            id: format!("s/{verdict}"),
            source: "Source".to_owned(),
            place: "table 1".to_owned(),
            claim: "twice <as> fast".to_owned(),
            printed: "2.0×".to_owned(),
            band: "1.8 … 2.2".to_owned(),
            ours: "1.92×".to_owned(),
            interval: "1.9 … 2".to_owned(),
            ruler: "<svg class=\"ruler\"></svg>".to_owned(),
            verdict,
            tone: Tone::Good,
            reason: "The reason.".to_owned(),
            experiment: "growth".to_owned(),
            link: "s.html#growth".to_owned(),
            ..FigureRow::default()
        }
    }

    fn page(is_book: bool) -> Page {
        let frame =
            |caption: &str| PictureFrame::of_svg("<svg><script>alert(1)</script></svg>", caption);
        let section = Section {
            name: "growth".to_owned(),
            title: "Does it grow?".to_owned(),
            answer: "It grows & grows".to_owned(),
            why: "Because it <does>.".to_owned(),
            figures: vec![figure("reproduced"), figure("not comparable")],
            variants: vec![VariantNote {
                label: "memo".to_owned(),
                name: "memo".to_owned(),
                about: "remembers <states>".to_owned(),
                source: "the article".to_owned(),
            }],
            plots: vec![PageDrawing {
                name: "growth".to_owned(),
                wide: "<svg id=\"plot\"></svg>".to_owned(),
                ..PageDrawing::default()
            }],
            pictures: vec![PictureFrames {
                label: "memo".to_owned(),
                frames: vec![frame("before"), frame("after")],
            }],
            summary: Some(table("Summary")),
            ..Section::default()
        };
        Page {
            title: "A & B".to_owned(),
            command: "ikeru reproduce --set a=\"<b>\"".to_owned(),
            again: "ikeru report results/x".to_owned(),
            cards: vec![SourceCard {
                source: "Source".to_owned(),
                link: "s.html".to_owned(),
                question: "Is it <fast>?".to_owned(),
                row: figure("reproduced"),
                consoles: vec![ConsoleLine {
                    console: "every console".to_owned(),
                    sentence: "On a <console> in 3 ms".to_owned(),
                }],
                ..SourceCard::default()
            }],
            figures: vec![
                figure("differs"),
                figure("erratum in the source"),
                figure("reproduced"),
                figure("not comparable"),
            ],
            failures: vec![FailureGroup {
                summary: "3 skipped".to_owned(),
                open: false,
                table: table("Skipped"),
            }],
            groups: vec![PageGroup {
                title: "Source".to_owned(),
                word: "s".to_owned(),
                sections: vec![section],
                ..PageGroup::default()
            }],
            is_book,
            ..Page::default()
        }
    }

    /// The first page and the page of the source; without a book, the only page twice.
    fn pages(page: &Page) -> [String; 2] {
        let mut pages = html(page).expect("the templates fit").into_iter();
        let (name, index) = pages.next().expect("a first page");
        assert_eq!(name, "index.html");
        let source = pages.next().map(|(name, html)| {
            assert_eq!(name, "s.html");
            html
        });
        assert_eq!(source.is_some(), page.is_book);
        [index.clone(), source.unwrap_or(index)]
    }

    fn place(html: &str, text: &str) -> usize {
        html.find(text).unwrap_or_else(|| panic!("{text}"))
    }

    #[test]
    fn text_is_escaped_and_drawings_are_not() {
        for is_book in [false, true] {
            let [index, source] = pages(&page(is_book));
            assert!(source.contains("It grows &amp; grows"));
            assert!(source.contains("&lt;memo&gt;") && !source.contains("<memo>"));
            assert!(source.contains("Because it &lt;does&gt;."));
            assert!(source.contains("remembers &lt;states&gt;"));
            assert!(source.contains("<svg id=\"plot\"></svg>"));
            assert!(source.contains("data:image/svg+xml,%3Csvg%3E%3Cscript%3E"));
            for html in [&index, &source] {
                assert!(!html.contains("<script>alert(1)"));
                assert!(html.contains("A &amp; B") || html.contains("Is it &lt;fast&gt;?"));
            }
            if is_book {
                assert!(index.contains("On a &lt;console&gt; in 3 ms"));
                assert!(index.contains("Is it &lt;fast&gt;?"));
            }
        }
    }

    #[test]
    fn a_drawing_in_an_attribute_keeps_its_quotes_apart() {
        assert_eq!(encoded("<a b=\"#1\"/>"), "%3Ca b='%231'/%3E");
        assert_eq!(
            encoded("<a b=\"it's 5%\"/>"),
            "%3Ca b=%22it%27s 5%25%22/%3E"
        );
    }

    #[test]
    fn a_page_needs_no_other_resource() {
        for html in pages(&page(true)) {
            for outside in ["src=\"http", "@import", "<link rel=\"stylesheet\"", "url("] {
                assert!(!html.contains(outside), "{outside}");
            }
            // The name of an XML namespace is no address.
            let html = html.replace("http://www.w3.org/2000/svg", "");
            assert!(!html.contains("http"), "only a source's link leads out");
        }
    }

    #[test]
    fn only_the_first_frame_is_drawn_before_the_script_asks_for_more() {
        let [_, html] = pages(&page(true));
        let template = place(&html, "<template class=\"more\">");
        assert_eq!(html.matches("<figure class=\"frame\">").count(), 2);
        assert_eq!(
            html[..template].matches("<figure class=\"frame\">").count(),
            1
        );
        assert!(place(&html, "<figcaption>after") > template);
    }

    #[test]
    fn a_book_goes_from_answers_to_failures_unless_something_failed() {
        let mut page = page(true);
        let [quiet, _] = pages(&page);
        let order = [
            "class=\"chapter\"",
            "<section id=\"errata\"",
            "<section id=\"differs\"",
            "<section id=\"consoles\"",
            "<section id=\"glossary\"",
            "<section id=\"figures\"",
            "<section id=\"failures\"",
        ];
        let places = order.map(|text| place(&quiet, text));
        assert!(places.is_sorted(), "{places:?}");
        assert!(!quiet.contains("class=\"alarm\""));
        page.alarms = 2;
        for (loud, after) in pages(&page)
            .iter()
            .zip(["class=\"chapter\"", "id=\"growth\""])
        {
            assert!(place(loud, "class=\"alarm\"") < place(loud, after));
        }
    }

    #[test]
    fn an_experiment_goes_from_question_to_answer_plot_why_and_claims() {
        for is_book in [false, true] {
            let [_, html] = pages(&page(is_book));
            let html = &html[place(&html, "<article id=\"growth\"")..];
            let order = [
                "Does it grow?",
                "It grows &amp; grows",
                "<svg id=\"plot\">",
                "Because it",
                "id=\"claim-s&#x2f;reproduced\"",
                "Also printed, but not compared",
                "id=\"claim-s&#x2f;not comparable\"",
                "How it was measured",
                "What the variant is",
            ];
            let places = order.map(|text| place(html, text));
            assert!(places.is_sorted(), "{places:?}");
            assert!(html.contains("twice &lt;as&gt; fast") && html.contains("The reason."));
        }
    }

    #[test]
    fn every_verdict_filters_rows_that_the_table_has() {
        let mut page = page(true);
        page.verdicts = ["reproduced", "not comparable"]
            .map(|verdict| Badge {
                text: format!("1 {verdict}"),
                count: 1,
                badge: Tone::Good,
                verdict,
            })
            .into();
        let [html, _] = pages(&page);
        let bar = &html[place(&html, "<ul class=\"strip badges\"")..place(&html, "<main")];
        let values: Vec<&str> = bar
            .split("data-verdict=\"")
            .skip(1)
            .filter_map(|rest| rest.split('"').next())
            .collect();
        assert_eq!(values, ["reproduced", "not comparable"]);
        for value in values {
            assert!(html.contains(&format!("data-source=\"Source\" data-verdict=\"{value}\"")));
        }
    }

    #[test]
    fn the_command_that_makes_the_tables_stands_once() {
        for html in pages(&page(false)) {
            assert_eq!(html.matches("ikeru report results&#x2f;x").count(), 1);
            assert!(html.contains("<th scope=\"col\" class=\"number\">"));
        }
    }
}
