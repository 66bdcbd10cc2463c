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
    text(bytes(path)?)
}

/// Reads all bytes of a file of bounded length.
///
/// # Errors
/// A path that is no file, or a file that is too long or cannot be read.
pub fn bytes(path: &Path) -> io::Result<Vec<u8>> {
    let about = std::fs::metadata(path)?;
    if !about.is_file() && !about.is_dir() {
        return Err(io::Error::other(
            "it is a pipe or a device, expected a file (`-` reads standard input)",
        ));
    }
    if about.len() > LONGEST_FILE {
        return Err(too_long());
    }
    all(File::open(path)?)
}

/// Reads a stream of bounded length, without a byte order mark.
///
/// # Errors
/// A stream that is too long, cannot be read or is not UTF-8.
pub fn bounded(source: impl Read) -> io::Result<String> {
    text(all(source)?)
}

fn all(source: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = source.take(LONGEST_FILE + 1).read_to_end(&mut bytes)?;
    if read as u64 > LONGEST_FILE {
        return Err(too_long());
    }
    Ok(bytes)
}

fn text(bytes: Vec<u8>) -> io::Result<String> {
    let mut text = String::from_utf8(bytes).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
        let message = format!("line {line} is not UTF-8");
        io::Error::new(io::ErrorKind::InvalidData, message)
    })?;
    if text.starts_with('\u{feff}') {
        text.remove(0);
    }
    Ok(text)
}

fn too_long() -> io::Error {
    io::Error::other(format!("it is longer than {} MiB", LONGEST_FILE >> 20))
}
