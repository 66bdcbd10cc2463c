//! Checks a certificate line by line: that its tree leaves out no trail, that every leaf's bound does not exceed the score,
//! and that the trail is legal and has that score.

use ikeru_core::{InputError, Score, Verified};

use super::segments::{Segments, TOO_LARGE};
use super::{Cut, HEADER, Label};
use crate::puzzle::{Answer, Edge, Operation, Puzzle, Trail, Vertex};
use crate::{format, referee};

/// Decisions from the root to a leaf at most: a certificate is checked by recursion.
const DEEPEST: usize = 1024;

/// The longest short side of a board: a scan has 2^(side + 1) states.
const LONGEST_LINE: usize = 24;

/// A vertex in the order of the scan.
pub struct Place {
    /// The vertex.
    pub number: Vertex,
    /// Its place in its line.
    pub place: usize,
    /// The edge to the next place.
    pub along: Option<Edge>,
    /// The edge to the next line.
    pub across: Option<Edge>,
}

/// The puzzle by the numbers of its text.
pub struct Layout {
    /// How many vertices there are.
    pub vertices: usize,
    /// Both ends of every edge, the lower number first.
    pub ends: Vec<(Vertex, Vertex)>,
    /// An edge that leads to the vertex from a lower number; none does to vertex 0.
    entered: Vec<Edge>,
    /// What passing each edge does.
    pub operations: Vec<Operation>,
    /// Whether the route so far leaves the edge.
    pub free: Vec<bool>,
    /// Where the route so far ends.
    pub start: Vertex,
    /// Where every trail ends.
    pub goal: Vertex,
    /// The score at `start`.
    pub start_score: Score,
    /// Vertices in a line: the shorter side.
    pub line: usize,
    /// All vertices, line by line.
    pub order: Vec<Place>,
}

impl Layout {
    fn of(puzzle: &Puzzle) -> Self {
        let (width, height) = (puzzle.board().width(), puzzle.board().height());
        // The text has the edges to the right of a row, then those downward.
        let (mut right, mut down) = (vec![None; width * height], vec![None; width * height]);
        let mut ends = Vec::new();
        for y in 0..height {
            for x in 0..width - 1 {
                right[y * width + x] = Some(ends.len());
                ends.push((y * width + x, y * width + x + 1));
            }
            for x in (0..width).filter(|_| y + 1 < height) {
                down[y * width + x] = Some(ends.len());
                ends.push((y * width + x, (y + 1) * width + x));
            }
        }
        let mut entered = vec![0; width * height];
        for (edge, (_, to)) in ends.iter().enumerate() {
            entered[*to] = edge;
        }
        let operations = puzzle.board().operations().to_vec();
        let mut free = vec![true; ends.len()];
        let mut start_score = 1;
        for step in puzzle.route().windows(2) {
            let (low, high) = (step[0].min(step[1]), step[0].max(step[1]));
            let edge = if high == low + 1 && right[low].is_some() {
                right[low]
            } else {
                down[low]
            };
            if let Some(edge) = edge {
                free[edge] = false;
                start_score = match operations[edge] {
                    Operation::Add(addend) => start_score + addend,
                    Operation::Multiply(factor) => start_score * factor,
                };
            }
        }
        let upright = width <= height;
        let (line, lines) = if upright {
            (width, height)
        } else {
            (height, width)
        };
        let order = (0..lines * line).map(|at| {
            let (outer, place) = (at / line, at % line);
            let number = if upright { at } else { place * width + outer };
            let (along, across) = if upright {
                (&right, &down)
            } else {
                (&down, &right)
            };
            Place {
                number,
                place,
                along: along[number],
                across: across[number],
            }
        });
        Self {
            vertices: width * height,
            order: order.collect(),
            start: puzzle.route().last().copied().unwrap_or(0),
            goal: puzzle.goal(),
            entered,
            ends,
            operations,
            free,
            start_score,
            line,
        }
    }

    /// What the edge multiplies by.
    pub fn factor(&self, edge: Edge) -> i64 {
        match self.operations[edge] {
            Operation::Multiply(factor) => factor,
            Operation::Add(_) => 1,
        }
    }

    /// All free edges that multiply by something else than 1.
    fn factors(&self) -> Vec<Edge> {
        let multiplies = |edge: &Edge| self.free[*edge] && self.factor(*edge) != 1;
        (0..self.ends.len()).filter(multiplies).collect()
    }

    /// No trail scores more: all that can be added above zero, times all factors above one.
    fn ceiling(&self) -> Option<Score> {
        let (mut sum, mut product) = (self.start_score.max(0), 1_i64);
        for edge in (0..self.ends.len()).filter(|edge| self.free[*edge]) {
            match self.operations[edge] {
                Operation::Add(addend) => sum = sum.checked_add(addend.max(0))?,
                Operation::Multiply(factor) => product = product.checked_mul(factor.max(1))?,
            }
        }
        sum.checked_mul(product)
    }

    /// Which side of a boundary each vertex is on; `None` if the edges bound no set of vertices.
    pub fn sides(&self, boundary: &[Edge]) -> Option<Vec<bool>> {
        let mut crosses = vec![false; self.ends.len()];
        for edge in boundary {
            crosses[*edge] = true;
        }
        let mut side = vec![false; self.vertices];
        for vertex in 1..self.vertices {
            let edge = self.entered[vertex];
            side[vertex] = side[self.ends[edge].0] != crosses[edge];
        }
        let agrees =
            |edge: usize| (side[self.ends[edge].0] != side[self.ends[edge].1]) == crosses[edge];
        (0..self.ends.len()).all(agrees).then_some(side)
    }

    /// Takes away the edges that no trail between `ends` can pass. False if there is no such trail.
    ///
    /// With one more edge that joins the ends, a trail is part of a closed one. A closed trail passes no
    /// bridge, an edge whose ends are not connected without it. So what is left when all bridges are gone, around the start.
    pub fn keep_passable(&self, costs: &mut [Option<i64>], (from, to): (Vertex, Vertex)) -> bool {
        let mut edges: Vec<(Vertex, Vertex, Option<Edge>)> = (0..costs.len())
            .filter(|edge| costs[*edge].is_some())
            .map(|edge| (self.ends[edge].0, self.ends[edge].1, Some(edge)))
            .collect();
        if from != to {
            edges.push((from, to, None));
        }
        let bridge = bridges(self.vertices, &edges);
        if edges
            .iter()
            .zip(&bridge)
            .any(|(edge, bridge)| edge.2.is_none() && *bridge)
        {
            return false;
        }
        let mut group: Vec<usize> = (0..self.vertices).collect();
        for (edge, _) in edges.iter().zip(&bridge).filter(|(_, bridge)| !**bridge) {
            join(&mut group, edge.0, edge.1);
        }
        let home = root(&group, from);
        for ((one, _, edge), bridge) in edges.iter().zip(&bridge) {
            if let Some(edge) = edge
                && (*bridge || root(&group, *one) != home)
            {
                costs[*edge] = None;
            }
        }
        true
    }
}

/// The group of a vertex in a union–find forest.
fn root(group: &[usize], mut vertex: usize) -> usize {
    while group[vertex] != vertex {
        vertex = group[vertex];
    }
    vertex
}

fn join(group: &mut [usize], one: usize, two: usize) -> bool {
    let (one, two) = (root(group, one), root(group, two));
    group[one] = two;
    one != two
}

/// Which edges are bridges: those of a spanning forest that no other edge spans.
///
/// The path between the ends of each edge outside the forest is merged into one group; an edge of the forest
/// within a group is no bridge.
fn bridges(vertices: usize, edges: &[(Vertex, Vertex, Option<Edge>)]) -> Vec<bool> {
    let mut group: Vec<usize> = (0..vertices).collect();
    let in_forest: Vec<bool> = edges
        .iter()
        .map(|edge| join(&mut group, edge.0, edge.1))
        .collect();
    let mut around = vec![Vec::new(); vertices];
    for (edge, _) in edges.iter().zip(&in_forest).filter(|(_, inside)| **inside) {
        around[edge.0].push(edge.1);
        around[edge.1].push(edge.0);
    }
    // Parents and depths in the forest.
    let (mut parent, mut depth) = (vec![usize::MAX; vertices], vec![usize::MAX; vertices]);
    for start in 0..vertices {
        if depth[start] != usize::MAX {
            continue;
        }
        (parent[start], depth[start]) = (start, 0);
        let mut stack = vec![start];
        while let Some(vertex) = stack.pop() {
            for &next in &around[vertex] {
                if depth[next] == usize::MAX {
                    (parent[next], depth[next]) = (vertex, depth[vertex] + 1);
                    stack.push(next);
                }
            }
        }
    }
    // The group of a vertex is named by its vertex nearest to the root.
    let mut merged: Vec<usize> = (0..vertices).collect();
    for (edge, _) in edges.iter().zip(&in_forest).filter(|(_, inside)| !**inside) {
        let (mut one, mut two) = (root(&merged, edge.0), root(&merged, edge.1));
        while one != two {
            if depth[one] < depth[two] {
                (one, two) = (two, one);
            }
            merged[one] = parent[one];
            one = root(&merged, one);
        }
    }
    let bridge = |(edge, inside): (&(Vertex, Vertex, Option<Edge>), &bool)| {
        *inside && root(&merged, edge.0) != root(&merged, edge.1)
    };
    edges.iter().zip(&in_forest).map(bridge).collect()
}

/// What the labels from the root to a node decide.
#[derive(Clone, Default)]
pub struct Decided {
    /// `×` edges that may be used or not.
    pub open: Vec<Edge>,
    /// `×` edges that are used, in an order not yet decided; rising.
    pub coming: Vec<Edge>,
    /// `×` edges in the order of the trail, and whether from the lower vertex number to the higher one.
    pub sequence: Vec<(Edge, bool)>,
    edges: Vec<(usize, Edge, bool)>,
    boundaries: Vec<(usize, Vec<Edge>, bool)>,
}

impl Decided {
    fn complete(&self) -> bool {
        self.open.is_empty() && self.coming.is_empty()
    }

    /// Whether the segment must not pass the edge.
    pub fn forbids(&self, segment: usize, edge: Edge) -> bool {
        let by_edge = |decided: &(usize, Edge, bool)| {
            decided.1 == edge && (decided.0 == segment) != decided.2
        };
        let by_boundary = |decided: &(usize, Vec<Edge>, bool)| {
            decided.0 == segment && !decided.2 && decided.1.contains(&edge)
        };
        self.edges.iter().any(by_edge) || self.boundaries.iter().any(by_boundary)
    }

    /// The edges that the segment must pass.
    pub fn forced(&self, segment: usize, remainder: bool) -> Vec<Edge> {
        let own = |decided: &&(usize, Edge, bool)| decided.0 == segment && decided.2;
        let mut forced: Vec<Edge> = self
            .edges
            .iter()
            .filter(own)
            .map(|decided| decided.1)
            .collect();
        if remainder {
            forced.extend(&self.coming);
        }
        forced.sort_unstable();
        forced.dedup();
        forced
    }

    /// Whether the segment is decided to cross the boundary.
    pub fn crosses(&self, segment: usize, boundary: &[Edge]) -> bool {
        let same = |decided: &(usize, Vec<Edge>, bool)| {
            decided.0 == segment && decided.2 && decided.1 == boundary
        };
        self.boundaries.iter().any(same)
    }

    /// The labels of all children if one of them is `first`, which must be the first.
    fn children(&self, first: &Label) -> Result<Vec<Label>, String> {
        let ends_fixed =
            |segment: usize| segment < self.sequence.len() + usize::from(self.complete());
        match first {
            Label::Used(edge, _) if self.open.contains(edge) => {
                Ok(vec![Label::Used(*edge, true), Label::Used(*edge, false)])
            }
            Label::Used(edge, _) => Err(format!("edge {edge} is no undecided × edge")),
            Label::Step(..) if !self.open.is_empty() => {
                Err("a step before all × edges are decided to be used or not".to_owned())
            }
            Label::Step(..) if self.coming.is_empty() => {
                Err("a step where no × edge is still to come".to_owned())
            }
            Label::Step(..) => {
                let both = |edge: &Edge| [true, false].map(|forward| Label::Step(*edge, forward));
                Ok(self.coming.iter().flat_map(both).collect())
            }
            Label::Edge(segment, edge, _) if self.complete() && ends_fixed(*segment) => {
                Ok([true, false]
                    .map(|passes| Label::Edge(*segment, *edge, passes))
                    .to_vec())
            }
            Label::Boundary(segment, boundary, _) if ends_fixed(*segment) => {
                let both = [true, false];
                Ok(both
                    .map(|crosses| Label::Boundary(*segment, boundary.clone(), crosses))
                    .to_vec())
            }
            Label::Edge(segment, ..) | Label::Boundary(segment, ..) => {
                Err(format!("segment {segment} is not decided yet"))
            }
        }
    }

    fn with(&self, label: &Label) -> Self {
        let mut decided = self.clone();
        match label {
            Label::Used(edge, used) => {
                decided.open.retain(|open| open != edge);
                if *used {
                    decided.coming.push(*edge);
                    decided.coming.sort_unstable();
                }
            }
            Label::Step(edge, forward) => {
                decided.coming.retain(|coming| coming != edge);
                decided.sequence.push((*edge, *forward));
            }
            Label::Edge(segment, edge, passes) => decided.edges.push((*segment, *edge, *passes)),
            Label::Boundary(segment, boundary, crosses) => {
                decided
                    .boundaries
                    .push((*segment, boundary.clone(), *crosses));
            }
        }
        decided
    }
}

/// Checks a certificate.
///
/// # Errors
/// The first line that is not as it must be, and what is wrong with it.
pub fn verify(text: &str) -> Result<Verified, InputError> {
    let mut lines = Lines {
        lines: text.lines().collect(),
        next: 0,
    };
    if lines.take() != Some(HEADER) {
        return Err(lines.wrong(&format!("expected `{HEADER}`")));
    }
    let mut puzzle_text = String::new();
    while let Some(line) = lines.peek().filter(|line| !line.starts_with("trail")) {
        puzzle_text.push_str(line);
        puzzle_text.push('\n');
        lines.next += 1;
    }
    let puzzle = format::read(&puzzle_text).map_err(|error| match error.line {
        Some(line) => InputError::at(line + 1, error.message),
        None => error,
    })?;
    let layout = Layout::of(&puzzle);
    if layout.line > LONGEST_LINE {
        return Err(InputError::new(format!(
            "the shorter side of the board has {} vertices, at most {LONGEST_LINE} are checked",
            layout.line
        )));
    }
    let answer = lines.answer()?;
    let checked = referee::check(&puzzle, answer.as_ref());
    let checked = checked.map_err(|wrong| lines.wrong(&wrong.to_string()))?;
    let scale = lines.numbers("scale", 1)?[0];
    if scale < 1 {
        return Err(lines.wrong("expected a scale of at least 1"));
    }
    let mut check = Check {
        ceiling: layout.ceiling(),
        verified: Verified {
            instance: format::write(&puzzle),
            score: checked.score,
            leaves: 0,
            infeasible: 0,
        },
        layout,
        lines,
        scale,
    };
    let root = Decided {
        open: check.layout.factors(),
        ..Decided::default()
    };
    check.node(&root, 0)?;
    if check.lines.take() != Some("end") || check.lines.peek().is_some() {
        return Err(check
            .lines
            .wrong("expected `end` after the last leaf, and nothing after it"));
    }
    Ok(check.verified)
}

struct Lines<'a> {
    lines: Vec<&'a str>,
    next: usize,
}

impl<'a> Lines<'a> {
    fn peek(&self) -> Option<&'a str> {
        self.lines.get(self.next).copied()
    }

    fn take(&mut self) -> Option<&'a str> {
        let line = self.peek();
        self.next += 1;
        line
    }

    /// An error about the line last taken.
    fn wrong(&self, what: &str) -> InputError {
        if self.next > self.lines.len() {
            return InputError::new(format!(
                "the text ends after line {}: {what}",
                self.lines.len()
            ));
        }
        InputError::at(self.next, what)
    }

    /// The numbers of a line after its word, `count` of them.
    fn numbers(&mut self, word: &str, count: usize) -> Result<Vec<i64>, InputError> {
        let expected = format!("expected `{word}` and {count} whole numbers");
        let line = self.take();
        let rest = line.and_then(|line| line.strip_prefix(word));
        let numbers = rest.map(|rest| rest.split_whitespace().map(str::parse).collect());
        match numbers {
            Some(Ok(numbers)) if Vec::len(&numbers) == count => Ok(numbers),
            _ => Err(self.wrong(&expected)),
        }
    }

    fn answer(&mut self) -> Result<Answer, InputError> {
        let line = self.take();
        if line == Some("trail none") {
            return Ok(None);
        }
        let vertices = line.and_then(|line| line.strip_prefix("trail "));
        let vertices = vertices.map(|line| line.split_whitespace().map(str::parse).collect());
        let Some(Ok(vertices)) = vertices else {
            return Err(self.wrong("expected `trail` and its vertices, or `trail none`"));
        };
        let score = self.numbers("score", 1)?[0];
        Ok(Some(Trail { vertices, score }))
    }
}

struct Check<'a> {
    layout: Layout,
    lines: Lines<'a>,
    scale: i64,
    ceiling: Option<Score>,
    verified: Verified,
}

impl Check<'_> {
    /// A node: a leaf, or all its children, each after its label.
    fn node(&mut self, decided: &Decided, depth: usize) -> Result<(), InputError> {
        let first = self.lines.peek().unwrap_or("");
        let word = first.split_whitespace().next().unwrap_or("");
        match word {
            "leaf" => self.leaf(decided),
            "infeasible" => self.infeasible(decided),
            _ if depth == DEEPEST => {
                self.lines.next += 1;
                Err(self
                    .lines
                    .wrong(&format!("expected a leaf after {DEEPEST} decisions")))
            }
            _ => {
                let labels = self.label(first).and_then(|label| decided.children(&label));
                let labels = labels.map_err(|what| {
                    self.lines.next += 1;
                    self.lines.wrong(&what)
                })?;
                for label in labels {
                    let expected = label.to_string();
                    if self.lines.take() != Some(&expected) {
                        return Err(self
                            .lines
                            .wrong(&format!("the tree is incomplete, expected `{expected}`")));
                    }
                    self.node(&decided.with(&label), depth + 1)?;
                }
                Ok(())
            }
        }
    }

    fn label(&self, line: &str) -> Result<Label, String> {
        let expected = || {
            "expected a leaf (`leaf`, `infeasible`) or a child (`used`, `step`, `passes`, `crosses`)"
                .to_owned()
        };
        let (word, rest) = line.split_once(' ').ok_or_else(expected)?;
        let mut numbers = Vec::new();
        for word in rest.split_whitespace().filter(|word| *word != "forward") {
            numbers.push(word.parse::<usize>().map_err(|_| expected())?);
        }
        let edge = |edge: usize| {
            let known = edge < self.layout.ends.len();
            known
                .then_some(edge)
                .ok_or_else(|| format!("the board has no edge {edge}"))
        };
        match (word, numbers.as_slice()) {
            ("used", [number]) => Ok(Label::Used(edge(*number)?, true)),
            ("step", [number]) => Ok(Label::Step(edge(*number)?, true)),
            ("passes", [segment, number]) => Ok(Label::Edge(*segment, edge(*number)?, true)),
            ("crosses", [segment, boundary @ ..]) => {
                let boundary = boundary.iter().map(|number| edge(*number));
                let boundary = boundary.collect::<Result<Vec<_>, _>>()?;
                Ok(Label::Boundary(*segment, boundary, true))
            }
            _ => Err(expected()),
        }
    }

    fn segments(&self, decided: &Decided) -> Result<Option<Segments>, InputError> {
        let segments = Segments::of(&self.layout, decided, self.scale);
        segments.map_err(|what| self.lines.wrong(what))
    }

    fn infeasible(&mut self, decided: &Decided) -> Result<(), InputError> {
        self.lines.next += 1;
        self.verified.infeasible += 1;
        match self.segments(decided)? {
            Some(segments) if !segments.impossible(&self.layout) => Err(self
                .lines
                .wrong("a trail is not impossible here, expected `leaf` with prices")),
            _ => Ok(()),
        }
    }

    fn leaf(&mut self, decided: &Decided) -> Result<(), InputError> {
        let edges = self.layout.ends.len();
        let prices = self.lines.numbers("leaf", edges)?;
        let line = self.lines.next;
        let mut cuts = Vec::new();
        while let Some(text) = self.lines.peek().and_then(|line| line.strip_prefix("cut ")) {
            self.lines.next += 1;
            let cut = cut(text, edges).ok_or_else(|| {
                self.lines.wrong(
                    "expected `cut` with a segment, a price of at least 0, an edge or `crosses`, and edges",
                )
            })?;
            cuts.push(cut);
        }
        self.verified.leaves += 1;
        let wrong = |what: String| InputError::at(line, what);
        let Some(segments) = self.segments(decided)? else {
            return Ok(());
        };
        if cuts.iter().any(|cut| cut.segment >= segments.count()) {
            return Err(wrong("a cut of a segment that is not there".to_owned()));
        }
        let Some(score) = self.verified.score else {
            return Err(wrong(
                "a leaf with prices, but no trail is claimed".to_owned(),
            ));
        };
        let bound = segments.bound(&self.layout, decided, &prices, &cuts);
        let Some(bound) = bound.map_err(wrong)? else {
            return Ok(());
        };
        let bound = bound.div_euclid(self.scale);
        let ceiling = self.ceiling.ok_or_else(|| wrong(TOO_LARGE.to_owned()))?;
        if bound.min(ceiling) > score {
            return Err(wrong(format!(
                "the prices of this leaf bound its trails by {bound}, expected at most the score {score}"
            )));
        }
        Ok(())
    }
}

/// A cut after its word.
fn cut(text: &str, edges: usize) -> Option<Cut> {
    let mut words = text.split_whitespace();
    let segment = words.next()?.parse().ok()?;
    let price = words.next()?.parse().ok()?;
    let known = |word: &str| word.parse().ok().filter(|edge| *edge < edges);
    let edge = match words.next()? {
        "crosses" => None,
        word => Some(known(word)?),
    };
    let boundary = words.map(known).collect::<Option<Vec<Edge>>>()?;
    let fits = (0..1 << 40).contains(&price);
    fits.then_some(Cut {
        segment,
        price,
        edge,
        boundary,
    })
}
