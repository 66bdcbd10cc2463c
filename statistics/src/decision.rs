//! The possible decisions about a ratio.

/// The probability of at least one false alarm in a table.
pub const LEVEL: f64 = 0.05;

/// The decision about a ratio, from its interval and its test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// The ratio is below 1.
    Lower,
    /// The ratio is above 1.
    Higher,
    /// The ratio is 1 up to a negligible difference.
    Same,
    /// Not decided.
    Open,
}
