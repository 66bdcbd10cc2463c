//! Former names of subcommands, which keep working.

use std::ffi::OsString;

/// Former names, and the words that replace them.
const FORMER: &[(&str, &[&str])] = &[
    ("verify", &["solve", "--verify"]),
    ("rank", &["compare"]),
    ("emit", &["cluster", "emit"]),
    ("submit", &["cluster", "submit"]),
    ("status", &["cluster", "status"]),
    ("shard", &["cluster", "shard"]),
    ("merge", &["cluster", "merge"]),
];

/// The words of a command line with a former name of a subcommand replaced.
pub fn current_words(words: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut words: Vec<OsString> = words.collect();
    let first = words.get(1);
    if let Some((_, now)) = FORMER
        .iter()
        .find(|(name, _)| first.is_some_and(|word| word == name))
    {
        words.splice(1..2, now.iter().map(OsString::from));
    }
    words
}
