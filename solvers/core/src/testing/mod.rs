//! What every problem must keep, as tests that a new problem gets for nothing.
//!
//! | module | owns |
//! |---|---|
//! | [`specimen`] | small instances of any problem, from random parameters and questions |
//! | [`corrupt`] | answers with one thing changed |
//! | [`contract`] | the clauses of the contract, and who breaks them |

pub mod contract;
pub mod corrupt;
pub mod specimen;

pub use contract::{CLAUSES, Clause, Violation, violations};
