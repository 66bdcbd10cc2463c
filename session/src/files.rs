//! The files that match a pattern of an experiment, folders that are used again, and files whose content is part of an
//! identity.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result, bail};
use glob::Pattern;
use ikeru_bench_data::text_file;
use ikeru_core::ContentHash;
use ikeru_reports::records::held::{HeldFolder, remove_left};

use crate::{output, system};

/// The files that match a pattern, in the order of their names. `*` and `?` match characters of one part of a path,
/// `**` matches folders; brackets are ordinary characters. Hidden files and folders match a part that begins with a dot
/// alone, and a link to a folder above it is not followed. A pattern without `*` and `?` is the path of one file; a file
/// whose name ends in `.lst` is a list of paths, one a line, relative to its folder.
///
/// # Errors
/// A malformed pattern, a folder that cannot be listed, a list that cannot be read, or no match.
pub fn of(of: &Path, pattern: &str) -> Result<Vec<PathBuf>> {
    if pattern.ends_with(".lst") {
        return listed(&of.join(pattern));
    }
    let brackets = match pattern.contains('[') {
        true => "; in patterns only `*`, `?` and `**` stand for others",
        false => "",
    };
    if !pattern.contains(['*', '?']) {
        let file = of.join(pattern);
        if !brackets.is_empty() && !file.exists() {
            bail!("{}: is not there{brackets}", file.display());
        }
        return Ok(vec![file]);
    }
    warn_of_unreadable_names(&of.join(pattern));
    let root = match (pattern.starts_with('/'), of.as_os_str().is_empty()) {
        (true, _) => Path::new("/"),
        // The folder of a file that is named without one.
        (false, true) => Path::new("."),
        (false, false) => of,
    };
    let parts: Vec<&str> = pattern.split('/').filter(|part| !part.is_empty()).collect();
    let mut found = Vec::new();
    add_matches(root, &parts, &mut Vec::new(), &mut found)
        .with_context(|| format!("`{pattern}`"))?;
    found.sort();
    found.dedup();
    if found.is_empty() {
        bail!("no file fits `{}`{brackets}", of.join(pattern).display());
    }
    Ok(found)
}

/// Adds the files of a folder that match the parts of a pattern; `above` are the folders through which it was reached.
fn add_matches(
    folder: &Path,
    parts: &[&str],
    above: &mut Vec<PathBuf>,
    found: &mut Vec<PathBuf>,
) -> Result<()> {
    let Some((part, rest)) = parts.split_first() else {
        return Ok(());
    };
    if !part.contains(['*', '?']) && !rest.is_empty() {
        return add_matches(&folder.join(part), rest, above, found);
    }
    let entries = match fs::read_dir(folder) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(());
        }
        entries => entries.with_context(|| format!("{}: cannot be listed", folder.display()))?,
    };
    let whole = fs::canonicalize(folder).unwrap_or(folder.to_owned());
    let is_above = |it: &PathBuf| it.starts_with(&whole);
    if above.iter().any(is_above) {
        return Ok(());
    }
    let is_deep = *part == "**";
    if is_deep {
        add_matches(folder, rest, above, found)?;
    }
    let literal = |letter| match letter {
        '[' | ']' => format!("[{letter}]"),
        other => other.to_string(),
    };
    let pattern = Pattern::new(&part.chars().map(literal).collect::<String>())?;
    above.push(whole);
    for entry in entries {
        let path = entry?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
            continue;
        };
        let is_hidden = name.starts_with('.') && !part.starts_with('.');
        match (path.is_dir(), rest.is_empty()) {
            _ if is_hidden || !(is_deep || pattern.matches(name)) => {}
            (true, _) if is_deep => add_matches(&path, parts, above, found)?,
            (true, false) => add_matches(&path, rest, above, found)?,
            (false, true) => found.push(path),
            _ => {}
        }
    }
    above.pop();
    Ok(())
}

/// The time for which a file may be in the making before another content counts.
pub const IN_THE_MAKING: Duration = Duration::from_secs(1);

/// A file whose content is part of an identity.
#[derive(Debug, Clone)]
pub struct HashedFile {
    path: PathBuf,
    hash: ContentHash,
    /// Size, and times of the last change and of the creation, when it was read.
    stamp: Option<(u64, SystemTime, Option<SystemTime>)>,
}

impl HashedFile {
    /// Reads a file; returns its content too.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn read(path: PathBuf) -> Result<(Self, Vec<u8>)> {
        let stamp = stamp(&path);
        let unread = || format!("{}: cannot read it", path.display());
        if !fs::metadata(&path).with_context(unread)?.is_file() {
            bail!("{}: is no file", path.display());
        }
        let content = fs::read(&path).with_context(unread)?;
        let hash = ContentHash::of(&[&content]);
        Ok((Self { path, hash, stamp }, content))
    }

    /// Returns whether the file was written since it was read, also with the same content.
    pub fn is_touched(&self) -> bool {
        stamp(&self.path) != self.stamp
    }

    /// Refuses a file whose content has changed since it was read.
    ///
    /// # Errors
    /// Names the file, and says how to go on.
    // PERF: the content is read again only if size or times differ; the look takes microseconds.
    pub fn check(&self) -> Result<()> {
        let hash = || fs::File::open(&self.path).and_then(|file| ContentHash::of_file(&file));
        let is_other = || self.is_touched() && hash().ok() != Some(self.hash);
        if !is_other() {
            return Ok(());
        }
        std::thread::sleep(IN_THE_MAKING);
        if is_other() {
            let path = self.path.display();
            bail!(
                "{path}: changed during the run; restore it and go on with --resume, or start another run (a solver must not write to a file of its command)"
            );
        }
        Ok(())
    }
}

fn stamp(path: &Path) -> Option<(u64, SystemTime, Option<SystemTime>)> {
    let about = fs::metadata(path).ok()?;
    Some((about.len(), about.modified().ok()?, about.created().ok()))
}

/// Makes a folder, or removes everything from the folder that is there except plain files called `kept`, which
/// [`overwrite`] writes next.
///
/// # Errors
/// When the system refuses.
// PERF: removing a folder takes 0.5 ms on ext4, removing a file and making it again 0.15.
pub fn empty_folder(folder: &Path, kept: &[&str]) -> io::Result<()> {
    match fs::create_dir(folder) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        // A solver may have removed the folder around it.
        Err(error) if error.kind() == ErrorKind::NotFound => return fs::create_dir_all(folder),
        made => return made,
    }
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let about = entry.metadata()?;
        if about.is_dir() {
            fs::remove_dir_all(entry.path())?;
        } else if !(kept.iter().any(|kept| entry.file_name() == *kept) && system::is_plain(&about))
        {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Writes a file of a folder that was emptied.
///
/// # Errors
/// When the system refuses.
// PERF: ext4 writes a file to the disk at once that was cut to nothing before, but not one that is cut afterwards.
pub fn overwrite(file: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(false);
    let mut file = options.open(file)?;
    file.write_all(bytes)?;
    file.set_len(bytes.len() as u64)
}

/// A folder for files that no other user may read or change; dropping the value removes it. The first call removes what
/// programs left that were killed.
///
/// # Errors
/// When it cannot be made.
pub fn scratch() -> io::Result<HeldFolder> {
    const PREFIX: &str = "ikeru-scratch-";
    static ONCE: Once = Once::new();
    let place = std::env::temp_dir();
    ONCE.call_once(|| remove_left(&place, OsStr::new(PREFIX)));
    let mut builder = tempfile::Builder::new();
    HeldFolder::of(system::private(builder.prefix(PREFIX)), &place)
}

/// The files of a list; empty lines and those that begin with `#` are left out.
fn listed(list: &Path) -> Result<Vec<PathBuf>> {
    let text =
        text_file::read(list).with_context(|| format!("{}: cannot read it", list.display()))?;
    let folder = list.parent().unwrap_or(Path::new(""));
    let lines = text.lines().map(str::trim);
    let files = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let files: Vec<PathBuf> = files.map(|line| folder.join(line)).collect();
    if files.is_empty() {
        bail!("{}: names no file", list.display());
    }
    Ok(files)
}

/// Warns of files in the pattern's folder that no pattern can match, because their names are not UTF-8.
fn warn_of_unreadable_names(pattern: &Path) {
    let entries = pattern.parent().and_then(|folder| folder.read_dir().ok());
    for entry in entries.into_iter().flatten().flatten() {
        if entry.file_name().to_str().is_none() {
            let path = entry.path();
            output::warn(&format!(
                "{} is left out: its name is no UTF-8",
                path.display()
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_was_removed_with_the_one_around_it_is_made_again() {
        let around = tempfile::tempdir().expect("a folder");
        let folder = around.path().join("of a worker/files");
        for _ in 0..2 {
            empty_folder(&folder, &[]).expect("made");
            overwrite(&folder.join("answer"), b"5").expect("written");
            fs::remove_dir_all(folder.parent().expect("a folder")).expect("removed");
        }
    }

    #[test]
    fn scratch_belongs_to_one_user() {
        let scratch = scratch().expect("a folder");
        let about = fs::metadata(scratch.path()).expect("there");
        assert!(system::is_private(&about));
    }

    #[test]
    fn a_pattern_means_files() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join("easy")).expect("made");
        for name in ["a", "easy/b"] {
            fs::write(folder.path().join(name), "1").expect("written");
        }
        // Editors and systems leave hidden files, and a link may lead into a folder above.
        for name in [".gitkeep", ".1.txt.swp", "easy/._b"] {
            fs::write(folder.path().join(name), "").expect("written");
        }
        fs::create_dir(folder.path().join(".git")).expect("made");
        fs::write(folder.path().join(".git/config"), "").expect("written");
        #[cfg(unix)]
        for (to, link) in [("..", "easy/loop"), (".", "itself"), ("easy", "linked")] {
            std::os::unix::fs::symlink(to, folder.path().join(link)).expect("a link");
        }
        for (pattern, names) in [
            ("*", vec!["a"]),
            ("**/*", vec!["a", "easy/b", "linked/b"]),
            ("**", vec!["a", "easy/b", "linked/b"]),
            ("e*/**/?", vec!["easy/b"]),
            (".g*", vec![".gitkeep"]),
        ] {
            let expected: Vec<PathBuf> = names.iter().map(|it| folder.path().join(it)).collect();
            assert_eq!(of(folder.path(), pattern).expect("files"), expected);
        }
        assert!(of(folder.path(), "eas?").is_err());
        for pattern in ["[ab]", "[ab]*"] {
            let error = of(folder.path(), pattern)
                .expect_err("no class")
                .to_string();
            assert!(error.contains("in patterns only"), "{error}");
        }
    }

    #[test]
    fn a_file_of_another_content_is_noticed_and_a_new_one_of_the_same_is_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let [path, new] = ["solve", "new"].map(|name| folder.path().join(name));
        fs::write(&path, "one").expect("written");
        let (file, content) = HashedFile::read(path.clone()).expect("read");
        assert_eq!(content, b"one");
        for (text, is_same) in [
            ("one", true),
            ("two", false),
            ("one", true),
            ("longer", false),
        ] {
            fs::write(&new, text).expect("written");
            fs::rename(&new, &path).expect("replaced");
            assert_eq!(file.check().is_ok(), is_same, "{text}");
        }
        fs::remove_file(&path).expect("removed");
        let error = file.check().expect_err("no file").to_string();
        assert!(error.contains("solve: changed during the run"), "{error}");
    }

    #[test]
    fn files_come_in_the_order_of_their_names() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["b.map", "a.map", "a.scen", "行ける.map"] {
            fs::write(folder.path().join(name), "").expect("written");
        }
        fs::create_dir(folder.path().join("inside")).expect("a folder");
        fs::write(folder.path().join("inside/c.map"), "").expect("written");
        let names = |pattern: &str| -> Vec<String> {
            let files = of(folder.path(), pattern).expect("files");
            let name = |file: &PathBuf| file.file_name().map(|name| name.to_string_lossy().into());
            files.iter().filter_map(name).collect()
        };
        assert_eq!(names("*.map"), ["a.map", "b.map", "行ける.map"]);
        assert_eq!(names("*/*.map"), ["c.map"]);
        assert_eq!(names("none.map"), ["none.map"]);
        fs::create_dir(folder.path().join("maps [2012]")).expect("a folder");
        fs::write(folder.path().join("maps [2012]/s[1].map"), "").expect("written");
        assert_eq!(names("maps [2012]/*.map"), ["s[1].map"]);
        assert_eq!(names("maps [2012]/s[1].map"), ["s[1].map"]);
        let list = folder.path().join("some.lst");
        fs::write(&list, "# two\nb.map\n\ninside/c.map\n").expect("written");
        assert_eq!(names("some.lst"), ["b.map", "c.map"]);
        fs::write(&list, "\n").expect("written");
        assert!(of(folder.path(), "some.lst").is_err());
        let error = of(folder.path(), "*.csv").expect_err("nothing there");
        assert!(error.to_string().contains("*.csv"), "{error}");
        assert!(of(folder.path(), "***").is_err());
    }
}
