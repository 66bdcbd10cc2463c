//! Folders that are removed when their program ends, and by a later one where it was killed.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::time::Duration;

use tempfile::{Builder, TempDir};

/// A new folder that this program alone uses. Dropping the value removes the folder, unless it was renamed.
#[derive(Debug)]
pub struct HeldFolder {
    folder: TempDir,
    _lock: File,
}

impl HeldFolder {
    /// Makes a folder in `place`, whose name begins with the prefix of `builder`.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn of(builder: &Builder, place: &Path) -> io::Result<Self> {
        let folder = builder.tempdir_in(place)?;
        // The system frees the lock when this program ends, in every case.
        let lock = File::open(folder.path())?;
        let _ = lock.try_lock_shared();
        Ok(Self {
            folder,
            _lock: lock,
        })
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Removes the folders in `place` whose names begin with `prefix` and that no program has locked: killed programs left
/// them. A folder of the last minute may not be locked yet, and stays.
pub fn remove_left(place: &Path, prefix: &OsStr) {
    const MOMENT: Duration = Duration::from_secs(60);
    for entry in fs::read_dir(place).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let is_ours = name
            .as_encoded_bytes()
            .starts_with(prefix.as_encoded_bytes());
        let about = entry.metadata().ok().filter(fs::Metadata::is_dir);
        let age = about.and_then(|about| about.modified().ok()?.elapsed().ok());
        let is_left = || File::open(entry.path()).is_ok_and(|folder| folder.try_lock().is_ok());
        if is_ours && age.is_some_and(|age| age > MOMENT) && is_left() {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;

    #[test]
    fn what_a_killed_program_left_is_removed_and_what_is_in_use_stays() {
        let place = tempfile::tempdir().expect("a folder");
        let old = SystemTime::now() - Duration::from_secs(3600);
        let made = [".out-left", ".out-used", ".out-new", "other"];
        let [_left, used, new, _other] = made.map(|name| {
            fs::create_dir(place.path().join(name)).expect("made");
            let folder = File::open(place.path().join(name)).expect("opened");
            folder.set_modified(old).expect("old");
            folder
        });
        used.try_lock_shared().expect("locked");
        new.set_modified(SystemTime::now()).expect("new");
        remove_left(place.path(), OsStr::new(".out-"));
        let is_there = made.map(|name| place.path().join(name).exists());
        assert_eq!(is_there, [false, true, true, true]);
        let held = HeldFolder::of(Builder::new().prefix(".out-"), place.path());
        let held = held.expect("a folder");
        let other = File::open(held.path()).expect("a folder");
        assert!(other.try_lock().is_err(), "locked");
    }
}
