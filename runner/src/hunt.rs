//! The search for instances on which one variant beats another the most, and the other way round.
//!
//! | module | owns |
//! |---|---|
//! | [`candidate`] | the recipe of an instance: parameters, a seed, changed words; mutation and crossover |
//! | [`rivals`] | two variants on one instance |
//! | [`archive`] | the extremes found so far, by size |
//! | [`evolve`] | the search itself, and the reduction of finds |
//! | [`corpus`] | the finds as files, with the experiment that runs them |

pub mod archive;
pub mod candidate;
pub mod corpus;
pub mod evolve;
pub mod rivals;
