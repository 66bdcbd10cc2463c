//! `arrivals`: the table of the Ikemasuyo article, computed step by step.
//!
//! For every vertex (and holder of the god) it keeps the directions from which a walk can have arrived. Two
//! directions free all exits (the article's rule), so it is enough to store "none", one neighbour or "several". Every
//! step scans every vertex: time ∝ |V|·W.

use ikeru_core::{Search, Ticker, Variant, settings};

use super::{InTime, PerStart, Sets, StartKernel, TimeIsUp, begin};
use crate::Reach;
use crate::graph::Vertex;
use crate::instance::Instance;

settings! {
    EVERY_STEP: bool = "every-step", false, "take every step, as the article does, also once two states alternate";
}

pub const VARIANT: Variant<Reach> = Variant {
    name: "arrivals",
    about: "step by step, the directions of arrival at every vertex; two of them free all exits",
    source: "Ikemasuyo, remembering the direction of arrival (「来た方向」を記憶させてみる)",
    exact: true,
    version: 4,
    settings: settings![EVERY_STEP],
    prepare: |instance, method, deadline| {
        begin(instance, deadline)?;
        let (question, holders) = (&instance.question, instance.question.holders());
        let cells = instance.graph.vertices() * holders;
        let entered = |cell: usize| {
            let vertex = cell / holders;
            vertex * holders + question.handed_over(vertex as Vertex, cell % holders)
        };
        let of_god = if holders > 1 { cells } else { 0 };
        Ok(PerStart::new(
            instance,
            Arrivals {
                instance,
                every_step: method.get(&EVERY_STEP)?,
                now: vec![NOBODY; cells],
                next: vec![NOBODY; cells],
                entered: (0..of_god).map(entered).collect(),
            },
        ))
    },
};

/// No walk can have arrived.
const NOBODY: Vertex = Vertex::MAX;
/// Walks can have arrived from several neighbours, or start here: every exit is free.
const SEVERAL: Vertex = Vertex::MAX - 1;

struct Arrivals<'a> {
    instance: &'a Instance,
    every_step: bool,
    /// By vertex and holder: [`NOBODY`], [`SEVERAL`], or the only neighbour from which a walk can have arrived.
    now: Vec<Vertex>,
    next: Vec<Vertex>,
    /// The index in `next` by entered vertex and holder before the step; empty without the god.
    entered: Vec<usize>,
}

impl Arrivals<'_> {
    /// Makes one step of all walks and adds its work to `work`; returns `false` if the deadline passed.
    fn step<const GOD: bool>(&mut self, ticker: &mut Ticker, work: &mut ArrivalsWork) -> bool {
        let graph = &*self.instance.graph;
        let holders = if GOD {
            self.instance.question.holders()
        } else {
            1
        };
        let next = self.next.as_mut_slice();
        next.fill(NOBODY);
        let ArrivalsWork {
            mut states,
            mut arcs,
        } = *work;
        for first in (0..self.now.len()).step_by(CELLS_PER_LOOK) {
            if ticker.passed() {
                return false;
            }
            let cells = first..self.now.len().min(first + CELLS_PER_LOOK);
            for (cell, &from) in cells.clone().zip(&self.now[cells]) {
                if from == NOBODY {
                    continue;
                }
                let (vertex, holder) = ((cell / holders) as Vertex, cell % holders);
                let heads = graph.neighbours(vertex);
                states += 1;
                arcs += heads.len() as u64;
                for &head in heads {
                    if head == from {
                        continue;
                    }
                    let cell = head as usize * holders + holder;
                    let arrival = &mut next[if GOD { self.entered[cell] } else { cell }];
                    // Walks with one holder arrive from a vertex only once, but walks with two holders may have the
                    // same holder after the step.
                    let is_first = *arrival == NOBODY || GOD && *arrival == vertex;
                    *arrival = if is_first { vertex } else { SEVERAL };
                }
            }
        }
        std::mem::swap(&mut self.now, &mut self.next);
        *work = ArrivalsWork { states, arcs };
        true
    }
}

/// The work of the steps of a question.
#[derive(Debug, Clone, Copy, Default)]
struct ArrivalsWork {
    states: u64,
    arcs: u64,
}

/// The number of cells between two readings of the clock: they take one or two milliseconds.
const CELLS_PER_LOOK: usize = 1 << 16;

/// The steps between two comparisons of the state with that of two steps before.
const PART: usize = 32;

impl StartKernel for Arrivals<'_> {
    fn answer(&mut self, start: Vertex, mut sets: Sets, search: &mut Search) -> InTime {
        let question = &self.instance.question;
        let holders = question.holders();
        self.now.fill(NOBODY);
        self.now[start as usize * holders + question.holder().unwrap_or(0)] = SEVERAL;
        let mut ticker = search.deadline.ticker(1);
        let (mut done, mut work) = (0, ArrivalsWork::default());
        let (mut before, mut end) = (Vec::new(), question.steps);
        while done < end {
            let in_time = if holders > 1 {
                self.step::<true>(&mut ticker, &mut work)
            } else {
                self.step::<false>(&mut ticker, &mut work)
            };
            if !in_time {
                break;
            }
            done += 1;
            if done % PART == PART - 2 {
                before.clone_from(&self.now);
            } else if done % PART == 0 && !self.every_step && before == self.now {
                // From here on, two states alternate.
                end = done + (end - done) % 2;
            }
        }
        search.counters.add("states", work.states);
        search.counters.add("arcs", work.arcs);
        let cells = done * self.now.len();
        search.counters.add("cells", cells as u64);
        if done < end {
            return Err(TimeIsUp);
        }
        for (vertex, by_holder) in self.now.chunks_exact(holders).enumerate() {
            if by_holder.iter().any(|&from| from != NOBODY) {
                let elsewhere = by_holder[1..].iter().any(|&from| from != NOBODY);
                sets.add(vertex as Vertex, elsewhere);
            }
        }
        Ok(())
    }

    fn table_bytes(&self) -> u64 {
        (4 * (self.now.len() + self.next.len()) + 8 * self.entered.len()) as u64
    }
}
