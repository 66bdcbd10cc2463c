//! Links the program at a fixed address on Linux: a twentieth of the file would else be relocations, and each worker would
//! make them again at its start. Stack and heap stay at random places.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if env::var("TARGET").is_ok_and(|target| target.ends_with("linux-gnu")) {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
