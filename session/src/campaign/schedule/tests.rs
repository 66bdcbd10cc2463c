//! The order of the samples, with executors that answer at once.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};

use anyhow::Result;
use ikeru_bench_data::Experiment;
use ikeru_core::AnyInstance;
use ikeru_reports::records::{Outcome, Place, Sample};

use crate::campaign::hopeless::Hopeless;
use crate::campaign::journal::{Finished, Journal};
use crate::campaign::sampler::Conditions;
use crate::execute::Executor;
use crate::interrupt::Interrupted;
use crate::plan::{Cell, Plan, Selection, Stage};
use crate::progress::Progress;

/// An executor whose samples are those of a function.
struct Samples<F>(F);

impl<F: Fn(&Cell) -> Result<Sample> + Sync> Executor for Samples<F> {
    type Prepared<'a> = ();

    fn sample(
        &self,
        _: &Stage,
        cell: &Cell,
        _: &dyn AnyInstance,
        _: &mut Option<()>,
    ) -> Result<Sample> {
        (self.0)(cell)
    }
}

/// A sample of one iteration that ended so.
fn ended(outcome: Outcome) -> Sample {
    Sample {
        outcome,
        iterations: 1,
        ..Sample::default()
    }
}

fn plan(run: &str) -> Plan {
    plan_to(6, run)
}

/// The plan of two variants with up to `steps` steps.
fn plan_to(steps: usize, run: &str) -> Plan {
    let text = format!(
        r#"
        name = "test"
        title = "t"
        about = "a"
        problem = "reach"
        variants = ["memo", "memo-flat"]
        instances = [{{ generator = "reach.spanning-grid", set = {{ width = 4 }} }}]
        settings = {{ steps = {{ from = 1, to = {steps} }} }}
        run = {{ {run} }}
        "#
    );
    plan_of(&text)
}

fn plan_of(text: &str) -> Plan {
    let experiment = Experiment::read("test.toml", text).expect("a good experiment");
    Plan::new(&[(experiment, PathBuf::new())], &Selection::default()).expect("a good plan")
}

/// A stop that never comes.
static NEVER: AtomicBool = AtomicBool::new(false);

/// Carries out the plan with `jobs` threads.
fn carry_out(
    plan: &Plan,
    folder: &Path,
    executor: &impl Executor,
    (jobs, seed, stop): (usize, u64, &AtomicBool),
) -> Result<()> {
    let records = folder.join("records.csv");
    let (mut journal, finished) =
        Journal::resume(&records, plan.columns.clone()).expect("a writable folder");
    let progress = Progress::hidden();
    let conditions = Conditions {
        executor,
        place: &Place::default(),
        finished: &finished,
        jobs,
        session: 3,
        seed,
        rounds: AtomicU32::new(0),
        stop,
        progress: &progress,
        watch: None,
    };
    super::super::stages::run(
        &conditions,
        &plan.stages.iter().collect::<Vec<_>>(),
        &mut journal,
    )
}

/// Runs the plan and returns what ran; cells with at least `too_large` steps time out.
fn run(plan: &Plan, folder: &Path, too_large: i64, seed: u64) -> Vec<(String, i64)> {
    let ran = Mutex::new(Vec::new());
    let executor = Samples(|cell: &Cell| {
        let steps = cell.along("setting_steps").expect("set") as i64;
        ran.lock()
            .expect("one test")
            .push((cell.label.clone(), steps));
        Ok(ended(match steps >= too_large {
            true => Outcome::Timeout,
            false => Outcome::Solved,
        }))
    });
    carry_out(plan, folder, &executor, (2, seed, &NEVER)).expect("a run");
    ran.into_inner().expect("one test")
}

/// The fields of one column.
fn fields(folder: &Path, name: &str) -> Vec<String> {
    let mut reader = csv::Reader::from_path(folder.join("records.csv")).expect("a journal");
    let header = reader.headers().expect("a header");
    let place = header.iter().position(|column| column == name);
    let place = place.expect("a column of that name");
    let rows = reader.records().map(|row| row.expect("a row"));
    rows.map(|row| row[place].to_owned()).collect()
}

#[test]
fn contended_cells_run_on_plain_threads_and_no_more_than_there_are_cells() {
    let folder = tempfile::tempdir().expect("a folder");
    let plan = plan("repeats = 2, mode = \"contended\"");
    let (threads, of_a_pool) = (Mutex::new(HashSet::new()), AtomicBool::new(false));
    let executor = Samples(|_: &Cell| {
        let in_pool = rayon::current_thread_index().is_some();
        of_a_pool.fetch_or(in_pool, Ordering::Relaxed);
        let thread = std::thread::current().id();
        threads.lock().expect("one test").insert(thread);
        Ok(Sample::default())
    });
    let cells = plan.stages[0].cells.len();
    carry_out(&plan, folder.path(), &executor, (1_000_000, 1, &NEVER)).expect("a run");
    let threads = threads.into_inner().expect("one test").len();
    assert!(
        (1..=cells).contains(&threads),
        "{threads} for {cells} cells"
    );
    assert!(!of_a_pool.into_inner());
    assert_eq!(rows(folder.path()), 2 * cells);
}

#[test]
fn rows_name_their_session_and_round() {
    let folder = tempfile::tempdir().expect("a folder");
    run(&plan("repeats = 2"), folder.path(), 99, 1);
    let mut rounds = fields(folder.path(), "round");
    assert_eq!(rounds[..12], vec!["0"; 12]);
    assert_eq!(rounds.split_off(12), vec!["1"; 12]);
    assert_eq!(fields(folder.path(), "session"), vec!["3"; 24]);
    let contended = tempfile::tempdir().expect("a folder");
    let plan = plan("repeats = 1, mode = \"contended\"");
    run(&plan, contended.path(), 99, 1);
    assert_eq!(fields(contended.path(), "round"), vec![""; 12]);
}

#[test]
fn a_stop_keeps_what_is_solved_and_drops_what_may_be_cut_short() {
    for mode in ["isolated", "contended"] {
        for (last, kept) in [
            (Outcome::Solved, 5),
            (Outcome::Timeout, 4),
            (Outcome::Crashed, 4),
        ] {
            let folder = tempfile::tempdir().expect("a folder");
            let plan = plan(&format!("repeats = 1, mode = \"{mode}\""));
            let stop = AtomicBool::new(false);
            let left = AtomicUsize::new(5);
            let executor = Samples(|_: &Cell| {
                let is_last = left.fetch_sub(1, Ordering::Relaxed) == 1;
                stop.fetch_or(is_last, Ordering::Relaxed);
                Ok(ended(if is_last { last } else { Outcome::Solved }))
            });
            let done = carry_out(&plan, folder.path(), &executor, (1, 1, &stop));
            let error = done.expect_err("it was asked to stop");
            assert!(error.is::<Interrupted>(), "{error}");
            assert_eq!(rows(folder.path()), kept, "{mode} {last:?}");
            // The missing samples run in the next session, and no others.
            assert_eq!(run(&plan, folder.path(), 99, 1).len(), 12 - kept);
        }
    }
}

fn rows(folder: &Path) -> usize {
    let text = std::fs::read_to_string(folder.join("records.csv")).expect("written");
    text.lines().count() - 1
}

#[test]
fn each_round_has_every_cell_once_in_an_order_of_its_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let ran = run(&plan("repeats = 3"), folder.path(), 99, 1);
    let rounds: Vec<&[(String, i64)]> = ran.chunks(12).collect();
    assert_eq!((rounds.len(), rows(folder.path())), (3, 36));
    let sorted = |round: &[(String, i64)]| {
        let mut round = round.to_vec();
        round.sort();
        round
    };
    assert_eq!(sorted(rounds[0]), sorted(rounds[1]));
    assert_ne!(rounds[0], rounds[1]);
    let again = tempfile::tempdir().expect("a folder");
    assert_eq!(
        run(&plan("repeats = 3"), again.path(), 99, 1),
        ran,
        "the seed decides"
    );
}

#[test]
fn what_is_finished_does_not_run_again() {
    for mode in ["isolated", "contended"] {
        let folder = tempfile::tempdir().expect("a folder");
        let plan = plan(&format!("repeats = 2, mode = \"{mode}\""));
        assert_eq!(run(&plan, folder.path(), 99, 1).len(), 24);
        let records = folder.path().join("records.csv");
        let text = std::fs::read_to_string(&records).expect("written");
        let kept: Vec<&str> = text.split_inclusive('\n').take(10).collect();
        // The tenth line is torn, as after a kill.
        let torn = &kept.concat()[..kept.concat().len() - 7];
        std::fs::write(&records, torn).expect("writable");
        assert_eq!(run(&plan, folder.path(), 99, 2).len(), 24 - 8, "{mode}");
        assert_eq!(rows(folder.path()), 24, "{mode}");
    }
}

#[test]
fn larger_ones_are_skipped_after_a_timeout_also_when_resumed() {
    let folder = tempfile::tempdir().expect("a folder");
    let plan = plan("repeats = 1, hopeless_along = \"setting_steps\"");
    let ran = run(&plan, folder.path(), 4, 1);
    assert_eq!(ran.iter().map(|(_, steps)| *steps).max(), Some(4));
    assert_eq!((ran.len(), rows(folder.path())), (8, 12));
    assert!(run(&plan, folder.path(), 4, 1).is_empty());
}

#[test]
fn a_family_is_hopeless_alone_and_by_all_its_parameters() {
    let text = r#"
        name = "test"
        title = "t"
        about = "a"
        problem = "reach"
        variants = ["memo", "memo-flat"]
        instances = [{ generator = "reach.spanning-grid", set = { width = [3, 4, 5], player_count = [1, 2] } }]
        run = { repeats = 1, hopeless_along = "COLUMN" }
        "#;
    for column in ["size", "param_width"] {
        let plan = plan_of(&text.replace("COLUMN", column));
        let stage = &plan.stages[0];
        let hopeless = Hopeless::new(stage, &Finished::new());
        let cell = |variant: &str, width: &str, players: &str| {
            let is = |cell: &&Cell, name: &str, value: &str| {
                cell.input
                    .parameters
                    .value(name)
                    .map(ToString::to_string)
                    .as_deref()
                    == Some(value)
            };
            let mut cells = stage
                .cells
                .iter()
                .filter(|cell| cell.solver.name() == variant);
            cells
                .find(|cell| is(cell, "width", width) && is(cell, "player_count", players))
                .expect("in the plan")
        };
        for (outcome, hopeless_now) in [(Outcome::Crashed, false), (Outcome::OutOfMemory, true)] {
            hopeless.note(cell("memo", "4", "2"), outcome, true);
            assert_eq!(
                hopeless.why(cell("memo", "5", "2")).is_some(),
                hopeless_now,
                "{column}"
            );
            for other in [
                ("memo", "4", "2"),
                ("memo", "3", "2"),
                ("memo", "5", "1"),
                ("memo-flat", "5", "2"),
            ] {
                let other = cell(other.0, other.1, other.2);
                assert_eq!(hopeless.why(other), None, "{column}");
            }
        }
    }
}

/// Contended workers under many schedules of their threads.
#[cfg(shuttle)]
mod schedules {
    use std::collections::BTreeSet;
    use std::sync::LazyLock;

    use ikeru_core::sync::atomic::AtomicUsize as Counter;
    use ikeru_core::sync::check;

    use super::*;

    const WORKERS: usize = 3;
    const SAMPLES: usize = 8;

    /// Two variants, two numbers of steps and two repeats. It is made outside of all schedules.
    static PLAN: LazyLock<Plan> = LazyLock::new(|| {
        let run = "repeats = 2, mode = \"contended\", hopeless_along = \"setting_steps\"";
        plan_to(2, run)
    });

    /// The end of the sample of this number, and of those after it.
    #[derive(Clone, Copy)]
    enum End {
        Fails(usize),
        Stops(usize),
        TimesOut,
        Solves,
    }

    /// One session of the plan in `folder`, and the rows after it, each of another sample.
    fn session(folder: &Path, end: End) -> (Result<()>, usize) {
        let (stop, taken) = (AtomicBool::new(false), Counter::new(0));
        let executor = Samples(|_: &Cell| {
            // Another worker may go on here.
            let number = taken.fetch_add(1, Ordering::Relaxed);
            match end {
                End::Fails(at) if number == at => anyhow::bail!("sample {number} failed"),
                End::Stops(at) => stop.fetch_or(number == at, Ordering::Relaxed),
                _ => false,
            };
            Ok(ended(match end {
                End::TimesOut => Outcome::Timeout,
                _ => Outcome::Solved,
            }))
        });
        let done = carry_out(&PLAN, folder, &executor, (WORKERS, 1, &stop));
        let rows = fields(folder, "sample");
        let distinct: BTreeSet<&String> = rows.iter().collect();
        assert_eq!(distinct.len(), rows.len(), "a sample has two rows");
        assert!(rows.len() <= SAMPLES);
        (done, rows.len())
    }

    /// One session that ends in this way, and a second one that takes what is missing.
    fn resumed(end: End) {
        let folder = tempfile::tempdir().expect("a folder");
        let (ended, rows) = session(folder.path(), end);
        match end {
            End::Fails(at) => {
                let error = ended.expect_err("a sample failed").to_string();
                assert_eq!(error, format!("sample {at} failed"));
                // Every sample before it is kept. Others may be taken before its worker says that it failed.
                assert!((at..SAMPLES).contains(&rows), "{rows}");
            }
            End::Stops(at) => {
                assert!(ended.is_err_and(|error| error.is::<Interrupted>()) || rows == SAMPLES);
                assert!(rows > at, "{rows}");
            }
            End::TimesOut | End::Solves => assert_eq!((ended.is_ok(), rows), (true, SAMPLES)),
        }
        let (ended, rows) = session(folder.path(), End::Solves);
        assert_eq!((ended.is_ok(), rows), (true, SAMPLES));
    }

    #[test]
    fn schedules_of_contended_workers() {
        LazyLock::force(&PLAN);
        check(250, || {
            for end in [
                End::Solves,
                End::TimesOut,
                End::Fails(0),
                End::Fails(3),
                End::Stops(4),
            ] {
                resumed(end);
            }
        });
    }
}
