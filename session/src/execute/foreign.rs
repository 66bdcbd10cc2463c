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
//!
//! | module | owns |
//! |---|---|
//! | `call` | what it is asked: settings, limits, the command |
//! | `said` | the lines of JSON |
//! | `running` | its process: start, lines, end |
//! | `text` | the protocol `text` |

mod call;
mod running;
mod said;
pub(crate) mod text;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use ikeru_core::{
    AnyInstance, Attempt, Deadline, Failure, InputError, Outside, ProcessUse, Refusal, Score,
    Search,
};
use serde_json::Value as Json;

pub use self::call::Call;
use self::running::{Next, Running, TimeLeft, unheard};
use self::said::Said;
use crate::{files, system};

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
    /// The bound of the last attempt.
    bound: Option<Score>,
    /// What the process of the last attempt used, if it has ended.
    used: ProcessUse,
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
            bound: None,
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
            let why = "wrote on after its answer, before the next question";
            return Err(Failure::Crashed(why.to_owned()));
        }
        self.asked += 1;
        running.ask(&format!("{{\"solve\": {}}}\n", self.asked));
        Ok(running)
    }

    /// The attempt of a solver that was stopped, with its bound so far.
    fn stopped(&self, best: Option<Json>) -> Attempt<Json> {
        let bound = self.bound;
        Attempt::Timeout { best, bound }
    }

    fn listen(
        &mut self,
        running: &mut Running,
        search: &mut Search,
    ) -> Result<Attempt<Json>, Failure> {
        let (mut time_left, mut output) = (TimeLeft::start(&self.call), 0);
        let mut counts = BTreeMap::new();
        self.bound = None;
        let attempt = loop {
            let said = match running.next(time_left.until, &mut output) {
                Ok(Next::Said(said)) => said,
                Ok(Next::Late) if !time_left.is_over(running.recipient()) => continue,
                Ok(Next::Late | Next::Interrupted) => break Ok(self.stopped(None)),
                Err(_) if time_left.is_late => break Ok(self.stopped(None)),
                Err(failure) => break Err(failure),
            };
            if let Some(best) = said.best {
                search.incumbent.improve(best);
            }
            self.bound = said.bound.or(self.bound);
            counts.extend(said.count);
            if let Some(why) = said.skip {
                break Err(Failure::Skipped(why));
            }
            if said.ready {
                let why = "said `ready` instead of an answer";
                break Err(Failure::Crashed(why.to_owned()));
            }
            let Some(answer) = said.answer else { continue };
            let proven = said.proven.unwrap_or(self.call.program.foreign.exact);
            break Ok(match (time_left.is_late, proven) {
                (true, _) => self.stopped(Some(answer)),
                (false, true) => Attempt::proven(answer),
                (false, false) => Attempt::unproven(answer),
            });
        };
        for (name, count) in counts {
            let Some(known) = self.counters.iter().find(|known| **known == name) else {
                let known = self.call.counters.join(", ");
                let why = format!(
                    "counts `{name}`, expected one of {known}, or `counters = [\"{name}\"]` beside its command"
                );
                return Err(Failure::Wrong(why));
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
            Ok(Attempt::Solved { .. }) | Err(Failure::NoAnswer(_)) => None,
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
    fn bound(&self) -> Option<Score> {
        self.bound
    }
    fn used(&self) -> ProcessUse {
        self.used
    }
}
