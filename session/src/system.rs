//! The functions that differ by system: clocks of CPU time, pinning, limits, groups of processes, signals, facts of
//! the machine. No other module asks which system it is compiled for, and none calls a system except through `std`;
//! the house tests check this.
//!
//! Every system has the same functions. If a system lacks an ability, the function returns an error or does nothing,
//! and [`Abilities`] reports it beforehand. Decisions take the abilities as a value, so that the decisions for every
//! system can be tested on any system.

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

/// The abilities that a system gives this program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Abilities {
    /// The name of the system.
    pub system: &'static str,
    /// True if threads can be pinned to cores.
    pub pins: bool,
    /// True if processes can be held in groups, limited and stopped, and their output read with a time limit.
    pub has_groups: bool,
    /// True if a limit of memory has an effect.
    pub limits_memory: bool,
    /// True if the system reports the load of other processes.
    pub tells_load: bool,
}

/// The abilities of the system that this program was compiled for. Apple's kernels accept a limit of data and ignore
/// it.
pub const HERE: Abilities = Abilities {
    system: std::env::consts::OS,
    pins: cfg!(target_os = "linux"),
    has_groups: cfg!(unix),
    limits_memory: cfg!(target_os = "linux"),
    tells_load: cfg!(target_os = "linux"),
};

/// A clock of CPU time.
#[derive(Debug, Clone, Copy)]
pub enum CpuClock {
    /// The time of the calling thread.
    Thread,
    /// The time of all threads of the process.
    Process,
}

impl Abilities {
    /// Refuses `what`, which needs processes with limits, on a system without them.
    ///
    /// # Errors
    /// The system has none.
    pub fn check_groups(&self, what: &str) -> Result<()> {
        if !self.has_groups {
            let here = self.system;
            bail!(
                "{what} needs processes with limits, which ikeru has on Linux and macOS, not on {here}"
            );
        }
        Ok(())
    }

    /// The text of `run.toml` about isolated cells: `ended`, the processes that end together, and a note if memory is
    /// not limited.
    pub fn isolation(&self, ended: &str) -> String {
        if self.limits_memory {
            return ended.to_owned();
        }
        format!("{ended}; memory is not limited")
    }

    /// The effects of missing abilities on a measurement, for `ikeru doctor`.
    pub fn costs(&self) -> Vec<String> {
        let known = [
            (
                self.pins,
                "pins no thread: times include moves between cores, and comparisons need more samples",
            ),
            (
                self.has_groups,
                "has no processes with limits here: variants run in the program itself, and one that crashes ends the run",
            ),
            (
                self.limits_memory || !self.has_groups,
                "does not limit the memory of a process: `--memory` has no effect",
            ),
            (
                self.tells_load,
                "does not tell the load of other processes: end them before you measure",
            ),
        ];
        let lacking = known.into_iter().filter(|(is_able, _)| !is_able);
        let cost = |(_, cost)| format!("{} {cost}", self.system);
        lacking.map(cost).collect()
    }
}

/// The processes that shall end, by the number of one process.
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

/// The way in which a process is ended.
#[derive(Debug, Clone, Copy)]
pub enum Ending {
    /// It is asked, and may end in order.
    Asked,
    /// It is ended at once.
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

/// A resource of a process that can be limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limited {
    /// Bytes of a core dump.
    CoreDump,
    /// Bytes of data.
    Data,
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
