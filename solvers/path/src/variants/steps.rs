//! Legal steps and costs computed directly from the map, without preparation, for the plain variants and the peers.

use ikeru_core::{Deadline, Refusal};

use crate::cost::{Convergent, Costs, Guarantee, Length};
use crate::instance::Instance;
use crate::map::{Cell, Heading, ROWS_PER_LOOK, Terrain};

/// The upper limit for the scaled cost of a diagonal step on ground of factor 0.01, with costs of 1 and √2.
const FINEST: u64 = 1 << 31;

/// The least sum of factors of diagonal steps, in hundredths, with which rounded sums may order two paths wrongly. Below
/// 1,000 diagonal steps the lengths of two paths near each other differ by 3·10⁻⁸ of a step and more (10⁻⁴ on plain ground),
/// or not at all; the sums of some thousand steps are rounded by less than 10⁻⁸.
const MOST_ROUNDED: u64 = 100_000;

/// Legal steps of an instance and their costs in exact integers: a straight step onto ground of
/// factor 1 costs 100 times `straight`. With `FLOAT` a cost is the bits of a floating-point number instead, in which it
/// costs 1; for numbers above 0 the bits have the order of the numbers.
#[derive(Debug, Clone, Copy)]
pub struct Steps<'a, const FLOAT: bool = false> {
    instance: &'a Instance,
    straight: u64,
    diagonal: u64,
    /// The factor that the heuristic counts for each step, in hundredths.
    h_factor: u64,
    guarantee: Guarantee,
}

impl Steps<'_> {
    /// A cost in units of a straight step onto ground of factor 1.
    pub fn decimal(&self, cost: u64) -> f64 {
        cost as f64 / (100 * self.straight) as f64
    }
}

impl<'a, const FLOAT: bool> Steps<'a, FLOAT> {
    /// The steps of `instance`; with `scaled_h` the heuristic counts the cheapest ground of the map.
    ///
    /// # Errors
    /// Refuses an instance without queries; [`Refusal::Timeout`] if the deadline passes first.
    pub fn new(
        instance: &'a Instance,
        scaled_h: bool,
        deadline: Deadline,
    ) -> Result<Self, Refusal> {
        instance.refuse_unanswerable()?;
        let map = instance.map();
        let mut ticker = deadline.ticker(ROWS_PER_LOOK);
        let mut letters = [0_u64; 256];
        for row in map.letters().chunks(map.width()) {
            ticker.check()?;
            for letter in row {
                letters[usize::from(*letter)] += 1;
            }
        }
        let present = letters
            .iter()
            .zip(0..=u8::MAX)
            .filter_map(|(count, letter)| {
                let factor = instance.question.factors.of(Terrain::of(letter)?)?;
                (*count > 0).then_some((u64::from(factor), *count))
            });
        let cheapest = present.clone().map(|(factor, _)| factor).min();
        let cheapest = cheapest.unwrap_or(100);
        let h_factor = if scaled_h { cheapest } else { 100 };
        // A shortest path enters every cell at most once; an estimate adds the heuristic.
        let squares: u64 = present.map(|(factor, count)| factor * count).sum();
        let longest = squares + h_factor * (map.width() + map.height()) as u64;
        let scale = match instance.question.costs {
            Costs::Tenths => Convergent {
                straight: 5,
                diagonal: 7,
            },
            Costs::Octile => Convergent::below((i64::MAX as u64 / longest.max(1)).min(FINEST)),
        };
        let float = |straight, diagonal| {
            let length = Length { straight, diagonal };
            instance.question.costs.decimal(length).to_bits()
        };
        let (straight, diagonal, least) = match FLOAT {
            true => (float(100, 0), float(0, 100), MOST_ROUNDED),
            false => (scale.straight, scale.diagonal, scale.straight),
        };
        Ok(Self {
            instance,
            straight,
            diagonal,
            h_factor,
            guarantee: Guarantee::new(instance.question.costs, least, h_factor <= cheapest),
        })
    }

    /// A cost on ground of this factor, in hundredths.
    #[inline]
    fn on_ground(cost: u64, factor: u64) -> u64 {
        match FLOAT {
            true => (f64::from_bits(cost) * (factor as f64 / 100.0)).to_bits(),
            false => cost * factor,
        }
    }

    /// The cost of as many steps.
    #[inline]
    fn times(cost: u64, steps: u64) -> u64 {
        match FLOAT {
            true => (f64::from_bits(cost) * steps as f64).to_bits(),
            false => cost * steps,
        }
    }

    /// The sum of two costs.
    #[inline]
    pub fn sum(a: u64, b: u64) -> u64 {
        match FLOAT {
            true => (f64::from_bits(a) + f64::from_bits(b)).to_bits(),
            false => a + b,
        }
    }

    /// The neighbour in `direction` and the cost of the step, if the step is legal.
    #[inline]
    pub fn step(&self, from: Cell, direction: Heading) -> Option<(Cell, u64)> {
        let next = from.step(direction);
        let factor = u64::from(self.instance.factor(next)?);
        let moves = self.instance.question.moves;
        let legal = moves.legal(direction, |side| {
            self.instance.factor(from.step(side)).is_some()
        });
        legal.then(|| (next, Self::on_ground(self.step_cost(direction), factor)))
    }

    /// The cost of a step in `direction` onto `cell`, which must be open.
    #[inline]
    pub fn cost(&self, cell: Cell, direction: Heading) -> u64 {
        let factor = u64::from(self.instance.factor(cell).unwrap_or(0));
        Self::on_ground(self.step_cost(direction), factor)
    }

    #[inline]
    fn step_cost(&self, direction: Heading) -> u64 {
        if direction.is_diagonal() {
            self.diagonal
        } else {
            self.straight
        }
    }

    /// The estimate of the rest of the path: the octile distance, or the Manhattan distance without diagonal steps.
    #[inline]
    pub fn estimate(&self, from: Cell, goal: Cell) -> u64 {
        let (dx, dy) = (
            u64::from(from.x.abs_diff(goal.x)),
            u64::from(from.y.abs_diff(goal.y)),
        );
        let (short, long) = (dx.min(dy), dx.max(dy));
        let diagonal = match self.instance.question.moves.diagonal {
            true => self.diagonal,
            false => Self::times(self.straight, 2),
        };
        let straight = Self::times(self.straight, long - short);
        let plain = Self::sum(straight, Self::times(diagonal, short));
        Self::on_ground(plain, self.h_factor)
    }

    /// The exact length of a path given cell by cell.
    pub fn length(&self, path: &[Cell]) -> Length {
        let mut length = Length::default();
        for leg in path.windows(2) {
            let factor = u64::from(self.instance.factor(leg[1]).unwrap_or(0));
            if leg[0].x == leg[1].x || leg[0].y == leg[1].y {
                length.straight += factor;
            } else {
                length.diagonal += factor;
            }
        }
        length
    }

    /// The guarantee for a path that is shortest in these costs.
    pub fn guarantee(&self) -> Guarantee {
        self.guarantee
    }
}
