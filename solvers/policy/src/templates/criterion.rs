//! The conditions under which a board counts as a built template: the number of empty chain cells, or the match.
//!
//! Matches are compared as fractions of integers, so that a match equal to its threshold differs from one just below
//! it.

use std::cmp::Ordering;

use ikeru_core::{Choice, InputError, refuse};

use super::matrix::Match;

/// A condition on a template without violation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Criterion {
    /// Its chain has at most this number of empty cells.
    Missing(u32),
    /// Its match is at least the threshold.
    AtLeast(Threshold),
    /// Its match is above the threshold.
    Above(Threshold),
}

impl Criterion {
    /// Returns whether a template without violation meets the condition if its chain has `empty` empty cells and its
    /// match is `found`.
    #[inline]
    pub fn is_met(self, empty: u32, found: impl FnOnce() -> Match) -> bool {
        match self {
            Self::Missing(missing) => empty <= missing,
            Self::AtLeast(threshold) => threshold.against(found()).is_ge(),
            Self::Above(threshold) => threshold.against(found()).is_gt(),
        }
    }
}

/// A threshold for matches, in ten-thousandths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Threshold(i64);

/// The parts of a match of 1.
const WHOLE: i64 = 10_000;

impl Threshold {
    /// The thesis's threshold for a completed template.
    pub const THESIS: Self = Self(9500);

    /// A match of `parts` ten-thousandths.
    pub const fn new(parts: i64) -> Self {
        Self(parts)
    }

    /// The threshold that the setting `name` gives as `value`.
    ///
    /// # Errors
    /// If the value has more than four decimals.
    pub fn of(name: &str, value: f64) -> Result<Self, InputError> {
        let parts = (value * WHOLE as f64).round();
        if value.to_string() != (parts / WHOLE as f64).to_string() {
            refuse!("setting `{name}` is `{value}`, expected at most four decimals");
        }
        Ok(Self(parts as i64))
    }

    /// The threshold as a number.
    pub const fn value(self) -> f64 {
        self.0 as f64 / WHOLE as f64
    }

    /// Compares `found` with the threshold exactly.
    fn against(self, found: Match) -> Ordering {
        (WHOLE * found.agreeing).cmp(&(self.0 * found.total))
    }
}

/// The conditions under which a template counts as completed. The thesis says "match of 0.95 or more"; a full chain
/// of eight fires at once and never stays on the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Completion {
    /// All capitals but at most one are filled, before a chain or after it.
    #[default]
    OneMissing,
    /// All but at most one are filled after the chain, or all before it.
    StandingOrFiring,
    /// All but at most one are filled after the chain.
    Standing,
    /// All are filled, before a chain or after it.
    All,
    /// The match is at least the threshold, before a chain or after it: the thesis's condition.
    Match(Threshold),
}

impl Choice for Completion {
    /// `match` has the thesis's threshold.
    const WORDS: &'static [(&'static str, Self)] = &[
        ("one-missing", Self::OneMissing),
        ("standing-or-firing", Self::StandingOrFiring),
        ("standing", Self::Standing),
        ("all", Self::All),
        ("match", Self::Match(Threshold::THESIS)),
    ];
}

impl Completion {
    /// The condition on a board before its chain; `None` if that board does not count.
    pub fn before(self) -> Option<Criterion> {
        match self {
            Self::OneMissing => Some(Criterion::Missing(1)),
            Self::StandingOrFiring | Self::All => Some(Criterion::Missing(0)),
            Self::Standing => None,
            Self::Match(threshold) => Some(Criterion::AtLeast(threshold)),
        }
    }

    /// The condition on a board after its chain. It is never stricter than the condition before.
    pub fn after(self) -> Criterion {
        match self {
            Self::OneMissing | Self::StandingOrFiring | Self::Standing => Criterion::Missing(1),
            Self::All => Criterion::Missing(0),
            Self::Match(threshold) => Criterion::AtLeast(threshold),
        }
    }
}

#[cfg(test)]
mod tests {

    use super::*;

    #[test]
    fn a_match_is_compared_exactly_with_its_threshold() {
        // As floating-point numbers, all three fractions are 0.95.
        let total = 1_i64 << 46;
        let total = total - total % 20;
        let edge = total / 20 * 19;
        let found = |agreeing| move || Match { agreeing, total };
        let met = |criterion: Criterion| {
            [edge - 1, edge, edge + 1].map(|agreeing| criterion.is_met(32, found(agreeing)))
        };
        let threshold = Threshold::new(9500);
        assert_eq!(met(Criterion::AtLeast(threshold)), [false, true, true]);
        assert_eq!(met(Criterion::Above(threshold)), [false, false, true]);
        assert_eq!(met(Criterion::Missing(31)), [false; 3]);
        assert_eq!(met(Criterion::Missing(32)), [true; 3]);
    }

    #[test]
    fn a_threshold_is_read_as_it_is_typed() {
        for parts in 0..=WHOLE {
            let text = format!("{}.{:04}", parts / WHOLE, parts % WHOLE);
            let value = text.parse().expect("a number");
            assert_eq!(Threshold::of("x", value), Ok(Threshold(parts)), "{text}");
        }
        assert_eq!(
            Threshold::of("completion_match", 0.95001).map_err(|error| error.message),
            Err("setting `completion_match` is `0.95001`, expected at most four decimals".into())
        );
    }
    #[test]
    fn the_conditions_of_a_completion_before_and_after_the_chain() {
        let half = Threshold::new(5000);
        let missing = Criterion::Missing;
        for (completion, before, after) in [
            (Completion::OneMissing, Some(missing(1)), missing(1)),
            (Completion::StandingOrFiring, Some(missing(0)), missing(1)),
            (Completion::Standing, None, missing(1)),
            (Completion::All, Some(missing(0)), missing(0)),
            (
                Completion::Match(half),
                Some(Criterion::AtLeast(half)),
                Criterion::AtLeast(half),
            ),
        ] {
            assert_eq!(completion.before(), before, "{completion:?}");
            assert_eq!(completion.after(), after, "{completion:?}");
        }
        assert_eq!(Threshold::THESIS, Threshold::new(9500));
        assert_eq!([Threshold::THESIS, half].map(Threshold::value), [0.95, 0.5]);
    }
}
