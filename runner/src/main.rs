//! The command line of ikeru.
fn main() {}
