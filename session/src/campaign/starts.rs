//! Starts of one run folder without growth: a run that a scheduler restarts again and again gives up after some of
//! them.
//!
//! Each start appends a line to the file `starts`: the number of samples that were finished at that time. If the last
//! k lines all have the present number, none of these starts added a sample. Every missing sample then becomes a row
//! with this reason.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};

/// The file in the run folder.
const FILE: &str = "starts";

/// Notes a start with `finished` samples. Returns the number of consecutive starts before it that added no sample.
///
/// # Errors
/// A file that cannot be read or written.
pub(super) fn note(folder: &Path, finished: usize) -> Result<usize> {
    let path = folder.join(FILE);
    let place = || path.display().to_string();
    let before = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(error).with_context(place),
    };
    let mut options = OpenOptions::new();
    let file = options.append(true).create(true).open(&path);
    file.and_then(|mut file| writeln!(file, "{finished}"))
        .with_context(place)?;
    Ok(without_growth(&before, finished))
}

/// The number of last lines in `before` that have the present number of finished samples. A torn or invalid line ends
/// the count.
fn without_growth(before: &str, finished: usize) -> usize {
    let lines = before.lines().rev();
    let same = lines.take_while(|line| line.trim().parse() == Ok(finished));
    same.count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_without_growth_are_counted_from_the_last() {
        assert_eq!(without_growth("", 0), 0);
        assert_eq!(without_growth("0\n", 0), 1);
        assert_eq!(without_growth("0\n0\n7\n7\n7\n", 7), 3);
        assert_eq!(without_growth("7\n7\n9\n", 7), 0);
        assert_eq!(without_growth("7\nx\n7\n", 7), 1);
    }

    #[test]
    fn each_start_is_noted() {
        let folder = tempfile::tempdir().expect("a folder");
        let counts: Vec<usize> = [0, 0, 4, 4, 4, 5]
            .into_iter()
            .map(|finished| note(folder.path(), finished).expect("noted"))
            .collect();
        assert_eq!(counts, [0, 1, 0, 1, 2, 0]);
    }
}
