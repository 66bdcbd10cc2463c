//! Sets of templates by name: `stairs` (10), `sandwich` (12), `domino` (1), or a file of the user's drawings, of
//! which a word selects the names that begin with it (`own.txt:stairs`). Several are joined by `+`.

use ikeru_core::{InputError, input_error, refuse, unknown};

use super::drawing::{DrawingExtent, TemplateDrawing, read, read_file};
use super::{Template, TemplateOptions};

/// Names and drawings of the sets of the thesis's chapter 6. The thesis shows only a few of its templates, as
/// pictures; these were made by enumerating folds over its bases.
const BUILT_IN: [(&str, &str); 3] = [
    ("stairs", include_str!("../../templates/stairs.txt")),
    ("sandwich", include_str!("../../templates/sandwich.txt")),
    ("domino", include_str!("../../templates/domino.txt")),
];

/// The default set.
pub const DEFAULT: &str = "stairs";

/// Returns whether the name of a set is that of a file.
pub fn is_file(name: &str) -> bool {
    let path = name.split_once(".txt:").map_or(name, |_| ".txt");
    path.ends_with(".txt") || path.contains('/')
}

/// Splits a name into its file and the beginning of the template names that are taken from it.
fn file_and_start(name: &str) -> (&str, &str) {
    match name.rsplit_once(':') {
        Some((path, start)) if path.ends_with(".txt") => (path, start),
        _ => (name, ""),
    }
}

/// A file of drawings: its path and its text.
pub type File = (String, String);

/// Reads the files among `names`.
///
/// # Errors
/// If a file cannot be read.
pub fn files(names: &str) -> Result<Vec<File>, InputError> {
    let paths = names.split('+').filter(|name| is_file(name));
    let read = |name: &str| {
        let (path, _) = file_and_start(name);
        if std::fs::metadata(path).is_ok_and(|about| !about.is_file()) {
            refuse!("template file `{path}`: it is no file");
        }
        let text = std::fs::read_to_string(path)
            .map_err(|error| input_error!("template file `{path}`: {error}"))?;
        Ok((path.to_owned(), text))
    };
    paths.map(read).collect()
}

fn from_file(name: &str, files: &[File]) -> Result<Vec<TemplateDrawing>, InputError> {
    let (path, start) = file_and_start(name);
    let known = files.iter().find(|(known, _)| known == path);
    let (_, text) =
        known.ok_or_else(|| input_error!("template file `{path}` was not read before"))?;
    let mut drawings = read_file(text, path)?;
    drawings.retain(|drawing| drawing.name.starts_with(start));
    if drawings.is_empty() {
        refuse!("{path}: no template whose name begins with `{start}`");
    }
    Ok(drawings)
}

/// The drawings of `names`: one set or a file, or several as in `stairs+sandwich`.
///
/// # Errors
/// An unknown set, with the nearest known one; a file that cannot be read, with the line.
pub fn drawings(names: &str) -> Result<Vec<TemplateDrawing>, InputError> {
    drawings_in(names, &files(names)?)
}

/// The same, from `files` that were read before.
///
/// # Errors
/// As [`drawings`].
pub fn drawings_in(names: &str, files: &[File]) -> Result<Vec<TemplateDrawing>, InputError> {
    let mut drawings = Vec::new();
    for name in names.split('+') {
        if is_file(name) {
            drawings.extend(from_file(name, files)?);
            continue;
        }
        let Some((_, text)) = BUILT_IN.iter().find(|(known, _)| *known == name) else {
            let error = unknown("template set", name, BUILT_IN.map(|(name, _)| name));
            let message = error.message + "; join sets by `+`, or name a file *.txt";
            return Err(InputError::new(message));
        };
        drawings.extend(read(text)?);
    }
    Ok(drawings)
}

/// Computes all stages of the drawings of one set.
///
/// # Errors
/// The error of the first drawing that [`Template::new`] refuses.
pub fn templates(
    drawings: Vec<TemplateDrawing>,
    extent: DrawingExtent,
    options: TemplateOptions,
) -> Result<Vec<Template>, InputError> {
    let template = |drawing| Template::new(drawing, extent, options);
    drawings.into_iter().map(template).collect()
}
