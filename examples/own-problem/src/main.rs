//! `ikeru` with one more problem.

use std::process::ExitCode;

fn main() -> ExitCode {
    ikeru::main_with(vec![ikeru_core::erase::<own_problem::Colouring>()])
}
