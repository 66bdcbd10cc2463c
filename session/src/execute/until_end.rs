//! A command that is no solver, carried out until it ends or its time is over.

use std::fmt::Display;
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

use anyhow::Result;
use ikeru_core::Deadline;

use super::confinement;
use super::lines::{HeardAll, LOOK_EVERY, LineReader};
use crate::system::{self, Ending, Recipient};

/// The most that a command may print: 64 MiB.
const MOST_OUTPUT: usize = 64 << 20;

/// Why a command printed nothing of use.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    /// Its time was over.
    #[error("did not end within its time limit")]
    Late,
    /// The run should stop.
    #[error("was interrupted")]
    Interrupted,
    /// This program could not carry it out, for lack of files, processes or memory.
    #[error("{0}")]
    Harness(String),
    /// Anything else.
    #[error("{0}")]
    Failed(String),
}

/// Returns whether a program that was there cannot be started because somebody writes it.
pub fn is_in_the_making(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{ExecutableFileBusy, NotFound, PermissionDenied};
    matches!(
        error.kind(),
        ExecutableFileBusy | NotFound | PermissionDenied
    )
}

/// Why this program could not carry out a command.
pub fn unable(what: &str, error: &dyn Display) -> Trouble {
    Trouble::Harness(format!("{what}: {error}"))
}

/// Carries out a command with the group that it leads, until it ends: its status, its output, and the end of its standard
/// error.
///
/// # Errors
/// It cannot be started, runs for too long, or prints too much.
pub fn carry_out(
    command: &mut Command,
    deadline: Deadline,
) -> Result<(ExitStatus, Vec<u8>, String), Trouble> {
    system::lead(command);
    let mut child = confinement::spawn(command).map_err(|error| {
        match error
            .downcast_ref()
            .is_some_and(|error| system::is_exhausted(error) || is_in_the_making(error))
        {
            true => unable("cannot be started", &error.root_cause()),
            false => Trouble::Failed(format!("cannot be started: {}", error.root_cause())),
        }
    })?;
    let group = Recipient::Group(child.id());
    let no_output = || Trouble::Harness("has no output".to_owned());
    let stdout = child.stdout.take().ok_or_else(no_output)?;
    let mut lines = LineReader::new(stdout, child.stderr.take(), MOST_OUTPUT);
    let look = || (!deadline.passed()).then(|| Instant::now() + LOOK_EVERY);
    let mut heard = match lines.all(&child, look) {
        Ok(HeardAll::Whole(all)) => Ok(all),
        Ok(HeardAll::Late) => Err(Trouble::Late),
        Ok(HeardAll::Interrupted) => Err(Trouble::Interrupted),
        Ok(HeardAll::TooLong) => {
            let most = MOST_OUTPUT >> 20;
            Err(Trouble::Failed(format!("printed more than {most} MiB")))
        }
        Err(error) => Err(Trouble::Harness(format!("cannot be heard: {error:#}"))),
    };
    // It may close its output and work on.
    while heard.is_ok() && !system::has_ended(&child) {
        match deadline.passed() {
            true => heard = Err(Trouble::Late),
            false => confinement::wait_for_end(&child, LOOK_EVERY),
        }
    }
    let last_words = lines.all_words();
    let id = child.id();
    let status = confinement::end(&mut child, Duration::ZERO, || {
        system::send(Ending::Forced, group);
    });
    confinement::bury(id);
    let status = status.map_err(|error| unable("cannot be ended", &error))?;
    Ok((status, heard?, last_words))
}
