//! The card of a source as a PNG, for link previews of its page.

use std::path::Path;

use crate::page::SourceCard;
use ikeru_reports::charts::OKABE_ITO;
use ikeru_reports::sheet::{Anchor, DrawError, INK, MUTED, PAPER, Rgb, Sheet, text_width, wrapped};
use ikeru_reports::table::Tone;

/// Half the usual size of a link preview: a PNG has two device pixels for each pixel.
const SIZE: (f64, f64) = (600.0, 315.0);
const LEFT: f64 = 26.0;

/// Writes the card: source, question, claim, our number with its interval, and the verdict.
///
/// # Errors
/// A file that cannot be written.
pub fn write(card: &SourceCard, path: &Path) -> Result<(), DrawError> {
    let mut sheet = Sheet::new(SIZE.0, SIZE.1);
    let mut at = 32.0;
    let about = format!("{} · {}", card.source, card.about);
    let quote = format!("“{}”", card.quote);
    for (text, size, colour) in [
        (&about, 13.0, MUTED),
        (&card.question, 23.0, INK),
        (&quote, 16.0, MUTED),
    ] {
        for line in wrapped(text, size, SIZE.0 - 2.0 * LEFT) {
            sheet.text((LEFT, at), size, line, colour, Anchor::Start);
            at += 1.3 * size;
        }
        at += 0.5 * size;
    }
    let row = &card.row;
    sheet.text((LEFT, 240.0), 40.0, row.ours.as_str(), INK, Anchor::Start);
    let beside = LEFT + text_width(&row.ours, 40.0) + 14.0;
    if !row.interval.is_empty() {
        let interval = format!("{}: {}", row.within, row.interval);
        sheet.text((beside, 246.0), 15.0, interval, MUTED, Anchor::Start);
    }
    let width = text_width(row.verdict, 15.0) + 24.0;
    sheet.rectangle((LEFT, 270.0), (width, 26.0), colour(row.tone), 1.0);
    sheet.text(
        (LEFT + 12.0, 283.0),
        15.0,
        row.verdict,
        PAPER,
        Anchor::Start,
    );
    sheet.text(
        (SIZE.0 - LEFT, 283.0),
        13.0,
        "ikeru: texts about games, run again",
        MUTED,
        Anchor::End,
    );
    sheet.png(path)
}

fn colour(tone: Tone) -> Rgb {
    match tone {
        Tone::Good => (11, 107, 79),
        Tone::Bad => (163, 38, 15),
        Tone::Warn => (122, 82, 0),
        Tone::Still => OKABE_ITO[4],
    }
}
