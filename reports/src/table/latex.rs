//! Tables in LaTeX: a `tabular` in a `table`, with the rules of the package booktabs.

use super::{Cell, Table};

pub(super) fn latex(table: &Table) -> String {
    let letter = |is_number: bool| if is_number { 'r' } else { 'l' };
    let columns: String = table.numeric().into_iter().map(letter).collect();
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
        let heads = line(table.heads.iter().map(|head| escaped(head)).collect());
        let cells = |row: &Vec<Cell>| row.iter().map(|cell| escaped(&cell.line())).collect();
        let rows: String = table.rows.iter().map(|row| line(cells(row))).collect();
        text += &format!(
            "% \\usepackage{{booktabs}}\n\\begin{{table}}\\centering\n\\caption{{{}}}\n\\begin{{tabular}}{{{columns}}}\n\\toprule\n\
             {heads}\\midrule\n{rows}\\bottomrule\n\\end{{tabular}}\n\\end{{table}}\n",
            escaped(&table.title)
        );
    }
    // Text outside of the table is for the author: `\input` would set it as text of the paper.
    let made = Some(format!("Made by {}", table.command)).filter(|_| !table.command.is_empty());
    for note in table.notes.iter().chain(&made) {
        text += &format!("\n% {}\n", note.replace(['\n', '\r'], " "));
    }
    text
}

/// The characters that are LaTeX commands or missing in its plain fonts, each followed by its LaTeX spelling.
const SPELT: &str = r"& \& % \% $ \$ # \# _ \_ { \{ } \} \ \textbackslash{} ~ \textasciitilde{} ^ \textasciicircum{}
    < $<$ > $>$ | $|$ × $\times$ ÷ $\div$ · $\cdot$ − $-$ ± $\pm$ ≥ $\geq$ ≤ $\leq$ ≈ $\approx$ ∞ $\infty$ √ $\surd$ → $\rightarrow$
    µ $\mu$ … \dots{} – \textendash{} ⁻ $^-$ ⁰ $^0$ ² $^2$ ⁴ $^4$ ⁵ $^5$ ⁶ $^6$ ⁷ $^7$ ⁸ $^8$ ⁹ $^9$ ᵈ $^d$ ` \textasciigrave{} ᵢ $_i$ ⱼ $_j$ Σ $\Sigma$";

/// Text escaped for LaTeX.
fn escaped(text: &str) -> String {
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
