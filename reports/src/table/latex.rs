//! Tables in LaTeX: a `tabular` in a `table`, without packages or with the rules of booktabs. A table with these rules
//! that is longer than a page is a `longtable`.

use super::Table;

pub(super) fn latex(table: &Table) -> String {
    ruled(table, ["\\hline"; 3], (false, ""))
}

/// The largest number of rows that fit on a page.
const PAGE: usize = 35;

impl Table {
    /// The table with the rules of the package booktabs, not wider than the text by the package graphicx; a table longer than
    /// a page uses the package longtable.
    pub fn booktabs(&self, label: &str) -> String {
        let rules = ["\\toprule", "\\midrule", "\\bottomrule"];
        let label = format!("\\label{{{label}}}");
        ruled(self, rules, (self.rows.len() > PAGE, &label))
    }
}

/// Makes what follows as narrow as the text, if it is wider.
const FIT: &str = "\\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}{%\n";

/// The size of letters at which a line of a table of several pages, which nothing scales, fits into the text.
fn size(table: &Table) -> &'static str {
    let width = |column: usize| {
        let cells = table.rows.iter().map(|row| row[column].line());
        let letters = cells.map(|cell| cell.chars().count()).max().unwrap_or(0);
        letters.max(table.heads[column].chars().count()) + 3
    };
    match (0..table.heads.len()).map(width).sum() {
        0..=90 => "\\normalsize",
        91..=130 => "\\scriptsize",
        _ => "\\tiny",
    }
}

/// The table with rules above and below the heads, and at the end.
fn ruled(
    table: &Table,
    [top, middle, bottom]: [&str; 3],
    (is_long, label): (bool, &str),
) -> String {
    let columns: String = table
        .numeric()
        .into_iter()
        .map(|is_number| if is_number { 'r' } else { 'l' })
        .collect();
    let line = |fields: Vec<String>| {
        let line = fields.join(" & ");
        // A bracket or a star after a line's end would be read as its argument.
        let guard = if line.starts_with(['[', '*']) {
            "{}"
        } else {
            ""
        };
        format!("{guard}{line} \\\\\n")
    };
    let mut text = String::new();
    if !table.heads.is_empty() {
        let title = escaped(&table.title);
        text += &match is_long {
            true => {
                let size = size(table);
                format!(
                    "{{{size}\n\\begin{{longtable}}{{{columns}}}\n\\caption{{{title}}}{label} \\\\\n"
                )
            }
            false => {
                let fit = if label.is_empty() { "" } else { FIT };
                format!(
                    "\\begin{{table}}\\centering\\setlength{{\\belowcaptionskip}}{{1ex}}\n\\caption{{{title}}}{label}\n{fit}\\begin{{tabular}}{{{columns}}}\n"
                )
            }
        };
        text += &format!("{top}\n");
        text += &line(table.heads.iter().map(|head| escaped(head)).collect());
        text += &format!("{middle}\n{}", if is_long { "\\endhead\n" } else { "" });
        for row in &table.rows {
            text += &line(row.iter().map(|cell| escaped(&cell.line())).collect());
        }
        let end = match (is_long, label) {
            (true, _) => "\\end{longtable}}",
            (false, "") => "\\end{tabular}\n\\end{table}",
            (false, _) => "\\end{tabular}}\n\\end{table}",
        };
        text += &format!("{bottom}\n{end}\n");
    }
    for note in &table.notes {
        // A note that names flags is for the author: the readers of a paper cannot use it.
        let comment = if note.contains("`--") { "% " } else { "" };
        text += &format!("\n{comment}{}\n", escaped(note));
    }
    if !table.command.is_empty() {
        text += &format!("\n% Made by {}\n", table.command.replace(['\n', '\r'], " "));
    }
    text
}

/// The characters that are LaTeX commands or missing in its plain fonts, each followed by its LaTeX spelling.
const SPELT: &str = r"& \& % \% $ \$ # \# _ \_ { \{ } \} \ \textbackslash{} ~ \textasciitilde{} ^ \textasciicircum{}
    < $<$ > $>$ | $|$ × $\times$ ÷ $\div$ · $\cdot$ − $-$ ± $\pm$ ≥ $\geq$ ≤ $\leq$ ≈ $\approx$ ∞ $\infty$ √ $\surd$ → $\rightarrow$
    µ $\mu$ … \dots{} – \textendash{} ⁻ $^-$ ⁰ $^0$ ² $^2$ ⁴ $^4$ ⁵ $^5$ ⁶ $^6$ ⁷ $^7$ ⁸ $^8$ ⁹ $^9$ ᵈ $^d$ ` \textasciigrave{} ᵢ $_i$ ⱼ $_j$ Σ $\Sigma$";

/// Text escaped for LaTeX.
pub fn escaped(text: &str) -> String {
    let words: Vec<&str> = SPELT.split_whitespace().collect();
    let spelt = |c: char| {
        let known = words.chunks_exact(2).find(|pair| pair[0].starts_with(c));
        known.map_or_else(|| c.to_string(), |pair| pair[1].to_owned())
    };
    let escaped: String = text.chars().map(spelt).collect();
    let escaped = escaped.replace('\u{202f}', "\\,").replace("''", "'{}'");
    // Not a dash: options of programs begin with two hyphens.
    escaped.replace("--", "-{}-").replace("--", "-{}-")
}
