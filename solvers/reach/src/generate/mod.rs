//! Generators of maps. A generator is one file and one line in [`ALL`].

mod example;
mod full_grid;
mod rail;
mod spanning_grid;
mod tree;
mod worst;

use std::sync::Arc;

use ikeru_core::{Generator, InputError, Random, Settings, refuse, settings};

use crate::graph::{Graph, Vertex};
use crate::instance::{Instance, MAX_PLAYERS, Map};
use crate::{Reach, Routes};

/// Every generator.
pub const ALL: &[Generator<Reach>] = &[
    spanning_grid::GENERATOR,
    full_grid::GENERATOR,
    rail::GENERATOR,
    tree::GENERATOR,
    worst::GENERATOR,
    example::GENERATOR,
];

/// The same generators for the problem `routes`. The name of a generator is a part of its seed, so the maps are
/// different.
pub static FOR_ROUTES: [Generator<Routes>; 3] = [
    for_routes("routes.spanning-grid", &spanning_grid::GENERATOR),
    for_routes("routes.full-grid", &full_grid::GENERATOR),
    for_routes("routes.rail", &rail::GENERATOR),
];

const fn for_routes(name: &'static str, generator: &Generator<Reach>) -> Generator<Routes> {
    Generator {
        name,
        about: generator.about,
        parameters: generator.parameters,
        generate: generator.generate,
    }
}

/// The most vertices that a generator makes.
const MOST_VERTICES: usize = 16_000_000;

settings! {
    WIDTH: usize = "width", 30, 1..=4096, "vertices in a row";
    HEIGHT: Option<usize> = "height", 1..=4096, "rows; by default as many as the width";
    /// The number of players on a generated map; player 1, if there is one, holds the god.
    PLAYERS: usize = "player_count", 4, 1..=MAX_PLAYERS, "how many players stand on the map; player 1, if there is one, holds the god";
}

/// Width and height of a grid of at most [`MOST_VERTICES`] vertices.
fn grid_size(settings: &Settings) -> Result<(usize, usize), InputError> {
    let width = settings.get(&WIDTH)?;
    let height = settings.get(&HEIGHT)?.unwrap_or(width);
    if width * height > MOST_VERTICES {
        refuse!("{width} x {height} vertices, expected at most {MOST_VERTICES}");
    }
    Ok((width, height))
}

/// All edges of a `width` × `height` grid, in the order of their upper or left vertex; the edge downward is first.
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

/// A random spanning tree of a `width` × `height` grid (Kruskal) and up to `extra` of its other edges.
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

/// A map with player 0 at `start` and the others on distinct random vertices, as far as there are enough; player 1
/// holds the god.
fn populated(
    graph: Graph,
    start: Vertex,
    settings: &Settings,
    random: &mut Random,
) -> Result<Instance, InputError> {
    let count = settings.get(&PLAYERS)?;
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

/// Disjoint sets for spanning trees: union by size and path halving.
struct DisjointSets {
    /// The parent of each element; `!size` for a root.
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

    /// Joins the sets of `a` and `b` and returns whether they were different.
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

#[cfg(test)]
mod tests {
    use super::*;
    use ikeru_core::testing::answer;
    use ikeru_core::{ContentHash, Problem, Value};

    fn generate(index: usize, seed: u64, parameters: &[(&str, i64)]) -> Instance {
        let generator = &ALL[index];
        let values = parameters
            .iter()
            .map(|&(name, value)| (name, Value::Int(value)));
        let settings: Settings = values.collect();
        let mut random = Random::new(generator.name, seed);
        (generator.generate)(&settings, &mut random).expect("legal parameters")
    }

    fn hash(instance: &Instance) -> String {
        ContentHash::of(&[Reach::write(instance).as_bytes()]).to_string()
    }

    fn is_connected(graph: &Graph) -> bool {
        let mut parts = DisjointSets::new(graph.vertices());
        let mut count = graph.vertices();
        for vertex in graph.all() {
            for &head in graph.neighbours(vertex) {
                count -= usize::from(parts.join(vertex, head));
            }
        }
        count == 1
    }

    #[test]
    fn a_seed_means_the_same_map_for_ever() {
        let small = generate(0, 1, &[("width", 3), ("height", 3), ("player_count", 2)]);
        assert_eq!(Reach::write(&small), SMALL);
        let hashes = [0, 1, 2].map(|index| hash(&generate(index, 7, &[])));
        assert_eq!(hashes, GOLDEN);
    }

    const SMALL: &str = "9\n3\n2,4\n1,5\n6,0,4\n5,7,1,3\n4,2\n3,7\n8,4,6\n7\n2\n4,1\n1\n";
    const GOLDEN: [&str; 3] = [
        "4305dfca3458cdbdd3a57b26ec940a96",
        "e1591875a857c578b53042726f62b302",
        "09d15c75100afafc37021dad6757bd54",
    ];

    #[test]
    fn the_articles_worst_case_has_its_number_of_edges_and_its_start() {
        for seed in 0..5 {
            let instance = generate(0, seed, &[]);
            assert_eq!(
                (instance.graph.vertices(), instance.graph.edges()),
                (900, 1124)
            );
            assert_eq!((instance.start(0), instance.map.holder), (435, Some(1)));
            assert!(is_connected(&instance.graph));
        }
    }

    /// The error of the article's O(D³): planarity and four lines a station do not bound what lies within D steps by D².
    #[test]
    fn within_ten_steps_of_a_planar_map_lie_far_more_stations_than_of_a_grid() {
        let states = |index, parameters: &[(&str, i64)]| {
            let asked = [("steps", Value::Int(10)), ("god", Value::Bool(false))];
            let instance = generate(index, 1, parameters);
            let instance = Reach::ask(&instance, &asked.into_iter().collect()).expect("a question");
            let answered = answer::<Reach>(&instance, "memo-flat", &Settings::default());
            answered.expect("an answer").1.get("states")
        };
        assert_eq!(states(3, &[("depth", 10)]), 118_096);
        assert_eq!(states(1, &[("width", 61)]), 1_500);
    }

    #[test]
    fn a_rail_map_is_mostly_of_degree_two_with_junctions_and_dead_ends() {
        let instance = generate(2, 3, &[("vertices", 2000)]);
        let graph = &instance.graph;
        assert_eq!(graph.vertices(), 2000);
        assert!(is_connected(graph));
        let count = |degree| {
            graph
                .all()
                .filter(|&vertex| graph.degree(vertex) == degree)
                .count()
        };
        assert_eq!(graph.max_degree(), 4);
        assert!(count(2) > 1200, "{} of degree 2", count(2));
        assert!(
            count(1) > 20 && count(3) > 50,
            "{} and {}",
            count(1),
            count(3)
        );
    }

    #[test]
    fn a_million_vertices_are_no_trouble() {
        for (index, parameters) in [
            (0, [("width", 1000), ("height", 1000)].as_slice()),
            (1, &[("width", 1000), ("height", 1000)]),
            (2, &[("vertices", 1_000_000)]),
        ] {
            assert_eq!(generate(index, 1, parameters).graph.vertices(), 1_000_000);
        }
    }

    #[test]
    fn tiny_maps_have_as_many_players_as_fit() {
        let instance = generate(1, 1, &[("width", 1), ("height", 1)]);
        assert_eq!(
            (instance.map.players.as_slice(), instance.map.holder),
            ([0].as_slice(), None)
        );
        for vertices in 2..40 {
            assert!(is_connected(
                &generate(2, 1, &[("vertices", vertices)]).graph
            ));
        }
    }
}
