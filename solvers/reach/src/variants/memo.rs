//! `memo`: the article's memoized breadth-first search, reproduced faithfully as the baseline.
//!
//! It keeps the queue of (steps left, vertex, arrival direction, holder); a table of seen states with one `bool` for
//! each state, cleared for each question; a table of directions with one byte for each pair of vertices, rebuilt for
//! each question; and ordered sets as the answer.

use std::collections::{BTreeSet, VecDeque};

use ikeru_core::{Deadline, Search, Variant, skip};

use super::{InTime, PerStart, Sets, StartKernel, TimeIsUp, begin, refuse_degree_above};
use crate::Reach;
use crate::answer::insert;
use crate::graph::{Graph, Vertex};
use crate::instance::{Instance, MAX_PLAYERS};

pub const VARIANT: Variant<Reach> = Variant {
    name: "memo",
    about: "the article's program: a queue, a table of states seen, tables rebuilt per question",
    source: "Ikerukana, memoized breadth-first search (幅優先探索をメモ化)",
    exact: true,
    version: 2,
    settings: &[],
    prepare: |instance, _, deadline| {
        begin(instance, deadline)?;
        refuse_degree_above(instance, DIRECTIONS)?;
        let bytes = table_bytes(instance);
        if bytes > MOST_BYTES {
            skip!("its tables would take {bytes} bytes, at most {MOST_BYTES} are allowed");
        }
        Ok(PerStart::new(instance, Memo { instance }))
    },
};

const DIRECTIONS: usize = 4;

/// The direction of arrival at the start, which has none.
const NO_DIRECTION: i32 = 999;

/// The entry of pairs of vertices that are not neighbours; it differs from [`NO_DIRECTION`].
const NO_NEIGHBOUR: u8 = 99;

const MOST_BYTES: u128 = 1 << 30;

fn table_bytes(instance: &Instance) -> u128 {
    let vertices = instance.graph.vertices() as u128;
    let layers = instance.question.steps as u128 + 1;
    let holders = if instance.question.holder().is_some() {
        MAX_PLAYERS
    } else {
        1
    };
    vertices * vertices + layers * vertices * (DIRECTIONS * holders) as u128
}

struct Memo<'a> {
    instance: &'a Instance,
}

/// The article's state: four numbers of 32 bits.
#[derive(Clone, Copy)]
struct MemoState {
    left: i32,
    vertex: i32,
    direction: i32,
    holder: i32,
}

impl StartKernel for Memo<'_> {
    fn answer(&mut self, start: Vertex, sets: Sets, search: &mut Search) -> InTime {
        let (all, elsewhere) = if sets.god_free.is_some() {
            self.search::<MAX_PLAYERS>(start, search)?
        } else {
            self.search::<1>(start, search)?
        };
        all.iter()
            .for_each(|&vertex| insert(sets.reachable, vertex));
        if let Some(row) = sets.god_free {
            elsewhere.iter().for_each(|&vertex| insert(row, vertex));
        }
        Ok(())
    }

    /// The tables that each question fills; none is kept between questions.
    fn table_bytes(&self) -> u64 {
        u64::try_from(table_bytes(self.instance)).unwrap_or(u64::MAX)
    }
}

impl Memo<'_> {
    /// The reachable vertices, and those with the god on another player. The article has two programs, without and
    /// with the god; here they are one with 1 and with 4 holders.
    fn search<const HOLDERS: usize>(
        &self,
        start: Vertex,
        search: &mut Search,
    ) -> Result<(BTreeSet<Vertex>, BTreeSet<Vertex>), TimeIsUp> {
        let (graph, question) = (&*self.instance.graph, &self.instance.question);
        let mut ticker = search.deadline.ticker(4096);
        let (mut states, mut arcs, mut late) = (0, 0, false);
        let (mut reached, mut god_free) = (BTreeSet::new(), BTreeSet::new());
        let directions = direction_table(graph, search.deadline)?;
        let marks = (question.steps + 1) * graph.vertices();
        let mut seen = vec![[[false; HOLDERS]; DIRECTIONS]; marks];
        let mut queue = VecDeque::new();
        queue.push_back(MemoState {
            left: question.steps as i32,
            vertex: start as i32,
            direction: NO_DIRECTION,
            holder: question.holder().unwrap_or(0) as i32,
        });
        while let Some(state) = queue.pop_front() {
            if ticker.passed() {
                late = true;
                break;
            }
            states += 1;
            let vertex = state.vertex as usize;
            if state.left <= 0 {
                reached.insert(vertex as Vertex);
                if HOLDERS > 1 && state.holder != 0 {
                    god_free.insert(vertex as Vertex);
                }
                continue;
            }
            for &head in graph.neighbours(vertex as Vertex) {
                arcs += 1;
                if i32::from(directions[vertex][head as usize]) == state.direction {
                    continue;
                }
                let holder = if HOLDERS > 1 {
                    handed_over(head, state.holder, &question.others)
                } else {
                    0
                };
                let direction = directions[head as usize][vertex];
                let left = state.left - 1;
                let layer = left as usize * graph.vertices();
                let marks = &mut seen[layer + head as usize][direction as usize];
                let mark = &mut marks[holder as usize];
                if !*mark {
                    *mark = true;
                    queue.push_back(MemoState {
                        left,
                        vertex: head as i32,
                        direction: i32::from(direction),
                        holder,
                    });
                }
            }
        }
        search.counters.add("states", states);
        search.counters.add("arcs", arcs);
        let pairs = graph.vertices() * graph.vertices();
        search.counters.add("pairs", pairs as u64);
        let cells = marks * DIRECTIONS * HOLDERS;
        search.counters.add("cells", cells as u64);
        if late {
            return Err(TimeIsUp);
        }
        Ok((reached, god_free))
    }
}

/// The holder of the god after a step into `head`, computed as in the article from a list of the players there.
fn handed_over(head: Vertex, holder: i32, others: &[Vertex]) -> i32 {
    let present = players_on(head, others);
    if present.contains(&holder) {
        0
    } else if holder == 0 {
        present.first().copied().unwrap_or(0)
    } else {
        holder
    }
}

/// For every pair of vertices, the index of the second among the neighbours of the first.
fn direction_table(graph: &Graph, deadline: Deadline) -> Result<Vec<Vec<u8>>, TimeIsUp> {
    let mut ticker = deadline.ticker(64);
    let mut table = Vec::with_capacity(graph.vertices());
    for vertex in graph.all() {
        if ticker.passed() {
            return Err(TimeIsUp);
        }
        let mut row = vec![NO_NEIGHBOUR; graph.vertices()];
        for (direction, &head) in graph.neighbours(vertex).iter().enumerate() {
            row[head as usize] = direction as u8;
        }
        table.push(row);
    }
    Ok(table)
}

/// The players on `vertex`, without player 0.
fn players_on(vertex: Vertex, others: &[Vertex]) -> Vec<i32> {
    let mut players = Vec::new();
    for (index, &other) in others.iter().enumerate() {
        if other == vertex {
            players.push(index as i32 + 1);
        }
    }
    players
}
