//! `memo-flat`: the memoized search with flat arrays over arcs, which are kept between questions.
//!
//! The walks of one length are a list of (arc, holder) states, from which the next list is made. Each state has a
//! stamp, so that it enters a list only once and nothing has to be cleared.

use ikeru_core::{Search, Variant};

use super::{InTime, PerStart, Sets, StartKernel, TimeIsUp, begin};
use crate::Reach;
use crate::answer::Approximation;
use crate::graph::Vertex;
use crate::instance::{Instance, Question};

pub const VARIANT: Variant<Reach> = Variant {
    name: "memo-flat",
    about: "the memoized search with flat arrays over arcs, two lists of states and stamps",
    source: "Ikerukana, memoized breadth-first search (幅優先探索をメモ化)",
    exact: true,
    version: 1,
    settings: &[],
    prepare: |instance, _, deadline| {
        begin(instance, deadline)?;
        let kernel = MemoFlat::new(instance, Question::handed_over, Approximation::Exact);
        Ok(PerStart::new(instance, kernel))
    },
};

/// The search, with the handover rule as a parameter.
pub(super) struct MemoFlat<'a, R> {
    instance: &'a Instance,
    handed_over: R,
    god_free_is: Approximation,
    holders: usize,
    reverse: Vec<u32>,
    /// The number of the last list that each (arc, holder) entered.
    stamps: Vec<u32>,
    stamp: u32,
    now: Vec<FlatState>,
    next: Vec<FlatState>,
}

/// The last arc, and the holder of the god after it.
#[derive(Clone, Copy)]
struct FlatState {
    arc: u32,
    holder: u32,
}

/// The number of states between two readings of the clock: they take one or two milliseconds.
const STATES_PER_LOOK: usize = 1 << 16;

/// A handover rule: the holder of the god after a step into a vertex, from the holder before.
pub(super) trait Handover: Fn(&Question, Vertex, usize) -> usize + Send {}

impl<R: Fn(&Question, Vertex, usize) -> usize + Send> Handover for R {}

impl<'a, R: Handover> MemoFlat<'a, R> {
    pub(super) fn new(instance: &'a Instance, handed_over: R, god_free_is: Approximation) -> Self {
        let holders = instance.question.holders();
        let states = instance.graph.arc_count() * holders;
        Self {
            instance,
            handed_over,
            god_free_is,
            holders,
            reverse: instance.graph.reverse_arcs(),
            stamps: vec![0; states],
            stamp: 0,
            now: Vec::new(),
            next: Vec::new(),
        }
    }

    /// Adds the state after a step along `arc`, before which `holder` held the god.
    #[inline]
    fn walk(&mut self, arc: usize, holder: u32) {
        let holder = if self.holders > 1 {
            let head = self.instance.graph.head(arc);
            (self.handed_over)(&self.instance.question, head, holder as usize) as u32
        } else {
            holder
        };
        let stamp = &mut self.stamps[arc * self.holders + holder as usize];
        if *stamp != self.stamp {
            *stamp = self.stamp;
            self.next.push(FlatState {
                arc: arc as u32,
                holder,
            });
        }
    }

    fn begin_list(&mut self) {
        std::mem::swap(&mut self.now, &mut self.next);
        self.next.clear();
        self.stamp = self.stamp.checked_add(1).unwrap_or_else(|| {
            self.stamps.fill(0);
            1
        });
    }
}

impl<R: Handover> StartKernel for MemoFlat<'_, R> {
    fn answer(&mut self, start: Vertex, mut sets: Sets, search: &mut Search) -> InTime {
        let (graph, question) = (&*self.instance.graph, &self.instance.question);
        let holder = question.holder().unwrap_or(0) as u32;
        if question.steps == 0 {
            super::stand_still(question, start, sets);
            return Ok(());
        }
        let (mut states, mut arcs) = (0, 0);
        self.next.clear();
        self.begin_list();
        graph.arcs(start).for_each(|arc| self.walk(arc, holder));
        let mut late = false;
        'steps: for _ in 1..question.steps {
            self.begin_list();
            for first in (0..self.now.len()).step_by(STATES_PER_LOOK) {
                let last = (first + STATES_PER_LOOK).min(self.now.len());
                states += (last - first) as u64;
                for index in first..last {
                    let FlatState { arc, holder } = self.now[index];
                    let back = self.reverse[arc as usize] as usize;
                    let exits = graph.arcs(graph.head(arc as usize));
                    arcs += exits.len() as u64;
                    for exit in exits {
                        if exit != back {
                            self.walk(exit, holder);
                        }
                    }
                }
                if search.deadline.passed() {
                    late = true;
                    break 'steps;
                }
            }
        }
        states += self.next.len() as u64;
        search.counters.add("states", states);
        search.counters.add("arcs", arcs);
        if late {
            return Err(TimeIsUp);
        }
        for state in &self.next {
            let head = graph.head(state.arc as usize);
            sets.add(head, state.holder != 0);
        }
        Ok(())
    }

    fn god_free_is(&self) -> Approximation {
        self.god_free_is
    }

    fn table_bytes(&self) -> u64 {
        4 * (self.reverse.len() + self.stamps.len()) as u64
    }
}
