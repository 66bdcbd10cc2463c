//! The parent's side of `--isolate`: starts a worker for a cell, reads its messages, and ends it.
//!
//! A worker is this program again, in a separate process group and, where the system allows it, a separate cgroup
//! ([`confinement`]). The parent measures its time, so that a variant that ignores its deadline is stopped by force:
//! SIGTERM, a short wait, SIGKILL, for the whole group. An interruption of the run ends it in the same way.
//! Misbehaviour of a worker (a flood of output, half a message, an invalid message) becomes the outcome of its
//! sample. One worker takes all samples of a cell in contended mode. Each sample has a fresh worker in isolated mode,
//! where samples of all cells are interleaved. A solver that ends after its answer leaves nothing in its worker, which
//! then takes the samples of other cells too.
//!
//! On a busy machine most of a fresh worker's time is spent waiting for a processor. The worker of the next sample is therefore
//! started, on another core than the timed one, while the present worker reads its job, and a worker that was killed is reaped
//! then.

use std::io::{ErrorKind, Write};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use ikeru_bench_data::Mode;
use ikeru_core::{AnyInstance, Incumbent};

use super::confinement::{self, Cgroup, Confinement, GRACE};
use super::lines::{Heard, LineReader, last_line};
use super::message::{Belongings, Job, Message};
use super::{Executor, InProcess, Outcome, Phase, Prepared, Sample, Task};
use crate::cores::{self, CorePlace};
use crate::files::scratch;
use crate::plan::{Cell, Stage};
use crate::registry;
use crate::system::{self, Death, Ending, Recipient, Socket};
use ikeru_reports::records::held::HeldFolder;

/// The maximum length of a message: an answer and standard error of 16 MiB each, as strings of JSON, fit.
const LONGEST_MESSAGE: usize = 256 << 20;
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

/// Runs each cell in a separate process.
#[derive(Clone)]
pub struct ChildProcess {
    program: PathBuf,
    /// Workers without a job, at most one on each set of cores.
    // PERF: a worker that starts costs 6 ms of CPU time, more than half of a short solver's time.
    idle: Arc<Mutex<Vec<WorkerProcess>>>,
    beside: Arc<Mutex<Beside>>,
}

/// The workers before and after the one that is timed in isolated mode.
#[derive(Default)]
struct Beside {
    /// Was killed and is not reaped yet.
    last: Option<WorkerProcess>,
    /// Waits for its first job, and does nothing until then.
    next: Option<WorkerProcess>,
    /// True after the first sample: where there is one sample only, no next worker is started.
    has_several: bool,
}

impl Default for ChildProcess {
    /// This program as a worker: the file that is running, even if it was replaced meanwhile.
    fn default() -> Self {
        Self::of(system::this_program())
    }
}

impl ChildProcess {
    /// `program` as a worker: a build of ikeru.
    pub fn of(program: PathBuf) -> Self {
        let (idle, beside) = Default::default();
        Self {
            program,
            idle,
            beside,
        }
    }

    fn beside(&self) -> MutexGuard<'_, Beside> {
        self.beside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reaps the last worker of isolated mode, and starts the next one if there is a core for it.
    fn look_ahead(&self, memory: Option<u64>) {
        let mut beside = self.beside();
        beside.last = None;
        if beside.has_several && beside.next.is_none() && cores::has_rest() {
            // If it cannot be started, the next sample tells why.
            beside.next = self.start(memory, CorePlace::Rest).ok();
        }
        beside.has_several = true;
    }

    /// The worker that was started for this sample.
    fn take_next(&self, memory: Option<u64>) -> Option<WorkerProcess> {
        let mut worker = self.beside().next.take()?;
        worker.place = CorePlace::Timing;
        let is_there = cores::send(worker.child.id(), worker.place);
        (is_there && worker.memory == memory).then_some(worker)
    }

    fn start(&self, memory: Option<u64>, place: CorePlace) -> Result<WorkerProcess> {
        let mut command = Command::new(&self.program);
        system::name(&mut command, "ikeru");
        command.arg("worker");
        WorkerProcess::start(command, memory, place)
    }

    /// Takes the idle worker of this place, if there is one.
    fn take_idle(&self, place: CorePlace) -> Option<WorkerProcess> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let place = idle.iter().position(|worker| worker.place == place)?;
        Some(idle.swap_remove(place))
    }

    /// A worker without a job: an idle one with the same limit, if the cell's solver ends after its answer, or a fresh one.
    /// Only the worker of the next sample, which sleeps until its job comes, waits beside another solver.
    fn worker_for(&self, stage: &Stage, cell: &Cell) -> Result<WorkerProcess> {
        let place = CorePlace::of_solver(stage.mode, cell.threads);
        let idle = self.take_idle(place);
        let idle = idle.filter(|it| cell.solver.answers_once() && it.memory == stage.memory);
        let next = || match place {
            CorePlace::Timing => self.take_next(stage.memory),
            _ => None,
        };
        match idle.or_else(next) {
            Some(worker) => Ok(worker),
            None => self.start(stage.memory, place),
        }
    }
}

impl Executor for ChildProcess {
    type Prepared<'a> = WorkerProcess;

    fn sample(
        &self,
        stage: &Stage,
        cell: &Cell,
        _question: &dyn AnyInstance,
        kept: &mut Option<WorkerProcess>,
    ) -> Result<Sample> {
        // PERF: this thread stays where it waits; only a worker's start moves it: 120 migrations in 200 samples of a
        // command, 470 if each sample moves it there and back.
        let place = CorePlace::of_solver(stage.mode, cell.threads);
        cores::go(place.beside());
        let (mut worker, request) = match kept.take() {
            Some(worker) => (worker, b"\n".to_vec()),
            None => {
                let mut worker = self.worker_for(stage, cell)?;
                if cell.solver.foreign().is_some() && worker.scratch.is_none() {
                    worker.scratch = Some(scratch().context("a folder for a foreign solver")?);
                }
                let mut job = serde_json::to_vec(&Job::of(stage, cell, worker.belongings()))?;
                job.push(b'\n');
                (worker, job)
            }
        };
        if let Err(why) = worker.ask(&request) {
            return Ok(Sample::failed(Outcome::Crashed, why));
        }
        let is_timed = place == CorePlace::Timing && !cell.solver.answers_once();
        if is_timed {
            self.look_ahead(stage.memory);
        }
        let task = Task::with_command(stage, cell, &worker.belongings());
        let sample = worker.listen(stage, &task)?;
        if is_timed && worker.kill() {
            self.beside().last = Some(worker);
            return Ok(sample);
        }
        if sample.outcome == Outcome::Solved {
            if stage.mode == Mode::Contended && !cell.solver.answers_once() {
                *kept = Some(worker);
            } else if worker.is_clean && !worker.has_starved() {
                let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
                idle.push(worker);
            }
        }
        Ok(sample)
    }
}

/// A process that holds a cell. Dropping it ends the process, its group, and the processes in its [`confinement`].
pub struct WorkerProcess {
    child: Child,
    cgroup: Option<Cgroup>,
    /// The folder of all files of its foreign solvers and of their referee.
    scratch: Option<HeldFolder>,
    messages: LineReader<Socket>,
    /// The place and the data limit that it was started with.
    place: CorePlace,
    memory: Option<u64>,
    /// True if it can take another job.
    is_clean: bool,
}

impl WorkerProcess {
    fn start(mut command: Command, memory: Option<u64>, place: CorePlace) -> Result<Self> {
        let (socket, theirs) = system::socket_to_stdin(UNREAD)?;
        let cgroup = match Confinement::possible() {
            Confinement::Cgroup(own) => Some(Cgroup::create(own, memory)?),
            Confinement::Orphans | Confinement::ProcessGroup => None,
        };
        for name in CLEARED {
            command.env_remove(name);
        }
        command.stdin(theirs);
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        system::lead(&mut command);
        let mut child = cores::at(place, || confinement::spawn(&mut command))?;
        let stderr = child.stderr.take();
        let worker = Self {
            child,
            cgroup,
            scratch: None,
            messages: LineReader::new(socket, stderr, LONGEST_MESSAGE),
            place,
            memory,
            is_clean: false,
        };
        // The worker starts no process before it has read its job.
        if let Some(cgroup) = &worker.cgroup {
            cgroup.admit(&worker.child)?;
        }
        Ok(worker)
    }

    /// The cgroup and the folder that are removed with the worker.
    fn belongings(&self) -> Belongings {
        let cgroup = self.cgroup.as_ref().map(|it| it.path.clone());
        let scratch = self.scratch.as_ref().map(|it| it.path().to_owned());
        Belongings { cgroup, scratch }
    }

    /// Sends a request. A worker that has already ended is noticed by [`listen`](Self::listen). A worker that does
    /// not read is an error.
    fn ask(&mut self, request: &[u8]) -> Result<(), String> {
        match self.messages.source.write_all(request) {
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                let (bytes, most) = (request.len(), UNREAD.as_secs());
                Err(format!(
                    "its process did not read the {bytes} bytes of its job within {most} s"
                ))
            }
            _ => Ok(()),
        }
    }

    /// Follows one sample to its end.
    fn listen(&mut self, stage: &Stage, task: &Task) -> Result<Sample> {
        let (mut phase, mut began) = (Phase::Starting, Instant::now());
        let mut best = Incumbent::new(stage.problem.direction());
        self.is_clean = false;
        loop {
            let sample = match self.messages.next(Some(began + task.at_most(phase)))? {
                Heard::Line(line) => match serde_json::from_slice(&line) {
                    Ok(Message::Begins(next)) => {
                        (phase, began) = (next, Instant::now());
                        if phase == Phase::Preparing {
                            // A score that came late is of the job before.
                            best = Incumbent::new(stage.problem.direction());
                        }
                        continue;
                    }
                    Ok(Message::Best(score)) => {
                        best.improve(score);
                        continue;
                    }
                    Ok(Message::Clean) => {
                        self.is_clean = true;
                        continue;
                    }
                    Ok(Message::ScoreFrom(from)) => {
                        if let Some(declared) = registry::declared(stage.problem.name()) {
                            declared.keep_seen(from);
                        }
                        continue;
                    }
                    Ok(Message::Taken(taken)) => return Ok(self.starved(*taken, stage)),
                    Ok(Message::Mistake(why)) => bail!(why),
                    Err(_) => {
                        self.end(GRACE)?;
                        Sample::failed(Outcome::Crashed, "its process wrote what is no message")
                    }
                },
                Heard::TooLong => {
                    self.end(GRACE)?;
                    let most = LONGEST_MESSAGE >> 20;
                    let why = format!("its process wrote a message of more than {most} MiB");
                    Sample::failed(Outcome::Crashed, why)
                }
                Heard::Closed => self.post_mortem(stage, phase)?,
                Heard::Late | Heard::Interrupted => {
                    let why = match phase {
                        Phase::Answering => too_late(cpu_time(&self.child), began.elapsed()),
                        _ => stopped(phase).to_owned(),
                    };
                    system::send(Ending::Asked, self.group());
                    self.end(GRACE)?;
                    Sample::failed(Outcome::Timeout, why)
                }
            };
            // Only the time of the answering part is the time of an answer.
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
        let words = self.messages.last_words();
        let death = system::death(status);
        let starved = death == Some(Death::Abort) && words.contains("memory allocation of ");
        if starved || self.has_starved() {
            return Ok(Sample::failed(Outcome::OutOfMemory, too_much(stage.memory)));
        }
        if death == Some(Death::CpuTime) {
            let why = "used more CPU time than `ulimit -t` allows".to_owned();
            let why = match phase {
                Phase::Answering => why,
                _ => format!("{why}; {}", stopped(phase)),
            };
            return Ok(Sample::failed(Outcome::Timeout, why));
        }
        let said = match (death.is_some(), last_line(&words)) {
            (true, Some(line)) => format!(": {line}"),
            _ => String::new(),
        };
        let why = format!("its process ended, {status}{said}");
        Ok(Sample::failed(Outcome::Crashed, why))
    }

    /// Returns whether the system killed one of its processes for its memory.
    fn has_starved(&self) -> bool {
        self.cgroup.as_ref().is_some_and(Cgroup::ran_out_of_memory)
    }

    /// A sample whose foreign solver the system killed for its memory.
    fn starved(&self, taken: Sample, stage: &Stage) -> Sample {
        match taken.outcome == Outcome::Crashed && self.has_starved() {
            true => Sample {
                outcome: Outcome::OutOfMemory,
                detail: too_much(stage.memory),
                ..taken
            },
            false => taken,
        }
    }

    /// Its process group. The number belongs to this group until the worker is reaped.
    fn group(&self) -> Recipient {
        Recipient::Group(self.child.id())
    }

    /// Waits briefly for the process to end by itself, then kills it with its group and cgroup.
    fn end(&mut self, grace: Duration) -> Result<ExitStatus> {
        let group = self.group();
        let cgroup = self.cgroup.as_ref();
        confinement::end(&mut self.child, grace, || kill_all(group, cgroup))
    }

    /// Kills its process with all others in its cgroup, and does not reap it; returns whether it ran and has a cgroup.
    fn kill(&mut self) -> bool {
        let is_running = self.child.try_wait().is_ok_and(|status| status.is_none());
        let cgroup = self.cgroup.as_ref().filter(|_| is_running);
        if cgroup.is_some() {
            kill_all(self.group(), cgroup);
        }
        cgroup.is_some()
    }
}

fn kill_all(group: Recipient, cgroup: Option<&Cgroup>) {
    if let Some(cgroup) = cgroup {
        confinement::kill(&cgroup.path);
    }
    system::send(Ending::Forced, group);
}

/// The text for a process that was ended because it wanted more than `memory` bytes.
fn too_much(memory: Option<u64>) -> String {
    memory.map_or("the system had no more memory".to_owned(), |bytes| {
        format!("wanted more than {} MiB", bytes >> 20)
    })
}

impl Drop for WorkerProcess {
    fn drop(&mut self) {
        if self.child.try_wait().is_ok_and(|status| status.is_none()) {
            let _ = self.end(Duration::ZERO);
        }
        // Processes that left the group end with its cgroup, or as orphans.
        self.cgroup = None;
        confinement::bury(self.child.id());
    }
}

fn stopped(phase: Phase) -> &'static str {
    match phase {
        Phase::Starting => "stopped by force while it started",
        Phase::Preparing => "stopped by force while it prepared",
        Phase::Answering => "stopped by force",
        Phase::Refereeing => "stopped by force while the referee looked",
    }
}

/// Why a worker was ended that was still answering after `passed`. A worker on a busy machine may have had too little
/// processor time to see its deadline; the text then does not blame it.
fn too_late(used: Option<Duration>, passed: Duration) -> String {
    let Some(used) = used else {
        return "had not answered after its deadline and was stopped by force".to_owned();
    };
    let [cpu, wall] = [used, passed].map(|time| time.as_millis());
    let used_in = format!("{cpu} ms of CPU time in {wall} ms");
    if used * 2 > passed {
        return format!("ignored its deadline and was stopped by force: {used_in}");
    }
    format!(
        "had not answered after its deadline and was stopped by force: {used_in}, it waited or had no processor"
    )
}

/// The CPU time of a running process, all of its threads together.
fn cpu_time(child: &Child) -> Option<Duration> {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).ok()?;
    // The name is in parentheses and may contain blanks; user and system time are the 12th and 13th field after it.
    let (_, fields) = stat.rsplit_once(") ")?;
    let mut ticks = fields.split(' ').skip(11).take(2).map(str::parse::<u64>);
    let ticks = ticks.next()?.ok()? + ticks.next()?.ok()?;
    // Linux counts it in hundredths of a second for programs (`USER_HZ`).
    Some(Duration::from_millis(10 * ticks))
}

/// Runs each stage in this process or in child processes, as the stage requires; foreign solvers always in child
/// processes.
#[derive(Clone, Default)]
pub struct PerStage {
    child: ChildProcess,
}

impl Executor for PerStage {
    /// The state that either executor keeps.
    type Prepared<'a> = (Option<Prepared<'a>>, Option<WorkerProcess>);

    fn sample<'a>(
        &self,
        stage: &Stage,
        cell: &Cell,
        question: &'a dyn AnyInstance,
        kept: &mut Option<Self::Prepared<'a>>,
    ) -> Result<Sample> {
        let (here, child) = kept.get_or_insert_default();
        let sample = if stage.isolate || cell.solver.foreign().is_some() {
            self.child.sample(stage, cell, question, child)
        } else {
            let place = CorePlace::of_solver(stage.mode, cell.threads);
            drop(self.child.take_idle(place));
            // No worker starts or ends beside a sample that is taken here.
            let beside = std::mem::take(&mut *self.child.beside());
            drop(beside);
            InProcess.sample(stage, cell, question, here)
        };
        if here.is_none() && child.is_none() {
            *kept = None;
        }
        sample
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_without_processor_time_is_not_accused() {
        let (second, little) = (Duration::from_secs(1), Duration::from_millis(20));
        let busy = too_late(Some(second), second);
        assert!(busy.starts_with("ignored its deadline"), "{busy}");
        let starved = too_late(Some(little), second);
        assert!(
            starved.starts_with("had not answered after its deadline"),
            "{starved}"
        );
        assert!(
            starved.contains("20 ms of CPU time in 1000 ms"),
            "{starved}"
        );
        assert!(!too_late(None, second).contains("ignored"));
        let mut sleeping = Command::new("sleep").arg("1000").spawn().expect("started");
        let used = cpu_time(&sleeping).expect("a process");
        sleeping
            .kill()
            .and_then(|()| sleeping.wait())
            .expect("ended");
        assert!(used < second, "{used:?}");
    }

    #[test]
    fn a_job_that_is_not_read_is_said_to_be_the_reason() {
        let mut sleeping = Command::new("sleep");
        sleeping.arg("1000");
        let mut worker = WorkerProcess::start(sleeping, None, CorePlace::All).expect("started");
        let why = worker.ask(&vec![b'x'; 1 << 24]).expect_err("nobody reads");
        assert_eq!(
            why,
            "its process did not read the 16777216 bytes of its job within 1 s"
        );
    }

    #[test]
    fn a_process_that_ended_is_no_reader_but_has_a_cause_of_its_own() {
        let mut worker =
            WorkerProcess::start(Command::new("true"), None, CorePlace::All).expect("started");
        worker.end(GRACE).expect("ended");
        assert_eq!(worker.ask(b"x\n"), Ok(()));
    }

    #[test]
    fn the_worker_of_the_next_sample_waits_for_it() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let program = folder.path().join("waits");
        std::fs::write(&program, "#!/bin/sh\nexec sleep 1000\n").expect("written");
        let executable = PermissionsExt::from_mode(0o700);
        std::fs::set_permissions(&program, executable).expect("executable");
        let workers = ChildProcess::of(program);
        // Only where a second sample follows.
        workers.look_ahead(None);
        assert!(workers.take_next(None).is_none());
        workers.look_ahead(None);
        let next = workers.take_next(None);
        assert_eq!(next.is_some(), cores::has_rest());
        let Some(mut next) = next else { return };
        assert_eq!(next.place, CorePlace::Timing);
        // A worker of another limit is of no use.
        workers.look_ahead(None);
        assert!(workers.take_next(Some(1 << 30)).is_none());
        // It is killed at once and reaped during the next sample.
        let process = next.child.id();
        if next.kill() {
            workers.beside().last = Some(next);
            workers.look_ahead(None);
            assert!(!confinement::workers().contains(&process));
        }
    }
}
