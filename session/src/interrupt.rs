//! SIGINT, SIGTERM, SIGHUP and the other signals that end programs, during a run: the first one asks the run to stop, the second ends the program at
//! once.
//!
//! A signal that the program was started to ignore stays ignored, as under `nohup` and in a shell's background jobs.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, OnceLock};

use crate::system::{self, Socket};

/// The run was asked to stop and has stopped; every finished sample is in the journal.
#[derive(Debug, thiserror::Error)]
#[error("interrupted")]
pub struct Interrupted;

/// True after a signal asked the run to stop.
static STOP: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);
/// True if the next signal ends the program at once.
static ENDS: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);
/// Becomes readable when a signal arrives.
static WAKES: OnceLock<Option<Socket>> = OnceLock::new();

/// Set as soon as the run should stop.
pub fn flag() -> &'static AtomicBool {
    &STOP
}

/// Returns an error after a signal.
///
/// # Errors
/// [`Interrupted`].
pub fn check() -> Result<(), Interrupted> {
    if flag().load(Ordering::Relaxed) {
        return Err(Interrupted);
    }
    Ok(())
}

/// Becomes readable as soon as the run should stop; for a thread that waits for a process.
pub fn wakes() -> Option<&'static Socket> {
    WAKES.get().and_then(Option::as_ref)
}

/// Installs the signal handlers.
///
/// # Errors
/// When the system refuses.
pub fn listen() -> io::Result<()> {
    ENDS.store(false, Ordering::SeqCst);
    if WAKES.get().is_none() {
        let _ = WAKES.set(system::on_signals(&STOP, &ENDS)?);
    }
    Ok(())
}

/// No work is left that could be interrupted: from now on the first signal ends the program.
pub fn over() {
    ENDS.store(true, Ordering::SeqCst);
}
