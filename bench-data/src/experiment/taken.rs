//! The keys of `[run]`: repeats, limits, modes and bound policies.

use std::time::Duration;

use ikeru_core::BoundPolicy;
use jiff::SignedDuration;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The table `[run]` of an experiment. All keys are optional; the methods below give the defaults.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// Samples per cell.
    pub repeats: Option<u32>,
    /// Time limit of one answer: `"60s"`, `"500ms"`, `"2m"`, `"1h 30m"`.
    #[serde(default, with = "duration")]
    pub limit: Option<Duration>,
    /// True if each cell runs in a separate process, with hard limits.
    pub isolate: Option<bool>,
    /// Data limit in MiB of each process of a cell; needs `isolate`.
    pub memory_mib: Option<u64>,
    /// `isolated` (timing) or `contended` (throughput).
    pub mode: Option<Mode>,
    /// Bound policies; several multiply.
    pub bound_policy: Option<Vec<BoundPolicy>>,
    /// Threads that a variant may use; several multiply. 0 means all cores.
    pub threads: Option<Vec<u32>>,
    /// A sample repeats a short answer until it lasts at least this long.
    #[serde(default, with = "duration")]
    pub sample: Option<Duration>,
    /// Warm-up after each preparation.
    #[serde(default, with = "duration")]
    pub warm_up: Option<Duration>,
    /// True if each improvement of the incumbent is logged, with its time and thread.
    pub anytime: Option<bool>,
    /// A column along which larger values are harder: after a timeout larger cells of the family are skipped.
    pub hopeless_along: Option<String>,
    /// The expected time of the experiment as in its file, on two cores.
    pub expected_seconds: Option<Expected>,
}

/// The expected time of an experiment in seconds, at both scales.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Expected {
    /// The time of the quick scale.
    pub quick: Option<f64>,
    /// The time with `--full`.
    pub full: Option<f64>,
}

impl Expected {
    /// The time at one scale; `None` if the file does not state it.
    pub fn at(self, full: bool) -> Option<Duration> {
        let seconds = if full { self.full } else { self.quick };
        Duration::try_from_secs_f64(seconds?).ok()
    }
}

impl Run {
    /// Samples per cell: 5.
    pub fn repeats(&self) -> u32 {
        self.repeats.unwrap_or(5)
    }
    /// Time limit of one answer: 10 s.
    pub fn limit(&self) -> Duration {
        self.limit.unwrap_or(Duration::from_secs(10))
    }
    /// The mode: isolated.
    pub fn mode(&self) -> Mode {
        self.mode.unwrap_or(Mode::Isolated)
    }
    /// Bound policies: shared.
    pub fn bound_policies(&self) -> Vec<BoundPolicy> {
        self.bound_policy
            .clone()
            .unwrap_or(vec![BoundPolicy::Shared])
    }
    /// Threads: one.
    pub fn threads(&self) -> Vec<u32> {
        self.threads.clone().unwrap_or(vec![1])
    }
    /// The shortest sample: 2 ms.
    pub fn sample(&self) -> Duration {
        self.sample.unwrap_or(Duration::from_millis(2))
    }
    /// Warm-up: 5 ms in isolated mode, 1 ms if ten answers fit into that; none in contended mode.
    pub fn warm_up(&self) -> Duration {
        let usual = match self.mode() {
            Mode::Isolated => Duration::from_millis(5),
            Mode::Contended => Duration::ZERO,
        };
        self.warm_up.unwrap_or(usual)
    }

    pub(super) fn replaced_by(&mut self, other: Self) {
        *self = Self {
            repeats: other.repeats.or(self.repeats),
            limit: other.limit.or(self.limit),
            isolate: other.isolate.or(self.isolate),
            memory_mib: other.memory_mib.or(self.memory_mib),
            mode: other.mode.or(self.mode),
            bound_policy: other.bound_policy.or(self.bound_policy.take()),
            threads: other.threads.or(self.threads.take()),
            sample: other.sample.or(self.sample),
            warm_up: other.warm_up.or(self.warm_up),
            anytime: other.anytime.or(self.anytime),
            hopeless_along: other.hopeless_along.or(self.hopeless_along.take()),
            expected_seconds: other.expected_seconds.or(self.expected_seconds),
        };
    }
}

ikeru_core::names! {
    /// The way in which samples share the machine. Times of different modes are never compared.
    #[derive(Hash, Default, Deserialize, Serialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Mode {
        /// Timing: one cell at a time, pinned, interleaved in random order.
        #[default]
        Isolated = "isolated",
        /// Throughput: all cores busy with cells.
        Contended = "contended",
    }
}

impl Mode {
    /// One line for the help.
    pub fn about(self) -> &'static str {
        match self {
            Self::Isolated => "One sample at a time, timed",
            Self::Contended => "All cores busy",
        }
    }
}

/// The longest time that an option accepts: 365 days. Sums of such times do not overflow.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 3600);

/// Reads `60s`, `500ms`, `1.5m`, `1h 30m`; at most 365 days.
///
/// # Errors
/// A text of another form, or a longer time.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    // A comma would be read as the point of a fraction, and a thousand as one.
    let time = Some(text).filter(|text| !text.contains(','));
    let time = time.and_then(|text| text.parse::<SignedDuration>().ok());
    let time = time.and_then(|time| Duration::try_from(time).ok());
    time.filter(|time| *time <= LONGEST).ok_or_else(|| {
        format!(
            "`{text}` is no time; expected a number with a unit, like 500ms, 60s or 2m, of at most 8760h"
        )
    })
}

/// Serializes a time in the form that `parse_duration` reads.
pub(super) mod duration {
    use super::{Deserialize, Deserializer, Duration, Serialize, Serializer, parse_duration};

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Duration>, D::Error> {
        let text = String::deserialize(from)?;
        parse_duration(&text)
            .map(Some)
            .map_err(serde::de::Error::custom)
    }

    pub fn serialize<S: Serializer>(time: &Option<Duration>, to: S) -> Result<S::Ok, S::Error> {
        let text = time.map(|time| format!("{}s", time.as_secs_f64()));
        text.serialize(to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thousand_with_a_comma_is_no_fraction() {
        for text in ["1,000ms", "1,5s", "1h, 30m"] {
            let error = parse_duration(text).expect_err(text);
            assert!(error.contains("is no time"), "{error}");
        }
        assert_eq!(parse_duration("1h 30m"), Ok(Duration::from_secs(5400)));
    }
}
