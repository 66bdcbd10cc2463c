//! `count`: dynamic programming over arcs with exact multi-word numbers.

use ikeru_core::{Attempt, Search, Variant, skip};

use super::natural::{Natural, add};
use super::{SOURCE, words_needed};
use crate::Routes;
use crate::instance::Instance;

pub const VARIANT: Variant<Routes> = Variant {
    name: "count",
    about: "adds up the routes by their last edge, one number of steps after another",
    source: SOURCE,
    exact: true,
    version: 1,
    settings: &[],
    prepare: |instance, _, deadline| {
        deadline.check()?;
        let bytes = 16 * instance.graph.arc_count() as u128 * words_needed(instance) as u128;
        if bytes > MOST_BYTES {
            skip!(
                "exact numbers of routes for every arc take {bytes} bytes, at most {MOST_BYTES} are allowed"
            );
        }
        let reverse = instance.graph.reverse_arcs();
        Ok(Box::new(move |search: &mut Search| {
            count(instance, &reverse, search)
        }))
    },
};

const MOST_BYTES: u128 = 1 << 30;

fn count(instance: &Instance, reverse: &[u32], search: &mut Search) -> Attempt<Natural> {
    let (graph, steps) = (&*instance.graph, instance.question.steps);
    if steps == 0 {
        return Attempt::proven(Natural::from(1));
    }
    let width = words_needed(instance);
    let at = |arc: usize| arc * width..(arc + 1) * width;
    // The number of routes so far by their last arc.
    let mut now = vec![0; graph.arc_count() * width];
    // Zeroed memory from the system costs nothing until it is written.
    let mut next = vec![0; now.len()];
    graph
        .arcs(instance.start(0))
        .for_each(|arc| now[arc * width] = 1);
    let mut arrived = vec![0; width];
    let mut additions = 0;
    // A vertex costs about nine additions of numbers of this width.
    let mut ticker = search.deadline.ticker((1 + 100_000 / width) as u32);
    for _ in 1..steps {
        for vertex in graph.all() {
            if ticker.passed() {
                search.counters.add("additions", additions);
                return Attempt::nothing();
            }
            additions += 2 * graph.degree(vertex) as u64;
            arrived.fill(0);
            for arc in graph.arcs(vertex) {
                add(&mut arrived, &now[at(reverse[arc] as usize)]);
            }
            // Through each exit leave all routes except those that arrived through it.
            for arc in graph.arcs(vertex) {
                let leaving = &mut next[at(arc)];
                leaving.copy_from_slice(&arrived);
                super::natural::subtract_multiple(leaving, 1, &now[at(reverse[arc] as usize)]);
            }
        }
        std::mem::swap(&mut now, &mut next);
    }
    arrived.fill(0);
    now.chunks_exact(width)
        .for_each(|routes| add(&mut arrived, routes));
    search
        .counters
        .add("additions", additions + graph.arc_count() as u64);
    Attempt::proven(Natural::from_words(&arrived))
}
