//! The peer as a variant, compiled with the feature `peers`.

use ikeru_core::{Deadline, Settings};

use crate::answer::Answer;
use crate::cost::Guarantee;
use crate::instance::{Instance, Query};
use crate::map::{Cell, Heading};
use crate::variants::batch::solver;
use crate::variants::finder::{Finder, Prepared, QueryWork, SCALED_H, Searched, Stopped};
use crate::variants::steps::Steps;

pub fn pathfinding<'a>(
    instance: &'a Instance,
    settings: &Settings,
    deadline: Deadline,
) -> Prepared<'a> {
    let steps = Steps::new(instance, settings.get(&SCALED_H)?, deadline)?;
    let neighbours = Neighbours::new(instance, &steps);
    let neighbours = std::sync::Arc::new(neighbours);
    Ok(solver(instance, move || Pathfinding {
        steps,
        neighbours: neighbours.clone(),
    }))
}

/// The legal steps of every cell, computed beforehand, so that the measured time is that of the peer.
struct Neighbours {
    width: usize,
    legal: Vec<u8>,
}

impl Neighbours {
    fn new(instance: &Instance, steps: &Steps) -> Self {
        let legal = instance.map().cells().map(|cell| {
            let open = instance.factor(cell).is_some();
            let legal = |d: &Heading| open && steps.step(cell, *d).is_some();
            let all = Heading::ALL.into_iter().filter(legal);
            all.fold(0, |mask, direction| mask | 1 << direction.0)
        });
        Self {
            width: instance.map().width(),
            legal: legal.collect(),
        }
    }

    fn of(&self, cell: Cell) -> impl Iterator<Item = Heading> + use<> {
        let mask = self.legal[usize::from(cell.y) * self.width + usize::from(cell.x)];
        Heading::ALL
            .into_iter()
            .filter(move |d| mask >> d.0 & 1 == 1)
    }
}

/// Appends the path that a peer found, unless it was `late`.
fn conclude(steps: &Steps, late: bool, path: Option<Vec<Cell>>, answer: &mut Answer) -> Searched {
    if late {
        return Err(Stopped::OutOfTime);
    }
    match path {
        Some(path) => {
            let length = steps.length(&path);
            answer.push_path(path, length);
        }
        None => answer.push_none(),
    }
    Ok(())
}

struct Pathfinding<'a> {
    steps: Steps<'a>,
    neighbours: std::sync::Arc<Neighbours>,
}

impl Finder for Pathfinding<'_> {
    fn find(&mut self, query: Query, answer: &mut Answer, work: &mut QueryWork) -> Searched {
        let steps = self.steps;
        let (mut expansions, mut late) = (0, false);
        let found = pathfinding::prelude::astar(
            &query.start,
            |cell| {
                expansions += 1;
                let cell = *cell;
                // The crate has no deadline: its search ends when it gets no more neighbours.
                late |= work.ticker.passed();
                let directions = (!late).then(|| self.neighbours.of(cell));
                directions.into_iter().flatten().map(move |direction| {
                    (
                        cell.step(direction),
                        steps.cost(cell.step(direction), direction),
                    )
                })
            },
            |cell| steps.estimate(*cell, query.goal),
            |cell| *cell == query.goal,
        );
        work.counts.expansions += expansions;
        conclude(&steps, late, found.map(|(path, _)| path), answer)
    }

    fn guarantee(&self) -> Guarantee {
        self.steps.guarantee()
    }
}
