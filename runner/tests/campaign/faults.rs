//! A problem with honest variants, and with variants that misbehave in every way that a campaign must survive.
//!
//! The question is a number, the answer its square with the number as witness.

use std::hint::black_box;
use std::io::Write;
use std::os::unix::net::UnixStream;
use std::process::Command;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use ikeru_core::{
    Attempt, Check, Checked, Direction, Generator, InputError, Measure, OURS, Problem, ProblemInfo,
    Random, Score, Search, Settings, Variant, Wrong, settings,
};
use serde_json::{Value as Json, json};

/// The socket of a worker, which no honest variant can reach.
static SOCKET: OnceLock<UnixStream> = OnceLock::new();

/// Gives the variants `torn` and `nonsense` the socket of this worker.
pub fn keep_socket() {
    if let Ok(socket) = rustix::io::dup(rustix::stdio::stdin()) {
        let _ = SOCKET.set(UnixStream::from(socket));
    }
}

pub struct Faults;

#[derive(Clone, Copy)]
pub struct Number(i64);

#[derive(Clone, PartialEq)]
pub struct Answer {
    witness: i64,
    claimed: Score,
}

settings! {
    NUMBER: i64 = "number", 3, 0..=1000, "what is squared";
}

/// A variant of this problem.
type Fault = Variant<Faults>;

macro_rules! variants {
    ($($name:literal => $answer:expr),* $(,)?) => {
        &[$(Fault {
            name: $name,
            about: "as it is called",
            source: OURS,
            exact: true,
            version: 1,
            settings: &[],
            prepare: |number, _, _| {
                let number = number.0;
                let answer: fn(i64, &mut Search) -> Attempt<Answer> = $answer;
                Ok(Box::new(move |search: &mut Search| answer(number, search)))
            },
        }),*, Fault {
            name: "never-ready",
            about: "as it is called",
            source: OURS,
            exact: true,
            version: 1,
            settings: &[],
            prepare: |_, _, _| loop {
                std::thread::sleep(Duration::from_secs(3600));
            },
        }]
    };
}

/// Variants that answer, and must have the right rows next to any misbehaving variant.
pub const HONEST: &[&str] = &["honest", "busy", "noisy"];

const VARIANTS: &[Fault] = variants! {
    "honest" => honest,
    "busy" => |number, search| {
        let started = Instant::now();
        while started.elapsed() < Duration::from_millis(1) {
            black_box(number);
        }
        honest(number, search)
    },
    "noisy" => |number, search| {
        write_lines(1 << 12);
        honest(number, search)
    },
    "undisturbed" => |number, search| {
        for name in ["RUST_BACKTRACE", "RUST_LIB_BACKTRACE", "RUST_MIN_STACK"] {
            assert!(std::env::var_os(name).is_none(), "{name} is set");
        }
        honest(number, search)
    },
    "late" => |number, search| {
        search.incumbent.improve(number);
        while !search.deadline.passed() {}
        Attempt::Timeout { best: Some(Answer { witness: number, claimed: number * number }), bound: None }
    },
    "panics" => |number, _| panic!("{number} is too much"),
    "loops" => |number, search| {
        search.incumbent.improve(number);
        loop {
            black_box(number);
        }
    },
    "sleeps" => |_, _| loop {
        std::thread::sleep(Duration::from_secs(3600));
    },
    "allocates" => |_, _| {
        let mut all = Vec::new();
        loop {
            all.push(black_box(Vec::<u8>::with_capacity(1 << 24)));
        }
    },
    "claims" => |number, _| Attempt::proven(Answer { witness: number, claimed: number * number + 1 }),
    "illegal" => |number, _| Attempt::proven(Answer { witness: number + 1, claimed: number * number }),
    "kills-itself" => |_, _| {
        let me = rustix::process::getpid();
        let _ = rustix::process::kill_process(me, rustix::process::Signal::KILL);
        unreachable!()
    },
    "exits" => |_, _| std::process::exit(3),
    "floods" => |_, _| {
        write_lines(u64::MAX);
        unreachable!()
    },
    "torn" => |_, _| say(b"{\"Taken\":{\"outcome\":\"Sol"),
    "nonsense" => |_, _| say(b"all is well\n"),
    "overflows" => |number, _| {
        black_box(deep(number as u64));
        unreachable!()
    },
    "self-timed" => |number, search| {
        use rustix::time::{ClockId, clock_gettime};
        let now = |clock| {
            let time = clock_gettime(clock);
            Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32)
        };
        // It stops itself after a millisecond of its process. The clock of its thread never advances by ticks.
        let took = (0..9).map(|_| {
            let [process, thread] = [ClockId::ProcessCPUTime, ClockId::ThreadCPUTime].map(now);
            while now(ClockId::ProcessCPUTime) - process < Duration::from_millis(1) {}
            now(ClockId::ThreadCPUTime) - thread
        });
        let took = took.min().expect("nine");
        assert!(took < Duration::from_micros(1_050), "{took:?}");
        honest(number, search)
    },
    "escapes" => |number, search| {
        // A process outside of the process group whose parent has ended: no signal to the group reaches it.
        let escaping = "setsid sleep 1000 </dev/null >/dev/null 2>&1 &";
        let _ = Command::new("sh").args(["-c", escaping]).status();
        honest(number, search)
    },
    "has-children" => |_, _| {
        // Longer than any test; ended with the worker, or the test finds it.
        let _ = Command::new("sleep").arg("1000").spawn();
        loop {
            std::thread::sleep(Duration::from_millis(1));
        }
    },
};

fn honest(number: i64, search: &mut Search) -> Attempt<Answer> {
    search.counters.add("steps", number.unsigned_abs());
    Attempt::proven(Answer {
        witness: number,
        claimed: number * number,
    })
}

fn write_lines(lines: u64) {
    let (mut out, mut err) = (std::io::stdout(), std::io::stderr());
    for _ in 0..lines {
        let _ = out
            .write_all(&[b'o'; 512])
            .and_then(|()| err.write_all(&[b'e'; 512]));
    }
}

/// Writes to the run behind the worker's back, and ends.
fn say(bytes: &[u8]) -> ! {
    if let Some(mut socket) = SOCKET.get() {
        let _ = socket.write_all(bytes);
    }
    std::process::exit(0)
}

fn deep(number: u64) -> u64 {
    let here = black_box([number; 64]);
    if number == u64::MAX {
        return number;
    }
    deep(number + 1) ^ here[(number % 64) as usize]
}

impl Problem for Faults {
    const INFO: ProblemInfo = ProblemInfo {
        name: "faults",
        about: "what is the square of a number, and who survives?",
        direction: Direction::Maximize,
        settings: &[],
        counters: &[Measure::lower("steps", "as many as the number")],
        measures: &[],
        words: &[],
        batch: None,
    };
    const VARIANTS: &'static [Variant<Self>] = VARIANTS;
    const GENERATORS: &'static [Generator<Self>] = &[Generator {
        name: "faults.number",
        about: "a number",
        parameters: settings![NUMBER],
        generate: |settings: &Settings, _: &mut Random| Ok(Number(settings.get(&NUMBER)?)),
    }];
    type Instance = Number;
    type Answer = Answer;
    type Referee = Check<Self>;

    fn default_variant(_: &Number) -> &'static str {
        "honest"
    }
    fn read(text: &str) -> Result<Number, InputError> {
        let number = text.trim().parse();
        number
            .map(Number)
            .map_err(|_| InputError::at(1, "expected a number"))
    }
    fn write(number: &Number) -> String {
        format!("{}\n", number.0)
    }
    fn ask(number: &Number, _: &Settings) -> Result<Number, InputError> {
        Ok(*number)
    }
    fn size(number: &Number) -> u64 {
        number.0.unsigned_abs()
    }
    fn referee(_: &Number) -> Check<Self> {
        |number, answer, _| {
            if answer.witness == number.0 {
                Ok(Checked::score(number.0 * number.0))
            } else {
                Err(Wrong(format!("{} is not the number asked for", answer.witness)).into())
            }
        }
    }
    fn score(answer: &Answer) -> Option<Score> {
        Some(answer.claimed)
    }
    fn answer_json(_: &Number, answer: &Answer) -> Json {
        json!({ "witness": answer.witness, "square": answer.claimed })
    }
    fn read_answer(_: &Number, answer: &Json) -> Result<Answer, InputError> {
        let key = |key: &str| {
            let number = answer.get(key).and_then(Json::as_i64);
            number.ok_or_else(|| InputError::new(format!("expected a whole number `{key}`")))
        };
        Ok(Answer {
            witness: key("witness")?,
            claimed: key("square")?,
        })
    }
    fn answer_text(_: &Number, answer: &Answer) -> String {
        format!("{}\n", answer.claimed)
    }
}
