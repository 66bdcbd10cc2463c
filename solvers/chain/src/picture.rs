//! Pictures of boards: round puyos with their colour and their letter, and with the number of the chain step in which
//! they vanish.

use ikeru_core::{Colour, Picture, Shape};

use crate::board::{Board, Cell, PuyoColour};
use crate::firing::{Firing, Place};

/// Margin around the board, in cells.
const MARGIN: f64 = 0.5;

/// The board, with a number on each of the `marked` puyos.
pub fn board(board: &Board, marked: &[(Place, usize)], caption: impl Into<String>) -> Picture {
    let (width, height) = (board.size().width() as f64, board.size().height() as f64);
    let mut picture = Picture::new(width + 2.0 * MARGIN, height + 2.0 * MARGIN, caption);
    let frame = (width + 0.2, height + 0.2);
    picture.rectangle((MARGIN - 0.1, MARGIN - 0.1), frame, Colour::Solid);
    picture.rectangle((MARGIN, MARGIN), (width, height), Colour::Paper);
    for (column, row) in board.size().iter() {
        let number = marked.iter().find(|(place, _)| *place == (column, row));
        let centre = centre(board, (column, row));
        puyo(
            &mut picture,
            centre,
            board.cell(column, row),
            number.map(|(_, n)| *n),
        );
    }
    // Puyos do not overlap: rings, then discs by colour, then texts by size, so that shapes with one look are together.
    picture.shapes[2..].sort_by_cached_key(|shape| match shape {
        Shape::Circle { fill, radius, .. } => {
            (u8::from(*fill != Colour::Ink), format!("{fill:?} {radius}"))
        }
        Shape::Text { size, .. } => (2, size.to_string()),
        _ => (3, String::new()),
    });
    picture
}

/// The whole chain: the field with the step in which each puyo vanishes, then, if there are any steps, a frame for
/// every step with the puyos that vanish in it, and the field that is left.
pub fn firing(field: &Board, firing: &Firing) -> Vec<Picture> {
    let chain = firing.chain();
    let order: Vec<(Place, usize)> = (1..)
        .zip(&firing.steps)
        .flat_map(|(number, step)| step.origins.iter().map(move |&place| (place, number)))
        .collect();
    let whole = format!(
        "{} chains, {} puyos cleared, attack {}; numbers say in which step a puyo vanishes",
        chain.steps, chain.cleared, chain.attack
    );
    let mut frames = vec![board(field, &order, whole)];
    for (number, step) in (1..).zip(&firing.steps) {
        let marked: Vec<_> = step
            .vanishing
            .iter()
            .map(|&place| (place, number))
            .collect();
        let caption = format!("step {number}: {} puyos vanish", marked.len());
        frames.push(board(&step.before, &marked, caption));
    }
    if !firing.steps.is_empty() {
        frames.push(board(
            &firing.rest,
            &[],
            format!("{} puyos left", firing.rest.stones()),
        ));
    }
    frames
}

fn centre(board: &Board, (column, row): Place) -> (f64, f64) {
    let from_top = board.size().height() - 1 - row;
    (MARGIN + column as f64 + 0.5, MARGIN + from_top as f64 + 0.5)
}

/// Draws one cell. A puyo with a number has a thick ring, and its letter is above the number.
fn puyo(picture: &mut Picture, centre: (f64, f64), cell: Cell, number: Option<usize>) {
    let fill = match cell {
        Cell::Empty => return picture.circle(centre, 0.05, Colour::Faint),
        Cell::Garbage => Colour::Faint,
        Cell::Puyo(colour) => hue(colour),
    };
    picture.circle(centre, 0.46, Colour::Ink);
    picture.circle(centre, if number.is_some() { 0.39 } else { 0.44 }, fill);
    let (x, y) = centre;
    let letter = cell.letter().to_string();
    match number {
        None => picture.text(centre, 0.4, letter, Colour::Ink),
        Some(number) => {
            picture.text((x, y - 0.16), 0.24, letter, Colour::Ink);
            picture.text((x, y + 0.15), 0.32, number.to_string(), Colour::Ink);
        }
    }
}

/// The Okabe–Ito hue that is nearest to the colour's name and light enough for dark text.
fn hue(colour: PuyoColour) -> Colour {
    const HUES: [u8; PuyoColour::COUNT] = [5, 2, 1, 3, 6, 0];
    Colour::Hue(HUES[colour.index()])
}
