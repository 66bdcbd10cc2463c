//! The plan of a run: experiments expanded into cells, before any timing.
//!
//! A cell is one (instance × question × variant with its method × bound policy × threads). Its identity is the hash
//! of this content and does not depend on an order, so that a run can be resumed and two runs can be compared. The
//! plan holds every instance once; a question is put to it when a cell runs.

mod cell;
mod check;
mod input;
mod solver;

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use ikeru_bench_data::experiment::Run;
use ikeru_bench_data::{Experiment, Mode};
use ikeru_core::{
    AnyProblem, BoundPolicy, ContentHash, Direction, Measure, SettingInfo, Settings, unknown,
};
use ikeru_reports::records::shard::Shard;
use ikeru_reports::records::{Columns, Extra, Family};
use ikeru_reports::rows;

pub use cell::Cell;
use check::{askable, check_anytime, check_cells, check_column, check_labels, check_words};
pub use input::PlannedInstance;
use input::{Gathering, Shared};
use solver::LabelledSolver;
pub use solver::{Program, Solver, absolute};

use crate::declared::Declared;
use crate::files::HashedFile;
use crate::registry;

/// The setting of the method that numbers the layouts of a build's code in the records.
pub const LAYOUT_SETTING: &str = "layout";

/// One experiment's cells and how they run.
#[derive(Clone)]
pub struct Stage {
    /// The experiment's name.
    pub experiment: String,
    /// Its problem.
    pub problem: &'static dyn AnyProblem,
    /// The mode in which samples share the machine.
    pub mode: Mode,
    /// Samples per cell.
    pub repeats: u32,
    /// The first repeat that is taken; above 0 if the earlier ones were taken before.
    pub first_repeat: u32,
    /// Time limit of one answer.
    pub limit: Duration,
    /// The shortest sample.
    pub sample: Duration,
    /// Warm-up of a freshly prepared solver.
    pub warm_up: Duration,
    /// Samples at a time in contended mode; the session's number by default.
    pub jobs: Option<usize>,
    /// True if cells run in separate processes.
    pub isolate: bool,
    /// True if each rise of the incumbent is logged.
    pub anytime: bool,
    /// The data limit of each process of a worker or foreign solver, in bytes.
    pub memory: Option<u64>,
    /// The column along which larger values are hopeless after a timeout.
    pub hopeless_along: Option<String>,
    /// True if it waits until other samples are taken, where further samples follow.
    pub later: bool,
    /// The columns of all variants of the experiment, also of those that were not chosen: they may follow.
    pub of_variants: Vec<Extra>,
    /// The cells.
    pub cells: Vec<Cell>,
    /// The number of instances for which each cell stands: 1, or all if a plan only counts.
    pub instances: usize,
}

impl Stage {
    /// Samples of all cells.
    pub fn samples(&self) -> u64 {
        (self.cells.len() * self.instances) as u64 * u64::from(self.repeats - self.first_repeat)
    }

    /// Refuses files of a cell's solver, referee or generator whose content has changed since the plan was made.
    ///
    /// # Errors
    /// Names the file.
    pub fn check_files(&self, cell: &Cell) -> Result<()> {
        self.files(cell).try_for_each(HashedFile::check)
    }

    /// The files of the cell's solver, and of generator and referee.
    pub fn files<'c>(&self, cell: &'c Cell) -> impl Iterator<Item = &'c HashedFile> {
        let declared = registry::declared(self.problem.name()).into_iter();
        let program = cell.solver.foreign().into_iter();
        let own = program.flat_map(|program| &program.files);
        declared.flat_map(Declared::files).chain(own)
    }

    /// The stage with a copy of every cell for each name, the copies of a cell next to each other; all of them once for each
    /// layout, if there are any.
    pub fn in_copies(&self, names: &[&str], layouts: Option<u32>) -> Self {
        let copies = |cell: &Cell| -> Vec<Cell> {
            let all = match layouts {
                Some(layouts) => (1..=layouts).map(Some).collect(),
                None => vec![None],
            };
            let all = all
                .iter()
                .flat_map(|at| names.iter().map(move |name| (*at, name)));
            let copy = |(copy, (layout, name)): (usize, (Option<u32>, &&str))| {
                cell.copied(copy, name, layout)
            };
            all.enumerate().map(copy).collect()
        };
        Self {
            cells: self.cells.iter().flat_map(copies).collect(),
            ..self.clone()
        }
    }

    /// A lower bound of the run time on one core: every sample at its shortest.
    pub fn at_least(&self) -> Duration {
        let samples = u32::try_from(self.samples()).unwrap_or(u32::MAX);
        self.sample.min(self.limit).saturating_mul(samples)
    }
}

/// A selection from a plan, and the shift of its seeds.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// Only these variants (by name or label); empty for all.
    pub variants: Vec<String>,
    /// Only instances whose name contains one of these, with whole numbers; empty for all.
    pub instances: Vec<String>,
    /// Shifts all generated instances to other seeds.
    pub seed: u64,
    /// Only the cells whose identity begins with one of these; empty for all.
    pub cells: Vec<String>,
    /// Only the questions of this shard.
    pub shard: Option<Shard>,
    /// Makes the first instance alone of experiments without files: the plan counts the others.
    pub counts: bool,
}

impl Selection {
    /// Returns whether it leaves no variant, instance, cell or shard out.
    pub fn is_whole(&self) -> bool {
        self.variants.is_empty()
            && self.instances.is_empty()
            && self.cells.is_empty()
            && self.shard.is_none()
    }
}

/// All work of one run, experiment by experiment.
pub struct Plan {
    /// One per experiment.
    pub stages: Vec<Stage>,
    /// The columns of `records.csv`.
    pub columns: Columns,
    /// The contents of the foreign solvers of all experiments, by name; a shard has those of the whole plan.
    pub programs: BTreeMap<String, BTreeSet<String>>,
}

impl Plan {
    /// Expands `experiments`, each with the folder to which its patterns of files are relative.
    ///
    /// # Errors
    /// An unknown problem, variant, setting or generator, with the nearest known one; a question that no instance
    /// takes; a pattern without files.
    pub fn new(experiments: &[(Experiment, PathBuf)], choice: &Selection) -> Result<Self> {
        let mut stages = Vec::new();
        let mut extra = Vec::new();
        let mut programs: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let mut shared = Shared::new();
        let mut names = BTreeSet::new();
        let mut all = experiments.iter().map(|(experiment, _)| &experiment.name);
        if let Some(name) = all.find(|name| !names.insert(*name)) {
            bail!("experiment {name}: given twice; expected experiments of different names");
        }
        for (experiment, folder) in experiments {
            let place = || format!("experiment {}", experiment.name);
            let problem = registry::problem(experiment.problem.name()).with_context(place)?;
            let gathering = Gathering {
                problem,
                choice,
                shared: &mut shared,
            };
            let (inputs, instances) = gathering.of(experiment, folder).with_context(place)?;
            let mut stage =
                stage((experiment, folder), problem, &inputs, choice).with_context(place)?;
            stage.instances = instances;
            for program in stage.cells.iter().filter_map(|cell| cell.solver.foreign()) {
                let contents = programs.entry(program.name.clone()).or_default();
                contents.insert(program.content.clone());
            }
            // All shards have the columns of the whole run, independently of their cells.
            let own = columns(&stage, experiment);
            check_shown(experiment, problem, &own).with_context(place)?;
            extra.extend(own);
            if !choice.cells.is_empty() {
                let is_chosen = |id: &ContentHash| {
                    let id = id.to_string();
                    choice.cells.iter().any(|cell| id.starts_with(cell))
                };
                stage.cells.retain(|cell| is_chosen(&cell.id));
            }
            if let Some(shard) = choice.shard {
                stage.cells.retain(|cell| shard.holds(cell.asked));
            }
            stages.push(stage);
        }
        check_cells(&stages, choice)?;
        Ok(Self {
            stages,
            columns: Columns::new(extra),
            programs,
        })
    }

    /// Adds the column of layouts.
    pub fn add_layouts(&mut self) {
        let about = "order in which the sections of the program were linked, by its seed";
        let column = Extra::new(Family::Method, LAYOUT_SETTING, about);
        self.columns = self.columns.and([column]);
    }

    /// Samples of all experiments.
    pub fn samples(&self) -> u64 {
        self.stages.iter().map(Stage::samples).sum()
    }

    /// The stages whose samples are taken in every case: all stages, or, if further samples follow, those of experiments
    /// that are not `later`.
    pub fn first_pass(&self, has_more: bool) -> impl Iterator<Item = &Stage> {
        let stages = self.stages.iter();
        stages.filter(move |stage| !(has_more && stage.later))
    }

    /// Returns whether some samples are timed alone.
    pub fn is_timed(&self) -> bool {
        let mut stages = self.stages.iter();
        stages.any(|stage| stage.mode == Mode::Isolated)
    }
}

/// The columns that a stage adds, independently of its results, and of the variants and instances that were chosen.
fn columns(stage: &Stage, experiment: &Experiment) -> Vec<Extra> {
    let problem = stage.problem;
    let measures = |family, measures: &'static [Measure]| {
        let columns = measures.iter();
        columns.map(move |measure| Extra::new(family, measure.name, measure.about))
    };
    let mut columns = solver::settings(Family::Setting, problem.settings());
    columns.extend(stage.of_variants.iter().cloned());
    let origins = stage.cells.iter().map(|cell| cell.input.origin.as_str());
    let entries = experiment.instances.iter();
    let named = entries.filter_map(|entry| entry.generator.as_deref());
    let seen: HashSet<&str> = origins.chain(named).collect();
    for generator in problem.generators() {
        if seen.contains(generator.name) {
            columns.extend(solver::settings(Family::Parameter, generator.parameters));
        }
    }
    let declared = registry::declared(problem.name()).into_iter();
    columns.extend(declared.flat_map(Declared::line_features));
    columns.extend(measures(Family::Counter, problem.counters()));
    columns.extend(measures(Family::Measure, problem.measures()));
    columns
}

/// Refuses plots, tables and analyses that name columns or labels that the run does not have.
fn check_shown(experiment: &Experiment, problem: &dyn AnyProblem, own: &[Extra]) -> Result<()> {
    let is_maximized = problem.direction() == Direction::Maximize;
    let mut plots = experiment.plots.iter();
    if let Some(plot) = plots.find(|it| is_maximized && it.kind == "cactus" && it.y == "score") {
        let name = &plot.name;
        bail!(
            "plot `{name}`: a cactus plot counts the values below x; expected a value of which less is better, and not a score to maximize"
        );
    }
    let columns = Columns::new(own.iter().cloned());
    let columns: Vec<&str> = columns.header().chain([rows::TIME]).collect();
    let mut labels = Vec::new();
    for spec in experiment.variant_specs()? {
        if spec.label == "*" {
            labels.extend(problem.variants().iter().map(|info| info.name.to_owned()));
        }
        labels.push(spec.label);
    }
    Ok(ikeru_reports::check::check(experiment, &columns, &labels)?)
}

/// The variants, `*` expanded: all of them, and whether one was chosen; programs are looked for from `folder`.
fn variants(
    (experiment, folder): (&Experiment, &Path),
    problem: &'static dyn AnyProblem,
    choice: &Selection,
) -> Result<Vec<(bool, LabelledSolver)>> {
    let mut all: Vec<LabelledSolver> = Vec::new();
    for spec in experiment.variant_specs()? {
        let solvers = match &spec.foreign {
            Some(foreign) => vec![Program::of(&spec.name, foreign, folder, problem)?],
            None if spec.name == "*" => {
                let all = problem.variants().into_iter();
                all.map(Solver::Variant).collect()
            }
            None => vec![Solver::Variant(problem.variant(&spec.name)?)],
        };
        all.extend(solvers.into_iter().map(|solver| LabelledSolver {
            label: match (spec.name.as_str(), spec.label.as_str()) {
                ("*", "*") => solver.name().to_owned(),
                (_, label) => label.to_owned(),
            },
            settings: spec.settings.clone(),
            solver,
        }));
    }
    for one in &all {
        one.solver.check(&one.settings, problem)?;
    }
    let meant = |wanted: &String| match problem.variant(wanted) {
        Ok(info) => info.name.to_owned(),
        Err(_) => wanted.clone(),
    };
    let chosen: Vec<String> = choice.variants.iter().map(meant).collect();
    for wanted in &chosen {
        if !all.iter().any(|one| one.is_called(wanted)) {
            if problem.variants().is_empty() {
                let known = all.iter().map(|one| one.label.as_str());
                return Err(unknown("variant", wanted, known).into());
            }
            // Any variant of the problem may be added to those of the experiment.
            all.push(LabelledSolver {
                solver: Solver::Variant(problem.variant(wanted)?),
                label: wanted.clone(),
                settings: Settings::new(),
            });
        }
    }
    let is_chosen = |one: &LabelledSolver| {
        chosen.is_empty() || chosen.iter().any(|wanted| one.is_called(wanted))
    };
    let with_choice = |one| (is_chosen(&one), one);
    Ok(all.into_iter().map(with_choice).collect())
}

/// The maximum number of cells of an experiment: a plan takes about a kilobyte of memory per cell.
const MOST_CELLS: usize = 1_000_000;

fn stage(
    (experiment, folder): (&Experiment, &Path),
    problem: &'static dyn AnyProblem,
    inputs: &[Arc<PlannedInstance>],
    choice: &Selection,
) -> Result<Stage> {
    let run = &experiment.run;
    let mut stage = Stage {
        later: experiment.later,
        experiment: experiment.name.clone(),
        problem,
        mode: run.mode(),
        repeats: run.repeats(),
        first_repeat: 0,
        limit: run.limit(),
        sample: run.sample(),
        warm_up: run.warm_up(),
        jobs: None,
        isolate: run.isolate.unwrap_or(false),
        anytime: run.anytime.unwrap_or(false),
        memory: run.memory_mib.map(|mib| mib.saturating_mul(1 << 20)),
        hopeless_along: run.hopeless_along.clone(),
        of_variants: Vec::new(),
        cells: Vec::new(),
        instances: 1,
    };
    let mut variants = variants((experiment, folder), problem, choice)?;
    let settings = settings(experiment, problem)?;
    let first = settings.first().cloned().unwrap_or_default();
    let columns = |(_, one): &(bool, LabelledSolver)| {
        let all = first.clone().with(&one.settings);
        let method = one.solver.method(&all, &one.settings, problem);
        one.solver.columns(&method)
    };
    stage.of_variants = variants.iter().flat_map(columns).collect();
    variants.retain(|(is_chosen, _)| *is_chosen);
    let variants: Vec<LabelledSolver> = variants.into_iter().map(|(_, one)| one).collect();
    let ways = ways(run);
    check_anytime(&stage)?;
    let cells = [inputs.len(), settings.len(), variants.len(), ways.len()];
    if cells.iter().map(|count| *count as f64).product::<f64>() > MOST_CELLS as f64 {
        let [inputs, settings, variants, ways] = cells;
        bail!(
            "{inputs} instances × {settings} questions × {variants} variants × {ways} ways to run, \
             expected at most {MOST_CELLS} cells"
        );
    }
    check_labels(&variants)?;
    check_words(inputs, &settings, &variants)?;
    let mut known = HashMap::new();
    let mut asked = BTreeMap::new();
    for input in inputs {
        for given in &settings {
            for variant in &variants {
                let own = &variant.settings;
                let all = given.clone().with(own);
                let question = all.only(problem.settings());
                let method = variant.solver.method(&all, own, problem);
                for way in &ways {
                    let what = (question.clone(), method.clone());
                    let cell = Cell::new(&stage, input, variant, what, *way);
                    match known.entry(cell.id) {
                        Entry::Vacant(place) => {
                            place.insert(cell.label.clone());
                            stage.cells.push(cell);
                        }
                        Entry::Occupied(first) if *first.get() != cell.label => bail!(
                            "`{}` is the variant and the settings of `{}` once more: it would have no samples",
                            cell.label,
                            first.get()
                        ),
                        Entry::Occupied(_) => {}
                    }
                }
                asked.entry(question.to_string()).or_insert(question);
            }
        }
    }
    check_column(&stage, experiment)?;
    for question in asked.values() {
        askable(inputs, question)?;
    }
    Ok(stage)
}

/// The experiment's combinations of settings.
///
/// # Errors
/// A setting that neither the question nor any method of the problem has. A setting may belong to a variant that
/// `--variant` left out.
fn settings(experiment: &Experiment, problem: &dyn AnyProblem) -> Result<Vec<Settings>> {
    let settings = experiment.setting_specs()?;
    let of_problem = problem.variants();
    let mut declared: Vec<&[SettingInfo]> = vec![problem.settings()];
    declared.extend(of_problem.iter().map(|variant| variant.settings));
    for given in &settings {
        given.check(problem.name(), &declared)?;
    }
    Ok(settings)
}

/// Every bound policy with every number of threads; 0 means all cores.
fn ways(run: &Run) -> Vec<(BoundPolicy, u32)> {
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get() as u32);
    let real = |threads| if threads == 0 { cores } else { threads };
    let mut threads: Vec<u32> = run.threads().into_iter().map(real).collect();
    threads.dedup();
    let with_threads = |policy| threads.iter().map(move |n| (policy, *n));
    let policies = run.bound_policies().into_iter();
    policies.flat_map(with_threads).collect()
}

#[cfg(test)]
mod tests;
