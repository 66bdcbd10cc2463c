//! Decides whether B is better than A.
//!
//! | module | owns |
//! |---|---|
//! | [`paired`] | the interval of paired scores |
//! | [`pairing`] | which samples of two sides answer the same question |
//! | [`words`] | the words of a comparison |
//! | [`center`] | the typical value of one side of a question, with its error |
//! | [`decide`] | the interval of each scope |
//! | [`comparison`] | one comparison as every output shows it |
//! | [`failures`] | answers that one side lost or gained |

pub mod center;
pub mod comparison;
pub mod decide;
pub mod failures;
pub mod paired;
pub mod pairing;
pub mod words;
