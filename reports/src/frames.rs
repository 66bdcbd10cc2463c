//! The pictures of answers as frames on the page.

use std::path::Path;

use ikeru_core::Picture;
use ikeru_records::pictures::{self, FOLDER};

use crate::page::{PictureFrame, PictureFrames};
use crate::picture::svg;
use crate::{ReportError, Result};

/// The width of a picture in pixels.
const WIDTH: u32 = 480;

/// Writes the frames of one cell's answer into the run folder and replaces its earlier frames.
///
/// # Errors
/// A file that cannot be read, drawn or written.
pub fn write_pictures(
    run_folder: &Path,
    experiment: &str,
    label: &str,
    frames: &[Picture],
) -> Result<()> {
    let drawn = frames.iter().map(|picture| {
        // The page prints the caption as separate text.
        let bare = Picture {
            caption: String::new(),
            ..picture.clone()
        };
        (svg(&bare, WIDTH), picture.caption.clone())
    });
    pictures::write(run_folder, (experiment, label), drawn)
}

/// The bytes of frames between the first and the last one that a page contains; further frames stay in their files.
pub(crate) const ROOM: usize = 10_000;

/// The pictures of one experiment; empty if the run folder has none. The page contains the first and the last frame
/// of a picture, and other frames that fit into `room`, in bytes, which is reduced by their size. The remaining
/// frames are links to their files.
///
/// # Errors
/// A file that cannot be read although a caption names it.
pub(crate) fn frames(
    run_folder: &Path,
    experiment: &str,
    room: &mut usize,
) -> Result<Vec<PictureFrames>> {
    let mut groups: Vec<PictureFrames> = Vec::new();
    let captions = pictures::captions(run_folder)?.into_iter();
    for row in captions.filter(|row| row.experiment == experiment) {
        let file = format!("{FOLDER}/{}", row.file);
        let path = run_folder.join(&file);
        let svg = std::fs::read_to_string(&path).map_err(|error| ReportError::io(&path, error))?;
        let frame = PictureFrame {
            file,
            ..PictureFrame::of_svg(&svg, row.caption)
        };
        match groups.last_mut().filter(|group| group.label == row.label) {
            Some(group) => group.frames.push(frame),
            None => groups.push(PictureFrames {
                label: row.label,
                frames: vec![frame],
            }),
        }
    }
    let mut groups = same_once(groups);
    let between = groups.iter_mut().flat_map(|group| {
        let last = group.frames.len().saturating_sub(1);
        group.frames[..last].iter_mut().skip(1)
    });
    for frame in between {
        match room.checked_sub(frame.image.len()) {
            Some(left) => *room = left,
            None => frame.image.clone_from(&frame.file),
        }
    }
    Ok(groups)
}

/// Merges groups with equal frames into one under all their labels: variants may find the same answer.
fn same_once(groups: Vec<PictureFrames>) -> Vec<PictureFrames> {
    let is_same = |a: &PictureFrames, b: &PictureFrames| {
        let seen = |frame: &PictureFrame| (frame.image.clone(), frame.caption.clone());
        a.frames.iter().map(seen).eq(b.frames.iter().map(seen))
    };
    let mut once: Vec<PictureFrames> = Vec::new();
    for group in groups {
        match once.iter_mut().find(|known| is_same(known, &group)) {
            Some(known) => known.label = format!("{}; {}", known.label, group.label),
            None => once.push(group),
        }
    }
    once
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_come_back_with_their_captions_and_replace_older_ones() {
        let folder = tempfile::tempdir().expect("a folder");
        let drawn = [
            Picture::new(3.0, 2.0, "before, \"quoted\""),
            Picture::new(3.0, 2.0, "meanwhile"),
            Picture::new(3.0, 2.0, "after"),
        ];
        for _ in 0..2 {
            write_pictures(folder.path(), "growth", "a/b", &drawn).expect("written");
        }
        let groups = frames(folder.path(), "growth", &mut ROOM.clone()).expect("read");
        assert_eq!(groups.len(), 1);
        assert_eq!(groups[0].label, "a/b");
        let captions: Vec<&str> = groups[0]
            .frames
            .iter()
            .map(|frame| frame.caption.as_str())
            .collect();
        assert_eq!(captions, ["before, \"quoted\"", "meanwhile", "after"]);
        let image = &groups[0].frames[0].image;
        assert!(image.starts_with("data:image/svg+xml,%3Csvg"), "an `<svg`");
        let full = frames(folder.path(), "growth", &mut 0).expect("read");
        let shown = &full[0].frames;
        assert_eq!(shown[0].image, *image, "the first frame is always there");
        assert_eq!(shown[2].image, *image, "so is the last");
        assert_eq!(shown[1].image, "pictures/growth--a-b--1.svg");
        let none = frames(folder.path(), "other", &mut 0).expect("none");
        assert!(none.is_empty());
        write_pictures(folder.path(), "growth", "c", &drawn).expect("written");
        let groups = frames(folder.path(), "growth", &mut ROOM.clone()).expect("read");
        assert_eq!(groups.len(), 1, "the same frames stand once");
        assert_eq!(groups[0].label, "a/b; c");
    }
}
