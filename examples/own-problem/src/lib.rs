//! Graph colouring as a problem of ikeru: the fewest colours so that no edge joins two vertices of one colour.
//!
//! The text of an instance is the number of vertices, then one edge per line. An answer is a colour from 1 for each
//! vertex.

mod variants;

use ikeru_core::{
    Check, Checked, Deadline, Direction, Generator, InputError, Problem, ProblemInfo, Random,
    Rejection, Score, Settings, Variant, Wrong, measures, read_json, refuse, settings,
};
use serde_json::{Value as Json, json};

/// A graph: its edges as in the text, and the neighbours of each vertex.
pub struct Graph {
    edges: Vec<(usize, usize)>,
    neighbours: Vec<Vec<usize>>,
}

impl Graph {
    fn new(vertices: usize, edges: Vec<(usize, usize)>) -> Self {
        let mut neighbours = vec![Vec::new(); vertices];
        for &(a, b) in &edges {
            neighbours[a].push(b);
            neighbours[b].push(a);
        }
        Self { edges, neighbours }
    }
}

/// The number of colours, which is the largest colour.
fn count(colours: &[u32]) -> u32 {
    colours.iter().copied().max().unwrap_or(0)
}

/// The fewest colours for a graph.
pub struct Colouring;

settings! {
    VERTICES: usize = "vertices", 12, 1..=1000, "vertices";
    DENSITY: f64 = "density", 0.5, 0.0..=1.0, "share of all edges";
}
/// The maximum number of vertices of a text: more would take memory that the text does not justify.
const MOST: usize = 10_000;

impl Problem for Colouring {
    const INFO: ProblemInfo = ProblemInfo {
        name: "colouring",
        about: "the fewest colours so that no edge joins two vertices of one colour",
        direction: Direction::Minimize,
        settings: &[],
        counters: measures! {
            lower nodes: "vertices coloured, or nodes of the search";
        },
        measures: measures! {
            neither edges: "edges of the graph";
        },
        words: &[("size", "vertices")],
        batch: None,
    };
    const VARIANTS: &'static [Variant<Self>] = &[variants::GREEDY, variants::DSATUR];
    const GENERATORS: &'static [Generator<Self>] = &[Generator {
        name: "colouring.random",
        about: "Each edge is there with the same probability.",
        parameters: settings![VERTICES DENSITY],
        generate: random,
    }];
    type Instance = Graph;
    type Answer = Vec<u32>;
    type Referee = Check<Self>;

    fn default_variant(_: &Graph) -> &'static str {
        "dsatur"
    }

    fn read(text: &str) -> Result<Graph, InputError> {
        let mut lines = text.lines().enumerate().map(|(at, line)| (at + 1, line.trim()));
        let number = |at: usize, word: &str, below: usize| {
            let number = word.parse().ok().filter(|&number: &usize| number < below);
            let expected = || format!("`{word}`: expected a number below {below}");
            number.ok_or_else(|| InputError::at(at, expected()))
        };
        let (at, first) = lines.next().unwrap_or((1, ""));
        let vertices = number(at, first, MOST + 1)?;
        let mut edges = Vec::new();
        for (at, line) in lines {
            let (a, b) = line.split_once(' ').unwrap_or((line, ""));
            let (a, b) = (number(at, a, vertices)?, number(at, b, vertices)?);
            if a == b {
                refuse!(at, "an edge from {a} to itself");
            }
            edges.push((a, b));
        }
        Ok(Graph::new(vertices, edges))
    }

    fn write(graph: &Graph) -> String {
        let edges = graph.edges.iter().map(|(a, b)| format!("{a} {b}\n"));
        format!("{}\n{}", graph.neighbours.len(), edges.collect::<String>())
    }

    fn ask(graph: &Graph, _: &Settings) -> Result<Graph, InputError> {
        Ok(Graph::new(graph.neighbours.len(), graph.edges.clone()))
    }

    fn size(graph: &Graph) -> u64 {
        graph.neighbours.len() as u64
    }

    fn referee(_: &Graph) -> Check<Self> {
        check
    }

    fn score(colours: &Vec<u32>) -> Option<Score> {
        Some(i64::from(count(colours)))
    }

    fn answer_json(_: &Graph, colours: &Vec<u32>) -> Json {
        json!({ "colours": colours })
    }

    fn read_answer(_: &Graph, answer: &Json) -> Result<Vec<u32>, InputError> {
        read_json(answer.get("colours").unwrap_or(&Json::Null))
    }

    fn answer_text(_: &Graph, colours: &Vec<u32>) -> String {
        format!("{} colours: {colours:?}", count(colours))
    }
}

fn random(settings: &Settings, random: &mut Random) -> Result<Graph, InputError> {
    let (vertices, density) = (settings.get(&VERTICES)?, settings.get(&DENSITY)?);
    let pairs = (0..vertices).flat_map(|a| (a + 1..vertices).map(move |b| (a, b)));
    Ok(Graph::new(vertices, pairs.filter(|_| random.chance(density)).collect()))
}

/// The referee reads the list of edges, which no variant reads.
#[expect(clippy::ptr_arg, reason = "a referee takes the problem's own answer")]
fn check(graph: &Graph, colours: &Vec<u32>, _: Deadline) -> Result<Checked, Rejection> {
    if colours.len() != graph.neighbours.len() || colours.contains(&0) {
        return Err(Wrong("expected a colour from 1 for each vertex".to_owned()).into());
    }
    let mut edges = graph.edges.iter();
    if let Some((a, b)) = edges.find(|&&(a, b)| colours[a] == colours[b]) {
        return Err(Wrong(format!("{a} and {b} are joined and have one colour")).into());
    }
    Ok(Checked {
        measures: vec![("edges", graph.edges.len() as f64)],
        ..Checked::score(i64::from(count(colours)))
    })
}
