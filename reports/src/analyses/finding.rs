//! What an analysis says, and its forms in a terminal: aligned text, Markdown, CSV.

use crate::charts::Chart;

/// What an analysis says.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Finding {
    /// One line above it.
    pub title: String,
    /// How it was done and what came out.
    pub paragraphs: Vec<String>,
    /// The table's head; empty if there is no table.
    pub header: Vec<String>,
    /// The table's rows, as many fields each as the head has.
    pub rows: Vec<Vec<String>>,
    /// The same to look at, on the page.
    pub chart: Option<Chart>,
}

impl Finding {
    /// Without rows.
    pub(super) fn with_header(header: &[&str]) -> Self {
        Self {
            header: header.iter().map(|name| (*name).to_owned()).collect(),
            ..Self::default()
        }
    }

    /// Title, table with aligned columns, paragraphs.
    #[must_use]
    pub fn text(&self) -> String {
        let lines = || std::iter::once(&self.header).chain(&self.rows);
        let widths: Vec<usize> = (0..self.header.len())
            .map(|column| lines().map(|line| width(&line[column])).max().unwrap_or(0))
            .collect();
        let mut text = format!("{}\n\n", self.title);
        let shown = lines().filter(|line| !line.is_empty());
        for line in shown {
            let mut row = String::new();
            for (column, (field, width)) in line.iter().zip(&widths).enumerate() {
                let room = " ".repeat(width - self::width(field));
                // Words from the left, numbers from the right.
                row += &if self.is_of_words(column) {
                    format!("{field}{room}  ")
                } else {
                    format!("{room}{field}  ")
                };
            }
            text += row.trim_end();
            text.push('\n');
        }
        for paragraph in &self.paragraphs {
            text += &format!("\n{paragraph}\n");
        }
        text
    }

    /// The same as Markdown.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut text = format!("### {}\n\n", self.title);
        if !self.header.is_empty() {
            text += &self.markdown_table();
        }
        for paragraph in &self.paragraphs {
            text += &format!("\n{paragraph}\n");
        }
        text
    }

    fn markdown_table(&self) -> String {
        let line = |fields: &[String]| {
            let fields: Vec<String> = fields.iter().map(|f| f.replace('|', "\\|")).collect();
            format!("| {} |\n", fields.join(" | "))
        };
        let mut text = line(&self.header);
        let rule: Vec<String> = (0..self.header.len())
            .map(|column| {
                if self.is_of_words(column) {
                    "---"
                } else {
                    "---:"
                }
                .to_owned()
            })
            .collect();
        text += &line(&rule);
        self.rows.iter().for_each(|row| text += &line(row));
        text
    }

    /// The table alone as CSV.
    ///
    /// # Errors
    /// None that a memory has.
    pub fn csv(&self) -> Result<String, csv::Error> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(&self.header)?;
        for row in &self.rows {
            writer.write_record(row)?;
        }
        let bytes = writer
            .into_inner()
            .map_err(csv::IntoInnerError::into_error)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Whether a column holds a field with more letters than a unit has.
    fn is_of_words(&self, column: usize) -> bool {
        let letters = |text: &String| text.chars().filter(|c| c.is_alphabetic()).count();
        self.rows.iter().any(|row| letters(&row[column]) > 5)
    }
}

/// How many characters a field is wide.
fn width(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_aligned_in_every_form() {
        let finding = Finding {
            title: "Which one?".to_owned(),
            paragraphs: vec!["Nobody knows.".to_owned()],
            header: vec!["variant".to_owned(), "n".to_owned()],
            rows: vec![
                vec!["memo|flat".to_owned(), "5".to_owned()],
                vec!["bit".to_owned(), "1,234".to_owned()],
            ],
            chart: None,
        };
        assert_eq!(
            finding.text(),
            "Which one?\n\nvariant        n\nmemo|flat      5\nbit        1,234\n\nNobody knows.\n"
        );
        assert_eq!(
            finding.markdown(),
            "### Which one?\n\n| variant | n |\n| --- | ---: |\n| memo\\|flat | 5 |\n| bit | 1,234 |\n\nNobody knows.\n"
        );
        let csv = finding.csv().expect("written");
        assert_eq!(csv, "variant,n\nmemo|flat,5\nbit,\"1,234\"\n");
    }
}
