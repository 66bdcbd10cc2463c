//! The match of a set of templates, computed incrementally for search.
//!
//! It computes the same numbers as [`crate::templates::matrix`], from three observations:
//!
//! 1. *Violation* is one bit per template. For every cell and colour, [`Constraints`] keeps the mask of templates
//!    that a stone of that colour there would rule out. Placing a stone is a row of ORs: a template in which another
//!    cell must equal the stone forbids all other colours there; a template in which it must differ forbids the
//!    stone's colour.
//! 2. If a template is not violated, every hard pair of filled cells agrees. Its sum then depends only on *which*
//!    cells are filled; on a settled board the column heights determine them. [`HeightValues`] caches the sums of a
//!    height vector.
//! 3. The penalty of the soft border follows from the pairs of equal neighbours.
//!
//! After a clear, [`Constraints::of`] starts again from the resolved board.
//!
//! | module | owns |
//! |---|---|
//! | `matcher` | the matches of a set of templates |
//! | `compiled` | one template: its groups, and the penalties of its border |
//! | `constraints` | the templates that a stone would violate |
//! | `filled` | the sums of filled cells |
//! | `heights` | the values of column heights, cached |
//! | `contacts` | pairs of equal neighbours |
//! | `planes` | planes of cells |
//! | `target` | the test whether a board completes a template |

mod compiled;
mod constraints;
mod contacts;
mod filled;
mod heights;
mod matcher;
mod planes;
mod target;

pub use self::constraints::{Constraints, Extended, stones_of};
pub use self::contacts::Contacts;
pub use self::filled::HeightValue;
pub(crate) use self::filled::occupied;
pub use self::heights::HeightValues;
pub use self::matcher::{MAX_GROUPS, MAX_TEMPLATES, Matcher};
pub(crate) use self::planes::bits;
pub use self::planes::{extent, stones};
pub use self::target::TemplateTarget;
