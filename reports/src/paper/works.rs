//! BibTeX of the works that the variants come from.

use std::collections::BTreeMap;

use ikeru_bench_data::PublishedSource;

/// A variant and the work that it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CitedWork {
    /// The variant, with its problem: `path jps`.
    pub variant: String,
    /// The work in words: `Dijkstra 1959, A note on two problems`, or one of the sources with a section.
    pub work: String,
    /// The reference of the published source, if it is one of them.
    pub reference: Option<String>,
}

impl CitedWork {
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
pub(super) fn bibliography(works: &[CitedWork]) -> String {
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

/// Where the first number of four digits stands.
fn year(words: &str) -> Option<usize> {
    let is_digit = |at: usize| words.as_bytes().get(at).is_some_and(u8::is_ascii_digit);
    let begins = |at: &usize| {
        let is_first = *at == 0 || !is_digit(at - 1);
        is_first && (0..4).all(|place| is_digit(at + place)) && !is_digit(at + 4)
    };
    (0..words.len()).find(begins)
}

/// Without what the fonts of plain LaTeX lack: Japanese, and brackets around it.
fn latin(words: &str) -> String {
    let is_latin = |text: &str| text.chars().all(|c| c < '\u{2e80}');
    let mut left = String::new();
    for (place, part) in words.split('(').enumerate() {
        let (inside, after) = part.split_once(')').unwrap_or(("", part));
        if place > 0 && is_latin(inside) {
            left += &format!("({inside})");
        }
        left.extend(after.chars().filter(|c| *c < '\u{2e80}'));
    }
    let words: Vec<&str> = left.split_whitespace().collect();
    words.join(" ").replace(" ,", ",")
}

/// `Harabor and Grastien 2014, Improving …` has authors, a year and a title; other words are a title.
fn entry(name: &str, reference: Option<&str>, note: &str) -> String {
    let (before, title) = match year(name) {
        Some(at) if name[at + 4..].starts_with(", ") => (&name[..at + 4], &name[at + 6..]),
        _ => ("", name),
    };
    let own_year = |words: &str| year(words).map(|at| words[at..at + 4].to_owned());
    let written = own_year(before);
    let mut fields = Vec::new();
    let key: String = match (&written, reference) {
        (Some(year), None) => {
            let authors = before.trim_end_matches(year.as_str()).trim();
            let authors = authors
                .replace(", ", " and ")
                .replace(" et al.", " and others");
            fields.push(("author", authors.clone()));
            fields.push(("title", format!("{{{title}}}")));
            format!("{}{year}", authors.split(' ').next().unwrap_or_default())
        }
        (_, Some(reference)) => {
            fields.push(("title", format!("{{{}}}", latin(reference))));
            if latin(reference) != reference {
                fields.push(("titleoriginal", format!("{{{reference}}}")));
            }
            name.replace('*', "star")
        }
        (None, None) => {
            fields.push(("title", format!("{{{name}}}")));
            name.to_owned()
        }
    };
    fields.extend(
        written
            .or(reference.and_then(own_year))
            .map(|year| ("year", year)),
    );
    fields.push(("note", note.to_owned()));
    let key: String = key.chars().filter(char::is_ascii_alphanumeric).collect();
    if !fields.iter().any(|(name, _)| *name == "author") {
        fields.push(("key", key.clone()));
    }
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
        let work = |variant: &str, source| CitedWork::new(variant.to_owned(), source, &sources);
        let text = bibliography(&[
            work("path open-list", "A*, worked example"),
            work("path dijkstra", "Dijkstra 1959, A note on two problems"),
            work("path hash", "A*, features"),
        ]);
        assert_eq!(text.matches("@misc{").count(), 2, "{text}");
        assert!(text.contains("@misc{astar,\n"), "{text}");
        assert!(
            text.contains("note = {ikeru: path open-list, path hash}"),
            "{text}"
        );
        let expected = "@misc{dijkstra1959,\n  author = {Dijkstra},\n  title = {{A note on two problems}},\n  year = {1959},\n";
        assert!(text.contains(expected), "{text}");
    }

    #[test]
    fn plain_fonts_have_every_letter_of_a_title() {
        let blog = "A blog article on \"Ikemasuyo!\" (いけますよ!), 2016";
        assert_eq!(latin(blog), "A blog article on \"Ikemasuyo!\", 2016");
        let article = "「計算迷路」の解法 (techniques for the solver), 2017";
        assert_eq!(latin(article), "(techniques for the solver), 2017");
        assert_eq!(
            latin("Müller (and others) 2014"),
            "Müller (and others) 2014"
        );
        let three = entry("Hart, Nilsson and Raphael 1968, A formal basis", None, "n");
        assert!(
            three.contains("author = {Hart and Nilsson and Raphael}"),
            "{three}"
        );
        assert!(three.contains("title = {{A formal basis}}"), "{three}");
    }
}
