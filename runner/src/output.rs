//! What goes to standard output and standard error, and what the process ends with.

use std::io::{self, Write};

/// Exit code: usage or input.
pub const BAD_INPUT: u8 = 2;
/// Exit code: the referee found a wrong answer.
pub const WRONG_ANSWER: u8 = 3;

/// Writes `text` to standard output.
///
/// # Errors
/// When the other end is closed or full.
pub fn print(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}

/// Writes `error: …` as one line to standard error, causes included.
pub fn print_error(error: &anyhow::Error) {
    let text = format!("{error:#}");
    let line: Vec<&str> = text.lines().map(str::trim).collect();
    // Nothing is left to tell it to if standard error is closed.
    let _ = writeln!(io::stderr(), "error: {}", line.join(" "));
}

/// Whether the reader of standard output went away.
pub fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .downcast_ref::<io::Error>()
        .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
