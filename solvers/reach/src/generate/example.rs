//! `reach.example`: the small maps with which two articles explain the question, as far as their text gives them.

use std::sync::Arc;

use ikeru_core::{Generator, choices, settings};

use crate::Reach;
use crate::graph::{Graph, Vertex};
use crate::instance::{Instance, Map};

choices! {
    /// A map of an article.
    enum ExampleMap {
        /// Ikerukana, the rules: start 0 and goal 5 on two sides of a cycle of four.
        Loop = "loop",
        /// Ikemasuyo, steps 1 and 2: station 0 and the stations within two steps; station 23 is vertex 6.
        Stations = "stations",
        /// Ikemasuyo, the whole map of 24 stations.
        Map = "map",
    }
}

impl ExampleMap {
    /// The number of vertices and the edges, each as `from-to`.
    fn edges(self) -> (usize, &'static str) {
        match self {
            Self::Loop => (6, "0-1 1-2 2-3 3-4 4-1 2-5"),
            Self::Map => (24, MAP),
            Self::Stations => (7, "0-1 0-3 1-2 1-6 3-2 3-4 3-5"),
        }
    }
}

/// The edges of the Ikemasuyo article's map.
const MAP: &str = "0-1 0-3 1-2 1-23 2-3 3-4 3-5 4-8 5-6 6-7 6-8 8-9 9-10 10-11 10-22 11-12 12-13 13-14 14-15 15-16 15-17 \
                   16-18 17-18 18-19 19-20 20-21 21-22";

settings! {
    DRAWING: ExampleMap = "drawing", "loop", "the cycle of the Ikerukana article, or of the Ikemasuyo article the first stations or the whole map";
}

pub const GENERATOR: Generator<Reach> = Generator {
    name: "reach.example",
    about: "the worked examples of two articles: a cycle of four on the way, a station and its surroundings, or 24 stations",
    parameters: settings![DRAWING],
    generate: |settings, _| {
        let (vertices, edges) = settings.get(&DRAWING)?.edges();
        let vertex = |word: &str| word.parse().ok();
        let edge = |(from, to)| Some((vertex(from)?, vertex(to)?));
        let edges = edges.split(' ').filter_map(|word| word.split_once('-'));
        let edges: Vec<(Vertex, Vertex)> = edges.filter_map(edge).collect();
        Ok(Instance::new(Map {
            graph: Arc::new(Graph::from_edges(vertices, &edges)),
            players: vec![0],
            holder: None,
        }))
    },
};
