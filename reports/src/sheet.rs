//! A sheet of strokes, areas and text in pixels, which can be written as SVG and PNG.
//!
//! Plots and pictures are composed here independently of a backend. `svg` writes the sheet as text; plotters
//! replays it into a PNG. The bundled font is registered here, for the one family name that is used.

mod svg;

use std::cmp::Reverse;
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufWriter, Read as _};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use flate2::read::GzDecoder;
use plotters::coord::Shift;
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::FontStyle;
use plotters::style::text_anchor::{HPos, Pos, VPos};

pub(crate) use svg::Colours;

/// The family name of the bundled font, which a browser also resolves in an SVG.
const FAMILY: &str = "sans-serif";
/// Device pixels per pixel of a PNG, which is then sharp on paper.
const SCALE: f64 = 2.0;
/// Text in plotters' bitmaps is this part of an em above the middle.
const BITMAP_TEXT_DROP: f64 = 0.18;
/// Plotters' font size for one pixel of em.
const FONT_SIZE_PER_PIXEL: f64 = 1.24;

/// Plotters places a glyph by its leftmost point instead of its origin. Every glyph of the bundled font has a point this
/// part of plotters' font size left of its origin, by which the text is moved back.
const LEFT_OF_ORIGIN: f64 = 200.0 / 2384.0;

/// The error of a plot or picture that could not be written.
#[derive(Debug, thiserror::Error)]
pub enum DrawError {
    /// The file could not be written.
    #[error("{}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// The drawing library failed.
    #[error("drawing failed: {0}")]
    Backend(String),
}

/// A point in pixels from the upper left corner.
pub type Point = (f64, f64);
/// Red, green and blue.
pub type Rgb = (u8, u8, u8);

/// White.
pub const PAPER: Rgb = (255, 255, 255);
/// Text and outlines.
pub const INK: Rgb = (26, 26, 26);
/// Secondary text.
pub const MUTED: Rgb = (92, 92, 92);
/// Grid lines.
pub(crate) const FAINT: Rgb = (226, 226, 226);

/// The horizontal place of a text's point in the text; the vertical place is always the middle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// The text begins at the point.
    Start,
    /// The point is the middle of the text.
    Middle,
    /// The text ends at the point.
    End,
}

/// The largest side of a bitmap; the drawing itself has the rest.
const LARGEST: f64 = 8000.0;

/// One shape on the sheet, or the start or end of a group of shapes.
#[derive(Debug, Clone, PartialEq)]
enum Item {
    /// A shape, its colour and its opacity.
    Thing(SheetShape, Rgb, f64),
    /// The start of a group: the series that it belongs to, and the words of its tooltip; each may be empty.
    Begin {
        series: String,
        words: String,
    },
    End,
}

#[derive(Debug, Clone, PartialEq)]
enum SheetShape {
    /// A line through points, its width, and the length of its dashes; 0 for a solid line.
    Stroke(Vec<Point>, f64, f64),
    /// The area that points enclose.
    Area(Vec<Point>),
    /// A centre and a radius.
    Disc(Point, f64),
    /// A point, the size of the text, the text, and its anchor.
    Text(Point, f64, String, Anchor),
}

/// A white sheet with shapes, from back to front.
#[derive(Debug, Clone)]
pub struct Sheet {
    pub(crate) width: f64,
    pub(crate) height: f64,
    /// Device pixels per pixel of its PNG.
    pub(crate) scale: f64,
    /// True if groups have tooltips.
    pub(crate) says: bool,
    items: Vec<Item>,
}

impl Sheet {
    /// An empty sheet of a size in pixels.
    pub fn new(width: f64, height: f64) -> Self {
        Self {
            width,
            height,
            scale: SCALE,
            says: true,
            items: Vec::new(),
        }
    }

    /// A line of dashes and gaps of `dash` pixels each; a solid line at 0.
    pub(crate) fn dashed_stroke(&mut self, points: Vec<Point>, dash: f64, width: f64, colour: Rgb) {
        // A stroke that starts where the last one ended extends it: the file is smaller, and the line has no gaps.
        if let Some(Item::Thing(SheetShape::Stroke(before, same_width, same_dash), same, _)) =
            self.items.last_mut()
            && let Some((first, rest)) = points.split_first()
            && (before.last(), *same_width, *same_dash, *same) == (Some(first), width, dash, colour)
        {
            before.extend(rest);
        } else if points.len() > 1 {
            self.add(SheetShape::Stroke(points, width, dash), colour, 1.0);
        }
    }

    /// The number of its items.
    pub(crate) fn drawn(&self) -> usize {
        self.items.len()
    }

    /// Returns whether a line, a mark or a text after the first `drawn` items reaches into a rectangle. Faint and
    /// translucent shapes do not count.
    pub(crate) fn holds(&self, drawn: usize, corner: Point, size: (f64, f64)) -> bool {
        let rectangle = [corner, (corner.0 + size.0, corner.1 + size.1)];
        let is_there = |item: &Item| match item {
            Item::Thing(shape, colour, opacity) => {
                *colour != FAINT && *opacity > 0.9 && shape.meets(rectangle)
            }
            Item::Begin { .. } | Item::End => false,
        };
        self.items.iter().skip(drawn).any(is_there)
    }

    fn add(&mut self, shape: SheetShape, colour: Rgb, opacity: f64) {
        self.items.push(Item::Thing(shape, colour, opacity));
    }

    /// Draws a group that belongs to a series and has the tooltip `words`; each may be empty.
    pub(crate) fn group(&mut self, series: &str, words: &str, draw: impl FnOnce(&mut Self)) {
        let words = if self.says { words } else { "" };
        if series.is_empty() && words.is_empty() {
            return draw(self);
        }
        let (series, words) = (series.to_owned(), words.to_owned());
        self.items.push(Item::Begin { series, words });
        draw(self);
        self.items.push(Item::End);
    }

    pub(crate) fn line(&mut self, from: Point, to: Point, width: f64, colour: Rgb) {
        self.dashed(from, to, 0.0, width, colour);
    }

    /// A dashed line.
    pub(crate) fn dashed(&mut self, from: Point, to: Point, dash: f64, width: f64, colour: Rgb) {
        self.dashed_stroke(vec![from, to], dash, width, colour);
    }

    pub(crate) fn area(&mut self, points: Vec<Point>, colour: Rgb, opacity: f64) {
        if points.len() > 2 {
            self.add(SheetShape::Area(points), colour, opacity);
        }
    }

    /// Draws a filled rectangle from its upper left `corner`.
    pub fn rectangle(&mut self, corner: Point, size: (f64, f64), colour: Rgb, opacity: f64) {
        let (left, top) = corner;
        let (right, bottom) = (left + size.0, top + size.1);
        let points = vec![(left, top), (right, top), (right, bottom), (left, bottom)];
        self.area(points, colour, opacity);
    }

    pub(crate) fn disc(&mut self, centre: Point, radius: f64, colour: Rgb, opacity: f64) {
        self.add(SheetShape::Disc(centre, radius), colour, opacity);
    }

    /// Writes a line of text of a `size` in pixels.
    pub fn text(
        &mut self,
        at: Point,
        size: f64,
        text: impl Into<String>,
        colour: Rgb,
        anchor: Anchor,
    ) {
        self.add(SheetShape::Text(at, size, text.into(), anchor), colour, 1.0);
    }

    /// Writes the sheet as a PNG of `scale` times its width and height.
    pub fn png(&self, path: &Path) -> Result<(), DrawError> {
        let [width, height] = [self.width, self.height]
            .map(|pixels| (pixels * self.scale).ceil().clamp(1.0, LARGEST) as u32);
        let mut pixels = vec![0; 3 * width as usize * height as usize];
        let root = BitMapBackend::with_buffer(&mut pixels, (width, height)).into_drawing_area();
        self.replay(&root)?;
        drop(root);
        let file = File::create(path).map_err(|source| unwritable(path, source))?;
        let mut encoder = png::Encoder::new(BufWriter::new(file), width, height);
        // PERF: a byte a pixel needs less than half of the bytes of three, and less time.
        let (palette, pixels) = indexed(&pixels);
        encoder.set_color(png::ColorType::Indexed);
        encoder.set_palette(palette);
        encoder.set_filter(png::Filter::NoFilter);
        encoder.set_deflate_compression(png::DeflateCompression::Level(4));
        let written = encoder.write_header().and_then(|mut writer| {
            writer.write_image_data(&pixels)?;
            writer.finish()
        });
        written.map_err(|error| unwritable(path, error.into()))
    }

    fn replay<B: DrawingBackend>(&self, root: &DrawingArea<B, Shift>) -> Result<(), DrawError> {
        register_font();
        root.fill(&colour_of(PAPER, 1.0))?;
        for item in &self.items {
            if let Item::Thing(shape, colour, opacity) = item {
                shape.draw(root, colour_of(*colour, *opacity), self.scale)?;
            }
        }
        Ok(root.present()?)
    }
}

/// The palette of an image, and for each pixel its place there. Of more than 256 colours the rarest, which are shades of edges
/// between others, become the nearest of the palette.
fn indexed(pixels: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let runs = pixels.as_chunks::<3>().0.chunk_by(|a, b| a == b);
    let runs: Vec<([u8; 3], usize)> = runs.map(|run| (run[0], run.len())).collect();
    let mut counts: HashMap<[u8; 3], usize> = HashMap::new();
    for (colour, length) in &runs {
        *counts.entry(*colour).or_default() += length;
    }
    let mut ranked: Vec<_> = counts
        .iter()
        .map(|(colour, count)| (Reverse(*count), *colour))
        .collect();
    ranked.sort_unstable();
    let ranked: Vec<[u8; 3]> = ranked.into_iter().map(|(_, colour)| colour).collect();
    let palette = &ranked[..ranked.len().min(256)];
    let distance = |a: &[u8; 3], b: &[u8; 3]| -> u32 {
        let parts = a.iter().zip(b);
        parts.map(|(a, b)| u32::from(a.abs_diff(*b)).pow(2)).sum()
    };
    for (at, colour) in ranked.iter().enumerate() {
        let nearest = || (0..palette.len()).min_by_key(|at| distance(&palette[*at], colour));
        let place = if at < palette.len() {
            Some(at)
        } else {
            nearest()
        };
        counts.insert(*colour, place.unwrap_or_default());
    }
    let mut places = Vec::with_capacity(pixels.len() / 3);
    for (colour, length) in runs {
        places.resize(places.len() + length, counts[&colour] as u8);
    }
    (palette.concat(), places)
}

impl SheetShape {
    /// Returns whether it reaches into a rectangle between two corners.
    fn meets(&self, [(left, top), (right, bottom)]: [Point; 2]) -> bool {
        let meets = |points: &[Point]| {
            let overlaps = |of: fn(&Point) -> f64, low: f64, high: f64| {
                let least = points.iter().map(of).fold(f64::MAX, f64::min);
                let most = points.iter().map(of).fold(f64::MIN, f64::max);
                least <= high && low <= most
            };
            overlaps(|point| point.0, left, right) && overlaps(|point| point.1, top, bottom)
        };
        match self {
            Self::Stroke(points, ..) => points.windows(2).any(|ends| {
                let (from, to) = (ends[0], ends[1]);
                let (across, down) = (to.0 - from.0, to.1 - from.1);
                let steps = across.abs().max(down.abs()).ceil().max(1.0);
                let at = |step: usize| {
                    let share = step as f64 / steps;
                    (from.0 + share * across, from.1 + share * down)
                };
                meets(ends) && (0..=steps as usize).any(|step| meets(&[at(step)]))
            }),
            Self::Area(points) => meets(points),
            Self::Disc((x, y), radius) => {
                meets(&[(x - radius, y - radius), (x + radius, y + radius)])
            }
            Self::Text((x, y), size, text, anchor) => {
                let width = text_width(text, *size);
                let left = match anchor {
                    Anchor::Start => *x,
                    Anchor::Middle => x - 0.5 * width,
                    Anchor::End => x - width,
                };
                meets(&[(left, y - 0.5 * size), (left + width, y + 0.5 * size)])
            }
        }
    }

    fn draw<B: DrawingBackend>(
        &self,
        root: &DrawingArea<B, Shift>,
        colour: RGBAColor,
        scale: f64,
    ) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
        match self {
            Self::Stroke(points, width, dash) => {
                let style = colour.stroke_width((width * scale).round().max(1.0) as u32);
                let points = devices(points, scale);
                if *dash > 0.0 {
                    let dash = (dash * scale).round() as u32;
                    return root.draw(&DashedPathElement::new(points, dash, dash, style));
                }
                for run in gentle(points) {
                    root.draw(&PathElement::new(run, style))?;
                }
                Ok(())
            }
            Self::Area(points) => root.draw(&Polygon::new(devices(points, scale), colour.filled())),
            Self::Disc(centre, radius) => {
                let radius = (radius * scale).round().max(1.0) as i32;
                root.draw(&Circle::new(
                    device(*centre, scale),
                    radius,
                    colour.filled(),
                ))
            }
            Self::Text(at, size, text, anchor) => {
                let horizontal = match anchor {
                    Anchor::Start => HPos::Left,
                    Anchor::Middle => HPos::Center,
                    Anchor::End => HPos::Right,
                };
                let font_size = size * FONT_SIZE_PER_PIXEL;
                let style = TextStyle::from((FAMILY, font_size * scale))
                    .color(&colour)
                    .pos(Pos::new(horizontal, VPos::Center));
                let left = LEFT_OF_ORIGIN * font_size;
                let at = (at.0 - left, at.1 + BITMAP_TEXT_DROP * size);
                root.draw(&Text::new(text.as_str(), device(at, scale), style))
            }
        }
    }
}

/// The parts of a line between turns of more than a right angle. A bitmap joins segments by a mitre, which is long at a
/// sharp turn.
fn gentle(points: Vec<(i32, i32)>) -> Vec<Vec<(i32, i32)>> {
    let mut parts: Vec<Vec<(i32, i32)>> = vec![Vec::new()];
    for next in points {
        let Some(part) = parts.last_mut() else { break };
        match part[..] {
            [.., last] if last == next => {}
            [.., a, b] if (b.0 - a.0) * (next.0 - b.0) + (b.1 - a.1) * (next.1 - b.1) < 0 => {
                parts.push(vec![b, next]);
            }
            _ => part.push(next),
        }
    }
    parts
}

/// The width of a text in pixels, in the bundled font.
pub fn text_width(text: &str, size: f64) -> f64 {
    register_font();
    let font = (FAMILY, size * SCALE * FONT_SIZE_PER_PIXEL).into_font();
    match font.box_size(text) {
        Ok((width, _)) => f64::from(width) / SCALE,
        Err(_) => 0.6 * size * text.chars().count() as f64,
    }
}

/// `text`, or its start and end with `…` between them if it is wider than `width`.
pub(crate) fn shortened(text: &str, size: f64, width: f64) -> String {
    shortened_until(text, |text| text_width(text, size) <= width)
}

/// `text`, or as much of its start and end as `fits`, with `…` between them: names with the same start differ at their ends.
pub(crate) fn shortened_until(text: &str, fits: impl Fn(&str) -> bool) -> String {
    if fits(text) {
        return text.to_owned();
    }
    let letters: Vec<char> = text.chars().collect();
    let with = |kept: usize| -> String {
        let (begin, end) = (kept.div_ceil(2), letters.len() - kept / 2);
        let begin = letters[..begin].iter().chain(&['…']);
        begin.chain(&letters[end..]).collect()
    };
    let kept = (1..letters.len()).rev().find(|kept| fits(&with(*kept)));
    with(kept.unwrap_or(1))
}

/// `text` in lines no wider than `width`, broken at spaces, and after Japanese and Chinese letters. A word that is
/// wider than a line is broken anywhere.
pub fn wrapped(text: &str, size: f64, width: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    // A space that keeps a number with its unit is no ASCII whitespace.
    for word in text.split_ascii_whitespace() {
        let is_wide = text_width(word, size) > width;
        let is_end = |c: char| is_wide || c >= '\u{3040}';
        for (at, part) in word.split_inclusive(is_end).enumerate() {
            let longer = |line: &String| format!("{line}{}{part}", if at == 0 { " " } else { "" });
            match lines.last_mut() {
                Some(line) if text_width(&longer(line), size) <= width => *line = longer(line),
                _ => lines.push(part.to_owned()),
            }
        }
    }
    lines
}

/// The error of a file that cannot be written.
pub(crate) fn unwritable(path: &Path, source: std::io::Error) -> DrawError {
    DrawError::Write {
        path: path.to_owned(),
        source,
    }
}

fn register_font() {
    static REGISTERED: OnceLock<()> = OnceLock::new();
    REGISTERED.get_or_init(|| {
        let mut bytes = Vec::new();
        let packed = include_bytes!("../fonts/sans.ttf.gz");
        // A failure would show in every test: text without a font is an error of the backend.
        let _ = GzDecoder::new(&packed[..]).read_to_end(&mut bytes);
        let _ = plotters::style::register_font(FAMILY, FontStyle::Normal, bytes.leak());
    });
}

impl<E: std::error::Error + Send + Sync> From<DrawingAreaErrorKind<E>> for DrawError {
    fn from(error: DrawingAreaErrorKind<E>) -> Self {
        Self::Backend(error.to_string())
    }
}

fn colour_of(colour: Rgb, opacity: f64) -> RGBAColor {
    RGBAColor(colour.0, colour.1, colour.2, opacity)
}

fn device(point: Point, scale: f64) -> (i32, i32) {
    let round = |pixels: f64| (pixels * scale).round() as i32;
    (round(point.0), round(point.1))
}

fn devices(points: &[Point], scale: f64) -> Vec<(i32, i32)> {
    points.iter().map(|&point| device(point, scale)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bundled_font_has_japanese() {
        // A letter without a glyph has the glyph of a letter that no font has.
        let missing = text_width("\u{f8ff}", 40.0);
        for letter in ["貧", "乏", "神", "ぷ", "ヨ", "、", "１"] {
            let width = text_width(letter, 40.0);
            assert!(
                width > 5.0 && (width - missing).abs() > 0.4,
                "{letter}: {width}, {missing}"
            );
        }
        let folder = tempfile::tempdir().expect("a folder");
        let bytes = |text: &str| {
            let mut sheet = Sheet::new(60.0, 40.0);
            sheet.text((30.0, 20.0), 20.0, text, INK, Anchor::Middle);
            let path = folder.path().join("p.png");
            sheet.png(&path).expect("drawn");
            std::fs::read(&path).expect("read")
        };
        assert_ne!(bytes("貧"), bytes("乏"));
        assert_ne!(bytes("貧"), bytes(""));
    }

    /// The bytes of its PNG: red, green and blue of each pixel.
    fn pixels_of(sheet: &Sheet) -> Vec<u8> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("p.png");
        sheet.png(&path).expect("drawn");
        let file = std::io::BufReader::new(File::open(&path).expect("a file"));
        let mut decoder = png::Decoder::new(file);
        decoder.set_transformations(png::Transformations::EXPAND);
        let mut reader = decoder.read_info().expect("a PNG");
        let mut pixels = vec![0; reader.output_buffer_size().expect("its size")];
        reader.next_frame(&mut pixels).expect("its pixels");
        pixels
    }

    #[test]
    fn an_image_has_a_byte_a_pixel() {
        // 300 shades, of which the first is everywhere, and the others become their neighbours where there are too many.
        let shades = (0..300_u16).map(|at| [at.min(255) as u8, (at / 256) as u8, 7]);
        let pixels: Vec<[u8; 3]> = shades.flat_map(|shade| [[9, 0, 7], shade]).collect();
        let (palette, places) = indexed(pixels.as_flattened());
        assert_eq!((palette.len(), places.len()), (3 * 256, 600));
        for (pixel, place) in pixels.iter().zip(&places) {
            let shown = &palette[3 * usize::from(*place)..][..3];
            let far = pixel.iter().zip(shown).map(|(a, b)| a.abs_diff(*b));
            assert!(far.max() <= Some(1), "{pixel:?} {shown:?}");
        }
    }

    #[test]
    fn a_letter_keeps_its_distance_from_the_one_before() {
        // `リ` begins a fifth of an em after its origin, `é` a little after it, `j` a little before.
        for (letter, low, high) in [("リ", 7.0, 10.0), ("é", 1.0, 4.0), ("j", -2.0, 0.0)] {
            let mut sheet = Sheet::new(100.0, 80.0);
            sheet.text((20.0, 40.0), 40.0, letter, INK, Anchor::Start);
            let pixels = pixels_of(&sheet);
            let inked = pixels.chunks(3).enumerate().filter(|(_, rgb)| rgb[0] < 128);
            let first = inked.map(|(at, _)| at % 200).min().expect("ink");
            let first = first as f64 / SCALE - 20.0;
            assert!(first >= low && first <= high, "{letter}: {first}");
        }
    }

    #[test]
    fn a_sharp_turn_of_a_line_has_no_spike() {
        let mut sheet = Sheet::new(100.0, 100.0);
        let zigzag = (0..40).map(|at| (30.0 + at as f64, if at % 2 == 0 { 40.0 } else { 60.0 }));
        sheet.dashed_stroke(zigzag.collect(), 0.0, 2.0, INK);
        let pixels = pixels_of(&sheet);
        let row = |y: usize| &pixels[y * 600..(y + 1) * 600];
        assert!(row(100).iter().any(|part| *part < 128), "drawn");
        for y in (0..76).chain(124..200) {
            assert!(row(y).iter().all(|part| *part == 255), "row {y}");
        }
    }

    #[test]
    fn japanese_lines_break_without_spaces() {
        let title = "三十の解法のどれが一番よいか、どの種の事例でも同じか";
        let lines = wrapped(title, 15.0, 200.0);
        assert!(lines.len() > 1, "{lines:?}");
        assert!(
            lines.iter().all(|line| text_width(line, 15.0) <= 200.0),
            "{lines:?}"
        );
        assert_eq!(lines.concat(), title);
        let long = "a".repeat(100);
        assert!(wrapped(&long, 15.0, 200.0).len() > 1);
        assert_eq!(wrapped("Time by variant", 15.0, 200.0), ["Time by variant"]);
    }

    #[test]
    fn the_middle_of_a_long_name_is_left_out() {
        let name = "path.rooms height=32 room=3 width=32";
        assert_eq!(shortened(name, 12.0, 1000.0), name);
        let short = shortened(name, 12.0, 120.0);
        assert!(text_width(&short, 12.0) <= 120.0, "{short}");
        assert!(
            short.starts_with("path.") && short.ends_with("=32"),
            "{short}"
        );
    }
}
