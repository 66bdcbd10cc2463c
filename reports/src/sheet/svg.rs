//! A sheet as an SVG, in its own colours or in those of the page around it.

use std::fmt::Write as _;

use super::{Anchor, FAINT, FAMILY, INK, Item, MUTED, PAPER, Point, Rgb, Sheet, SheetShape};

/// The colours of an SVG.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Colours<'a> {
    /// Its own colours on white, for a separate file.
    Own,
    /// The colours of the page around it, as CSS variables: paper, ink, quiet, grid, and the series by their order
    /// here.
    Page(&'a [Rgb]),
}

impl Colours<'_> {
    fn word(self, colour: Rgb) -> String {
        let (red, green, blue) = colour;
        let own = format!("#{red:02x}{green:02x}{blue:02x}");
        let Self::Page(series) = self else {
            return own;
        };
        let variable = match colour {
            PAPER => "paper".to_owned(),
            INK => "ink".to_owned(),
            MUTED => "quiet".to_owned(),
            FAINT => "grid".to_owned(),
            other => match series.iter().position(|known| *known == other) {
                Some(at) => format!("series-{at}"),
                None => return own,
            },
        };
        // The page declares all variables; default colours would be a tenth of the size of a page's plots.
        format!("var(--{variable})")
    }

    /// The colour of text as an attribute; none for ink on a page, because the whole SVG has it.
    fn of_words(self, colour: Rgb) -> String {
        match self {
            Self::Page(_) if colour == INK => String::new(),
            _ => format!(" fill=\"{}\"", self.word(colour)),
        }
    }
}

impl Sheet {
    /// The sheet as an SVG with a title for screen readers.
    pub(crate) fn svg(&self, title: &str, description: &str, colours: Colours) -> String {
        let mut svg = String::new();
        let (width, height) = (number(self.width), number(self.height));
        // Writing to a text does not fail.
        let _ = write!(
            svg,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\"{}>\n<title>{}</title>\n<desc>{}</desc>\n",
            match colours {
                Colours::Own => format!(" font-family=\"{FAMILY}\""),
                // Text has the typeface of the page.
                Colours::Page(_) => " fill=\"var(--ink)\"".to_owned(),
            },
            escaped(title),
            escaped(description),
        );
        if matches!(colours, Colours::Own) {
            let _ = writeln!(
                svg,
                "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>"
            );
        }
        for item in &self.items {
            match item {
                Item::Begin { series, words } => {
                    svg.push_str("<g");
                    if !series.is_empty() {
                        let _ = write!(svg, " data-series=\"{}\"", escaped(series));
                    }
                    svg.push('>');
                    if !words.is_empty() {
                        let _ = write!(svg, "<title>{}</title>", escaped(words));
                    }
                }
                Item::End => svg.push_str("</g>\n"),
                Item::Thing {
                    shape,
                    colour,
                    opacity,
                } => shape.write(&mut svg, (*colour, colours), *opacity),
            }
        }
        svg.push_str("</svg>\n");
        svg
    }
}

impl SheetShape {
    fn write(&self, svg: &mut String, (rgb, colours): (Rgb, Colours), opacity: f64) {
        let colour = colours.word(rgb);
        let opacity = match opacity {
            1.0 => String::new(),
            opacity => format!(" opacity=\"{opacity}\""),
        };
        // Writing to a text does not fail.
        let _ = match self {
            Self::Stroke(points, width, dash) => {
                let dashes = match dash {
                    0.0 => String::new(),
                    dash => format!(" stroke-dasharray=\"{}\"", number(*dash)),
                };
                let width = number(*width);
                let look = format!(
                    "\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\"{dashes}{opacity}/>\n"
                );
                // Consecutive lines with the same look, e.g. those of a grid, are one path, which halves the size of a
                // page's plots.
                if opacity.is_empty() && svg.ends_with(&look) {
                    svg.truncate(svg.len() - look.len());
                } else {
                    svg.push_str("<path d=\"");
                }
                write!(svg, "{}{look}", path(points))
            }
            Self::Area(points) => {
                writeln!(
                    svg,
                    "<path d=\"{}Z\" fill=\"{colour}\"{opacity}/>",
                    path(points)
                )
            }
            Self::Disc(centre, radius) => writeln!(
                svg,
                "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{colour}\"{opacity}/>",
                number(centre.0),
                number(centre.1),
                number(*radius)
            ),
            Self::Text(at, size, text, anchor) => {
                let anchor = match anchor {
                    Anchor::Start => "",
                    Anchor::Middle => " text-anchor=\"middle\"",
                    Anchor::End => " text-anchor=\"end\"",
                };
                writeln!(
                    svg,
                    "<text x=\"{}\" y=\"{}\" dy=\".35em\" font-size=\"{}\"{}{anchor}>{}</text>",
                    number(at.0),
                    number(at.1),
                    number(*size),
                    colours.of_words(rgb),
                    escaped(text)
                )
            }
        };
    }
}

/// The path of a line: absolute coordinates with at most one decimal, the shortest command for each point, and no
/// repeated points.
fn path(points: &[Point]) -> String {
    let mut path = String::new();
    let mut before: Option<(String, String)> = None;
    for (x, y) in points {
        let (x, y) = (number(*x), number(*y));
        let _ = match &before {
            None => write!(path, "M{x} {y}"),
            Some((same, also)) if (same, also) == (&x, &y) => Ok(()),
            Some((_, same)) if *same == y => write!(path, "H{x}"),
            Some((same, _)) if *same == x => write!(path, "V{y}"),
            Some(_) => write!(path, "L{x} {y}"),
        };
        before = Some((x, y));
    }
    path
}

/// The number with at most one decimal.
fn number(value: f64) -> String {
    let tenths = (value * 10.0).round() / 10.0;
    // Minus zero is zero.
    (tenths + 0.0).to_string()
}

fn escaped(text: &str) -> String {
    // XML has no control characters.
    let text = crate::records::visible(text);
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
