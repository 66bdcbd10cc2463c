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
                Some(at) => format!("s{at}"),
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
                Item::Thing(shape, colour, opacity) => {
                    shape.write(&mut svg, (*colour, colours), *opacity);
                }
            }
        }
        svg.push_str("</svg>\n");
        svg
    }
}

impl SheetShape {
    fn write(&self, svg: &mut String, (rgb, colours): (Rgb, Colours), opacity: f64) {
        let colour = colours.word(rgb);
        // The style sheet of the page sets these attributes, which would be 5 % of a book's bytes.
        let [unfilled, round] = match colours {
            Colours::Own => [" fill=\"none\"", " stroke-linecap=\"round\""],
            Colours::Page(_) => ["", ""],
        };
        let opacity = match opacity {
            1.0 => String::new(),
            opacity => format!(" opacity=\"{opacity:.2}\""),
        };
        let (path, look) = match self {
            Self::Stroke(points, width, dash) => {
                let dashes = match dash {
                    0.0 => String::new(),
                    dash => format!(" stroke-dasharray=\"{}\"", number(*dash)),
                };
                let width = number(*width);
                let look = format!(
                    "\"{unfilled} stroke=\"{colour}\" stroke-width=\"{width}\"{dashes}{opacity}/>\n"
                );
                (path(points), look)
            }
            Self::Area(points) => {
                let look = format!("\" fill=\"{colour}\"{opacity}/>\n");
                (outline(points), look)
            }
            Self::Disc(centre, radius) => {
                // A dot is a line without length and with round ends, because such lines can be one path.
                let look = format!(
                    "\"{unfilled} stroke=\"{colour}\" stroke-width=\"{}\"{round}{opacity}/>\n",
                    number(2.0 * radius)
                );
                (format!("{}h0", path(&[*centre])), look)
            }
            Self::Text(at, size, text, anchor) => {
                let anchor = match anchor {
                    Anchor::Start => "",
                    Anchor::Middle => " text-anchor=\"middle\"",
                    Anchor::End => " text-anchor=\"end\"",
                };
                let look = format!(
                    "<g font-size=\"{}\"{}{anchor}>",
                    number(*size),
                    colours.of_words(rgb)
                );
                // Consecutive texts with the same look are one group.
                let last = svg.rfind("<g").filter(|_| svg.ends_with("</text></g>\n"));
                match last.is_some_and(|last| svg[last..].starts_with(&look)) {
                    true => svg.truncate(svg.len() - "</g>\n".len()),
                    false => svg.push_str(&look),
                }
                // The base line of a text whose capitals have their middle at this height. Writing to a text does not fail.
                let base = at.1 + 0.35 * size;
                let _ = writeln!(
                    svg,
                    "<text x=\"{}\" y=\"{}\">{}</text></g>",
                    number(at.0),
                    number(base),
                    escaped(text)
                );
                return;
            }
        };
        append(svg, &path, &look, opacity.is_empty());
    }
}

/// Adds a path. Consecutive opaque paths with the same look, e.g. the lines of a grid, are one path, which halves the size
/// of a page's plots.
fn append(svg: &mut String, path: &str, look: &str, is_opaque: bool) {
    if is_opaque && svg.ends_with(look) {
        svg.truncate(svg.len() - look.len());
    } else {
        svg.push_str("<path d=\"");
    }
    svg.push_str(path);
    svg.push_str(look);
}

/// The path of an area. All areas have the same orientation, so that areas of one path do not cut holes into each other.
fn outline(points: &[Point]) -> String {
    let next = points.iter().cycle().skip(1);
    let corners = points.iter().zip(next);
    let twice: f64 = corners.map(|(a, b)| a.0 * b.1 - b.0 * a.1).sum();
    let path = match twice < 0.0 {
        true => path(&points.iter().rev().copied().collect::<Vec<_>>()),
        false => path(points),
    };
    path + "Z"
}

/// The path of a line: relative coordinates in tenths, the shortest command for each point, and no repeated points.
fn path(points: &[Point]) -> String {
    let mut path = String::new();
    let mut before: Option<(i64, i64)> = None;
    for (x, y) in points {
        let [x, y] = [x, y].map(|value| (value * 10.0).round() as i64);
        let tenths = |value: i64| {
            let text = (value as f64 / 10.0).to_string();
            match text.trim_start_matches('-').starts_with("0.") {
                true => text.replacen("0.", ".", 1),
                false => text,
            }
        };
        let _ = match before.map(|(from_x, from_y)| (x - from_x, y - from_y)) {
            None => write!(
                path,
                "M{} {}",
                number(x as f64 / 10.0),
                number(y as f64 / 10.0)
            ),
            Some((0, 0)) => Ok(()),
            Some((right, 0)) => write!(path, "h{}", tenths(right)),
            Some((0, down)) => write!(path, "v{}", tenths(down)),
            Some((right, down)) if down < 0 => write!(path, "l{}{}", tenths(right), tenths(down)),
            Some((right, down)) => write!(path, "l{} {}", tenths(right), tenths(down)),
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
    crate::table::html::escaped(&crate::records::visible(text))
}
