//! `hash`: A* in its usual first version, with a binary heap and hash maps.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};

use ikeru_core::{Deadline, Settings, Variant, settings};

use super::batch::solver;
use super::finder::{Finder, Prepared, QueryWork, SCALED_H, Searched, Stopped};
use super::steps::Steps;
use crate::GridPath;
use crate::answer::Answer;
use crate::cost::Guarantee;
use crate::instance::{Instance, Query};
use crate::map::{Cell, Heading};

/// `hash`.
pub const HASH: Variant<GridPath> = Variant {
    name: "hash",
    about: "A* as it is written first: a binary heap, hash maps for costs and predecessors, a hash set of closed cells",
    source: "Hart, Nilsson and Raphael 1968, A formal basis for the heuristic determination of minimum cost paths",
    exact: true,
    version: 2,
    settings: settings![SCALED_H FLOATS],
    prepare,
};

fn prepare<'a>(instance: &'a Instance, settings: &Settings, deadline: Deadline) -> Prepared<'a> {
    let scaled_h = settings.get(&SCALED_H)?;
    if settings.get(&FLOATS)? {
        let steps = Steps::<true>::new(instance, scaled_h, deadline)?;
        return Ok(solver(instance, move || Hash { steps }));
    }
    let steps = Steps::<false>::new(instance, scaled_h, deadline)?;
    Ok(solver(instance, move || Hash { steps }))
}

settings! {
    FLOATS: bool = "floats", false, "costs are added as floating-point numbers, 1.4 and √2 alike";
}

struct Hash<'a, const FLOAT: bool> {
    steps: Steps<'a, FLOAT>,
}

impl<const FLOAT: bool> Finder for Hash<'_, FLOAT> {
    fn find(&mut self, query: Query, answer: &mut Answer, work: &mut QueryWork) -> Searched {
        let mut costs = HashMap::from([(query.start, 0)]);
        let mut predecessors: HashMap<Cell, Cell> = HashMap::new();
        let mut closed = HashSet::new();
        let h = self.steps.estimate(query.start, query.goal);
        let mut open = BinaryHeap::from([Reverse((h, h, query.start))]);
        while let Some(Reverse((_, _, here))) = open.pop() {
            if here == query.goal {
                let path =
                    std::iter::successors(Some(here), |cell| predecessors.get(cell).copied());
                answer.push_backward(path, |path| self.steps.length(path));
                return Ok(());
            }
            if !closed.insert(here) {
                continue;
            }
            if work.ticker.passed() {
                return Err(Stopped::OutOfTime);
            }
            work.counts.expansions += 1;
            for direction in Heading::ALL {
                let Some((next, step)) = self.steps.step(here, direction) else {
                    continue;
                };
                work.counts.generated += 1;
                let g = Steps::<FLOAT>::sum(costs[&here], step);
                if costs.get(&next).is_none_or(|known| g < *known) {
                    costs.insert(next, g);
                    predecessors.insert(next, here);
                    // With an inconsistent estimate, a closed cell may have to be reopened.
                    closed.remove(&next);
                    let h = self.steps.estimate(next, query.goal);
                    work.counts.queued += 1;
                    open.push(Reverse((Steps::<FLOAT>::sum(g, h), h, next)));
                }
            }
        }
        answer.push_none();
        Ok(())
    }

    fn guarantee(&self) -> Guarantee {
        self.steps.guarantee()
    }
}
