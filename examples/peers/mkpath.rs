//! Puts ikeru's queries to the jump point searches of mkpath, line by line (README.md says how to build it). The argument is `jps`
//! (two bit grids are prepared) or `jps+` (all jumps are).
use std::io::{Lines, StdinLock};

use mkpath::grid::{octile_distance, BitGrid};
use mkpath::jps::{JpsExpander, JpsPlusExpander, JumpDatabase};
use mkpath::traits::NodePool;
use mkpath::{AStarSearcher, HashPool, NodeBuilder, PriorityQueueFactory};
use mkpath_jps::transpose;

type Cell = (i32, i32);

/// A map and the rows of the scenario that follows it.
struct Instance {
    map: BitGrid,
    queries: Vec<(Cell, Cell)>,
}

impl Instance {
    /// The whole scenario, or with a `tenth` from 1 to 10 only this part of its rows.
    fn read(file: &str, tenth: usize) -> Self {
        let text = std::fs::read_to_string(file).expect("the instance");
        let mut words = text.split_whitespace();
        let mut number = |skipped| words.nth(skipped).expect("a number").parse().expect("a number");
        let (height, width) = (number(3), number(1));
        let mut map = BitGrid::new(width, height);
        words.next();
        for (y, row) in (0..height).zip(&mut words) {
            for (x, cell) in (0..width).zip(row.chars()) {
                map.set(x, y, matches!(cell, '.' | 'G' | 'S'));
            }
        }
        let rows: Vec<&str> = words.skip(2).collect();
        let query = |row: &[&str]| {
            let at = |index: usize| row[index].parse().expect("a coordinate");
            ((at(4), at(5)), (at(6), at(7)))
        };
        let mut queries: Vec<_> = rows.chunks_exact(9).map(query).collect();
        if tenth > 0 {
            let all = queries.len();
            queries = queries[(tenth - 1) * all / 10..tenth * all / 10].to_vec();
        }
        Self { map, queries }
    }
}

/// A path as ikeru reads it. A leg is diagonal first, then straight.
fn json_of(path: &[Cell]) -> String {
    let Some(&(mut here)) = path.first() else {
        return "{\"path\":null}".to_owned();
    };
    let (mut cells, mut straight, mut diagonal) = (vec![here], 0, 0);
    for &next in path {
        let (across, down) = (next.0 - here.0, next.1 - here.1);
        let both = across.abs().min(down.abs());
        let turn = (here.0 + both * across.signum(), here.1 + both * down.signum());
        diagonal += both;
        straight += across.abs().max(down.abs()) - both;
        for cell in [turn, next] {
            if cell != here {
                cells.push(cell);
            }
            here = cell;
        }
    }
    let cells: Vec<String> = cells.iter().map(|(x, y)| format!("[{x},{y}]")).collect();
    format!(
        "{{\"path\":[{}],\"straight_hundredths\":{straight}00,\"diagonal_hundredths\":{diagonal}00}}",
        cells.join(",")
    )
}

/// The text after `"KEY":` up to the next quotation mark, comma or brace.
fn value<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let (_, rest) = line.split_once(&format!("\"{key}\":"))?;
    rest.trim_start_matches('"').split(['"', ',', '}']).next()
}

/// Answers questions about one instance until the next one is named; returns that line.
fn serve(instance: &Instance, jumps: bool, lines: &mut Lines<StdinLock>) -> Option<String> {
    let mut builder = NodeBuilder::new();
    let state = builder.add_field((-1, -1));
    let mut search = AStarSearcher::new(&mut builder);
    let mut queues = PriorityQueueFactory::new(&mut builder);
    let mut pool = HashPool::new(builder.build(), state);
    let transposed = transpose(&instance.map);
    let database = jumps.then(|| JumpDatabase::new(&instance.map));
    println!("{{\"ready\":true}}");
    for line in lines.map_while(Result::ok) {
        if value(&line, "instance").is_some() {
            return Some(line);
        }
        let mut answers = Vec::new();
        for &(start, goal) in &instance.queries {
            pool.reset();
            let queue = queues.new_queue(search.ordering());
            macro_rules! found {
                ($expander:expr) => {
                    search.search(
                        $expander,
                        queue,
                        |node| octile_distance(node.get(state), goal),
                        |node| node.get(state) == goal,
                        pool.generate(start),
                    )
                };
            }
            let path = match &database {
                Some(jumps) => found!(JpsPlusExpander::new(&instance.map, jumps, &pool, state, goal)),
                None => found!(JpsExpander::new(&instance.map, &transposed, &pool, state, goal)),
            };
            let cells = path.map(|path| path.into_iter().map(|node| node.get(state)).collect());
            let cells: Vec<Cell> = cells.unwrap_or_default();
            answers.push(json_of(&cells));
        }
        let answer = match answers.as_slice() {
            [one] => one.clone(),
            _ => format!("[{}]", answers.join(",")),
        };
        println!("{{\"answer\":{answer},\"proven\":true}}");
    }
    None
}

fn main() {
    let jumps = match std::env::args().nth(1).as_deref() {
        Some("jps") => false,
        Some("jps+") => true,
        _ => {
            eprintln!("usage: mkpath jps|jps+");
            std::process::exit(2);
        }
    };
    let mut lines = std::io::stdin().lines();
    let mut next = lines.next().and_then(Result::ok);
    while let Some(line) = next {
        let file = value(&line, "instance").expect("an instance first");
        let tenth = value(&line, "tenth").map_or(0, |tenth| tenth.parse().expect("a tenth"));
        next = serve(&Instance::read(file, tenth), jumps, &mut lines);
    }
}
