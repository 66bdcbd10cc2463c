//! What every problem must keep, as tests that a new problem gets for nothing.
//!
//! | module | owns |
//! |---|---|
//! | [`tools`] | an instance, a variant, its answer
//! | [`specimen`] | small instances of any problem, from random parameters and questions |
//! | [`corrupt`] | answers with one thing changed |
//! | `subject` | a problem on trial: its instances and answers |
//! | `attack` | corrupted answers are refused |
//! | `stops` | deadlines and certificates |
//! | [`contract`] | the clauses of the contract, and who breaks them |

mod attack;
pub mod contract;
pub mod corrupt;
pub mod specimen;
mod stops;
mod subject;
pub mod tools;

pub use crate::erased::variant;
pub use contract::{CLAUSES, Clause, Violation, violations};
pub use tools::{TeamMember, answer, asked, generate, settings, shared_file, trials};
