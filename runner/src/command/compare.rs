//! `ikeru compare`: two runs, or two variants, side by side; exit code 1 on a decided regression.

mod rank;
mod samples;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::Args;
use ikeru_compare::comparison::{self, Comparison};
use ikeru_core::{AnyProblem, Better};
use ikeru_reports::analyses::compare::{CompareTerms, ComparedSide, ComparedSides, compare};
use ikeru_reports::comparisons::is_contest;
use ikeru_reports::disagreements::contradictions;
use ikeru_reports::metric::Metric;
use ikeru_reports::table::Form;
use ikeru_reports::units::plural;

use crate::folder::{self, SelectedRun};
use crate::output::{self, Format};
use crate::registry;

/// The arguments of `compare`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ikeru compare results/before results/after --metric counter:nodes --fail-if-slower 5%
  ikeru compare results/run:memo results/run:bitboard
  ikeru compare results/run:dfs :dfs+bound :astar --markdown
  ikeru compare results/movingai
  ikeru compare results/maps:dijkstra :astar --cluster generator
  ikeru compare old.csv new.csv --pair task --value accuracy

A factor says how much better B is, with two scopes: these instances (the repeats are the sample) and instances like these \
(the instances are the sample). A decision is an interval without 1. Exit code 1: on these instances B is decided to be worse by \
more than --fail-if-slower allows, or lost an answer. Exit code 2: --fail-if-slower cannot decide. With one run folder the variants \
of each experiment are ranked.")]
pub struct Arguments {
    /// A run folder, or DIR:VARIANT for one variant of it
    a: String,
    /// The run folders or variants compared with A; `:VARIANT` is another variant of A's folder
    b: Vec<String>,
    /// The metric: time (CPU time where both sides have it, else wall time), wall, cpu, counter:NAME, measure:NAME or score
    /// [default: score for a contest, else time]
    #[arg(long, value_name = "M")]
    metric: Option<String>,
    /// Only rows whose column has this value, or one of a,b,c; may be repeated
    #[arg(long = "where", value_name = "COLUMN=VALUE")]
    only: Vec<String>,
    /// Compare rows of different question, mode, bound policy or machine, and say so
    #[arg(long)]
    force: bool,
    /// End with 1 if B is decided to be worse than A by more than this, like 5%, or lost an answer
    #[arg(long, value_name = "P%", value_parser = parse_percent)]
    fail_if_slower: Option<f64>,
    /// The variant that a ranking compares with [default: the experiment's baseline]
    #[arg(long, value_name = "V", conflicts_with = "b")]
    against: Option<String>,
    #[command(flatten)]
    format: Format,
    #[command(flatten)]
    samples: samples::SampleColumns,
}

impl Arguments {
    /// The word of the metric: what was asked for, or what decides between these rows.
    fn metric(&self, folder: &SelectedRun, rows: &[u32]) -> &str {
        let is_contest = || is_contest(&folder.run, &folder.rows.distinct("experiment", rows));
        let default = || if is_contest() { "score" } else { "time" };
        self.metric.as_deref().unwrap_or_else(default)
    }

    /// The run in `path`, with its selected rows and its independent units.
    fn read(&self, path: &Path) -> Result<SelectedRun> {
        let mut folder = folder::read(path, &self.only)?;
        if let Some(name) = &self.samples.cluster {
            let rows = &mut folder.rows;
            let column = folder::column_named(rows, name);
            let column = column.with_context(|| format!("{}: --cluster {name}", folder.name))?;
            let problems = rows.distinct("problem", &rows.all()).into_iter();
            rows.clusters = problems.map(|name| (name, column.clone())).collect();
        }
        Ok(folder)
    }
}

/// Compares.
///
/// # Errors
/// A folder without a run, an unknown metric or variant, or sides that may not be compared.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    if arguments.samples.are_asked() {
        let files = [&arguments.a].into_iter().chain(&arguments.b);
        let files: Vec<&str> = files.map(String::as_str).collect();
        let gate = arguments.fail_if_slower;
        return arguments.samples.run(&files, gate, arguments.format);
    }
    if arguments.b.is_empty() && arguments.fail_if_slower.is_some() {
        bail!("--fail-if-slower compares two sides; expected A and B");
    }
    if arguments.b.is_empty() {
        return rank::run(arguments);
    }
    let (found, is_right) = with_each(arguments)?;
    shown(arguments, found, is_right)
}

/// Compares each side with A; also returns whether no answer is wrong. `None` if no common value is left of wrong answers.
fn with_each(arguments: &Arguments) -> Result<(Option<ComparedSides>, bool)> {
    let mut all: Option<ComparedSides> = None;
    let mut is_right = true;
    for b in &arguments.b {
        let one = compared_with(arguments, b)?;
        is_right &= one.is_right;
        let Some(one) = one.compared else {
            continue;
        };
        match &mut all {
            None => all = Some(one),
            Some(all) => all.append(one),
        }
    }
    Ok((all, is_right))
}

/// Prints what was compared, and returns the exit code.
fn shown(arguments: &Arguments, found: Option<ComparedSides>, is_right: bool) -> Result<ExitCode> {
    let Some(found) = found else {
        return Ok(output::WRONG_ANSWER.into());
    };
    if let Some(why) = found.refusal().filter(|_| is_right) {
        bail!(
            "{} and {} are not comparable: {why}",
            arguments.a,
            arguments.b.join(" ")
        );
    }
    let mut notes = found.apart.clone();
    notes.extend(found.missing.iter().cloned());
    output::tell_without_place(&notes, arguments.format);
    let is_gate = arguments.fail_if_slower.is_some();
    ended(found, (is_gate, is_right), arguments.format)
}

/// Prints a comparison; of a gate, ends with what is decided to be worse, or with why that is not ruled out.
fn ended(
    found: ComparedSides,
    (is_gate, is_right): (bool, bool),
    format: Format,
) -> Result<ExitCode> {
    let is_passed = found.regressions.is_empty();
    let undecidable = found.missing.first().cloned().or(found.undecidable);
    if format.form() == Form::Csv {
        output::print(&comparison::csv(&found.table.comparisons))?;
    } else {
        output::print_table(found.table, format)?;
    }
    if let Some(why) = undecidable.filter(|_| is_gate && is_passed && is_right) {
        bail!("--fail-if-slower cannot decide: {why}");
    }
    if !is_right {
        return Ok(output::WRONG_ANSWER.into());
    }
    if !is_gate && found.is_unfinished {
        return Ok(output::UNFINISHED.into());
    }
    if !is_gate || is_passed {
        return Ok(ExitCode::SUCCESS);
    }
    output::print_regressions(&found.regressions);
    Ok(output::REGRESSION.into())
}

/// Compares head with base in the folder of `ab`, for each of these labels, and adds the comparisons to `all`. Returns the worst
/// exit code.
///
/// # Errors
/// The errors of [`run`].
pub(super) fn sides_of(
    folder: &Path,
    labels: &BTreeSet<&str>,
    metric: &str,
    (fail_if_slower, format): (Option<f64>, Format),
    all: &mut Vec<Comparison>,
) -> Result<ExitCode> {
    if labels.len() > 1 && format.form() != Form::Text {
        bail!("several variants: choose one with --variant, so that there is one table");
    }
    let mut code = ExitCode::SUCCESS;
    for label in labels {
        let arguments = Arguments {
            a: format!("{}:{label}@base", folder.display()),
            b: vec![format!(":{label}@head")],
            metric: Some(metric.to_owned()),
            only: Vec::new(),
            force: false,
            fail_if_slower,
            against: None,
            format,
            samples: samples::SampleColumns::default(),
        };
        let (found, is_right) = with_each(&arguments)?;
        all.extend(
            found
                .iter()
                .flat_map(|found| found.table.comparisons.clone()),
        );
        let own = shown(&arguments, found, is_right)?;
        if code == ExitCode::SUCCESS || own == ExitCode::from(output::REGRESSION) {
            code = own;
        }
    }
    Ok(code)
}

/// A side compared with A.
struct ComparedWith {
    /// `None` if no common value is left of wrong answers.
    compared: Option<ComparedSides>,
    /// False if there are wrong answers or contradictions.
    is_right: bool,
}

/// Compares `b` with A.
fn compared_with(arguments: &Arguments, b: &str) -> Result<ComparedWith> {
    let (folder_a, variant_a) = folder::split(&arguments.a);
    let (folder_b, variant_b) = folder::split(b);
    let mut a = arguments.read(&folder_a)?;
    let is_of_a = |folder: &Path| folder == folder_a || folder == Path::new("");
    let is_one = is_of_a(&folder_b);
    let are_of_one_run = (arguments.b.iter()).all(|b| is_of_a(&folder::split(b).0));
    let other = (!is_one).then(|| arguments.read(&folder_b));
    let mut other = other.transpose()?;
    let left_out = other.as_mut().and_then(|b| keep_common(&mut a, b));
    let mut unfinished = a.unfinished();
    unfinished.extend(other.iter().flat_map(SelectedRun::unfinished));
    if other.is_none() && variant_a == variant_b {
        bail!("{} and {b} are the same", arguments.a);
    }
    let b = other.as_ref().unwrap_or(&a);
    // A variant named on only one side is used on both sides.
    let (variant_a, variant_b) = match (variant_a, variant_b) {
        (Some(one), None) | (None, Some(one)) if other.is_some() => (Some(one.clone()), Some(one)),
        (None, Some(_)) | (Some(_), None) => bail!("{}: name a variant on both sides", a.name),
        both => both,
    };
    let is_contradicted = other.as_ref().is_some_and(|b| is_contradicted(&a, b));
    let (of_a, of_b) = (side(&a, variant_a)?, side(b, variant_b)?);
    let wrong: Vec<String> = [&of_a, &of_b]
        .into_iter()
        .flat_map(ComparedSide::wrong_answers)
        .collect();
    wrong.iter().for_each(|line| output::tell(line));
    let is_right = wrong.is_empty() && !is_contradicted;
    let compared = || -> Result<ComparedSides> {
        let sides = [&of_a, &of_b].map(|side| (side.rows, side.selection.as_slice()));
        let word = arguments.metric(&a, &of_a.selection);
        let metric = Metric::read(word, &sides)?;
        let terms = CompareTerms {
            is_any_clock: word == "time",
            force: arguments.force,
            sides: arguments.b.len(),
            are_of_one_run,
            ..CompareTerms::of(metric.clone(), better(&a, &metric)?)
        };
        let bound = arguments.fail_if_slower.unwrap_or(terms.bound);
        let terms = CompareTerms { bound, ..terms };
        let spinner = folder::waiting("comparing".to_owned());
        let compared = compare(&of_a, &of_b, &terms);
        spinner.finish_and_clear();
        Ok(compared?)
    };
    let mut found = match compared() {
        Err(why) if !is_right => {
            output::tell(&format!("not compared: {why:#}; there are wrong answers"));
            None
        }
        compared => Some(compared?),
    };
    if let Some(found) = &mut found {
        found.is_unfinished = !unfinished.is_empty();
        found.missing = left_out.into_iter().chain(unfinished).collect();
        found.table.notes.extend(found.missing.clone());
    }
    Ok(ComparedWith {
        compared: found,
        is_right,
    })
}

/// Returns whether proven answers of two runs contradict each other, and prints how many.
fn is_contradicted(a: &SelectedRun, b: &SelectedRun) -> bool {
    let [of_a, of_b] = [a, b].map(|one| (&one.rows, one.selection.as_slice()));
    let questions = contradictions(of_a, of_b);
    if questions > 0 {
        let (a, b, questions) = (&a.name, &b.name, plural(questions, "question"));
        output::tell(&format!(
            "{a} and {b}: exact variants disagree on {questions}"
        ));
    }
    questions > 0
}

/// Keeps the experiments that both folders have, if they have any in common. Returns a sentence about those left out.
fn keep_common(a: &mut SelectedRun, b: &mut SelectedRun) -> Option<String> {
    let names = |folder: &SelectedRun| folder.rows.distinct("experiment", &folder.selection);
    let (mut common, of_b) = (names(a), names(b));
    common.retain(|name| of_b.contains(name));
    let mut said = Vec::new();
    let sides = [("A", a), ("B", b)].into_iter();
    for (side, folder) in sides.filter(|_| !common.is_empty()) {
        let mut alone = names(folder);
        alone.retain(|name| !common.contains(name));
        let rows = &folder.rows;
        let is_alone = |row: &u32| alone.iter().any(|it| it == rows.text("experiment", *row));
        folder.selection.retain(|row| !is_alone(row));
        if !alone.is_empty() {
            let alone = alone.join(", ");
            said.push(format!("Only in {side}, not compared: {alone}."));
        }
    }
    (!said.is_empty()).then(|| said.join(" "))
}

fn side(folder: &SelectedRun, variant: Option<String>) -> Result<ComparedSide<'_>> {
    let name = match &variant {
        Some(variant) => format!("{}:{variant}", folder.name),
        None => folder.name.clone(),
    };
    let of = (&folder.rows, &folder.run);
    // `LABEL#1` are the first contents of a label that has others since.
    let contents = variant.as_ref().and_then(|it| it.rsplit_once('#'));
    let numbered =
        contents.and_then(|(label, number)| Some((label, number.parse::<usize>().ok()?)));
    if let Some((label, number)) = numbered {
        let earlier = folder.rows.earlier(label);
        if let Some(own) = number.checked_sub(1).and_then(|at| earlier.get(at)) {
            return Ok(ComparedSide::of_rows(
                name,
                of,
                own.clone(),
                &variant.unwrap_or_default(),
            ));
        }
        if number != earlier.len() + 1 {
            bail!(
                "{name}: expected {label}#1 to {label}#{}, its contents",
                earlier.len() + 1
            );
        }
        let selection = folder.selection.clone();
        return Ok(ComparedSide::new(
            name,
            of,
            selection,
            Some(label.to_owned()),
        )?);
    }
    Ok(ComparedSide::new(
        name,
        of,
        folder.selection.clone(),
        variant,
    )?)
}

/// The direction in which the metric is better for the folder's problem.
///
/// # Errors
/// Several problems with different directions.
fn better(folder: &SelectedRun, metric: &Metric) -> Result<Better> {
    let names = folder.rows.distinct("problem", &folder.selection);
    let of = |name: &String| {
        let problem = registry::problem(name).ok();
        let direction = folder.rows.direction_of(name);
        metric.better(problem.map(|problem| problem as &dyn AnyProblem), direction)
    };
    let mut ways: Vec<Better> = names.iter().map(of).collect();
    ways.dedup();
    match ways.as_slice() {
        [] => Ok(metric.better(None, None)),
        [one] => Ok(*one),
        _ => {
            let (word, names) = (metric.word(), names.join(", "));
            bail!("{word} of several problems ({names}): choose one with --where problem=NAME")
        }
    }
}

/// Reads `5%` as 0.05.
pub(super) fn parse_percent(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').unwrap_or_default().trim();
    match number.parse::<f64>() {
        // A quotient by 100 may differ from the number nearest to the share: 0.7 / 100 is below 0.007.
        Ok(percent) if (0.0..=1_000.0).contains(&percent) => {
            format!("{percent}e-2").parse().map_err(|_| text.to_owned())
        }
        _ => Err(format!(
            "`{text}` is no percentage; expected one from 0% to 1000%, like 5%"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_are_better_on_the_side_that_their_problem_declares() {
        let better = |problem, metric: Metric| {
            let problem = registry::problem(problem).ok();
            let direction = problem.map(AnyProblem::direction);
            metric.better(problem.map(|problem| problem as &dyn AnyProblem), direction)
        };
        let measure = |name: &str| Metric::Measure(name.to_owned());
        assert_eq!(
            better("build", measure("moves_to_completion")),
            Better::Lower
        );
        assert_eq!(better("build", measure("chains")), Better::Higher);
        assert_eq!(better("versus", measure("win")), Better::Higher);
        assert_eq!(better("path", measure("queries")), Better::Neither);
        assert_eq!(better("path", Metric::Score), Better::Lower);
        assert_eq!(better("trail", Metric::Score), Better::Higher);
        assert_eq!(better("reach", Metric::Score), Better::Neither);
        let counter = |name: &str| Metric::Counter(name.to_owned());
        assert_eq!(better("trail", counter("nodes")), Better::Lower);
        assert_eq!(better("trail", counter("cuts_bound")), Better::Neither);
        assert_eq!(better("unknown", measure("win")), Better::Neither);
    }

    #[test]
    fn percentages_need_their_sign() {
        assert_eq!(parse_percent("5%"), Ok(0.05));
        assert_eq!(parse_percent("2.5 %"), Ok(0.025));
        let shares = ["0.7%", "1.1%", "2.9%", "1e1%"].map(parse_percent);
        assert_eq!(shares, [Ok(0.007), Ok(0.011), Ok(0.029), Ok(0.1)]);
        assert!(parse_percent("five").is_err() && parse_percent("-1%").is_err());
        assert!(parse_percent("nan%").is_err() && parse_percent("5").is_err());
    }
}
