//! `reach.full-grid`: every edge of a grid, the densest map of degree 4.

use ikeru_core::{Generator, settings};

use super::{HEIGHT, PLAYERS, WIDTH, grid_edges, grid_size, middle, populated};
use crate::Reach;
use crate::graph::Graph;

pub const GENERATOR: Generator<Reach> = Generator {
    name: "reach.full-grid",
    about: "every edge of a grid: the densest map of degree 4",
    parameters: settings![WIDTH HEIGHT PLAYERS],
    generate: |settings, random| {
        let (width, height) = grid_size(settings)?;
        let graph = Graph::from_edges(width * height, &grid_edges(width, height));
        populated(graph, middle(width, height), settings, random)
    },
};
