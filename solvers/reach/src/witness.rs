//! The witness: reconstructs routes on demand, for one vertex or for every reached vertex.
//!
//! It keeps, for every number of steps, the arcs by which a walk can have arrived and the possible holders after
//! them; a route is read backwards from these. An answer does not store them.

use ikeru_core::Deadline;

use crate::graph::{Graph, Vertex};
use crate::instance::Instance;

/// The possible last arcs of walks of some number of steps, with the holders of the god after them, one bit for each
/// holder.
struct LastArcs {
    /// The possible arcs in rising order.
    reached: Vec<(u32, u8)>,
    /// The holders after every arc, if this is no longer than `reached`. With it, 378 checked samples took 1.9 CPU s in
    /// place of 2.7 to 3.4.
    all: Option<Vec<u8>>,
}

/// All walks from one start, step by step.
pub struct Witness<'a> {
    instance: &'a Instance,
    start: Vertex,
    reverse: Vec<u32>,
    tails: Vec<Vertex>,
    layers: Vec<LastArcs>,
}

impl<'a> Witness<'a> {
    /// The walks from the start of answer row `row`; `None` if more than `limit` entries would be kept or the
    /// deadline passes first.
    pub fn new(
        instance: &'a Instance,
        row: usize,
        limit: usize,
        deadline: Deadline,
    ) -> Option<Self> {
        let graph = &instance.graph;
        let mut witness = Self {
            instance,
            start: instance.start(row),
            reverse: graph.reverse_arcs(),
            tails: tails(graph),
            layers: Vec::new(),
        };
        let mut kept = 0;
        let mut marks = vec![0_u8; graph.arc_count()];
        for step in 0..instance.question.steps {
            let layer = witness.step(step, &mut marks);
            kept += layer.reached.len();
            if kept > limit || deadline.passed() {
                return None;
            }
            // The next step no longer needs the list of a layer that has all holders.
            if let Some(before) = witness.layers.last_mut().filter(|it| it.all.is_some()) {
                before.reached = Vec::new();
            }
            witness.layers.push(layer);
        }
        Some(witness)
    }

    fn step(&self, step: usize, marks: &mut [u8]) -> LastArcs {
        let (graph, question) = (&self.instance.graph, &self.instance.question);
        let mut reached: Vec<u32> = Vec::new();
        let mut walk = |arc: usize, holders: u8| {
            let mut after = 0;
            for holder in 0..question.holders() {
                if holders >> holder & 1 == 1 {
                    after |= 1 << self.after(graph.head(arc), holder);
                }
            }
            if marks[arc] == 0 {
                reached.push(arc as u32);
            }
            marks[arc] |= after;
        };
        if step == 0 {
            let holder = question.holder().unwrap_or(0);
            graph
                .arcs(self.start)
                .for_each(|arc| walk(arc, 1 << holder));
        } else {
            for &(arc, holders) in &self.layers[step - 1].reached {
                let back = self.reverse[arc as usize] as usize;
                let exits = graph.arcs(graph.head(arc as usize));
                exits
                    .filter(|&exit| question.uturns || exit != back)
                    .for_each(|exit| walk(exit, holders));
            }
        }
        reached.sort_unstable();
        let is_dense = size_of::<(u32, u8)>() * reached.len() >= marks.len();
        let all = is_dense.then(|| marks.to_vec());
        let with_holders = |arc| (arc, std::mem::take(&mut marks[arc as usize]));
        let reached = reached.into_iter().map(with_holders).collect();
        LastArcs { reached, all }
    }

    fn after(&self, vertex: Vertex, holder: usize) -> usize {
        match self.instance.question.holder() {
            Some(_) => self.instance.question.handed_over(vertex, holder),
            None => holder,
        }
    }

    /// A route to `target`, start first; with `god_free`, a route that ends with the god on another player.
    pub fn route(&self, target: Vertex, god_free: bool) -> Option<Vec<Vertex>> {
        let question = &self.instance.question;
        let Some(last) = question.steps.checked_sub(1) else {
            let ends_well = !god_free || question.holder() != Some(0);
            return (target == self.start && ends_well).then(|| vec![target]);
        };
        let graph = &self.instance.graph;
        let god_counts = question.holder().is_some();
        let wanted = if god_free && god_counts { !1 } else { !0 };
        let mut arrivals = graph.arcs(target).map(|arc| self.reverse[arc]);
        let (mut arc, holders) = arrivals.find_map(|arc| {
            let holders = self.holders(last, arc) & wanted;
            (holders != 0).then_some((arc, holders))
        })?;
        let mut holder = holders.trailing_zeros() as usize;
        let mut route = vec![target];
        for step in (0..last).rev() {
            let tail = self.tails[arc as usize];
            route.push(tail);
            let here = graph.head(arc as usize);
            // Find an arrival at the tail whose holder becomes `holder`; it comes from `here` only if U-turns are
            // allowed.
            let before = graph.arcs(tail).map(|exit| self.reverse[exit]);
            let turns = |before: u32| self.reverse[before as usize] == arc;
            let mut before = before.filter(|&before| question.uturns || !turns(before));
            (arc, holder) = before.find_map(|before| {
                let holders = self.holders(step, before);
                let fits = |&h: &usize| holders >> h & 1 == 1 && self.after(here, h) == holder;
                (0..question.holders()).find(fits).map(|h| (before, h))
            })?;
        }
        route.push(self.start);
        route.reverse();
        Some(route)
    }

    fn holders(&self, step: usize, arc: u32) -> u8 {
        let LastArcs { reached, all } = &self.layers[step];
        if let Some(all) = all {
            return all[arc as usize];
        }
        let found = reached.binary_search_by_key(&arc, |&(arc, _)| arc);
        found.map_or(0, |index| reached[index].1)
    }
}

/// For every arc, the vertex that it leaves.
fn tails(graph: &Graph) -> Vec<Vertex> {
    let mut tails = Vec::with_capacity(graph.arc_count());
    for vertex in graph.all() {
        tails.extend(std::iter::repeat_n(vertex, graph.degree(vertex)));
    }
    tails
}
