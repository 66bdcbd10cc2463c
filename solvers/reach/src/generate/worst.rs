//! `reach.worst`: a planar map of degree 4 on which a search that remembers states has many of them.
//!
//! The search begins with a tree from the start, each station with three more below it, and lines between its outer stations until none
//! fits without a crossing. Then it takes lines away and fills the map again, and keeps what has no fewer states. Planarity is kept by the
//! order of the lines around each station: a new line joins two stations of one face.

use ikeru_core::{Generator, Random, settings};

use super::{PLAYERS, populated};
use crate::Reach;
use crate::graph::{Graph, Vertex};

pub const GENERATOR: Generator<Reach> = Generator {
    name: "reach.worst",
    about: "a planar map of degree 4 with as many states as a search for one found",
    parameters: settings![VERTICES STEPS TRIES PLAYERS],
    generate: |settings, random| {
        let (vertices, steps) = (settings.get(&VERTICES)?, settings.get(&STEPS)?);
        let map = searched(vertices, steps, settings.get(&TRIES)?, random);
        let heads = (0..).zip(&map.around);
        let edges = heads.flat_map(|(from, around)| {
            let below = around.iter().filter(move |to| from < **to);
            below.map(move |to| (from, *to))
        });
        let graph = Graph::from_edges(vertices, &edges.collect::<Vec<_>>());
        populated(graph, 0, settings, random)
    },
};

settings! {
    VERTICES: usize = "vertices", 900, 2..=2000, "stations in all";
    STEPS: usize = "for_steps", 48, 1..=100, "the steps of the question whose states are counted";
    TRIES: usize = "tries", 400, 0..=4000, "maps that are tried";
}

/// The most lines at a station.
const DEGREE: usize = 4;
/// The lines that a try takes away, at most.
const LESS: usize = 4;
/// The map counts as full after so many new lines in a row that do not fit.
const FULL: usize = 40;

/// A planar map: the neighbours of each station, in their order around it.
#[derive(Clone)]
struct PlanarMap {
    around: Vec<Vec<Vertex>>,
}

fn searched(vertices: usize, steps: usize, tries: usize, random: &mut Random) -> PlanarMap {
    let mut best = PlanarMap::tree(vertices);
    best.fill(50 * FULL, random);
    let mut most = best.states(steps);
    for _ in 0..tries {
        let mut next = best.clone();
        for _ in 0..=random.index(LESS) {
            next.remove(random);
        }
        next.fill(FULL, random);
        let states = next.states(steps);
        if states >= most {
            (best, most) = (next, states);
        }
    }
    best
}

impl PlanarMap {
    fn tree(vertices: usize) -> Self {
        let mut around = vec![Vec::new(); vertices];
        let mut last = 1;
        for from in 0..vertices {
            let below = last..vertices.min(last + DEGREE - around[from].len());
            last = below.end;
            for to in below {
                around[from].push(to as Vertex);
                around[to].push(from as Vertex);
            }
        }
        Self { around }
    }

    /// Adds random lines until `failures` in a row do not fit.
    fn fill(&mut self, failures: usize, random: &mut Random) {
        let mut failed = 0;
        while failed < failures {
            failed = if self.add(random) { 0 } else { failed + 1 };
        }
    }

    /// Adds a line from a random station with a free place to a random one on the same face; returns whether there is one.
    fn add(&mut self, random: &mut Random) -> bool {
        let is_free = |around: &Vec<Vertex>| around.len() < DEGREE;
        let free = (0..self.around.len()).filter(|at| is_free(&self.around[*at]));
        let free: Vec<usize> = free.collect();
        if free.is_empty() {
            return false;
        }
        let from = free[random.index(free.len())];
        let corner = random.index(self.around[from].len());
        // Around the face that is left of the line from `last` to `at`.
        let first = (self.around[from][corner], from as Vertex);
        let (mut last, mut at) = first;
        let mut ends = Vec::new();
        loop {
            let around = &self.around[at as usize];
            let place = self.place(at, last);
            let joined = at as usize == from || self.around[from].contains(&at);
            if is_free(around) && !joined {
                ends.push((at, place));
            }
            (last, at) = (at, around[(place + 1) % around.len()]);
            if (last, at) == first {
                break;
            }
        }
        if ends.is_empty() {
            return false;
        }
        let (to, place) = ends[random.index(ends.len())];
        self.around[to as usize].insert(place + 1, from as Vertex);
        self.around[from].insert(corner + 1, to);
        true
    }

    /// Takes a random line away, unless a station would be left without one.
    fn remove(&mut self, random: &mut Random) {
        let from = random.index(self.around.len());
        let to = self.around[from][random.index(self.around[from].len())];
        if self.around[from].len() > 1 && self.around[to as usize].len() > 1 {
            let places = [
                self.place(from as Vertex, to),
                self.place(to, from as Vertex),
            ];
            self.around[from].remove(places[0]);
            self.around[to as usize].remove(places[1]);
        }
    }

    /// The place of `neighbour` around `station`.
    fn place(&self, station: Vertex, neighbour: Vertex) -> usize {
        let mut around = self.around[station as usize].iter();
        around
            .position(|known| *known == neighbour)
            .expect("a neighbour")
    }

    /// The states of all walks of up to `steps` steps from station 0, without the god: the lines, each in its direction, that a walk of
    /// each length may end with.
    fn states(&self, steps: usize) -> usize {
        let arc = |station: Vertex, place: usize| DEGREE * station as usize + place;
        let mut stamps = vec![usize::MAX; DEGREE * self.around.len()];
        let mut now: Vec<(Vertex, Vertex)> = self.around[0].iter().map(|to| (0, *to)).collect();
        (0..now.len()).for_each(|place| stamps[arc(0, place)] = 0);
        let (mut states, mut next) = (now.len(), Vec::new());
        for step in 1..steps {
            let mut kept = 0;
            for &(last, at) in &now {
                for (place, to) in self.around[at as usize].iter().enumerate() {
                    let stamp = &mut stamps[arc(at, place)];
                    if *to != last && *stamp != step {
                        kept += usize::from(*stamp == step - 1);
                        *stamp = step;
                        next.push((at, *to));
                    }
                }
            }
            states += next.len();
            // PERF: the states of a step follow from those before it. Once they are the same, they stay the same.
            if kept == now.len() && kept == next.len() {
                return states + (steps - 1 - step) * kept;
            }
            std::mem::swap(&mut now, &mut next);
            next.clear();
        }
        states
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Euler's formula, by the faces that the order around each station makes.
    fn is_planar(map: &PlanarMap) -> bool {
        let arcs = (0..).zip(&map.around);
        let arcs = arcs.flat_map(|(from, around)| around.iter().map(move |to| (from, *to)));
        let arcs: Vec<(Vertex, Vertex)> = arcs.collect();
        let mut seen = BTreeSet::new();
        let mut faces = 0;
        for first in &arcs {
            let mut arc = *first;
            faces += usize::from(!seen.contains(&arc));
            while seen.insert(arc) {
                let around = &map.around[arc.1 as usize];
                arc = (arc.1, around[(map.place(arc.1, arc.0) + 1) % around.len()]);
            }
        }
        map.around.len() + faces == arcs.len() / 2 + 2
    }

    /// The sets of directed lines, step by step.
    fn counted(map: &PlanarMap, steps: usize) -> usize {
        let ahead = |at: Vertex| map.around[at as usize].iter().map(move |to| (at, *to));
        let mut now: BTreeSet<(Vertex, Vertex)> = ahead(0).collect();
        let mut states = now.len();
        for _ in 1..steps {
            let next = now
                .iter()
                .flat_map(|&(last, at)| ahead(at).filter(move |(_, to)| *to != last));
            now = next.collect();
            states += now.len();
        }
        states
    }

    #[test]
    fn states_that_stay_the_same_are_counted_at_once() {
        let mut random = Random::new("worst", 2);
        for vertices in [2, 3, 5, 9, 17, 40, 100] {
            for tries in [0, 3] {
                let map = searched(vertices, 30, tries, &mut random);
                for steps in [1, 2, 3, 7, 20, 48] {
                    assert_eq!(
                        map.states(steps),
                        counted(&map, steps),
                        "{vertices}, {steps}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_planar_map_of_900_stations_is_far_worse_than_the_articles_worst_case() {
        let mut random = Random::new("worst", 1);
        let mut before = 0;
        for tries in [0, 60] {
            let map = searched(900, 48, tries, &mut Random::new("worst", 1));
            assert!(
                map.around
                    .iter()
                    .all(|around| (1..=DEGREE).contains(&around.len()))
            );
            assert!(is_planar(&map));
            let states = map.states(48);
            assert!(states >= before.max(124_190), "{states}");
            before = states;
        }
        // Small maps are full at once, and a line across another one is found.
        for vertices in 2..12 {
            assert!(is_planar(&searched(vertices, 48, 5, &mut random)));
        }
        let mut map = searched(60, 48, 0, &mut random);
        map.around[0].swap(0, 1);
        assert!(!is_planar(&map));
    }
}
