//! Decides whether B is better than A.
//!
//! | module | owns |
//! |---|---|
//! | [`pairing`] | which samples of two sides answer the same question |
//! | [`center`] | the typical value of one side of a question, with its error |
//! | [`decide`] | the interval of each scope, of a number of samples that was fixed in advance |
//! | [`paired`] | pairs that arrive one after the other: a bet on signs and ranks, valid after every pair |
//! | [`die`] | the same of blocks in mirrored order: a bet on a die |
//! | [`layouts`] | the same over several layouts of each side: t over pairs of layouts |
//! | [`scores`] | the differences of scores on the same questions |
//! | [`mean`] | the interval of the mean of paired scores |
//! | [`failures`] | answers that one side lost or gained |
//! | [`ranks`], [`chance`] | tests of two samples by their ranks, of failures, and of groups |
//! | [`comparison`] | one comparison as every output shows it |
//! | [`words`] | the words of a comparison |

pub mod center;
pub mod chance;
pub mod comparison;
pub mod decide;
pub mod die;
pub mod failures;
pub mod layouts;
pub mod mean;
pub mod paired;
pub mod pairing;
pub mod ranks;
pub mod scores;
pub mod words;

/// The probability of at least one false decision in a table.
pub const LEVEL: f64 = 0.05;

#[cfg(test)]
mod tests;
