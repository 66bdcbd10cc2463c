//! Pictures: the article's procedure step by step on a small map, or a map with its paths.

use ikeru_core::{Colour, Picture, Settings};

use crate::answer::{Answer, ReplaySettings};
use crate::instance::Instance;
use crate::map::{Cell, Terrain};
use crate::variants::jps;
use crate::variants::open_list::{Procedure, replay};

/// The most cells of a map that is shown step by step.
const SMALL: usize = 256;
/// The most steps that are shown.
const FRAMES: usize = 120;
/// The most blocks along the longer side of a picture.
const BLOCKS: usize = 176;
/// The most paths in one picture.
const PATHS: usize = 24;

const OPEN: Colour = Colour::Hue(1);
const CLOSED: Colour = Colour::Hue(3);
const CURRENT: Colour = Colour::Hue(0);
const PATH: Colour = Colour::Hue(5);
const START: Colour = Colour::Hue(4);

/// The frames of `open-list` on a small map, otherwise one picture of the map with its paths.
pub fn pictures(instance: &Instance, answer: &Answer) -> Vec<Picture> {
    let small = instance.map().letters().len() <= SMALL && instance.queries.len() == 1;
    if small && let Some(asked) = answer.frames {
        let frames = frames(instance, asked);
        if frames.len() <= FRAMES {
            return frames;
        }
    }
    vec![overview(instance, answer)]
}

/// The search of `open-list` or `jps` for the first query: the map, one step for each expanded cell or jump point,
/// and the path.
pub fn recorded(instance: &Instance, variant: &str, _: &Settings) -> Vec<Picture> {
    let mut steps = vec![overview(instance, &Answer::new())];
    let (width, height) = (steps[0].width, steps[0].height);
    let spot = |cell: Cell| (f64::from(cell.x) + 0.5, f64::from(cell.y) + 0.5);
    let blank = || Picture::new(width, height, String::new());
    let path: Vec<Cell> = match variant {
        "open-list" => {
            let mut path = Vec::new();
            replay(
                instance,
                ReplaySettings { scaled_h: true },
                |procedure, current| {
                    let mut step = blank();
                    let (x, y) = spot(current);
                    step.rectangle((x - 0.4, y - 0.4), (0.8, 0.8), CLOSED);
                    steps.push(step);
                    let before = |cell: &Cell| procedure.node(*cell)?.p;
                    path = std::iter::successors(Some(current), before).collect();
                },
            );
            path
        }
        "jps" => {
            let path = jps::online::replay(instance, |before, cell| {
                let mut step = blank();
                step.line(spot(before), spot(cell), 0.12, CLOSED);
                step.circle(spot(cell), 0.4, CLOSED);
                steps.push(step);
            });
            path.unwrap_or_default()
        }
        _ => return Vec::new(),
    };
    let mut last = blank();
    for leg in path.windows(2) {
        last.line(spot(leg[0]), spot(leg[1]), 0.3, PATH);
    }
    for (query, colour) in instance
        .queries
        .iter()
        .flat_map(|query| [(query.start, START), (query.goal, PATH)])
    {
        last.circle(spot(query), 0.7, colour);
    }
    steps.push(last);
    steps
}

/// The name of a cell: its column as a letter if there is one, and its row from 1, like `B4`.
pub fn name(cell: Cell) -> String {
    match u8::try_from(cell.x) {
        Ok(x) if x < 26 => format!("{}{}", char::from(b'A' + x), cell.y + 1),
        _ => cell.to_string(),
    }
}

fn colour(terrain: Terrain) -> Colour {
    match terrain {
        Terrain::Plain => Colour::Paper,
        Terrain::Road => Colour::Ramp(230),
        Terrain::Swamp => Colour::Hue(6),
        Terrain::Forest => Colour::Hue(2),
        Terrain::Sea => Colour::Hue(4),
        Terrain::Mountain => Colour::Faint,
        Terrain::Wall => Colour::Solid,
    }
}

fn frames(instance: &Instance, asked: ReplaySettings) -> Vec<Picture> {
    let mut frames = Vec::new();
    replay(instance, asked, |procedure, current| {
        frames.push(frame(instance, procedure, current, frames.len() + 1));
    });
    frames
}

fn frame(instance: &Instance, procedure: &Procedure, current: Cell, number: usize) -> Picture {
    let map = instance.map();
    let goal = instance.queries[0].goal;
    let (width, height) = (map.width() as f64, map.height() as f64);
    let about = procedure.node(current).map_or(String::new(), |node| {
        let (g, h) = (
            procedure.steps.decimal(node.g),
            procedure.steps.decimal(node.h),
        );
        format!(": g {g:.1}, h {h:.1}")
    });
    let caption = if current == goal {
        format!(
            "Step {number}: the goal {} is current{about}",
            name(current)
        )
    } else {
        format!("Step {number}: {} is current{about}", name(current))
    };
    // A margin for the names of columns and rows.
    let mut picture = Picture::new(width + 0.7, height + 0.7, caption);
    for x in 0..map.width() {
        let label = name(Cell::new(x as u16, 0));
        let label = label.trim_end_matches('1');
        picture.text((x as f64 + 1.2, 0.35), 0.3, label, Colour::Ink);
    }
    for y in 0..map.height() {
        picture.text(
            (0.35, y as f64 + 1.2),
            0.3,
            (y + 1).to_string(),
            Colour::Ink,
        );
    }
    // The ground that stays visible between the cells is their border.
    picture.rectangle(corner(Cell::new(0, 0)), (width, height), Colour::Faint);
    let fills = map.cells().map(|cell| {
        let (x, y) = corner(cell);
        let fill = fill(instance, procedure, current, cell);
        ((x + 0.02, y + 0.02), (0.96, 0.96), fill)
    });
    rectangles(&mut picture, fills.collect());
    for (cell, node) in map
        .cells()
        .filter_map(|cell| Some((cell, procedure.node(cell)?)))
    {
        let (x, y) = corner(cell);
        for (name, value, down) in [("g", node.g, 0.2), ("h", node.h, 0.8)] {
            let words = format!("{name} {:.1}", procedure.steps.decimal(value));
            picture.text((x + 0.32, y + down), 0.19, words, Colour::Ink);
        }
    }
    for (cell, before) in map
        .cells()
        .filter_map(|cell| Some((cell, procedure.node(cell)?.p?)))
    {
        arrow(&mut picture, cell, before);
    }
    let query = instance.queries[0];
    for (label, cell) in [("A", query.start), ("B", query.goal)] {
        let (x, y) = corner(cell);
        picture.text((x + 0.83, y + 0.2), 0.24, label, PATH);
    }
    if current == goal {
        let path: Vec<Cell> =
            std::iter::successors(Some(goal), |cell| procedure.node(*cell)?.p).collect();
        for leg in path.windows(2) {
            picture.line(centre(leg[0]), centre(leg[1]), 0.1, PATH);
        }
    }
    picture
}

fn fill(instance: &Instance, procedure: &Procedure, current: Cell, cell: Cell) -> Colour {
    if cell == current {
        CURRENT
    } else if procedure.node(cell).is_none() {
        colour(instance.map().terrain(cell))
    } else if procedure.is_closed(cell) {
        CLOSED
    } else {
        OPEN
    }
}

/// A rectangle: its upper left corner, its size and its fill.
type Filled = ((f64, f64), (f64, f64), Colour);

/// Draws rectangles by their colours, because consecutive ones of one colour are one short path of an SVG.
fn rectangles(picture: &mut Picture, mut all: Vec<Filled>) {
    all.sort_by_key(|(_, _, fill)| *fill);
    for (corner, size, fill) in all {
        picture.rectangle(corner, size, fill);
    }
}

/// Draws the arrow from a cell to the one before it, to the right of the cell's numbers.
fn arrow(picture: &mut Picture, cell: Cell, before: Cell) {
    let (from, to) = (centre(cell), centre(before));
    let (across, down) = (0.15 * (to.0 - from.0), 0.22 * (to.1 - from.1));
    let (x, y) = corner(cell);
    let middle = (x + 0.79, y + 0.53);
    let tail = (middle.0 - across, middle.1 - down);
    let head = (middle.0 + across, middle.1 + down);
    picture.arrow(tail, head, 0.05, Colour::Ink);
}

fn corner(cell: Cell) -> (f64, f64) {
    (f64::from(cell.x) + 0.7, f64::from(cell.y) + 0.7)
}

fn centre(cell: Cell) -> (f64, f64) {
    let (x, y) = corner(cell);
    (x + 0.5, y + 0.5)
}

fn overview(instance: &Instance, answer: &Answer) -> Picture {
    let map = instance.map();
    let block = map.width().max(map.height()).div_ceil(BLOCKS);
    let (columns, rows) = (map.width().div_ceil(block), map.height().div_ceil(block));
    let mut picture = Picture::new(
        columns as f64,
        rows as f64,
        caption(instance, answer, block),
    );
    let mut terrain = Vec::new();
    for row in 0..rows {
        let terrains: Vec<Terrain> = (0..columns)
            .map(|column| prevailing(instance, column * block, row * block, block))
            .collect();
        let mut column = 0;
        // Equal neighbours in a row become one rectangle.
        for run in terrains.chunk_by(|a, b| a == b) {
            let at = (column as f64, row as f64);
            if run[0] != Terrain::Plain {
                terrain.push((at, (run.len() as f64, 1.0), colour(run[0])));
            }
            column += run.len();
        }
    }
    rectangles(&mut picture, terrain);
    let unit = block as f64;
    let spot = |cell: Cell| {
        (
            (f64::from(cell.x) + 0.5) / unit,
            (f64::from(cell.y) + 0.5) / unit,
        )
    };
    let thick = (columns.max(rows) as f64 / 200.0).max(0.15);
    // If there are many paths, a sample spread evenly over the batch is drawn.
    let every = answer.len().div_ceil(PATHS).max(1);
    for path in answer.paths().step_by(every).flatten() {
        for leg in path.waypoints.windows(2) {
            picture.line(spot(leg[0]), spot(leg[1]), thick, PATH);
        }
    }
    for query in instance.queries.iter().step_by(every) {
        picture.circle(spot(query.start), 1.5 * thick, START);
        picture.circle(spot(query.goal), 1.5 * thick, PATH);
    }
    picture
}

fn caption(instance: &Instance, answer: &Answer, block: usize) -> String {
    let what = match (answer.len(), answer.path(0)) {
        (1, None) => "no path".to_owned(),
        (1, Some(path)) => {
            let length = instance.question.costs.decimal(path.length);
            format!("the cheapest path costs {length:.2}")
        }
        (count, _) => format!("some of the paths of {count} queries"),
    };
    let map = instance.map();
    let coarse = match block {
        1 => String::new(),
        _ => format!(", {block}×{block} cells drawn as one"),
    };
    format!("{}×{}: {what}{coarse}", map.width(), map.height())
}

/// The most common terrain of a block of cells. A third of walls (of 2×2 cells, a half) makes the block a wall, so
/// that walls one cell thick stay closed.
fn prevailing(instance: &Instance, left: usize, top: usize, block: usize) -> Terrain {
    let map = instance.map();
    let (right, bottom) = (
        (left + block).min(map.width()),
        (top + block).min(map.height()),
    );
    let mut counts = [0; 7];
    for y in top..bottom {
        for x in left..right {
            counts[map.terrain(Cell::new(x as u16, y as u16)).index()] += 1;
        }
    }
    let squares = (right - left) * (bottom - top);
    if counts[Terrain::Wall.index()] * block.min(3) >= squares {
        return Terrain::Wall;
    }
    let commonest = Terrain::OPEN
        .into_iter()
        .rev()
        .max_by_key(|terrain| counts[terrain.index()]);
    commonest.unwrap_or(Terrain::Wall)
}
