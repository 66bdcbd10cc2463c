//! What differs by system: clocks of CPU time, pinning, limits, groups of processes, signals, facts of the machine. No other
//! module asks which system it is compiled for, and none calls a system past `std`; a test of the house holds that.
//!
//! Every system has the same functions. What a system cannot do, its function refuses or leaves out, and [`Abilities`]
//! says so beforehand: the decisions take them as a value, so that those of every system are tested on any.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(unix)]
mod unix;
#[cfg(not(target_os = "linux"))]
mod unpinned;
#[cfg(windows)]
mod windows;

use anyhow::{Result, bail};

#[cfg(target_os = "linux")]
pub use self::linux::*;
#[cfg(unix)]
pub use self::unix::*;
#[cfg(not(target_os = "linux"))]
pub use self::unpinned::*;
#[cfg(windows)]
pub use self::windows::*;

/// What a system lets this program do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Abilities {
    /// The name of the system.
    pub system: &'static str,
    /// Threads can be pinned to cores.
    pub pins: bool,
    /// Processes can be held in groups, limited, stopped and heard.
    pub has_groups: bool,
    /// A limit of memory holds.
    pub limits_memory: bool,
    /// The system tells what other processes use.
    pub tells_load: bool,
}

/// Those of the system that this program was compiled for. Apple's kernels accept a limit of data and ignore it.
pub const HERE: Abilities = Abilities {
    system: std::env::consts::OS,
    pins: cfg!(target_os = "linux"),
    has_groups: cfg!(unix),
    limits_memory: cfg!(target_os = "linux"),
    tells_load: cfg!(target_os = "linux"),
};

/// Whose CPU time.
#[derive(Debug, Clone, Copy)]
pub enum CpuClock {
    /// Of the calling thread.
    Thread,
    /// Of all threads of the process.
    Process,
}

impl Abilities {
    /// Refuses `what`, which needs processes with limits, where there are none.
    ///
    /// # Errors
    /// There are none.
    pub fn check_groups(&self, what: &str) -> Result<()> {
        if !self.has_groups {
            bail!(
                "{what} needs processes with limits, which ikeru has on Linux and macOS, not on {}",
                self.system
            );
        }
        Ok(())
    }

    /// What `run.toml` says of isolated cells: which processes end together, and the limit that does not hold.
    pub fn isolation(&self, ended: &str) -> String {
        match self.limits_memory {
            true => ended.to_owned(),
            false => format!("{ended}; memory is not limited"),
        }
    }

    /// What the lack of an ability costs a measurement, for `ikeru doctor`.
    pub fn costs(&self) -> Vec<String> {
        let system = self.system;
        let known = [
            (
                self.pins,
                format!(
                    "{system} pins no thread: times include moves between cores, and comparisons need more samples"
                ),
            ),
            (
                self.has_groups,
                format!(
                    "{system} has no processes with limits here: variants run in the program itself, and one that crashes ends the run"
                ),
            ),
            (
                self.limits_memory || !self.has_groups,
                format!(
                    "{system} does not limit the memory of a process: `--memory` has no effect"
                ),
            ),
            (
                self.tells_load,
                format!(
                    "{system} does not tell the load of other processes: end them before you measure"
                ),
            ),
        ];
        let lacking = known.into_iter().filter(|(is_able, _)| !is_able);
        lacking.map(|(_, cost)| cost).collect()
    }
}

/// Which processes are to end, by the number of one.
#[derive(Debug, Clone, Copy)]
pub enum Recipient {
    /// The process alone.
    Process(u32),
    /// The group that it leads.
    Group(u32),
    /// The group that this process leads, if it leads one.
    OwnGroup,
    /// A process that this program adopted; it is reaped too.
    Orphan(u32),
}

/// How a process is told to end.
#[derive(Debug, Clone, Copy)]
pub enum Ending {
    /// It may end in order.
    Asked,
    /// It ends at once.
    Forced,
}

/// The signal that ended a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Death {
    /// It aborted.
    Abort,
    /// It used more CPU time than it may.
    CpuTime,
    /// Any other signal.
    Other,
}

/// What a process may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limited {
    /// Bytes of a core dump.
    CoreDump,
    /// Bytes of data.
    Data,
    /// Seconds of CPU time.
    CpuTime,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_system_lacks_is_refused_in_one_line_and_its_cost_is_told() {
        let linux = Abilities {
            system: "linux",
            pins: true,
            has_groups: true,
            limits_memory: true,
            tells_load: true,
        };
        let macos = Abilities {
            system: "macos",
            pins: false,
            limits_memory: false,
            tells_load: false,
            ..linux
        };
        let windows = Abilities {
            system: "windows",
            has_groups: false,
            ..macos
        };
        assert!(linux.costs().is_empty());
        assert_eq!(linux.isolation("cgroup"), "cgroup");
        assert_eq!(
            macos.isolation("process group"),
            "process group; memory is not limited"
        );
        assert!(macos.check_groups("--isolate").is_ok());
        let costs = macos.costs();
        assert_eq!(costs.len(), 3);
        assert!(costs[0].starts_with("macos pins no thread") && costs[1].contains("--memory"));
        let error = windows.check_groups("--isolate").expect_err("refused");
        let error = error.to_string();
        assert_eq!(error.lines().count(), 1);
        assert!(error.starts_with("--isolate needs processes with limits"));
        assert!(error.ends_with("not on windows"), "{error}");
        assert_eq!(windows.costs().len(), 3);
    }
}
