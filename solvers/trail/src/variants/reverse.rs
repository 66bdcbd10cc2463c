//! `reverse`: best-first search from the goal backwards, with bounds by T-joins.
//!
//! The walked part, which ends at the goal, is an affine map: a score x at its beginning becomes M·x + B at the goal,
//! where M is the product of its `×` edges. Of two parts with the same edges only the part with the larger B is kept
//! (an exact dominance: M and the beginning are equal).
//!
//! The rest of the trail leads from the start to the beginning of that part on the free edges. The search first
//! branches on the set of `×` edges that are used. While some of them are still to be passed, a `+` weighs at most M
//! times their product, a `-` weighs at least M (0 with a `×0`), and their edges must be passed: a best T-join
//! ([`crate::tjoin`]) bounds the rest. When none is left, the T-join is exact. If it is connected, it is the best trail
//! of its node; otherwise its component at the start still gives an incumbent. The search ends at the first node whose
//! bound does not exceed the incumbent.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashMap};

use ikeru_core::{
    Attempt, BoxedSolve, Deadline, OURS, Prepared, Refusal, Score, Search, Settings, Solve,
    Variant, skip,
};

use crate::TrailProblem;
use crate::puzzle::{Answer, Puzzle, Trail};
use crate::tjoin::connectivity::{Linked, euler_trail, passable};
use crate::tjoin::frontier::{EdgeCost, Frontier, MAX_COLUMNS, Number};
use crate::tjoin::grid::{Edge, JoinGrid, Vertex, contains, insert};
use crate::tjoin::refuse_too_large;

/// See the module.
pub const VARIANT: Variant<TrailProblem> = Variant {
    name: "reverse",
    about: "Best first from the goal backwards; what is left is bounded by a T-join.",
    source: OURS,
    exact: true,
    version: 2,
    settings: &[],
    prepare,
};

/// Words of a set of edges, enough for boards up to 11×11.
const WORDS: usize = 4;
/// The most walked parts in the dominance table. When it is full, the search gives up with its bound; it takes at most
/// 256 MiB.
const MAX_PARTS: usize = 400_000;

type Edges = [u64; WORDS];

fn prepare<'a>(
    puzzle: &'a Puzzle,
    _settings: &Settings,
    deadline: Deadline,
) -> Prepared<'a, TrailProblem> {
    deadline.check()?;
    refuse_too_large(puzzle, MAX_COLUMNS)?;
    let grid = JoinGrid::new(puzzle);
    if grid.edge_count() > 64 * WORDS || grid.factors.len() > 64 {
        skip!(
            "sets of edges hold {} edges and 64 × edges, the board has {} and {}",
            64 * WORDS,
            grid.edge_count(),
            grid.factors.len()
        );
    }
    match grid.largest_sum() {
        Some(sum) if sum <= i32::LIMIT => Ok(boxed::<i32>(puzzle, grid)),
        Some(sum) if sum <= i64::LIMIT => Ok(boxed::<i64>(puzzle, grid)),
        _ => Err(Refusal::skip(
            "the numbers are too large for costs of 64 bits",
        )),
    }
}

fn boxed<C: EdgeCost>(puzzle: &Puzzle, grid: JoinGrid) -> BoxedSolve<'_, TrailProblem> {
    let frontier = Frontier::<C>::new(grid.columns, grid.rows);
    Box::new(Reverse {
        puzzle,
        frontier,
        costs: vec![C::ABSENT; grid.edge_count()],
        linked: Linked::default(),
        grid,
    })
}

/// A walked part, from the last vertex of `path` to the goal.
#[derive(Debug, Clone)]
struct BoardPart {
    bound: Score,
    /// M.
    factor: i64,
    /// B.
    addend: i64,
    /// The factors that are still to be passed.
    coming: u64,
    /// The factors not yet decided on; empty once an edge is walked.
    undecided: u64,
    walked: Edges,
    /// The vertices of the part, from the goal backwards.
    path: Vec<Vertex>,
}

impl Ord for BoardPart {
    fn cmp(&self, other: &Self) -> Ordering {
        self.bound
            .cmp(&other.bound)
            .then(self.path.len().cmp(&other.path.len()))
    }
}

impl PartialOrd for BoardPart {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for BoardPart {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for BoardPart {}

impl BoardPart {
    fn place(&self) -> Vertex {
        self.path[self.path.len() - 1]
    }
}

struct Reverse<'a, C> {
    puzzle: &'a Puzzle,
    grid: JoinGrid,
    frontier: Frontier<C>,
    costs: Vec<C>,
    linked: Linked,
}

/// The best trail and the counters of a search.
#[derive(Debug, Default)]
struct ReverseRun {
    best: Option<Trail>,
    nodes: u64,
    bounded: u64,
    dominated: u64,
    infeasible: u64,
    incumbents: u64,
}

impl ReverseRun {
    fn score(&self) -> Score {
        self.best.as_ref().map_or(Score::MIN, |trail| trail.score)
    }
}

impl<C: EdgeCost> Solve<TrailProblem> for Reverse<'_, C> {
    fn solve(&mut self, search: &mut Search) -> Attempt<Answer> {
        self.frontier.calls = 0;
        let mut run = ReverseRun::default();
        let mut open = BinaryHeap::new();
        let mut known: HashMap<(Vertex, u64, Edges), i64> = HashMap::new();
        let root = BoardPart {
            bound: self.puzzle.ceiling(),
            factor: 1,
            addend: 0,
            coming: 0,
            undecided: self.grid.all_factors(),
            walked: [0; WORDS],
            path: vec![self.grid.goal],
        };
        self.bound_and_queue(root, &mut run, &mut open, search);
        let mut ticker = search.deadline.ticker(self.frontier.calls_per_look());
        let mut left = None;
        while let Some(part) = open.pop() {
            if part.bound <= run.score() {
                run.bounded += 1 + open.len() as u64;
                break;
            }
            let full = known.len() >= MAX_PARTS;
            if full || ticker.passed() {
                search.counters.add("memory_full", u64::from(full));
                left = Some(part.bound);
                break;
            }
            for child in self.branch(&part) {
                if child.undecided == 0 {
                    let key = (child.place(), child.coming, child.walked);
                    match known.get_mut(&key) {
                        Some(addend) if *addend >= child.addend => {
                            run.dominated += 1;
                            continue;
                        }
                        Some(addend) => *addend = child.addend,
                        None => {
                            known.insert(key, child.addend);
                        }
                    }
                }
                self.bound_and_queue(child, &mut run, &mut open, search);
            }
        }
        search.counters.add("nodes", run.nodes);
        search.counters.add("cuts_bound", run.bounded);
        search.counters.add("cuts_dominance", run.dominated);
        search.counters.add("cuts_infeasible", run.infeasible);
        search.counters.add("kernel_calls", self.frontier.calls);
        search.counters.add("incumbents", run.incumbents);
        match left {
            None => Attempt::proven(run.best),
            Some(bound) => Attempt::Timeout {
                bound: Some(bound),
                best: run.best.map(Some),
            },
        }
    }

    fn table_bytes(&self) -> u64 {
        self.frontier.bytes()
    }
}

impl<C: EdgeCost> Reverse<'_, C> {
    /// Bounds `part` and queues it if it may contain a better trail.
    fn bound_and_queue(
        &mut self,
        mut part: BoardPart,
        run: &mut ReverseRun,
        open: &mut BinaryHeap<BoardPart>,
        search: &Search,
    ) {
        run.nodes += 1;
        let Some((bound, rest)) = self.bound(&part) else {
            run.infeasible += 1;
            return;
        };
        part.bound = part.bound.min(bound);
        if part.bound <= run.score() {
            run.bounded += 1;
            return;
        }
        let exact = part.coming | part.undecided == 0;
        if exact {
            let (trail, connected) = self.trail(&part, rest);
            if let Some(trail) = trail.filter(|trail| trail.score > run.score()) {
                search.incumbent.improve(trail.score);
                run.incumbents += 1;
                run.best = Some(trail);
            }
            if connected {
                return;
            }
        }
        open.push(part);
    }

    /// The upper bound of `part` and the T-join that attains it; `None` if no trail reaches the part.
    fn bound(&mut self, part: &BoardPart) -> Option<(Score, Vec<u64>)> {
        let grid = &self.grid;
        let factors = |set: u64| grid.factors_in(set).map(|(_, factor)| factor);
        let all = part.coming | part.undecided;
        let highest: i64 = factors(all).map(|factor| factor.factor.max(1)).product();
        let lowest = factors(all)
            .map(|factor| factor.factor.min(1))
            .min()
            .unwrap_or(1);
        let certain: i64 = factors(part.coming).map(|factor| factor.factor).product();
        let maybe = factors(part.undecided).map(|factor| {
            let bounds = (factor.factor.min(1), factor.factor.max(1));
            if grid.start_score >= 0 {
                bounds.1
            } else {
                bounds.0
            }
        });
        let start_factor = certain * maybe.product::<i64>();

        let mut open: Vec<bool> = grid.additions.iter().map(Option::is_some).collect();
        for factor in factors(all) {
            open[usize::from(factor.edge)] = true;
        }
        for (edge, open) in open.iter_mut().enumerate() {
            *open &= !contains(&part.walked, edge as Edge);
        }
        let passable = passable(grid, &open, grid.start, part.place())?;
        for (edge, (cost, passable)) in self.costs.iter_mut().zip(&passable).enumerate() {
            let addend = grid.additions[edge].unwrap_or(0);
            let weight = if addend >= 0 { highest } else { lowest };
            *cost = if *passable {
                C::of(addend * weight * part.factor)
            } else {
                C::ABSENT
            };
        }
        let mut odd = vec![0; grid.rows];
        grid.toggle(&mut odd, grid.start);
        grid.toggle(&mut odd, part.place());
        for factor in factors(part.coming) {
            if !passable[usize::from(factor.edge)] {
                return None;
            }
            self.costs[usize::from(factor.edge)] = C::ABSENT;
            grid.toggle_ends(&mut odd, factor.edge);
        }
        let mut rest = vec![0; grid.words()];
        let most = self.frontier.best(&self.costs, &odd, &mut rest)?.wide();
        let start = part.factor * start_factor * grid.start_score;
        Some((part.addend + start + most, rest))
    }

    /// The trail along the start's component of `rest` and then along `part`; true if `rest` is one component.
    fn trail(&mut self, part: &BoardPart, mut rest: Vec<u64>) -> (Option<Trail>, bool) {
        let grid = &self.grid;
        let connected = self.linked.keep(grid, &mut rest, grid.start);
        let mut walk = Vec::new();
        euler_trail(grid, &rest, grid.start, &mut walk);
        walk.extend(part.path.iter().rev().skip(1));
        let mut vertices = self.puzzle.route().to_vec();
        vertices.extend(
            walk.iter()
                .map(|vertex| grid.board_vertex(self.puzzle, *vertex)),
        );
        (self.puzzle.replay(vertices).ok(), connected)
    }

    /// The parts with one more decision or one more edge.
    fn branch(&self, part: &BoardPart) -> Vec<BoardPart> {
        if part.undecided != 0 {
            let lowest = part.undecided & part.undecided.wrapping_neg();
            let without = BoardPart {
                undecided: part.undecided & !lowest,
                ..part.clone()
            };
            let with = BoardPart {
                coming: part.coming | lowest,
                ..without.clone()
            };
            return vec![with, without];
        }
        let around = self.grid.around(part.place());
        around
            .iter()
            .filter_map(|&(edge, next)| self.extend(part, edge, next))
            .collect()
    }

    fn extend(&self, part: &BoardPart, edge: Edge, next: Vertex) -> Option<BoardPart> {
        if contains(&part.walked, edge) {
            return None;
        }
        let mut longer = part.clone();
        match self.grid.additions[usize::from(edge)] {
            Some(addend) => longer.addend += part.factor * addend,
            None => {
                let mut coming = self.grid.factors_in(part.coming);
                let (index, factor) = coming.find(|(_, factor)| factor.edge == edge)?;
                longer.factor *= factor.factor;
                longer.coming &= !(1 << index);
            }
        }
        insert(&mut longer.walked, edge);
        longer.path.push(next);
        Some(longer)
    }
}
