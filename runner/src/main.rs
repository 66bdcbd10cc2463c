//! The binary `ikeru`.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    ikeru::main_with(Vec::new())
}
