//! All questions on all targets: the rows of `counts.csv`. Raw counts only, no penalty, clock or time.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context as _, Result, ensure};
use ikeru_console_probe::problem;
use ikeru_consoles::Console;
use ikeru_consoles::counts::Count;
use ikeru_consoles::facts::ProcessorModel;
use ikeru_core::Deadline;

use crate::emulate::{Bench, EmulatedRun};
use crate::target::{BuildTarget, TARGETS};
use crate::training::TrainingQuestion;

/// The host's answer to a question. Every target must have the same score and counters.
struct HostAnswer {
    version: u32,
    score: String,
    counters: String,
    measures: String,
}

fn known(asked: &TrainingQuestion, text: &str) -> Result<Option<HostAnswer>> {
    let problem = problem(&asked.problem)?;
    let instance = problem.read(text)?;
    let question = asked.ask(instance.as_ref())?;
    let Ok(mut solver) = question.prepare(&asked.variant) else {
        return Ok(None);
    };
    let answer = question.answer(solver.as_mut(), 1);
    let counters = answer.counters.iter();
    let counters: Vec<String> = counters
        .map(|(name, count)| format!("{name}={count}"))
        .collect();
    let checked = match solver.referee(Deadline::never()) {
        Some(checked) => {
            checked
                .map_err(|wrong| anyhow::anyhow!("{wrong}"))?
                .measures
        }
        None => Vec::new(),
    };
    let measures = checked
        .iter()
        .map(|(name, value)| format!("measure_{name}={value}"));
    Ok(Some(HostAnswer {
        version: problem.variant(&asked.variant)?.version,
        score: answer
            .score
            .map_or("none".to_owned(), |score| score.to_string()),
        counters: counters.join(" "),
        measures: measures.collect::<Vec<_>>().join(" "),
    }))
}

/// The consoles whose code is made for `target`; only the first of those whose counts are equal.
pub fn consoles_of<'a>(consoles: &'a [Console], target: &str) -> Vec<&'a Console> {
    let model = |console: &'a Console| {
        console
            .model
            .as_ref()
            .filter(|model| model.target == target)
    };
    let mut found: Vec<(&Console, &ProcessorModel)> = Vec::new();
    for console in consoles {
        if let Some(model) = model(console)
            && !found.iter().any(|(_, known)| known.counts_alike(model))
        {
            found.push((console, model));
        }
    }
    found.into_iter().map(|(console, _)| console).collect()
}

/// A target with the folder in which one worker runs it.
pub struct TargetPlace<'a> {
    /// The triple.
    pub target: &'static str,
    /// The folder with probe and plugin.
    pub bench: Bench,
    /// The consoles whose caches are simulated.
    pub consoles: Vec<&'a Console>,
}

/// Counts `questions` and returns the rows in the order of questions, targets and consoles. Each worker has separate
/// places. With `twice`, every run is repeated.
///
/// # Errors
/// Scores or counters that differ between host and target, counts that differ between two runs, and a program that
/// cannot run.
pub fn count(
    questions: &[TrainingQuestion],
    workers: &[Vec<TargetPlace>],
    toolchain: &str,
    twice: bool,
) -> Result<Vec<Count>> {
    let next = AtomicUsize::new(0);
    let rows: Mutex<BTreeMap<usize, Vec<Count>>> = Mutex::default();
    let failure: Mutex<Option<anyhow::Error>> = Mutex::default();
    std::thread::scope(|scope| {
        for places in workers {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(asked) = questions.get(at) else {
                        return;
                    };
                    let counted = count_one(asked, places, toolchain, twice);
                    let counted = counted.with_context(|| {
                        format!(
                            "{} {} {} {}",
                            asked.problem,
                            asked.variant,
                            asked.instance(),
                            asked.settings
                        )
                    });
                    match (counted, rows.lock(), failure.lock()) {
                        (Ok(counted), Ok(mut rows), _) => {
                            rows.insert(at, counted);
                        }
                        (Err(error), _, Ok(mut failure)) => {
                            next.store(questions.len(), Ordering::Relaxed);
                            failure.get_or_insert(error);
                        }
                        _ => return,
                    }
                    eprintln!(
                        "{}/{} {} {} {}",
                        at + 1,
                        questions.len(),
                        asked.variant,
                        asked.instance(),
                        asked.settings
                    );
                }
            });
        }
    });
    if let Ok(Some(error)) = failure.into_inner() {
        return Err(error);
    }
    let rows = rows
        .into_inner()
        .map_err(|_| anyhow::anyhow!("a worker ended early"))?;
    Ok(rows.into_values().flatten().collect())
}

fn count_one(
    asked: &TrainingQuestion,
    places: &[TargetPlace],
    toolchain: &str,
    twice: bool,
) -> Result<Vec<Count>> {
    let text = asked.generate()?.text();
    let Some(known) = known(asked, &text)? else {
        return Ok(Vec::new());
    };
    let mut rows = Vec::new();
    for place in places {
        let run = || place.bench.run(asked, &text, &place.consoles);
        let Some(seen) = run()? else { continue };
        ensure!(
            !twice || run()?.as_ref() == Some(&seen),
            "{}: two runs differ",
            place.target
        );
        let score = seen.probe.get("score").map_or("", String::as_str);
        ensure!(
            score == known.score && seen.counters == known.counters,
            "{}: score {score}, counters {}; on the host score {}, counters {}",
            place.target,
            seen.counters,
            known.score,
            known.counters
        );
        for (number, console) in place.consoles.iter().enumerate() {
            rows.push(row(asked, &known, &seen, console, number, toolchain)?);
        }
    }
    Ok(rows)
}

fn row(
    asked: &TrainingQuestion,
    known: &HostAnswer,
    seen: &EmulatedRun,
    console: &Console,
    number: usize,
    toolchain: &str,
) -> Result<Count> {
    let memory = seen
        .probe
        .get("memory_bytes")
        .and_then(|bytes| bytes.parse().ok());
    let words = [known.counters.as_str(), known.measures.as_str()];
    let words: Vec<&str> = words
        .into_iter()
        .filter(|words| !words.is_empty())
        .collect();
    Ok(Count {
        problem: asked.problem.clone(),
        variant: asked.variant.clone(),
        version: known.version,
        set: asked.set,
        instance: asked.instance(),
        settings: asked.settings.clone(),
        score: known.score.clone(),
        table_bytes: memory.context("the probe says nothing of its memory")?,
        counters: words.join(" "),
        toolchain: toolchain.to_owned(),
        ..events(&seen.sums, console, number)?
    })
}

/// The plugin's counts for a console; `number` is the number of its caches.
///
/// # Errors
/// A number that the plugin did not print.
pub fn events(
    sums: &BTreeMap<String, Vec<u64>>,
    console: &Console,
    number: usize,
) -> Result<Count> {
    let model = console.model.as_ref().context("a console with a model")?;
    let sum = |name: &str, at: usize| {
        let numbers = sums.get(name).and_then(|numbers| numbers.get(at));
        numbers
            .copied()
            .with_context(|| format!("the plugin says nothing of `{name}`"))
    };
    let processor = format!("processor {}", model.processor);
    let caches = format!("caches {number}");
    Ok(Count {
        console: console.name.clone(),
        target: model.target.clone(),
        processor: model.processor.clone(),
        instructions: sum("instructions", 0)?,
        loads: sum("loads", 0)?,
        stores: sum("stores", 0)?,
        multiplies: sum("multiplies", 0)?,
        divides: sum("divides", 0)?,
        floats: sum("floats", 0)?,
        branches: sum("branches", 0)?,
        taken: sum("taken", 0)?,
        cycles_low: sum(&processor, 0)?,
        cycles: sum(&processor, 1)?,
        cycles_high: sum(&processor, 2)?,
        mispredicts: sum(&processor, 3)?,
        instruction_misses: sum(&caches, 0)?,
        read_misses: sum(&caches, 1)?,
        write_misses: sum(&caches, 2)?,
        second_read_misses: sum(&caches, 3)?,
        second_write_misses: sum(&caches, 4)?,
        write_backs: sum(&caches, 5)?,
        microcoded: sum("microcoded", 0)?,
        after_store: sum("after_store", 0)?,
        narrow: sum("narrow", 0)?,
        local: sum("local", 0)?,
        ..Count::default()
    })
}

/// Writes the table.
///
/// # Errors
/// A file that cannot be written.
pub fn write(file: &Path, rows: &[Count]) -> Result<()> {
    let named = || file.display().to_string();
    let mut writer = csv::Writer::from_path(file).with_context(named)?;
    for row in rows {
        writer.serialize(row).with_context(named)?;
    }
    writer.flush().with_context(named)
}

/// Reads a table.
///
/// # Errors
/// A file that cannot be read, or a row that cannot be parsed.
pub fn read(file: &Path) -> Result<Vec<Count>> {
    let named = || file.display().to_string();
    let mut reader = csv::Reader::from_path(file).with_context(named)?;
    let rows: csv::Result<Vec<Count>> = reader.deserialize().collect();
    rows.with_context(named)
}

/// Adds to `rows` the rows of `others` that were not counted again (another variant or another target than in
/// `counted`) and sorts all by `questions` and targets. Rows of questions that are no longer in `questions` are
/// dropped.
pub fn beside(
    rows: Vec<Count>,
    others: Vec<Count>,
    questions: &[TrainingQuestion],
    counted: (&[TrainingQuestion], &[BuildTarget]),
) -> Vec<Count> {
    let (asked, targets) = counted;
    let triple = |target: &BuildTarget, row: &Count| target.triple == row.target;
    let is_counted = |row: &Count| {
        let of_variant =
            |one: &TrainingQuestion| one.problem == row.problem && one.variant == row.variant;
        asked.iter().any(of_variant) && targets.iter().any(|target| triple(target, row))
    };
    let others = others.into_iter().filter(|row| !is_counted(row));
    let question = |row: &Count| questions.iter().position(|asked| is_of(row, asked));
    let place = |row: &Count| TARGETS.iter().position(|target| triple(target, row));
    let rows = rows.into_iter().chain(others);
    let mut rows: Vec<_> = rows
        .filter_map(|row| Some(((question(&row)?, place(&row)?), row)))
        .collect();
    rows.sort_by_key(|(order, _)| *order);
    rows.into_iter().map(|(_, row)| row).collect()
}

fn is_of(row: &Count, asked: &TrainingQuestion) -> bool {
    row.problem == asked.problem
        && row.variant == asked.variant
        && row.settings == asked.settings
        && row.instance == asked.instance()
}

/// Compares `rows` with the rows of the same questions and consoles in `shipped`: the largest factor between their
/// instructions or cycles, and its row; `None` if no row is in both.
pub fn furthest<'a>(rows: &'a [Count], shipped: &[Count]) -> Option<(f64, &'a Count)> {
    fn key(row: &Count) -> (&str, &str, &str, &str, &str) {
        (
            &row.problem,
            &row.variant,
            &row.instance,
            &row.settings,
            &row.console,
        )
    }
    let shipped: BTreeMap<_, &Count> = shipped.iter().map(|row| (key(row), row)).collect();
    let factor = |a: u64, b: u64| {
        let (low, high) = (a.min(b).max(1), a.max(b).max(1));
        high as f64 / low as f64
    };
    let pairs = rows
        .iter()
        .filter_map(|row| Some((row, *shipped.get(&key(row))?)));
    let factors = pairs.map(|(row, before)| {
        let instructions = factor(row.instructions, before.instructions);
        (instructions.max(factor(row.cycles, before.cycles)), row)
    });
    factors.max_by(|(a, _), (b, _)| a.total_cmp(b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::training;
    use ikeru_consoles::Consoles;

    const SHIPPED: &str = include_str!("../../counts.csv");

    fn shipped() -> Vec<Count> {
        let rows = csv::Reader::from_reader(SHIPPED.as_bytes()).into_deserialize();
        rows.collect::<csv::Result<_>>().expect("the shipped rows")
    }

    #[test]
    fn rows_of_other_variants_and_targets_stay_where_they_are() {
        let questions = training::read(include_str!("../../training.toml")).expect("questions");
        let names = ["bitboard".to_owned()];
        let asked = training::of_variants(&questions, &names).expect("a variant");
        let targets = [TARGETS[1], TARGETS[3]];
        let is_counted = |row: &Count| {
            row.variant == "bitboard" && targets.iter().any(|target| target.triple == row.target)
        };
        let all = shipped();
        let (mut anew, mut expected) = (Vec::new(), Vec::new());
        for mut row in all.clone() {
            if is_counted(&row) {
                row.toolchain = "anew".to_owned();
                anew.push(row.clone());
            }
            expected.push(row);
        }
        assert!(anew.len() > 100 && anew.len() < all.len() / 4);
        let merged = beside(anew.clone(), all.clone(), &questions, (&asked, &targets));
        assert_eq!(merged, expected);
        // A question that was counted before and is refused now loses its row.
        let refused = beside(Vec::new(), all, &questions, (&asked, &targets));
        expected.retain(|row| !is_counted(row));
        assert_eq!(refused, expected);
    }

    #[test]
    fn every_modelled_console_has_a_target_and_a_processor() {
        let consoles = Consoles::built_in().expect("the facts read").consoles;
        for console in consoles.iter().filter(|console| console.model.is_some()) {
            let model = console.model.as_ref().expect("a model");
            let known = TARGETS.iter().any(|target| target.triple == model.target);
            assert!(known, "{}: {}", console.name, model.target);
            let processor = ikeru_scoreboard::processor::processor(&model.processor);
            assert!(processor.is_some(), "{}: {}", console.name, model.processor);
            let first = consoles_of(&consoles, &model.target);
            let alike = |known: &&Console| {
                known
                    .model
                    .as_ref()
                    .is_some_and(|known| known.counts_alike(model))
            };
            assert_eq!(
                first.into_iter().filter(alike).count(),
                1,
                "{}",
                console.name
            );
        }
    }
}
