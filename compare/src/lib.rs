//! Decides whether B is better than A.
//!
//! | module | owns |
//! |---|---|
//! | [`pairing`] | which samples of two sides answer the same question |
//! | [`center`] | the typical value of one side of a question, with its error |
//! | [`decide`] | the interval of each scope, and the decision |

pub mod center;
pub mod decide;
pub mod pairing;
