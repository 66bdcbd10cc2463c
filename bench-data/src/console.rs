//! Facts about consoles, from which modelled times are computed, each with its source.

use serde::Deserialize;

use crate::DataError;

/// The consoles, and the machine with which the articles' methods compare them.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Consoles {
    /// The article's PC.
    pub reference: Reference,
    /// The consoles, oldest first within a maker.
    pub consoles: Vec<Console>,
}

/// The machine that the articles' times were taken on.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reference {
    /// The name of the machine.
    pub name: String,
    /// Clock in MHz.
    pub clock_mhz: f64,
    /// The source of the clock.
    pub clock_source: String,
    /// Million instructions per second of one core.
    pub mips: f64,
    /// The source of the rate.
    pub mips_source: String,
    /// Billion floating-point operations per second of one core.
    pub gflops: f64,
    /// The lowest reading of the source.
    pub gflops_low: f64,
    /// The highest reading of the source.
    pub gflops_high: f64,
    /// The source of the rate.
    pub gflops_source: String,
}

/// One processor of a console.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Console {
    /// The console.
    pub name: String,
    /// Its processor.
    pub cpu: String,
    /// Clock in MHz.
    pub clock_mhz: f64,
    /// The source of the clock.
    pub clock_source: String,
    /// Million instructions per second, where a source gives them.
    pub mips: Option<f64>,
    /// The source of the rate.
    #[serde(default)]
    pub mips_source: String,
    /// Billion floating-point operations per second, where the articles use them.
    pub gflops: Option<f64>,
    /// The source of the rate.
    #[serde(default)]
    pub gflops_source: String,
    /// Main memory in bytes.
    pub memory_bytes: u64,
}

impl Consoles {
    /// The built-in facts, `consoles.toml`.
    pub fn built_in() -> Result<Self, DataError> {
        Self::read("consoles.toml", include_str!("../consoles.toml"))
    }

    /// Reads a text; `file` is its name in errors.
    ///
    /// # Errors
    /// Names the file, the line and what was expected.
    pub fn read(file: &str, text: &str) -> Result<Self, DataError> {
        toml::from_str(text).map_err(|error| DataError::from_toml(file, text, &error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fact_says_where_it_is_from() {
        let consoles = Consoles::built_in().expect("the facts read");
        for console in &consoles.consoles {
            let name = &console.name;
            assert!(!console.clock_source.is_empty(), "{name}");
            assert_eq!(
                console.mips.is_some(),
                !console.mips_source.is_empty(),
                "{name}"
            );
            assert_eq!(
                console.gflops.is_some(),
                !console.gflops_source.is_empty(),
                "{name}"
            );
        }
    }
}
