//! Two solvers: greedy in the order of the vertices, and branch and bound on the most restricted vertex (DSATUR).

use ikeru_core::{Attempt, Search, Source, Ticker, Variant};

use crate::{Colouring, Graph};

pub const GREEDY: Variant<Colouring> = Variant {
    name: "greedy",
    about: "each vertex in turn gets the first colour that no neighbour has",
    source: Source::Ours,
    exact: false,
    version: 1,
    settings: &[],
    prepare: |graph, _, _| {
        Ok(Box::new(|search: &mut Search| {
            let mut colours = vec![0; graph.neighbours.len()];
            for vertex in 0..colours.len() {
                colours[vertex] = free(graph, &colours, vertex, u32::MAX).next().unwrap_or(0);
                search.counters.add("nodes", 1);
            }
            Attempt::unproven(colours)
        }))
    },
};

pub const DSATUR: Variant<Colouring> = Variant {
    name: "dsatur",
    about: "branch and bound: the vertex whose neighbours have the most colours is coloured next",
    source: Source::Paper("Brélaz, 1979: New methods to color the vertices of a graph"),
    exact: true,
    version: 1,
    settings: &[],
    prepare: |graph, _, _| {
        Ok(Box::new(|search: &mut Search| {
            let mut run = Run {
                graph,
                colours: vec![0; graph.neighbours.len()],
                best: None,
                nodes: 0,
                ticker: search.deadline.ticker(64),
                late: false,
            };
            run.branch(0, search);
            search.counters.add("nodes", run.nodes);
            match run.best {
                Some(best) if !run.late => Attempt::proven(best),
                best => Attempt::Timeout { best, bound: None },
            }
        }))
    },
};

/// The colours from 1 that no neighbour of `vertex` has, up to `most`.
fn free<'a>(
    graph: &'a Graph,
    colours: &'a [u32],
    vertex: usize,
    most: u32,
) -> impl Iterator<Item = u32> + 'a {
    let taken = move |colour: u32| {
        graph.neighbours[vertex]
            .iter()
            .any(|&to| colours[to] == colour)
    };
    (1..=most).filter(move |&colour| !taken(colour))
}

struct Run<'a> {
    graph: &'a Graph,
    /// 0: not yet coloured.
    colours: Vec<u32>,
    best: Option<Vec<u32>>,
    nodes: u64,
    ticker: Ticker<'a>,
    late: bool,
}

impl Run<'_> {
    /// Colours the rest, of which the vertices so far have `used` colours.
    fn branch(&mut self, used: u32, search: &Search) {
        self.late |= self.ticker.passed();
        let most = self
            .best
            .as_ref()
            .map_or(u32::MAX, |best| crate::count(best) - 1);
        if self.late || used > most {
            return;
        }
        self.nodes += 1;
        let open = (0..self.colours.len()).filter(|&vertex| self.colours[vertex] == 0);
        let Some(vertex) = open.max_by_key(|&vertex| self.saturation(vertex)) else {
            search.incumbent.improve(i64::from(used));
            self.best = Some(self.colours.clone());
            return;
        };
        let last = most.min(used + 1);
        for colour in free(self.graph, &self.colours.clone(), vertex, last) {
            self.colours[vertex] = colour;
            self.branch(used.max(colour), search);
        }
        self.colours[vertex] = 0;
    }

    /// How many colours the neighbours have, then how many neighbours there are.
    fn saturation(&self, vertex: usize) -> (usize, usize) {
        let neighbours = &self.graph.neighbours[vertex];
        let mut colours: Vec<u32> = neighbours.iter().map(|&to| self.colours[to]).collect();
        colours.retain(|&colour| colour != 0);
        colours.sort_unstable();
        colours.dedup();
        (colours.len(), neighbours.len())
    }
}
