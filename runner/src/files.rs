//! The files that an experiment names by a glob.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// The files of a glob whose last part may hold `*`, in the order of their names.
///
/// # Errors
/// A folder that cannot be listed, or in which nothing fits.
pub fn of(folder: &Path, glob: &str) -> Result<Vec<PathBuf>> {
    let path = folder.join(glob);
    let pattern = path
        .file_name()
        .map_or(String::new(), |name| name.to_string_lossy().into());
    if !pattern.contains('*') {
        return Ok(vec![path]);
    }
    let parent = path.parent().unwrap_or(folder);
    let listing = std::fs::read_dir(parent)
        .with_context(|| format!("{}: cannot list the folder of `{glob}`", parent.display()))?;
    let mut found = Vec::new();
    for entry in listing {
        let entry = entry?;
        if matches(&pattern, &entry.file_name().to_string_lossy()) {
            found.push(entry.path());
        }
    }
    found.sort();
    if found.is_empty() {
        bail!("{}: no file `{pattern}` there", parent.display());
    }
    Ok(found)
}

/// Whether `name` fits `pattern`, where each `*` stands for any characters.
fn matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((before, after)) => name.strip_prefix(before).is_some_and(|rest| {
            (0..=rest.len())
                .filter(|at| rest.is_char_boundary(*at))
                .any(|at| matches(after, &rest[at..]))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_matches_any_characters() {
        assert!(matches("*.scen", "a.map.scen") && matches("a*b*c", "aXbYbc"));
        assert!(!matches("*.scen", "a.scene") && !matches("a*b*c", "aXc"));
    }
}
