//! Locks: one program at a time writes into a run folder, or into a file that several runs share.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::{interrupt, system};

/// The file that is locked. It remains, empty: removing it would allow two programs to lock different files.
pub(super) const FILE: &str = "lock";

/// The interval between attempts to take a lock that another program holds.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// A run holds it while it writes into its folder, another program while it writes a shared file. The system releases it
/// when the program ends, in every case.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Locks the folder, which must exist. If another program holds the lock, this function waits for at most
    /// `patience`.
    ///
    /// # Errors
    /// Another program holds the lock, or the file cannot be created.
    pub fn take(folder: &Path, patience: Duration) -> Result<Self> {
        let (lock, folder) = (
            Self::of_file(&folder.join(FILE), patience)?,
            folder.display(),
        );
        lock.with_context(|| {
            format!("{folder}: another run writes into it now; wait for its end, or choose another --out")
        })
    }

    /// Returns whether a program writes into the folder now, as far as locks tell.
    pub fn is_held(folder: &Path) -> bool {
        let file = File::open(folder.join(FILE));
        file.is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }

    /// Locks the file `path`, which is created and remains. Waits for at most `patience`; `None` if another program then
    /// still holds it.
    ///
    /// # Errors
    /// The file cannot be created.
    pub fn of_file(path: &Path, patience: Duration) -> Result<Option<Self>> {
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).write(true);
        let file = options.open(path);
        let file = file.with_context(|| format!("{}: cannot be written", path.display()))?;
        let until = Instant::now() + patience;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Some(Self { _file: file })),
                // A file system without locks cannot be checked.
                Err(TryLockError::Error(error)) if system::has_no_locks(&error) => {
                    return Ok(Some(Self { _file: file }));
                }
                Err(TryLockError::WouldBlock)
                    if Instant::now() < until && interrupt::check().is_ok() =>
                {
                    std::thread::sleep(LOOK_EVERY);
                }
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(error)) => {
                    let path = path.display();
                    return Err(error).with_context(|| format!("{path}: cannot be locked"));
                }
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
        let lock = Lock::take(folder.path(), Duration::ZERO).expect("free");
        let error = Lock::take(folder.path(), Duration::ZERO)
            .expect_err("held")
            .to_string();
        assert!(error.contains("another run writes into it now"), "{error}");
        assert!(Lock::is_held(folder.path()));
        drop(lock);
        assert!(!Lock::is_held(folder.path()));
        Lock::take(folder.path(), Duration::ZERO).expect("free again");
    }
    #[test]
    fn a_patient_writer_waits_for_the_first() {
        let folder = tempfile::tempdir().expect("a folder");
        let lock = Lock::take(folder.path(), Duration::ZERO).expect("free");
        std::thread::scope(|scope| {
            let second = scope.spawn(|| Lock::take(folder.path(), Duration::from_secs(60)));
            std::thread::sleep(Duration::from_millis(50));
            assert!(!second.is_finished());
            drop(lock);
            second.join().expect("a thread").expect("free again");
        });
    }
}
