//! Certificates of optimality: a tree whose leaves bound every trail by integer prices, and the check of it.
//!
//! `docs/certificates.md` has the format and says why the prices of a leaf bound every trail. Branch and bound writes a
//! certificate; [`verify`] shares no code with it: it has its own segments, its own test which edges a segment can
//! pass, and its own [T-joins](scan).
//!
//! | module | owns |
//! |---|---|
//! | [`write`](mod@write) | the text |
//! | [`verify`] | reading it, the tree, the bounds of its leaves |
//! | [`decided`] | what a node's labels decide, and its children |
//! | [`layout`] | the puzzle by the numbers of its text |
//! | [`scan`] | best T-joins, vertex by vertex |
//! | [`segments`] | what the segments of a leaf can pass, and for what |

pub mod decided;
pub mod layout;
pub mod scan;
pub mod segments;
pub mod verify;
pub mod write;

/// The first line.
pub const HEADER: &str = "ikeru certificate trail 1";

/// x(δ(U)) ≥ 2·xₑ or x(δ(U)) ≥ 2 in one segment, with its price. Edges have the board's numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PricedCut {
    /// The segment.
    pub segment: usize,
    /// π ≥ 0.
    pub price: i64,
    /// e; none where the segment is decided to cross the boundary.
    pub edge: Option<usize>,
    /// δ(U), rising.
    pub boundary: Vec<usize>,
}

/// How a child differs from its parent. Edges have the board's numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Label {
    /// The trail passes this `×` edge, or does not.
    Used(usize, bool),
    /// The next `×` edge, and whether it is passed from its lower vertex number to the higher one.
    Step(usize, bool),
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
            Self::Step(edge, forward) => {
                write!(f, "step {edge} {}", yes(*forward, "forward", "backward"))
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
