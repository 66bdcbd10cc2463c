//! Campaigns that go wrong in every way: variants that misbehave, kills at random moments, full disks.
//!
//! This test is also the program that it tests: with [`AS_IKERU`] in its environment it is `ikeru` with the built-in
//! problems and that of `faults.rs`, which no shipped program knows.

mod disk;
mod faults;
mod kills;
mod misbehaviour;
mod signals;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;

/// The variable that names the test for which this process is `ikeru`.
const AS_IKERU: &str = "IKERU_CAMPAIGN_TEST";

/// Tests with their names.
macro_rules! tests {
    ($($module:ident::$test:ident),* $(,)?) => {
        &[$((stringify!($test), $module::$test)),*]
    };
}

const TESTS: &[(&str, fn())] = tests![
    misbehaviour::everybody_gets_the_row_they_deserve,
    misbehaviour::a_solver_that_stops_itself_by_its_clock_runs_no_longer_in_a_worker,
    misbehaviour::a_worker_ends_itself_when_its_run_does_not,
    kills::a_kill_at_any_moment_loses_nothing,
    kills::a_kill_leaves_none_of_those_who_escaped_where_cgroups_hold_them,
    disk::a_full_disk_stops_the_run_and_loses_nothing,
    disk::a_removed_folder_is_written_again,
    disk::a_folder_that_takes_nothing_is_refused,
    signals::a_signal_ends_a_run_that_says_how_to_go_on,
    signals::a_signal_drops_the_sample_that_runs,
    signals::a_second_signal_ends_the_program_at_once,
    signals::a_second_writer_is_refused_while_the_first_runs,
    misbehaviour::the_shipped_program_knows_no_faults,
];

fn main() -> ExitCode {
    if std::env::var_os(AS_IKERU).is_some() {
        faults::keep_socket();
        return ikeru::main_with(vec![ikeru_core::erase::<faults::Faults>()]);
    }
    // A shell's background job ignores SIGINT, and its child processes inherit this. A signal that is caught here has
    // its default effect in them.
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        let always = Arc::new(AtomicBool::new(true));
        flag::register_conditional_default(signal, always).expect("a handler");
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let only_list = arguments.iter().any(|argument| argument == "--list");
    let wanted: Vec<&String> = arguments.iter().filter(|it| !it.starts_with('-')).collect();
    for (name, test) in TESTS {
        if !wanted.is_empty() && !wanted.iter().any(|part| name.contains(part.as_str())) {
            continue;
        }
        if only_list {
            println!("{name}: test");
            continue;
        }
        let started = Instant::now();
        // A panic ends the program: nothing after it says `ok`.
        test();
        println!(
            "test {name} ... ok ({:.1} s)",
            started.elapsed().as_secs_f64()
        );
    }
    ExitCode::SUCCESS
}

/// A folder for one test's files and runs; its path marks every process of the test.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes an experiment on `faults` and gives back its path.
    fn experiment(&self, name: &str, variants: &[&str], numbers: &str, run: &str) -> PathBuf {
        let path = self.path(&format!("{name}.toml"));
        let text = format!(
            "name = \"{name}\"\ntitle = \"t\"\nabout = \"a\"\nproblem = \"faults\"\n\
             variants = {variants:?}\n\
             instances = [{{ generator = \"faults.number\", set = {{ number = {numbers} }} }}]\n\
             run = {{ {run} }}\n"
        );
        std::fs::write(&path, text).expect("written");
        path
    }

    /// `ikeru run` of `experiments` into the folder `out`.
    fn run(&self, experiments: &[PathBuf], out: &Path, more: &[&str]) -> Command {
        let mut command = Command::new(std::env::current_exe().expect("this test has a path"));
        command
            .arg("run")
            .args(experiments)
            .arg("--out")
            .arg(out)
            .args(more);
        command.env(AS_IKERU, self.0.path());
        command
    }

    /// Runs `experiments` to their end, and returns their results.
    fn whole(&self, experiments: &[PathBuf], out: &Path, more: &[&str]) -> Results {
        let output = self.run(experiments, out, more).output();
        ended(&output.expect("it starts"), 0);
        results(out)
    }

    /// Waits until no process of this test is left, as no run must leave any.
    fn nobody_is_left(&self) {
        let until = Instant::now() + Duration::from_secs(10);
        loop {
            let left = self.processes();
            if left.is_empty() {
                return;
            }
            assert!(Instant::now() < until, "left behind: {left:?}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Ends every process of this test.
    fn end_everybody(&self) {
        for (process, _) in self.processes() {
            let _ = kill_process(process, Signal::KILL);
        }
    }

    /// Every process of this test with its command line.
    fn processes(&self) -> Vec<(Pid, String)> {
        let mark = format!("{AS_IKERU}={}", self.0.path().display());
        let mut found = Vec::new();
        for entry in std::fs::read_dir("/proc")
            .expect("a list of processes")
            .flatten()
        {
            let environment = std::fs::read(entry.path().join("environ")).unwrap_or_default();
            if environment
                .split(|byte| *byte == 0)
                .any(|it| it == mark.as_bytes())
            {
                let command = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
                let name = entry.file_name().to_string_lossy().parse().ok();
                if let Some(process) = name.and_then(Pid::from_raw) {
                    let command = String::from_utf8_lossy(&command).replace('\0', " ");
                    found.push((process, command));
                }
            }
        }
        found
    }
}

/// One row of `records.csv` by its columns.
type Row = BTreeMap<String, String>;

fn rows(folder: &Path) -> Vec<Row> {
    let mut reader = csv::Reader::from_path(folder.join("records.csv")).expect("rows");
    reader
        .deserialize()
        .map(|row| row.expect("a whole row"))
        .collect()
}

/// The results that no interruption of a run may change, by experiment and sample.
type Results = BTreeMap<[String; 2], [String; 3]>;

/// The results of a run folder. No sample may occur twice.
fn results(folder: &Path) -> Results {
    let mut results = BTreeMap::new();
    for row in rows(folder) {
        let of = |name: &str| row[name].clone();
        let key = [of("experiment"), of("sample")];
        let result = [of("outcome"), of("score"), of("counter_steps")];
        assert_eq!(results.insert(key, result), None, "a sample stands twice");
    }
    results
}

/// Starts a run whose outputs are read at its end.
fn start(mut command: Command) -> Child {
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("it starts")
}

/// Waits until `is_so` returns true.
fn wait_until(is_so: impl Fn() -> bool, what: &str) {
    let until = Instant::now() + Duration::from_secs(60);
    while !is_so() {
        assert!(Instant::now() < until, "{what} expected");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// The number of occurrences of the text in the file.
fn count(file: &Path, text: &str) -> usize {
    let whole = std::fs::read_to_string(file).unwrap_or_default();
    whole.matches(text).count()
}

/// Waits until the folder has at least `rows` rows.
fn wait_for_rows(out: &Path, rows: usize) {
    let records = out.join("records.csv");
    wait_until(|| count(&records, "\n") > rows, &format!("{rows} rows"));
}

/// Asserts that a run ended with `code`, and returns its standard error.
fn ended(output: &Output, code: i32) -> String {
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{error}");
    error
}

/// Asserts that a run was stopped with a single line, and returns it. Warnings of a busy machine may precede it.
fn stopped(output: &Output) -> String {
    let error = ended(output, 2);
    let lines = error.lines().filter(|line| !line.starts_with("warning: "));
    let lines: Vec<&str> = lines.collect();
    assert!(
        lines.len() == 1 && lines[0].starts_with("error: "),
        "{error}"
    );
    lines[0].to_owned()
}
