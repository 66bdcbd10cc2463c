//! Starts of one run folder without growth: a run that a scheduler restarts for ever gives up instead.
//!
//! Each start appends a line to the file `starts`: how many samples were finished then. If the last k starts all found
//! as many as stand there now, none of them added a sample. Then every missing sample becomes a row that says so.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use ikeru_core::AnyInstance;
use ikeru_reports::records::{GIVEN_UP, Outcome, Sample};

use crate::execute::Executor;
use crate::plan::{Cell, Stage};

/// The file in the run folder.
const FILE: &str = "starts";

/// Notes a start with `finished` samples. Returns how many starts in a row added no sample before it.
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

/// How many of the last starts in `before` found as many samples as now. A torn or strange line ends the count.
fn without_growth(before: &str, finished: usize) -> usize {
    let lines = before.lines().rev();
    let same = lines.take_while(|line| line.trim().parse() == Ok(finished));
    same.count()
}

/// Takes no sample: each is skipped, and says why.
pub(super) struct GivenUp {
    why: String,
}

impl GivenUp {
    /// After `starts` starts that added no sample.
    pub fn after(starts: usize) -> Self {
        Self {
            why: format!("{GIVEN_UP}{starts} starts of its shard in a row added no sample"),
        }
    }
}

impl Executor for GivenUp {
    type Prepared<'a> = ();

    fn sample(
        &self,
        _: &Stage,
        _: &Cell,
        _: &dyn AnyInstance,
        _: &mut Option<()>,
    ) -> Result<Sample> {
        Ok(Sample::failed(Outcome::Skipped, &self.why))
    }
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
