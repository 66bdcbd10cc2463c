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
    if path
        .parent()
        .is_some_and(|parent| parent.to_string_lossy().contains('*'))
    {
        bail!("`{glob}`: only the last part of a path may hold `*`");
    }
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

/// Whether `name` fits `pattern`, where each `*` stands for any characters. Takes at most |pattern|·|name|
/// steps: only the last star is ever tried again, since what an earlier one left is as good.
fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), name.chars().collect());
    let (mut at, mut read) = (0, 0);
    // The last star, and where in the name its next try begins.
    let mut star: Option<(usize, usize)> = None;
    while read < name.len() {
        if pattern.get(at) == Some(&'*') {
            star = Some((at, read));
            at += 1;
        } else if pattern.get(at) == Some(&name[read]) {
            (at, read) = (at + 1, read + 1);
        } else if let Some((place, begin)) = star {
            star = Some((place, begin + 1));
            (at, read) = (place + 1, begin + 1);
        } else {
            return false;
        }
    }
    pattern[at..].iter().all(|letter| *letter == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_matches_any_characters() {
        assert!(matches("*.scen", "a.map.scen") && matches("a*b*c", "aXbYbc"));
        assert!(!matches("*.scen", "a.scene") && !matches("a*b*c", "aXc"));
        assert!(matches("**", "") && matches("a*", "a") && !matches("", "a"));
        assert!(matches("*aab", "aaab") && matches("行*け", "行ける行け"));
    }

    /// Trying every way to spread the letters over the stars would take longer than the universe has.
    #[test]
    fn many_stars_take_no_longer_than_their_product() {
        let name = "a".repeat(200);
        assert!(!matches(&("a*".repeat(25) + "b"), &name));
        assert!(matches(&"a*".repeat(25), &name));
    }

    #[test]
    fn a_star_in_a_folder_is_refused() {
        let error = of(Path::new("."), "a*/b").expect_err("refused");
        assert!(error.to_string().contains("only the last part"), "{error}");
    }
}
