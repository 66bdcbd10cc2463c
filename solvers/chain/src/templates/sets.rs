//! Sets of templates by name: `stairs` (10), `sandwich` (12), `domino` (1), several joined by `+`,
//! or the user's own drawings.

use ikeru_core::{InputError, nearest};

use super::drawing::{Drawing, Extent, read};
use super::{Options, Template};

/// Names and drawings of the sets of the thesis's chapter 6. The thesis shows only a few of its
/// grids, in pictures; these were made by enumerating folds over its bases.
const BUILT_IN: [(&str, &str); 3] = [
    ("stairs", include_str!("../../templates/stairs.txt")),
    ("sandwich", include_str!("../../templates/sandwich.txt")),
    ("domino", include_str!("../../templates/domino.txt")),
];

/// The drawings of `names`: one set, or several as in `stairs+sandwich`.
///
/// # Errors
/// An unknown set, with the nearest known one.
pub fn drawings(names: &str) -> Result<Vec<Drawing>, InputError> {
    let mut drawings = Vec::new();
    for name in names.split('+') {
        let Some((_, text)) = BUILT_IN.iter().find(|(known, _)| *known == name) else {
            let known = BUILT_IN.map(|(name, _)| name);
            let near = nearest(name, known)
                .map_or(String::new(), |near| format!(", did you mean `{near}`?"));
            return Err(InputError::new(format!(
                "no template set `{name}`{near} (there are: {}; join them by `+`)",
                known.join(", ")
            )));
        };
        drawings.extend(read(text)?);
    }
    Ok(drawings)
}

/// Takes all drawings of one set through all stages.
///
/// # Errors
/// The first drawing that does not fit, float or fire as it should.
pub fn templates(
    drawings: Vec<Drawing>,
    extent: Extent,
    options: Options,
) -> Result<Vec<Template>, InputError> {
    let template = |drawing| Template::new(drawing, extent, options);
    drawings.into_iter().map(template).collect()
}
