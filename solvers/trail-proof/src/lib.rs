//! trail-proof: certificates of optimality for `trail`, a tree whose leaves bound every trail by integer prices.
//!
//! `docs/certificates.md` describes the format and explains why the prices of a leaf bound every trail. The certificate is
//! written from the nodes of a branch and bound. [`verify`](mod@verify) shares no code with the search: it has a separate
//! implementation of the segments, of the edges that a segment can pass, and of [T-joins](scan).
//!
//! | module | owns |
//! |---|---|
//! | `solver` | a search that leaves the certificate of its answer |
//! | `write` | writing the text |
//! | [`verify`](mod@verify) | reading the text, the tree, the bounds of its leaves |
//! | [`decided`] | the decisions of a node's labels, and its children |
//! | [`layout`] | the puzzle with the vertex and edge numbers of its text |
//! | [`scan`] | best T-joins, vertex by vertex |
//! | [`segments`] | the segments of a leaf: the edges that they can pass, and their costs |
#![forbid(unsafe_code)]

pub mod decided;
pub mod layout;
pub mod scan;
pub mod segments;
mod solver;
pub mod verify;
mod write;

pub use solver::{Certificate, solver};
pub use verify::{Verified, verify};

/// The problem whose answers have certificates.
pub const PROBLEM: &str = <ikeru_trail::TrailProblem as ikeru_core::Problem>::INFO.name;

/// The first line.
pub const HEADER: &str = "ikeru certificate trail 2";

/// The cut x(δ(U)) ≥ 2·xₑ or x(δ(U)) ≥ 2 in one segment, with its price. Edges have the board's numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PricedCut {
    /// The segment.
    pub segment: usize,
    /// π ≥ 0.
    pub price: i64,
    /// e; `None` if a decision says that the segment crosses the boundary.
    pub edge: Option<usize>,
    /// δ(U), in ascending order.
    pub boundary: Vec<usize>,
}

/// The decision by which a child differs from its parent. Edges have the board's numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Label {
    /// The trail passes this `×` edge, or does not.
    Used(usize, bool),
    /// The next `×` edge.
    Step(usize),
    /// The `×` edge after the segment is passed from its lower vertex number to the higher one, or in reverse.
    Direction(usize, bool),
    /// The segment passes the edge, or does not.
    Edge(usize, usize, bool),
    /// The segment crosses the boundary, or does not.
    Boundary(usize, Vec<usize>, bool),
}

impl std::fmt::Display for Label {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let yes = |yes: bool, one: &'static str, two: &'static str| if yes { one } else { two };
        match self {
            Self::Used(edge, used) => write!(f, "{} {edge}", yes(*used, "used", "unused")),
            Self::Step(edge) => write!(f, "step {edge}"),
            Self::Direction(segment, forward) => {
                write!(f, "{} {segment}", yes(*forward, "forward", "backward"))
            }
            Self::Edge(segment, edge, passes) => {
                write!(f, "{} {segment} {edge}", yes(*passes, "passes", "avoids"))
            }
            Self::Boundary(segment, boundary, crosses) => {
                write!(f, "{} {segment}", yes(*crosses, "crosses", "skirts"))?;
                boundary.iter().try_for_each(|edge| write!(f, " {edge}"))
            }
        }
    }
}
