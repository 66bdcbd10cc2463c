//! `barred`: the mistake that the Ikemasuyo article warns of. Every direction from which a station was reached is barred
//! there, so that a station that two walks reach from two sides cannot be left by either of these tracks. It misses
//! stations (an inner approximation).

use std::collections::{BTreeMap, BTreeSet};

use ikeru_core::{Search, Variant, skip};

use super::{InTime, PerStart, Sets, StartKernel, TimeIsUp, begin};
use crate::Reach;
use crate::answer::Approximation;
use crate::graph::Vertex;
use crate::instance::Instance;

pub const VARIANT: Variant<Reach> = Variant {
    name: "barred",
    about: "bars every direction from which a station was reached: misses stations where two walks meet",
    source: "Ikemasuyo, improvement, the caution (「来た方向(緑色)以外の駅にしか行けない」という風に実装すると間違った結果になります)",
    exact: false,
    version: 1,
    settings: &[],
    prepare: |instance, _, deadline| {
        begin(instance, deadline)?;
        if instance.question.holder().is_some() || instance.question.target.is_some() {
            skip!("the rule is for questions with neither the god nor a target");
        }
        Ok(PerStart::new(instance, Barred { instance }))
    },
};

struct Barred<'a> {
    instance: &'a Instance,
}

impl StartKernel for Barred<'_> {
    fn answer(&mut self, start: Vertex, mut sets: Sets, search: &mut Search) -> InTime {
        let mut ticker = search.deadline.ticker(256);
        let (mut arcs, mut late) = (0, false);
        // Each station, with the stations from which it was reached.
        let mut reached = BTreeMap::from([(start, BTreeSet::new())]);
        'steps: for _ in 0..self.instance.question.steps {
            let mut next: BTreeMap<Vertex, BTreeSet<Vertex>> = BTreeMap::new();
            for (&station, arrivals) in &reached {
                if ticker.passed() {
                    late = true;
                    break 'steps;
                }
                for &beside in self.instance.graph.neighbours(station) {
                    arcs += 1;
                    if !arrivals.contains(&beside) {
                        next.entry(beside).or_default().insert(station);
                    }
                }
            }
            reached = next;
            if reached.is_empty() {
                break;
            }
        }
        search.counters.add("arcs", arcs);
        if late {
            return Err(TimeIsUp);
        }
        reached.keys().for_each(|station| sets.add(*station, true));
        Ok(())
    }

    fn god_free_is(&self) -> Approximation {
        Approximation::Inner
    }
}
