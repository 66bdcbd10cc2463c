//! Renders the pictures of instances and answers as SVG and PNG, and maps their roles to colours.

use std::path::Path;

use ikeru_core::{Colour, Picture, Shape};

use crate::charts::{OKABE_ITO, SERIES};
use crate::sheet::{Anchor, Colours, FAINT, INK, PAPER, Rgb, Sheet, wrapped};

pub use crate::sheet::DrawError;

/// The font size of the caption in pixels.
const CAPTION: f64 = 13.0;
/// The height of a capital letter in ems.
const CAPITAL: f64 = 0.73;
/// The colour of faint lines and dots: 3:1 against white.
const TRACK: Rgb = (148, 148, 148);
/// A line is at least this part of the picture's width, so that a small picture still shows it.
const THINNEST: f64 = 320.0;
/// The hue that is too light on white.
const YELLOW: u8 = 3;
/// Colours from dark blue to yellow, in even steps of lightness.
const RAMP: [Rgb; 5] = [
    (68, 1, 84),
    (59, 82, 139),
    (33, 145, 140),
    (94, 201, 98),
    (253, 231, 37),
];

/// The picture as an SVG, `width_px` wide.
pub fn svg(picture: &Picture, width_px: u32) -> String {
    sheet(picture, width_px).svg(&picture.caption, "", Colours::Own)
}

/// The shapes alone, in the page's colours, for an SVG of `width_px`.
pub fn shapes(picture: &Picture, width_px: u32) -> String {
    let svg = sheet(picture, width_px).svg("", "", Colours::Page(&[]));
    let own = svg.split_once("</desc>\n").map_or("", |(_, own)| own);
    own.trim_end().trim_end_matches("</svg>").to_owned()
}

/// Writes the picture as a PNG of `width_px` at two device pixels each.
///
/// # Errors
/// A file that cannot be written.
pub fn png(picture: &Picture, path: &Path, width_px: u32) -> Result<(), DrawError> {
    sheet(picture, width_px).png(path)
}

fn sheet(picture: &Picture, width_px: u32) -> Sheet {
    let width = f64::from(width_px.max(1));
    let scale = width / picture.width.max(f64::MIN_POSITIVE);
    let caption = wrapped(&picture.caption, CAPTION, width - 8.0);
    let below = if caption.is_empty() {
        0.0
    } else {
        12.0 + 18.0 * caption.len() as f64
    };
    let height = picture.height * scale;
    let mut sheet = Sheet::new(width, height + below);
    for shape in &picture.shapes {
        add(&mut sheet, shape, scale);
    }
    for (row, line) in caption.into_iter().enumerate() {
        let at = (4.0, height + 14.0 + 18.0 * row as f64);
        sheet.text(at, CAPTION, line, INK, Anchor::Start);
    }
    sheet
}

fn add(sheet: &mut Sheet, shape: &Shape, scale: f64) {
    let at = |point: (f64, f64)| (point.0 * scale, point.1 * scale);
    match shape {
        Shape::Line {
            from,
            to,
            width,
            colour,
            arrow,
        } => {
            let (width, colour) = ((width * scale).max(sheet.width / THINNEST), thin(*colour));
            let end = if *arrow {
                arrow_head(sheet, at(*from), at(*to), width, colour)
            } else {
                at(*to)
            };
            sheet.line(at(*from), end, width, colour);
        }
        Shape::Circle {
            centre,
            radius,
            fill,
        } => sheet.disc(at(*centre), radius * scale, thin(*fill), 1.0),
        Shape::Rectangle { corner, size, fill } => {
            sheet.rectangle(at(*corner), at(*size), rgb(*fill), 1.0);
        }
        Shape::Text {
            at: middle,
            size,
            text,
            colour,
        } => {
            let em = size * scale / CAPITAL;
            sheet.text(at(*middle), em, text.as_str(), rgb(*colour), Anchor::Middle);
        }
    }
}

/// Draws the head at `to` and returns the end of the shaft, which is at the base of the head.
fn arrow_head(
    sheet: &mut Sheet,
    from: (f64, f64),
    to: (f64, f64),
    width: f64,
    colour: Rgb,
) -> (f64, f64) {
    let length = (to.0 - from.0).hypot(to.1 - from.1);
    if length == 0.0 {
        return to;
    }
    let along = ((to.0 - from.0) / length, (to.1 - from.1) / length);
    let head = (3.0 * width + 3.0).min(length);
    let half = 0.5 * head;
    let neck = (to.0 - along.0 * head, to.1 - along.1 * head);
    let left = (neck.0 - along.1 * half, neck.1 + along.0 * half);
    let right = (neck.0 + along.1 * half, neck.1 - along.0 * half);
    sheet.area(vec![to, left, right], colour, 1.0);
    neck
}

/// The colour of a line or a dot, which is small: faint ones are darker than faint areas.
fn thin(colour: Colour) -> Rgb {
    match colour {
        Colour::Faint => TRACK,
        other => rgb(other),
    }
}

fn rgb(colour: Colour) -> Rgb {
    match colour {
        Colour::Paper => PAPER,
        Colour::Ink => INK,
        Colour::Faint => FAINT,
        Colour::Solid => (110, 110, 110),
        Colour::Hue(YELLOW) => SERIES[6],
        Colour::Hue(hue) => OKABE_ITO[usize::from(hue) % OKABE_ITO.len()],
        Colour::Ramp(step) => ramp(step),
    }
}

fn ramp(step: u8) -> Rgb {
    let position = f64::from(step) / 255.0 * (RAMP.len() - 1) as f64;
    let below = (position as usize).min(RAMP.len() - 2);
    let share = position - below as f64;
    let mix = |from: u8, to: u8| (f64::from(from) * (1.0 - share) + f64::from(to) * share) as u8;
    let (from, to) = (RAMP[below], RAMP[below + 1]);
    (mix(from.0, to.0), mix(from.1, to.1), mix(from.2, to.2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_has_its_shapes_text_and_caption() {
        let mut picture = Picture::new(4.0, 3.0, "Two squares & a way");
        picture.rectangle((0.0, 0.0), (1.0, 1.0), Colour::Solid);
        picture.circle((2.5, 1.5), 0.4, Colour::Ramp(128));
        picture.arrow((0.5, 2.5), (3.5, 2.5), 0.1, Colour::Hue(4));
        picture.text((2.5, 1.5), 0.3, "goal", Colour::Paper);
        let svg = svg(&picture, 400);
        assert!(svg.contains("role=\"img\""));
        assert!(svg.contains("<title>Two squares &amp; a way</title>"));
        assert!(svg.contains("goal"));
        assert_eq!(svg.matches("h0\"").count(), 1, "a disc");
        assert_eq!(svg.matches("Z\" fill").count(), 2, "two areas");
    }

    #[test]
    fn the_ramp_runs_from_its_first_to_its_last_colour() {
        assert_eq!(ramp(0), RAMP[0]);
        assert_eq!(ramp(255), RAMP[4]);
    }
}
