//! The data of a book's pages, and their HTML: a first page with a card for each source, and a page for each source.
//!
//! A book adds its claims to the page of experiments ([`ikeru_reports::page`]) and uses its templates.

use ikeru_bench_data::published::Rule;
use ikeru_reports::page::{self, Page, PageDrawing, PageGroup, Pages, PictureFrame, Section};
use ikeru_reports::table::Tone;
use minijinja::context;
use minijinja::value::Serde;
use serde::Serialize;

/// The content of a book's pages, without the experiments.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct BookPage {
    /// The content of every report.
    #[serde(flatten)]
    pub page: Page,
    /// A sentence on what `--full` would add; empty unless the run has the quick scale.
    pub more: String,
    /// One per source whose headline was measured, in the order of the story.
    pub cards: Vec<SourceCard>,
    /// Every published figure in the scope of the run, the most interesting verdicts first.
    pub figures: Vec<FigureRow>,
    /// The plot of the sources' speed, if the run has both times of one.
    pub speed: Option<PageDrawing>,
    /// Pairs of searches, drawn step by step.
    pub pairs: Vec<SearchPair>,
    /// The words of the sources with a card, each with its meaning.
    pub words: Vec<[String; 2]>,
}

/// One experiment with its claims.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct BookSection {
    /// The experiment.
    #[serde(flatten)]
    pub section: Section,
    /// The number of facts of each verdict.
    pub verdicts: Vec<Badge>,
    /// Published figures compared with ours, with verdicts.
    pub figures: Vec<FigureRow>,
    /// The open figures and what would decide them, if any of them can be decided.
    pub open: Option<OpenClaims>,
    /// The console lines of its first analysis that has some, for the card of the source.
    #[serde(skip)]
    pub consoles: Vec<ConsoleLine>,
}

/// The open figures of an experiment that more samples would decide.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OpenClaims {
    /// Their number.
    pub claims: usize,
    /// The command that takes the samples.
    pub command: String,
    /// The expected time of the samples.
    pub time: String,
}

/// The experiments of one source.
pub type BookGroup = PageGroup<BookSection>;

/// The sections of all groups.
pub fn sections(groups: &[BookGroup]) -> impl Iterator<Item = &Section> {
    let all = groups.iter().flat_map(|group| &group.sections);
    all.map(|own| &own.section)
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
    /// The rules that the source leaves open.
    pub rules: Vec<Rule>,
    /// What their readings say together.
    pub together: String,
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
    /// The words that all its questions share; empty if there are none.
    pub question: String,
    /// The sentence on the answers within each time budget.
    pub sentence: String,
    /// True if the model of its processor was never compared with another machine.
    pub is_unchecked: bool,
}

/// Two searches of the same instance, drawn step by step.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct SearchPair {
    /// The word of the source.
    pub source: String,
    /// The experiment whose section shows it; without it, it stands in front of all.
    pub experiment: Option<String>,
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
    /// The sentence about the last picture; empty without one.
    pub said: String,
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
    /// The fact that it states; figures of one fact count once.
    pub fact: String,
    /// The verdict of the fact.
    pub of_fact: &'static str,
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
    /// The kind of interval: `95 %`, for a ratio with what it speaks of, or `models` (the band of the model) for a modelled
    /// value.
    pub within: String,
    /// `modelled` if our value is, with `, not checked` if the model of a processor was never compared with another machine.
    pub modelled: &'static str,
    /// Band and interval on one axis, as an SVG; empty if nothing is compared.
    pub ruler: String,
    /// The means under all readings of its open rules, as an SVG; empty without such rules.
    pub strip: String,
    /// The nearest reading, with its mean; empty without such rules.
    pub nearest: String,
    /// The verdict in words.
    pub verdict: &'static str,
    /// The side on which ours differs, as `gains more than printed`; empty for other verdicts.
    pub direction: String,
    /// Its colour.
    pub tone: Tone,
    /// Its place in the order of verdicts.
    pub rank: usize,
    /// True if stored rows decided it, because the run has none.
    pub is_stored: bool,
    /// The reason for the verdict, and the choices that were made.
    pub reason: String,
    /// The cause of a difference; empty without a known one.
    pub explained: String,
    /// The sample size of an open figure, and what would decide it; empty for other figures.
    pub needs: String,
    /// The experiment that answers it.
    pub experiment: String,
    /// The address of that experiment; empty if the run does not have it.
    pub link: String,
}

/// A short labelled word with a colour of [`Tone`].
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Badge {
    /// The words, with their number.
    pub text: String,
    /// Its colour.
    pub badge: Tone,
}

const TEMPLATES: &[(&str, &str)] = &[
    ("claims.j2", include_str!("../templates/claims.j2")),
    ("book.j2", include_str!("../templates/book.j2")),
    ("source.j2", include_str!("../templates/source.j2")),
    ("glossary.j2", include_str!("../templates/glossary.j2")),
    ("book.js", include_str!("../templates/book.js")),
];

/// The first page, and one page for each group if the book has several experiments.
///
/// # Errors
/// A template that does not fit [`BookPage`]; tests exclude this.
pub fn html(book: &BookPage, groups: &[BookGroup]) -> Pages {
    let templates = page::environment(TEMPLATES)?;
    let (page, all) = (Serde(book), Serde(groups));
    let index = templates.get_template("book.j2")?;
    let index = index.render(context! { page, groups => all })?;
    let mut pages = vec![("index.html".to_owned(), index)];
    for group in groups.iter().filter(|_| book.page.is_divided) {
        let card = book.cards.iter().find(|card| card.source == group.title);
        let source = templates.get_template("source.j2")?;
        let sections: Vec<&Section> = group.sections.iter().map(|it| &it.section).collect();
        let html = source.render(context! {
            page, groups => all, group => Serde(group), card => Serde(card), image => page::image(&sections),
        })?;
        pages.push((format!("{}.html", group.word), html));
    }
    Ok(pages)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ikeru_records::units::Quantity;
    use ikeru_reports::page::{FailureGroup, PictureFrames, VariantNote};
    use ikeru_reports::row;
    use ikeru_reports::table::Table;

    fn table(title: &str) -> Table {
        Table {
            rows: vec![row!["<memo>", (1.25e6, Quantity::Time)]],
            ..Table::new(title, "variant | median")
        }
    }

    fn figure(verdict: &'static str) -> FigureRow {
        FigureRow {
            id: format!("s/{verdict}"),
            fact: format!("s/{verdict}"),
            source: "Source".to_owned(),
            place: "table 1".to_owned(),
            claim: "twice <as> fast".to_owned(),
            printed: "2.0×".to_owned(),
            band: "1.8 … 2.2".to_owned(),
            ours: "1.92×".to_owned(),
            interval: "1.9 … 2".to_owned(),
            ruler: "<svg class=\"ruler\"></svg>".to_owned(),
            verdict,
            of_fact: verdict,
            tone: Tone::Good,
            reason: "The reason.".to_owned(),
            explained: "By a <slip>.".to_owned(),
            experiment: "growth".to_owned(),
            link: "s.html#growth".to_owned(),
            ..FigureRow::default()
        }
    }

    /// A book of one source with one experiment.
    fn book(is_divided: bool) -> (BookPage, [BookGroup; 1]) {
        let frame =
            |caption: &str| PictureFrame::of_svg("<svg><script>alert(1)</script></svg>", caption);
        let section = Section {
            name: "growth".to_owned(),
            title: "Does it grow?".to_owned(),
            answer: "It grows & grows".to_owned(),
            why: "Because it <does>.".to_owned(),
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
        let page = Page {
            title: "A & B".to_owned(),
            command: "ikeru reproduce --set a=\"<b>\"".to_owned(),
            again: "ikeru report results/x".to_owned(),
            failures: vec![FailureGroup {
                summary: "3 skipped".to_owned(),
                open: false,
                table: table("Skipped"),
            }],
            is_divided,
            ..Page::default()
        };
        let section = BookSection {
            section,
            figures: vec![figure("reproduced"), figure("not comparable")],
            ..BookSection::default()
        };
        let group = PageGroup {
            title: "Source".to_owned(),
            word: "s".to_owned(),
            sections: vec![section],
            ..PageGroup::of_experiments(Vec::new())
        };
        let book = BookPage {
            page,
            cards: vec![SourceCard {
                source: "Source".to_owned(),
                link: "s.html".to_owned(),
                question: "Is it <fast>?".to_owned(),
                row: figure("reproduced"),
                consoles: vec![ConsoleLine {
                    console: "every console".to_owned(),
                    question: "12 <paths>".to_owned(),
                    sentence: "On a <console> in 3 ms".to_owned(),
                    is_unchecked: true,
                }],
                ..SourceCard::default()
            }],
            figures: vec![
                figure("differs"),
                figure("open rule"),
                figure("erratum in the source"),
                figure("reproduced"),
                figure("not comparable"),
            ],
            ..BookPage::default()
        };
        (book, [group])
    }

    /// The first page and the page of the source; without a book, the only page twice.
    fn pages((book, groups): &(BookPage, [BookGroup; 1])) -> [String; 2] {
        let mut pages = html(book, groups).expect("the templates fit").into_iter();
        let (name, index) = pages.next().expect("a first page");
        assert_eq!(name, "index.html");
        let source = pages.next().map(|(name, html)| {
            assert_eq!(name, "s.html");
            html
        });
        assert_eq!(source.is_some(), book.page.is_divided);
        [index.clone(), source.unwrap_or(index)]
    }

    fn place(html: &str, text: &str) -> usize {
        html.find(text).unwrap_or_else(|| panic!("{text}"))
    }

    #[test]
    fn text_is_escaped_and_drawings_are_not() {
        for is_divided in [false, true] {
            let [index, source] = pages(&book(is_divided));
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
            if is_divided {
                assert!(index.contains("On a &lt;console&gt; in 3 ms"));
                assert!(index.contains("<small>12 &lt;paths&gt;:</small>"));
                assert!(index.contains(
                    "<option value=\"every console\">every console, not checked</option>"
                ));
                assert!(index.contains("Is it &lt;fast&gt;?"));
            }
        }
    }

    #[test]
    fn a_page_needs_no_other_resource() {
        for html in pages(&book(true)) {
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
        let [_, html] = pages(&book(true));
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
        let mut book = book(true);
        let [quiet, _] = pages(&book);
        let order = [
            "class=\"chapter",
            "<section id=\"errata\"",
            "<section id=\"differs\"",
            "<section id=\"readings\"",
            "<section id=\"glossary\"",
            "<section id=\"figures\"",
            "<section id=\"failures\"",
        ];
        let places = order.map(|text| place(&quiet, text));
        assert!(places.is_sorted(), "{places:?}");
        assert!(!quiet.contains("class=\"alarm\""));
        book.0.page.alarms = 2;
        for (loud, after) in pages(&book)
            .iter()
            .zip(["class=\"chapter", "id=\"growth\""])
        {
            assert!(place(loud, "class=\"alarm\"") < place(loud, after));
        }
    }

    #[test]
    fn an_experiment_goes_from_question_to_answer_plot_why_and_claims() {
        for is_divided in [false, true] {
            let [_, html] = pages(&book(is_divided));
            let html = &html[place(&html, "<article id=\"growth\"")..];
            let order = [
                "Does it grow?",
                "It grows &amp; grows",
                "<svg id=\"plot\">",
                "Because it",
                "id=\"claim-s&#x2f;reproduced\"",
                "Not compared",
                "id=\"claim-s&#x2f;not comparable\"",
                "How it was measured",
                "What the variant is",
            ];
            let places = order.map(|text| place(html, text));
            assert!(places.is_sorted(), "{places:?}");
            assert!(html.contains("twice &lt;as&gt; fast") && html.contains("The reason."));
            assert!(html.contains("<b>Explained</b> By a &lt;slip&gt;."));
            assert!(html.contains("title=\"By a &lt;slip&gt;.\">explained</span>"));
        }
    }

    #[test]
    fn every_verdict_filters_rows_that_the_table_has() {
        let [html, _] = pages(&book(true));
        let bar =
            &html[place(&html, "<ul class=\"strip badges\"")..place(&html, "id=\"consoles\"")];
        let values: Vec<&str> = bar
            .split("data-verdict=\"")
            .skip(1)
            .filter_map(|rest| rest.split('"').next())
            .collect();
        assert_eq!(
            values,
            [
                "hold",
                "do not hold",
                "misprints",
                "depend on an open rule",
                "cannot be judged"
            ]
        );
        for value in values {
            assert!(html.contains(&format!("data-source=\"Source\" data-verdict=\"{value}\"")));
        }
    }

    #[test]
    fn the_command_that_makes_the_tables_stands_once() {
        for html in pages(&book(false)) {
            assert_eq!(html.matches("ikeru report results&#x2f;x").count(), 1);
            assert!(html.contains("<th scope=\"col\" class=\"number\">"));
        }
    }
}
