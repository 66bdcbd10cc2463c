//! `dfs+switches`: the depth-first search with each pruning as a setting, so that any combination runs.

use ikeru_core::{
    BoxedSolve, Deadline, InputError, Lattice, Member, Prepare, Refusal, Setting, Settings, Source,
    Variant,
};

use crate::TrailProblem;
use crate::ladder::edge_set::EdgeSet;
use crate::ladder::kernel::{Bound, Rules};
use crate::ladder::{RuleSet, prepare};
use crate::puzzle::Puzzle;

const CORNER: Setting = Setting {
    name: "corner",
    default: "true",
    about: "pruning 1, true or false: stop at a goal that cannot be left and entered again",
};

const DEADEND: Setting = Setting {
    name: "deadend",
    default: "true",
    about: "pruning 2, true or false: enter no vertex whose last way out is gone",
};

const MOVES: Setting = Setting {
    name: "moves",
    default: "pairs",
    about: "pruning 3: single edges, single edges with one function per colour (mutual), or pairs of edges",
};

const BOUND: Setting = Setting {
    name: "bound",
    default: "running",
    about: "pruning 4: never, from what was free at the start (at-start), or kept up with every move (running)",
};

/// See the module.
pub const VARIANT: Variant<TrailProblem> = Variant {
    name: "dfs+switches",
    about: "Depth-first search with each pruning as a setting, so that any combination of them runs.",
    source: Source::Ours,
    exact: true,
    version: 1,
    settings: &[CORNER, DEADEND, MOVES, BOUND],
    prepare: prepare_combined,
};

/// The article's ladder, each rung as a combination.
pub const LATTICE: Lattice = Lattice {
    variant: VARIANT.name,
    members: &[
        rung("dfs", &switches("false", "false", "single", "never")),
        rung("dfs+corner", &switches("true", "false", "single", "never")),
        rung("dfs+deadend", &switches("true", "true", "single", "never")),
        rung("dfs+mutual", &switches("true", "true", "mutual", "never")),
        rung("dfs+colour", &switches("true", "true", "pairs", "never")),
        rung(
            "dfs+bound-at-start",
            &switches("true", "true", "pairs", "at-start"),
        ),
        rung("dfs+bound", &switches("true", "true", "pairs", "running")),
    ],
};

type Switches = [(&'static str, &'static str); 4];

const fn rung(variant: &'static str, switches: &'static Switches) -> Member {
    Member { variant, switches }
}

const fn switches(
    corner: &'static str,
    deadend: &'static str,
    moves: &'static str,
    bound: &'static str,
) -> Switches {
    [
        (CORNER.name, corner),
        (DEADEND.name, deadend),
        (MOVES.name, moves),
        (BOUND.name, bound),
    ]
}

/// `moves`: the numbers that [`Combined`] takes.
const SINGLE: u8 = 0;
const MUTUAL: u8 = 1;
const PAIRS: u8 = 2;

/// Any combination of the prunings.
#[derive(Debug, Default)]
struct Combined<const CORNER: bool, const DEADEND: bool, const MOVES: u8, const BOUND: u8>;

impl<const CORNER: bool, const DEADEND: bool, const MOVES: u8, const BOUND: u8> RuleSet
    for Combined<CORNER, DEADEND, MOVES, BOUND>
{
    type Of<S: EdgeSet> = Self;
}

impl<S: EdgeSet, const CORNER: bool, const DEADEND: bool, const MOVES: u8, const BOUND: u8> Rules<S>
    for Combined<CORNER, DEADEND, MOVES, BOUND>
{
    const CORNER: bool = CORNER;
    const DEADEND: bool = DEADEND;
    const PAIRS: bool = MOVES == PAIRS;
    const MUTUAL: bool = MOVES == MUTUAL;
    const BOUND: Bound = [Bound::Never, Bound::AtStart, Bound::Running][BOUND as usize];
}

fn prepare_combined<'a>(
    puzzle: &'a Puzzle,
    settings: &Settings,
    deadline: Deadline,
) -> Result<BoxedSolve<'a, TrailProblem>, Refusal> {
    let prepare = combination(settings)?;
    prepare(puzzle, settings, deadline)
}

/// The search that was compiled for these settings.
fn combination(settings: &Settings) -> Result<Prepare<TrailProblem>, InputError> {
    let corner = settings.bool(&CORNER)? != Some(false);
    let deadend = settings.bool(&DEADEND)? != Some(false);
    let moves = settings.choice(&MOVES, &["single", "mutual", "pairs"])?;
    let bound = settings.choice(&BOUND, &["never", "at-start", "running"])?;
    Ok(match (corner, deadend) {
        (false, false) => with_moves::<false, false>(moves, bound),
        (false, true) => with_moves::<false, true>(moves, bound),
        (true, false) => with_moves::<true, false>(moves, bound),
        (true, true) => with_moves::<true, true>(moves, bound),
    })
}

fn with_moves<const CORNER: bool, const DEADEND: bool>(
    moves: Option<&str>,
    bound: Option<&str>,
) -> Prepare<TrailProblem> {
    match moves {
        Some("single") => with_bound::<CORNER, DEADEND, SINGLE>(bound),
        Some("mutual") => with_bound::<CORNER, DEADEND, MUTUAL>(bound),
        _ => with_bound::<CORNER, DEADEND, PAIRS>(bound),
    }
}

fn with_bound<const CORNER: bool, const DEADEND: bool, const MOVES: u8>(
    bound: Option<&str>,
) -> Prepare<TrailProblem> {
    match bound {
        Some("never") => prepare::<Combined<CORNER, DEADEND, MOVES, 0>>,
        Some("at-start") => prepare::<Combined<CORNER, DEADEND, MOVES, 1>>,
        _ => prepare::<Combined<CORNER, DEADEND, MOVES, 2>>,
    }
}
