//! Exports a run folder for a paper: LaTeX. Every number comes from the folder's report.
//!
//! | module | owns |
//! |---|---|
//! | `latex` | macros, tables, plots, the article |

mod latex;

use std::path::Path;

pub use latex::export;

use ikeru_records::{ReportError, Result, whole};
use ikeru_reports::table::spelt;
use minijinja::Environment;

fn write(path: &Path, text: &str) -> Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|error| ReportError::io(folder, error))?;
    }
    whole::write(path, text).map_err(|error| ReportError::io(path, error))
}

/// A text from its template.
fn rendered(template: &str, page: minijinja::Value) -> Result<String> {
    let mut environment = Environment::new();
    environment.add_filter("tex", |text: &str| prose(text));
    let fonts = include_str!("../templates/fonts.tex.j2");
    let known = environment.add_template("fonts", fonts);
    known.map_err(|error| ReportError::Question(format!("paper: {error:#}")))?;
    environment.add_filter("macro", |id: &str| macro_name(id));
    let text = environment.render_str(template, page);
    text.map_err(|error| ReportError::Question(format!("paper: {error:#}")))
}

/// A text of the page: code between backticks, quotations in Japanese by a macro that leaves them out where there are no
/// letters for them, and a line may end after an arrow.
fn prose(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    let is_paired = parts.len() % 2 == 1;
    let part = |(place, part): (usize, &&str)| match place % 2 == 1 && is_paired {
        true => format!(
            "\\texttt{{{}}}",
            spelt(part).replace('\'', "\\textquotesingle{}")
        ),
        false => quoted(&spelt(part)),
    };
    let parts: Vec<String> = parts.iter().enumerate().map(part).collect();
    let text = parts.join(if is_paired { "" } else { "`" });
    text.replace("$\\rightarrow$", "$\\rightarrow$\\allowbreak{}")
}

/// LaTeX with its quotations in Japanese as arguments of a macro.
fn quoted(text: &str) -> String {
    let parts = text.split('「').enumerate();
    let part = |(place, part): (usize, &str)| match (place, part.split_once('」')) {
        (0, _) => part.to_owned(),
        (_, Some((quote, after))) => format!("\\ikeruQuote{{{quote}}}{after}"),
        (_, None) => format!("「{part}"),
    };
    parts.map(part).collect()
}

/// The macro of a figure, which has letters only: `challeran/5x6-dfs` is `ikeruChalleranFivexSixDfs`.
fn macro_name(id: &str) -> String {
    const DIGITS: [&str; 10] = [
        "Zero", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine",
    ];
    let mut name = "ikeru".to_owned();
    let mut is_first = true;
    for c in id.chars() {
        match c.to_digit(10) {
            Some(digit) => name += DIGITS[digit as usize],
            None if c.is_ascii_alphabetic() && is_first => name.push(c.to_ascii_uppercase()),
            None if c.is_ascii_alphabetic() => name.push(c),
            None => {}
        }
        is_first = !c.is_ascii_alphanumeric();
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotations_and_code_are_arguments_of_macros() {
        for (text, expected) in [
            (
                "says 「M 頂点」 (M vertices)",
                "says \\ikeruQuote{M 頂点} (M vertices)",
            ),
            ("「a", "「a"),
            ("a」 「b」", "a」 \\ikeruQuote{b}"),
            ("`x_1` and `y`", "\\texttt{x\\_1} and \\texttt{y}"),
            ("a ` b", "a ` b"),
            ("A→B", "A$\\rightarrow$\\allowbreak{}B"),
        ] {
            assert_eq!(prose(text), expected);
        }
    }
}
