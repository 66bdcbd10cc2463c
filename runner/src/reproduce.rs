//! What the book adds to a run: further samples for published figures that are open, and recorded searches.
//!
//! | module | owns |
//! |---|---|
//! | [`settle`] | further samples for published figures that are open |
//! | [`side_by_side`] | two searches of one instance, recorded after a run |

pub mod settle;
pub mod side_by_side;
