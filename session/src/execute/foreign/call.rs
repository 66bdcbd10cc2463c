//! The call of a foreign solver: its program, settings and limits, and the command that is made from them.

use std::fs::File;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use ikeru_bench_data::experiment::{Placeholder, Protocol};
use ikeru_core::Settings;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::execute::confinement::GRACE;
use crate::plan::{Cell, Program, Stage};
use crate::system;

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
        let settings = cell.question.with_defaults(stage.problem.settings());
        let counters = stage.problem.counters().iter();
        let counters = counters.map(|known| known.name.to_owned());
        let own = program.foreign.counters.iter().cloned();
        Some(Self {
            counters: counters.chain(own).collect(),
            program,
            settings: settings.with(&cell.method),
            threads: cell.threads,
            limit: Some(stage.limit),
            memory: stage.memory,
            scratch: scratch?,
            leads: false,
        })
    }

    /// The file of its instance.
    pub(super) fn instance(&self) -> PathBuf {
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
    pub(super) fn prepare_line(&self) -> String {
        let prepare = json!({
            "instance": self.value(Placeholder::Instance),
            "settings": self.settings,
            "threads": self.threads,
            "limit_ms": self.limit_ms(),
        });
        format!("{}\n", json!({ "prepare": prepare }))
    }

    /// The command with its words, variables and streams.
    pub(super) fn command(&self) -> std::io::Result<Command> {
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
            || (foreign.protocol() == Protocol::Text && !has(Placeholder::Instance));
        command.stdin(match foreign.protocol() {
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
        if let Some(name) = self.program.foreign.program().first() {
            system::name(&mut command, name);
        }
        command
    }
}

impl Program {
    /// Returns whether its process ends after its answer.
    pub fn answers_once(&self) -> bool {
        self.foreign.protocol() != Protocol::Jsonl
    }

    /// Returns whether all that it prints is its answer.
    pub fn answers_in_text(&self) -> bool {
        self.foreign.protocol() == Protocol::Text
    }
}
