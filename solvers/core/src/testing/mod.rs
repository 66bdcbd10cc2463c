//! What every problem must keep, as tests that a new problem gets for nothing.
//!
//! | module | owns |
//! |---|---|
//! | [`tools`] | an instance, a variant, its answer
//! | [`specimen`] | small instances of any problem, from random parameters and questions |
//! | [`corrupt`] | answers with one thing changed |
//! | [`contract`] | the clauses of the contract, and who breaks them |

pub mod contract;
pub mod corrupt;
pub mod specimen;
pub mod tools;

pub use contract::{CLAUSES, Clause, Violation, violations};
pub use tools::{answer, generate, settings, shared_file, variant};
