//! Slurm's commands and what they print: limits, arrays, the queue.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};

/// Slurm's limits, from `scontrol show config`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Tasks of one array, numbered from 0.
    pub array: u32,
    /// Jobs and tasks in the queue at one time.
    pub jobs: u32,
}

impl Limits {
    /// The limits of Slurm's default configuration.
    const USUAL: Self = Self {
        array: 1001,
        jobs: 10_000,
    };

    /// Reads the lines `MaxArraySize = 1001` and `MaxJobCount = 10000` of a [`configuration`].
    pub fn read(text: &str) -> Self {
        let number = |name| value(text, name)?.parse().ok();
        Self {
            array: number("MaxArraySize").unwrap_or(Self::USUAL.array),
            jobs: number("MaxJobCount").unwrap_or(Self::USUAL.jobs),
        }
    }

    /// Refuses more tasks than the queue takes, with the job that merges.
    ///
    /// # Errors
    /// Both numbers, and what to do.
    pub fn check(self, tasks: usize) -> Result<()> {
        if self.array == 0 {
            bail!(
                "this Slurm takes no arrays (MaxArraySize = 0); `ikeru cluster emit --as commands` needs none"
            );
        }
        if tasks as u64 + 1 > u64::from(self.jobs) {
            bail!(
                "{tasks} tasks and the merge, but this Slurm takes {} jobs (MaxJobCount): fewer --tasks or a longer --task-time",
                self.jobs
            );
        }
        Ok(())
    }
}

/// The output of `scontrol show config`.
///
/// # Errors
/// Slurm's commands are missing, or no controller answers.
pub fn configuration() -> Result<String> {
    said("scontrol", &["show", "config"])
}

/// The value of a line `NAME = VALUE` of a configuration.
fn value<'a>(configuration: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = configuration
        .lines()
        .filter_map(|line| line.split_once('='));
    let (_, value) = lines.find(|(key, _)| key.trim() == name)?;
    Some(value.trim())
}

/// One array of tasks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Array {
    /// The shard of task 0.
    pub first: u32,
    /// The tasks, as `--array` takes them: `0-3,7`.
    pub tasks: String,
}

/// The arrays for `shards`, which count from 1: no task has a number of `most` or more.
pub fn arrays(shards: &[u32], most: u32) -> Vec<Array> {
    let most = most.max(1);
    let chunk = |shard: &u32| (shard - 1) / most;
    let chunks = shards.chunk_by(|a, b| chunk(a) == chunk(b));
    let array = |own: &[u32]| {
        let first = 1 + own.first().map_or(0, chunk) * most;
        let tasks: Vec<u32> = own.iter().map(|shard| shard - first).collect();
        Array {
            first,
            tasks: ranges(&tasks),
        }
    };
    chunks.map(array).collect()
}

/// Ascending numbers as `0-3,7`.
fn ranges(numbers: &[u32]) -> String {
    let runs = numbers.chunk_by(|a, b| a + 1 == *b);
    let words = runs.map(|run| match run {
        [one] => one.to_string(),
        _ => format!("{}-{}", run[0], run[run.len() - 1]),
    });
    words.collect::<Vec<_>>().join(",")
}

/// An entry of the queue: tasks of one array, or a job without tasks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Queued {
    /// The number of the job.
    pub job: u64,
    /// The tasks; `None` if the line does not name all of them.
    pub tasks: Option<BTreeSet<u32>>,
    /// Slurm's word for the state, like `PENDING`.
    pub state: String,
}

impl Queued {
    /// Returns whether the tasks have a node.
    pub fn is_running(&self) -> bool {
        let mut waiting =
            "PENDING REQUEUED REQUEUE_HOLD REQUEUE_FED SPECIAL_EXIT RESV_DEL_HOLD".split(' ');
        waiting.all(|state| state != self.state)
    }
}

/// The queue of this user.
///
/// # Errors
/// `squeue` is missing, no controller answers, or a line has another form.
pub fn queue() -> Result<Vec<Queued>> {
    let text = said("squeue", &["--me", "--noheader", "--format=%i|%T"])?;
    text.lines().map(queued).collect()
}

/// Reads a line of `squeue --format=%i|%T`: `123_7|RUNNING`, or compact `123_[1,3-5%2]|PENDING`.
fn queued(line: &str) -> Result<Queued> {
    let wrong = || anyhow!("squeue: `{line}`, expected a line like 123_[1-4%2]|PENDING");
    let (id, state) = line.trim().split_once('|').ok_or_else(wrong)?;
    let (job, tasks) = match id.split_once('_') {
        None => (id, Some(BTreeSet::new())),
        Some((job, tasks)) => (job, self::tasks(tasks).map_err(|()| wrong())?),
    };
    Ok(Queued {
        // A part of a heterogeneous job has its own number after a plus sign.
        job: job
            .split('+')
            .next()
            .unwrap_or(job)
            .parse()
            .map_err(|_| wrong())?,
        tasks,
        state: state.to_owned(),
    })
}

/// Reads `7`, `[1,3-5%2]` or `[1-9:2]`. `None` for a list that Slurm cut short with `...`.
fn tasks(text: &str) -> Result<Option<BTreeSet<u32>>, ()> {
    let inside = text
        .strip_prefix('[')
        .map_or(Ok(text), |rest| rest.strip_suffix(']').ok_or(()))?;
    let list = inside.split('%').next().unwrap_or(inside);
    if list.ends_with("...") {
        return Ok(None);
    }
    let number = |text: &str| text.parse::<u32>().map_err(drop);
    let mut tasks = BTreeSet::new();
    for part in list.split(',') {
        let (range, step) = part.split_once(':').unwrap_or((part, "1"));
        let (from, to) = range.split_once('-').unwrap_or((range, range));
        let step = usize::try_from(number(step)?).map_err(drop)?;
        tasks.extend((number(from)?..=number(to)?).step_by(step.max(1)));
    }
    Ok(Some(tasks))
}

/// Waits between attempts while the controller does not answer.
const WAITS: [u64; 4] = [2, 4, 8, 16];

/// Messages of `sbatch` while the controller does not answer. If the queue is full, `sbatch` itself tries again for
/// two minutes.
const AWAY: [&str; 2] = ["Socket timed out", "Unable to contact slurm controller"];

/// Submits a batch job and returns its number. A controller that does not answer is asked again for half a minute.
///
/// # Errors
/// The message of `sbatch`.
pub fn submit(arguments: &[String]) -> Result<u64> {
    let words: Vec<&str> = std::iter::once("--parsable")
        .chain(arguments.iter().map(String::as_str))
        .collect();
    let mut waits = WAITS.iter();
    let text = loop {
        match said("sbatch", &words) {
            Ok(text) => break text,
            Err(error) => {
                let is_away = AWAY.iter().any(|word| error.to_string().contains(word));
                let Some(wait) = waits.next().filter(|_| is_away) else {
                    return Err(error);
                };
                // If standard error is closed, there is no place left to report it.
                let _ = writeln!(std::io::stderr(), "{error}; once more in {wait} s");
                std::thread::sleep(Duration::from_secs(*wait));
            }
        }
    };
    // `123` or `123;cluster`.
    let number = text.trim().split(';').next().unwrap_or_default();
    number
        .parse()
        .with_context(|| format!("sbatch: `{}`, expected the number of a job", text.trim()))
}

/// Puts the task of this job back into the queue if it runs; a cancelled job stays cancelled. Returns whether it did.
///
/// # Errors
/// Slurm's commands are missing, or refuse.
pub fn requeue(task: &str) -> Result<bool> {
    let state = said("squeue", &["--noheader", "--format=%T", "--jobs", task])?;
    if state.trim() != "RUNNING" {
        return Ok(false);
    }
    said("scontrol", &["requeue", task]).map(|_| true)
}

/// Returns whether no other job may use the nodes of a job, from `scontrol show job`.
fn is_exclusive(text: &str) -> bool {
    text.split_whitespace()
        .any(|word| word == "OverSubscribe=NO")
}

/// Refuses isolated timing in a job whose nodes other jobs may use.
///
/// # Errors
/// Advice, or the message of Slurm's commands.
pub fn check_exclusive(job: &str) -> Result<()> {
    if is_exclusive(&said("scontrol", &["show", "job", job])?) {
        return Ok(());
    }
    bail!(
        "isolated timing in a job whose node other jobs may use: submit it with --exclusive, measure with --mode contended, \
         or divide the campaign with --share-nodes to time nevertheless"
    )
}

/// The standard output of one of Slurm's commands.
fn said(program: &str, arguments: &[&str]) -> Result<String> {
    let mut command = Command::new(program);
    // Lists of tasks are not cut short.
    command
        .args(arguments)
        .env("SLURM_BITSTR_LEN", "0")
        .stdin(Stdio::null());
    let output = command.output().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => anyhow!(
            "{program}: not found; Slurm's commands are needed here (`ikeru cluster emit --as commands` needs none)"
        ),
        _ => anyhow!("{program}: {error}"),
    })?;
    if !output.status.success() {
        let error = String::from_utf8_lossy(&output.stderr);
        let lines: Vec<&str> = error
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .collect();
        let why = if lines.is_empty() {
            output.status.to_string()
        } else {
            lines.join("; ")
        };
        bail!(
            "{program}: {}",
            why.trim_start_matches(&format!("{program}: "))
        );
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read_from_the_configuration() {
        let text = "Configuration data as of 2026-11-22T10:00:00\nMaxArraySize            = 64\n\
                    MaxDBDMsgs              = 20008\nMaxJobCount             = 500\nMaxJobId = 67043328\n";
        let limits = Limits::read(text);
        assert_eq!(
            limits,
            Limits {
                array: 64,
                jobs: 500
            }
        );
        assert_eq!(Limits::read(""), Limits::USUAL);
        assert!(limits.check(499).is_ok());
        let error = limits.check(500).expect_err("one too many").to_string();
        assert!(
            error.contains("500 tasks") && error.contains("takes 500 jobs"),
            "{error}"
        );
        assert!(Limits { array: 0, jobs: 9 }.check(1).is_err());
    }

    #[test]
    fn no_array_has_more_tasks_than_it_may() {
        let all: Vec<u32> = (1..=5).collect();
        let array = |first, tasks: &str| Array {
            first,
            tasks: tasks.to_owned(),
        };
        assert_eq!(arrays(&all, 1001), [array(1, "0-4")]);
        assert_eq!(
            arrays(&all, 2),
            [array(1, "0-1"), array(3, "0-1"), array(5, "0")]
        );
        // The tasks of those that are missing have the same numbers as before.
        assert_eq!(
            arrays(&[2, 3, 7, 8, 9], 4),
            [array(1, "1-2"), array(5, "2-3"), array(9, "0")]
        );
        assert_eq!(arrays(&[], 4), []);
    }

    #[test]
    fn compact_lists_of_tasks_are_read() {
        let read = |line: &str| {
            let queued = queued(line).expect(line);
            let tasks = queued
                .tasks
                .clone()
                .map(|tasks| tasks.into_iter().collect::<Vec<_>>());
            (queued.job, tasks, queued.is_running())
        };
        assert_eq!(read("123_[1%1]|PENDING"), (123, Some(vec![1]), false));
        assert_eq!(read("123_7|RUNNING"), (123, Some(vec![7]), true));
        assert_eq!(
            read("123_[0,3-5,9%2]|PENDING"),
            (123, Some(vec![0, 3, 4, 5, 9]), false)
        );
        assert_eq!(
            read("123_[1-7:3]|PENDING"),
            (123, Some(vec![1, 4, 7]), false)
        );
        assert_eq!(read("123_3|COMPLETING"), (123, Some(vec![3]), true));
        assert_eq!(read("123_3|REQUEUED"), (123, Some(vec![3]), false));
        assert_eq!(read("124|PENDING"), (124, Some(vec![]), false));
        assert_eq!(read("124+1|RUNNING"), (124, Some(vec![]), true));
        assert_eq!(read("123_[1,3,5,7,9,...]|PENDING"), (123, None, false));
        assert_eq!(read("123_[1,3,5,7,...%4]|PENDING"), (123, None, false));
        for wrong in [
            "",
            "123",
            "x_1|PENDING",
            "123_[1|PENDING",
            "123_[a]|PENDING",
            "1_[3-]|PENDING",
        ] {
            assert!(queued(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_node_is_ones_own_if_nothing_else_may_use_it() {
        let job = |word: &str| {
            format!(
                "JobId=7 JobName=x\n   Requeue=1 Restarts=0\n   OverSubscribe={word} Contiguous=0\n"
            )
        };
        assert!(is_exclusive(&job("NO")));
        assert!(!is_exclusive(&job("OK")) && !is_exclusive(&job("YES")) && !is_exclusive(""));
    }
}
