//! What the machine and the program are, as far as the system says: for `run.toml`.

use std::collections::BTreeMap;
use std::fs;

/// CPU, cores, frequency policy, memory, load and system, by names for people.
#[must_use]
pub fn machine() -> BTreeMap<String, String> {
    let cores = std::thread::available_parallelism().map_or(0, std::num::NonZero::get);
    let known = [
        ("cpu", line_of("/proc/cpuinfo", "model name")),
        ("cores", Some(cores.to_string())),
        (
            "frequency_policy",
            first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        ),
        ("memory", line_of("/proc/meminfo", "MemTotal")),
        ("load_average", first_line("/proc/loadavg")),
        ("system", first_line("/proc/sys/kernel/osrelease")),
        (
            "architecture",
            Some(format!(
                "{} {}",
                std::env::consts::OS,
                std::env::consts::ARCH
            )),
        ),
    ];
    let said = |value: Option<String>| value.unwrap_or("not readable".to_owned());
    known
        .into_iter()
        .map(|(name, value)| (name.to_owned(), said(value)))
        .collect()
}

/// Program and compiler.
#[must_use]
pub fn versions() -> BTreeMap<String, String> {
    BTreeMap::from([
        ("ikeru".to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
        ("rustc".to_owned(), env!("IKERU_RUSTC").to_owned()),
        ("profile".to_owned(), env!("IKERU_PROFILE").to_owned()),
    ])
}

fn first_line(path: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    text.lines().next().map(|line| line.trim().to_owned())
}

/// The value of the first `name : value` line.
fn line_of(path: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    line.split_once(':')
        .map(|(_, value)| value.trim().to_owned())
}
