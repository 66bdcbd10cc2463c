//! The process of a foreign solver: its start, its lines within its time, and its end.

use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, ExitStatus};
use std::time::{Duration, Instant};

use ikeru_core::{Failure, ProcessUse};

use super::call::Call;
use super::said::Said;
use crate::execute::confinement::{self, GRACE};
use crate::execute::lines::{Heard, LOOK_EVERY, LineReader, last_line};
use crate::execute::until_end::is_in_the_making;
use crate::system::{self, Death, Ending, Recipient};

/// The maximum length of a line, and of all lines before an answer. Reading an answer of this length takes some
/// tenths of a second, which no limit of the solver includes.
pub(super) const MOST_OUTPUT: usize = 16 << 20;
/// Messages of several languages' runtimes when they run out of memory.
const OUT_OF_MEMORY: [&str; 4] = [
    "MemoryError",
    "std::bad_alloc",
    "memory allocation of ",
    "OutOfMemoryError",
];

/// The time of a process: its limit, then the time in which it may still write its best answer.
pub(super) struct TimeLeft<'c> {
    call: &'c Call,
    pub until: Option<Instant>,
    /// True if the limit has passed and the process was asked to end.
    pub is_late: bool,
}

impl<'c> TimeLeft<'c> {
    pub fn start(call: &'c Call) -> Self {
        Self {
            call,
            until: call.limit.map(|limit| Instant::now() + limit),
            is_late: false,
        }
    }

    /// The moment until which to wait before the next look at the process.
    pub fn next_look(&self) -> Instant {
        let look = Instant::now() + LOOK_EVERY;
        self.until.map_or(look, |until| until.min(look))
    }

    /// Returns whether all time has passed; asks the process to end when its limit has.
    pub fn is_over(&mut self, recipient: Recipient) -> bool {
        if self.until.is_none_or(|until| Instant::now() < until) {
            return false;
        }
        if self.is_late {
            return true;
        }
        self.is_late = true;
        self.until = Some(Instant::now() + self.call.grace());
        system::send(Ending::Asked, recipient);
        false
    }
}

/// The result of a wait for a line.
pub(super) enum Next {
    Said(Said),
    Late,
    Interrupted,
}

/// A running process. Dropping it waits briefly for its end, then kills it.
pub(super) struct Running {
    pub child: Child,
    stdin: Option<ChildStdin>,
    pub lines: LineReader<ChildStdout>,
    leads: bool,
    memory: Option<u64>,
    /// Its exit status, after it is reaped.
    ended: Option<ExitStatus>,
    /// What it and its children used, after it is reaped.
    pub used: ProcessUse,
}

impl Running {
    pub fn start(call: &Call) -> Result<Self, Failure> {
        let file = &call.program.file;
        let not_started = |why: &str| format!("{}: cannot be started: {why}", file.display());
        let unable = |why: &str| Failure::Harness(not_started(why));
        let command = call.command();
        let mut command = command.map_err(|error| unable(&error.to_string()))?;
        let mut child = command.spawn().map_err(|error| {
            let lacks = system::is_exhausted(&error);
            let missing = missing_interpreter(file).filter(|_| !lacks);
            // It was a program when the run began: somebody writes it.
            let lacks = lacks || (missing.is_none() && is_in_the_making(&error));
            let why = not_started(&missing.map_or(error.to_string(), |program| {
                format!("its first line names `{program}`, which is not there")
            }));
            match (lacks, call.memory) {
                (true, Some(_)) if error.kind() == ErrorKind::OutOfMemory => {
                    Failure::OutOfMemory(why)
                }
                (true, _) => Failure::Harness(why),
                (false, _) => Failure::Crashed(why),
            }
        })?;
        let (stdin, stderr) = (child.stdin.take(), child.stderr.take());
        let stdout = child
            .stdout
            .take()
            .ok_or_else(|| unable("it has no output"))?;
        Ok(Self {
            child,
            stdin,
            lines: LineReader::new(stdout, stderr, MOST_OUTPUT),
            leads: call.leads,
            memory: call.memory,
            ended: None,
            used: ProcessUse::default(),
        })
    }

    /// Writes a line to a long-lived process. Errors are ignored: its output shows whether it read the line.
    pub fn ask(&mut self, line: &str) {
        if let Some(stdin) = &mut self.stdin {
            let _ = stdin.write_all(line.as_bytes());
        }
    }

    /// The next line that is not empty; `output` counts the bytes before it.
    pub fn next(&mut self, until: Option<Instant>, output: &mut usize) -> Result<Next, Failure> {
        let mut has_failed = false;
        loop {
            let look = Instant::now() + LOOK_EVERY;
            let slice = until.map_or(look, |until| until.min(look));
            let heard = self.lines.next(Some(slice));
            let line = match heard.map_err(|error| unheard(&error))? {
                Heard::Line(line) => line,
                Heard::TooLong => return Err(flood()),
                Heard::Late if has_failed => return self.post_mortem(),
                Heard::Late if until.is_some_and(|until| Instant::now() >= until) => {
                    return Ok(Next::Late);
                }
                // A process that the solver started may hold its output open and answer in its place, unless the
                // solver failed.
                Heard::Late => {
                    has_failed = system::has_failed(&self.child);
                    continue;
                }
                Heard::Interrupted => return Ok(Next::Interrupted),
                Heard::Closed => match self.lines.rest() {
                    rest if rest.trim_ascii().is_empty() => return self.post_mortem(),
                    rest => rest,
                },
            };
            *output += line.len();
            if *output > MOST_OUTPUT {
                return Err(flood());
            }
            if !line.trim_ascii().is_empty() {
                return self.understood(&line).map(Next::Said);
            }
        }
    }

    /// The content of a line. The error of an invalid line includes the last words of standard error.
    fn understood(&mut self, line: &[u8]) -> Result<Said, Failure> {
        Said::read(line).map_err(|(failure, why)| {
            failure(match last_line(&self.lines.last_words()) {
                Some(words) => format!("{why}; its last words: {words}"),
                None => why,
            })
        })
    }

    /// Why a process ended, or closed its output, before its answer.
    fn post_mortem(&mut self) -> Result<Next, Failure> {
        confinement::wait_for_end(&self.child, GRACE);
        let ended_itself = system::has_ended(&self.child);
        let status = self.end(Duration::ZERO).map_err(|error| unheard(&error))?;
        let words = self.lines.last_words();
        let last = last_line(&words).map_or(String::new(), |line| format!(": {line}"));
        if !ended_itself {
            let why = format!("closed its output without an answer and ran on{last}");
            return Err(Failure::Crashed(why));
        }
        if system::death(status) == Some(Death::CpuTime) {
            return Ok(Next::Late);
        }
        let why = format!("ended without an answer, {status}{last}");
        Err(self.failure(why, &words))
    }

    /// The failure of a process that ended because of `why`: of memory if its last `words` say so.
    pub fn failure(&self, why: String, words: &str) -> Failure {
        let is_starved =
            self.memory.is_some() && OUT_OF_MEMORY.iter().any(|sign| words.contains(sign));
        if is_starved {
            return Failure::OutOfMemory(why);
        }
        Failure::Crashed(why)
    }

    /// The process, or the group that it leads. The number belongs to it until it is reaped.
    pub fn recipient(&self) -> Recipient {
        let number = self.child.id();
        if self.leads {
            return Recipient::Group(number);
        }
        Recipient::Process(number)
    }

    /// Waits briefly for the process to end by itself, then kills it, with its group if it has one.
    pub fn end(&mut self, grace: Duration) -> anyhow::Result<ExitStatus> {
        if let Some(status) = self.ended {
            return Ok(status);
        }
        self.stdin = None;
        confinement::wait_for_end(&self.child, grace);
        system::send(Ending::Forced, self.recipient());
        let (status, used) = system::reap(&mut self.child)?;
        self.ended = Some(status);
        self.used = used;
        Ok(status)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.end(GRACE);
    }
}

/// The program that the first line of a script names and that is not there; letters that cannot be seen are written out.
fn missing_interpreter(file: &Path) -> Option<String> {
    let mut begin = Vec::new();
    let file = File::open(file).ok()?;
    file.take(256).read_to_end(&mut begin).ok()?;
    let begin = begin.strip_prefix(b"#!")?;
    let line = begin.split(|byte| *byte == b'\n').next()?;
    let named = String::from_utf8_lossy(line.trim_ascii_start()).into_owned();
    let program = named.split([' ', '\t']).next()?;
    (!Path::new(program).exists()).then(|| program.escape_debug().to_string())
}

pub(super) fn flood() -> Failure {
    let most = MOST_OUTPUT >> 20;
    Failure::Crashed(format!("wrote more than {most} MiB before its answer"))
}

pub(super) fn unheard(error: &anyhow::Error) -> Failure {
    Failure::Harness(format!("its process cannot be heard: {error:#}"))
}
