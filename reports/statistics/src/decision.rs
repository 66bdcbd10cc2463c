//! Whether a ratio is decided, and which way.

/// The chance of any false alarm in a table.
pub const LEVEL: f64 = 0.05;

/// What a ratio and its test say together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// Below 1.
    Lower,
    /// Above 1.
    Higher,
    /// So near to 1 that it makes no difference.
    Same,
    /// Not decided.
    Open,
}
