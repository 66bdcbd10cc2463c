//! The data of a run folder's pages, and their HTML. A run of several experiments has a first page, and one page for
//! each group of experiments. A run of one experiment has one page.
//!
//! [`Page`] is plain data, filled by `report`; the templates define its appearance. Text is escaped by the template
//! engine, drawings are SVG made by this crate. A page needs no other resource: it opens from `file://`, and without
//! scripts it shows the first frame of each picture. The script adds features that reading does not require: sorting,
//! filters, the frames of a picture, two searches in step, the command of a cell.

use std::borrow::Cow;

use ikeru_records::visible;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, context};
use serde::Serialize;

use crate::table::Table;

/// The content of all pages, without the experiments.
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
    /// The picture of the pages for link previews.
    pub image: String,
    /// The machine, the versions, and the sessions if there are several.
    pub machine: Vec<Fact>,
    /// The reasons to doubt the times or the rows; empty if there are none.
    pub doubts: String,
    /// The experiments with missing samples; empty if there are none.
    pub unfinished: String,
    /// The number of samples that failed by mistake, or whose answers are in dispute.
    pub alarms: usize,
    /// One sentence on the failures, or that there are none.
    pub failure_sentence: String,
    /// Tables of the samples that failed, timed out or were skipped.
    pub failures: Vec<FailureGroup>,
    /// True if each group of experiments has a separate page.
    pub is_divided: bool,
}

/// Experiments that stand on one page, in their order.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct PageGroup<S = Section> {
    /// The heading.
    pub title: String,
    /// The name of its page and its anchor.
    pub word: String,
    /// The author or the title of the text that the experiments belong to, and its year; else empty.
    pub reference: String,
    /// The address of that text; else empty.
    pub link: String,
    /// One section for each experiment.
    pub sections: Vec<S>,
}

/// The name of the group of all experiments that belong to no other group.
pub const EXPERIMENTS: &str = "experiments";

impl<S> PageGroup<S> {
    /// The group of experiments that belong to no other group.
    pub fn of_experiments(sections: Vec<S>) -> Self {
        Self {
            title: "Experiments".to_owned(),
            word: EXPERIMENTS.to_owned(),
            reference: String::new(),
            link: String::new(),
            sections,
        }
    }
}

/// The sections of all groups.
pub fn sections(groups: &[PageGroup]) -> impl Iterator<Item = &Section> {
    groups.iter().flat_map(|group| &group.sections)
}

/// The first plot of the sections that is not folded, as a PNG.
pub fn image(sections: &[&Section]) -> Option<String> {
    let mut plots = sections.iter().flat_map(|section| &section.plots);
    let shown = plots.find(|plot| !plot.folded && !plot.wide.is_empty())?;
    Some(format!("plots/{}.png", shown.name))
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
    /// The number of samples that failed by mistake, or whose answers are in dispute.
    pub alarms: usize,
    /// The number of samples that were stopped at their limit.
    pub stopped: usize,
    /// The description of the measurement, and how to read the result.
    pub about: String,
    /// The explanation of the result.
    pub why: String,
    /// Its variants, in the order of the ladder.
    pub variants: Vec<VariantNote>,
    /// Its plots; the first one shows the answer.
    pub plots: Vec<PageDrawing>,
    /// The tables that it asks for.
    pub tables: Vec<Table>,
    /// The decisions on pairs of repeats, if the run asked for them.
    pub decisions: Option<Table>,
    /// Analyses beyond plots and tables.
    pub analyses: Vec<AnalysisBlock>,
    /// A sentence on the colours of the pictures; empty without one.
    pub legend: String,
    /// Pictures of answers.
    pub pictures: Vec<PictureFrames>,
    /// Every cell.
    pub summary: Option<Table>,
    /// The cells as JSON for the script, if the page has one experiment.
    pub cells: String,
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
    /// The reason why there is no drawing.
    pub missing: String,
}

/// An analysis on the page.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct AnalysisBlock {
    /// True if it is the answer of its experiment: then it is not folded.
    pub is_open: bool,
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
    /// Its width and height in pixels, for the room that it takes before it is loaded.
    pub sides: Option<[u32; 2]>,
}

impl PictureFrame {
    /// A frame of a drawing from a file, which may be untrusted.
    pub fn of_svg(svg: &str, caption: impl Into<String>) -> Self {
        let root = svg.split_once("<svg").map_or("", |(_, from)| from);
        let root = root.split('>').next().unwrap_or_default();
        let root = root.replace('\'', "\"").replace(['\n', '\r', '\t'], " ");
        let said = |name: &str| root.split_once(name)?.1.split('"').next();
        let side = |text: &str| {
            let side: f64 = text.trim_end_matches("px").parse().ok()?;
            Some(side.ceil() as u32)
        };
        let view = || -> Option<(u32, u32)> {
            let mut sides = said(" viewBox=\"")?
                .split([' ', ','])
                .filter(|it| !it.is_empty());
            Some((side(sides.nth(2)?)?, side(sides.next()?)?))
        };
        let sides = said(" width=\"").and_then(side);
        let sides = sides.zip(said(" height=\"").and_then(side)).or_else(view);
        Self {
            image: format!("data:image/svg+xml,{}", encoded(svg)),
            sides: sides.map(Into::into),
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

/// The templates of the pages. Other pages may extend `base.j2` and use the macros of `parts.j2`.
pub const TEMPLATES: &[(&str, &str)] = &[
    ("parts.j2", include_str!("../templates/parts.j2")),
    ("base.j2", include_str!("../templates/base.j2")),
    ("index.j2", include_str!("../templates/index.j2")),
    ("group.j2", include_str!("../templates/group.j2")),
    ("page.css", include_str!("../templates/page.css")),
    ("page.js", include_str!("../templates/page.js")),
    ("cells.js", include_str!("../templates/cells.js")),
];

/// The name and the HTML of each page, or an error of a template.
pub type Pages = Result<Vec<(String, String)>, minijinja::Error>;

/// The first page, and one page for each group if the page is divided.
///
/// # Errors
/// A template that does not fit [`Page`]; tests exclude this.
pub fn html(page: &Page, groups: &[PageGroup]) -> Pages {
    let templates = environment(&[])?;
    let (page, all) = (Serde(page), Serde(groups));
    let index = templates.get_template("index.j2")?;
    let index = index.render(context! { page, groups => all })?;
    let mut pages = vec![("index.html".to_owned(), index)];
    for group in groups.iter().filter(|_| page.0.is_divided) {
        let own = templates.get_template("group.j2")?;
        let html = own.render(context! { page, groups => all, group => Serde(group) })?;
        pages.push((format!("{}.html", group.word), html));
    }
    // Control characters of labels and last words.
    for (_, html) in &mut pages {
        if let Cow::Owned(shown) = visible(html) {
            *html = shown;
        }
    }
    Ok(pages)
}

/// The engine with [`TEMPLATES`] and `more`, which escapes all text.
///
/// # Errors
/// A template that does not parse.
pub fn environment<'t>(more: &[(&'t str, &'t str)]) -> Result<Environment<'t>, minijinja::Error> {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    for (name, text) in TEMPLATES.iter().chain(more) {
        environment.add_template(name, text)?;
    }
    Ok(environment)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pages of experiments with a title and an answer.
    fn pages(titles: &[&str]) -> Vec<(String, String)> {
        let section = |title: &&str| Section {
            name: "growth".to_owned(),
            title: (*title).to_owned(),
            answer: "It grows & grows".to_owned(),
            pictures: vec![PictureFrames {
                label: "memo".to_owned(),
                frames: vec![PictureFrame::of_svg(
                    "<svg><script>1</script></svg>",
                    "after",
                )],
            }],
            ..Section::default()
        };
        let groups = [PageGroup::of_experiments(
            titles.iter().map(section).collect(),
        )];
        let page = Page {
            title: titles.join(" · "),
            again: "ikeru report results/x".to_owned(),
            is_divided: titles.len() > 1,
            ..Page::default()
        };
        html(&page, &groups).expect("the templates fit")
    }

    #[test]
    fn a_picture_has_its_room_before_it_is_loaded() {
        let of = |svg: &str| PictureFrame::of_svg(svg, "").sides;
        assert_eq!(
            of("<svg role=\"img\" width=\"480\" height=\"300.5\">"),
            Some([480, 301])
        );
        assert_eq!(of("<svg width=\"1em\" height=\"2\">"), None);
        let child = "<rect width=\"5\" height=\"4\"/>";
        let view = |root: &str| of(&format!("<?xml?>\n<svg\n{root}>{child}"));
        assert_eq!(view("viewBox='0 0 800,600'"), Some([800, 600]));
        assert_eq!(view("width='100%' viewBox=\"0 0 80 60\""), Some([80, 60]));
        assert_eq!(view("width='10px' height='20px'"), Some([10, 20]));
        assert_eq!(view("id='x'"), None);
        let (_, page) = pages(&["A?"]).remove(0);
        assert!(!page.contains(" height=\"\""));
    }

    #[test]
    fn an_analysis_that_answers_stands_above_the_plots() {
        let section = Section {
            plots: vec![PageDrawing {
                name: "p".to_owned(),
                wide: "<svg/>".to_owned(),
                ..PageDrawing::default()
            }],
            analyses: vec![AnalysisBlock {
                is_open: true,
                title: "Scores".to_owned(),
                sentences: vec!["The others.".to_owned()],
                ..AnalysisBlock::default()
            }],
            ..Section::default()
        };
        let groups = [PageGroup::of_experiments(vec![section])];
        let pages = html(&Page::default(), &groups).expect("the templates fit");
        let (_, page) = &pages[0];
        let [said, drawn] = ["The others.", "plot-p"].map(|it| page.find(it).expect(it));
        assert!(said < drawn);
    }

    #[test]
    fn a_page_shows_the_text_that_is_there() {
        let (_, page) = pages(&["A\u{202e}B\u{9b}?"]).remove(0);
        assert!(page.contains("A\u{fffd}B\u{fffd}?"));
        assert!(!page.contains(['\u{202e}', '\u{9b}']));
    }

    #[test]
    fn several_experiments_have_a_first_page_that_leads_to_them() {
        let [(first, index), (second, group)] = &pages(&["A < B?", "C?"])[..] else {
            panic!("two pages");
        };
        assert_eq!([first, second], ["index.html", "experiments.html"]);
        assert!(index.contains("<h1>A &lt; B? · C?</h1>"));
        assert!(index.contains("<a href=\"experiments.html#growth\">A &lt; B?</a>"));
        assert!(group.contains("<h2>A &lt; B?</h2>") && group.contains("<h2>C?</h2>"));
        let [(_, only)] = &pages(&["A?"])[..] else {
            panic!("one page");
        };
        assert!(only.contains("<h1>A?</h1>") && only.contains("It grows &amp; grows"));
        assert_eq!(only.matches("ikeru report results&#x2f;x").count(), 1);
    }

    #[test]
    fn a_page_needs_no_other_resource() {
        for (_, html) in pages(&["A?", "B?"]).into_iter().chain(pages(&["A?"])) {
            for outside in ["src=\"http", "@import", "<link rel=\"stylesheet\"", "url("] {
                assert!(!html.contains(outside), "{outside}");
            }
            // The name of an XML namespace is no address.
            let html = html.replace("http://www.w3.org/2000/svg", "");
            assert!(!html.contains("http") && !html.contains("<script>1"));
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
}
