//! Checks a certificate line by line: the tree must leave out no trail, the bound of every leaf must not exceed the
//! score, and the trail must be legal and have that score.

use ikeru_core::{InputError, Score, input_error, refuse};
use ikeru_trail::puzzle::{Answer, Edge, Trail};
use ikeru_trail::{format, referee};

use crate::decided::Decided;
use crate::layout::Layout;
use crate::segments::{LeafSegments, TOO_LARGE};
use crate::{HEADER, Label, PricedCut};

/// The largest number of decisions from the root to a leaf: a certificate is checked by recursion.
const DEEPEST: usize = 1024;

/// The largest length of a board's shorter side: a scan has 2^(side + 1) states.
pub const LONGEST_LINE: usize = 24;

/// The statement that a verified certificate proves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    /// The text of the puzzle to which the certificate belongs.
    pub instance: String,
    /// The best score; `None` if there is no trail.
    pub score: Option<Score>,
    /// Parts of the search space whose bound was recomputed.
    pub leaves: usize,
    /// Parts that hold no trail.
    pub infeasible: usize,
}

/// Checks a certificate.
///
/// # Errors
/// The first wrong line and its fault.
pub fn verify(text: &str) -> Result<Verified, InputError> {
    let mut lines = CertificateLines {
        rest: text.lines(),
        taken: 0,
        is_over: false,
    };
    if lines.take() != Some(HEADER) {
        return Err(lines.wrong(&format!("expected `{HEADER}`")));
    }
    let mut puzzle_text = String::new();
    while let Some(line) = lines.peek().filter(|line| !line.starts_with("trail")) {
        puzzle_text.push_str(line);
        puzzle_text.push('\n');
        lines.take();
    }
    let puzzle = format::read(&puzzle_text).map_err(|error| match error.line {
        Some(line) => InputError::at(line + 1, error.message),
        None => error,
    })?;
    let layout = Layout::of(&puzzle);
    if layout.line > LONGEST_LINE {
        refuse!(
            "the shorter side of the board has {} vertices, at most {LONGEST_LINE} are checked",
            layout.line
        );
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
    let root = Decided::root(check.layout.factors());
    check.node(&root, 0)?;
    if check.lines.take() != Some("end") || check.lines.peek().is_some() {
        return Err(check
            .lines
            .wrong("expected `end` after the last leaf, and nothing after it"));
    }
    Ok(check.verified)
}

/// The lines of a certificate. They are read one by one and not kept, because a certificate may be very long.
struct CertificateLines<'a> {
    rest: std::str::Lines<'a>,
    taken: usize,
    /// True if a line was requested after the last one.
    is_over: bool,
}

impl<'a> CertificateLines<'a> {
    fn peek(&self) -> Option<&'a str> {
        self.rest.clone().next()
    }

    fn take(&mut self) -> Option<&'a str> {
        let line = self.rest.next();
        match line {
            Some(_) => self.taken += 1,
            None => self.is_over = true,
        }
        line
    }

    /// An error about the line last taken.
    fn wrong(&self, what: &str) -> InputError {
        if self.is_over {
            return input_error!("the text ends after line {}: {what}", self.taken);
        }
        InputError::at(self.taken, what)
    }

    /// The `count` numbers of a line after its word.
    fn numbers(&mut self, word: &str, count: usize) -> Result<Vec<i64>, InputError> {
        let expected = format!("expected `{word}` and {count} whole numbers");
        let line = self.take();
        let rest = line.and_then(|line| line.strip_prefix(word));
        let words = rest.map(|rest| rest.split_whitespace().take(count + 1));
        let numbers = words.map(|words| words.map(str::parse).collect());
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
    lines: CertificateLines<'a>,
    scale: i64,
    ceiling: Option<Score>,
    verified: Verified,
}

impl Check<'_> {
    /// Checks a node: a leaf, or all its children, each after its label.
    fn node(&mut self, decided: &Decided, depth: usize) -> Result<(), InputError> {
        let first = self.lines.peek().unwrap_or("");
        let word = first.split_whitespace().next().unwrap_or("");
        match word {
            "leaf" => self.leaf(decided),
            "infeasible" => self.infeasible(decided),
            _ if depth == DEEPEST => {
                self.lines.take();
                Err(self
                    .lines
                    .wrong(&format!("expected a leaf after {DEEPEST} decisions")))
            }
            _ => {
                let labels = self.label(first).and_then(|label| decided.children(&label));
                let labels = labels.map_err(|what| {
                    self.lines.take();
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
            "expected a leaf (`leaf`, `infeasible`) or a child (`used`, `step`, `forward`, `passes`, `crosses`)"
                .to_owned()
        };
        let (word, rest) = line.split_once(' ').ok_or_else(expected)?;
        let mut numbers = Vec::new();
        // A segment and a boundary; a boundary has each edge at most once.
        let most = self.layout.ends.len() + 1;
        for word in rest.split_whitespace() {
            if numbers.len() == most {
                return Err(expected());
            }
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
            ("step", [number]) => Ok(Label::Step(edge(*number)?)),
            ("forward", [segment]) => Ok(Label::Direction(*segment, true)),
            ("passes", [segment, number]) => Ok(Label::Edge(*segment, edge(*number)?, true)),
            ("crosses", [segment, boundary @ ..]) => {
                let boundary = boundary.iter().map(|number| edge(*number));
                let boundary = boundary.collect::<Result<Vec<_>, _>>()?;
                Ok(Label::Boundary(*segment, boundary, true))
            }
            _ => Err(expected()),
        }
    }

    fn segments(&self, decided: &Decided) -> Result<Option<LeafSegments>, InputError> {
        let segments = LeafSegments::of(&self.layout, decided, self.scale);
        segments.map_err(|what| self.lines.wrong(what))
    }

    fn infeasible(&mut self, decided: &Decided) -> Result<(), InputError> {
        self.lines.take();
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
        let line = self.lines.taken;
        let segments = self.segments(decided)?;
        let cuts = self.lines.rest.clone();
        let mut count = 0;
        while let Some(text) = self.lines.peek().and_then(|line| line.strip_prefix("cut ")) {
            self.lines.take();
            count += 1;
            let cut = cut(text, edges).ok_or_else(|| {
                self.lines.wrong(
                    "expected `cut` with a segment, a price of at least 0, an edge or `crosses`, and edges",
                )
            })?;
            if segments
                .as_ref()
                .is_some_and(|segments| cut.segment >= segments.count())
            {
                return Err(self.lines.wrong("a cut of a segment that is not there"));
            }
        }
        self.verified.leaves += 1;
        let wrong = |what: String| InputError::at(line, what);
        let Some(segments) = segments else {
            return Ok(());
        };
        // The cuts are read a second time, so that millions of them take no memory.
        let cuts = cuts.take(count);
        let cuts = cuts.filter_map(|line| cut(line.strip_prefix("cut ")?, edges));
        let Some(score) = self.verified.score else {
            return Err(wrong(
                "a leaf with prices, but no trail is claimed".to_owned(),
            ));
        };
        let bound = segments.bound(&self.layout, decided, &prices, cuts);
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

/// Parses the text of a cut after its word.
fn cut(text: &str, edges: usize) -> Option<PricedCut> {
    let mut words = text.split_whitespace();
    let segment = words.next()?.parse().ok()?;
    let price = words.next()?.parse().ok()?;
    let known = |word: &str| word.parse().ok().filter(|edge| *edge < edges);
    let edge = match words.next()? {
        "crosses" => None,
        word => Some(known(word)?),
    };
    // A boundary has each edge at most once.
    let boundary = words.take(edges + 1).map(known);
    let boundary = boundary.collect::<Option<Vec<Edge>>>()?;
    (price >= 0 && boundary.len() <= edges).then_some(PricedCut {
        segment,
        price,
        edge,
        boundary,
    })
}
