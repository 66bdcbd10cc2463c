//! Standard output, standard error and the exit codes.

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::Path;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use ikeru_reports::table::{Form, Table, Tone, filled};
use ikeru_reports::units::few;
use ikeru_reports::visible;
use serde_json::{Map, Value as Json};

pub use ikeru_core::shell_quoted as quoted;

/// Exit code: a comparison decided that a metric became worse.
pub const REGRESSION: u8 = 1;
/// Exit code: usage or input.
pub const BAD_INPUT: u8 = 2;
/// Exit code: the referee found a wrong answer.
pub const WRONG_ANSWER: u8 = 3;

/// Exit code: samples were taken, and none of them was solved.
pub const NOTHING_SOLVED: u8 = 4;

/// Exit code: a run was interrupted and can be resumed.
pub const UNFINISHED: u8 = 75;

/// The command line, quoted for a shell.
pub fn command_line() -> String {
    words(std::env::args_os())
}

fn words(arguments: impl Iterator<Item = OsString>) -> String {
    let words = arguments.map(|argument| quoted(&argument.to_string_lossy()));
    words.collect::<Vec<_>>().join(" ")
}

/// Writes `text` to standard output, without control characters that a terminal would obey.
///
/// # Errors
/// When the other end is closed or full.
pub fn print(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(visible(text).as_bytes())?;
    out.flush()?;
    Ok(())
}

/// Writes lines, each with a toned word and the rest of the line. The word is coloured in a terminal, unless
/// `NO_COLOR` is set.
///
/// # Errors
/// When the other end is closed or full.
pub fn print_toned(lines: &[(Tone, String, String)]) -> anyhow::Result<()> {
    let is_plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let mut out = io::stdout().lock();
    let has_colours = out.is_terminal() && !is_plain;
    for (tone, word, rest) in lines {
        let (begin, end) = match (has_colours, tone) {
            (false, _) | (true, Tone::Still) => ("", ""),
            (true, Tone::Good) => ("\x1b[32m", "\x1b[0m"),
            (true, Tone::Bad) => ("\x1b[31m", "\x1b[0m"),
            (true, Tone::Warn) => ("\x1b[33m", "\x1b[0m"),
        };
        writeln!(out, "{begin}{}{end}{}", visible(word), visible(rest))?;
    }
    Ok(out.flush()?)
}

/// The form of printed tables.
#[derive(Debug, Clone, Copy, Args)]
pub struct Format {
    /// Prints tables in another form
    #[arg(long, default_value = "text", value_parser = forms())]
    format: Form,
    /// Short for --format markdown
    #[arg(long, conflicts_with_all = ["csv", "format"])]
    markdown: bool,
    /// Short for --format csv
    #[arg(long, conflicts_with = "format")]
    csv: bool,
    /// Short for --format json
    #[arg(long, conflicts_with_all = ["csv", "format", "markdown"])]
    json: bool,
    /// With all details, and with all columns of tables, however narrow the terminal is
    #[arg(short, long)]
    pub verbose: bool,
}

/// Reads the word of a form.
fn forms() -> impl TypedValueParser<Value = Form> {
    let words = PossibleValuesParser::new(Form::ALL.map(Form::name));
    words.map(|typed| Form::named(&typed).unwrap_or(Form::Text))
}

impl Format {
    /// The form that was asked for.
    pub fn form(self) -> Form {
        match self {
            Self { markdown: true, .. } => Form::Markdown,
            Self { csv: true, .. } => Form::Csv,
            Self { json: true, .. } => Form::Json,
            Self { format, .. } => format,
        }
    }

    /// The table in this form; as text no wider than the terminal.
    pub fn of(self, table: &Table) -> String {
        match self.form() {
            Form::Text if !self.verbose => table.within(width()),
            form => table.to(form),
        }
    }
}

/// The width of the terminal at standard output; `None` if standard output is no terminal.
pub fn width() -> Option<usize> {
    let (terminal_size::Width(width), _) = terminal_size::terminal_size_of(io::stdout())?;
    Some(usize::from(width).max(NARROWEST))
}

/// Narrower terminals are treated as this one.
const NARROWEST: usize = 40;

/// Prints the path of a file; in a terminal as a link that opens it.
///
/// # Errors
/// When the other end is closed or full.
pub fn print_link(path: &Path) -> anyhow::Result<()> {
    let shown = path.display().to_string();
    let mut out = io::stdout().lock();
    match path.canonicalize() {
        Ok(whole) if out.is_terminal() => {
            let (shown, address) = (visible(&shown), url(&whole.to_string_lossy()));
            let link = format!("\x1b]8;;{address}\x1b\\{shown}\x1b]8;;\x1b\\");
            writeln!(out, "{link} ({address})")?;
        }
        _ => writeln!(out, "{}", visible(&shown))?,
    }
    Ok(out.flush()?)
}

/// Writes a line to standard error, without control characters that a terminal would obey.
pub fn tell(line: &str) {
    // If standard error is closed, there is no place left to report it.
    let _ = writeln!(io::stderr(), "{}", visible(line));
}

/// Writes a sentence to standard error, in a terminal in lines of its width. A command to copy is not told so.
pub fn tell_filled(text: &str) {
    let width = terminal_size::terminal_size_of(io::stderr());
    let width = width.map(|(width, _)| usize::from(width.0).max(NARROWEST));
    tell(&filled(text, width));
}

/// Writes the notes of a table to standard error, where the format has no place for them.
pub fn tell_without_place(notes: &[String], format: Format) {
    if matches!(format.form(), Form::Csv | Form::Bmf) {
        notes.iter().for_each(|note| tell(note));
    }
}

/// Writes a warning to standard error.
pub fn warn(why: &str) {
    tell_filled(&format!("warning: {why}"));
}

/// The address of a file. All bytes but plain letters, digits and `-_./~` are escaped.
fn url(path: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./~".contains(&byte);
    let escaped = path.bytes().map(|byte| match is_plain(byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    });
    format!("file://{}", escaped.collect::<String>())
}

/// The command line for the foot of a table.
fn made_by() -> String {
    format!("ikeru {}", words(std::env::args_os().skip(1)))
}

/// Prints a table with the command that made it.
///
/// # Errors
/// When standard output is closed or full.
pub fn print_table(mut table: Table, format: Format) -> anyhow::Result<()> {
    table.command = made_by();
    let end = match format.form() {
        Form::Csv | Form::Json | Form::Bmf => "",
        Form::Text | Form::Markdown | Form::Html | Form::Latex => "\n",
    };
    print(&(format.of(&table) + end))
}

/// Prints the tables of several experiments: in a form of JSON as one value that names them; in CSV with one header for
/// neighbours that have the same, and an empty line before another one.
///
/// # Errors
/// When standard output is closed or full.
pub fn print_tables(tables: Vec<(String, Table)>, format: Format) -> anyhow::Result<()> {
    let form = format.form();
    if tables.len() < 2 || !matches!(form, Form::Csv | Form::Json | Form::Bmf) {
        let mut tables = tables.into_iter();
        return tables.try_for_each(|(_, table)| print_table(table, format));
    }
    if form == Form::Csv {
        let mut all = String::new();
        let mut header = String::new();
        for (experiment, mut table) in tables {
            table.name_rows("experiment", &experiment);
            let text = format.of(&table);
            let (own, rows) = text.split_once('\n').unwrap_or((&text, ""));
            if own != header {
                let between = if all.is_empty() { "" } else { "\n" };
                all += &format!("{between}{own}\n");
                header = own.to_owned();
            }
            all += rows;
        }
        return print(&all);
    }
    let (mut list, mut benchmarks) = (Vec::new(), Map::new());
    for (experiment, mut table) in tables {
        table.command = made_by();
        match table.bmf() {
            Json::Object(own) if form == Form::Bmf => {
                let own = own.into_iter();
                benchmarks.extend(own.map(|(name, it)| (format!("{experiment}: {name}"), it)));
            }
            _ => {
                let mut table = table.json();
                table["experiment"] = Json::from(experiment);
                list.push(table);
            }
        }
    }
    let all = match form {
        Form::Bmf => Json::Object(benchmarks),
        _ => Json::Array(list),
    };
    print(&format!("{all:#}\n"))
}

/// The words of a command that a person wrote as one text, as a shell splits them: quotes and backslashes keep blanks.
///
/// # Errors
/// A quote that is not closed.
pub fn split(text: &str) -> anyhow::Result<Vec<String>> {
    let (mut words, mut word, mut quote) = (Vec::new(), None, None);
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (Some(open), letter) if letter == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None, blank) if blank.is_whitespace() => words.extend(word.take()),
            (None, '\\') => word.get_or_insert_with(String::new).extend(letters.next()),
            // In double quotes a backslash keeps only these.
            (Some('"'), '\\') => {
                let next = letters.next();
                let is_kept = next.is_some_and(|next| !"\"\\$`".contains(next));
                let word = word.get_or_insert_with(String::new);
                word.extend(is_kept.then_some('\\').into_iter().chain(next));
            }
            (_, letter) => word.get_or_insert_with(String::new).push(letter),
        }
    }
    if let Some(quote) = quote {
        anyhow::bail!("`{text}`: a quote {quote} is not closed");
    }
    words.extend(word);
    Ok(words)
}

/// The maximum number of regressions named on stderr; the table has all.
const SHOWN: usize = 5;

/// Writes `regression: …` as one line to standard error: the first of `regressions`, and how many more there are.
pub fn print_regressions(regressions: &[String]) {
    let first = few(regressions, SHOWN, "; ");
    tell(&format!("regression: {first}"));
}

/// Writes `error: …` as one line to standard error, causes included.
pub fn print_error(error: &anyhow::Error) {
    let text = format!("{error:#}");
    let line: Vec<&str> = text.lines().map(str::trim).collect();
    tell(&format!("error: {}", line.join(" ")));
}

/// Returns whether the reader of standard output closed it.
pub fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let error = error.downcast_ref::<io::Error>();
    error.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_escape_blanks_and_letters_beyond_ascii() {
        assert_eq!(url("/a b/ü#.html"), "file:///a%20b/%C3%BC%23.html");
    }

    #[test]
    fn a_command_is_quoted_word_by_word() {
        let arguments = ["compare", "my run", "$HOME"].map(OsString::from);
        assert_eq!(words(arguments.into_iter()), "compare 'my run' '$HOME'");
    }

    #[test]
    fn words_are_quoted_where_a_shell_needs_it() {
        for (word, expected) in [
            ("results/run-1", "results/run-1"),
            ("--set=steps=1,2", "--set=steps=1,2"),
            ("a b", "'a b'"),
            ("it's", "'it'\\''s'"),
            ("*", "'*'"),
            ("", "''"),
        ] {
            assert_eq!(quoted(word), expected);
            assert_eq!(split(expected).expect("closed"), [word]);
        }
        for (text, expected) in [
            ("./a  {instance}", vec!["./a", "{instance}"]),
            (r"sh my\ base/a.sh", vec!["sh", "my base/a.sh"]),
            (
                r#"sh -c 'n=1; echo "$n"' "a\"b\c""#,
                vec!["sh", "-c", r#"n=1; echo "$n""#, r#"a"b\c"#],
            ),
            ("", vec![]),
        ] {
            assert_eq!(split(text).expect("closed"), expected, "{text}");
        }
        assert!(split("sh -c 'a").is_err());
    }
}
