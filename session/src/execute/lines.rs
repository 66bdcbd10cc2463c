//! The lines that a process writes, the values that they name, and the end of its standard error.
//!
//! The memory is bounded for any output: a line has a maximum length, and of standard error only the end is kept.

use std::collections::{BTreeMap, VecDeque};
use std::io::{ErrorKind, Read};
use std::process::{Child, ChildStderr, ChildStdout};
use std::time::{Duration, Instant};

use anyhow::Result;
use serde_json::value::RawValue;

use crate::interrupt;
use crate::system::{self, Waitable};

/// The number of bytes kept from the end of standard error: 16 MiB.
const KEPT_WORDS: usize = 1 << 24;
/// The number of bytes of standard error that explain a failure.
const LAST_WORDS: usize = 1 << 16;

/// The interval at which the end of a process is checked; another process may hold its output open.
pub const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Reads a stream of lines, and standard error at the same time.
pub struct LineReader<S> {
    /// What is read.
    pub source: S,
    /// Bytes of the source.
    read: Vec<u8>,
    /// The number of these bytes that were returned as lines.
    given: usize,
    /// The number of these bytes that are known to contain no end of a line that was not returned.
    searched: usize,
    longest: usize,
    stderr: Option<ChildStderr>,
    words: VecDeque<u8>,
}

/// The next line or event.
pub enum Heard {
    /// A line with its end.
    Line(Vec<u8>),
    /// A line longer than the maximum.
    TooLong,
    /// The stream is at its end.
    Closed,
    /// No line within the time limit.
    Late,
    /// The run should stop.
    Interrupted,
}

impl<S: Read + Waitable> LineReader<S> {
    /// The lines of `source`, of at most `longest` bytes each.
    pub fn new(source: S, stderr: Option<ChildStderr>, longest: usize) -> Self {
        Self {
            source,
            read: Vec::new(),
            given: 0,
            searched: 0,
            longest,
            stderr,
            words: VecDeque::new(),
        }
    }

    /// The next line or event, at the latest at `until`.
    ///
    /// # Errors
    /// When the system cannot wait.
    pub fn next(&mut self, until: Option<Instant>) -> Result<Heard> {
        loop {
            let rest = &self.read[self.searched..];
            if let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
                let end = self.searched + end + 1;
                let line = self.read[self.given..end].to_vec();
                (self.given, self.searched) = (end, end);
                return Ok(Heard::Line(line));
            }
            // The rest is moved once for each read and not for each line.
            self.read.drain(..self.given);
            (self.given, self.searched) = (0, self.read.len());
            if self.read.len() > self.longest {
                return Ok(Heard::TooLong);
            }
            let left = until.map(|until| until.saturating_duration_since(Instant::now()));
            if left.is_some_and(|left| left.is_zero()) {
                return Ok(Heard::Late);
            }
            let [source, interrupt, stderr] = self.wait(left)?;
            if interrupt {
                return Ok(Heard::Interrupted);
            }
            if stderr {
                self.read_stderr();
            }
            if source && !self.read_source() {
                return Ok(Heard::Closed);
            }
        }
    }

    /// Returns whether there is output that was not returned yet.
    ///
    /// # Errors
    /// When the system cannot report it.
    pub fn has_more(&self) -> Result<bool> {
        let [source, ..] = self.wait(Some(Duration::ZERO))?;
        Ok(self.given < self.read.len() || source)
    }

    /// The output after the last end of a line.
    pub fn rest(&mut self) -> Vec<u8> {
        let rest = self.read.split_off(self.given);
        self.read.clear();
        (self.given, self.searched) = (0, 0);
        rest
    }

    /// The end of standard error that explains a failure.
    pub fn last_words(&mut self) -> String {
        self.words(LAST_WORDS)
    }

    /// Standard error as far as it was kept.
    pub fn all_words(&mut self) -> String {
        self.words(KEPT_WORDS)
    }

    /// The last `most` bytes of standard error that are available: children of the process may still hold it open.
    fn words(&mut self, most: usize) -> String {
        for _ in 0..16 {
            match self.wait(Some(Duration::ZERO)) {
                Ok([_, _, true]) if self.read_stderr() => {}
                _ => break,
            }
        }
        let words = self.words.make_contiguous();
        let from = words.len().saturating_sub(most);
        String::from_utf8_lossy(&words[from..]).into_owned()
    }

    /// Waits until the source or standard error is readable, or the run should stop.
    fn wait(&self, most: Option<Duration>) -> Result<[bool; 3]> {
        let wakes = interrupt::wakes().map(|it| it as &dyn Waitable);
        let stderr = self.stderr.as_ref().map(|it| it as &dyn Waitable);
        Ok(system::wait([Some(&self.source), wakes, stderr], most)?)
    }

    /// Reads from the source; returns whether it is still open.
    fn read_source(&mut self) -> bool {
        let mut chunk = [0; 1 << 16];
        match self.source.read(&mut chunk) {
            Ok(0) => false,
            Ok(read) => {
                self.read.extend_from_slice(&chunk[..read]);
                true
            }
            Err(error) => error.kind() == ErrorKind::Interrupted,
        }
    }

    /// Reads standard error and keeps its end; returns whether it is still open.
    fn read_stderr(&mut self) -> bool {
        let mut chunk = [0; 1 << 16];
        match self.stderr.as_mut().map(|stderr| stderr.read(&mut chunk)) {
            Some(Ok(read)) if read > 0 => {
                self.words.extend(&chunk[..read]);
                let too_many = self.words.len().saturating_sub(KEPT_WORDS);
                self.words.drain(..too_many);
                true
            }
            _ => {
                self.stderr = None;
                false
            }
        }
    }
}

/// The output of a process.
pub enum HeardAll {
    /// All of it.
    Whole(Vec<u8>),
    /// More than the maximum.
    TooLong,
    /// The time of the process was over before.
    Late,
    /// The run should stop.
    Interrupted,
}

impl LineReader<ChildStdout> {
    /// All that a process prints until it closes its output, or ends: a process that it started may hold the output open. `look`
    /// gives the moment of the next look at the process; `None` if its time is over.
    ///
    /// # Errors
    /// When the system cannot wait.
    pub fn all(
        &mut self,
        child: &Child,
        mut look: impl FnMut() -> Option<Instant>,
    ) -> Result<HeardAll> {
        let (mut all, mut has_ended) = (Vec::new(), false);
        let mut until = look();
        while until.is_some() {
            match self.next(until)? {
                Heard::Line(line) => all.extend(line),
                Heard::Late if !has_ended => {
                    has_ended = system::has_ended(child);
                    // Its output before its end is read first.
                    let last = || Some(Instant::now() + LOOK_EVERY);
                    until = if has_ended { last() } else { look() };
                }
                Heard::Late | Heard::Closed => {
                    all.extend(self.rest());
                    return Ok(HeardAll::Whole(all));
                }
                Heard::Interrupted => return Ok(HeardAll::Interrupted),
                Heard::TooLong => return Ok(HeardAll::TooLong),
            }
            if all.len() > self.longest {
                return Ok(HeardAll::TooLong);
            }
        }
        Ok(HeardAll::Late)
    }
}

/// The last line of what a process wrote that is not blank, shortened.
pub fn last_line(words: &str) -> Option<String> {
    let line = words.lines().rfind(|line| !line.trim().is_empty());
    line.map(|line| format!("{:.200}", line.trim()))
}

/// The first line that speaks of an error, or the last line.
pub fn line_of_error(words: &str) -> Option<String> {
    let is_error = |line: &&str| line.to_lowercase().contains("error:");
    words
        .lines()
        .find(is_error)
        .map_or_else(|| last_line(words), last_line)
}

/// A JSON object whose numbers are the digits that were written.
type Object<'a> = BTreeMap<String, &'a RawValue>;

/// The values of one line: `[DATA] nodes = 5`, `#s nodes 5`, or the object `key` of a JSON object.
pub fn named_values(line: &str, key: &str) -> Vec<(String, String)> {
    let line = line.trim();
    let of_words = |rest: &str, between: char| {
        let (name, value) = rest.trim().split_once(between)?;
        Some(vec![(name.trim().to_owned(), value.trim().to_owned())])
    };
    if let Some(rest) = line.strip_prefix("[DATA]") {
        return of_words(rest, '=').unwrap_or_default();
    }
    if let Some(rest) = line.strip_prefix("#s ") {
        return of_words(rest, ' ').unwrap_or_default();
    }
    let object = |text| serde_json::from_str::<Object>(text).ok();
    let said = Some(line).filter(|line| line.starts_with('{'));
    let said = said.and_then(object);
    let values = said.and_then(|said| object(said.get(key)?.get()));
    let values = values.into_iter().flatten();
    let word = |value: &RawValue| {
        let text = serde_json::from_str(value.get());
        text.unwrap_or_else(|_| value.get().to_owned())
    };
    let named = values.map(|(name, value)| (name, word(value)));
    named.collect()
}
