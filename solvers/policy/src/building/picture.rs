//! The template that a policy builds, with the weights by which it compares leaves.

use ikeru_core::{Colour, Picture, Settings};

use super::challenge::{Challenge, Goal};
use super::variants::leaves;

/// Space beside the board, in cells.
const GAP: f64 = 1.5;

/// The first template, to the right of the board: the area of a circle is the weight of its cell, and its letter that of
/// the group. Empty where no template is the goal.
pub fn template(challenge: &Challenge, _: &str, settings: &Settings) -> Vec<Picture> {
    if challenge.question.goal != Goal::Template {
        return Vec::new();
    }
    let templates = challenge.own_repertoire().ok();
    let templates = templates.and_then(|own| leaves(challenge, &own, settings).ok());
    let Some(template) = templates.into_iter().flatten().next() else {
        return Vec::new();
    };
    let (size, labels) = (challenge.size(), &template.labels);
    let (width, height) = (size.width() as f64, size.height() as f64);
    let mut picture = Picture::new(2.0 * width + GAP + 0.5, height + 1.0, String::new());
    let most = template.weights.iter().copied().max().unwrap_or(1);
    for (cell, &weight) in template.weights.iter().enumerate() {
        let Some(label) = labels.label(cell) else {
            continue;
        };
        let (column, row) = (cell % labels.extent().width, cell / labels.extent().width);
        let centre = (width + GAP + column as f64 + 0.5, height - row as f64);
        let radius = 0.48 * (f64::from(weight) / f64::from(most)).sqrt();
        let is_capital = labels.is_capital(label);
        let fill = if is_capital {
            Colour::Hue(0)
        } else {
            Colour::Faint
        };
        picture.circle(centre, radius, fill);
        if is_capital {
            picture.text(centre, 0.36, labels.name(label).to_owned(), Colour::Ink);
        }
    }
    vec![picture]
}
