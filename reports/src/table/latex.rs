//! Tables in LaTeX: a `tabular` in a `table`, without packages or with the rules of booktabs.

use super::Table;

pub(super) fn latex(table: &Table) -> String {
    ruled(table, ["\\hline"; 3])
}

/// With the rules of the package booktabs.
pub(super) fn booktabs(table: &Table) -> String {
    ruled(table, ["\\toprule", "\\midrule", "\\bottomrule"])
}

/// With rules above and below the heads, and at the end.
fn ruled(table: &Table, [top, middle, bottom]: [&str; 3]) -> String {
    let columns: String = table
        .numeric()
        .into_iter()
        .map(|is_number| if is_number { 'r' } else { 'l' })
        .collect();
    let line = |fields: Vec<String>| format!("{} \\\\\n", fields.join(" & "));
    let mut text = String::new();
    if !table.heads.is_empty() {
        text += &format!(
            "\\begin{{table}}\n\\caption{{{}}}\n\\begin{{tabular}}{{{columns}}}\n{top}\n",
            escaped(&table.title)
        );
        text += &line(table.heads.iter().map(|head| escaped(head)).collect());
        text += &format!("{middle}\n");
        for row in &table.rows {
            text += &line(row.iter().map(|cell| escaped(&cell.line())).collect());
        }
        text += &format!("{bottom}\n\\end{{tabular}}\n\\end{{table}}\n");
    }
    for note in &table.notes {
        text += &format!("\n{}\n", escaped(note));
    }
    if !table.command.is_empty() {
        text += &format!("\n% Made by {}\n", table.command);
    }
    text
}

/// What LaTeX reads as commands or its plain fonts lack, each followed by how it is spelt.
const SPELT: &str = r"& \& % \% $ \$ # \# _ \_ { \{ } \} \ \textbackslash{} ~ \textasciitilde{} ^ \textasciicircum{}
    < $<$ > $>$ | $|$ × $\times$ ÷ $\div$ · $\cdot$ − $-$ ± $\pm$ ≥ $\geq$ ≤ $\leq$ ≈ $\approx$ ∞ $\infty$ → $\to$
    µ $\mu$ … \dots{} – -- ⁻ $^-$ ⁰ $^0$ ² $^2$ ⁴ $^4$ ⁵ $^5$ ⁶ $^6$ ⁷ $^7$ ⁸ $^8$ ⁹ $^9$";

/// Text as LaTeX reads it.
pub fn escaped(text: &str) -> String {
    let words: Vec<&str> = SPELT.split_whitespace().collect();
    let spelt = |c: char| {
        let known = words.chunks_exact(2).find(|pair| pair[0].starts_with(c));
        known.map_or_else(|| c.to_string(), |pair| pair[1].to_owned())
    };
    let escaped: String = text.chars().map(spelt).collect();
    escaped.replace('\u{202f}', "\\,")
}
