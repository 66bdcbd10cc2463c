//! The setting of all A* variants: how the heuristic counts.

use ikeru_core::{InputError, Setting, Settings};

/// Whether the heuristic is scaled.
pub const SCALED_H: Setting = Setting {
    name: "scaled-h",
    default: "true",
    about: "count the heuristic at the factor of the cheapest ground, so that factors below 1 keep paths shortest",
};

/// Whether the heuristic is to be scaled.
///
/// # Errors
/// When the value is neither true nor false.
pub fn scaled_h(settings: &Settings) -> Result<bool, InputError> {
    Ok(settings.bool(&SCALED_H)?.unwrap_or(true))
}
