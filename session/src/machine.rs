//! The machine, the program and the other load of the machine, as far as the system reports them; for `run.toml`.
//! Values that cannot be read are left out, never guessed.

use std::collections::BTreeMap;
use std::env::consts::{ARCH, OS};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, Instant, SystemTime};
use std::{fs, io};

use ikeru_core::ContentHash;
use ikeru_reports::records::Place;
use jiff::Timestamp;

use crate::execute::confinement;
use crate::{cores, system};

/// CPU, cores, frequency policy, turbo, memory, load, system and timing core, under readable names.
pub fn machine() -> BTreeMap<String, String> {
    let cores = std::thread::available_parallelism().ok();
    // Other processors than those of Intel and AMD have no `model name`; the name of the board is used.
    let [cpu, memory] = match line_of("/proc/meminfo", "MemTotal") {
        Some(memory) => [
            line_of("/proc/cpuinfo", "model name").or_else(|| line_of("/proc/cpuinfo", "Model")),
            Some(memory),
        ],
        None => system::cpu_and_memory(),
    };
    let known = [
        ("node", Some(place().node).filter(|node| !node.is_empty())),
        ("cpu", cpu),
        ("cores", cores.map(|cores| cores.to_string())),
        ("frequency_governor", governor()),
        ("turbo", turbo()),
        ("timing", Some(cores::pinning())),
        ("memory", memory),
        ("load_average", load_average()),
        ("system", system::release()),
        ("architecture", Some(format!("{OS} {ARCH}"))),
    ];
    only_known(known)
}

/// The facts that could be read, by their names.
fn only_known<const N: usize>(facts: [(&str, Option<String>); N]) -> BTreeMap<String, String> {
    let known = |(name, value): (&str, Option<_>)| Some((name.to_owned(), value?));
    facts.into_iter().filter_map(known).collect()
}

/// The node on which this program runs, and the job and task of the scheduler that started it. Under Slurm the node
/// has its name in the cluster, which may differ from the host name.
pub fn place() -> Place {
    let known = |names: &str| {
        let mut values = names.split(' ').filter_map(|name| std::env::var(name).ok());
        values.find(|value| !value.is_empty() && value != "undefined")
    };
    let job = known("SLURM_ARRAY_JOB_ID SLURM_JOB_ID PBS_JOBID JOB_ID");
    let task = known("SLURM_ARRAY_TASK_ID PBS_ARRAY_INDEX SGE_TASK_ID JOB_COMPLETION_INDEX");
    let node = known("SLURMD_NODENAME").or_else(system::host);
    Place {
        node: node.unwrap_or_default(),
        job: job.unwrap_or_default(),
        task: task.unwrap_or_default(),
    }
}

/// Program and compiler.
pub fn versions() -> BTreeMap<String, String> {
    BTreeMap::from([
        ("ikeru".to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
        ("rustc".to_owned(), env!("IKERU_RUSTC").to_owned()),
        ("profile".to_owned(), env!("IKERU_PROFILE").to_owned()),
    ])
}

/// The beginnings and ends of the names of variables that choose language, libraries, threads and interpreters of commands.
const CHOOSING: [(&str, &str); 12] = [
    ("LANG", ""),
    ("LC_", ""),
    ("LD_", ""),
    ("DYLD_", ""),
    ("PATH", ""),
    ("TZ", ""),
    ("OMP_", ""),
    ("MALLOC_", ""),
    ("GLIBC_", ""),
    ("PYTHON", ""),
    ("JAVA_", ""),
    ("", "_NUM_THREADS"),
];

/// The variables that commands inherit and that may change what they do, each with a hash of its value.
pub fn environment() -> BTreeMap<String, String> {
    let all = std::env::vars_os().filter_map(|(name, value)| {
        let name = name.into_string().ok()?;
        let mut parts = CHOOSING.iter();
        let chooses = parts.any(|(begin, end)| name.starts_with(begin) && name.ends_with(end));
        let hash = ContentHash::of(&[value.as_encoded_bytes()]).to_string();
        chooses.then(|| (name, hash[..8].to_owned()))
    });
    all.collect()
}

/// The content hash of this program; empty if it cannot be read. It is computed once.
pub fn binary() -> &'static str {
    static HASH: OnceLock<String> = OnceLock::new();
    HASH.get_or_init(|| {
        let program = File::open(system::this_program());
        let hash = program.and_then(|program| ContentHash::of_file(&program));
        hash.map_or(String::new(), |hash| hash.to_string())
    })
}

/// A new folder in `parent`, named `name` and the time in UTC, as `NAME-20261121-064500`; a number follows if another
/// run began in the same second. An error is reported when the run opens the folder.
pub fn new_folder(parent: &Path, name: &str) -> PathBuf {
    let time = timestamp(SystemTime::now()).strftime("%Y%m%d-%H%M%S");
    let mut folder = parent.join(format!("{name}-{time}"));
    let _ = fs::create_dir_all(parent);
    let is_taken = |error: io::Error| error.kind() == io::ErrorKind::AlreadyExists;
    for number in 2.. {
        if !fs::create_dir(&folder).is_err_and(is_taken) {
            break;
        }
        folder = parent.join(format!("{name}-{time}-{number}"));
    }
    folder
}

/// The time in UTC to the nanosecond, as `2026-11-21T06:45:00.000000000Z`.
pub fn moment() -> String {
    format!("{:.9}", timestamp(SystemTime::now()))
}

/// The day of a time in UTC: `2026-01-31`.
pub fn day(time: SystemTime) -> String {
    timestamp(time).strftime("%Y-%m-%d").to_string()
}

/// The time as a date; a clock beyond the year 9999 counts as at its end.
fn timestamp(time: SystemTime) -> Timestamp {
    Timestamp::try_from(time).unwrap_or(Timestamp::MAX)
}

/// The load average: the number of processes that wanted to run, averaged over 1, 5 and 15 minutes.
pub fn load_average() -> Option<String> {
    let line = first_line("/proc/loadavg")?;
    Some(line.split(' ').take(3).collect::<Vec<_>>().join(" "))
}

fn governor() -> Option<String> {
    first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
}

/// The state of turbo, in which the processor may raise its clock: `on` or `off`.
fn turbo() -> Option<String> {
    let boost = first_line("/sys/devices/system/cpu/cpufreq/boost");
    let on = match boost {
        Some(boost) => boost == "1",
        None => first_line("/sys/devices/system/cpu/intel_pstate/no_turbo")? == "0",
    };
    Some(if on { "on" } else { "off" }.to_owned())
}

fn first_line(path: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    text.lines().next().map(|line| line.trim().to_owned())
}

/// The value of the first `name : value` line.
fn line_of(path: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    let (_, value) = line.split_once(':')?;
    Some(value.trim().to_owned())
}

/// Ticks of processor time since the system started, summed over its cores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// All ticks.
    total: u64,
    /// Spent idle or waiting for a disk.
    idle: u64,
    /// Taken by the host for other guests.
    steal: u64,
    /// Spent by this process, its workers, and children of either that ended.
    own: u64,
}

/// The load of other processes in a period, as shares of all processor time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OtherLoad {
    /// Other processes of this system.
    pub busy: f64,
    /// The host's other guests.
    pub steal: f64,
}

impl Usage {
    /// The usage now; `None` where the system does not report it.
    pub fn now() -> Option<Self> {
        let all = first_line("/proc/stat")?;
        let mut usage = Self::read(&all, &first_line("/proc/self/stat")?)?;
        let workers = confinement::workers().into_iter();
        let running = workers.filter_map(|id| first_line(&format!("/proc/{id}/stat")));
        usage.own += running.filter_map(|stat| own_ticks(&stat)).sum::<u64>();
        Some(usage)
    }

    /// Reads the first line of `/proc/stat` and that of `/proc/self/stat`.
    fn read(all: &str, own: &str) -> Option<Self> {
        // user nice system idle iowait irq softirq steal; guests are within user.
        let words = all.strip_prefix("cpu ")?.split_whitespace();
        let all: Vec<u64> = words.map_while(|word| word.parse().ok()).collect();
        let [_, _, _, idle, wait, _, _, steal, ..] = all[..] else {
            return None;
        };
        Some(Self {
            total: all.iter().take(8).sum(),
            idle: idle + wait,
            steal,
            own: own_ticks(own)?,
        })
    }

    /// The load of others since `before`; `None` if no time has passed.
    pub fn since(self, before: Self) -> Option<OtherLoad> {
        let ticks = |part: fn(Self) -> u64| part(self).saturating_sub(part(before)) as f64;
        let total = ticks(|usage| usage.total);
        let own = ticks(|usage| usage.own);
        let busy = total - ticks(|usage| usage.idle) - ticks(|usage| usage.steal) - own;
        (total > 0.0).then(|| OtherLoad {
            busy: (busy / total).clamp(0.0, 1.0),
            steal: ticks(|usage| usage.steal) / total,
        })
    }
}

/// The ticks of a process and of its children that ended, from the line of `/proc/PID/stat`.
fn own_ticks(stat: &str) -> Option<u64> {
    // After the name in parentheses: the state, ten numbers, then utime stime cutime cstime.
    let (_, stat) = stat.rsplit_once(") ")?;
    let words: Vec<&str> = stat.split(' ').collect();
    let ticks = words.get(11..15)?.iter().map(|word| word.parse::<u64>());
    ticks.sum::<Result<_, _>>().ok()
}

/// The share of all processor time that other processes may take before times are doubtful.
const BUSY_LIMIT: f64 = 0.05;
/// The share that the host may take.
const STEAL_LIMIT: f64 = 0.01;

/// The reasons why times are doubtful here, each with a remedy. `others` is the load in the period `when`.
pub fn doubts(others: Option<OtherLoad>, governor: Option<&str>, when: &str) -> Vec<String> {
    let mut doubts = Vec::new();
    let percent = |share: f64| format!("{:.1}\u{202f}%", 100.0 * share);
    if let Some(OtherLoad { busy, steal }) = others {
        if busy > BUSY_LIMIT {
            doubts.push(format!(
                "other processes took {} of the processors {when}: stop them, or repeat more",
                percent(busy)
            ));
        }
        if steal > STEAL_LIMIT {
            doubts.push(format!(
                "the host took {} of the processors for other guests {when}: measure on a machine of your own, or repeat more",
                percent(steal)
            ));
        }
    }
    if let Some(governor) = governor.filter(|governor| *governor != "performance") {
        doubts.push(format!(
            "the frequency governor is `{governor}`: `cpupower frequency-set -g performance` as root holds the clock still"
        ));
    }
    doubts
}

/// The reasons for doubt that are known before a run.
pub fn standing_doubts() -> Vec<String> {
    doubts(None, governor().as_deref(), "")
}

/// The observations of a session.
#[derive(Debug, Default)]
pub struct ObservedLoad {
    /// Under readable names.
    pub machine: BTreeMap<String, String>,
    /// The observations that make times doubtful.
    pub doubts: Vec<String>,
}

/// The time after which a run warns of the load of others for the first time: 100 ticks of each core.
const SOON: Duration = Duration::from_secs(1);

/// Observes the machine from before the first sample to after the last.
pub struct LoadWatch {
    started: Option<Usage>,
    began: Instant,
    /// The load that [`look`](Self::look) saw.
    seen: OnceLock<Option<OtherLoad>>,
}

impl LoadWatch {
    /// Begins to observe, and warns of a clock that is not held still.
    pub fn begin() -> Self {
        warn(&standing_doubts());
        Self {
            started: Usage::now(),
            began: Instant::now(),
            seen: OnceLock::new(),
        }
    }

    /// The doubts about the load of others so far: once, when a second has passed. Called between samples, when no
    /// solver runs.
    pub fn look(&self) -> Vec<String> {
        if self.seen.get().is_some() || self.began.elapsed() < SOON {
            return Vec::new();
        }
        let others = self.seen.get_or_init(|| self.others());
        doubts(*others, None, "so far")
    }

    /// The load of others since the start.
    fn others(&self) -> Option<OtherLoad> {
        Usage::now()?.since(self.started?)
    }

    /// Returns the load of others since the start. Warns of it unless `look` warned of the same.
    pub fn end(&self) -> ObservedLoad {
        let others = self.others();
        let doubts = doubts(others, None, "during the run");
        let seen = self.seen.get().copied().flatten();
        let is_new = |now: f64, part: fn(&OtherLoad) -> f64, limit: f64| {
            let told = seen.as_ref().map_or(0.0, part);
            if told > limit { 0.0 } else { now }
        };
        let news = others.map(|others| OtherLoad {
            busy: is_new(others.busy, |seen| seen.busy, BUSY_LIMIT),
            steal: is_new(others.steal, |seen| seen.steal, STEAL_LIMIT),
        });
        warn(&self::doubts(news, None, "during the run"));
        let percent = |share: f64| format!("{:.2} % of all processor time", 100.0 * share);
        let known = [
            ("load_average_after", load_average()),
            ("other_processes", others.map(|others| percent(others.busy))),
            ("steal", others.map(|others| percent(others.steal))),
        ];
        ObservedLoad {
            machine: only_known(known),
            doubts,
        }
    }
}

fn warn(doubts: &[String]) {
    doubts.iter().for_each(|doubt| crate::output::warn(doubt));
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: &str = "42 (a) b) R 1 2 3 4 -1 6 7 8 9 10 100 50 20 10 20 0";

    fn usage(all: &str) -> Usage {
        Usage::read(all, OWN).expect("well-formed")
    }

    #[test]
    fn what_others_did_is_neither_idle_nor_ours() {
        let before = usage("cpu  1000 0 500 8000 100 10 10 50 0 0");
        assert_eq!((before.total, before.own), (9670, 180));
        let mut after = usage("cpu  1300 0 600 8500 100 20 20 100 30 0");
        after.own += 200;
        // 970 ticks: 500 idle, 50 stolen, 200 ours.
        let others = after.since(before).expect("time has passed");
        assert!((others.busy - 220.0 / 970.0).abs() < 1e-12, "{others:?}");
        assert!((others.steal - 50.0 / 970.0).abs() < 1e-12, "{others:?}");
        assert_eq!(before.since(before), None);
        assert_eq!(Usage::read("cpu  1 2 3", OWN), None);
        assert_eq!(Usage::read("intr 1 2 3 4 5 6 7 8", OWN), None);
    }

    #[test]
    fn doubts_name_what_to_do() {
        let calm = OtherLoad {
            busy: 0.01,
            steal: 0.0,
        };
        assert!(doubts(Some(calm), Some("performance"), "now").is_empty());
        assert!(doubts(None, None, "now").is_empty());
        let loud = OtherLoad {
            busy: 0.3,
            steal: 0.02,
        };
        let doubts = doubts(Some(loud), Some("powersave"), "now");
        assert_eq!(doubts.len(), 3);
        assert!(doubts[0].contains("30.0\u{202f}%") && doubts[0].contains("stop them"));
        assert!(doubts[1].contains("2.0\u{202f}%"));
        assert!(doubts[2].contains("powersave") && doubts[2].contains("cpupower"));
    }

    #[test]
    fn this_system_tells_more_and_more_ticks() {
        let Some(before) = Usage::now() else {
            eprintln!("skipped: no /proc here");
            return;
        };
        let later = Usage::now().expect("it told before");
        assert!(later.total >= before.total && later.own >= before.own);
    }

    #[test]
    fn the_time_of_a_running_worker_is_not_that_of_others() {
        if Usage::now().is_none() {
            eprintln!("skipped: no /proc here");
            return;
        }
        let mut busy = std::process::Command::new("sh");
        busy.args(["-c", "while :; do :; done"]);
        let mut worker = confinement::spawn(&mut busy).expect("started");
        let own = || {
            let [all, own] = ["/proc/stat", "/proc/self/stat"].map(first_line);
            Usage::read(&all?, &own?)
        };
        let until = Instant::now() + Duration::from_secs(20);
        // Without the worker's ticks the two differ by those that passed between them.
        let is_counted = || {
            let alone = own().expect("well-formed").own;
            Usage::now().expect("well-formed").own > alone + 20
        };
        while !is_counted() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(50));
        }
        let counted = is_counted();
        worker.kill().and_then(|()| worker.wait()).expect("ended");
        confinement::bury(worker.id());
        assert!(counted);
    }

    #[test]
    fn a_clock_beyond_the_last_year_of_the_calendar_is_read() {
        let year = Duration::from_secs(366 * 24 * 3600);
        let shown = format!("{:.9}", timestamp(SystemTime::UNIX_EPOCH + year * 9000));
        assert!(shown.starts_with("9999-12-30T"), "{shown}");
    }

    #[test]
    fn what_cannot_be_read_is_left_out() {
        assert_eq!(line_of("/no/such/file", "x"), None);
        assert!(machine().values().all(|value| !value.is_empty()));
    }
}
