//! A lock on a run folder: one program at a time writes into it.

use std::fs::{File, OpenOptions};
use std::path::Path;

use anyhow::{Context, Result, bail};
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

/// The file that is locked. It remains, empty: removing it would allow two programs to lock different files.
const FILE: &str = "lock";

/// Held as long as the run writes into its folder. The system releases it when the program ends, in every case.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Locks the folder, which must exist.
    ///
    /// # Errors
    /// Another program holds the lock, or the file cannot be created.
    pub fn take(folder: &Path) -> Result<Self> {
        let path = folder.join(FILE);
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).write(true);
        let file = options
            .open(&path)
            .with_context(|| format!("{}: cannot be written", path.display()))?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            // A file system without locks cannot be checked.
            Ok(()) | Err(Errno::NOTSUP | Errno::NOSYS | Errno::NOLCK) => Ok(Self { _file: file }),
            Err(Errno::WOULDBLOCK) => bail!(
                "{}: another run writes into it now; wait for its end, or choose another --out",
                folder.display()
            ),
            Err(error) => {
                Err(error).with_context(|| format!("{}: cannot be locked", path.display()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_writer_is_refused_until_the_first_is_gone() {
        let folder = tempfile::tempdir().expect("a folder");
        let lock = Lock::take(folder.path()).expect("free");
        let error = Lock::take(folder.path()).expect_err("held").to_string();
        assert!(error.contains("another run writes into it now"), "{error}");
        drop(lock);
        Lock::take(folder.path()).expect("free again");
    }
}
