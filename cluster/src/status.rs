//! The progress of each shard: from its journal first, from the scheduler's queue second.
//!
//! A queue lists a task for some minutes after its end, and may not list a task whose node died. A shard whose
//! journal holds every sample is therefore done, independently of the queue. The queue shows which of the other
//! shards will continue.

use std::collections::HashSet;
use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use ikeru_records::{GIVEN_UP, Reader, RowText};

use super::Divided;
use super::folder::SubmittedArray;
use super::slurm::Queued;

ikeru_core::names! {
    /// The state of a shard.
    #[derive(PartialOrd, Ord)]
    pub enum ShardState {
        /// Every sample is in its journal.
        Done = "done",
        /// Every sample is in its journal; some are rows of a shard that gave up.
        GivenUp = "given up",
        /// A node works on it.
        Running = "running",
        /// It is in the queue.
        Waiting = "waiting",
        /// It was submitted, is not done, and is not in the queue: it is to be submitted again.
        Lost = "lost",
        /// It is not done, and no queue is known to have it.
        Open = "open",
    }
}

/// The progress of a shard.
#[derive(Debug, Clone, PartialEq)]
pub struct ShardProgress {
    /// Its number.
    pub shard: u32,
    /// Its state.
    pub state: ShardState,
    /// Samples of its questions in its journal.
    pub done: u64,
    /// Samples that it has to take.
    pub samples: u64,
    /// Its expected time.
    pub expected: Duration,
    /// The time from the start of its first sample to the start of its last.
    pub spent: Duration,
}

/// A shard's journal.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct ShardJournal {
    done: u64,
    has_given_up: bool,
    spent: Duration,
}

/// The progress of every shard that `is_asked`; `queue` is the scheduler's, if there is one.
///
/// # Errors
/// A journal that is wrong; a list of jobs that is wrong.
pub fn progress(
    divided: &Divided,
    queue: Option<&[Queued]>,
    is_asked: impl Fn(u32) -> bool,
) -> Result<Vec<ShardProgress>> {
    let jobs = divided.jobs()?;
    let asked = divided.shards().filter(|(shard, _)| is_asked(*shard));
    let shards = asked.map(|(shard, questions)| {
        let samples = questions.iter().map(|one| one.samples).sum();
        let own = questions.iter().map(|one| one.question.to_string());
        let path = divided.shard_folder(shard).join("records.csv");
        let journal = journal(&path, &own.collect())?;
        Ok(ShardProgress {
            shard,
            state: state(&journal, samples, queued(shard, &jobs, queue)),
            done: journal.done,
            samples,
            expected: questions.iter().map(|one| one.expected).sum(),
            spent: journal.spent,
        })
    });
    shards.collect()
}

/// The state of a shard that is not done, by the queue.
fn queued(shard: u32, jobs: &[SubmittedArray], queue: Option<&[Queued]>) -> ShardState {
    let Some(queue) = queue else {
        return ShardState::Open;
    };
    let mut found = ShardState::Open;
    for job in jobs {
        let Some(task) = shard.checked_sub(job.first) else {
            continue;
        };
        if found == ShardState::Open {
            found = ShardState::Lost;
        }
        let own = queue.iter().filter(|queued| queued.job == job.job);
        for queued in own {
            let is_own = queued
                .tasks
                .as_ref()
                .is_none_or(|tasks| tasks.contains(&task));
            if is_own && queued.is_running() {
                return ShardState::Running;
            }
            if is_own {
                found = ShardState::Waiting;
            }
        }
    }
    found
}

fn state(journal: &ShardJournal, samples: u64, queued: ShardState) -> ShardState {
    match journal.has_given_up {
        _ if journal.done < samples => queued,
        true => ShardState::GivenUp,
        false => ShardState::Done,
    }
}

/// Reads the rows of a shard's `questions`: a folder may have been copied to the place of another. A journal that is not
/// there, or has no whole line yet, is empty.
fn journal(path: &Path, questions: &HashSet<String>) -> Result<ShardJournal> {
    let begins = std::fs::read(path).unwrap_or_default();
    if !begins.contains(&b'\n') {
        return Ok(ShardJournal::default());
    }
    let mut reader = Reader::open(path)?;
    let places = reader.places([
        "experiment",
        "question",
        "sample",
        "attempt",
        "asked",
        "detail",
        "started_ns",
    ]);
    let mut samples = HashSet::new();
    let mut has_given_up = false;
    let (mut first, mut last) = (u64::MAX, 0);
    let mut row = RowText::default();
    while reader.next(&mut row)?.is_some() {
        let [
            experiment,
            question,
            sample,
            attempt,
            asked,
            detail,
            started,
        ] = row.texts(places);
        if attempt != "0" || !questions.contains(&question) {
            continue;
        }
        samples.insert((experiment, sample));
        has_given_up |= asked == "false" && detail.starts_with(GIVEN_UP);
        // A clock before 1970 leaves the field empty.
        if let Ok(started) = started.parse() {
            (first, last) = (first.min(started), last.max(started));
        }
    }
    Ok(ShardJournal {
        done: samples.len() as u64,
        has_given_up,
        spent: Duration::from_nanos(last.saturating_sub(first)),
    })
}

/// The shards that are neither done nor in the queue.
pub fn missing(progress: &[ShardProgress]) -> Vec<u32> {
    let open = progress
        .iter()
        .filter(|one| matches!(one.state, ShardState::Lost | ShardState::Open));
    open.map(|one| one.shard).collect()
}

/// The time that the running shards need for all remaining samples; `None` if no shard runs, or if no pace is known.
///
/// The pace is the spent time of the finished samples divided by their expected time; the remaining samples are
/// assumed to have the same pace.
pub fn left(progress: &[ShardProgress]) -> Option<Duration> {
    let share = |one: &ShardProgress| (one.done as f64 / one.samples.max(1) as f64).min(1.0);
    let expected = |one: &ShardProgress| one.expected.as_secs_f64();
    let begun = || progress.iter().filter(|one| one.done > 1);
    let spent: f64 = begun().map(|one| one.spent.as_secs_f64()).sum();
    let planned: f64 = begun().map(|one| expected(one) * share(one)).sum();
    let running = progress
        .iter()
        .filter(|one| one.state == ShardState::Running);
    let count = running.clone().count();
    if count == 0 || planned <= 0.0 {
        return None;
    }
    let pace = spent / planned;
    let rest = |one: &ShardProgress| expected(one) * (1.0 - share(one)) * pace;
    let is_coming =
        |one: &&ShardProgress| matches!(one.state, ShardState::Running | ShardState::Waiting);
    let all: f64 = progress.iter().filter(is_coming).map(rest).sum();
    let longest = running.map(rest).fold(0.0, f64::max);
    Duration::try_from_secs_f64(longest.max(all / count as f64)).ok()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn entry(job: u64, tasks: Option<&[u32]>, state: &str) -> Queued {
        Queued {
            job,
            tasks: tasks.map(|tasks| BTreeSet::from_iter(tasks.iter().copied())),
            state: state.to_owned(),
        }
    }

    #[test]
    fn the_queue_is_asked_for_each_shards_task() {
        let jobs = [
            SubmittedArray { job: 5, first: 1 },
            SubmittedArray { job: 6, first: 4 },
        ];
        let queue = [
            entry(5, Some(&[1]), "RUNNING"),
            entry(5, Some(&[2]), "PENDING"),
            entry(6, None, "PENDING"),
            entry(9, Some(&[0]), "RUNNING"),
        ];
        let of = |shard| queued(shard, &jobs, Some(&queue));
        assert_eq!(
            (of(1), of(2), of(3)),
            (ShardState::Lost, ShardState::Running, ShardState::Waiting)
        );
        assert_eq!(
            of(4),
            ShardState::Waiting,
            "a list that was cut short may have it"
        );
        assert_eq!(queued(1, &jobs, None), ShardState::Open);
        assert_eq!(queued(1, &[], Some(&queue)), ShardState::Open);
        // Submitted again: the first job is not in the queue, the second one has the task.
        let again = [
            SubmittedArray { job: 5, first: 1 },
            SubmittedArray { job: 7, first: 1 },
        ];
        assert_eq!(
            queued(1, &again, Some(&[entry(7, Some(&[0]), "PENDING")])),
            ShardState::Waiting
        );
    }

    #[test]
    fn a_journal_is_believed_before_the_queue() {
        let whole = ShardJournal {
            done: 4,
            ..ShardJournal::default()
        };
        assert_eq!(state(&whole, 4, ShardState::Running), ShardState::Done);
        let given_up = ShardJournal {
            has_given_up: true,
            ..whole
        };
        assert_eq!(state(&given_up, 4, ShardState::Lost), ShardState::GivenUp);
        let part = ShardJournal {
            done: 3,
            ..ShardJournal::default()
        };
        assert_eq!(state(&part, 4, ShardState::Lost), ShardState::Lost);
        assert_eq!(state(&part, 4, ShardState::Waiting), ShardState::Waiting);
        assert_eq!(state(&part, 4, ShardState::Open), ShardState::Open);
    }

    #[test]
    fn what_is_left_is_taken_to_be_as_slow_as_what_is_done() {
        let shard = |state, done, spent| ShardProgress {
            shard: 1,
            state,
            done,
            samples: 10,
            expected: Duration::from_secs(100),
            spent: Duration::from_secs(spent),
        };
        // Samples take twice their expected time: the running shard has 100 s left, and the waiting shard 200 s.
        let all = [
            shard(ShardState::Done, 10, 200),
            shard(ShardState::Running, 5, 100),
            shard(ShardState::Waiting, 0, 0),
        ];
        assert_eq!(left(&all), Some(Duration::from_secs(300)));
        assert_eq!(left(&all[..1]), None);
        assert_eq!(missing(&all), [] as [u32; 0]);
        assert_eq!(missing(&[shard(ShardState::Lost, 1, 1)]), [1]);
    }

    #[test]
    fn a_journal_that_has_not_begun_is_empty() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("records.csv");
        let journal = |path: &Path| journal(path, &HashSet::new());
        assert_eq!(journal(&path).expect("nothing"), ShardJournal::default());
        std::fs::write(&path, "schema,exp").expect("written");
        assert_eq!(journal(&path).expect("torn"), ShardJournal::default());
    }
}
