//! SIGINT, SIGTERM and SIGHUP during a run: the first signal asks the run to stop, the second ends the program at
//! once.
//!
//! A signal that the program was started to ignore stays ignored, as under `nohup` and in a shell's background jobs.

use std::fmt;
use std::io;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::{flag, low_level};

/// The run was asked to stop and has stopped; every finished sample is in the journal.
#[derive(Debug)]
pub struct Interrupted;

impl fmt::Display for Interrupted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("interrupted")
    }
}

impl std::error::Error for Interrupted {}

/// Whether a signal asked the run to stop.
static STOP: OnceLock<Arc<AtomicBool>> = OnceLock::new();
/// Whether the next signal ends the program at once.
static ENDS: OnceLock<Arc<AtomicBool>> = OnceLock::new();
/// Becomes readable when a signal arrives.
static WAKES: OnceLock<UnixStream> = OnceLock::new();

/// Set as soon as the run should stop.
pub fn flag() -> &'static AtomicBool {
    STOP.get_or_init(Arc::default)
}

/// Becomes readable as soon as the run should stop; for a thread that waits for a process.
pub fn wakes() -> Option<&'static UnixStream> {
    WAKES.get()
}

/// Installs the signal handlers.
///
/// # Errors
/// When the system refuses.
pub fn listen() -> io::Result<()> {
    let (stop, ends) = (
        STOP.get_or_init(Arc::default),
        ENDS.get_or_init(Arc::default),
    );
    ends.store(false, Ordering::SeqCst);
    if WAKES.get().is_some() {
        return Ok(());
    }
    let (reader, writer) = UnixStream::pair()?;
    let ignored = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        if is_ignored(&ignored, signal) {
            continue;
        }
        // The order matters: the first signal finds `ends` unset, and sets it for the second.
        flag::register_conditional_default(signal, Arc::clone(ends))?;
        flag::register(signal, Arc::clone(ends))?;
        flag::register(signal, Arc::clone(stop))?;
        low_level::pipe::register(signal, writer.try_clone()?)?;
    }
    let _ = WAKES.set(reader);
    Ok(())
}

/// No work is left that could be interrupted: from now on the first signal ends the program.
pub fn over() {
    ENDS.get_or_init(Arc::default).store(true, Ordering::SeqCst);
}

/// Whether `/proc/self/status` says that the signal is ignored.
fn is_ignored(status: &str, signal: i32) -> bool {
    let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = line.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignored_signals_are_read_from_the_status() {
        // As under `nohup`, and in a background job of a script.
        assert!(is_ignored("Name:\tx\nSigIgn:\t0000000000000001\n", SIGHUP));
        assert!(!is_ignored("SigIgn:\t0000000000000001\n", SIGINT));
        assert!(is_ignored("SigIgn:\t0000000000000006\n", SIGINT));
        assert!(!is_ignored("SigIgn:\t0000000000000006\n", SIGTERM));
        assert!(!is_ignored("", SIGTERM));
    }
}
