//! Draws small maps with the reached vertices, the players and the route to the target.
//!
//! Grids are drawn as grids, other maps by a force-directed layout. Maps of more than [`MOST_VERTICES`], or
//! [`MOST_LAID_OUT`] if they are not grids, are not drawn.

use ikeru_core::{Colour, Picture, Settings};

use crate::answer::Answer;
use crate::graph::{Graph, Vertex};
use crate::grid::GridShape;
use crate::instance::{Instance, Starts};

/// The most vertices of a map that is drawn: larger maps would not be readable.
const MOST_VERTICES: usize = 1024;

/// The most vertices of a map that is laid out: each round compares all pairs of vertices.
const MOST_LAID_OUT: usize = 300;

const ROUNDS: usize = 400;

type Point = (f64, f64);

/// The picture of a question with one start.
pub fn draw(instance: &Instance, answer: &Answer) -> Option<Picture> {
    let (graph, question) = (&*instance.map.graph, &instance.question);
    let Starts::One(start) = question.starts else {
        return None;
    };
    let places = places(graph)?;
    let right = places.iter().map(|place| place.0).fold(0.0, f64::max);
    let bottom = places.iter().map(|place| place.1).fold(0.0, f64::max);
    let mut picture = Picture::new(right + 1.0, bottom + 1.0, caption(instance, answer, start));
    let at = |vertex: Vertex| places[vertex as usize];
    for vertex in graph.all() {
        for &head in graph
            .neighbours(vertex)
            .iter()
            .filter(|&&head| head > vertex)
        {
            picture.line(at(vertex), at(head), 0.06, Colour::Faint);
        }
    }
    for step in answer.route.iter().flat_map(|route| route.windows(2)) {
        picture.arrow(at(step[0]), at(step[1]), 0.1, Colour::Hue(5));
    }
    let reached = |vertex: Vertex| answer.reachable.contains(0, vertex);
    for vertex in graph.all() {
        let fill = if question.blocked.contains(&vertex) {
            Colour::Solid
        } else if answer.god_free().contains(0, vertex) {
            Colour::Hue(2)
        } else if reached(vertex) {
            Colour::Hue(0)
        } else {
            Colour::Faint
        };
        picture.circle(at(vertex), if reached(vertex) { 0.28 } else { 0.16 }, fill);
    }
    for (player, &vertex) in [start].iter().chain(&question.others).enumerate() {
        picture.circle(at(vertex), 0.3, Colour::Ink);
        picture.text(at(vertex), 0.3, player.to_string(), Colour::Paper);
    }
    Some(picture)
}

/// The rows of a grid that `bitboard` moves at once in each step, as bars behind the map; empty for other variants.
pub fn recorded(instance: &Instance, variant: &str, _: &Settings) -> Vec<Picture> {
    let grid = GridShape::of(&instance.map.graph).filter(|_| variant == "bitboard");
    let bars = grid.map(|grid| {
        let (width, height) = (grid.width as f64, grid.height as f64);
        let mut picture = Picture::new(width, height, "");
        for row in 0..grid.height {
            let corner = (0.1, row as f64 + 0.12);
            picture.rectangle(corner, (width - 0.2, 0.76), Colour::Faint);
        }
        picture
    });
    bars.into_iter().collect()
}

fn caption(instance: &Instance, answer: &Answer, start: Vertex) -> String {
    let (steps, vertices) = (instance.question.steps, instance.graph.vertices());
    let s = if steps == 1 { "" } else { "s" };
    let (reachable, god_free) = (answer.reachable.count(), answer.god_free().count());
    let mut caption = format!(
        "{reachable} of {vertices} vertices can be reached from {start} in exactly {steps} step{s}"
    );
    if answer.with_god.is_some() {
        caption += &format!(", {god_free} of them (green) with the god on another player");
    }
    if let Some(target) = answer.route.as_ref().and_then(|route| route.last()) {
        caption += &format!("; a route to {target}");
    }
    caption
}

/// The coordinates of each vertex, about one unit from its neighbours.
fn places(graph: &Graph) -> Option<Vec<Point>> {
    if graph.vertices() > MOST_VERTICES {
        return None;
    }
    if let Some(grid) = GridShape::of(graph).filter(|grid| grid.height > 1) {
        let place = |vertex| {
            let (row, column) = grid.place(vertex);
            (column as f64 + 0.5, row as f64 + 0.5)
        };
        return Some(graph.all().map(place).collect());
    }
    (graph.vertices() <= MOST_LAID_OUT).then(|| laid_out(graph))
}

/// The layout of Fruchterman and Reingold 1991, "Graph drawing by force-directed placement", which begins with a
/// circle.
fn laid_out(graph: &Graph) -> Vec<Point> {
    let count = graph.vertices() as f64;
    let radius = count.sqrt();
    let angle = |vertex: Vertex| f64::from(vertex) / count * std::f64::consts::TAU;
    let on_circle = |vertex| (radius * angle(vertex).cos(), radius * angle(vertex).sin());
    let mut places: Vec<Point> = graph.all().map(on_circle).collect();
    for round in 0..ROUNDS {
        let furthest = radius / 4.0 * (1.0 - round as f64 / ROUNDS as f64);
        let forces: Vec<Point> = graph
            .all()
            .map(|vertex| force(graph, &places, vertex))
            .collect();
        for (place, (x, y)) in places.iter_mut().zip(forces) {
            let length = x.hypot(y).max(1e-9);
            let scale = length.min(furthest) / length;
            *place = (place.0 + x * scale, place.1 + y * scale);
        }
    }
    let left = places
        .iter()
        .map(|place| place.0)
        .fold(f64::INFINITY, f64::min);
    let top = places
        .iter()
        .map(|place| place.1)
        .fold(f64::INFINITY, f64::min);
    let moved = places.iter().map(|(x, y)| (x - left + 0.5, y - top + 0.5));
    moved.collect()
}

/// The force on `vertex`: 1/d away from every vertex and d² towards each neighbour, at distance d.
fn force(graph: &Graph, places: &[Point], vertex: Vertex) -> Point {
    let (x, y) = places[vertex as usize];
    let mut sum = (0.0, 0.0);
    let mut add = |other: Point, strength: &dyn Fn(f64) -> f64| {
        let (dx, dy) = (x - other.0, y - other.1);
        let distance = dx.hypot(dy).max(1e-3);
        let factor = strength(distance) / distance;
        sum = (sum.0 + dx * factor, sum.1 + dy * factor);
    };
    for (other, &place) in places.iter().enumerate() {
        if other != vertex as usize {
            add(place, &|distance| 1.0 / distance);
        }
    }
    for &head in graph.neighbours(vertex) {
        add(places[head as usize], &|distance| -distance * distance);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use ikeru_core::{Problem, Settings, Value};

    use crate::Reach;
    use crate::answer::insert;

    fn drawn(map: &str, target: Option<i64>) -> Option<Picture> {
        let map = Reach::read(map).expect("a legal map");
        let mut settings = Settings::from_iter([("steps", Value::Int(2))]);
        if let Some(target) = target {
            settings.set("target", Value::Int(target));
        }
        let instance = map.ask(&settings).expect("a possible question");
        let mut answer = Answer::empty(&instance);
        insert(answer.reachable.row_mut(0), 2);
        answer.route = target.map(|_| vec![0, 1, 2]);
        draw(&instance, &answer)
    }

    #[test]
    fn a_grid_is_drawn_on_its_grid() {
        let picture = drawn("4\n1,2\n0,3\n0,3\n1,2\n1\n0\n-1\n", None).expect("a picture");
        assert_eq!((picture.width, picture.height), (2.5, 2.5));
    }

    #[test]
    fn a_loop_with_a_route_is_laid_out_within_the_picture() {
        let text = "5\n4,1\n0,2\n1,3\n2,4\n3,0\n1\n0\n-1\n";
        let picture = drawn(text, Some(2)).expect("a picture");
        assert!(
            picture.width > 1.0 && picture.width < 10.0,
            "{}",
            picture.width
        );
        assert!(
            picture.caption.ends_with("a route to 2"),
            "{}",
            picture.caption
        );
    }
}
