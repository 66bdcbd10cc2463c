//! Questions with their expected times, divided into shards of about equal time.
//!
//! All variants of a question are in one shard, so that ratios stay paired on one node. The expected time of a cell
//! is that of the same cell in an earlier run. If the run lacks the cell, it is that of the cell with the same label
//! and the nearest size, or else an equal part of the time that its experiment declares.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap};
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use ikeru_core::ContentHash;
use ikeru_records::{Reader, RowText};

/// A question with all cells that answer it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShardQuestion {
    /// Its identity.
    pub question: ContentHash,
    /// Samples of all its cells.
    pub samples: u64,
    /// The expected time of these samples on one core.
    pub expected: Duration,
}

/// The requested number of shards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tasks {
    /// This number, at most one per question.
    Count(u32),
    /// The number that gives each shard about this time.
    Time(Duration),
}

/// Divides the questions: the longest first, each to the shard with the least time so far.
///
/// # Errors
/// No question.
pub fn divide(mut questions: Vec<ShardQuestion>, tasks: Tasks) -> Result<Vec<Vec<ShardQuestion>>> {
    if questions.is_empty() {
        bail!("no question to divide");
    }
    let whole: Duration = questions.iter().map(|question| question.expected).sum();
    let wanted = match tasks {
        Tasks::Count(count) => count as usize,
        Tasks::Time(each) => (whole.as_secs_f64() / each.as_secs_f64().max(1e-9)).ceil() as usize,
    };
    let mut shards = vec![Vec::new(); wanted.clamp(1, questions.len())];
    questions.sort_by_key(|question| (Reverse(question.expected), question.question));
    // Equal loads go to the shard with fewer questions: expected times may be zero.
    let mut loads: BinaryHeap<_> = (0..shards.len())
        .map(|at| Reverse((Duration::ZERO, 0_usize, at)))
        .collect();
    for question in questions {
        if let Some(Reverse((load, count, at))) = loads.pop() {
            shards[at].push(question);
            loads.push(Reverse((load + question.expected, count + 1, at)));
        }
    }
    Ok(shards)
}

/// The times of samples in an earlier run.
#[derive(Default)]
pub struct Earlier {
    /// The mean time of a sample, by experiment and cell.
    cells: HashMap<(String, String), Mean>,
    /// The mean time by experiment and label, and the size.
    labels: HashMap<(String, String), BTreeMap<u64, Mean>>,
}

/// A sum of times and their number.
#[derive(Debug, Clone, Copy, Default)]
struct Mean(Duration, u32);

impl Mean {
    fn add(&mut self, time: Duration) {
        self.0 += time;
        self.1 += 1;
    }

    fn value(self) -> Duration {
        self.0 / self.1.max(1)
    }
}

impl Earlier {
    /// Reads the times of a run folder: those of preparations and answers.
    ///
    /// # Errors
    /// A folder without a run.
    pub fn read(folder: &Path) -> Result<Self> {
        let path = folder.join("records.csv");
        let mut reader = Reader::open(&path)?;
        let places = reader.places([
            "experiment",
            "cell",
            "label",
            "size",
            "batch_ns",
            "prepare_ns",
        ]);
        let mut earlier = Self::default();
        let mut row = RowText::default();
        while reader
            .next(&mut row)
            .with_context(|| path.display().to_string())?
            .is_some()
        {
            let [experiment, cell, label, size, batch, prepare] = row.texts(places);
            let nanoseconds = |text: &str| Duration::from_nanos(text.parse().unwrap_or(0));
            let time = nanoseconds(&batch) + nanoseconds(&prepare);
            earlier
                .cells
                .entry((experiment.clone(), cell))
                .or_default()
                .add(time);
            let sizes = earlier.labels.entry((experiment, label)).or_default();
            sizes
                .entry(size.parse().unwrap_or(0))
                .or_default()
                .add(time);
        }
        Ok(earlier)
    }

    /// The expected time of one sample of a cell, by its experiment, its identity, its label in tables and the size of its
    /// instance; `None` if the run has neither the cell nor its label.
    pub fn sample_of(
        &self,
        experiment: &str,
        cell: &str,
        label: &str,
        size: u64,
    ) -> Option<Duration> {
        let key = |of_cell: &str| (experiment.to_owned(), of_cell.to_owned());
        if let Some(mean) = self.cells.get(&key(cell)) {
            return Some(mean.value());
        }
        let sizes = self.labels.get(&key(label))?;
        let nearest = sizes.iter().min_by_key(|(known, _)| known.abs_diff(size));
        nearest.map(|(_, mean)| mean.value())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(number: u32, seconds: u64) -> ShardQuestion {
        ShardQuestion {
            question: ContentHash::of(&[&number.to_le_bytes()]),
            samples: 1,
            expected: Duration::from_secs(seconds),
        }
    }

    fn loads(shards: &[Vec<ShardQuestion>]) -> Vec<u64> {
        let load =
            |shard: &Vec<ShardQuestion>| shard.iter().map(|one| one.expected.as_secs()).sum();
        let mut loads: Vec<u64> = shards.iter().map(load).collect();
        loads.sort_unstable();
        loads
    }

    #[test]
    fn shards_have_about_equal_times_and_not_equal_counts() {
        let mut questions: Vec<_> = (0..30).map(|number| question(number, 1)).collect();
        questions.push(question(99, 30));
        let shards = divide(questions, Tasks::Count(2)).expect("questions");
        assert_eq!(loads(&shards), [30, 30]);
        let mut counts: Vec<usize> = shards.iter().map(Vec::len).collect();
        counts.sort_unstable();
        assert_eq!(counts, [1, 30]);
    }

    #[test]
    fn a_time_decides_how_many_shards_there_are() {
        let questions: Vec<_> = (0..10).map(|number| question(number, 60)).collect();
        let shards = divide(questions.clone(), Tasks::Time(Duration::from_secs(120)));
        assert_eq!(loads(&shards.expect("questions")), [120; 5]);
        let one = divide(questions.clone(), Tasks::Time(Duration::from_secs(3600)));
        assert_eq!(one.expect("questions").len(), 1);
        let many = divide(questions, Tasks::Count(1000)).expect("questions");
        assert_eq!(many.len(), 10, "no shard is empty");
        assert!(divide(Vec::new(), Tasks::Count(3)).is_err());
    }

    #[test]
    fn questions_without_a_time_are_divided_by_count() {
        let questions = (0..9).map(|number| question(number, 0)).collect();
        let shards = divide(questions, Tasks::Count(3)).expect("questions");
        assert!(shards.iter().all(|shard| shard.len() == 3), "{shards:?}");
    }
}
