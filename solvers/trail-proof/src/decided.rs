//! The decisions of the labels from the root to a node of the tree, and the children that a node must have.

use std::rc::Rc;

use ikeru_trail::puzzle::Edge;

use crate::Label;

/// The decisions of the labels from the root to a node.
#[derive(Clone, Default)]
pub struct Decided {
    /// `×` edges for which no decision says whether they are used.
    pub open: Vec<Edge>,
    /// `×` edges that are used, in an order not yet decided; sorted.
    pub coming: Vec<Edge>,
    /// `×` edges in the order of the trail.
    pub sequence: Vec<Edge>,
    /// For each `×` edge in this order whether it is passed from the lower vertex number to the higher one, if decided.
    pub forward: Vec<Option<bool>>,
    edges: Vec<(usize, Edge, bool)>,
    /// Shared by all descendants: a path of the tree may decide a thousand long boundaries.
    boundaries: Vec<(usize, Rc<[Edge]>, bool)>,
}

impl Decided {
    /// The root, at which all `×` edges are `open`.
    pub(crate) fn root(open: Vec<Edge>) -> Self {
        Self {
            open,
            ..Self::default()
        }
    }

    pub(crate) fn complete(&self) -> bool {
        self.open.is_empty() && self.coming.is_empty()
    }

    /// The `×` edge after the segment if its direction is not decided.
    pub fn undirected(&self, segment: usize) -> Option<Edge> {
        let forward = self.forward.get(segment)?;
        forward.is_none().then(|| self.sequence[segment])
    }

    /// Returns whether the segment must not pass the edge.
    pub fn forbids(&self, segment: usize, edge: Edge) -> bool {
        let by_edge = |decided: &(usize, Edge, bool)| {
            decided.1 == edge && (decided.0 == segment) != decided.2
        };
        let by_boundary = |decided: &(usize, Rc<[Edge]>, bool)| {
            decided.0 == segment && !decided.2 && decided.1.contains(&edge)
        };
        self.edges.iter().any(by_edge) || self.boundaries.iter().any(by_boundary)
    }

    /// The edges that the segment must pass; the `remainder` must also pass all `coming` edges.
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

    /// Returns whether a decision says that the segment crosses the boundary.
    pub fn crosses(&self, segment: usize, boundary: &[Edge]) -> bool {
        let same = |decided: &(usize, Rc<[Edge]>, bool)| {
            decided.0 == segment && decided.2 && *decided.1 == *boundary
        };
        self.boundaries.iter().any(same)
    }

    /// The labels of all children of a node whose first child has the label `first`.
    pub(crate) fn children(&self, first: &Label) -> Result<Vec<Label>, String> {
        let ends_fixed =
            |segment: usize| segment < self.sequence.len() + usize::from(self.complete());
        let directed = |edge: &Edge| {
            let mut undirected = (0..self.sequence.len()).map(|segment| self.undirected(segment));
            !undirected.any(|undirected| undirected == Some(*edge))
        };
        match first {
            Label::Used(edge, _) if self.open.contains(edge) => {
                Ok(vec![Label::Used(*edge, true), Label::Used(*edge, false)])
            }
            Label::Used(edge, _) => Err(format!("edge {edge} is no undecided × edge")),
            Label::Step(_) if !self.open.is_empty() => {
                Err("a step before all × edges are decided to be used or not".to_owned())
            }
            Label::Step(_) if self.coming.is_empty() => {
                Err("a step where no × edge is still to come".to_owned())
            }
            Label::Step(_) => Ok(self.coming.iter().copied().map(Label::Step).collect()),
            Label::Direction(segment, _) if self.undirected(*segment).is_some() => {
                let both = [true, false];
                Ok(both
                    .map(|forward| Label::Direction(*segment, forward))
                    .to_vec())
            }
            Label::Direction(segment, _) => Err(format!(
                "no direction is to be decided after segment {segment}"
            )),
            Label::Edge(segment, edge, _)
                if self.complete()
                    && ends_fixed(*segment)
                    && self.sequence.iter().all(directed) =>
            {
                Ok([true, false]
                    .map(|passes| Label::Edge(*segment, *edge, passes))
                    .to_vec())
            }
            Label::Boundary(segment, boundary, _)
                if ends_fixed(*segment) && boundary.iter().all(directed) =>
            {
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

    pub(crate) fn with(&self, label: &Label) -> Self {
        let mut decided = self.clone();
        match label {
            Label::Used(edge, used) => {
                decided.open.retain(|open| open != edge);
                if *used {
                    decided.coming.push(*edge);
                    decided.coming.sort_unstable();
                }
            }
            Label::Step(edge) => {
                decided.coming.retain(|coming| coming != edge);
                decided.sequence.push(*edge);
                decided.forward.push(None);
            }
            Label::Direction(segment, forward) => decided.forward[*segment] = Some(*forward),
            Label::Edge(segment, edge, passes) => decided.edges.push((*segment, *edge, *passes)),
            Label::Boundary(segment, boundary, crosses) => {
                decided
                    .boundaries
                    .push((*segment, boundary.as_slice().into(), *crosses));
            }
        }
        decided
    }
}
