//! Files that are whole or as they were before: written beside their place, then renamed.

use std::fs::{self, File};
use std::io;
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};

/// A CSV file that takes its place when it is [finished](WholeCsv::finish).
pub struct WholeCsv {
    writer: csv::Writer<File>,
    beside: PathBuf,
    path: PathBuf,
}

impl WholeCsv {
    /// Begins the file `path`.
    ///
    /// # Errors
    /// A folder that takes no files.
    pub fn create(path: &Path) -> csv::Result<Self> {
        let beside = beside(path);
        Ok(Self {
            writer: csv::Writer::from_path(&beside)?,
            beside,
            path: path.to_owned(),
        })
    }

    /// Puts the file in its place.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn finish(mut self) -> io::Result<()> {
        self.writer.flush()?;
        fs::rename(&self.beside, &self.path)
    }
}

impl Deref for WholeCsv {
    type Target = csv::Writer<File>;
    fn deref(&self) -> &Self::Target {
        &self.writer
    }
}

impl DerefMut for WholeCsv {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.writer
    }
}

impl Drop for WholeCsv {
    fn drop(&mut self) {
        // It is there only if it was not finished.
        let _ = fs::remove_file(&self.beside);
    }
}

/// Writes the file `path`.
///
/// # Errors
/// When it cannot be written.
pub fn write(path: &Path, text: impl AsRef<[u8]>) -> io::Result<()> {
    let beside = beside(path);
    fs::write(&beside, text)
        .and_then(|()| fs::rename(&beside, path))
        .inspect_err(|_| drop(fs::remove_file(&beside)))
}

/// A hidden file in the folder of `path`.
fn beside(path: &Path) -> PathBuf {
    let mut hidden = std::ffi::OsString::from(".");
    hidden.push(path.file_name().unwrap_or_default());
    hidden.push(".new");
    path.with_file_name(hidden)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_not_finished_leaves_the_one_before() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("summary.csv");
        let fill = |value: &str| -> csv::Result<WholeCsv> {
            let mut file = WholeCsv::create(&path)?;
            file.write_record(["value"])?;
            file.write_record([value])?;
            file.flush()?;
            Ok(file)
        };
        fill("1").expect("written").finish().expect("in place");
        drop(fill("2").expect("written"));
        let text = || fs::read_to_string(&path).expect("a whole file");
        assert_eq!(text(), "value\n1\n");
        // As a kill would: the one beside stays, and the next takes its name.
        std::mem::forget(fill("3").expect("written"));
        assert_eq!(text(), "value\n1\n");
        fill("4").expect("written").finish().expect("in place");
        assert_eq!(text(), "value\n4\n");
        write(&path, "5\n").expect("written");
        assert_eq!(text(), "5\n");
        let left = fs::read_dir(folder.path()).expect("listed").count();
        assert_eq!(left, 1);
    }
}
