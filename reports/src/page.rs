//! The page of a run folder: what stands on it, and its HTML.
//!
//! [`Page`] is data alone, filled by `report`; the template decides how it looks. Text is escaped by
//! the template engine, drawings are SVG made by this crate. The page needs no other resource: it
//! opens from `file://`, and without scripts it shows the first frame of each picture. The script adds what
//! reading does not need: sorting, filters, the frames of a picture, the command of a row.

use minijinja::value::Serde;
use minijinja::{Environment, context};
use serde::Serialize;

use crate::table::{Table, Tone};

/// Everything that stands on the page.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Page {
    /// The heading.
    pub title: String,
    /// One line under it: how many samples of how many experiments.
    pub subtitle: String,
    /// The command line that made the run.
    pub command: String,
    /// The command line that makes this page again.
    pub again: String,
    /// What `--full` would add; empty where that is known to be nothing.
    pub more: String,
    /// One per source whose headline was measured, in the order of the story.
    pub cards: Vec<SourceCard>,
    /// How many published figures got which verdict.
    pub verdicts: Vec<Badge>,
    /// Every published figure in the scope of the run.
    pub figures: Figures,
    /// The figures whose source is wrong.
    pub errata: Vec<FigureRow>,
    /// Machine, versions, times, seed.
    pub machine: Vec<Fact>,
    /// Samples that failed by mistake, and questions on which exact variants disagree.
    pub alarms: usize,
    /// One sentence: what failed, or that nothing did.
    pub failure_sentence: String,
    /// Tables of what failed, timed out and was skipped.
    pub failures: Vec<FailureGroup>,
    /// The experiments by their source, in the order of the story.
    pub groups: Vec<PageGroup>,
    /// The last line.
    pub closing: String,
}

/// One source on the first screen: question, picture, number, verdict.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct SourceCard {
    /// The source's name.
    pub source: String,
    /// The anchor of its group on the page.
    pub anchor: String,
    /// Its question in everyday words.
    pub question: String,
    /// A small picture of the problem.
    pub picture: Option<PictureFrame>,
    /// The measured number with its unit.
    pub number: String,
    /// Its 95 % interval; empty where there is none.
    pub interval: String,
    /// What the number says.
    pub says: String,
    /// The experiment that measured it: an anchor.
    pub experiment: String,
    /// The published figure whose verdict stands on the card.
    pub verdict: Option<FigureRow>,
    /// What a console would have made of it, where an analysis of the source's experiments says so.
    pub console: Option<String>,
}

/// Published figures: those that are compared, and those that cannot be.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Figures {
    /// Reproduced, calibrated, differing, undecided, errata, not measured.
    pub compared: Vec<FigureRow>,
    /// Printed as well, but nothing to compare.
    pub aside: Vec<FigureRow>,
}

/// A published figure beside ours.
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
    /// What would be right, if the source is wrong.
    pub right: String,
    /// Our value with its unit.
    pub ours: String,
    /// Its interval.
    pub interval: String,
    /// The verdict in words.
    pub verdict: &'static str,
    /// Its colour.
    pub tone: Tone,
    /// Its place in the order of verdicts.
    pub rank: usize,
    /// What decided it, what was chosen, and why.
    pub reason: String,
    /// What an open figure rests on and what would decide it; empty of others.
    pub needs: String,
    /// The experiment that answers it.
    pub experiment: String,
    /// Whether that experiment is on this page.
    pub is_here: bool,
}

/// The experiments of one source.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct PageGroup {
    /// The source's name.
    pub title: String,
    /// Its anchor.
    pub anchor: String,
    /// Author or title, and year.
    pub reference: String,
    /// One section per experiment, in the order of the run.
    pub sections: Vec<Section>,
}

/// A short labelled word with a colour of [`Tone`].
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Badge {
    /// The word.
    pub text: String,
    /// Its colour.
    pub badge: Tone,
    /// The verdict that it counts: the value of the filter.
    pub verdict: &'static str,
}

/// A name and its value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fact {
    /// What it is.
    pub name: String,
    /// What it is here.
    pub value: String,
}

/// One kind of failure.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FailureGroup {
    /// One line that opens the table, where it is closed at first.
    pub summary: String,
    /// Whether the table stands open.
    pub open: bool,
    /// The samples, grouped.
    pub table: Table,
}

/// One experiment.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Section {
    /// The experiment's name: the section's anchor.
    pub name: String,
    /// The command that `--cell ID` follows to measure one of its cells again; empty where there is none.
    pub again: String,
    /// Its title: the question.
    pub title: String,
    /// The answer in one sentence.
    pub answer: String,
    /// How it was measured: two sentences.
    pub measured: String,
    /// One line: problem, cells, samples, and how they shared the machine.
    pub extent: String,
    /// How many published figures got which verdict.
    pub verdicts: Vec<Badge>,
    /// Samples that failed by mistake, and questions on which exact variants disagree.
    pub alarms: usize,
    /// Samples that were stopped at their limit.
    pub stopped: usize,
    /// The rest of how to read it.
    pub about: String,
    /// Published figures beside ours, with verdicts.
    pub figures: Figures,
    /// Its plots; the first one shows the answer.
    pub plots: Vec<PageDrawing>,
    /// The tables that it asks for.
    pub tables: Vec<Table>,
    /// What pairs of repeats decided, where the run asked for it.
    pub decisions: Option<Table>,
    /// Analyses beyond plots and tables.
    pub analyses: Vec<AnalysisBlock>,
    /// One line of an analysis for the card of the source.
    pub console: Option<String>,
    /// Pictures of answers.
    pub pictures: Vec<PictureFrames>,
    /// Every cell.
    pub summary: Option<Table>,
}

/// One plot with its sentence.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct PageDrawing {
    /// The files' name in `plots/` without ending.
    pub name: String,
    /// The answer's sentence, read aloud instead of the drawing.
    pub title: String,
    /// How to read it.
    pub reading: String,
    /// How the ratios in title and reading were found.
    pub notes: Vec<String>,
    /// The drawing for windows from 600 px on; empty if there is none.
    pub wide: String,
    /// The drawing for narrower windows; empty where the wide one serves both.
    pub narrow: String,
    /// Whether `plots/NAME.csv` lies beside it.
    pub has_csv: bool,
    /// Why there is no drawing.
    pub missing: String,
}

/// An analysis as it stands on the page.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct AnalysisBlock {
    /// Its heading.
    pub title: String,
    /// What it says.
    pub sentences: Vec<String>,
    /// The same to look at.
    pub plots: Vec<PageDrawing>,
    /// What it says it from.
    pub tables: Vec<Table>,
}

/// A picture, or several that follow each other.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct PictureFrames {
    /// Which cell's answer it is.
    pub label: String,
    /// One or more.
    pub frames: Vec<PictureFrame>,
}

/// One frame.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct PictureFrame {
    /// The drawing as a `data:` URL, or the path of its file in the run folder. As an image a drawing runs no script
    /// and loads nothing, whoever made it.
    pub image: String,
    /// The path of its file in the run folder; empty if there is none.
    pub file: String,
    /// One sentence under it.
    pub caption: String,
}

impl PictureFrame {
    /// A frame of a drawing that lies in a file, perhaps a stranger's.
    pub fn of_svg(svg: &str, caption: impl Into<String>) -> Self {
        Self {
            image: format!("data:image/svg+xml,{}", encoded(svg)),
            caption: caption.into(),
            ..Self::default()
        }
    }
}

/// The text of an SVG in a `data:` URL inside an attribute: shorter than base64, and it compresses better.
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
    ("index.html.j2", include_str!("../templates/index.html.j2")),
    ("page.css", include_str!("../templates/page.css")),
    ("page.js", include_str!("../templates/page.js")),
];

/// The page as one HTML file.
///
/// # Errors
/// Only if the template does not fit [`Page`], which a test would have found.
pub fn html(page: &Page) -> Result<String, minijinja::Error> {
    let mut environment = Environment::new();
    for (name, text) in TEMPLATES {
        environment.add_template(name, text)?;
    }
    environment
        .get_template("index.html.j2")?
        .render(context! { page => Serde(page) })
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
            source: "S".to_owned(),
            place: "table 1".to_owned(),
            claim: "twice <as> fast".to_owned(),
            printed: "2.0×".to_owned(),
            band: "1.8 … 2.2".to_owned(),
            right: String::new(),
            ours: "1.92×".to_owned(),
            interval: "1.9 … 2".to_owned(),
            verdict,
            tone: Tone::Good,
            rank: 0,
            reason: "The reason.".to_owned(),
            needs: String::new(),
            experiment: "growth".to_owned(),
            is_here: true,
        }
    }

    fn page() -> Page {
        let frame =
            |caption: &str| PictureFrame::of_svg("<svg><script>alert(1)</script></svg>", caption);
        let section = Section {
            name: "growth".to_owned(),
            answer: "It grows & grows".to_owned(),
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
            cards: vec![SourceCard {
                source: "Source".to_owned(),
                anchor: "source-s".to_owned(),
                number: "2.5×".to_owned(),
                verdict: Some(figure("reproduced")),
                console: Some("On a <console> in 3 ms".to_owned()),
                experiment: "growth".to_owned(),
                ..SourceCard::default()
            }],
            figures: Figures {
                compared: vec![figure("reproduced")],
                aside: vec![figure("not comparable")],
            },
            errata: vec![figure("erratum in the source")],
            failures: vec![FailureGroup {
                summary: "3 skipped".to_owned(),
                open: false,
                table: table("Skipped"),
            }],
            groups: vec![PageGroup {
                title: "Source".to_owned(),
                anchor: "source-s".to_owned(),
                sections: vec![section],
                ..PageGroup::default()
            }],
            ..Page::default()
        }
    }

    fn place(html: &str, text: &str) -> usize {
        html.find(text).unwrap_or_else(|| panic!("{text}"))
    }

    #[test]
    fn text_is_escaped_and_drawings_are_not() {
        let html = html(&page()).expect("the template fits");
        assert!(html.contains("A &amp; B") && html.contains("It grows &amp; grows"));
        assert!(html.contains("&lt;memo&gt;") && !html.contains("<memo>"));
        assert!(html.contains("On a &lt;console&gt; in 3 ms"));
        assert!(html.contains("<svg id=\"plot\"></svg>"));
        assert!(!html.contains("<script>alert(1)"));
        assert!(html.contains("data:image/svg+xml,%3Csvg%3E%3Cscript%3E"));
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
    fn the_page_needs_no_other_resource() {
        let html = html(&page()).expect("the template fits");
        for outside in [
            "src=\"http",
            "@import",
            "<link rel=\"stylesheet\"",
            "url(",
            "http",
        ] {
            assert!(!html.contains(outside), "{outside}");
        }
    }

    #[test]
    fn only_the_first_frame_is_drawn_before_the_script_asks_for_more() {
        let html = html(&page()).expect("the template fits");
        let template = place(&html, "<template class=\"more\">");
        assert_eq!(html.matches("<figure class=\"frame\">").count(), 2);
        assert_eq!(
            html[..template].matches("<figure class=\"frame\">").count(),
            1
        );
        assert!(place(&html, "<figcaption>after") > template);
    }

    #[test]
    fn answers_stand_first_and_failures_last_unless_something_failed() {
        let mut page = page();
        let quiet = html(&page).expect("the template fits");
        let order = [
            "class=\"card\"",
            "<section id=\"figures\"",
            "<section id=\"source-s\"",
            "<section id=\"errata\"",
            "<section id=\"failures\"",
        ];
        let places = order.map(|text| place(&quiet, text));
        assert!(places.is_sorted(), "{places:?}");
        assert!(!quiet.contains("class=\"alarm\""));
        page.alarms = 2;
        let loud = html(&page).expect("the template fits");
        assert!(place(&loud, "class=\"alarm\"") < place(&loud, "class=\"card\""));
    }

    #[test]
    fn figures_without_a_comparison_are_folded_and_reachable() {
        let html = html(&page()).expect("the template fits");
        let folded = place(&html, "<details class=\"aside\">");
        assert!(place(&html, "id=\"figure-s&#x2f;reproduced\"") < folded);
        assert!(place(&html, "id=\"figure-s&#x2f;not comparable\"") > folded);
        assert!(html.contains("twice &lt;as&gt; fast") && html.contains("The reason."));
        // Verdict stands second: a phone shows it without scrolling.
        let row = &html[place(&html, "id=\"figure-s&#x2f;reproduced\"")..];
        assert!(place(row, "badge good") < place(row, "data-label=\"printed\""));
    }

    #[test]
    fn every_badge_filters_by_a_verdict_that_rows_have() {
        let mut page = page();
        page.verdicts = ["reproduced", "not comparable"]
            .map(|verdict| Badge {
                text: format!("2 {verdict}s"),
                badge: Tone::Good,
                verdict,
            })
            .into();
        let html = html(&page).expect("the template fits");
        let badges =
            &html[place(&html, "<ul class=\"badges\"")..place(&html, "<div class=\"filters\"")];
        let values: Vec<&str> = badges
            .split("data-verdict=\"")
            .skip(1)
            .filter_map(|rest| rest.split('"').next())
            .collect();
        assert_eq!(values, ["reproduced", "not comparable"]);
        for value in values {
            assert!(html.contains(&format!("data-source=\"S\" data-verdict=\"{value}\"")));
        }
    }

    #[test]
    fn the_command_that_makes_the_tables_stands_once() {
        let mut page = page();
        page.again = "ikeru report results/x".to_owned();
        let html = html(&page).expect("the template fits");
        assert_eq!(html.matches("ikeru report results&#x2f;x").count(), 1);
        assert!(html.contains("<th scope=\"col\" class=\"number\">"));
    }
}
