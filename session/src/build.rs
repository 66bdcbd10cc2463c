//! The commands that build programs (`prepare`): carried out once by a process that takes samples, and once by those
//! that take them at the same time. Any other process only waits until a build has ended.
//!
//! A process locks a hidden file in the folder of the experiment: alone while it builds, together with others from
//! then on until it ends. Only the process that has the lock of a second file, the gate, may look at the first. So a process
//! that finds the gate closed waits for the end of the build and takes its programs. The file holds the hash of the
//! programs that were built: a process takes no others, such as those that a file server still shows.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use ikeru_core::{ContentHash, Deadline};

use crate::execute::lines::line_of_error;
use crate::execute::until_end::carry_out;
use crate::files::HashedFile;
use crate::{interrupt, output, system};

/// True if this process takes samples.
static MAY_BUILD: AtomicBool = AtomicBool::new(false);

/// The commands that need not be carried out any more, with their folders.
static DONE: Mutex<BTreeSet<(PathBuf, Vec<String>)>> = Mutex::new(BTreeSet::new());

/// The locked files. Their locks end with the process.
static LOCKED: Mutex<BTreeMap<PathBuf, File>> = Mutex::new(BTreeMap::new());

/// The interval between attempts to lock a file, and the time after which another program in the place of the built one is
/// an error.
const LOOK_EVERY: Duration = Duration::from_millis(100);
const PATIENCE: Duration = Duration::from_secs(60);

/// Lets this process build: it takes samples, and does not only look. Called before experiments are read.
pub fn allow() {
    MAY_BUILD.store(true, Ordering::Relaxed);
}

/// Carries out the command `prepare` of `name`, unless that was done. `words` name the programs that it builds, relative
/// to `folder`.
///
/// # Errors
/// A failure, with the last line of its output; a file that cannot be locked; programs that are not built yet, or that other
/// runs did not build.
pub fn once<'a>(
    name: &str,
    prepare: &[String],
    words: impl Iterator<Item = &'a String>,
    folder: &Path,
) -> Result<()> {
    if prepare.is_empty() {
        return Ok(());
    }
    interrupt::listen()?;
    // One key for each folder, whichever path leads to it.
    let canonical = folder.canonicalize();
    let folder = canonical.as_deref().unwrap_or(folder);
    let words: Vec<&String> = words.collect();
    let identity = ContentHash::of(&[name.as_bytes(), prepare.join("\0").as_bytes()]).to_string();
    let path = folder.join(format!(".prepared-{}", &identity[..8]));
    if MAY_BUILD.load(Ordering::Relaxed) {
        return among_others(name, prepare, &words, (folder, path));
    }
    if let Ok(file) = File::open(&path) {
        while matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)) {
            interrupt::check()?;
            std::thread::sleep(LOOK_EVERY);
        }
    }
    let is_missing = |word: &&&String| word.starts_with("./") && !folder.join(word).exists();
    if let Some(word) = words.iter().find(is_missing) {
        bail!(
            "`prepare` of `{name}` was not carried out: {word} is not there; `ikeru run` builds it"
        );
    }
    Ok(())
}

fn among_others(
    name: &str,
    prepare: &[String],
    words: &[&String],
    (folder, path): (&Path, PathBuf),
) -> Result<()> {
    let mut locked = LOCKED.lock().unwrap_or_else(PoisonError::into_inner);
    if locked.contains_key(&path) {
        return Ok(());
    }
    let place = || format!("`prepare` of `{name}`: {}", path.display());
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).read(true).write(true);
    let gate = match options.open(path.with_extension("lock")) {
        // Nobody else can lock it either, and the programs are built in another folder.
        Err(error) if is_read_only(&error) => return build(name, prepare, folder),
        gate => gate.with_context(place)?,
    };
    let mut file = options.open(&path).with_context(place)?;
    let (mut has_waited, mut others_since) = (false, None);
    loop {
        match gate.try_lock() {
            Ok(()) => {
                let is_alone = file.try_lock().is_ok();
                let mut built = String::new();
                file.rewind().with_context(place)?;
                file.read_to_string(&mut built).with_context(place)?;
                let is_here = || content(words, folder).is_ok_and(|here| here == built);
                // Another process built while this one waited, and may have ended since.
                if (has_waited || !is_alone) && !built.is_empty() && is_here() {
                    if !has_waited {
                        output::warn(&format!(
                            "`prepare` of `{name}` is not carried out: another run measures the programs that it built"
                        ));
                    }
                    let mut done = DONE.lock().unwrap_or_else(PoisonError::into_inner);
                    done.insert((folder.to_owned(), prepare.to_owned()));
                } else if is_alone {
                    // After a failed build the file is empty, and the next process builds.
                    file.set_len(0).with_context(place)?;
                    build(name, prepare, folder)?;
                    let built = content(words, folder)?;
                    file.rewind().with_context(place)?;
                    file.write_all(built.as_bytes()).with_context(place)?;
                    file.sync_all().with_context(place)?;
                } else {
                    gate.unlock().with_context(place)?;
                    let since = *others_since.get_or_insert_with(Instant::now);
                    if since.elapsed() > PATIENCE {
                        bail!(
                            "`prepare` of `{name}`: the programs in {} are not those that another run built, which goes on",
                            folder.display()
                        );
                    }
                    interrupt::check()?;
                    std::thread::sleep(LOOK_EVERY);
                    continue;
                }
                // The system may free the lock before it becomes one that others have too; the gate is still closed.
                file.lock_shared().with_context(place)?;
                break;
            }
            Err(TryLockError::Error(error)) if system::has_no_locks(&error) => {
                return build(name, prepare, folder);
            }
            Err(TryLockError::Error(error)) => return Err(error).with_context(place),
            Err(TryLockError::WouldBlock) => has_waited = true,
        }
        interrupt::check()?;
        std::thread::sleep(LOOK_EVERY);
    }
    locked.insert(path, file);
    Ok(())
}

fn is_read_only(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
    matches!(error.kind(), PermissionDenied | ReadOnlyFilesystem)
}

/// The hash of the files that the words name.
fn content(words: &[&String], folder: &Path) -> Result<String> {
    let files = words.iter().map(|word| folder.join(word));
    let contents = files.filter(|file| file.is_file());
    let contents = contents.map(|file| Ok(HashedFile::read(file)?.1));
    let contents: Vec<Vec<u8>> = contents.collect::<Result<_>>()?;
    let contents: Vec<&[u8]> = contents.iter().map(Vec::as_slice).collect();
    Ok(ContentHash::of(&contents).to_string())
}

/// Carries out the command, if this process has not done so before.
fn build(name: &str, prepare: &[String], folder: &Path) -> Result<()> {
    let mut built = DONE.lock().unwrap_or_else(PoisonError::into_inner);
    let this = (folder.to_owned(), prepare.to_owned());
    let Some((program, arguments)) = prepare.split_first().filter(|_| !built.contains(&this))
    else {
        return Ok(());
    };
    let failed = format!("`prepare` of `{name}`");
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder);
    command.stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let done = carry_out(&mut command, Deadline::never());
    interrupt::check()?;
    let (status, output, last_words) = done.with_context(|| format!("{failed}: `{program}`"))?;
    if !status.success() {
        let said = String::from_utf8_lossy(&output) + &*last_words;
        bail!(
            "{failed}: {status}: {}",
            line_of_error(&said).unwrap_or_default()
        );
    }
    built.insert(this);
    Ok(())
}
