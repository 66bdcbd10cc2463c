//! An adversary: looks for inputs that break something, and for instances on which one variant beats another.
//!
//!     cargo run --example adversary -- --seconds 60
//!     cargo run --profile fuzz --example adversary -- --seconds 3600 --jobs 2 --seed 7
//!     cargo run --example adversary -- --seed 7 --only 123456
//!     cargo run --release --example adversary -- --kind parameters-trail --seconds 600
//!     cargo run --release --example adversary -- --rivals jps bucket --on path.random --set width=16..64 --findings found
//!
//! The first inputs are nearly correct texts: every format, experiments, journals, certificates, foreign solvers' answers;
//! and random configurations of generated instances, questions, variants, settings and threads, which are made smaller
//! when they fail.
//!
//! Each worker is a process with limited memory that notes the number of its input before it examines it. The parent
//! therefore knows the input at which a worker died or hung, and continues with the next one. Findings are saved as
//! texts, and a text in `runner/tests/corpus` is a test from then on. The exit code is 1 if there are findings.

mod configuration;
mod examine;
mod inputs;
mod rivals;

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use clap::Parser;
use examine::{Budget, Depth, examine};
use ikeru_core::Random;
use inputs::{Kind, Kinds};
use rivals::Rivals;
use rustix::process::{Resource, Rlimit, setrlimit};

/// The share of a worker's time in which it solves.
const SOLVING: f64 = 0.2;

/// Memory of a worker's data.
const MEMORY: u64 = 1 << 30;

/// The time at one input after which a worker counts as hung; it includes the making of the first texts.
const HANGS_AFTER: Duration = Duration::from_secs(120);

#[derive(Debug, Parser)]
#[command(about = "Looks for panics, hangs, wrong answers and memory without bound")]
struct Arguments {
    /// How long.
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// Another seed means other inputs.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Processes side by side.
    #[arg(long, default_value_t = 2)]
    jobs: u64,
    /// Where findings are saved; a folder of the system's if not said.
    #[arg(long)]
    findings: Option<PathBuf>,
    /// Looks at this input alone, in this process.
    #[arg(long)]
    only: Option<u64>,
    /// Only inputs of this kind, such as `parameters-trail` or `answer-path`; all of them are solved.
    #[arg(long)]
    kind: Option<String>,
    /// Looks at this file alone: `--file trail board.txt`.
    #[arg(long, num_args = 2, value_names = ["KIND", "FILE"])]
    file: Option<Vec<String>>,
    /// Two variants: looks for instances on which one beats the other
    #[arg(long, num_args = 2, value_names = ["A", "B"], requires = "on")]
    rivals: Option<Vec<String>>,
    /// The generator of their instances
    #[arg(long)]
    on: Option<String>,
    /// The counter that is compared; CPU time without it
    #[arg(long)]
    counter: Option<String>,
    /// `KEY=VALUE` or `KEY=LOW..HIGH`: a parameter of the generator
    #[arg(long = "set")]
    sets: Vec<String>,
    /// The first input of a worker, which looks at every `jobs`-th.
    #[arg(long, hide = true)]
    worker: Option<u64>,
}

fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    let folder = arguments.findings.clone().unwrap_or_else(|| {
        std::env::temp_dir().join(format!("ikeru-adversary-{}", arguments.seed))
    });
    if let Some(word) = &arguments.kind {
        Kind::of_word(word).with_context(|| format!("`{word}` is no kind of input"))?;
    }
    fs::create_dir_all(&folder).with_context(|| format!("{}: cannot be made", folder.display()))?;
    if let Some([word, file]) = arguments.file.as_deref() {
        return one_file(word, Path::new(file));
    }
    if let (Some(names), Some(on)) = (&arguments.rivals, &arguments.on) {
        let rivals = Rivals::new(names, on, arguments.counter.clone(), &arguments.sets)?;
        let time = Duration::from_secs(arguments.seconds);
        let is_wrong = rivals.hunt(time, arguments.seed, &folder)?;
        return Ok(ExitCode::from(u8::from(is_wrong)));
    }
    match (arguments.only, arguments.worker) {
        (Some(number), _) => only(&arguments, number),
        (None, Some(first)) => work(&arguments, first, &folder),
        (None, None) => watch(&arguments, &folder),
    }
}

fn only(arguments: &Arguments, number: u64) -> Result<ExitCode> {
    let (kind, text, mut random) =
        Kinds::new(arguments.seed, arguments.kind.as_deref()).input(arguments.seed, number);
    println!("{}:\n{text}", kind.word());
    Ok(examined(kind, &text, &mut random))
}

fn one_file(word: &str, file: &Path) -> Result<ExitCode> {
    let kind = Kind::of_word(word).with_context(|| format!("`{word}` is no kind of input"))?;
    let text = fs::read(file).with_context(|| format!("{}: cannot be read", file.display()))?;
    let text = String::from_utf8_lossy(&text);
    Ok(examined(kind, &text, &mut Random::new("fuzz", 1)))
}

/// Examines one input and says what came of it.
fn examined(kind: Kind, text: &str, random: &mut Random) -> ExitCode {
    let examined = examine(kind, text, &mut Budget::new(None), random);
    println!("{examined:?}");
    ExitCode::from(u8::from(examined.is_err()))
}

/// The number of inputs, and of those that reached each stage.
#[derive(Default, Clone, Copy)]
struct Tally {
    inputs: u64,
    accepted: u64,
    solved: u64,
    findings: u64,
}

impl Tally {
    fn counts(self) -> [u64; 4] {
        [self.inputs, self.accepted, self.solved, self.findings]
    }

    fn of([inputs, accepted, solved, findings]: [u64; 4]) -> Self {
        Self {
            inputs,
            accepted,
            solved,
            findings,
        }
    }

    fn bytes(self, number: u64) -> Vec<u8> {
        let numbers = [number].into_iter().chain(self.counts());
        numbers.flat_map(u64::to_le_bytes).collect()
    }

    fn of_bytes(bytes: &[u8; 40]) -> (u64, Self) {
        let number = |at: usize| {
            let word = bytes[8 * at..8 * at + 8].try_into();
            u64::from_le_bytes(word.expect("eight bytes"))
        };
        (number(0), Self::of([1, 2, 3, 4].map(number)))
    }

    fn and(self, other: Self) -> Self {
        let (own, other) = (self.counts(), other.counts());
        Self::of([0, 1, 2, 3].map(|at| own[at] + other[at]))
    }
}

/// A worker: examines inputs until its time is over.
fn work(arguments: &Arguments, first: u64, folder: &Path) -> Result<ExitCode> {
    let limit = Rlimit {
        current: Some(MEMORY),
        maximum: Some(MEMORY),
    };
    setrlimit(Resource::Data, limit)?;
    // A panic is a finding; its message is enough.
    std::panic::set_hook(Box::new(|_| {}));
    let kinds = Kinds::new(arguments.seed, arguments.kind.as_deref());
    let place = first % arguments.jobs;
    let own = folder.join(format!("worker-{place}"));
    fs::create_dir_all(&own)?;
    let progress = File::options()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(own.join("progress"))?;
    let mut tally = Tally::default();
    let mut budget = Budget::new(arguments.kind.is_none().then_some(SOLVING));
    let ends = Instant::now() + Duration::from_secs(arguments.seconds);
    let mut number = first;
    while Instant::now() < ends {
        progress.write_all_at(&tally.bytes(number), 0)?;
        let (kind, text, mut random) = kinds.input(arguments.seed, number);
        tally.inputs += 1;
        match examine(kind, &text, &mut budget, &mut random) {
            Ok(depth) => {
                tally.accepted += u64::from(depth != Depth::Refused);
                tally.solved += u64::from(depth == Depth::Solved);
            }
            Err(what) => {
                tally.findings += 1;
                save(folder, arguments.seed, number, &kind.word(), &text, &what)?;
            }
        }
        number += arguments.jobs;
    }
    progress.write_all_at(&tally.bytes(number), 0)?;
    Ok(ExitCode::SUCCESS)
}

fn save(folder: &Path, seed: u64, number: u64, kind: &str, text: &str, what: &str) -> Result<()> {
    println!("input {number} ({kind}): {what}");
    let path = folder.join(format!("{kind}--{seed}-{number}.txt"));
    fs::write(&path, text).with_context(|| format!("{}: cannot be written", path.display()))
}

/// The parent: starts workers, and after a worker's death another one at the next input.
fn watch(arguments: &Arguments, folder: &Path) -> Result<ExitCode> {
    let started = Instant::now();
    let watched = |place| {
        let arguments = &arguments;
        move || Worker::new(arguments, place, folder)?.watched(arguments)
    };
    let tallies: Vec<Result<Tally>> = thread::scope(|scope| {
        let workers: Vec<_> = (0..arguments.jobs)
            .map(|place| scope.spawn(watched(place)))
            .collect();
        let joined = workers.into_iter().map(|worker| {
            worker
                .join()
                .unwrap_or_else(|_| Err(anyhow::anyhow!("a watcher panicked")))
        });
        joined.collect()
    });
    let mut all = Tally::default();
    for tally in tallies {
        all = all.and(tally?);
    }
    println!(
        "{} inputs in {} s: {} accepted, {} solved, {} findings in {}",
        all.inputs,
        started.elapsed().as_secs(),
        all.accepted,
        all.solved,
        all.findings,
        folder.display()
    );
    Ok(ExitCode::from(u8::from(all.findings > 0)))
}

struct Worker<'a> {
    folder: &'a Path,
    place: u64,
    ends: Instant,
    /// The tally of the workers before this one.
    before: Tally,
}

impl<'a> Worker<'a> {
    fn new(arguments: &Arguments, place: u64, folder: &'a Path) -> Result<Self> {
        Ok(Self {
            folder,
            place,
            ends: Instant::now() + Duration::from_secs(arguments.seconds),
            before: Tally::default(),
        })
    }

    fn start(&self, arguments: &Arguments, first: u64) -> Result<Child> {
        let left = self
            .ends
            .saturating_duration_since(Instant::now())
            .as_secs();
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("--worker").arg(first.to_string());
        command.arg("--seed").arg(arguments.seed.to_string());
        command.arg("--jobs").arg(arguments.jobs.to_string());
        command.arg("--seconds").arg(left.to_string());
        command.arg("--findings").arg(self.folder);
        if let Some(kind) = &arguments.kind {
            command.arg("--kind").arg(kind);
        }
        command.stdin(Stdio::null()).stderr(Stdio::null());
        command.spawn().context("a worker cannot be started")
    }

    fn file(&self) -> PathBuf {
        let own = format!("worker-{}", self.place);
        self.folder.join(own).join("progress")
    }

    /// The number that the worker is at, and what it has done.
    fn progress(&self) -> (u64, Tally) {
        let mut bytes = [0; 40];
        match File::open(self.file()).and_then(|file| file.read_exact_at(&mut bytes, 0)) {
            Ok(()) => Tally::of_bytes(&bytes),
            Err(_) => (self.place, Tally::default()),
        }
    }

    fn watched(mut self, arguments: &Arguments) -> Result<Tally> {
        let _ = fs::remove_file(self.file());
        let mut first = self.place;
        loop {
            let mut child = self.start(arguments, first)?;
            let died = self.until_it_ends(&mut child)?;
            let (number, tally) = self.progress();
            self.before = self.before.and(tally);
            let Some(why) = died else {
                return Ok(self.before);
            };
            self.before.findings += 1;
            let (kind, text, _) =
                Kinds::new(arguments.seed, arguments.kind.as_deref()).input(arguments.seed, number);
            let kind = kind.word();
            save(self.folder, arguments.seed, number, &kind, &text, &why)?;
            first = number + arguments.jobs;
        }
    }

    /// Waits for the worker's end. Returns why it died, or was killed because it hung.
    fn until_it_ends(&self, child: &mut Child) -> Result<Option<String>> {
        let mut last = (self.progress().1.inputs, Instant::now());
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok((!status.success()).then(|| format!("the worker died: {status}")));
            }
            let inputs = self.progress().1.inputs;
            if inputs != last.0 {
                last = (inputs, Instant::now());
            } else if last.1.elapsed() > HANGS_AFTER {
                child.kill()?;
                child.wait()?;
                return Ok(Some(format!("it hung for {} s", HANGS_AFTER.as_secs())));
            }
            thread::sleep(Duration::from_millis(50));
        }
    }
}
