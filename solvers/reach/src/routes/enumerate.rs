//! `enumerate`: walks every route to its end and counts it.

use ikeru_core::{Attempt, Search, Variant};

use super::SOURCE;
use super::natural::Natural;
use crate::Routes;
use crate::graph::Vertex;
use crate::instance::Instance;

pub const VARIANT: Variant<Routes> = Variant {
    name: "enumerate",
    about: "walks every route to its end and counts it: time grows with the number of routes",
    source: SOURCE,
    exact: true,
    version: 1,
    settings: &[],
    prepare: |instance, _, deadline| {
        deadline.check()?;
        Ok(Box::new(move |search: &mut Search| {
            enumerate(instance, search)
        }))
    },
};

/// A step of the current route: its vertex, the vertex before it and the next exit to try.
struct RouteStep {
    vertex: Vertex,
    came_from: Vertex,
    exit: usize,
}

fn enumerate(instance: &Instance, search: &mut Search) -> Attempt<Natural> {
    let (graph, steps) = (&*instance.graph, instance.question.steps);
    let mut ticker = search.deadline.ticker(4096);
    let mut routes: u64 = 0;
    let mut timeout = false;
    let mut route = vec![RouteStep {
        vertex: instance.start(0),
        came_from: Vertex::MAX,
        exit: 0,
    }];
    while let Some(step) = route.last_mut() {
        let neighbours = graph.neighbours(step.vertex);
        let next = neighbours.get(step.exit).copied();
        let (vertex, came_from) = (step.vertex, step.came_from);
        step.exit += 1;
        match next {
            _ if route.len() > steps => {
                routes += 1;
                route.pop();
                timeout = ticker.passed();
            }
            Some(head) if head != came_from => route.push(RouteStep {
                vertex: head,
                came_from: vertex,
                exit: 0,
            }),
            Some(_) => {}
            None => {
                route.pop();
                timeout = ticker.passed();
            }
        }
        if timeout {
            break;
        }
    }
    search.counters.add("routes_walked", routes);
    if timeout {
        return Attempt::nothing();
    }
    Attempt::proven(Natural::from(routes))
}
