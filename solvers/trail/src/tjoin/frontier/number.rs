//! The number types of costs.

use std::ops::{Add, Sub};

/// A type of cost.
pub trait Number:
    Copy + Ord + Add<Output = Self> + Sub<Output = Self> + Default + Send + Sync + 'static
{
    /// The cost of a missing edge.
    const ABSENT: Self;
    /// The sum of all |cost| must not exceed this.
    const LIMIT: i64;
    /// Converts a number within `LIMIT`.
    fn of(number: i64) -> Self;
    /// Converts a number within `LIMIT`, truncated to a whole number.
    #[inline]
    fn whole(number: f32) -> Self {
        Self::of(number as i64)
    }
    /// Converts to `i64`.
    fn wide(self) -> i64;
    /// Returns whether this is a real cost or a sum of real costs.
    #[inline]
    fn present(self) -> bool {
        self.wide() > Self::ABSENT.wide() / 2
    }
}

impl Number for i32 {
    const ABSENT: Self = -(1 << 28);
    const LIMIT: i64 = 1 << 26;
    #[inline]
    fn of(number: i64) -> Self {
        number as Self
    }
    #[inline]
    fn whole(number: f32) -> Self {
        number as Self
    }
    #[inline]
    fn wide(self) -> i64 {
        i64::from(self)
    }
}

impl Number for i64 {
    const ABSENT: Self = -(1 << 59);
    const LIMIT: i64 = 1 << 57;
    #[inline]
    fn of(number: i64) -> Self {
        number
    }
    #[inline]
    fn wide(self) -> i64 {
        self
    }
}
