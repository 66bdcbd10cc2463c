//! `reach.rail`: a map like the railways of the game, planar and mostly of degree 2.
//!
//! A coarse grid of junctions loses edges at random as in `reach.spanning-grid`, which leaves dead ends, loops of
//! many lengths and junctions of 3 or 4 lines. Every edge then becomes a line with a random number of stations.
//! Vertices are numbered at random, as on a map drawn by hand.

use ikeru_core::{Generator, InputError, Random, Settings, settings};

use super::{MOST_VERTICES, PLAYERS, middle, populated, spanning_edges};
use crate::Reach;
use crate::graph::{Graph, Vertex};
use crate::instance::Instance;

pub const GENERATOR: Generator<Reach> = Generator {
    name: "reach.rail",
    about: "a railway-like planar map: long lines, junctions of 3 or 4, loops, dead ends",
    parameters: settings![VERTICES LOOPS LINE PLAYERS],
    generate,
};

settings! {
    VERTICES: usize = "vertices", 900, 2..=MOST_VERTICES, "stations in all";
    LOOPS: f64 = "loops", 0.4, 0.0..=1.0, "lines beyond a spanning tree, per junction";
    LINE: f64 = "line", 3.0, 0.0..=100.0, "mean number of stations between two junctions";
}

fn generate(settings: &Settings, random: &mut Random) -> Result<Instance, InputError> {
    let vertices = settings.get(&VERTICES)?;
    let loops = settings.get(&LOOPS)?;
    let line = settings.get(&LINE)?;
    // J junctions and their J·(1 + loops) lines of `line` stations are all vertices.
    let junctions = (vertices as f64 / (1.0 + (1.0 + loops) * line)).max(1.0);
    let side = (junctions.sqrt() as usize).max(1);
    let extra = (loops * (side * side) as f64) as usize;
    let lines = spanning_edges(side, side, extra, random);
    let stations = vertices - side * side;
    let mut on_line = vec![0_usize; lines.len()];
    // Each station is placed on a random line, so lengths vary and some lines have no station. A single junction has
    // no lines: the map is then one path.
    if lines.is_empty() {
        let edges: Vec<_> = (1..vertices as Vertex).map(|v| (v - 1, v)).collect();
        return populated(Graph::from_edges(vertices, &edges), 0, settings, random);
    }
    for _ in 0..stations {
        // The product of two uniform numbers prefers some lines, so that lengths differ strongly.
        let index = (random.unit() * random.unit() * lines.len() as f64) as usize;
        on_line[index] += 1;
    }
    let mut names: Vec<Vertex> = (0..vertices as Vertex).collect();
    random.shuffle(&mut names);
    let mut edges = Vec::with_capacity(lines.len() + stations);
    let mut next = side * side;
    for (&(from, to), &stations) in lines.iter().zip(&on_line) {
        let mut at = from;
        for _ in 0..stations {
            edges.push((names[at as usize], names[next]));
            at = next as Vertex;
            next += 1;
        }
        edges.push((names[at as usize], names[to as usize]));
    }
    let start = names[middle(side, side) as usize];
    populated(Graph::from_edges(vertices, &edges), start, settings, random)
}
