//! Which rows answer the same question, so that variants may be compared on them.

use crate::rows::Rows;

/// What tells questions apart besides their settings.
const QUESTION: [&str; 4] = ["instance_hash", "mode", "bound_policy", "threads"];

/// The columns that a question is known by, over `selection`: the instance, how the machine is shared,
/// and the settings that every row has. A setting that differs between labels but never within one is
/// the label's own (the width of a beam), not the question's.
pub(crate) fn question_columns<'a>(rows: &'a Rows, selection: &[u32]) -> Vec<&'a str> {
    let labels = rows.group("label", selection);
    let is_asked = |name: &&str| {
        let values = |rows_of: &[u32]| rows.distinct(name, rows_of).len();
        let known = selection
            .iter()
            .all(|row| !rows.text(name, *row).is_empty());
        let own = || values(selection) > 1 && labels.iter().all(|(_, own)| values(own) == 1);
        known && !(labels.len() > 1 && own())
    };
    let settings = rows.columns().filter(|name| name.starts_with("setting_"));
    QUESTION
        .into_iter()
        .chain(settings.filter(is_asked))
        .collect()
}

/// The settings that some row of `selection` has.
pub(crate) fn known_settings<'a>(rows: &'a Rows, selection: &[u32]) -> Vec<&'a str> {
    rows.columns()
        .filter(|name| name.starts_with("setting_"))
        .filter(|name| {
            selection
                .iter()
                .any(|row| !rows.text(name, *row).is_empty())
        })
        .collect()
}
