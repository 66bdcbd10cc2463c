//! Functions of Windows that `std` has. Processes with limits are refused; a variant runs in the program itself.

use std::fs::{File, Metadata};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use ikeru_core::ProcessUse;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::{flag, low_level};

use super::{CpuClock, Death, Ending, Limited, Recipient};

/// Implemented by every type, because nothing is waited for.
pub trait Waitable {}

impl<T> Waitable for T {}

/// A stream between two processes; none is made.
pub use std::net::TcpStream as Socket;

fn refused<T>() -> io::Result<T> {
    Err(ErrorKind::Unsupported.into())
}

/// The name of the host.
pub fn host() -> Option<String> {
    std::env::var("COMPUTERNAME").ok()
}

/// The version of the system's kernel, which takes another library to ask.
pub fn release() -> Option<String> {
    None
}

/// The name of the processor; the bytes of memory are not known.
pub fn cpu_and_memory() -> [Option<String>; 2] {
    [std::env::var("PROCESSOR_IDENTIFIER").ok(), None]
}

/// The file of the running program.
pub fn this_program() -> PathBuf {
    std::env::current_exe().unwrap_or_default()
}

/// Always `None`: the clock of a process advances by 16 ms.
pub fn cpu_time(_: CpuClock) -> Option<Duration> {
    None
}

/// Limits nothing.
///
/// # Errors
/// Always.
pub fn limit(_: Limited, _: u64) -> io::Result<()> {
    refused()
}

/// No CPU time is limited.
pub fn is_cpu_limited() -> bool {
    false
}

/// Waits for the end of a process; what it used is not known.
///
/// # Errors
/// The system refuses.
pub fn reap(child: &mut Child) -> io::Result<(ExitStatus, ProcessUse)> {
    Ok((child.wait()?, ProcessUse::default()))
}

/// There are no groups to lead.
pub fn lead(_: &mut Command) {}

/// A process has the name of its file.
pub fn name(_: &mut Command, _: &str) {}

/// No process is started that could be asked to end.
pub fn send(_: Ending, _: Recipient) {}

/// Always unknown: no process is started.
pub fn has_failed(_: &Child) -> bool {
    false
}

/// Always unknown: no process is started.
pub fn has_ended(_: &Child) -> bool {
    false
}

/// Always `false`: no process writes into the folders of this program.
pub fn is_plain(_: &Metadata) -> bool {
    false
}

/// Folders of the user, as they are anyway.
pub fn private<'b, 'p, 's>(
    builder: &'b mut tempfile::Builder<'p, 's>,
) -> &'b mut tempfile::Builder<'p, 's> {
    builder
}

/// Always `true`: the temporary folder is that of the user.
pub fn is_private(_: &Metadata) -> bool {
    true
}

/// Always `false`: no process is started.
pub fn is_exhausted(_: &io::Error) -> bool {
    false
}

/// Always unknown: no process is started.
pub fn has_no_children() -> bool {
    false
}

/// Always `None`: processes do not end by signals.
pub fn death(_: ExitStatus) -> Option<Death> {
    None
}

/// No socket.
///
/// # Errors
/// Always.
pub fn socket_to_stdin(_: Duration) -> io::Result<(Socket, Stdio)> {
    refused()
}

/// No socket.
///
/// # Errors
/// Always.
pub fn socket_from_stdin() -> io::Result<Option<Socket>> {
    refused()
}

/// There is no socket.
pub fn is_closed_within(_: &Socket, _: Duration) -> bool {
    true
}

/// Waits for nothing.
///
/// # Errors
/// Always.
pub fn wait(_: [Option<&dyn Waitable>; 3], _: Option<Duration>) -> io::Result<[bool; 3]> {
    refused()
}

/// At Ctrl-C or SIGTERM sets `stop`, or ends the program if `ends` is set; then sets `ends`.
///
/// # Errors
/// The system refuses.
pub fn on_signals(stop: &Arc<AtomicBool>, ends: &Arc<AtomicBool>) -> io::Result<Option<Socket>> {
    for signal in [SIGINT, SIGTERM] {
        flag::register_conditional_default(signal, Arc::clone(ends))?;
        flag::register(signal, Arc::clone(ends))?;
        flag::register(signal, Arc::clone(stop))?;
    }
    Ok(None)
}

/// Ends this program at once; exit handlers do not run.
pub fn exit_at_once(code: u8) -> ! {
    low_level::exit(code.into())
}

/// Always false: Windows refuses to remove an open file.
pub fn is_removed(_: &File) -> bool {
    false
}

/// Returns whether a file can be started: every file counts.
pub fn is_executable(file: &Path) -> bool {
    file.is_file()
}

/// Returns whether an attempt to lock failed because the file system has no locks.
pub fn has_no_locks(error: &io::Error) -> bool {
    error.kind() == ErrorKind::Unsupported
}
