//! The page of a run folder: what stands on it, and its HTML.
//!
//! [`Page`] is data alone, filled by `report`; the template decides how it looks. Text is escaped by
//! the template engine, drawings are SVG made by this crate. The page needs no other resource: it
//! opens from `file://`, and without scripts it shows the first frame of each picture.

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
    /// How many published figures got which verdict.
    pub verdicts: Vec<Badge>,
    /// Machine, versions, times, seed.
    pub machine: Vec<Fact>,
    /// Samples that failed by mistake, and questions on which exact variants disagree.
    pub alarms: usize,
    /// One sentence: what failed, or that nothing did.
    pub failure_sentence: String,
    /// Tables of what failed, timed out and was skipped.
    pub failures: Vec<FailureGroup>,
    /// One section per experiment, in the order of the run.
    pub sections: Vec<Section>,
    /// The last line.
    pub closing: String,
}

/// A short labelled word with a colour of [`Tone`].
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Badge {
    /// The word.
    pub text: String,
    /// Its colour.
    pub badge: Tone,
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
    /// Its title.
    pub title: String,
    /// One line: problem, cells, samples, and how they shared the machine.
    pub extent: String,
    /// How many published figures got which verdict.
    pub verdicts: Vec<Badge>,
    /// Samples that failed by mistake, and questions on which exact variants disagree.
    pub alarms: usize,
    /// Samples that were stopped at their limit.
    pub stopped: usize,
    /// How to read it.
    pub about: String,
    /// Published figures beside ours, with verdicts.
    pub published: Option<Table>,
    /// Its plots.
    pub plots: Vec<Drawing>,
    /// The tables that it asks for.
    pub tables: Vec<Table>,
    /// What pairs of repeats decided, where the run asked for it.
    pub decisions: Option<Table>,
    /// Analyses beyond plots and tables.
    pub analyses: Vec<AnalysisBlock>,
    /// Pictures of answers.
    pub pictures: Vec<Frames>,
    /// Every cell.
    pub summary: Option<Table>,
}

/// One plot with its sentence.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Drawing {
    /// The files' name in `plots/` without ending.
    pub name: String,
    /// The answer's sentence, read aloud instead of the drawing.
    pub title: String,
    /// How to read it.
    pub reading: String,
    /// How the ratios in title and reading were found.
    pub notes: Vec<String>,
    /// The drawing; empty if there is none.
    pub svg: String,
    /// Why there is none.
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
    pub plots: Vec<Drawing>,
    /// What it says it from.
    pub tables: Vec<Table>,
}

/// A picture, or several that follow each other.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Frames {
    /// Which cell's answer it is.
    pub label: String,
    /// One or more.
    pub frames: Vec<Frame>,
}

/// One frame.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Frame {
    /// The drawing as a `data:` URL. As an image a drawing runs no script and loads nothing, whoever made it.
    pub image: String,
    /// One sentence under it.
    pub caption: String,
}

impl Frame {
    /// A frame of a drawing that lies in a file, perhaps a stranger's.
    pub fn of_svg(svg: &str, caption: impl Into<String>) -> Self {
        Self {
            image: format!("data:image/svg+xml;base64,{}", base64(svg.as_bytes())),
            caption: caption.into(),
        }
    }
}

/// The standard alphabet, padded (RFC 4648, section 4).
fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let is_padding = place > chunk.len();
            let letter = ALPHABET[(bits >> (18 - 6 * place) & 63) as usize];
            text.push(if is_padding { '=' } else { letter.into() });
        }
    }
    text
}

const TEMPLATES: &[(&str, &str)] = &[
    ("index.html.j2", include_str!("../templates/index.html.j2")),
    ("page.css", include_str!("../templates/page.css")),
    ("stepper.js", include_str!("../templates/stepper.js")),
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
            command: "ikeru report results/x".to_owned(),
            rows: vec![row!["<memo>", (1.25e6, Quantity::Time)]],
            ..Table::new(title, "variant | median")
        }
    }

    fn page() -> Page {
        let frame = |caption: &str| Frame::of_svg("<svg><script>alert(1)</script></svg>", caption);
        Page {
            title: "A & B".to_owned(),
            command: "ikeru reproduce --set a=\"<b>\"".to_owned(),
            failures: vec![FailureGroup {
                summary: "3 skipped".to_owned(),
                open: false,
                table: table("Skipped"),
            }],
            sections: vec![Section {
                name: "growth".to_owned(),
                plots: vec![Drawing {
                    name: "growth".to_owned(),
                    svg: "<svg id=\"plot\"></svg>".to_owned(),
                    ..Drawing::default()
                }],
                pictures: vec![Frames {
                    label: "memo".to_owned(),
                    frames: vec![frame("before"), frame("after")],
                }],
                summary: Some(table("Summary")),
                ..Section::default()
            }],
            ..Page::default()
        }
    }

    #[test]
    fn base64_is_that_of_the_standard() {
        for (text, coded) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
        ] {
            assert_eq!(base64(text.as_bytes()), coded);
        }
    }

    #[test]
    fn text_is_escaped_and_drawings_are_not() {
        let html = html(&page()).expect("the template fits");
        assert!(html.contains("A &amp; B"));
        assert!(html.contains("&lt;memo&gt;") && !html.contains("<memo>"));
        assert!(html.contains("<svg id=\"plot\"></svg>"));
        assert!(!html.contains("alert(1)") && html.contains("data:image/svg+xml;base64,"));
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
    fn only_the_first_frame_shows_without_the_script() {
        let html = html(&page()).expect("the template fits");
        assert_eq!(html.matches("<figure class=\"frame\">").count(), 1);
        assert_eq!(html.matches("<figure class=\"frame\" hidden>").count(), 1);
    }

    #[test]
    fn failures_stand_before_experiments_and_tables_name_their_command() {
        let html = html(&page()).expect("the template fits");
        let place = |text: &str| html.find(text).unwrap_or_else(|| panic!("{text}"));
        assert!(place("<section id=\"failures\">") < place("<section id=\"growth\">"));
        assert_eq!(
            html.matches("<caption>").count(),
            html.matches("Made by <code>ikeru report").count()
        );
        assert!(html.contains("<th scope=\"col\" class=\"number\">"));
    }
}
