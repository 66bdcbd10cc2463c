//! Queries spread over the lengths of paths.

use ikeru_core::{Deadline, InputError, Random, Ticker, refuse};

use crate::instance::{Instance, Query};
use crate::map::Cell;
use crate::referee::ground_truth::GroundTruth;

/// The most starts, for each of which all lengths are computed.
const STARTS: usize = 64;
/// The number of queries that share a start, unless there are more than [`STARTS`] groups.
const GOALS: usize = 8;
/// The most random starts that are tried to find one in a large part of the map.
const TRIES: usize = 20;

/// `count` queries whose lengths are spread evenly between 0 and the longest path from their start.
///
/// # Errors
/// If the map has no path.
pub fn spread(
    instance: &Instance,
    count: usize,
    random: &mut Random,
) -> Result<Vec<Query>, InputError> {
    let open: Vec<Cell> = instance
        .map()
        .cells()
        .filter(|cell| instance.factor(*cell).is_some())
        .collect();
    if open.is_empty() {
        refuse!("the map has no open ground for a query");
    }
    // A generator has no deadline.
    let mut ticker = Deadline::never().ticker(u32::MAX);
    let ground = GroundTruth::new(instance, &mut ticker).ok_or_else(unfinished)?;
    let starts = count.div_ceil(GOALS).min(STARTS);
    let mut queries = Vec::with_capacity(count);
    for number in 0..starts {
        let (start, goals) = a_start(instance, &ground, &open, random, &mut ticker)?;
        let first = number * count / starts;
        let last = (number + 1) * count / starts;
        for _ in first..last {
            queries.push(a_query(instance, start, &goals, random));
        }
    }
    queries.sort_by_key(|query| query.bucket);
    Ok(queries)
}

/// A start from which at least a quarter of the open cells can be reached, or the best of [`TRIES`] random ones, with
/// all goals and their lengths, nearest first.
fn a_start(
    instance: &Instance,
    ground: &GroundTruth,
    open: &[Cell],
    random: &mut Random,
    ticker: &mut Ticker,
) -> Result<(Cell, Vec<(f64, Cell)>), InputError> {
    let mut best: (Cell, Vec<(f64, Cell)>) = (open[0], Vec::new());
    for _ in 0..TRIES {
        let start = open[random.index(open.len())];
        let lengths = ground.lengths_from(start, None, ticker);
        let lengths = lengths.ok_or_else(unfinished)?;
        let costs = instance.question.costs;
        let mut goals: Vec<(f64, Cell)> = instance
            .map()
            .cells()
            .zip(lengths)
            .filter_map(|(cell, length)| Some((costs.decimal(length?), cell)))
            .filter(|(_, cell)| *cell != start)
            .collect();
        if goals.len() > best.1.len() {
            goals.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            best = (start, goals);
        }
        if best.1.len() * 4 >= open.len() {
            break;
        }
    }
    if best.1.is_empty() {
        refuse!("the map has no two cells with a path between them");
    }
    Ok(best)
}

fn unfinished() -> InputError {
    InputError::new("the deadline passed before the queries were made")
}

fn a_query(instance: &Instance, start: Cell, goals: &[(f64, Cell)], random: &mut Random) -> Query {
    let longest = goals[goals.len() - 1].0;
    let wanted = longest * random.unit();
    let at = goals.partition_point(|(length, _)| *length < wanted);
    // A random cell at about this distance, so that goals do not repeat.
    let around = (at + random.index(16)).min(goals.len() - 1);
    let (length, goal) = goals[around];
    Query {
        bucket: (length / 4.0) as u32,
        start,
        goal,
        published: instance
            .question
            .is_published_rule()
            .then_some((length * 1e8).round() / 1e8),
    }
}
