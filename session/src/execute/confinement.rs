//! The processes that end together with a worker beyond its process group: those that it started and that left the
//! group.
//!
//! Each worker has a cgroup (version 2), which holds all its descendants and is killed as a whole. If this program
//! may not create cgroups, it is the *subreaper* of its descendants: a process whose parent ended becomes a child of
//! this program and is then killed. If neither is possible, only the process group ends. `run.toml` records which of
//! the three applied.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::system::{self, Ending, HERE, Recipient};

/// The prefix of the names of this program's cgroups; its process number and a counter follow.
const PREFIX: &str = "ikeru-";
/// The memory of a cgroup beyond the data of one process: code, stacks and file pages.
const BESIDES: u64 = 64 << 20;
/// The time that a process may take to end after SIGTERM.
pub const GRACE: Duration = Duration::from_millis(100);
/// The maximum time until the processes of a cgroup are gone after they were killed.
const GONE: Duration = Duration::from_secs(1);

/// The processes that end together with a worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Confinement {
    /// All processes that it started: they are in a cgroup below this folder.
    Cgroup(PathBuf),
    /// Its process group, and processes that left the group once their parent has ended.
    Orphans,
    /// Its process group.
    ProcessGroup,
}

/// The confinement available to this program, determined at the first use.
static POSSIBLE: OnceLock<Confinement> = OnceLock::new();
/// The running workers. All other children of this program are orphans of workers.
static WORKERS: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

impl Confinement {
    /// The strongest confinement that the system allows this program.
    pub fn possible() -> &'static Self {
        POSSIBLE.get_or_init(|| match own_cgroup().filter(|own| may_divide(own)) {
            Some(own) => Self::Cgroup(own),
            None if adopt() => Self::Orphans,
            None => Self::ProcessGroup,
        })
    }

    /// The words in `run.toml`.
    pub fn name(&self) -> String {
        HERE.isolation(match self {
            Self::Cgroup(_) => "cgroup",
            Self::Orphans => "process group and orphans",
            Self::ProcessGroup => "process group",
        })
    }
}

/// A cgroup for one worker. Dropping it ends all processes in it.
#[derive(Debug)]
pub struct Cgroup {
    /// Its folder.
    pub path: PathBuf,
    is_limited: bool,
}

impl Cgroup {
    /// Creates a cgroup below the folder of another. All its processes together may have `memory` bytes of data, plus
    /// code and stacks, if the system lets this program limit memory.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn create(inside: &Path, memory: Option<u64>) -> Result<Self> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = inside.join(format!("{PREFIX}{}-{number}", std::process::id()));
        fs::create_dir(&path).with_context(|| format!("{}: cannot be made", path.display()))?;
        let limit = |file: &str, bytes: u64| fs::write(path.join(file), bytes.to_string()).is_ok();
        let is_limited = memory.is_some_and(|bytes| {
            // Swapped pages would not count.
            limit("memory.swap.max", 0);
            limit("memory.max", bytes.saturating_add(BESIDES))
        });
        Ok(Self { path, is_limited })
    }

    /// Adds a process; processes that it starts later are in the cgroup too.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn admit(&self, process: &Child) -> Result<()> {
        let procs = self.path.join("cgroup.procs");
        fs::write(&procs, process.id().to_string())
            .with_context(|| format!("{}: cannot be written", procs.display()))
    }

    /// Returns whether the system killed one of its processes for exceeding the common memory limit.
    pub fn ran_out_of_memory(&self) -> bool {
        let events = fs::read_to_string(self.path.join("memory.events"));
        self.is_limited && events.is_ok_and(|events| kills(&events) > 0)
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        kill(&self.path);
        let until = Instant::now() + GONE;
        // The folder can be removed as soon as the last process is gone.
        while fs::remove_dir(&self.path).is_err() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Kills every process of a cgroup.
pub fn kill(cgroup: &Path) {
    let _ = fs::write(cgroup.join("cgroup.kill"), "1");
}

/// The number of killed processes in `memory.events`.
fn kills(events: &str) -> u64 {
    let mut lines = events.lines();
    let count = lines.find_map(|line| line.strip_prefix("oom_kill "));
    count.and_then(|count| count.parse().ok()).unwrap_or(0)
}

/// The folder of this program's own cgroup; `None` without version 2.
fn own_cgroup() -> Option<PathBuf> {
    let own = fs::read_to_string("/proc/self/cgroup").ok()?;
    let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
    place(&own, &mounts)
}

/// The folder of a cgroup from `/proc/self/cgroup` and `/proc/self/mountinfo`.
fn place(own: &str, mounts: &str) -> Option<PathBuf> {
    let own = own.lines().find_map(|line| line.strip_prefix("0::"))?;
    mounts.lines().find_map(|line| {
        let (mount, kind) = line.split_once(" - ")?;
        let mut words = mount.split(' ').skip(3);
        let (root, folder) = (words.next()?, words.next()?);
        let inside = Path::new(own).strip_prefix(root).ok()?;
        (kind.split(' ').next() == Some("cgroup2")).then(|| Path::new(folder).join(inside))
    })
}

/// Returns whether this program may create cgroups in its own, move its children there and kill them. Removes cgroups
/// that earlier programs left.
fn may_divide(own: &Path) -> bool {
    for entry in fs::read_dir(own).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
        let program = name.and_then(|name| name.split('-').next());
        if program.is_some_and(|program| !Path::new("/proc").join(program).exists()) {
            // A cgroup that still has processes remains.
            let _ = fs::remove_dir(entry.path());
        }
    }
    let is_writable = |path: &Path| OpenOptions::new().write(true).open(path).is_ok();
    is_writable(&own.join("cgroup.procs"))
        && Cgroup::create(own, None).is_ok_and(|cgroup| {
            let mut files = ["cgroup.procs", "cgroup.kill"].iter();
            files.all(|file| is_writable(&cgroup.path.join(file)))
        })
}

/// Waits at most `grace` for a process to end by itself, then calls `kill` and reaps it. Without `grace` nothing waits: on a
/// busy machine each yield takes some milliseconds.
///
/// # Errors
/// When the system refuses.
pub fn end(child: &mut Child, grace: Duration, kill: impl FnOnce()) -> Result<ExitStatus> {
    // The process is reaped after everything is killed: until then the number belongs to it and its group.
    if !grace.is_zero() {
        wait_for_end(child, grace);
    }
    kill();
    Ok(child.wait()?)
}

/// Waits at most `grace` for a process to end by itself.
pub fn wait_for_end(child: &Child, grace: Duration) {
    // Most processes have closed their output just before they end, on the core of this thread.
    for _ in 0..20 {
        if system::has_ended(child) {
            return;
        }
        std::thread::yield_now();
    }
    let (until, mut pause) = (Instant::now() + grace, Duration::from_micros(20));
    while Instant::now() < until && !system::has_ended(child) {
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(1));
    }
}

/// Starts a worker and registers it, so that it does not count as an orphan.
///
/// # Errors
/// When it cannot be started.
pub fn spawn(command: &mut Command) -> Result<Child> {
    let mut workers = WORKERS.lock().unwrap_or_else(PoisonError::into_inner);
    let child = command.spawn().with_context(|| {
        let lacks_proc = HERE.tells_load && !Path::new("/proc/self").exists();
        let why = match lacks_proc {
            true => ": /proc is not mounted, which names the running program",
            false => "",
        };
        format!("a worker cannot be started{why}")
    })?;
    workers.insert(child.id());
    Ok(child)
}

/// The process numbers of the running workers.
pub fn workers() -> BTreeSet<u32> {
    let workers = WORKERS.lock().unwrap_or_else(PoisonError::into_inner);
    workers.clone()
}

/// Unregisters a worker that has ended, and kills the orphans that it left.
pub fn bury(worker: u32) {
    let mut workers = WORKERS.lock().unwrap_or_else(PoisonError::into_inner);
    workers.remove(&worker);
    if *Confinement::possible() != Confinement::Orphans {
        return;
    }
    // Killing one orphan makes orphans of its children.
    let until = Instant::now() + GONE;
    while Instant::now() < until {
        let mut orphans = children().unwrap_or_default();
        orphans.retain(|child| !workers.contains(child));
        if orphans.is_empty() {
            return;
        }
        let end = |orphan| system::send(Ending::Forced, Recipient::Orphan(orphan));
        orphans.into_iter().for_each(end);
    }
}

/// Makes this program the parent of all processes that its children leave; returns whether [`children`] then has them
/// all.
fn adopt() -> bool {
    children().is_some() && system::adopt_orphans()
}

/// The children of this program; `None` where the system does not report them.
fn children() -> Option<Vec<u32>> {
    let mut all = Vec::new();
    for thread in fs::read_dir("/proc/self/task").ok()?.flatten() {
        let path = thread.path();
        match fs::read_to_string(path.join("children")) {
            Ok(children) => {
                let numbers = children.split_whitespace().map(str::parse);
                all.extend(numbers.filter_map(Result::<u32, _>::ok));
            }
            // The thread has ended meanwhile.
            Err(_) if !path.exists() => {}
            Err(_) => return None,
        }
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_own_cgroup_is_found_where_it_is_mounted() {
        let mounts = "30 24 0:26 / /sys/fs/cgroup ro - tmpfs tmpfs ro\n\
                      31 30 0:27 / /sys/fs/cgroup/unified rw,nosuid shared:9 - cgroup2 cgroup2 rw\n";
        let whole = place("9:pids:/a\n0::/user/me\n", mounts);
        assert_eq!(whole, Some("/sys/fs/cgroup/unified/user/me".into()));
        // A container whose root is a part of the hierarchy.
        let part = mounts.replace("0:27 / ", "0:27 /user ");
        let inside = place("0::/user/me\n", &part);
        assert_eq!(inside, Some("/sys/fs/cgroup/unified/me".into()));
        assert_eq!(place("0::/other\n", &part), None);
        assert_eq!(place("4:memory:/a\n", mounts), None);
        assert_eq!(
            place("0::/\n", "30 24 0:26 / /sys - tmpfs tmpfs ro\n"),
            None
        );
    }

    #[test]
    fn kills_for_memory_are_counted() {
        let events = "low 0\nhigh 0\nmax 12\noom 1\noom_kill 3\noom_group_kill 0\n";
        assert_eq!((kills(events), kills("oom 1\n"), kills("")), (3, 0, 0));
    }

    /// Starts a process that starts another and waits; the other leaves its group and then its parent.
    fn with_an_orphan() -> (Child, u32) {
        use std::io::Read;
        let mut command = Command::new("sh");
        command
            .args([
                "-c",
                "setsid sleep 1000 </dev/null >/dev/null 2>&1 & echo $!; wait",
            ])
            .stdout(std::process::Stdio::piped());
        let mut child = spawn(&mut command).expect("started");
        let mut said = [0; 32];
        let read = child
            .stdout
            .as_mut()
            .expect("piped")
            .read(&mut said)
            .expect("a number");
        let number = String::from_utf8_lossy(&said[..read])
            .trim()
            .parse()
            .expect("a number");
        (child, number)
    }

    /// Waits until the process is gone; returns whether it is.
    fn is_gone(process: u32) -> bool {
        let until = Instant::now() + Duration::from_secs(5);
        let status = format!("/proc/{process}/stat");
        while Instant::now() < until {
            // The process that adopted it may take a moment to reap it.
            let status = fs::read_to_string(&status).unwrap_or_default();
            if status.is_empty() || status.contains(") Z ") {
                return true;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        false
    }

    #[test]
    fn whoever_leaves_the_process_group_ends_with_the_worker() {
        let possible = Confinement::possible();
        if *possible == Confinement::ProcessGroup {
            eprintln!("skipped: neither cgroups nor orphans can be ended here");
            return;
        }
        let (mut child, orphan) = match possible {
            Confinement::Cgroup(own) => {
                let cgroup = Cgroup::create(own, None).expect("a cgroup");
                // Processes that were started before are added one by one.
                let (child, orphan) = with_an_orphan();
                cgroup.admit(&child).expect("admitted");
                let procs = cgroup.path.join("cgroup.procs");
                fs::write(procs, orphan.to_string()).expect("admitted");
                (child, orphan)
            }
            _ => with_an_orphan(),
        };
        let _ = child.kill();
        child.wait().expect("ended");
        bury(child.id());
        assert!(is_gone(orphan));
    }

    #[test]
    fn orphans_become_children_of_this_program_and_are_ended() {
        if !adopt() {
            eprintln!("skipped: the system does not tell this program's children");
            return;
        }
        let (mut child, orphan) = with_an_orphan();
        let _ = child.kill();
        child.wait().expect("ended");
        let adopted = children().expect("it told before");
        assert!(adopted.contains(&orphan), "{orphan} in {adopted:?}");
        system::send(Ending::Forced, Recipient::Process(orphan));
        assert!(is_gone(orphan));
        bury(child.id());
    }
}
