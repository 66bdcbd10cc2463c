//! Exact lengths: straight and diagonal steps are summed separately, so that nothing is rounded.

use std::cmp::Ordering;
use std::ops::{Add, AddAssign};

use ikeru_core::choices;

choices! {
    /// The costs of a step.
    #[derive(Hash)]
    pub enum Costs {
        /// 1.0 straight and 1.4 diagonal, the article's.
        Tenths = "tenths",
        /// 1 straight and √2 diagonal.
        Octile = "octile",
    }
}

/// The sums of the factors of all cells entered straight and diagonally, in hundredths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Length {
    /// Factors of cells entered by straight steps, in hundredths.
    pub straight: u64,
    /// Factors of cells entered by diagonal steps, in hundredths.
    pub diagonal: u64,
}

impl Add for Length {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            straight: self.straight + other.straight,
            diagonal: self.diagonal + other.diagonal,
        }
    }
}

impl AddAssign for Length {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Costs {
    /// Compares two lengths exactly.
    pub fn compare(self, a: Length, b: Length) -> Ordering {
        // Lengths are far below 2⁶³.
        let straight = a.straight.wrapping_sub(b.straight) as i64;
        let diagonal = a.diagonal.wrapping_sub(b.diagonal) as i64;
        // The sign of s + d·√2 is that of s·|s| + 2·d·|d|.
        match self {
            Self::Tenths => (5 * straight + 7 * diagonal).cmp(&0),
            // PERF: nearly all comparisons; the referee's Dijkstra spends much of its time here.
            Self::Octile if straight.unsigned_abs().max(diagonal.unsigned_abs()) < 1 << 30 => {
                (straight * straight.abs() + 2 * diagonal * diagonal.abs()).cmp(&0)
            }
            Self::Octile => {
                let (straight, diagonal) = (i128::from(straight), i128::from(diagonal));
                (straight * straight.abs() + 2 * diagonal * diagonal.abs()).cmp(&0)
            }
        }
    }

    /// A length in millionths of a straight step on plain ground, rounded down.
    pub fn millionths(self, length: Length) -> i64 {
        let (straight, diagonal) = (u128::from(length.straight), u128::from(length.diagonal));
        let exact = match self {
            Self::Tenths => straight * 10_000 + diagonal * 14_000,
            Self::Octile => straight * 10_000 + (2 * diagonal * diagonal * 100_000_000).isqrt(),
        };
        i64::try_from(exact).unwrap_or(i64::MAX)
    }

    /// A length as a decimal number of straight steps on plain ground.
    pub fn decimal(self, length: Length) -> f64 {
        let diagonal = match self {
            Self::Tenths => return (10 * length.straight + 14 * length.diagonal) as f64 / 1000.0,
            Self::Octile => std::f64::consts::SQRT_2,
        };
        (length.straight as f64 + length.diagonal as f64 * diagonal) / 100.0
    }
}

/// √2 as a fraction: a straight step costs `straight` and a diagonal step `diagonal`, so that lengths are integers.
///
/// # What it orders rightly
/// Let `diagonal/straight` be a convergent of √2 from below, diagonal² = 2·straight² − 1. Let the scaled cost of path
/// A be at most that of path B, and let A have fewer than `straight` diagonal steps (each counted with its factor, in
/// the unit of all factors). *Then A is not longer than B.*
///
/// Otherwise let s and d be the numbers of straight and diagonal steps that B has more than A: s·straight +
/// d·diagonal ≥ 0 but s + d·√2 < 0. As diagonal/straight < √2, d is negative, d = −k, where k is at most the diagonal
/// steps of A, so k < straight; and diagonal/straight ≤ s/k < √2. They are not equal, as the convergent is in lowest
/// terms and k < straight. So s·straight − k·diagonal ≥ 1. The next convergent P/Q is greater than √2: k·P − s·Q ≥ 1,
/// and P·straight − Q·diagonal = 1. Hence k = straight·(k·P − s·Q) + Q·(s·straight − k·diagonal) ≥ straight + Q,
/// which contradicts k < straight.
///
/// A search that is exact in scaled costs therefore only has to test the path that it found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Convergent {
    /// The cost of a straight step.
    pub straight: u64,
    /// The cost of a diagonal step.
    pub diagonal: u64,
}

impl Convergent {
    /// The finest convergent in which a diagonal step costs less than `most`.
    pub fn below(most: u64) -> Self {
        let mut finest = Self {
            straight: 5,
            diagonal: 7,
        };
        loop {
            let Self { straight, diagonal } = finest;
            let next = Self {
                straight: 2 * diagonal + 3 * straight,
                diagonal: 3 * diagonal + 4 * straight,
            };
            if next.diagonal >= most {
                return finest;
            }
            finest = next;
        }
    }
}

/// The guarantee for a path that is shortest in the scaled costs of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Guarantee {
    /// The least sum of factors of diagonal steps with which scaled costs may order paths wrongly.
    most_diagonal: u64,
    /// True if the heuristic never overestimates.
    pub admissible: bool,
}

impl Guarantee {
    /// The guarantee of a search in which a straight step costs `straight`, in the unit of all factors.
    pub fn new(costs: Costs, straight: u64, admissible: bool) -> Self {
        Self {
            most_diagonal: match costs {
                Costs::Tenths => u64::MAX,
                Costs::Octile => straight,
            },
            admissible,
        }
    }

    /// Returns whether a path of this length that is shortest in scaled costs is certainly shortest: see
    /// [`Convergent`].
    pub fn proves(self, length: Length) -> bool {
        length.diagonal < self.most_diagonal
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn length(straight: u64, diagonal: u64) -> Length {
        Length { straight, diagonal }
    }

    #[test]
    fn octile_lengths_compare_exactly_where_the_scaled_ones_tie() {
        // 985·1393 = 1393·985, yet 985·√2 > 1393.
        assert_eq!(
            Costs::Octile.compare(length(0, 985), length(1393, 0)),
            Ordering::Greater
        );
        assert_eq!(
            Costs::Octile.compare(length(3, 2), length(0, 4)),
            Ordering::Greater
        );
        assert_eq!(
            Costs::Octile.compare(length(3, 2), length(3, 2)),
            Ordering::Equal
        );
        // A convergent beyond 2³⁰, whose squares do not fit 64 bits: p² = 2·q² − 1.
        assert_eq!(
            Costs::Octile.compare(length(1_855_077_841, 0), length(0, 1_311_738_121)),
            Ordering::Less
        );
    }

    #[test]
    fn the_articles_way_costs_7_6() {
        let path = length(200, 400);
        assert_eq!(Costs::Tenths.millionths(path), 7_600_000);
        assert_eq!(Costs::Tenths.decimal(path), 7.6);
        assert_eq!(Costs::Octile.millionths(path), 7_656_854);
    }

    #[test]
    fn convergents_lie_below_the_root_and_order_as_far_as_they_say() {
        for (most, straight) in [
            (8, 5),
            (42, 29),
            (1_394, 985),
            (50_000, 33_461),
            (300_000, 195_025),
        ] {
            let scale = Convergent::below(most);
            assert_eq!(scale.straight, straight);
            assert_eq!(scale.diagonal.pow(2) + 1, 2 * scale.straight.pow(2));
            let scaled =
                |path: Length| path.straight * scale.straight + path.diagonal * scale.diagonal;
            // Compares k diagonal steps with the nearest larger and smaller numbers of straight steps.
            for k in 1..straight {
                let near = (k * scale.diagonal).div_ceil(scale.straight);
                let diagonals = length(0, k);
                for straights in [length(near - 1, 0), length(near, 0)] {
                    let order = scaled(diagonals).cmp(&scaled(straights));
                    assert_eq!(Costs::Octile.compare(diagonals, straights), order);
                }
            }
            // With `straight` diagonal steps the scaled costs are equal, but the diagonals are the longer path.
            let (diagonals, straights) = (length(0, straight), length(scale.diagonal, 0));
            assert_eq!(scaled(diagonals), scaled(straights));
            assert!(Costs::Octile.compare(diagonals, straights).is_gt());
        }
    }
}
