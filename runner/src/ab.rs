//! Two builds of this program, compared in one session.
//!
//! Every sample has a child process of one of the two builds; this program plans the cells, makes their instances and
//! keeps the samples. Both builds therefore answer the same questions at nearly the same time, and changes of the
//! machine affect both.
//!
//! | module | owns |
//! |---|---|
//! | [`build`] | a side of the comparison: a binary, or a revision that is built once |
//! | [`preview`] | one answer of both builds to every cell, before any clock |
//! | [`sides`] | the commands of both sides |
//! | [`blocks`] | the schedule of the timed samples, and what they decide |
//! | [`findings`] | tables and the file for histories of benchmarks |

pub mod blocks;
pub mod build;
pub mod commands;
pub mod findings;
pub mod preview;
pub mod sides;

use std::collections::HashMap;
use std::sync::Mutex;

use anyhow::Result;
use ikeru_core::{AnyInstance, ContentHash};

use self::build::Build;
use crate::execute::{ChildProcess, Executor, Outcome, Sample};
use crate::plan::{Cell, Solver, Stage};

ikeru_core::names! {
    /// A side of the comparison: the two builds, and the reference once more.
    pub enum BuildSide {
        /// The reference.
        Base = "base",
        /// The build that is compared with it.
        Head = "head",
        /// The reference again, which may not differ from itself.
        Placebo = "base again",
    }
}

impl BuildSide {
    /// The two builds.
    pub const BOTH: [Self; 2] = [Self::Base, Self::Head];
    /// The place of this side's copy of the cell at `at` in a stage of [`copies`], of the layout `layout` of `layouts`.
    fn copy_of(self, at: usize, (layout, layouts): (usize, usize)) -> usize {
        Self::ALL.len() * (layouts * at + layout) + self as usize
    }
}

/// A cell that is compared.
#[derive(Clone, Copy)]
pub struct Compared<'a> {
    /// The place of its stage, and its place there.
    pub place: (usize, usize),
    /// Its stage.
    pub stage: &'a Stage,
    /// The cell.
    pub cell: &'a Cell,
}

/// The cells of `stages` in order.
pub fn compared(stages: &[Stage]) -> impl Iterator<Item = Compared<'_>> {
    stages.iter().enumerate().flat_map(|(number, stage)| {
        let cells = stage.cells.iter().enumerate();
        cells.map(move |(at, cell)| Compared {
            place: (number, at),
            stage,
            cell,
        })
    })
}

/// The solvers of head and of further layouts by label and question, if these are other commands.
pub type OtherCommands = HashMap<(String, ContentHash), Solver>;

/// The end of the labels of head's commands.
pub const HEAD: &str = "@head";

/// The beginning of the end of the labels of a further layout's commands.
const FURTHER_LAYOUT: &str = "@layout-";

/// The end of the labels of a layout's commands.
pub fn of_layout(layout: u32) -> String {
    if layout == 1 {
        return String::new();
    }
    format!("{FURTHER_LAYOUT}{layout}")
}

/// The stages with every cell three times, for base, for head and for the placebo; each of these once for every layout.
pub fn copies(stages: &[Stage], others: &OtherCommands, layouts: Option<u32>) -> Vec<Stage> {
    let names = BuildSide::ALL.map(BuildSide::name);
    let copied = |stage: &Stage| {
        let mut all = stage.in_copies(&names, layouts);
        let each = names.len() * layouts.unwrap_or(1) as usize;
        for (own, copies) in stage.cells.iter().zip(all.cells.chunks_mut(each)) {
            for copy in copies {
                let is_head = copy.copy % names.len() == BuildSide::Head as usize;
                let head = if is_head { HEAD } else { "" };
                let label = format!("{}{head}{}", own.label, of_layout(copy.layout.unwrap_or(1)));
                if let Some(other) = others.get(&(label, own.asked)) {
                    copy.solver = other.clone();
                }
            }
        }
        all
    };
    stages.iter().map(copied).collect()
}

/// Takes the cells of the commands of head and of further layouts out of the stages.
pub fn take_others(stages: &mut [Stage]) -> OtherCommands {
    let is_other =
        |cell: &mut Cell| cell.label.ends_with(HEAD) || cell.label.contains(FURTHER_LAYOUT);
    let cells = stages.iter_mut().map(|stage| &mut stage.cells);
    let own = cells.flat_map(|cells| cells.extract_if(.., |cell| is_other(cell)));
    own.map(|cell| ((cell.label, cell.asked), cell.solver))
        .collect()
}

/// Both builds as one executor: the copy of a cell chooses the build.
pub struct Builds {
    /// Child processes of each side's build; of each layout, if there are several.
    pub processes: Vec<ChildProcess>,
    /// Why a build could not be asked, by the copy of the cell.
    pub unknown: Mutex<HashMap<ContentHash, String>>,
}

impl Builds {
    /// The processes of two builds.
    pub fn of(base: &Build, head: &Build) -> Self {
        let layouts = base.programs.iter().zip(&head.programs);
        let sides = layouts.flat_map(|(base, head)| [base, head, base]);
        Self {
            processes: sides.map(|it| ChildProcess::of(it.clone())).collect(),
            unknown: Mutex::default(),
        }
    }

    /// Why the build of this copy of a cell does not know its variant or a setting.
    pub fn unknown(&self, copy: &Cell) -> Option<String> {
        self.unknown.lock().ok()?.get(&copy.id).cloned()
    }
}

impl Executor for Builds {
    type Prepared<'a> = <ChildProcess as Executor>::Prepared<'a>;

    fn sample<'a>(
        &self,
        stage: &Stage,
        cell: &Cell,
        question: &'a dyn AnyInstance,
        kept: &mut Option<Self::Prepared<'a>>,
    ) -> Result<Sample> {
        let process = &self.processes[cell.copy % self.processes.len()];
        let sample = process.sample(stage, cell, question, kept);
        sample.or_else(|error| {
            let why = format!("{error:#}");
            if let Ok(mut unknown) = self.unknown.lock() {
                unknown.insert(cell.id, why.clone());
            }
            Ok(Sample::failed(Outcome::Skipped, why))
        })
    }
}
