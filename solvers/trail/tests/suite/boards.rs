//! Random boards.

use std::sync::Arc;

use ikeru_core::Random;
use ikeru_trail::{EdgeOperation, Puzzle, PuzzleBoard};

/// A random board of up to `side` × `side` vertices: 0–4 `×` (also `×0`, `×1` and factors of two digits), few or mostly
/// `-`, start and goal anywhere and often equal, every sixth with a route so far.
pub fn puzzle(random: &mut Random, side: i64) -> Puzzle {
    let (width, height) = loop {
        let size = (random.between(1, side), random.between(1, side));
        if size != (1, 1) {
            break (size.0 as usize, size.1 as usize);
        }
    };
    let edges = 2 * width * height - width - height;
    let minus = [0.2, 0.5, 0.85][random.index(3)];
    let mut operations: Vec<EdgeOperation> = (0..edges)
        .map(|_| {
            let highest = if random.chance(0.1) { 40 } else { 9 };
            let number = random.between(0, highest);
            EdgeOperation::Add(if random.chance(minus) {
                -number
            } else {
                number
            })
        })
        .collect();
    for _ in 0..random.below(5) {
        let factor = [0, 0, 1, 2, 2, 3, 5, 12][random.index(8)];
        operations[random.index(edges)] = EdgeOperation::Multiply(factor);
    }
    let board = Arc::new(PuzzleBoard::new(width, height, operations).expect("a small board"));
    let goal = random.index(board.vertex_count());
    let start = if random.chance(0.25) {
        goal
    } else {
        random.index(board.vertex_count())
    };
    let steps = if random.chance(0.17) {
        random.below(5)
    } else {
        0
    };
    let mut route = vec![start];
    for _ in 0..steps {
        let around: Vec<usize> = board
            .neighbours(route[route.len() - 1])
            .map(|(_, to)| to)
            .collect();
        let mut longer = route.clone();
        longer.push(around[random.index(around.len())]);
        if board.edges_of(&longer).is_ok() {
            route = longer;
        }
    }
    Puzzle::new(board, route, goal).expect("a question on the board")
}
