//! Reads text files of users, with a bounded length.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The maximum length of an input file in bytes. The largest map that any problem takes has 64 MiB.
pub const LONGEST_FILE: u64 = 1 << 28;

/// Reads a file of bounded length, without the byte order mark that some editors and spreadsheets write. A pipe or a
/// device is refused: it may block or never end.
///
/// # Errors
/// A path that is no file, or a file that is too long, cannot be read or is not UTF-8.
pub fn read(path: &Path) -> io::Result<String> {
    read_exactly(path).map(without_mark)
}

/// Reads a file as [`read`] does, and keeps a byte order mark.
///
/// # Errors
/// The errors of [`read`].
pub fn read_exactly(path: &Path) -> io::Result<String> {
    let about = std::fs::metadata(path)?;
    if !about.is_file() && !about.is_dir() {
        return Err(io::Error::other(
            "it is a pipe or a device, expected a file (`-` reads standard input)",
        ));
    }
    if about.len() > LONGEST_FILE {
        return Err(too_long());
    }
    exactly(File::open(path)?)
}

/// Reads a stream of bounded length, without a byte order mark.
///
/// # Errors
/// A stream that is too long, cannot be read or is not UTF-8.
pub fn bounded(source: impl Read) -> io::Result<String> {
    exactly(source).map(without_mark)
}

fn exactly(source: impl Read) -> io::Result<String> {
    let mut text = String::new();
    let read = source.take(LONGEST_FILE + 1).read_to_string(&mut text)?;
    if read as u64 > LONGEST_FILE {
        return Err(too_long());
    }
    Ok(text)
}

fn without_mark(mut text: String) -> String {
    if text.starts_with('\u{feff}') {
        text.remove(0);
    }
    text
}

fn too_long() -> io::Error {
    io::Error::other(format!("it is longer than {} MiB", LONGEST_FILE >> 20))
}
