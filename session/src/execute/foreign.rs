//! Foreign solvers: a command in any language that answers in place of a variant.
//!
//! `once`: the command is started for each question. Its time is from the start to the line with its answer.
//!
//! `jsonl`: the command is started when its instance is prepared. It gets a line `{"prepare": …}` and answers
//! `{"ready": true}`; then each line `{"solve": n}` is a question. Its time is from that line to the line with its
//! answer.
//!
//! `text`: the command is started for each question, and all that it prints until its end is its answer. Counters are
//! lines of standard error. Its time is from the start to its end.
//!
//! In the first two, a solver writes lines of JSON (`Said`). Other output, too much output or an early end becomes a
//! [`Failure`]. A solver that reaches its limit gets SIGTERM and may still write its best answer; then it is killed.
//! Its process is in the group of the [`worker`](super::worker) that asks and ends with it. The solver of
//! `ikeru solve` leads a separate group.

pub(crate) mod text;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use ikeru_bench_data::experiment::{Placeholder, Protocol};
use ikeru_core::{
    AnyInstance, Attempt, Deadline, Failure, InputError, Outside, ProcessUse, Proof, Refusal,
    Score, Search, Settings, in_plain_words,
};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value as Json, json};

use super::confinement::{self, GRACE};
use super::lines::{Heard, LineReader, last_line};
use crate::files;
use crate::plan::{Cell, Program, Stage};
use crate::system::{self, Death, Ending, Recipient};

/// The maximum length of a line, and of all lines before an answer. Reading an answer of this length takes some
/// tenths of a second, which no limit of the solver includes.
const MOST_OUTPUT: usize = 16 << 20;
/// The interval at which the end of a process is checked; another process may hold its output open.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// The time for reading the remaining output of a process that failed.
const LAST_LOOK: Duration = Duration::from_millis(20);
/// Messages of several languages' runtimes when they run out of memory.
const OUT_OF_MEMORY: [&str; 4] = [
    "MemoryError",
    "std::bad_alloc",
    "memory allocation of ",
    "OutOfMemoryError",
];

/// The parameters of a foreign solver for one instance.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Call {
    /// Its program.
    pub program: Program,
    /// Settings of the question, defaults filled in, and of the method.
    pub settings: Settings,
    /// Threads that it may use.
    pub threads: u32,
    /// Time limit of one answer.
    pub limit: Option<Duration>,
    /// Bytes of data that each of its processes may have.
    pub memory: Option<u64>,
    /// The names of counters that it may report.
    pub counters: Vec<String>,
    /// The folder for the file of its instance.
    pub scratch: PathBuf,
    /// True if its process leads a separate group.
    pub leads: bool,
}

impl Call {
    /// The call of a cell in a worker whose foreign solver has the folder `scratch`.
    pub fn of(stage: &Stage, cell: &Cell, scratch: Option<PathBuf>) -> Option<Self> {
        let program = cell.solver.foreign()?.clone();
        let mut settings = cell.question.with_defaults(stage.problem.settings());
        for (name, value) in cell.method.iter() {
            settings.set(name, value.clone());
        }
        let counters = stage
            .problem
            .counters()
            .iter()
            .map(|known| known.name.to_owned());
        Some(Self {
            counters: counters
                .chain(program.foreign.counters.iter().cloned())
                .collect(),
            program,
            settings,
            threads: cell.threads,
            limit: Some(stage.limit),
            memory: stage.memory,
            scratch: scratch?,
            leads: false,
        })
    }

    fn instance(&self) -> PathBuf {
        self.scratch.join("instance")
    }

    /// The time after its limit in which it may still write its best answer.
    pub fn grace(&self) -> Duration {
        self.program.foreign.grace.unwrap_or(GRACE)
    }

    fn limit_ms(&self) -> Option<u64> {
        let limit = self.limit?.as_millis();
        Some(u64::try_from(limit).unwrap_or(u64::MAX))
    }

    fn value(&self, placeholder: Placeholder) -> String {
        match placeholder {
            Placeholder::Instance => self.instance().display().to_string(),
            Placeholder::Stdin => String::new(),
            Placeholder::Threads => self.threads.to_string(),
            Placeholder::LimitMs => self
                .limit_ms()
                .map_or(String::new(), |limit| limit.to_string()),
            Placeholder::Setting(name) => {
                let value = self.settings.value(name);
                value.map_or(String::new(), ToString::to_string)
            }
        }
    }

    /// The line that prepares a long-lived process.
    fn prepare_line(&self) -> String {
        let prepare = json!({
            "instance": self.value(Placeholder::Instance),
            "settings": self.settings,
            "threads": self.threads,
            "limit_ms": self.limit_ms(),
        });
        format!("{}\n", json!({ "prepare": prepare }))
    }

    /// The command with its words, variables and streams.
    fn command(&self) -> std::io::Result<Command> {
        let foreign = &self.program.foreign;
        let words = foreign.words(|placeholder| self.value(placeholder));
        let mut command = self.limited();
        command
            .args(words.iter().skip(1))
            .current_dir(&self.program.folder)
            .env("IKERU_INSTANCE", self.instance())
            .env("IKERU_THREADS", self.value(Placeholder::Threads))
            .env("IKERU_LIMIT_MS", self.value(Placeholder::LimitMs))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        for (name, value) in self.settings.iter() {
            let name = name.to_uppercase().replace('-', "_");
            command.env(format!("IKERU_SETTING_{name}"), value.to_string());
        }
        command.envs(&foreign.env);
        let has = |wanted| foreign.placeholders().any(|it| it == wanted);
        let reads = has(Placeholder::Stdin)
            || (foreign.protocol == Protocol::Text && !has(Placeholder::Instance));
        command.stdin(match foreign.protocol {
            Protocol::Jsonl => Stdio::piped(),
            _ if reads => File::open(self.instance())?.into(),
            _ => Stdio::null(),
        });
        if self.leads {
            system::lead(&mut command);
        }
        Ok(command)
    }

    /// The program without its arguments. The child of a worker has the worker's memory limit. Any other program is
    /// started by a shell, which sets the limit before the program can start processes that would escape it.
    fn limited(&self) -> Command {
        let file = &self.program.file;
        if let Some(bytes) = self.memory.filter(|_| self.leads) {
            let mut shell = Command::new("/bin/sh");
            let kibibytes = (bytes >> 10).to_string();
            shell.args(["-c", r#"ulimit -d "$0" && exec "$@""#, &kibibytes]);
            shell.arg(file);
            return shell;
        }
        let mut command = Command::new(file);
        if let Some(name) = self.program.foreign.command.first() {
            system::name(&mut command, name);
        }
        command
    }
}

impl Program {
    /// Returns whether its process ends after its answer.
    pub fn answers_once(&self) -> bool {
        self.foreign.protocol != Protocol::Jsonl
    }

    /// Returns whether all that it prints is its answer.
    pub fn answers_in_text(&self) -> bool {
        self.foreign.protocol == Protocol::Text
    }
}

/// A line of a foreign solver.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Said {
    /// The score of its best answer so far.
    best: Option<Score>,
    /// No answer can be better than this.
    bound: Option<Score>,
    /// The present values of counters.
    #[serde(default)]
    count: BTreeMap<String, u64>,
    /// The answer: the last line.
    #[serde(default, deserialize_with = "present")]
    answer: Option<Json>,
    /// True if no answer can be better.
    proven: Option<bool>,
    /// It has read its instance.
    #[serde(default)]
    ready: bool,
    /// It does not take this instance, because …
    skip: Option<String>,
}

/// `null` is an answer too, although a wrong one.
fn present<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Json>, D::Error> {
    Json::deserialize(from).map(Some)
}

impl Said {
    fn read(line: &[u8]) -> Result<Self, Failure> {
        let is_object = line.trim_ascii_start().starts_with(b"{");
        let said = match is_object {
            true => {
                serde_json::from_slice(line).map_err(|error| in_plain_words(&error.to_string()))
            }
            false => Err("no object".to_owned()),
        };
        said.map_err(|why| {
            let line = String::from_utf8_lossy(line);
            let line = line.trim_end().escape_debug();
            Failure::Crashed(format!(
                "wrote `{}`, expected an object in one line of JSON with `answer`, `best`, `bound`, `count` or \
                 `skip` ({why})",
                line.take(80).collect::<String>()
            ))
        })
    }
}

/// The time of a process: its limit, then the time in which it may still write its best answer.
struct TimeLeft<'c> {
    call: &'c Call,
    until: Option<Instant>,
    /// True if the limit has passed and the process was asked to end.
    is_late: bool,
}

impl<'c> TimeLeft<'c> {
    fn start(call: &'c Call) -> Self {
        Self {
            call,
            until: call.limit.map(|limit| Instant::now() + limit),
            is_late: false,
        }
    }

    /// The moment until which to wait before the next look at the process.
    fn next_look(&self) -> Instant {
        let look = Instant::now() + LOOK_EVERY;
        self.until.map_or(look, |until| until.min(look))
    }

    /// Returns whether all time has passed; asks the process to end when its limit has.
    fn is_over(&mut self, running: &Running) -> bool {
        if self.until.is_none_or(|until| Instant::now() < until) {
            return false;
        }
        if self.is_late {
            return true;
        }
        self.is_late = true;
        self.until = Some(Instant::now() + self.call.grace());
        system::send(Ending::Asked, running.recipient());
        false
    }
}

/// A foreign solver that is prepared for an instance.
pub struct Process {
    call: Call,
    /// The names of `call.counters`, leaked, so that they last as long as the program: a few per process.
    counters: Vec<&'static str>,
    running: Option<Running>,
    /// Questions asked so far.
    asked: u64,
    /// Why its preparation failed.
    failed: Option<Failure>,
    /// The end of standard error, if the last attempt failed.
    last_words: Option<String>,
    /// What the process of the last attempt used, if it has ended.
    used: ProcessUse,
}

/// The result of a wait for a line.
enum Next {
    Said(Said),
    Late,
    Interrupted,
}

impl Process {
    /// Writes the file of the instance and, if it answers many times, starts the process and waits until it is ready.
    ///
    /// # Errors
    /// The file cannot be written; the solver refuses the instance, or is not ready until `deadline`.
    pub fn prepare(
        call: Call,
        question: &dyn AnyInstance,
        deadline: Deadline,
    ) -> Result<Self, Refusal> {
        let file = call.instance();
        files::overwrite(&file, &question.bytes()).map_err(|error| {
            InputError::new(format!("{}: cannot be written: {error}", file.display()))
        })?;
        let counters = call.counters.iter().map(|name| &*name.clone().leak());
        let mut process = Self {
            counters: counters.collect(),
            call,
            running: None,
            asked: 0,
            failed: None,
            last_words: None,
            used: ProcessUse::default(),
        };
        if !process.call.program.answers_once() {
            match process.start(deadline) {
                Ok(true) => {}
                Ok(false) => return Err(Refusal::Timeout),
                Err(Failure::Skipped(why)) => return Err(Refusal::Skip(why)),
                Err(failure) => process.failed = Some(failure),
            }
        }
        Ok(process)
    }

    /// Starts a long-lived process; returns whether it is ready in time.
    fn start(&mut self, deadline: Deadline) -> Result<bool, Failure> {
        let line = self.call.prepare_line();
        let mut running = Running::start(&self.call)?;
        running.ask(&line);
        let until = deadline.left().map(|left| Instant::now() + left);
        match running.next(until, &mut 0)? {
            Next::Said(Said {
                skip: Some(why), ..
            }) => return Err(Failure::Skipped(why)),
            Next::Said(said) if said.ready => {}
            Next::Said(_) => {
                let why = "wrote before it was asked, expected {\"ready\": true} first";
                return Err(Failure::Crashed(why.to_owned()));
            }
            Next::Late | Next::Interrupted => return Ok(false),
        }
        self.running = Some(running);
        Ok(true)
    }

    /// The process with a question put to it.
    fn ask(&mut self) -> Result<Running, Failure> {
        if let Some(failure) = &self.failed {
            return Err(failure.clone());
        }
        if self.call.program.answers_once() {
            // The process of the question before ends first.
            self.running = None;
            return Running::start(&self.call);
        }
        let gone = || Failure::Crashed("its process was ended before this question".to_owned());
        let mut running = self.running.take().ok_or_else(gone)?;
        if running.lines.has_more().map_err(|error| unheard(&error))?
            && !system::has_ended(&running.child)
        {
            return Err(Failure::Crashed(
                "wrote on after its answer, before the next question".to_owned(),
            ));
        }
        self.asked += 1;
        running.ask(&format!("{{\"solve\": {}}}\n", self.asked));
        Ok(running)
    }

    fn listen(&self, running: &mut Running, search: &mut Search) -> Result<Attempt<Json>, Failure> {
        let (mut time_left, mut output) = (TimeLeft::start(&self.call), 0);
        let (mut bound, mut counts) = (None, BTreeMap::new());
        let attempt = loop {
            let said = match running.next(time_left.until, &mut output) {
                Ok(Next::Said(said)) => said,
                Ok(Next::Late) if !time_left.is_over(running) => continue,
                Ok(Next::Late | Next::Interrupted) => {
                    break Ok(Attempt::Timeout { best: None, bound });
                }
                Err(_) if time_left.is_late => break Ok(Attempt::Timeout { best: None, bound }),
                Err(failure) => break Err(failure),
            };
            if let Some(best) = said.best {
                search.incumbent.improve(best);
            }
            bound = said.bound.or(bound);
            counts.extend(said.count);
            if let Some(why) = said.skip {
                break Err(Failure::Skipped(why));
            }
            if said.ready {
                break Err(Failure::Crashed(
                    "said `ready` instead of an answer".to_owned(),
                ));
            }
            let Some(answer) = said.answer else { continue };
            let proven = said.proven.unwrap_or(self.call.program.foreign.exact);
            break Ok(match (time_left.is_late, proven) {
                (true, _) => Attempt::Timeout {
                    best: Some(answer),
                    bound,
                },
                (false, true) => Attempt::Solved {
                    answer,
                    proof: Proof::Proven,
                },
                (false, false) => Attempt::Solved {
                    answer,
                    proof: Proof::None,
                },
            });
        };
        for (name, count) in counts {
            let Some(known) = self.counters.iter().find(|known| **known == name) else {
                let why = format!(
                    "counts `{name}`, expected one of {}, or `counters = [\"{name}\"]` beside its command",
                    self.call.counters.join(", ")
                );
                return Err(Failure::Crashed(why));
            };
            search.counters.add(known, count);
        }
        attempt
    }
}

impl Outside for Process {
    fn solve(&mut self, search: &mut Search) -> Result<Attempt<Json>, Failure> {
        let mut running = self.ask()?;
        let attempt = match self.call.program.answers_in_text() {
            true => text::answer(&self.call, &self.counters, &mut running, search),
            false => self.listen(&mut running, search),
        };
        let is_kept = !self.call.program.answers_once();
        self.last_words = match &attempt {
            Ok(Attempt::Solved { .. }) => None,
            _ => Some(running.lines.last_words()).filter(|words| !words.trim().is_empty()),
        };
        self.used = running.used;
        match &attempt {
            // The process ends later, outside of the time of its answer.
            Ok(Attempt::Solved { .. }) => self.running = Some(running),
            // It had its time.
            Ok(Attempt::Timeout { .. }) => drop(running.end(Duration::ZERO)),
            // The failure is also the reason why later questions are not answered.
            Err(failure) => self.failed = Some(failure.clone()).filter(|_| is_kept),
        }
        attempt
    }
    fn last_words(&self) -> Option<String> {
        self.last_words.clone()
    }
    fn used(&self) -> ProcessUse {
        self.used
    }
}

/// A running process. Dropping it waits briefly for its end, then kills it.
struct Running {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: LineReader<ChildStdout>,
    leads: bool,
    memory: Option<u64>,
    /// Its exit status, after it is reaped.
    ended: Option<ExitStatus>,
    /// What it and its children used, after it is reaped.
    used: ProcessUse,
}

impl Running {
    fn start(call: &Call) -> Result<Self, Failure> {
        let started = call.command().and_then(|mut command| command.spawn());
        let why = |why| {
            Failure::Crashed(format!(
                "{}: cannot be started: {why}",
                call.program.file.display()
            ))
        };
        let mut child = started.map_err(|error| {
            let missing = missing_interpreter(&call.program.file);
            why(missing.map_or(error.to_string(), |program| {
                format!("its first line names `{program}`, which is not there")
            }))
        })?;
        let (stdin, stderr) = (child.stdin.take(), child.stderr.take());
        let stdout = child
            .stdout
            .take()
            .ok_or_else(|| why("it has no output".to_owned()))?;
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
    fn ask(&mut self, line: &str) {
        if let Some(stdin) = &mut self.stdin {
            let _ = stdin.write_all(line.as_bytes());
        }
    }

    /// The next line that is not empty; `output` counts the bytes before it.
    fn next(&mut self, until: Option<Instant>, output: &mut usize) -> Result<Next, Failure> {
        let mut has_failed = false;
        loop {
            let look = Instant::now() + if has_failed { LAST_LOOK } else { LOOK_EVERY };
            let slice = until.map_or(look, |until| until.min(look));
            let heard = self
                .lines
                .next(Some(slice))
                .map_err(|error| unheard(&error))?;
            let line = match heard {
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
        Said::read(line).map_err(|failure| match last_line(&self.lines.last_words()) {
            Some(words) => Failure::Crashed(format!("{failure}; its last words: {words}")),
            None => failure,
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
        if self.memory.is_some() && OUT_OF_MEMORY.iter().any(|sign| words.contains(sign)) {
            return Err(Failure::OutOfMemory(format!(
                "ended without an answer, {status}{last}"
            )));
        }
        Err(Failure::Crashed(format!(
            "ended without an answer, {status}{last}"
        )))
    }

    /// The process, or the group that it leads. The number belongs to it until it is reaped.
    fn recipient(&self) -> Recipient {
        let number = self.child.id();
        match self.leads {
            true => Recipient::Group(number),
            false => Recipient::Process(number),
        }
    }

    /// Waits briefly for the process to end by itself, then kills it, with its group if it has one.
    fn end(&mut self, grace: Duration) -> anyhow::Result<ExitStatus> {
        if let Some(status) = self.ended {
            return Ok(status);
        }
        self.stdin = None;
        let recipient = self.recipient();
        confinement::stop(&self.child, grace, || {
            system::send(Ending::Forced, recipient);
        });
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
    let line = begin
        .strip_prefix(b"#!")?
        .split(|byte| *byte == b'\n')
        .next()?;
    let named = String::from_utf8_lossy(line.trim_ascii_start()).into_owned();
    let program = named.split([' ', '\t']).next()?;
    (!Path::new(program).exists()).then(|| program.escape_debug().to_string())
}

fn flood() -> Failure {
    Failure::Crashed(format!(
        "wrote more than {} MiB before its answer",
        MOST_OUTPUT >> 20
    ))
}

fn unheard(error: &anyhow::Error) -> Failure {
    Failure::Crashed(format!("its process cannot be heard: {error:#}"))
}
