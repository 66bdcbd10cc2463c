//! Counts the walks to each vertex by the recurrence of the [referee](crate::referee).

use ikeru_core::{Deadline, Ticker};

use crate::graph::Vertex;
use crate::instance::{Instance, MAX_PLAYERS};

/// The Mersenne prime 2⁶¹ − 1.
const PRIME: u64 = (1 << 61) - 1;

/// One count for each holder.
pub type Counts = [u64; MAX_PLAYERS];

/// The number of walks from `start` to every vertex, by holder, modulo [`PRIME`]; `None` if the deadline passes
/// first.
pub fn count_walks(instance: &Instance, start: Vertex, deadline: Deadline) -> Option<Vec<Counts>> {
    let question = &instance.question;
    let mut recurrence = Recurrence::new(instance);
    if recurrence.blocked[start as usize] {
        return Some(recurrence.now);
    }
    recurrence.now[start as usize][question.holder().unwrap_or(0)] = 1;
    let mut ticker = deadline.ticker(1 << 14);
    for step in 0..question.steps {
        recurrence.step(step, &mut ticker)?;
    }
    Some(recurrence.now)
}

/// The state of the recurrence that the [referee](crate::referee) describes.
struct Recurrence<'a> {
    instance: &'a Instance,
    holders: usize,
    blocked: Vec<bool>,
    /// For each vertex, the number of neighbours that are neither blocked nor occupied.
    free: Vec<u64>,
    /// n_k and n_{k−1}.
    now: Vec<Counts>,
    before: Vec<Counts>,
    /// The arcs into and out of occupied vertices.
    tracked: Vec<Tracked>,
}

/// One direction of an edge at an occupied vertex.
struct Tracked {
    tail: Vertex,
    head: Vertex,
    /// The index of the other direction in the list.
    back: usize,
    /// W_k and W_{k−1}.
    now: Counts,
    before: Counts,
}

impl<'a> Recurrence<'a> {
    fn new(instance: &'a Instance) -> Self {
        let (graph, question) = (&instance.map.graph, &instance.question);
        let mut blocked = vec![false; graph.vertices()];
        for &vertex in &question.blocked {
            blocked[vertex as usize] = true;
        }
        let occupied =
            |vertex: Vertex| question.holder().is_some() && question.others.contains(&vertex);
        let open = |vertex: Vertex| !blocked[vertex as usize];
        let mut free = vec![0; graph.vertices()];
        let mut tracked = Vec::new();
        for tail in graph.all().filter(|&tail| open(tail)) {
            for &head in graph.neighbours(tail).iter().filter(|&&head| open(head)) {
                free[tail as usize] += u64::from(!occupied(head));
                let tracks = !question.uturns && (occupied(tail) || occupied(head));
                if tail < head && tracks {
                    let index = tracked.len();
                    for (tail, head, back) in [(tail, head, index + 1), (head, tail, index)] {
                        let (now, before) = Default::default();
                        tracked.push(Tracked {
                            tail,
                            head,
                            back,
                            now,
                            before,
                        });
                    }
                }
            }
        }
        Self {
            instance,
            holders: question.holders(),
            blocked,
            free,
            now: vec![[0; MAX_PLAYERS]; graph.vertices()],
            before: vec![[0; MAX_PLAYERS]; graph.vertices()],
            tracked,
        }
    }

    /// Advances from k = `step` to k + 1; `None` if the deadline passes first.
    #[expect(
        clippy::needless_range_loop,
        reason = "holders index several arrays at once"
    )]
    fn step(&mut self, step: usize, ticker: &mut Ticker) -> Option<()> {
        let graph = &self.instance.map.graph;
        let mut next = vec![[0; MAX_PLAYERS]; graph.vertices()];
        for vertex in graph.all() {
            if ticker.passed() {
                return None;
            }
            let index = vertex as usize;
            if self.blocked[index] {
                continue;
            }
            for holder in 0..self.holders {
                let neighbours = graph.neighbours(vertex).iter();
                let arriving: u128 = neighbours
                    .map(|&other| u128::from(self.now[other as usize][holder]))
                    .sum();
                let before = u128::from(self.before[index][holder]);
                let free = u128::from(self.free[index]);
                // For k = 0 there are no earlier walks (`before` is 0); for k = 1 the first step had all exits.
                let back = if self.instance.question.uturns {
                    0
                } else if step >= 2 {
                    free * before + u128::from(PRIME) - before
                } else {
                    free * before
                };
                next[index][holder] = difference(arriving, back);
            }
        }
        for arc in &self.tracked {
            for holder in 0..self.holders {
                if self.is_occupied(arc.head) {
                    subtract(&mut next[arc.tail as usize][holder], arc.now[holder]);
                }
                if self.is_occupied(arc.tail) {
                    subtract(&mut next[arc.head as usize][holder], arc.before[holder]);
                }
            }
        }
        let mut moved = Vec::with_capacity(self.tracked.len());
        for arc in &self.tracked {
            let mut counts = self.now[arc.tail as usize];
            for (count, back) in counts.iter_mut().zip(self.tracked[arc.back].now) {
                subtract(count, back);
            }
            moved.push(self.entered(arc.head, counts));
        }
        for (arc, moved) in self.tracked.iter_mut().zip(moved) {
            arc.before = std::mem::replace(&mut arc.now, moved);
        }
        if self.instance.question.holder().is_some() {
            let mut others = self.instance.question.others.clone();
            others.sort_unstable();
            others.dedup();
            for other in others {
                next[other as usize] = self.entered(other, next[other as usize]);
            }
        }
        self.before = std::mem::replace(&mut self.now, next);
        Some(())
    }

    fn is_occupied(&self, vertex: Vertex) -> bool {
        self.instance.question.others.contains(&vertex)
    }

    /// The counts by holder after a step into `vertex`.
    fn entered(&self, vertex: Vertex, counts: Counts) -> Counts {
        let mut after = Counts::default();
        for holder in 0..self.holders {
            let others = &self.instance.question.others;
            let place = &mut after[entered(others, vertex, holder)];
            *place = (*place + counts[holder]) % PRIME;
        }
        after
    }
}

fn difference(minuend: u128, subtrahend: u128) -> u64 {
    let difference = residue(minuend) + PRIME - residue(subtrahend);
    residue(u128::from(difference))
}

/// The residue modulo [`PRIME`]. Since 2⁶¹ leaves 1, the bits above the lowest 61 are added to these. A division of 128
/// bits took a fifth of the check.
fn residue(value: u128) -> u64 {
    let prime = u128::from(PRIME);
    let folded = |value: u128| (value & prime) + (value >> 61);
    let below_twice = folded(folded(value)) as u64;
    below_twice.checked_sub(PRIME).unwrap_or(below_twice)
}

fn subtract(count: &mut u64, amount: u64) {
    *count = difference(u128::from(*count), u128::from(amount));
}

/// The holder after a step into `vertex`, if players 1, 2, … are on `others`.
pub fn entered(others: &[Vertex], vertex: Vertex, holder: usize) -> usize {
    if holder > 0 && others[holder - 1] == vertex {
        return 0;
    }
    if holder == 0 {
        let met = others.iter().position(|&other| other == vertex);
        return met.map_or(0, |index| index + 1);
    }
    holder
}
