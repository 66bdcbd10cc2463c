//! The pictures of answers that lie in a run folder: `pictures/EXPERIMENT--LABEL--N.svg`, and
//! `pictures/captions.csv` with whose they are and what happens in them.

use std::path::Path;

use ikeru_core::Picture;
use serde::{Deserialize, Serialize};

use crate::ReportError;
use crate::page::{Frame, Frames};
use crate::picture::svg;

/// Width of a picture in pixels.
const WIDTH: u32 = 480;

/// One row of `captions.csv`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Caption {
    file: String,
    experiment: String,
    label: String,
    caption: String,
}

/// Writes the frames of one cell's answer into the run folder, in place of those it had.
///
/// # Errors
/// A file that cannot be read, drawn or written.
pub fn write_pictures(
    run_folder: &Path,
    experiment: &str,
    label: &str,
    frames: &[Picture],
) -> Result<(), ReportError> {
    let folder = run_folder.join("pictures");
    std::fs::create_dir_all(&folder).map_err(|error| ReportError::io(&folder, error))?;
    let mut captions = read_captions(&folder)?;
    captions.retain(|row| row.experiment != experiment || row.label != label);
    for (place, picture) in frames.iter().enumerate() {
        let file = format!("{}--{}--{place}.svg", plain(experiment), plain(label));
        // The page sets the caption as text of its own.
        let bare = Picture {
            caption: String::new(),
            ..picture.clone()
        };
        let drawing = svg(&bare, WIDTH);
        let path = folder.join(&file);
        std::fs::write(&path, drawing).map_err(|error| ReportError::io(&path, error))?;
        captions.push(Caption {
            file,
            experiment: experiment.to_owned(),
            label: label.to_owned(),
            caption: picture.caption.clone(),
        });
    }
    write_captions(&folder, &captions)
}

/// Copies the pictures of one run folder into another, in place of those of the same name there.
///
/// # Errors
/// A file that cannot be read or written.
pub fn copy(from: &Path, to: &Path) -> Result<(), ReportError> {
    let (from, to) = (from.join("pictures"), to.join("pictures"));
    let copied = read_captions(&from)?;
    if copied.is_empty() {
        return Ok(());
    }
    std::fs::create_dir_all(&to).map_err(|error| ReportError::io(&to, error))?;
    let mut captions = read_captions(&to)?;
    captions.retain(|row| !copied.iter().any(|new| new.file == row.file));
    for row in &copied {
        let file = plain(row.file.trim_end_matches(".svg")) + ".svg";
        std::fs::copy(from.join(&file), to.join(&file))
            .map_err(|error| ReportError::io(&from.join(&file), error))?;
    }
    captions.extend(copied);
    write_captions(&to, &captions)
}

/// Bytes of later frames that a page holds; frames beyond stay in their files.
pub const ROOM: usize = 150_000;

/// The pictures of one experiment; none if the run folder has none. Later frames of a picture are taken into the page
/// while there is `room` in bytes, which shrinks; then they are links to their files.
///
/// # Errors
/// A file that is named but cannot be read.
pub fn pictures(
    run_folder: &Path,
    experiment: &str,
    room: &mut usize,
) -> Result<Vec<Frames>, ReportError> {
    let folder = run_folder.join("pictures");
    let mut groups: Vec<Frames> = Vec::new();
    let captions = read_captions(&folder)?;
    for row in captions
        .into_iter()
        .filter(|row| row.experiment == experiment)
    {
        let file = plain(row.file.trim_end_matches(".svg")) + ".svg";
        let path = folder.join(&file);
        let svg = std::fs::read_to_string(&path).map_err(|error| ReportError::io(&path, error))?;
        let frame = Frame {
            file: format!("pictures/{file}"),
            ..Frame::of_svg(&svg, row.caption)
        };
        match groups.last_mut().filter(|group| group.label == row.label) {
            Some(group) => group.frames.push(frame),
            None => groups.push(Frames {
                label: row.label,
                frames: vec![frame],
            }),
        }
    }
    let mut groups = same_once(groups);
    for frame in groups.iter_mut().flat_map(|group| &mut group.frames[1..]) {
        match room.checked_sub(frame.image.len()) {
            Some(left) => *room = left,
            None => frame.image.clone_from(&frame.file),
        }
    }
    Ok(groups)
}

/// Groups whose frames are the same stand once, under all their labels: variants that find the same
/// answer.
fn same_once(groups: Vec<Frames>) -> Vec<Frames> {
    let is_same = |a: &Frames, b: &Frames| {
        let seen = |frame: &Frame| (frame.image.clone(), frame.caption.clone());
        a.frames.iter().map(seen).eq(b.frames.iter().map(seen))
    };
    let mut once: Vec<Frames> = Vec::new();
    for group in groups {
        match once.iter_mut().find(|known| is_same(known, &group)) {
            Some(known) => known.label = format!("{}; {}", known.label, group.label),
            None => once.push(group),
        }
    }
    once
}

/// A label as part of a file's name.
fn plain(label: &str) -> String {
    label
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect()
}

fn read_captions(folder: &Path) -> Result<Vec<Caption>, ReportError> {
    let path = folder.join("captions.csv");
    if !path.exists() {
        return Ok(Vec::new());
    }
    let wrong = |error: csv::Error| ReportError::io(&path, error);
    let mut reader = csv::Reader::from_path(&path).map_err(wrong)?;
    reader.deserialize().map(|row| row.map_err(wrong)).collect()
}

fn write_captions(folder: &Path, captions: &[Caption]) -> Result<(), ReportError> {
    let path = folder.join("captions.csv");
    let wrong = |error: csv::Error| ReportError::io(&path, error);
    let mut writer = csv::Writer::from_path(&path).map_err(wrong)?;
    for row in captions {
        writer.serialize(row).map_err(wrong)?;
    }
    writer
        .flush()
        .map_err(|error| ReportError::io(&path, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_come_back_with_their_captions_and_replace_older_ones() {
        let folder = tempfile::tempdir().expect("a folder");
        let frames = [
            Picture::new(3.0, 2.0, "before, \"quoted\""),
            Picture::new(3.0, 2.0, "after"),
        ];
        for _ in 0..2 {
            write_pictures(folder.path(), "growth", "a/b", &frames).expect("written");
        }
        let groups = pictures(folder.path(), "growth", &mut ROOM.clone()).expect("read");
        assert_eq!(groups.len(), 1);
        assert_eq!(groups[0].label, "a/b");
        let captions: Vec<&str> = groups[0]
            .frames
            .iter()
            .map(|frame| frame.caption.as_str())
            .collect();
        assert_eq!(captions, ["before, \"quoted\"", "after"]);
        let image = &groups[0].frames[0].image;
        assert!(image.starts_with("data:image/svg+xml,%3Csvg"), "an `<svg`");
        let full = pictures(folder.path(), "growth", &mut 0).expect("read");
        let shown = &full[0].frames;
        assert_eq!(shown[0].image, *image, "the first frame is always there");
        assert_eq!(shown[1].image, "pictures/growth--a-b--1.svg");
        let none = pictures(folder.path(), "other", &mut 0).expect("none");
        assert!(none.is_empty());
        write_pictures(folder.path(), "growth", "c", &frames).expect("written");
        let groups = pictures(folder.path(), "growth", &mut ROOM.clone()).expect("read");
        assert_eq!(groups.len(), 1, "the same frames stand once");
        assert_eq!(groups[0].label, "a/b; c");
    }
}
