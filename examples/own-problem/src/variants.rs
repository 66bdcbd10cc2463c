//! Two solvers: greedy in the order of the vertices, and branch and bound on the most restricted vertex (DSATUR).

use std::collections::BTreeSet;

use ikeru_core::{Attempt, OURS, Search, Ticker, Variant};

use crate::{Colouring, Graph, count};

pub const GREEDY: Variant<Colouring> = Variant {
    name: "greedy",
    about: "each vertex in turn gets the first colour that no neighbour has",
    source: OURS,
    exact: false,
    version: 1,
    settings: &[],
    prepare: |graph, _, _| {
        Ok(Box::new(|search: &mut Search| {
            let mut colours = vec![0; graph.neighbours.len()];
            for vertex in 0..colours.len() {
                let taken = taken(graph, &colours, vertex);
                colours[vertex] = (1..).find(|colour| !taken.contains(colour)).unwrap_or(0);
            }
            search.counters.add("nodes", colours.len() as u64);
            Attempt::unproven(colours)
        }))
    },
};

pub const DSATUR: Variant<Colouring> = Variant {
    name: "dsatur",
    about: "branch and bound: the vertex whose neighbours have the most colours is coloured next",
    source: "Brélaz, 1979: New methods to color the vertices of a graph",
    exact: true,
    version: 1,
    settings: &[],
    prepare: |graph, _, _| {
        Ok(Box::new(|search: &mut Search| {
            let colours = vec![0; graph.neighbours.len()];
            let ticker = search.deadline.ticker(64);
            let mut run = Run { graph, colours, best: None, nodes: 0, ticker };
            let is_done = run.branch(0, search);
            search.counters.add("nodes", run.nodes);
            match run.best {
                Some(best) if is_done => Attempt::proven(best),
                best => Attempt::Timeout { best, bound: None },
            }
        }))
    },
};

/// The colours of the neighbours that are coloured (0 is no colour).
fn taken(graph: &Graph, colours: &[u32], vertex: usize) -> BTreeSet<u32> {
    let colours = graph.neighbours[vertex].iter().map(|&to| colours[to]);
    colours.filter(|&colour| colour != 0).collect()
}

struct Run<'a> {
    graph: &'a Graph,
    colours: Vec<u32>,
    best: Option<Vec<u32>>,
    nodes: u64,
    ticker: Ticker<'a>,
}

impl Run<'_> {
    /// Colours the remaining vertices, with `used` colours in use; returns false if the time is over.
    fn branch(&mut self, used: u32, search: &Search) -> bool {
        let (graph, colours) = (self.graph, &self.colours);
        self.nodes += 1;
        let open = (0..colours.len()).filter(|&vertex| colours[vertex] == 0);
        let open = open.map(|vertex| (taken(graph, colours, vertex), vertex));
        let Some((taken, vertex)) = open.max_by_key(|(taken, _)| taken.len()) else {
            search.incumbent.improve(i64::from(used));
            self.best = Some(colours.clone());
            return true;
        };
        for colour in (1..=used + 1).filter(|colour| !taken.contains(colour)) {
            let best = self.best.as_deref().map_or(u32::MAX, count);
            if self.ticker.passed() {
                return false;
            }
            if used.max(colour) < best {
                self.colours[vertex] = colour;
                let is_done = self.branch(used.max(colour), search);
                self.colours[vertex] = 0;
                if !is_done {
                    return false;
                }
            }
        }
        true
    }
}
