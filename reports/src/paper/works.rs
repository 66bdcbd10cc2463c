//! BibTeX of the works that the variants come from.

use std::collections::BTreeMap;

use ikeru_bench_data::PublishedSource;

/// A variant and the work that it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Work {
    /// The variant, with its problem: `path jps`.
    pub variant: String,
    /// The work in words: `Dijkstra 1959, A note on two problems`, or one of the sources with a section.
    pub work: String,
    /// The reference of the published source, if it is one of them.
    pub reference: Option<String>,
}

impl Work {
    /// The work of a variant; `source` says its source in words. One of the published `sources` begins with its name.
    pub fn new(variant: String, source: &str, sources: &[PublishedSource]) -> Self {
        let published = sources
            .iter()
            .find(|known| source.split(',').next() == Some(known.source.as_str()));
        Self {
            variant,
            work: source.to_owned(),
            reference: published.map(|known| known.reference.clone()),
        }
    }
}

/// One entry per work; the variants that come from it stand in its note.
pub(super) fn bibliography(works: &[Work]) -> String {
    let mut entries: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut references: BTreeMap<&str, &str> = BTreeMap::new();
    for work in works {
        // Several sections of one source are one entry.
        let name = match &work.reference {
            Some(_) => work.work.split(',').next().unwrap_or(&work.work),
            None => &work.work,
        };
        entries.entry(name).or_default().push(&work.variant);
        references.extend(work.reference.as_deref().map(|reference| (name, reference)));
    }
    let mut text = String::new();
    for (name, variants) in entries {
        let note = format!("ikeru: {}", variants.join(", "));
        text += &entry(name, references.get(name).copied(), &note);
    }
    text
}

/// `Harabor and Grastien 2014, Improving …` has authors, a year and a title; other words are a title.
fn entry(name: &str, reference: Option<&str>, note: &str) -> String {
    let year = |words: &str| -> Option<String> {
        let mut years = words.split(|c: char| !c.is_ascii_digit());
        years.find(|digits| digits.len() == 4).map(str::to_owned)
    };
    let (before, title) = name.split_once(", ").unwrap_or(("", name));
    let written = year(before);
    let mut fields = Vec::new();
    let key: String = match (&written, reference) {
        (Some(year), None) => {
            let authors = before.trim_end_matches(year.as_str()).trim();
            let authors = authors.replace(", ", " and ");
            fields.push(("author", authors.clone()));
            fields.push(("title", format!("{{{title}}}")));
            format!("{}{year}", authors.split(' ').next().unwrap_or_default())
        }
        (_, Some(reference)) => {
            fields.push(("title", format!("{{{reference}}}")));
            name.to_owned()
        }
        (None, None) => {
            fields.push(("title", format!("{{{name}}}")));
            name.to_owned()
        }
    };
    fields.extend(
        written
            .or(reference.and_then(year))
            .map(|year| ("year", year)),
    );
    fields.push(("note", note.to_owned()));
    let key: String = key.chars().filter(char::is_ascii_alphanumeric).collect();
    let mut text = format!("@misc{{{},\n", key.to_lowercase());
    for (field, value) in fields {
        text += &format!(
            "  {field} = {{{}}},\n",
            value.replace(['&', '%', '#', '_'], " ")
        );
    }
    text + "}\n\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_work_is_one_entry_with_all_its_variants() {
        let sources = ikeru_bench_data::builtin::published().expect("sources");
        let work = |variant: &str, source| Work::new(variant.to_owned(), source, &sources);
        let text = bibliography(&[
            work("path open-list", "A*, worked example"),
            work("path dijkstra", "Dijkstra 1959, A note on two problems"),
            work("path hash", "A*, features"),
        ]);
        assert_eq!(text.matches("@misc{").count(), 2, "{text}");
        assert!(text.contains("@misc{a,\n"), "{text}");
        assert!(
            text.contains("note = {ikeru: path open-list, path hash}"),
            "{text}"
        );
        let expected = "@misc{dijkstra1959,\n  author = {Dijkstra},\n  title = {{A note on two problems}},\n  year = {1959},\n";
        assert!(text.contains(expected), "{text}");
    }
}
