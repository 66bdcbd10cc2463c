//! The child's side of `--isolate`: a process that holds one cell, limits itself and takes its samples.
//!
//! Its standard input is one end of a socket, from which it reads the job and to which it writes messages. Standard
//! output and standard error belong to the variant. A second thread reports the score of the variant's best answer,
//! and ends the process when the other end of the socket is closed, or when the run does not end a part of a sample that
//! lasts too long: no worker outlives its run. CPU time has no limit (`RLIMIT_CPU`): with one, the kernel advances the
//! clock of a process only at its ticks, and a solver that stops itself by this clock runs on until the next tick.

use std::io::{BufRead, BufReader, Write};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use ikeru_core::{Incumbent, Score};

use super::confinement;
use super::foreign::Call;
use super::message::{Belongings, Job, Message};
use super::{Phase, Task, Watch};
use crate::declared::{Declared, command};
use crate::files;
use crate::system::{self, Ending, HERE, Limited, Recipient, Socket};
use crate::{interrupt, registry};

/// The interval at which the incumbent is read.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// The time in which the run ends a part of a sample that lasts too long. After it the worker ends itself.
const RUNAWAY: Duration = Duration::from_secs(10);

/// Takes the samples that are requested through standard input, until it is closed.
///
/// # Errors
/// Standard input is no socket, or its other end is closed.
pub fn run() -> Result<ExitCode> {
    HERE.check_groups("a worker")?;
    // The socket is moved out of the variant's reach: standard input is empty afterwards.
    let Some(socket) = system::socket_from_stdin()? else {
        bail!("a worker is started by `ikeru run --isolate`, not by hand");
    };
    let outbox = Arc::new(Outbox {
        socket: Mutex::new((socket.try_clone()?, None)),
        until: Mutex::default(),
    });
    if let Err(error) = take_jobs(socket, &outbox) {
        outbox.send(&Message::Mistake(format!("{error:#}")))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Takes the samples of the jobs that come through `socket`.
fn take_jobs(socket: Socket, outbox: &Arc<Outbox>) -> Result<()> {
    let mut requests = BufReader::new(socket.try_clone()?);
    let mut line = String::new();
    requests.read_line(&mut line)?;
    let mut job = Job::of_line(&line)?.context("no job came through standard input")?;
    // The sample contains the message of a panic. A backtrace could take longer than the sample's limit.
    std::panic::set_hook(Box::new(|panic| eprintln!("{panic}")));
    system::limit(Limited::CoreDump, 0)?;
    if let Some(memory) = job.memory {
        system::limit(Limited::Data, memory).context("--memory")?;
    }
    if let Some(folder) = job.belongings.of_referee() {
        command::keep_files_in(folder);
    }
    let current = Arc::new(Mutex::new(Current::of(&job)?));
    let beside = (Arc::clone(outbox), Arc::clone(&current));
    std::thread::Builder::new()
        .name("watch".into())
        .spawn(move || watch(&socket, &beside.0, &beside.1))?;
    let current = || current.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        let incumbent = Arc::clone(&current().incumbent);
        job = match serve(&job, outbox, &incumbent, &mut requests)? {
            Some(next) => next,
            // The run has ended: the thread that notices it first ends everything.
            None => end_everything(&job.belongings),
        };
        *current() = Current::of(&job)?;
    }
}

/// What the second thread knows of the present job.
struct Current {
    incumbent: Arc<Incumbent>,
    belongings: Belongings,
}

impl Current {
    /// Registers the job's problem, if an experiment declared it.
    fn of(job: &Job) -> Result<Self> {
        if let Some(declaration) = &job.declaration {
            let known = registry::declared(&declaration.name);
            if known.is_none_or(|known| known.declaration() != declaration) {
                registry::declare(Declared::find(declaration.clone())?)?;
            }
        }
        let problem = registry::problem(&job.problem)?;
        Ok(Self {
            incumbent: Arc::new(super::incumbent(problem, job.anytime)),
            belongings: job.belongings.clone(),
        })
    }
}

impl Job {
    /// The job in a line; `None` for the end of the requests.
    fn of_line(line: &str) -> Result<Option<Self>> {
        if line.is_empty() {
            return Ok(None);
        }
        let job = serde_json::from_str(line).context("no job came through standard input")?;
        Ok(Some(job))
    }
}

/// Ends this process with its group, its cgroup and its folder.
fn end_everything(belongings: &Belongings) -> ! {
    if let Some(scratch) = &belongings.scratch {
        let _ = std::fs::remove_dir_all(scratch);
    }
    if let Some(cgroup) = &belongings.cgroup {
        confinement::kill(cgroup);
    }
    system::send(Ending::Forced, Recipient::OwnGroup);
    std::process::exit(0);
}

/// Takes a sample for the job, and one for each empty line that comes after it; returns the job in the next line, or
/// nothing when the other end is closed.
fn serve(
    job: &Job,
    outbox: &Outbox,
    incumbent: &Incumbent,
    requests: &mut impl BufRead,
) -> Result<Option<Job>> {
    let is_watched = job.again && system::adopt_orphans();
    let task = &job.task;
    let base = registry::problem(&job.problem)?.read(&job.instance);
    let question = base.and_then(|base| base.ask(&job.question));
    let question = question.map_err(|error| anyhow!("{}", error.in_file("the instance")))?;
    if let Some(folder) = job.belongings.of_solver() {
        files::empty_folder(&folder, &["instance"]).context("the folder of the solver's files")?;
    }
    let watch = Watch {
        incumbent,
        begins: &|phase| {
            outbox.end_after(Some(task.at_most(phase) + RUNAWAY));
            outbox.begin(phase);
        },
        // Never set here: the parent ends this process.
        stop: interrupt::flag(),
    };
    let mut kept = None;
    let mut line = String::new();
    loop {
        let mut sample = task.sample(question.as_ref(), &mut kept, &watch)?;
        outbox.end_after(None);
        // For a foreign solver it would be the memory of this process, which only waits.
        if job.task.foreign.is_none() {
            sample.peak_bytes = peak_bytes();
        }
        if task.answers_once() {
            // The solver's process ends here, before the sample is sent.
            kept = None;
            if is_watched && system::has_no_children() {
                outbox.send(&Message::Clean)?;
            }
        }
        let declared = registry::declared(&job.problem);
        if let Some(from) = declared.and_then(Declared::seen) {
            outbox.send(&Message::ScoreFrom(from))?;
        }
        if outbox.send(&Message::Taken(Box::new(sample))).is_err() {
            return Ok(None);
        }
        line.clear();
        match requests.read_line(&mut line) {
            Ok(_) if line == "\n" => {}
            Ok(_) => return Job::of_line(&line),
            Err(_) => return Ok(None),
        }
    }
}

/// The largest resident memory of this process so far (`VmHWM`), in bytes.
fn peak_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let mut lines = status.lines();
    let line = lines.find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
    Some(kibibytes << 10)
}

/// Sends whole messages, from the variant's thread and from the second one.
struct Outbox {
    /// The stream, and the score that was sent last since the part began.
    socket: Mutex<(Socket, Option<Score>)>,
    /// The end of the time of the present part.
    until: Mutex<Option<Instant>>,
}

impl Outbox {
    fn send(&self, message: &Message) -> Result<()> {
        let mut line = serde_json::to_string(message)?;
        line.push('\n');
        let mut socket = self.socket.lock().map_err(|_| anyhow!("half a message"))?;
        Ok(socket.0.write_all(line.as_bytes())?)
    }

    /// A part begins. If the run has ended, the second thread ends the process.
    fn begin(&self, phase: Phase) {
        if let Ok(mut socket) = self.socket.lock() {
            socket.1 = None;
        }
        let _ = self.send(&Message::Begins(phase));
    }

    /// The second thread ends the process after this time.
    fn end_after(&self, most: Option<Duration>) {
        let until = most.and_then(|most| Instant::now().checked_add(most));
        *self.until.lock().unwrap_or_else(PoisonError::into_inner) = until;
    }

    fn is_over(&self) -> bool {
        let until = *self.until.lock().unwrap_or_else(PoisonError::into_inner);
        until.is_some_and(|until| Instant::now() >= until)
    }

    /// Sends `best` unless it is the score that was sent last.
    fn best(&self, best: Score) {
        let socket = self.socket.lock();
        if socket.is_ok_and(|mut socket| socket.1.replace(best) != Some(best)) {
            let _ = self.send(&Message::Best(best));
        }
    }
}

/// Sends the best score when it changes, and ends the process with all that belongs to it when the run has ended.
fn watch(socket: &Socket, outbox: &Outbox, current: &Mutex<Current>) {
    loop {
        let is_closed = system::is_closed_within(socket, LOOK_EVERY);
        let current = current.lock().unwrap_or_else(PoisonError::into_inner);
        if is_closed || outbox.is_over() {
            end_everything(&current.belongings);
        }
        if let Some(best) = current.incumbent.best() {
            outbox.best(best);
        }
    }
}

impl Task {
    /// The time after which a part of a sample is stopped by force. The variant's own parts have its limit, plus a
    /// margin for a variant that checks its deadline rarely.
    pub fn at_most(&self, phase: Phase) -> Duration {
        let late = Duration::from_millis(200) + self.limit / 10;
        match phase {
            // Only a process that does not respond takes this long: the variant does no work here.
            Phase::Starting | Phase::Refereeing => self.limit + Duration::from_secs(60),
            Phase::Preparing => self.limit + late,
            // A warm-up ends with an answer of up to ten times its length, or with the sample itself.
            Phase::Answering => {
                let grace = self.foreign.as_ref().map_or(Duration::ZERO, Call::grace);
                self.limit + late + grace + self.warm_up * 11 + self.sample * 4
            }
        }
    }
}
