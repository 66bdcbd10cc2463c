//! The contract of every problem as tests, which a new problem gets without writing any.
//!
//! | module | owns |
//! |---|---|
//! | [`tools`] | an instance, a variant, its answer |
//! | [`specimen`] | small instances of any problem, from random parameters and questions |
//! | [`corrupt`] | answers with one change |
//! | `subject` | the problem under test: its instances and answers |
//! | `attack` | the clause that corrupted answers are refused |
//! | `stops` | the clauses of deadlines and certificates |
//! | [`contract`] | the clauses of the contract, and the search for violations |

mod attack;
pub mod contract;
pub mod corrupt;
pub mod specimen;
mod stops;
mod subject;
pub mod tools;

pub use crate::erased::variant;
pub use contract::{CLAUSES, Clause, Violation, violations};
pub use tools::{answer, asked, generate, settings, shared_file, trials};
