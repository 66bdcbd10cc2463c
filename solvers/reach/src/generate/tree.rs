//! `reach.tree`: the tree in which every station but the last ones has four lines. It is planar, and with each step a walk meets three
//! times as many stations, so no power of the steps bounds what lies within them.

use ikeru_core::{Generator, settings};

use super::{PLAYERS, populated};
use crate::Reach;
use crate::graph::{Graph, Vertex};

pub const GENERATOR: Generator<Reach> = Generator {
    name: "reach.tree",
    about: "the planar tree of degree 4, from whose root each further step meets three times as many stations",
    parameters: settings![DEPTH PLAYERS],
    generate: |settings, random| {
        let (vertices, edges) = edges(settings.get(&DEPTH)?);
        populated(Graph::from_edges(vertices, &edges), 0, settings, random)
    },
};

settings! {
    DEPTH: u32 = "depth", 6, 1..=14, "steps from the root to the last stations";
}

/// The number of stations within `depth` steps of the root, and their lines, from the root outward.
fn edges(depth: u32) -> (usize, Vec<(Vertex, Vertex)>) {
    let vertices = 2 * 3_usize.pow(depth) - 1;
    let parent = |vertex: Vertex| if vertex <= 4 { 0 } else { (vertex - 2) / 3 };
    let below = (1..vertices as Vertex).map(|vertex| (parent(vertex), vertex));
    (vertices, below.collect())
}
