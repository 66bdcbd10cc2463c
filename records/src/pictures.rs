//! The pictures of answers in a run folder: `pictures/EXPERIMENT--LABEL--N.svg`, and their experiments, labels and
//! captions in `pictures/captions.csv`.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::error::{ReportError, Result};

/// The folder of the pictures in a run folder.
pub const FOLDER: &str = "pictures";

/// One row of `captions.csv`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Caption {
    /// The picture's file in the folder.
    pub file: String,
    /// The experiment whose answer it shows.
    pub experiment: String,
    /// The label whose answer it shows.
    pub label: String,
    /// The sentence below it.
    pub caption: String,
}

/// Replaces the pictures of an experiment's label by `pictures`, each an SVG with its caption.
///
/// # Errors
/// A file that cannot be read or written.
pub fn write(
    run_folder: &Path,
    (experiment, label): (&str, &str),
    pictures: impl Iterator<Item = (String, String)>,
) -> Result<()> {
    let folder = run_folder.join(FOLDER);
    std::fs::create_dir_all(&folder).map_err(|error| ReportError::io(&folder, error))?;
    let mut captions = captions(run_folder)?;
    captions.retain(|row| row.experiment != experiment || row.label != label);
    for (place, (svg, caption)) in pictures.enumerate() {
        let file = format!("{}--{}--{place}.svg", plain(experiment), plain(label));
        let path = folder.join(&file);
        crate::whole::write(&path, svg).map_err(|error| ReportError::io(&path, error))?;
        captions.push(Caption {
            file,
            experiment: experiment.to_owned(),
            label: label.to_owned(),
            caption,
        });
    }
    write_captions(&folder, &captions)
}

/// Copies the pictures of one run folder into another; they replace pictures of the same file name.
///
/// # Errors
/// A file that cannot be read or written.
pub fn copy(from: &Path, to: &Path) -> Result<()> {
    let copied = captions(from)?;
    if copied.is_empty() {
        return Ok(());
    }
    let mut captions = captions(to)?;
    let (from, to) = (from.join(FOLDER), to.join(FOLDER));
    std::fs::create_dir_all(&to).map_err(|error| ReportError::io(&to, error))?;
    captions.retain(|row| !copied.iter().any(|new| new.file == row.file));
    for row in &copied {
        std::fs::copy(from.join(&row.file), to.join(&row.file))
            .map_err(|error| ReportError::io(&from.join(&row.file), error))?;
    }
    captions.extend(copied);
    write_captions(&to, &captions)
}

/// The captions of all pictures in a run folder; empty if it has no pictures. File names are reduced to plain names, so
/// that a caption cannot name a file in another folder.
///
/// # Errors
/// A file that cannot be read.
pub fn captions(run_folder: &Path) -> Result<Vec<Caption>> {
    let path = run_folder.join(FOLDER).join("captions.csv");
    if !path.exists() {
        return Ok(Vec::new());
    }
    let wrong = |error: csv::Error| ReportError::io(&path, error);
    let mut reader = csv::Reader::from_path(&path).map_err(wrong)?;
    let read = reader.deserialize().map(|row| {
        let row: Caption = row.map_err(wrong)?;
        Ok(Caption {
            file: plain(row.file.trim_end_matches(".svg")) + ".svg",
            ..row
        })
    });
    read.collect()
}

fn write_captions(folder: &Path, captions: &[Caption]) -> Result<()> {
    let path = folder.join("captions.csv");
    let wrong = |error: csv::Error| ReportError::io(&path, error);
    let mut writer = csv::Writer::from_path(&path).map_err(wrong)?;
    for row in captions {
        writer.serialize(row).map_err(wrong)?;
    }
    writer.flush().map_err(csv::Error::from).map_err(wrong)
}

/// A label as part of a file's name.
fn plain(label: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    label.chars().map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_replace_those_of_their_label_and_of_their_file() {
        let inside = tempfile::tempdir().expect("a folder");
        let [from, to] = ["from", "to"].map(|name| inside.path().join(name));
        let drawn = |folder: &Path, label: &str, texts: &[&str]| {
            let pictures = texts
                .iter()
                .map(|text| (format!("<svg>{text}"), (*text).to_owned()));
            write(folder, ("e", label), pictures).expect("written");
        };
        let shown = |folder: &Path| {
            let captions = captions(folder).expect("captions");
            let texts = captions.into_iter().map(|row| {
                let svg = std::fs::read_to_string(folder.join(FOLDER).join(&row.file));
                assert_eq!(svg.expect("a picture"), format!("<svg>{}", row.caption));
                format!("{} {}", row.label, row.caption)
            });
            texts.collect::<Vec<_>>()
        };
        drawn(&from, "a", &["1", "2"]);
        drawn(&from, "b/c", &["3"]);
        drawn(&from, "a", &["4"]);
        assert_eq!(shown(&from), ["b/c 3", "a 4"]);
        drawn(&to, "a", &["5", "6"]);
        write(&to, ("other", "a"), std::iter::empty()).expect("written");
        copy(&from, &to).expect("copied");
        assert_eq!(shown(&to), ["a 6", "b/c 3", "a 4"]);
        let file = &captions(&from).expect("captions")[0].file;
        assert_eq!(file, "e--b-c--0.svg");
        // A caption names no file of another folder.
        let path = from.join(FOLDER).join("captions.csv");
        std::fs::write(path, "file,experiment,label,caption\n../x.svg,e,a,c\n").expect("written");
        assert_eq!(captions(&from).expect("captions")[0].file, "---x.svg");
        copy(&inside.path().join("none"), &inside.path().join("new")).expect("nothing");
        assert!(!inside.path().join("new").exists());
    }
}
