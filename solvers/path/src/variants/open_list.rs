//! `open-list`: the article's procedure exactly as written, and its steps for pictures.

use ikeru_core::{Deadline, Settings, Variant, settings};

use super::batch::solver;
use super::finder::{Finder, FinderCounts, Prepared, QueryWork, SCALED_H, Searched, Stopped};
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

/// The directions in the article's order: row by row from the upper left.
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

/// The values that the article stores for a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListedCell {
    /// The cost of the path so far.
    pub g: u64,
    /// The estimate of the rest.
    pub h: u64,
    /// The predecessor; `None` for the start.
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

    /// The values stored for `cell`; `None` if it was not reached.
    pub fn node(&self, cell: Cell) -> Option<ListedCell> {
        self.nodes[self.index(cell)]
    }

    /// Returns whether `cell` is closed.
    pub fn is_closed(&self, cell: Cell) -> bool {
        self.closed[self.index(cell)]
    }

    /// Runs the procedure and returns whether the goal was reached. `watch` is called with each current cell before
    /// its neighbours are examined.
    fn run(
        &mut self,
        query: Query,
        QueryWork { counts, ticker }: &mut QueryWork,
        mut watch: impl FnMut(&Self, Cell),
    ) -> Searched<bool> {
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

    /// Takes the open cell with the lowest g+h; ties are broken by the lowest h, then first in, first out.
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
    fn find(&mut self, query: Query, answer: &mut Answer, work: &mut QueryWork) -> Searched {
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

/// Repeats the procedure on the first query with the settings `asked` and calls `watch` in every step, with the
/// procedure's variables and the current cell.
pub fn replay(instance: &Instance, asked: ReplaySettings, mut watch: impl FnMut(&Procedure, Cell)) {
    let Ok(steps) = Steps::new(instance, asked.scaled_h, Deadline::never()) else {
        return;
    };
    let mut search = Procedure::new(instance, steps);
    let mut work = QueryWork::new(Deadline::never());
    if let Some(query) = instance.queries.first() {
        // Without a deadline the procedure always finishes.
        let _ = search.run(*query, &mut work, |s, c| watch(s, c));
    }
}
