//! The search for instances on which one variant beats another the most, and the other way round.
//!
//! | module | owns |
//! |---|---|
//! | [`candidate`] | how an instance comes about: parameters, a seed, changed words; mutation and crossover |
//! | [`rivals`] | two variants on one instance |
//! | [`archive`] | the extremes found so far, by size |
//! | [`evolve`] | the search itself, and what makes a find smaller |
//! | [`corpus`] | the finds as files, with the experiment that runs them |

pub mod archive;
pub mod candidate;
pub mod corpus;
pub mod evolve;
pub mod rivals;
