//! `reach.spanning-grid`: the Ikerukana article's worst case.
//!
//! The edges of a grid are taken in random order. Edges that join two parts form a spanning tree (Kruskal); the first
//! N/4 of the others are kept by default. 30×30 gives 899 + 225 = 1,124 edges. The article's "900 vertices and 674
//! edges" could not connect the map; its generator makes 1,124.

use ikeru_core::{Generator, settings};

use super::{HEIGHT, PLAYERS, WIDTH, grid_size, middle, populated, spanning_edges};
use crate::Reach;
use crate::graph::Graph;

pub const GENERATOR: Generator<Reach> = Generator {
    name: "reach.spanning-grid",
    about: "the article's worst case: a random spanning tree of a grid and some more of its edges",
    parameters: settings![WIDTH HEIGHT EXTRA PLAYERS],
    generate: |settings, random| {
        let (width, height) = grid_size(settings)?;
        let share = settings.get(&EXTRA)?;
        let vertices = width * height;
        let extra = (share * vertices as f64) as usize;
        let edges = spanning_edges(width, height, extra, random);
        let graph = Graph::from_edges(vertices, &edges);
        populated(graph, middle(width, height), settings, random)
    },
};

settings! {
    EXTRA: f64 = "extra", 0.25, 0.0..=2.0, "edges beyond the spanning tree, per vertex";
}
