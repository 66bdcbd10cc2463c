//! Exports a run folder for a paper: LaTeX and data for pgfplots. Every number comes from the folder's report.
//!
//! | module | owns |
//! |---|---|
//! | `latex` | macros, tables, the article |
//! | `plots` | plots and their data for pgfplots |

mod latex;
mod plots;

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
    environment.add_filter("tex", |text: &str| spelt(text));
    environment.add_filter("macro", |id: &str| macro_name(id));
    let text = environment.render_str(template, page);
    text.map_err(|error| ReportError::Question(format!("paper: {error:#}")))
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
