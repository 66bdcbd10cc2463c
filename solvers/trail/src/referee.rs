//! Checks an answer: replays the trail with separate arithmetic on coordinates and operations.
//! Shares no code with the variants or with [`Puzzle::replay`].

use std::collections::HashSet;

use ikeru_core::{Checked, Wrong};

use crate::puzzle::{EdgeOperation, Puzzle, Trail, Vertex};

/// The number of operations with more than one digit, which the article's rule does not allow.
pub fn long_operations(puzzle: &Puzzle) -> usize {
    let operations = puzzle.board().operations().iter();
    operations.filter(|op| !op.has_one_digit()).count()
}

/// The sum of the board's `+` operations.
fn plus_sum(puzzle: &Puzzle) -> i64 {
    let operations = puzzle.board().operations().iter();
    let addends = operations.filter_map(|operation| match operation {
        EdgeOperation::Add(addend) => Some((*addend).max(0)),
        EdgeOperation::Multiply(_) => None,
    });
    addends.fold(0, i64::saturating_add)
}

/// The article's bound before the first move: all `+`, then all `×`.
fn start_bound(puzzle: &Puzzle) -> f64 {
    let operations = puzzle.board().operations().iter();
    let factors = operations.map(|operation| match operation {
        EdgeOperation::Multiply(factor) => *factor as f64,
        EdgeOperation::Add(_) => 1.0,
    });
    factors.fold(1.0 + plus_sum(puzzle) as f64, |bound, factor| {
        bound * factor
    })
}

/// Replays `trail`. The answer that there is no trail is right only if the goal is out of reach.
///
/// # Errors
/// The claim that is wrong and the true value.
pub fn check(puzzle: &Puzzle, trail: Option<&Trail>) -> Result<Checked, Wrong> {
    let Some(trail) = trail else {
        return if goal_in_reach(puzzle) {
            Err(Wrong(
                "no trail claimed, but the goal is in reach".to_owned(),
            ))
        } else {
            Ok(Checked::default())
        };
    };
    if !trail.vertices.starts_with(puzzle.route()) {
        return Err(Wrong(format!(
            "the trail begins otherwise than the route so far, {:?}",
            puzzle.route()
        )));
    }
    if trail.vertices.last() != Some(&puzzle.goal()) {
        return Err(Wrong(format!(
            "the trail does not end at {}",
            puzzle.goal()
        )));
    }
    let (mut score, mut factors) = (1_i64, 0);
    let mut passed = HashSet::new();
    for step in trail.vertices.windows(2) {
        let (from, to) = (step[0].min(step[1]), step[0].max(step[1]));
        if !passed.insert((from, to)) {
            return Err(Wrong(format!("the trail passes {from}–{to} twice")));
        }
        let operation = operation_between(puzzle, from, to)
            .ok_or_else(|| Wrong(format!("the trail jumps from {} to {}", step[0], step[1])))?;
        score = match operation {
            EdgeOperation::Add(addend) => score + addend,
            EdgeOperation::Multiply(factor) => {
                factors += 1;
                score * factor
            }
        };
    }
    if score != trail.score {
        let claimed = trail.score;
        return Err(Wrong(format!(
            "claimed {claimed}, the trail scores {score}"
        )));
    }
    let mut measures = vec![
        ("trail_edges", passed.len() as f64),
        ("trail_factors", f64::from(factors)),
        ("long_operations", long_operations(puzzle) as f64),
        ("plus_sum", plus_sum(puzzle) as f64),
        ("start_bound", start_bound(puzzle)),
    ];
    let known = puzzle.best_known().filter(|known| *known != trail);
    let known = known.and_then(|known| check(puzzle, Some(known)).ok()?.score);
    measures.extend(known.map(|known| ("known_score", known as f64)));
    Ok(Checked {
        score: Some(score),
        measures,
    })
}

/// The operation between `low` and `high`, found by its position in the text; `None` if there is no edge.
fn operation_between(puzzle: &Puzzle, low: Vertex, high: Vertex) -> Option<EdgeOperation> {
    let (width, height) = (puzzle.board().width(), puzzle.board().height());
    if high >= width * height {
        return None;
    }
    let (x, y) = (low % width, low / width);
    let edges_above = y * (width - 1) + y * width;
    let place = if high == low + width {
        edges_above + (width - 1) + x
    } else if high == low + 1 && x + 1 < width {
        edges_above + x
    } else {
        return None;
    };
    puzzle.board().operations().get(place).copied()
}

/// Returns whether a trail can continue from the route so far to the goal: a flood fill over the edges not passed.
fn goal_in_reach(puzzle: &Puzzle) -> bool {
    let route = puzzle.route();
    let passed: HashSet<(Vertex, Vertex)> = route
        .windows(2)
        .flat_map(|step| [(step[0], step[1]), (step[1], step[0])])
        .collect();
    let position = puzzle.position();
    let mut seen = HashSet::from([position]);
    let mut stack = vec![position];
    while let Some(vertex) = stack.pop() {
        let width = puzzle.board().width();
        let around = [
            vertex + 1,
            vertex + width,
            vertex.wrapping_sub(1),
            vertex.wrapping_sub(width),
        ];
        for next in around {
            let edge = operation_between(puzzle, vertex.min(next), vertex.max(next));
            if edge.is_some() && !passed.contains(&(vertex, next)) && seen.insert(next) {
                stack.push(next);
            }
        }
    }
    seen.contains(&puzzle.goal())
}
