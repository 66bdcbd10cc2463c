//! A sheet as a picture for LaTeX (TikZ), in its own colours and in the sans-serif font of the document around it.

use std::collections::BTreeSet;

use super::{Anchor, Item, Point, Rgb, Sheet, SheetShape};
use crate::table::spelt;

/// The length of a pixel in points: text of 12.5 pixels has 7.5 points.
const PIXEL: f64 = 0.6;

impl Sheet {
    /// The sheet as a `tikzpicture`.
    pub(crate) fn tikz(&self) -> String {
        let things = self.items.iter().filter_map(|item| match item {
            Item::Thing(shape, colour, opacity) => Some((shape, *colour, *opacity)),
            Item::Begin { .. } | Item::End => None,
        });
        let colours: BTreeSet<Rgb> = things.clone().map(|(_, colour, _)| colour).collect();
        let colours = colours.into_iter();
        let define = |it| format!("\\definecolor{{ikeru{0}}}{{HTML}}{{{0}}}\n", hex(it));
        let mut paths: Vec<(String, String)> = Vec::new();
        for (shape, colour, opacity) in things {
            let look = shape.look(&hex(colour), opacity);
            // Consecutive opaque paths of the same look are one path, which TeX reads faster.
            match paths.last_mut() {
                Some((last, path))
                    if *last == look && opacity == 1.0 && !look.starts_with("\\node") =>
                {
                    *path += "\n";
                    *path += &shape.path();
                }
                _ => paths.push((look, shape.path())),
            }
        }
        let paths = paths.iter().map(|(look, path)| format!("{look}{path};\n"));
        format!(
            "% \\usepackage{{tikz}}\n{}\\begin{{tikzpicture}}[x={PIXEL}pt, y=-{PIXEL}pt, line join=round, inner sep=0pt]\n\
             \\useasboundingbox (0,0) rectangle {};\n{}\\end{{tikzpicture}}\n",
            colours.map(define).collect::<String>(),
            place(&(self.width, self.height)),
            paths.collect::<String>(),
        )
    }
}

impl SheetShape {
    /// The command and its options.
    fn look(&self, colour: &str, opacity: f64) -> String {
        let clear = match opacity {
            1.0 => String::new(),
            opacity => format!(", opacity={opacity:.2}"),
        };
        match self {
            Self::Stroke(_, width, dash) => {
                let (width, dash) = (points(*width), points(*dash));
                let dashes = match dash.as_str() {
                    "0" => String::new(),
                    _ => format!(", dash pattern=on {dash}pt off {dash}pt"),
                };
                format!("\\draw[ikeru{colour}, line width={width}pt{dashes}{clear}] ")
            }
            Self::Area(_) | Self::Disc(..) => format!("\\fill[ikeru{colour}{clear}] "),
            Self::Text(_, size, _, anchor) => {
                let side = match anchor {
                    Anchor::Start => " west",
                    Anchor::Middle => "",
                    Anchor::End => " east",
                };
                let size = points(*size);
                format!(
                    "\\node[ikeru{colour}, anchor=base{side}, font=\\sffamily\\fontsize{{{size}}}{{{size}}}\\selectfont] "
                )
            }
        }
    }

    fn path(&self) -> String {
        let through = |points: &[Point]| points.iter().map(place).collect::<Vec<_>>().join(" -- ");
        match self {
            Self::Stroke(points, ..) => through(points),
            Self::Area(points) => format!("{} -- cycle", through(points)),
            Self::Disc(centre, radius) => format!("{} circle[radius={radius:.1}]", place(centre)),
            // The point is the middle of small letters.
            Self::Text((x, y), size, text, _) => {
                format!("at {} {{{}}}", place(&(*x, y + 0.35 * size)), spelt(text))
            }
        }
    }
}

fn hex((red, green, blue): Rgb) -> String {
    format!("{red:02X}{green:02X}{blue:02X}")
}

fn place((x, y): &Point) -> String {
    format!("({x:.1},{y:.1})")
}

/// Pixels as points, in hundredths.
fn points(pixels: f64) -> String {
    ((pixels * PIXEL * 100.0).round() / 100.0).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_has_the_shapes_of_the_sheet_in_order() {
        let mut sheet = Sheet::new(100.0, 50.0);
        sheet.line((0.0, 1.0), (2.0, 1.0), 2.0, (0, 0, 0));
        sheet.line((5.0, 1.0), (7.0, 1.0), 2.0, (0, 0, 0));
        sheet.rectangle((0.0, 0.0), (1.0, 1.0), (255, 0, 16), 0.25);
        sheet.text((3.0, 4.0), 10.0, "50 % & more", (0, 0, 0), Anchor::End);
        assert_eq!(
            sheet.tikz(),
            "% \\usepackage{tikz}\n\\definecolor{ikeru000000}{HTML}{000000}\n\\definecolor{ikeruFF0010}{HTML}{FF0010}\n\
             \\begin{tikzpicture}[x=0.6pt, y=-0.6pt, line join=round, inner sep=0pt]\n\
             \\useasboundingbox (0,0) rectangle (100.0,50.0);\n\
             \\draw[ikeru000000, line width=1.2pt] (0.0,1.0) -- (2.0,1.0)\n(5.0,1.0) -- (7.0,1.0);\n\
             \\fill[ikeruFF0010, opacity=0.25] (0.0,0.0) -- (1.0,0.0) -- (1.0,1.0) -- (0.0,1.0) -- cycle;\n\
             \\node[ikeru000000, anchor=base east, font=\\sffamily\\fontsize{6}{6}\\selectfont] at (3.0,7.5) {50 \\% \\& more};\n\
             \\end{tikzpicture}\n"
        );
    }
}
