//! The parent's side of `--isolate`: starts a worker for a cell, reads its messages, and ends it.
//!
//! A worker is this program again, in a process group of its own and, where the system allows it, a cgroup of its own
//! ([`confinement`]). The parent measures its time, so that a variant that ignores its deadline is stopped by force:
//! SIGTERM, a short wait, SIGKILL, for the whole group. An interruption of the run ends it in the same way.
//! Misbehaviour of a worker (a flood of output, half a message, an invalid message) becomes the outcome of its own
//! sample. In contended mode one worker takes all samples of a cell. In isolated mode, where samples of all cells are
//! interleaved, each sample has a fresh worker.

use std::collections::VecDeque;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use ikeru_bench_data::Mode;
use ikeru_core::{AnyInstance, Incumbent};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process_group};

use super::confinement::{self, Cgroup, Confinement};
use super::message::{Job, Message};
use super::{Executor, InProcess, Outcome, Phase, Prepared, Sample, Task};
use crate::cores::Aside;
use crate::interrupt;
use crate::plan::{Cell, Stage};

/// The time that a process may take to end after SIGTERM.
const GRACE: Duration = Duration::from_millis(100);
/// The maximum length of a message.
const LONGEST_MESSAGE: usize = 1 << 20;
/// The time that a worker may take to read the next part of its job.
const UNREAD: Duration = Duration::from_secs(if cfg!(test) { 1 } else { 10 });
/// Variables that change what a worker writes when it runs out of memory, how long this takes, and the stack size of
/// its threads.
const CLEARED: [&str; 4] = [
    "RUST_BACKTRACE",
    "RUST_LIB_BACKTRACE",
    "RUST_MIN_STACK",
    "RUST_LOG",
];
/// The number of bytes kept from the end of standard error.
const LAST_WORDS: usize = 4096;

/// Runs each cell in a process of its own.
#[derive(Debug, Clone)]
pub struct ChildProcess {
    program: PathBuf,
}

impl Default for ChildProcess {
    /// This program as a worker: the file that is running, even if it was replaced meanwhile.
    fn default() -> Self {
        Self::of("/proc/self/exe".into())
    }
}

impl ChildProcess {
    /// `program` as a worker: a build of ikeru.
    pub fn of(program: PathBuf) -> Self {
        Self { program }
    }

    fn worker(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.arg0("ikeru").arg("worker");
        command
    }
}

impl Executor for ChildProcess {
    type Prepared<'a> = Worker;

    fn sample(
        &self,
        stage: &Stage,
        cell: &Cell,
        _question: &dyn AnyInstance,
        kept: &mut Option<Worker>,
    ) -> Result<Sample> {
        let (mut worker, request) = match kept.take() {
            Some(worker) => (worker, b"\n".to_vec()),
            None => {
                let worker = Worker::start(self.worker(), stage.memory)?;
                let cgroup = worker.cgroup.as_ref().map(|it| it.path().to_owned());
                let mut job = serde_json::to_vec(&Job::of(stage, cell, cgroup))?;
                job.push(b'\n');
                (worker, job)
            }
        };
        if let Err(why) = worker.ask(&request) {
            return Ok(Sample::failed(Outcome::Crashed, why));
        }
        // The worker inherited the core to which this thread was pinned; this thread now leaves it.
        let _aside = Aside::step();
        let sample = worker.listen(stage, &Task::of(stage, cell))?;
        if sample.outcome == Outcome::Solved && stage.mode == Mode::Contended {
            *kept = Some(worker);
        }
        Ok(sample)
    }
}

/// A process that holds a cell. Dropping it ends the process, its group, and the processes in its [`confinement`].
pub struct Worker {
    child: Child,
    cgroup: Option<Cgroup>,
    socket: UnixStream,
    /// Bytes of the socket that are not yet parsed as a message.
    unread: Vec<u8>,
    stderr: Option<ChildStderr>,
    last_words: VecDeque<u8>,
}

/// The next event of a worker.
enum Event {
    Said(Message),
    /// A line that is no message.
    Nonsense,
    /// Its end of the socket is closed.
    Gone,
    /// No event within the time limit.
    Late,
    /// The run should stop.
    Interrupted,
}

impl Worker {
    fn start(mut command: Command, memory: Option<u64>) -> Result<Self> {
        let (socket, theirs) = UnixStream::pair()?;
        socket.set_write_timeout(Some(UNREAD))?;
        let cgroup = match Confinement::possible() {
            Confinement::Cgroup(own) => Some(Cgroup::create(own, memory)?),
            Confinement::Orphans | Confinement::ProcessGroup => None,
        };
        CLEARED.iter().for_each(|name| {
            command.env_remove(name);
        });
        command
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .process_group(0);
        let mut child = confinement::spawn(&mut command)?;
        let stderr = child.stderr.take();
        let worker = Self {
            child,
            cgroup,
            socket,
            unread: Vec::new(),
            stderr,
            last_words: VecDeque::new(),
        };
        // The worker starts no process before it has read its job.
        if let Some(cgroup) = &worker.cgroup {
            cgroup.admit(&worker.child)?;
        }
        Ok(worker)
    }

    /// Sends a request. A worker that has already ended is noticed by [`listen`](Self::listen). A worker that does
    /// not read is an error.
    fn ask(&mut self, request: &[u8]) -> Result<(), String> {
        match self.socket.write_all(request) {
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                Err(format!(
                    "its process did not read the {} bytes of its job within {} s",
                    request.len(),
                    UNREAD.as_secs()
                ))
            }
            _ => Ok(()),
        }
    }

    /// Follows one sample to its end.
    fn listen(&mut self, stage: &Stage, task: &Task) -> Result<Sample> {
        let (mut phase, mut began) = (Phase::Starting, Instant::now());
        let best = Incumbent::new(stage.problem.direction());
        loop {
            let event = self.next(began + task.at_most(phase))?;
            let sample = match event {
                Event::Said(Message::Begins(next)) => {
                    (phase, began) = (next, Instant::now());
                    continue;
                }
                Event::Said(Message::Best(score)) => {
                    best.improve(score);
                    continue;
                }
                Event::Said(Message::Taken(taken)) => return Ok(*taken),
                Event::Said(Message::Mistake(why)) => bail!(why),
                Event::Nonsense => {
                    self.end(GRACE)?;
                    Sample::failed(Outcome::Crashed, "its process wrote what is no message")
                }
                Event::Gone => self.post_mortem(stage, phase)?,
                Event::Late | Event::Interrupted => {
                    self.signal(Signal::TERM);
                    self.end(GRACE)?;
                    Sample::failed(Outcome::Timeout, stopped(phase))
                }
            };
            // Time that passed in another part is no time of an answer.
            let answering = sample.outcome == Outcome::Timeout && phase == Phase::Answering;
            return Ok(Sample {
                claimed: best.best(),
                batch: answering.then(|| began.elapsed()),
                iterations: 1,
                ..sample
            });
        }
    }

    /// The outcome of a process that ended by itself.
    fn post_mortem(&mut self, stage: &Stage, phase: Phase) -> Result<Sample> {
        let status = self.end(GRACE)?;
        self.hear_last_words();
        let (front, back) = self.last_words.as_slices();
        let words = String::from_utf8_lossy(&[front, back].concat()).into_owned();
        let starved = status.signal() == Some(Signal::ABORT.as_raw())
            && words.contains("memory allocation of ");
        let killed = self.cgroup.as_ref().is_some_and(Cgroup::ran_out_of_memory);
        if starved || killed {
            let why = stage
                .memory
                .map_or("the system had no more memory".to_owned(), |bytes| {
                    format!("wanted more than {} MiB", bytes >> 20)
                });
            return Ok(Sample::failed(Outcome::OutOfMemory, why));
        }
        if status.signal() == Some(Signal::XCPU.as_raw()) {
            let why = "used more CPU time than its threads have within the limit".to_owned();
            let why = match phase {
                Phase::Answering => why,
                _ => format!("{why}; {}", stopped(phase)),
            };
            return Ok(Sample::failed(Outcome::Timeout, why));
        }
        let last = words.lines().rfind(|line| !line.trim().is_empty());
        let said = match (status.signal().is_some(), last) {
            (true, Some(line)) => format!(": {:.200}", line.trim()),
            _ => String::new(),
        };
        Ok(Sample::failed(
            Outcome::Crashed,
            format!("its process ended, {status}{said}"),
        ))
    }

    /// The next event, at the latest at `deadline`.
    fn next(&mut self, deadline: Instant) -> Result<Event> {
        loop {
            if let Some(end) = self.unread.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.unread.drain(..=end).collect();
                let message = serde_json::from_slice(&line);
                return Ok(message.map_or(Event::Nonsense, Event::Said));
            }
            if self.unread.len() > LONGEST_MESSAGE {
                return Ok(Event::Nonsense);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(Event::Late);
            }
            let (spoke, complained, interrupted) = self.wait(left)?;
            if interrupted {
                return Ok(Event::Interrupted);
            }
            if complained {
                self.read_stderr();
            }
            if spoke && !self.read_socket() {
                return Ok(Event::Gone);
            }
        }
    }

    /// Waits until the socket or standard error is readable, or the run should stop.
    fn wait(&self, most: Duration) -> Result<(bool, bool, bool)> {
        let mut sources = vec![PollFd::new(&self.socket, PollFlags::IN)];
        sources.extend(interrupt::wakes().map(|it| PollFd::new(it, PollFlags::IN)));
        let of_stderr = sources.len();
        sources.extend(self.stderr.iter().map(|it| PollFd::new(it, PollFlags::IN)));
        let most = Timespec::try_from(most).unwrap_or(Timespec {
            tv_sec: i64::from(i32::MAX),
            tv_nsec: 0,
        });
        match poll(&mut sources, Some(&most)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let ready = |at: usize| sources.get(at).is_some_and(|it| !it.revents().is_empty());
        Ok((ready(0), ready(of_stderr), of_stderr > 1 && ready(1)))
    }

    /// Reads from the socket; returns whether it is still open.
    fn read_socket(&mut self) -> bool {
        let mut chunk = [0; 4096];
        match self.socket.read(&mut chunk) {
            Ok(0) => false,
            Ok(read) => {
                self.unread.extend_from_slice(&chunk[..read]);
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
                let words = &chunk[read.saturating_sub(LAST_WORDS)..read];
                self.last_words.extend(words);
                let too_many = self.last_words.len().saturating_sub(LAST_WORDS);
                self.last_words.drain(..too_many);
                true
            }
            _ => {
                self.stderr = None;
                false
            }
        }
    }

    /// Reads what an ended process left on standard error; its children may still hold it open.
    fn hear_last_words(&mut self) {
        for _ in 0..16 {
            match self.wait(Duration::ZERO) {
                Ok((_, true, _)) if self.read_stderr() => {}
                _ => break,
            }
        }
    }

    fn signal(&self, signal: Signal) {
        // The process is not reaped yet, so the number is still that of this group.
        let _ = kill_process_group(Pid::from_child(&self.child), signal);
    }

    /// Waits briefly for the process to end by itself, then kills it with its group and cgroup.
    fn end(&mut self, grace: Duration) -> Result<ExitStatus> {
        let until = Instant::now() + grace;
        let pid = Pid::from_child(&self.child);
        let ended = || {
            use rustix::process::{WaitId, WaitIdOptions, waitid};
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
            waitid(WaitId::Pid(pid), options).is_ok_and(|status| status.is_some())
        };
        // Checked without reaping: the group must be killed first, while the number still belongs to it.
        while Instant::now() < until && !ended() {
            std::thread::sleep(Duration::from_millis(1));
        }
        if let Some(cgroup) = &self.cgroup {
            confinement::kill(cgroup.path());
        }
        self.signal(Signal::KILL);
        Ok(self.child.wait()?)
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        if self.child.try_wait().is_ok_and(|status| status.is_none()) {
            let _ = self.end(Duration::ZERO);
        }
        // Processes that left the group end with its cgroup, or as orphans.
        self.cgroup = None;
        confinement::bury(Pid::from_child(&self.child));
    }
}

fn stopped(phase: Phase) -> &'static str {
    match phase {
        Phase::Starting => "stopped by force while it started",
        Phase::Preparing => "stopped by force while it prepared",
        Phase::Answering => "ignored its deadline and was stopped by force",
        Phase::Refereeing => "stopped by force while the referee looked",
    }
}

/// Runs each stage in this process or in child processes, as the stage requires.
#[derive(Debug, Clone, Default)]
pub struct PerStage {
    child: ChildProcess,
}

/// The state that either executor keeps.
pub enum Kept<'a> {
    /// A prepared solver.
    Here(Prepared<'a>),
    /// A process.
    Child(Worker),
}

impl Executor for PerStage {
    type Prepared<'a> = Kept<'a>;

    fn sample<'a>(
        &self,
        stage: &Stage,
        cell: &Cell,
        question: &'a dyn AnyInstance,
        kept: &mut Option<Kept<'a>>,
    ) -> Result<Sample> {
        let (mut here, mut child) = match kept.take() {
            Some(Kept::Here(prepared)) => (Some(prepared), None),
            Some(Kept::Child(worker)) => (None, Some(worker)),
            None => (None, None),
        };
        let sample = if stage.isolate {
            self.child.sample(stage, cell, question, &mut child)
        } else {
            InProcess.sample(stage, cell, question, &mut here)
        };
        *kept = here.map(Kept::Here).or(child.map(Kept::Child));
        sample
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_that_is_not_read_is_said_to_be_the_reason() {
        let mut sleeping = Command::new("sleep");
        sleeping.arg("1000");
        let mut worker = Worker::start(sleeping, None).expect("started");
        let why = worker.ask(&vec![b'x'; 1 << 24]).expect_err("nobody reads");
        assert_eq!(
            why,
            "its process did not read the 16777216 bytes of its job within 1 s"
        );
    }

    #[test]
    fn a_process_that_ended_is_no_reader_but_has_a_cause_of_its_own() {
        let mut worker = Worker::start(Command::new("true"), None).expect("started");
        worker.end(GRACE).expect("ended");
        assert_eq!(worker.ask(b"x\n"), Ok(()));
    }
}
