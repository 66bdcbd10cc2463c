//! Embeds every TOML file of `experiments/` and `published/` and, compressed, every table of `reference/games/` and
//! `reference/readings/`, so that a new file needs no code.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::{env, fs};

use flate2::Compression;
use flate2::write::DeflateEncoder;

fn main() {
    let root = env::var("CARGO_MANIFEST_DIR").expect("cargo sets it");
    let out = env::var("OUT_DIR").expect("cargo sets it");
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
        if ending == "csv" {
            let packed = fs::File::create(Path::new(&out).join(constant));
            let packed = packed.expect("the build folder is writable");
            let mut packed = DeflateEncoder::new(packed, Compression::best());
            for file in files {
                let name = file.file_stem().expect("a file").to_string_lossy();
                let text = fs::read_to_string(&file).expect("readable");
                write!(packed, "{name}\0{text}\0").expect("the build folder is writable");
            }
            packed.finish().expect("the build folder is writable");
            continue;
        }
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
    fs::write(Path::new(&out).join("embedded.rs"), code).expect("the build folder is writable");
}
