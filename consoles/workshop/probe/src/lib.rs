//! Asks one variant one question, without clock and harness, so that the same source runs on the host and on a
//! console's instruction set.
//!
//! The probe makes a mark before each answer and after the last: a `sched_yield`, which an emulator's plugin sees. The
//! counts therefore leave out reading and preparing (before the first mark) and printing (after the last).
#![deny(unsafe_code)]

use std::fmt;
use std::hint::black_box;
use std::path::Path;

use ikeru_core::{
    AnyInstance, AnyProblem, AnySolver, Counters, Deadline, Incumbent, InputError, Refusal, Score,
    Search, Settings, Value, unknown,
};

/// The problems that the probe can ask.
pub fn problems() -> Vec<&'static dyn AnyProblem> {
    [
        ikeru_reach::problems(),
        ikeru_trail::problems(),
        ikeru_path::problems(),
        ikeru_chain::problems(),
        ikeru_deep::problems(),
        ikeru_policy::problems(),
    ]
    .concat()
}

/// The problem called `name`.
///
/// # Errors
/// An unknown name, with the nearest known one.
pub fn problem(name: &str) -> Result<&'static dyn AnyProblem, InputError> {
    let problems = problems();
    let found = problems.iter().find(|problem| problem.name() == name);
    let names = || problems.iter().map(|problem| problem.name());
    found
        .copied()
        .ok_or_else(|| unknown("problem", name, names()))
}

/// The reason why a question has no answer.
#[derive(Debug)]
pub enum ProbeFailure {
    /// The question was not understood.
    Input(InputError),
    /// The variant refuses it.
    Refused(Refusal),
}

impl fmt::Display for ProbeFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(error) => error.fmt(f),
            Self::Refused(refusal) => write!(f, "refused: {refusal}"),
        }
    }
}

impl From<InputError> for ProbeFailure {
    fn from(error: InputError) -> Self {
        Self::Input(error)
    }
}

/// An instance with the settings of a question and of the method that answers it.
pub struct ProbeQuestion {
    problem: &'static dyn AnyProblem,
    instance: Box<dyn AnyInstance>,
    method: Settings,
}

impl ProbeQuestion {
    /// Makes a question from an instance and `settings` (`key=value`).
    ///
    /// # Errors
    /// A setting that is not `key=value`, or that does not fit.
    pub fn new(
        problem: &'static dyn AnyProblem,
        instance: &dyn AnyInstance,
        settings: &[impl AsRef<str>],
    ) -> Result<Self, InputError> {
        let (mut question, mut method) = (Settings::new(), Settings::new());
        for setting in settings {
            let setting = setting.as_ref();
            let (name, value) = setting
                .split_once('=')
                .ok_or_else(|| InputError::new(format!("`{setting}` is no key=value")))?;
            let asked = problem.settings().iter().any(|known| known.name == name);
            let settings = if asked { &mut question } else { &mut method };
            settings.set(name, Value::parse(value));
        }
        Ok(Self {
            problem,
            instance: instance.ask(&question)?,
            method,
        })
    }

    /// Makes a question from `settings` and the instance in `file`, which may name files in the same folder.
    ///
    /// # Errors
    /// A file that cannot be read, or a setting that does not fit.
    pub fn read(
        problem: &'static dyn AnyProblem,
        file: &Path,
        settings: &[impl AsRef<str>],
    ) -> Result<Self, InputError> {
        let read = |path: &Path| std::fs::read_to_string(path);
        let named =
            |error: &dyn fmt::Display| InputError::new(format!("{}: {error}", file.display()));
        let text = read(file).map_err(|error| named(&error))?;
        let folder = file.parent().unwrap_or(Path::new(""));
        let open = |name: &str| read(&folder.join(name));
        let instance = problem.read_with(&text, &open);
        let instance = instance.map_err(|error| named(&error))?;
        Self::new(problem, instance.as_ref(), settings)
    }

    /// The instance's size in the problem's unit.
    pub fn size(&self) -> u64 {
        self.instance.size()
    }

    /// Prepares the variant called `variant`.
    ///
    /// # Errors
    /// An unknown variant, or one that refuses the question.
    pub fn prepare(&self, variant: &str) -> Result<Box<dyn AnySolver + '_>, ProbeFailure> {
        let variant = self.problem.variant(variant)?;
        self.method.check(variant.name, &[variant.settings])?;
        let prepared = self
            .instance
            .prepare(variant.name, &self.method, Deadline::never());
        prepared.map_err(ProbeFailure::Refused)
    }

    /// Lets `solver` answer `answers` times, with a mark before each and one after the last, and returns the last
    /// answer's score and counters.
    pub fn answer(&self, solver: &mut dyn AnySolver, answers: u32) -> ProbeAnswer {
        let mut counters = Counters::default();
        for _ in 0..answers {
            std::thread::yield_now();
            let incumbent = Incumbent::new(self.problem.direction());
            let mut search = Search::new(&incumbent);
            solver.solve(&mut search);
            black_box(&*solver);
            counters = search.counters;
        }
        std::thread::yield_now();
        ProbeAnswer {
            score: solver.claimed(),
            counters,
            table_bytes: solver.table_bytes(),
        }
    }
}

/// The score, counters and table bytes of the last answer.
#[derive(Debug)]
pub struct ProbeAnswer {
    /// The score that the variant claims.
    pub score: Option<Score>,
    /// The deterministic counters of its work.
    pub counters: Counters,
    /// Bytes of tables as the variant counts them.
    pub table_bytes: u64,
}
