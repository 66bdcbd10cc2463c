//! Generators of maps, each pinned by a golden test. A generator is one file and one line in [`ALL`].

mod full_grid;
mod rail;
mod spanning_grid;

use std::sync::Arc;

use ikeru_core::{Generator, InputError, Random, Setting, Settings};

use crate::Reach;
use crate::graph::{Graph, Vertex};
use crate::instance::{Instance, MAX_PLAYERS, Map};

/// Every generator.
pub static ALL: [Generator<Reach>; 3] = [
    spanning_grid::GENERATOR,
    full_grid::GENERATOR,
    rail::GENERATOR,
];

/// The most vertices that a generator makes.
const MOST_VERTICES: i64 = 16_000_000;

const WIDTH: Setting = Setting {
    name: "width",
    default: "30",
    about: "vertices in a row, 1 to 4096",
};
const HEIGHT: Setting = Setting {
    name: "height",
    default: "30",
    about: "rows, 1 to 4096",
};
const MOST_SIDE: i64 = 4096;

/// Players on a generated map, player 1 holding the god if there is one.
const PLAYERS: Setting = Setting {
    name: "player_count",
    default: "4",
    about: "how many players stand on the map, 1 to 4; player 1, if there is one, holds the god",
};

/// Width and height, at most [`MOST_VERTICES`] in all.
fn grid_size(settings: &Settings) -> Result<(usize, usize), InputError> {
    let width = settings.int(&WIDTH, 1..=MOST_SIDE)?.unwrap_or(1);
    let height = settings.int(&HEIGHT, 1..=MOST_SIDE)?.unwrap_or(1);
    if width * height > MOST_VERTICES {
        return Err(InputError::new(format!(
            "{width} x {height} vertices, expected at most {MOST_VERTICES}"
        )));
    }
    Ok((width as usize, height as usize))
}

/// All edges of a `width` × `height` grid, by their upper or left vertex, the one downward first.
fn grid_edges(width: usize, height: usize) -> Vec<(Vertex, Vertex)> {
    let mut edges = Vec::with_capacity(2 * width * height);
    for y in 0..height {
        for x in 0..width {
            let vertex = (y * width + x) as Vertex;
            if y + 1 < height {
                edges.push((vertex, vertex + width as Vertex));
            }
            if x + 1 < width {
                edges.push((vertex, vertex + 1));
            }
        }
    }
    edges
}

/// A random spanning tree of a `width` × `height` grid (Kruskal) and `extra` of its other edges.
fn spanning_edges(
    width: usize,
    height: usize,
    extra: usize,
    random: &mut Random,
) -> Vec<(Vertex, Vertex)> {
    let mut edges = grid_edges(width, height);
    random.shuffle(&mut edges);
    let mut parts = DisjointSets::new(width * height);
    let mut spare = extra;
    edges.retain(|&(a, b)| {
        let joins = parts.join(a, b);
        let kept = joins || spare > 0;
        spare -= usize::from(!joins && kept);
        kept
    });
    edges
}

/// The vertex in the middle of a grid.
fn middle(width: usize, height: usize) -> Vertex {
    ((height - 1) / 2 * width + width / 2) as Vertex
}

/// A map whose player 0 stands at `start` and the others on random vertices of their own, as far
/// as there are any; player 1 holds the god.
fn populated(
    graph: Graph,
    start: Vertex,
    settings: &Settings,
    random: &mut Random,
) -> Result<Instance, InputError> {
    let count = settings.int(&PLAYERS, 1..=MAX_PLAYERS as i64)?.unwrap_or(1) as usize;
    let mut players = vec![start];
    while players.len() < count.min(graph.vertices()) {
        let vertex = random.index(graph.vertices()) as Vertex;
        if !players.contains(&vertex) {
            players.push(vertex);
        }
    }
    Ok(Instance::new(Map {
        graph: Arc::new(graph),
        holder: (players.len() > 1).then_some(1),
        players,
    }))
}

/// Sets that grow together, for spanning trees: union by size, halving paths.
struct DisjointSets {
    /// The parent of each element; of a root, `!size`.
    parents: Vec<u32>,
}

impl DisjointSets {
    fn new(elements: usize) -> Self {
        Self {
            parents: vec![!1; elements],
        }
    }

    fn root(&mut self, element: Vertex) -> Vertex {
        let mut at = element;
        loop {
            let parent = self.parents[at as usize];
            if parent > u32::MAX / 2 {
                return at;
            }
            let grandparent = self.parents[parent as usize];
            if grandparent <= u32::MAX / 2 {
                self.parents[at as usize] = grandparent;
            }
            at = parent;
        }
    }

    /// Joins the sets of `a` and `b`; whether they were apart.
    fn join(&mut self, a: Vertex, b: Vertex) -> bool {
        let (a, b) = (self.root(a), self.root(b));
        if a == b {
            return false;
        }
        let size = |root: Vertex| !self.parents[root as usize];
        let (large, small, sum) = if size(a) >= size(b) {
            (a, b, size(a) + size(b))
        } else {
            (b, a, size(a) + size(b))
        };
        self.parents[small as usize] = large;
        self.parents[large as usize] = !sum;
        true
    }
}
