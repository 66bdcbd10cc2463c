//! `open-list`: the article's procedure to the letter, and its steps as pictures.

use ikeru_core::{Deadline, Settings, Variant, settings};

use super::batch::solver;
use super::finder::{Finder, FinderCounts, Prepared, QueryWork, SCALED_H, Stopped};
use super::steps::Steps;
use crate::GridPath;
use crate::answer::{Answer, ReplaySettings};
use crate::cost::Guarantee;
use crate::instance::{Instance, Query};
use crate::map::{Cell, Heading};

/// `open-list`.
pub const OPEN_LIST: Variant<GridPath> = Variant {
    name: "open-list",
    about: "the article's procedure: the whole open list is looked through for the lowest g+h, equal ones by the lowest h, then the first in; what is closed stays closed",
    source: "A*, Procedure, steps 1 to 7",
    exact: true,
    version: 2,
    settings: settings![SCALED_H],
    prepare,
};

fn prepare<'a>(instance: &'a Instance, settings: &Settings, deadline: Deadline) -> Prepared<'a> {
    let scaled_h = settings.get(&SCALED_H)?;
    let steps = Steps::new(instance, scaled_h, deadline)?;
    Ok(solver(instance, move || OpenList {
        search: Procedure::new(instance, steps),
        scaled_h,
    }))
}

/// In the article's order: from the upper left along the rows.
const NEIGHBOURS: [Heading; 8] = [
    Heading(7),
    Heading(0),
    Heading(1),
    Heading(6),
    Heading(2),
    Heading(5),
    Heading(4),
    Heading(3),
];

/// What the article keeps of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListedCell {
    /// Cost of the path so far.
    pub g: u64,
    /// Estimate of the rest.
    pub h: u64,
    /// The cell before; the start has none.
    pub p: Option<Cell>,
}

/// The procedure's variables.
pub struct Procedure<'a> {
    /// Steps and estimates.
    pub steps: Steps<'a>,
    width: usize,
    nodes: Vec<Option<ListedCell>>,
    closed: Vec<bool>,
    open: Vec<Cell>,
}

impl<'a> Procedure<'a> {
    fn new(instance: &'a Instance, steps: Steps<'a>) -> Self {
        let squares = instance.map().letters().len();
        Self {
            steps,
            width: instance.map().width(),
            nodes: vec![None; squares],
            closed: vec![false; squares],
            open: Vec::new(),
        }
    }

    fn index(&self, cell: Cell) -> usize {
        usize::from(cell.y) * self.width + usize::from(cell.x)
    }

    /// What is known of `cell`.
    pub fn node(&self, cell: Cell) -> Option<ListedCell> {
        self.nodes[self.index(cell)]
    }

    /// Whether `cell` is closed.
    pub fn is_closed(&self, cell: Cell) -> bool {
        self.closed[self.index(cell)]
    }

    /// Runs the procedure; `watch` sees each current cell before its neighbours are looked at.
    /// Whether the goal was reached.
    fn run(
        &mut self,
        query: Query,
        QueryWork { counts, ticker }: &mut QueryWork,
        mut watch: impl FnMut(&Self, Cell),
    ) -> Result<bool, Stopped> {
        self.nodes.fill(None);
        self.closed.fill(false);
        self.open.clear();
        let start = self.index(query.start);
        self.nodes[start] = Some(ListedCell {
            g: 0,
            h: self.steps.estimate(query.start, query.goal),
            p: None,
        });
        let mut current = query.start;
        loop {
            watch(self, current);
            if current == query.goal {
                return Ok(true);
            }
            if ticker.passed() {
                return Err(Stopped::OutOfTime);
            }
            counts.expansions += 1;
            self.look_around(current, query.goal, counts);
            let closed = self.index(current);
            self.closed[closed] = true;
            match self.take_lowest() {
                Some(next) => current = next,
                None => return Ok(false),
            }
        }
    }

    fn look_around(&mut self, current: Cell, goal: Cell, counts: &mut FinderCounts) {
        let so_far = self.node(current).map_or(0, |node| node.g);
        for direction in NEIGHBOURS {
            let Some((next, step)) = self.steps.step(current, direction) else {
                continue;
            };
            if self.is_closed(next) {
                continue;
            }
            counts.generated += 1;
            let g = so_far + step;
            let index = self.index(next);
            match &mut self.nodes[index] {
                Some(node) if g < node.g => {
                    node.g = g;
                    node.p = Some(current);
                }
                Some(_) => {}
                None => {
                    self.nodes[index] = Some(ListedCell {
                        g,
                        h: self.steps.estimate(next, goal),
                        p: Some(current),
                    });
                    counts.queued += 1;
                    self.open.push(next);
                }
            }
        }
    }

    /// Takes the open cell of the lowest g+h, then the lowest h, then the first in.
    fn take_lowest(&mut self) -> Option<Cell> {
        let key = |cell: &Cell| self.node(*cell).map(|node| (node.g + node.h, node.h));
        let (place, _) = self
            .open
            .iter()
            .map(key)
            .enumerate()
            .min_by_key(|(_, key)| *key)?;
        Some(self.open.remove(place))
    }
}

struct OpenList<'a> {
    search: Procedure<'a>,
    scaled_h: bool,
}

impl Finder for OpenList<'_> {
    fn find(
        &mut self,
        query: Query,
        answer: &mut Answer,
        work: &mut QueryWork,
    ) -> Result<(), Stopped> {
        let search = &mut self.search;
        if search.run(query, work, |_, _| {})? {
            let path = std::iter::successors(Some(query.goal), |cell| search.node(*cell)?.p);
            answer.push_backward(path, |path| search.steps.length(path));
        } else {
            answer.push_none();
        }
        Ok(())
    }

    fn guarantee(&self) -> Guarantee {
        self.search.steps.guarantee()
    }

    fn frames(&self) -> Option<ReplaySettings> {
        Some(ReplaySettings {
            scaled_h: self.scaled_h,
        })
    }
}

/// Shows `watch` every step of the procedure on the first query, as it was asked: its variables and the current
/// cell.
pub fn replay(instance: &Instance, asked: ReplaySettings, mut watch: impl FnMut(&Procedure, Cell)) {
    let Ok(steps) = Steps::new(instance, asked.scaled_h, Deadline::never()) else {
        return;
    };
    let mut search = Procedure::new(instance, steps);
    let mut work = QueryWork::new(Deadline::never());
    if let Some(query) = instance.queries.first() {
        // Without a deadline it always comes to an end.
        let _ = search.run(*query, &mut work, |s, c| watch(s, c));
    }
}
