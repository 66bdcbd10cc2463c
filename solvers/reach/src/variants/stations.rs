//! `stations`: the first attempt of the Ikemasuyo article, which stores the reached stations without the direction of
//! arrival. It makes U-turns, so it is exact for questions that allow them. The holders of the god are four bits for
//! each station.

use ikeru_core::{Search, Variant, skip};

use super::{InTime, PerStart, Sets, StartKernel, TimeIsUp, begin_with_uturns};
use crate::Reach;
use crate::graph::Vertex;
use crate::instance::{Instance, Question};

pub const VARIANT: Variant<Reach> = Variant {
    name: "stations",
    about: "the first attempt, which turns back: the stations reached, step by step, without the directions of arrival",
    source: "Ikemasuyo, step 2 (「2」で移動できる駅を求める)",
    exact: true,
    version: 1,
    settings: &[],
    prepare: |instance, _, deadline| {
        begin_with_uturns(instance, deadline)?;
        if !instance.question.uturns {
            skip!("steps straight back: takes questions with uturns=true");
        }
        let vertices = instance.graph.vertices();
        let kernel = Stations {
            instance,
            now: Layer::empty(vertices),
            next: Layer::empty(vertices),
        };
        Ok(PerStart::new(instance, kernel))
    },
};

struct Stations<'a> {
    instance: &'a Instance,
    now: Layer,
    next: Layer,
}

/// The stations reached in one number of steps.
struct Layer {
    /// For each vertex, the possible holders after a walk to it, one bit each.
    holders: Vec<u8>,
    /// The vertices with at least one holder.
    reached: Vec<Vertex>,
}

impl Layer {
    fn empty(vertices: usize) -> Self {
        Self {
            holders: vec![0; vertices],
            reached: Vec::new(),
        }
    }

    fn add(&mut self, vertex: Vertex, holders: u8) {
        let there = &mut self.holders[vertex as usize];
        if *there == 0 {
            self.reached.push(vertex);
        }
        *there |= holders;
    }

    fn clear(&mut self) {
        for vertex in self.reached.drain(..) {
            self.holders[vertex as usize] = 0;
        }
    }
}

impl StartKernel for Stations<'_> {
    fn answer(&mut self, start: Vertex, mut sets: Sets, search: &mut Search) -> InTime {
        let question = &self.instance.question;
        let mut ticker = search.deadline.ticker(4096);
        let (mut states, mut arcs, mut late) = (1, 0, false);
        self.now.clear();
        self.now.add(start, 1 << question.holder().unwrap_or(0));
        'steps: for _ in 0..question.steps {
            self.next.clear();
            for &vertex in &self.now.reached {
                if ticker.passed() {
                    late = true;
                    break 'steps;
                }
                let holders = self.now.holders[vertex as usize];
                for &head in self.instance.graph.neighbours(vertex) {
                    arcs += 1;
                    self.next.add(head, handed_over(question, head, holders));
                }
            }
            states += self.next.reached.len() as u64;
            std::mem::swap(&mut self.now, &mut self.next);
        }
        search.counters.add("states", states);
        search.counters.add("arcs", arcs);
        if late {
            return Err(TimeIsUp);
        }
        for &vertex in &self.now.reached {
            sets.add(vertex, self.now.holders[vertex as usize] & !1 != 0);
        }
        Ok(())
    }

    fn table_bytes(&self) -> u64 {
        (self.now.holders.len() + self.next.holders.len()) as u64
    }
}

/// The holders after a step into `vertex`, one bit each.
fn handed_over(question: &Question, vertex: Vertex, holders: u8) -> u8 {
    if question.holder().is_none() {
        return holders;
    }
    let before = (0..question.holders()).filter(|holder| holders >> holder & 1 == 1);
    before.fold(0, |after, holder| {
        after | 1 << question.handed_over(vertex, holder)
    })
}
