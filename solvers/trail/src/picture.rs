//! Draws the puzzle with a trail: edges are labelled, the trail is coloured by order, and repeated visits to a
//! vertex are drawn at an offset.
//!
//! One unit is a tenth of the distance between neighbouring vertices.

use ikeru_core::{Colour, Picture};

use crate::puzzle::{EdgeOperation, Puzzle, Trail, Vertex};

/// Distance between neighbouring vertices.
const PITCH: f64 = 10.0;
/// Distance between the outermost vertices and the edge of the picture.
const MARGIN: f64 = 5.0;
/// Offset of each further visit to a vertex from the visit before.
const OFFSET: f64 = 0.9;

/// The puzzle with its edges labelled and `trail` coloured by order.
pub fn draw(puzzle: &Puzzle, trail: Option<&Trail>) -> Picture {
    let board = puzzle.board();
    let extent = |vertices: usize| (vertices - 1) as f64 * PITCH + 2.0 * MARGIN;
    let caption = match trail {
        Some(trail) => format!(
            "score {}: a trail of {} edges over {} × {} vertices, from dark (first) to yellow (last)",
            trail.score,
            trail.vertices.len() - 1,
            board.width(),
            board.height()
        ),
        None => format!("{} × {} vertices, no trail", board.width(), board.height()),
    };
    let mut picture = Picture::new(extent(board.width()), extent(board.height()), caption);
    for edge in 0..board.operations().len() {
        let (from, to) = board.ends(edge);
        picture.line(place(puzzle, from), place(puzzle, to), 0.3, Colour::Faint);
    }
    if let Some(trail) = trail {
        draw_trail(&mut picture, puzzle, &trail.vertices);
    }
    draw_vertices(&mut picture, puzzle);
    for (edge, operation) in board.operations().iter().enumerate() {
        draw_label(&mut picture, puzzle, edge, *operation);
    }
    picture
}

fn place(puzzle: &Puzzle, vertex: Vertex) -> (f64, f64) {
    let width = puzzle.board().width();
    let along = |index: usize| MARGIN + index as f64 * PITCH;
    (along(vertex % width), along(vertex / width))
}

/// Draws one arrow per edge; each further visit to a vertex is drawn at an offset.
fn draw_trail(picture: &mut Picture, puzzle: &Puzzle, vertices: &[Vertex]) {
    let mut visits = vec![0_u32; puzzle.board().vertex_count()];
    let points: Vec<(f64, f64)> = vertices
        .iter()
        .map(|vertex| {
            let (x, y) = place(puzzle, *vertex);
            let offset = f64::from(visits[*vertex]) * OFFSET;
            visits[*vertex] += 1;
            (x + offset, y - offset)
        })
        .collect();
    let last = points.len().saturating_sub(2).max(1);
    for (index, step) in points.windows(2).enumerate() {
        let ramp = (index * 255 / last) as u8;
        picture.arrow(step[0], step[1], 0.7, Colour::Ramp(ramp));
    }
}

fn draw_vertices(picture: &mut Picture, puzzle: &Puzzle) {
    for vertex in 0..puzzle.board().vertex_count() {
        picture.circle(place(puzzle, vertex), 0.5, Colour::Ink);
    }
    let (start, goal) = (puzzle.start(), puzzle.goal());
    let ends = if start == goal {
        vec![(start, "S = G")]
    } else {
        vec![(start, "S"), (goal, "G")]
    };
    for (vertex, name) in ends {
        let (x, y) = place(puzzle, vertex);
        picture.circle((x, y), 1.0, Colour::Ink);
        // Above the left corner of the vertex, where no edge and no label is.
        picture.text((x - 2.2, y - 2.2), 1.8, name, Colour::Ink);
    }
}

/// Draws the operation on a rectangle of the background's colour in the middle of its edge.
fn draw_label(picture: &mut Picture, puzzle: &Puzzle, edge: usize, operation: EdgeOperation) {
    let (from, to) = puzzle.board().ends(edge);
    let (from, to) = (place(puzzle, from), place(puzzle, to));
    let middle = (f64::midpoint(from.0, to.0), f64::midpoint(from.1, to.1));
    let text = operation.to_string().replace('*', "×").replace('-', "−");
    let width = 1.2 * text.chars().count() as f64 + 0.4;
    let corner = (middle.0 - width / 2.0, middle.1 - 1.2);
    picture.rectangle(corner, (width, 2.4), Colour::Paper);
    let colour = match operation {
        EdgeOperation::Multiply(_) => Colour::Hue(5),
        EdgeOperation::Add(addend) if addend < 0 => Colour::Hue(4),
        EdgeOperation::Add(_) => Colour::Ink,
    };
    picture.text(middle, 1.5, text, colour);
}

#[cfg(test)]
mod tests {
    use super::*;
    use ikeru_core::Shape;

    #[test]
    fn every_edge_has_its_label_and_the_trail_its_arrows() {
        let puzzle = crate::format::read("2 2 +1 +2 -3 *4 2 0 1 3").expect("a puzzle");
        let trail = puzzle.replay(vec![0, 1, 3]).expect("a trail");
        let picture = draw(&puzzle, Some(&trail));
        let texts: Vec<&str> = picture
            .shapes
            .iter()
            .filter_map(|shape| match shape {
                Shape::Text { text, .. } => Some(text.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(texts, ["S", "G", "+1", "+2", "−3", "×4"]);
        let ramp: Vec<Colour> = picture
            .shapes
            .iter()
            .filter_map(|shape| match shape {
                Shape::Line {
                    colour,
                    arrow: true,
                    ..
                } => Some(*colour),
                _ => None,
            })
            .collect();
        assert_eq!(ramp, [Colour::Ramp(0), Colour::Ramp(255)]);
    }
}
