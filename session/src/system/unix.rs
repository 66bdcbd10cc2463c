//! Functions of Linux, macOS and other Unix systems, through the C library.

use std::fs::{File, Metadata};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use ikeru_core::ProcessUse;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, fcntl_dupfd_cloexec};
use rustix::process::{
    Pid, Resource, Rlimit, Signal, WaitId, WaitIdOptions, WaitIdStatus, WaitOptions, getpgrp,
    getpid, getrlimit, kill_process, kill_process_group, setrlimit, waitid, waitpid,
};
use rustix::stdio::{dup2_stdin, stdin};
use rustix::system::uname;
use rustix::time::{ClockId, clock_gettime};
use signal_hook::consts::{SIGALRM, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU};
use signal_hook::{flag, low_level};
use wait4::Wait4;

use super::{CpuClock, Death, Ending, Limited, Recipient};

pub use std::os::fd::AsFd as Waitable;
/// A stream between two processes.
pub use std::os::unix::net::UnixStream as Socket;

/// The signals with which people and schedulers end a program.
const ENDING: [i32; 8] = [
    SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGXCPU, SIGALRM,
];

/// The name of the host.
pub fn host() -> Option<String> {
    uname().nodename().to_str().ok().map(str::to_owned)
}

/// The version of the system's kernel.
pub fn release() -> Option<String> {
    uname().release().to_str().ok().map(str::to_owned)
}

/// The name of the processor and the bytes of memory, for systems whose `/proc` does not have them.
pub fn cpu_and_memory() -> [Option<String>; 2] {
    ["machdep.cpu.brand_string", "hw.memsize"].map(|name| {
        let told = Command::new("sysctl").args(["-n", name]).output().ok()?;
        let told = String::from_utf8(told.stdout).ok()?.trim().to_owned();
        (!told.is_empty()).then_some(told)
    })
}

/// The file of the running program, even if it was replaced meanwhile.
pub fn this_program() -> PathBuf {
    let linked = PathBuf::from("/proc/self/exe");
    if linked.exists() {
        return linked;
    }
    std::env::current_exe().unwrap_or(linked)
}

/// The CPU time of this thread or of its process.
pub fn cpu_time(of: CpuClock) -> Option<Duration> {
    let time = clock_gettime(match of {
        CpuClock::Thread => ClockId::ThreadCPUTime,
        CpuClock::Process => ClockId::ProcessCPUTime,
    });
    let (seconds, nanoseconds) = (time.tv_sec.unsigned_abs(), time.tv_nsec as u32);
    Some(Duration::new(seconds, nanoseconds))
}

/// Limits this process, at most to what it may already use. The limit cannot be raised again.
///
/// # Errors
/// The system refuses.
pub fn limit(what: Limited, most: u64) -> io::Result<()> {
    let resource = match what {
        Limited::CoreDump => Resource::Core,
        Limited::Data => Resource::Data,
    };
    let maximum = getrlimit(resource).maximum;
    let most = maximum.map_or(most, |maximum| most.min(maximum));
    let most = Some(most);
    let limit = Rlimit {
        current: most,
        maximum: most,
    };
    Ok(setrlimit(resource, limit)?)
}

/// Returns whether the CPU time of this process is limited. The first answer is kept.
pub fn is_cpu_limited() -> bool {
    static FIRST: OnceLock<bool> = OnceLock::new();
    *FIRST.get_or_init(|| getrlimit(Resource::Cpu).current.is_some())
}

/// Waits for the end of a process and reaps it; with its CPU time and memory, those of children that it waited for
/// included.
///
/// # Errors
/// The system refuses.
pub fn reap(child: &mut Child) -> io::Result<(ExitStatus, ProcessUse)> {
    let ended = child.wait4()?;
    let used = ProcessUse {
        cpu: Some(ended.rusage.utime + ended.rusage.stime),
        peak_bytes: Some(ended.rusage.maxrss),
    };
    Ok((ended.status, used))
}

/// Makes the process of `command` the leader of a new process group.
pub fn lead(command: &mut Command) {
    command.process_group(0);
}

/// Gives the process of `command` the name `name`.
pub fn name(command: &mut Command, name: &str) {
    command.arg0(name);
}

/// Asks processes to end, or ends them. The number of a process is valid until the process is reaped.
pub fn send(message: Ending, to: Recipient) {
    let signal = match message {
        Ending::Asked => Signal::TERM,
        Ending::Forced => Signal::KILL,
    };
    let pid = |number| Pid::from_raw(i32::try_from(number).ok()?);
    let _ = match to {
        Recipient::Process(number) => pid(number).map(|pid| kill_process(pid, signal)),
        Recipient::Group(number) => pid(number).map(|pid| kill_process_group(pid, signal)),
        Recipient::OwnGroup => {
            (getpgrp() == getpid()).then(|| kill_process_group(getpid(), signal))
        }
        Recipient::Orphan(number) => pid(number).map(|pid| {
            kill_process(pid, signal)?;
            waitpid(Some(pid), WaitOptions::empty()).map(drop)
        }),
    };
}

/// Looks for processes that have ended, without waiting for one or reaping it.
const LOOK: WaitIdOptions = WaitIdOptions::EXITED
    .union(WaitIdOptions::NOHANG)
    .union(WaitIdOptions::NOWAIT);

/// The status of a process that has ended, without reaping it.
fn status(child: &Child) -> Option<WaitIdStatus> {
    waitid(WaitId::Pid(Pid::from_child(child)), LOOK).ok()?
}

/// Returns whether a process that was not reaped has ended.
pub fn has_ended(child: &Child) -> bool {
    status(child).is_some()
}

/// Returns whether this process has no children, not even one that has ended and was not reaped.
pub fn has_no_children() -> bool {
    waitid(WaitId::All, LOOK).is_err_and(|error| error == Errno::CHILD)
}

/// Returns whether a process has ended by a signal or with another status than 0, without reaping it.
pub fn has_failed(child: &Child) -> bool {
    status(child).is_some_and(|status| status.exit_status() != Some(0))
}

/// The signal that ended a process.
pub fn death(status: ExitStatus) -> Option<Death> {
    let signal = status.signal()?;
    Some(match signal {
        _ if signal == Signal::ABORT.as_raw() => Death::Abort,
        _ if signal == Signal::XCPU.as_raw() => Death::CpuTime,
        _ => Death::Other,
    })
}

/// A socket, whose writes wait at most `patience`, and its other end as the standard input of a process.
///
/// # Errors
/// The system refuses.
pub fn socket_to_stdin(patience: Duration) -> io::Result<(Socket, Stdio)> {
    let (socket, theirs) = Socket::pair()?;
    socket.set_write_timeout(Some(patience))?;
    Ok((socket, Stdio::from(OwnedFd::from(theirs))))
}

/// The socket at standard input, which is empty afterwards; `None` if it is none.
///
/// # Errors
/// The system refuses.
pub fn socket_from_stdin() -> io::Result<Option<Socket>> {
    let socket = fcntl_dupfd_cloexec(stdin(), 3)?;
    dup2_stdin(File::open("/dev/null")?)?;
    let socket = Socket::from(socket);
    Ok(socket.peer_addr().is_ok().then_some(socket))
}

/// Waits until the other end of a socket is closed; returns whether it is.
pub fn is_closed_within(socket: &Socket, most: Duration) -> bool {
    // Linux always reports `HUP`; Apple's kernels report it only if it is requested.
    let mut other_end = [PollFd::new(socket, PollFlags::HUP)];
    poll(&mut other_end, timespec(most).as_ref()).is_ok_and(|ready| ready > 0)
}

/// Waits until one of `sources` can be read, at most for `most`, or for ever without it. Returns for each source
/// whether it can be read.
///
/// # Errors
/// The system cannot wait.
pub fn wait(sources: [Option<&dyn Waitable>; 3], most: Option<Duration>) -> io::Result<[bool; 3]> {
    let present = sources.iter().flatten();
    let mut polled: Vec<PollFd> = present
        .map(|source| PollFd::from_borrowed_fd(source.as_fd(), PollFlags::IN))
        .collect();
    match poll(&mut polled, most.and_then(timespec).as_ref()) {
        Ok(_) | Err(Errno::INTR) => {}
        Err(error) => return Err(error.into()),
    }
    let mut polled = polled.iter();
    Ok(sources.map(|source| {
        source.is_some() && polled.next().is_some_and(|one| !one.revents().is_empty())
    }))
}

/// The time for the system; `None`, which means for ever, for a time that the system cannot represent.
fn timespec(time: Duration) -> Option<Timespec> {
    Timespec::try_from(time).ok()
}

/// At a signal that would end the program sets `stop`, or ends the program if `ends` is set; then sets `ends`. Returns a socket
/// that becomes readable at a signal. A signal that the program was started to ignore stays ignored.
///
/// # Errors
/// The system refuses.
pub fn on_signals(stop: &Arc<AtomicBool>, ends: &Arc<AtomicBool>) -> io::Result<Option<Socket>> {
    let (reader, writer) = Socket::pair()?;
    let ignored = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    for signal in ENDING {
        if is_ignored(&ignored, signal) {
            continue;
        }
        // The order matters: the first signal finds `ends` unset, and sets it for the second.
        flag::register_conditional_default(signal, Arc::clone(ends))?;
        flag::register(signal, Arc::clone(ends))?;
        flag::register(signal, Arc::clone(stop))?;
        low_level::pipe::register(signal, writer.try_clone()?)?;
    }
    Ok(Some(reader))
}

/// Returns whether the signal is ignored according to `/proc/self/status`.
fn is_ignored(status: &str, signal: i32) -> bool {
    let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = line.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

/// Ends this program at once; exit handlers do not run.
pub fn exit_at_once(code: u8) -> ! {
    low_level::exit(code.into())
}

/// Returns whether an open file was removed.
pub fn is_removed(file: &File) -> bool {
    file.metadata().is_ok_and(|about| about.nlink() == 0)
}

/// Returns whether a directory entry is a file without other names that may be written.
pub fn is_plain(entry: &Metadata) -> bool {
    entry.is_file() && entry.nlink() == 1 && !entry.permissions().readonly()
}

/// Folders that no other user may read or change.
pub fn private<'b, 'p, 's>(
    builder: &'b mut tempfile::Builder<'p, 's>,
) -> &'b mut tempfile::Builder<'p, 's> {
    builder.permissions(PermissionsExt::from_mode(0o700))
}

/// Returns whether no other user may read or change a file.
pub fn is_private(about: &Metadata) -> bool {
    about.permissions().mode() & 0o077 == 0
}

/// Returns whether a file can be started.
pub fn is_executable(file: &Path) -> bool {
    let about = std::fs::metadata(file);
    about.is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
}

/// Returns whether the system has no further processes, open files or memory for this program.
pub fn is_exhausted(error: &io::Error) -> bool {
    const LACKS: [Errno; 4] = [Errno::AGAIN, Errno::NOMEM, Errno::MFILE, Errno::NFILE];
    Errno::from_io_error(error).is_some_and(|error| LACKS.contains(&error))
}

/// Returns whether an attempt to lock failed because the file system has no locks.
pub fn has_no_locks(error: &io::Error) -> bool {
    let error = Errno::from_io_error(error);
    matches!(error, Some(Errno::NOTSUP | Errno::NOSYS | Errno::NOLCK))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lack_of_the_system_is_not_a_missing_program() {
        let lacks = |error: Errno| is_exhausted(&error.into());
        assert!([Errno::AGAIN, Errno::NOMEM, Errno::MFILE, Errno::NFILE].map(lacks) == [true; 4]);
        assert!([Errno::NOENT, Errno::ACCESS, Errno::NOEXEC].map(lacks) == [false; 3]);
    }

    #[test]
    fn ignored_signals_are_read_from_the_status() {
        // This is the status under `nohup`; the next one is that of a background job of a script.
        assert!(is_ignored("Name:\tx\nSigIgn:\t0000000000000001\n", SIGHUP));
        assert!(!is_ignored("SigIgn:\t0000000000000001\n", SIGINT));
        assert!(is_ignored("SigIgn:\t0000000000000006\n", SIGINT));
        assert!(!is_ignored("SigIgn:\t0000000000000006\n", SIGTERM));
        assert!(!is_ignored("", SIGTERM));
    }
}
