//! Two searches of one instance, step by step: the records of a run, and the drawings of the page.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt::Write as _;
use std::path::Path;

use ikeru_core::{Colour, Picture, Shape};
use ikeru_records::pictures::FOLDER;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::page::{PairSide, SearchPair};
use ikeru_records::{ReportError, Result};
use ikeru_reports::picture::shapes;

/// Two recorded searches of one instance.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecordedPair {
    /// The name of the source.
    pub source: String,
    /// The experiment whose section shows it.
    pub experiment: Option<String>,
    /// The title of the searched instance.
    pub title: String,
    /// The two searches.
    pub searches: Vec<RecordedSearch>,
}

/// One of two searches.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecordedSearch {
    /// The variant.
    pub variant: String,
    /// The description of the variant.
    pub about: String,
    /// The unit of the counts.
    pub unit: String,
    /// True if each picture adds to the earlier ones; false if it replaces them.
    pub adds: bool,
    /// The pictures, each with the time from which on it is shown and the count at that time. The time has the same
    /// unit in both searches.
    pub frames: Vec<(u64, u64, Picture)>,
}

/// The file of the pairs in a run folder's pictures.
const FILE: &str = "side-by-side.json";

/// The width of a drawing in pixels.
const WIDTH: u32 = 480;

/// Writes the pairs into a run folder.
///
/// # Errors
/// A file that cannot be written.
pub fn write(run_folder: &Path, pairs: &[RecordedPair]) -> Result<()> {
    let folder = run_folder.join(FOLDER);
    let path = folder.join(FILE);
    let write = || {
        std::fs::create_dir_all(&folder)?;
        let mut pairs = serde_json::to_value(pairs)?;
        let mut known: HashMap<String, usize> = HashMap::new();
        each_shape(&mut pairs, &mut |shape| {
            let next = known.len();
            match known.entry(shape.to_string()) {
                Entry::Occupied(number) => *shape = (*number.get()).into(),
                Entry::Vacant(place) => _ = place.insert(next),
            }
        });
        ikeru_records::whole::write(&path, pairs.to_string())
    };
    write().map_err(|error| ReportError::io(&path, error))
}

/// Calls `of` with each shape of each picture. The file has each different shape once, and its
/// number in place of a further one.
fn each_shape(value: &mut Value, of: &mut impl FnMut(&mut Value)) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(|value| each_shape(value, of)),
        Value::Object(fields) => {
            for (name, value) in fields {
                match (name.as_str(), value) {
                    ("shapes", Value::Array(shapes)) => shapes.iter_mut().for_each(&mut *of),
                    (_, value) => each_shape(value, of),
                }
            }
        }
        _ => {}
    }
}

/// The drawn pairs of a run folder; empty if it has none, or if its file has the format of another version.
pub(crate) fn pairs(run_folder: &Path) -> Vec<SearchPair> {
    let text = std::fs::read_to_string(run_folder.join(FOLDER).join(FILE)).unwrap_or_default();
    let mut pairs: Value = serde_json::from_str(&text).unwrap_or_default();
    let mut known: Vec<Value> = Vec::new();
    each_shape(&mut pairs, &mut |shape| match shape
        .as_u64()
        .and_then(|number| known.get(number as usize))
    {
        Some(same) => *shape = same.clone(),
        None => known.push(shape.clone()),
    });
    let pairs: Vec<RecordedPair> = serde_json::from_value(pairs).unwrap_or_default();
    let drawn = |pair: RecordedPair| SearchPair {
        sides: sides(&pair.searches),
        source: pair.source,
        experiment: pair.experiment,
        title: pair.title,
    };
    pairs.into_iter().map(drawn).collect()
}

/// Both sides.
fn sides(searches: &[RecordedSearch]) -> Vec<PairSide> {
    let sides = searches.iter().map(|search| {
        let last = search.frames.last();
        PairSide {
            name: search.variant.clone(),
            about: search.about.clone(),
            unit: search.unit.clone(),
            end: last.map_or(0, |(at, ..)| *at),
            count: last.map_or(0, |(_, count, _)| *count),
            said: last.map_or(String::new(), |(.., picture)| picture.caption.clone()),
            drawing: drawing(search),
        }
    });
    sides.collect()
}

/// An SVG with a group for each step. Without scripts, it shows the end of the search.
fn drawing(search: &RecordedSearch) -> String {
    let Some((_, _, first)) = search.frames.first() else {
        return String::new();
    };
    let part = |own: &[&Shape]| {
        let own = own.iter().copied().cloned().collect();
        let picture = Picture {
            shapes: own,
            caption: String::new(),
            ..*first
        };
        shapes(&picture, WIDTH)
    };
    // Faint shapes, and the shapes with which every picture begins, are drawn once below all steps; the shapes with
    // which every picture ends are drawn once above them.
    let mut below: Vec<&Shape> = Vec::new();
    let mut steps: Vec<Vec<&Shape>> = Vec::new();
    for (place, (.., picture)) in search.frames.iter().enumerate() {
        let (faint, own): (Vec<&Shape>, Vec<&Shape>) = picture
            .shapes
            .iter()
            .partition(|shape| is_faint(shape) || search.adds && place == 0);
        below.extend(faint.iter().filter(|shape| {
            !search.frames[..place]
                .iter()
                .any(|(.., before)| before.shapes.contains(shape))
        }));
        steps.push(own);
    }
    let same = |a: &[&Shape], b: &[&Shape]| a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (mut begin, mut end) = (0, 0);
    if let (false, Some(one)) = (search.adds, steps.first().cloned()) {
        begin = steps.iter().map(|own| same(&one, own)).min().unwrap_or(0);
        let from_end = |own: &[&Shape]| {
            let pairs = one[begin..].iter().rev().zip(own[begin..].iter().rev());
            pairs.take_while(|(a, b)| a == b).count()
        };
        end = steps.iter().map(|own| from_end(own)).min().unwrap_or(0);
        below.extend(&one[..begin]);
    }
    let above = steps
        .first()
        .map_or(String::new(), |own| part(&own[own.len() - end..]));
    let scale = f64::from(WIDTH) / first.width.max(f64::MIN_POSITIVE);
    let mut svg = format!(
        "<svg viewBox=\"0 0 {WIDTH} {:.0}\" role=\"img\" fill=\"var(--ink)\"><title>{} at its end</title>{}",
        first.height * scale,
        search.variant,
        part(&below),
    );
    let count = search.frames.len();
    let steps = search.frames.iter().zip(&steps).enumerate();
    for (place, ((at, counted, picture), own)) in steps.skip(usize::from(search.adds)) {
        let hidden = match (search.adds, place + 1 == count) {
            (true, _) => "",
            (false, true) => " data-only=\"1\"",
            (false, false) => " data-only=\"1\" style=\"display:none\"",
        };
        let counted = match counted == at {
            true => String::new(),
            false => format!(" data-count=\"{counted}\""),
        };
        let said = match picture.caption.as_str() {
            "" => String::new(),
            said => format!(
                " data-said=\"{}\"",
                said.replace('&', "&amp;")
                    .replace('<', "&lt;")
                    .replace('"', "&quot;")
            ),
        };
        let own = part(&own[begin..own.len() - end]);
        // Writing to a string never fails.
        let _ = write!(svg, "<g data-at=\"{at}\"{counted}{said}{hidden}>{own}</g>");
    }
    svg + &above + "</svg>"
}

fn is_faint(shape: &Shape) -> bool {
    let (Shape::Circle { fill: colour, .. }
    | Shape::Line { colour, .. }
    | Shape::Rectangle { fill: colour, .. }) = shape
    else {
        return false;
    };
    *colour == Colour::Faint
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(radii: &[f64]) -> Picture {
        let mut picture = Picture::new(4.0, 2.0, "");
        for radius in radii {
            picture.circle((1.0, 1.0), *radius, Colour::Ink);
        }
        picture
    }

    #[test]
    fn what_all_pictures_share_stands_once_and_the_end_is_seen_without_scripts() {
        let search = |adds, frames: Vec<(u64, u64, Picture)>| RecordedSearch {
            variant: "memo".to_owned(),
            about: String::new(),
            unit: "states".to_owned(),
            adds,
            frames,
        };
        let own = search(
            false,
            vec![
                (0, 1, picture(&[0.1, 0.2, 0.9])),
                (5, 7, picture(&[0.1, 0.3, 0.4, 0.9])),
            ],
        );
        let svg = drawing(&own);
        assert_eq!(svg.matches("h0").count(), 2 + 1 + 2, "{svg}");
        assert_eq!(svg.matches("display:none").count(), 1);
        assert!(
            svg.contains("data-at=\"5\" data-count=\"7\" data-only=\"1\">"),
            "{svg}"
        );
        let twice = sides(&[own.clone(), own.clone()]);
        assert_eq!((twice[0].end, twice[0].count), (5, 7));
        assert!(twice.iter().all(|side| side.drawing == svg));
        let frames = vec![(0, 0, picture(&[0.1])), (1, 1, picture(&[0.1]))];
        let added = drawing(&search(true, frames));
        assert_eq!(added.matches("h0").count(), 2, "{added}");
        assert!(!added.contains("display:none"));
        let folder = tempfile::tempdir().expect("a folder");
        assert!(pairs(folder.path()).is_empty());
        let pair = RecordedPair {
            source: "s".to_owned(),
            experiment: None,
            title: "t".to_owned(),
            searches: vec![own],
        };
        write(folder.path(), std::slice::from_ref(&pair)).expect("written");
        assert_eq!(pairs(folder.path())[0].sides[0].drawing, svg);
        // Shapes that both frames have are written once; older files have each of them again.
        let file = folder.path().join(FOLDER).join(FILE);
        let text = std::fs::read_to_string(&file).expect("a file");
        assert_eq!(text.matches("radius").count(), 5, "{text}");
        let whole = serde_json::to_string(&[pair]).expect("JSON");
        std::fs::write(&file, whole).expect("written");
        assert_eq!(pairs(folder.path())[0].sides[0].drawing, svg);
    }
}
