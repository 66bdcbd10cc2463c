//! `brute`: the article's queue without memoization, which follows every walk.

use std::collections::VecDeque;

use ikeru_core::{Search, Variant};

use super::{InTime, PerStart, Sets, StartKernel, TimeIsUp, begin_with_uturns};
use crate::Reach;
use crate::graph::Vertex;
use crate::instance::Instance;

pub const VARIANT: Variant<Reach> = Variant {
    name: "brute",
    about: "a queue of walks, each continued in every way: time grows with the number of routes",
    source: "Ikerukana, naive breadth-first search (愚直な幅優先探索)",
    exact: true,
    version: 1,
    settings: &[],
    prepare: |instance, _, deadline| {
        begin_with_uturns(instance, deadline)?;
        Ok(PerStart::new(
            instance,
            Brute {
                instance,
                queue: VecDeque::new(),
            },
        ))
    },
};

/// The longest queue (64 MiB). The newest walks of a queue of this length are continued first until it is shorter;
/// the walks are the same, only their order changes.
const LONGEST_QUEUE: usize = 1 << 22;

struct Brute<'a> {
    instance: &'a Instance,
    queue: VecDeque<Walk>,
}

/// The state of a walk.
#[derive(Clone, Copy)]
struct Walk {
    left: u32,
    vertex: Vertex,
    came_from: Vertex,
    holder: u32,
}

impl StartKernel for Brute<'_> {
    fn answer(&mut self, start: Vertex, mut sets: Sets, search: &mut Search) -> InTime {
        let question = &self.instance.question;
        let god_counts = question.holder().is_some();
        let mut ticker = search.deadline.ticker(4096);
        let (mut states, mut arcs) = (0, 0);
        self.queue.clear();
        self.queue.push_back(Walk {
            left: question.steps as u32,
            vertex: start,
            came_from: Vertex::MAX,
            holder: question.holder().unwrap_or(0) as u32,
        });
        let outcome = loop {
            let next = if self.queue.len() < LONGEST_QUEUE {
                self.queue.pop_front()
            } else {
                self.queue.pop_back()
            };
            let Some(walk) = next else { break Ok(()) };
            if ticker.passed() {
                break Err(TimeIsUp);
            }
            states += 1;
            if walk.left == 0 {
                sets.add(walk.vertex, walk.holder != 0);
                continue;
            }
            for &head in self.instance.graph.neighbours(walk.vertex) {
                arcs += 1;
                if head == walk.came_from {
                    continue;
                }
                let holder = if god_counts {
                    question.handed_over(head, walk.holder as usize) as u32
                } else {
                    0
                };
                self.queue.push_back(Walk {
                    left: walk.left - 1,
                    vertex: head,
                    came_from: if question.uturns {
                        Vertex::MAX
                    } else {
                        walk.vertex
                    },
                    holder,
                });
            }
        };
        search.counters.add("states", states);
        search.counters.add("arcs", arcs);
        outcome
    }
}
