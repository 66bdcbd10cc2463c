//! Embeds every TOML file of `experiments/` and `published/` and every table of `reference/games/` and
//! `reference/readings/`, so that a new file needs no code.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

fn main() {
    let root = env::var("CARGO_MANIFEST_DIR").expect("cargo sets it");
    let mut code = String::new();
    for (folder, ending, constant) in [
        ("experiments", "toml", "EXPERIMENTS"),
        ("published", "toml", "PUBLISHED"),
        ("reference/games", "csv", "GAMES"),
        ("reference/readings", "csv", "READINGS"),
    ] {
        println!("cargo::rerun-if-changed={folder}");
        let mut files: Vec<_> = fs::read_dir(Path::new(&root).join(folder))
            .expect("the folder lies beside this file")
            .map(|entry| entry.expect("readable").path())
            .filter(|path| path.extension().is_some_and(|own| own == ending))
            .collect();
        files.sort();
        writeln!(code, "const {constant}: &[(&str, &str)] = &[").expect("a string grows");
        for file in files {
            let name = file
                .file_name()
                .expect("a file")
                .to_string_lossy()
                .into_owned();
            writeln!(code, "    ({name:?}, include_str!({file:?})),").expect("a string grows");
        }
        code.push_str("];\n");
    }
    let out = env::var("OUT_DIR").expect("cargo sets it");
    fs::write(Path::new(&out).join("embedded.rs"), code).expect("the build folder is writable");
}
