//! Compresses the tables of counts and costs: as text they would be an eighth of the program.

use std::io::Write as _;
use std::path::Path;
use std::{env, fs};

use flate2::Compression;
use flate2::write::DeflateEncoder;

fn main() {
    let out = env::var("OUT_DIR").expect("cargo sets it");
    for table in ["counts.csv", "costs.csv"] {
        println!("cargo::rerun-if-changed={table}");
        let text = fs::read(table).expect("the table lies beside this file");
        let mut packed = DeflateEncoder::new(Vec::new(), Compression::best());
        packed.write_all(&text).expect("memory takes it");
        let packed = packed.finish().expect("memory takes it");
        fs::write(Path::new(&out).join(table), packed).expect("the build folder is writable");
    }
}
