//! Replaces files atomically: a file is written under a hidden name, then renamed.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use ikeru_statistics::{Estimate, Interval};

use crate::error::{ReportError, Result};

/// The columns of a CSV file: for each its name, and the function that returns its field of a row.
pub struct CsvTable<'a, R> {
    columns: Vec<(String, Field<'a, R>)>,
}

type Field<'a, R> = Box<dyn Fn(&R) -> String + 'a>;

impl<'a, R> CsvTable<'a, R> {
    /// Adds a column.
    #[must_use]
    pub fn column<T: ToString>(
        mut self,
        name: impl Into<String>,
        of: impl Fn(&R) -> T + 'a,
    ) -> Self {
        let field = Box::new(move |row: &R| of(row).to_string());
        self.columns.push((name.into(), field));
        self
    }

    /// Adds the columns `name_low` and `name_high`.
    #[must_use]
    pub fn ends(self, name: &str, of: impl Fn(&R) -> Option<Interval> + Copy + 'a) -> Self {
        self.column(format!("{name}_low"), move |row| {
            number(of(row).map(|ends| ends.low))
        })
        .column(format!("{name}_high"), move |row| {
            number(of(row).map(|ends| ends.high))
        })
    }

    /// Adds the columns `name`, `name_low` and `name_high`.
    #[must_use]
    pub fn estimate(self, name: &str, of: impl Fn(&R) -> Option<Estimate> + Copy + 'a) -> Self {
        self.column(name, move |row| number(of(row).map(|known| known.value)))
            .ends(name, move |row| of(row)?.interval)
    }

    /// Writes the file `path`.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn write(&self, path: &Path, rows: impl IntoIterator<Item = R>) -> Result<()> {
        let hidden = Hidden::new(path);
        let written = csv::Writer::from_path(&hidden.0).and_then(|mut writer| {
            self.fill(&mut writer, rows)?;
            writer.flush()?;
            Ok(fs::rename(&hidden.0, path)?)
        });
        written.map_err(|error| ReportError::io(path, error))
    }

    /// Writes the header and the rows.
    ///
    /// # Errors
    /// A writer that fails.
    pub fn fill<W: io::Write>(
        &self,
        writer: &mut csv::Writer<W>,
        rows: impl IntoIterator<Item = R>,
    ) -> csv::Result<()> {
        writer.write_record(self.columns.iter().map(|(name, _)| name))?;
        for row in rows {
            writer.write_record(self.columns.iter().map(|(_, of)| of(&row)))?;
        }
        Ok(())
    }
}

impl<R> Default for CsvTable<'_, R> {
    fn default() -> Self {
        Self {
            columns: Vec::new(),
        }
    }
}

/// The field of a number; empty if the number is missing or not finite.
pub fn number(value: Option<f64>) -> String {
    let known = value.filter(|value| value.is_finite());
    known.map_or(String::new(), |value| value.to_string())
}

/// Replaces the file `path` atomically. A link, a pipe or a device is not replaced, but written to.
///
/// # Errors
/// A file that cannot be written.
pub fn write(path: &Path, text: impl AsRef<[u8]>) -> io::Result<()> {
    if fs::symlink_metadata(path).is_ok_and(|about| !about.is_file()) {
        return fs::write(path, text);
    }
    let hidden = Hidden::new(path);
    fs::write(&hidden.0, text).and_then(|()| fs::rename(&hidden.0, path))
}

/// A hidden file in the folder of a path. Its name contains the process and the call, so that two programs may write
/// the same path at once. It is removed unless it was renamed.
struct Hidden(PathBuf);

impl Hidden {
    fn new(path: &Path) -> Self {
        static CALLS: AtomicU64 = AtomicU64::new(0);
        let call = CALLS.fetch_add(1, Ordering::Relaxed);
        let mut hidden = std::ffi::OsString::from(".");
        hidden.push(path.file_name().unwrap_or_default());
        hidden.push(format!(".{}-{call}.new", std::process::id()));
        Self(path.with_file_name(hidden))
    }
}

impl Drop for Hidden {
    fn drop(&mut self) {
        // After a rename there is nothing to remove, and this fails.
        let _ = fs::remove_file(&self.0);
    }
}

/// Returns whether a file's name is that of a hidden file, as a killed program leaves it.
pub fn is_hidden(name: &std::ffi::OsStr) -> bool {
    let name = name.to_string_lossy();
    name.starts_with('.') && name.ends_with(".new")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_writers_of_a_path_have_two_hidden_files() {
        let [one, two] = [(); 2].map(|()| Hidden::new(Path::new("folder/summary.csv")));
        assert_ne!(one.0, two.0);
        for hidden in [&one, &two] {
            assert_eq!(hidden.0.parent(), Some(Path::new("folder")));
            let name = hidden.0.file_name().expect("a name");
            assert!(is_hidden(name), "{name:?}");
            let begin = format!(".summary.csv.{}-", std::process::id());
            assert!(name.to_string_lossy().starts_with(&begin), "{name:?}");
        }
        for name in [".git", "records.new", "run.toml"] {
            assert!(!is_hidden(name.as_ref()), "{name}");
        }
        assert_eq!(
            [Some(1.5), Some(f64::INFINITY), None].map(number),
            ["1.5", "", ""]
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link() {
        let folder = tempfile::tempdir().expect("a folder");
        let [file, link] = ["a", "b"].map(|name| folder.path().join(name));
        std::os::unix::fs::symlink(&file, &link).expect("linked");
        write(&link, "text").expect("written");
        assert!(link.is_symlink());
        assert_eq!(fs::read_to_string(file).expect("text"), "text");
    }

    #[test]
    fn a_file_that_is_not_finished_leaves_the_one_before() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("summary.csv");
        let table = CsvTable::default().column("value", |value: &u32| *value);
        table.write(&path, [1]).expect("written");
        let text = || fs::read_to_string(&path).expect("a whole file");
        assert_eq!(text(), "value\n1\n");
        let stopped = std::panic::catch_unwind(|| {
            let table = CsvTable::default().column("value", |value: &u32| *value);
            let rows = (2..4).inspect(|value| assert!(*value < 3, "stopped"));
            table.write(&path, rows)
        });
        assert!(stopped.is_err());
        assert_eq!(text(), "value\n1\n");
        table.write(&path, [4]).expect("written");
        assert_eq!(text(), "value\n4\n");
        // A new file replaces the one before, which keeps its text under its other name.
        let before = folder.path().join("before");
        fs::hard_link(&path, &before).expect("linked");
        write(&path, "5\n").expect("written");
        assert_eq!(text(), "5\n");
        assert_eq!(fs::read_to_string(&before).expect("text"), "value\n4\n");
        fs::remove_file(before).expect("removed");
        let left = fs::read_dir(folder.path()).expect("listed").count();
        assert_eq!(left, 1);
        let nowhere = folder.path().join("none").join("summary.csv");
        let error = table.write(&nowhere, [1]).expect_err("no folder");
        assert!(error.to_string().contains("summary.csv"), "{error}");
    }
}
