//! Remembers which compiler built the program: times belong to it as much as to the machine.

use std::process::Command;

fn main() {
    let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(compiler)
        .arg("--version")
        .output()
        .ok()
        .and_then(|output| String::from_utf8(output.stdout).ok())
        .map_or("unknown".to_owned(), |text| text.trim().to_owned());
    println!("cargo:rustc-env=IKERU_RUSTC={version}");
    println!(
        "cargo:rustc-env=IKERU_PROFILE={}",
        std::env::var("PROFILE").unwrap_or_default()
    );
    println!("cargo:rerun-if-changed=build.rs");
}
