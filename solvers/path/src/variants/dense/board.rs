//! The map as the fast variants see it: padded arrays, costs scaled to exact integers, canonical neighbours.

use ikeru_core::{Deadline, Refusal};

use super::canonical::{CanonicalNeighbours, MIXED};
use crate::cost::{Convergent, Costs, Guarantee, Length};
use crate::instance::Instance;
use crate::map::{Cell, Heading, ROWS_PER_LOOK, Terrain};

/// Above the neighbourhood, and four bits that are free for a search, the cell's own class of factor.
const CLASS: u32 = 13;

/// There are fewer terrains than classes.
const CLASSES: usize = 8;

/// Stands for the class of a blocked cell.
const BLOCKED: u8 = u8::MAX;

/// Integer costs of steps on ground of factor 1, and what the heuristic counts for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CostScale {
    /// A straight step.
    pub straight: u32,
    /// A diagonal step.
    pub diagonal: u32,
    /// A straight step in the heuristic.
    pub h_straight: u32,
    /// A diagonal step in the heuristic; two straight ones where there are no diagonal steps.
    pub h_diagonal: u32,
}

impl CostScale {
    /// Scaled octile (or, without diagonal steps, Manhattan) distance over `dx` columns and `dy` rows.
    #[inline]
    pub fn heuristic(&self, dx: u32, dy: u32) -> u32 {
        // A diagonal step spares what two straight ones cost more.
        let spared = 2 * self.h_straight - self.h_diagonal;
        self.h_straight * (dx + dy) - spared * dx.min(dy)
    }
}

/// A padded map for one question. Cells are numbered row by row with one blocked cell around
/// the map, so that no neighbour needs a check against the edge.
#[derive(Debug)]
pub struct DenseMap {
    /// Cells per padded row.
    pub stride: usize,
    /// Padded cells.
    pub squares: usize,
    /// The ground of each cell: which neighbours can be entered, bit d for direction d,
    /// [`MIXED`] where they are not all of its own factor, and in the highest bits its class of factor.
    /// 0 where the cell itself is blocked.
    pub ground: Vec<u16>,
    /// Whether all open cells have the same factor, and that is not 0.
    pub is_uniform: bool,
    /// The factor of each class in hundredths.
    factors: [u32; CLASSES],
    /// What a straight and a diagonal step onto ground of each class cost.
    prices: [[u32; 2]; CLASSES],
    /// The largest factor over the common divisor.
    pub heaviest: u32,
    /// Costs of steps.
    pub scale: CostScale,
    /// No search looks at an estimate from here on: a step more might not fit 32 bits.
    pub limit: u32,
    canonical: CanonicalNeighbours,
    /// What a path that is shortest in these costs is sure to be.
    pub guarantee: Guarantee,
}

impl DenseMap {
    /// The board of an instance. With `scaled_h` the heuristic counts the cheapest ground of the
    /// map, so that it never overestimates; otherwise plain ground, as the article does.
    ///
    /// # Errors
    /// Refuses an instance without a query, or with a blocked one; [`Refusal::Timeout`] if the deadline passes first.
    pub fn new(instance: &Instance, scaled_h: bool, deadline: Deadline) -> Result<Self, Refusal> {
        instance.refuse_unanswerable()?;
        let map = instance.map();
        let stride = map.width() + 2;
        let squares = stride * (map.height() + 2);
        let known = classes(instance);
        let (ground, present) = ground(instance, &known, stride, deadline)?;
        let open = || (0..CLASSES).filter(|class| present >> class & 1 == 1);
        let factors = || open().map(|class| known[class]);
        let cheapest = factors().min().unwrap_or(u32::MAX);
        let heaviest = factors().max().unwrap_or(0);
        let uniform = cheapest == heaviest;
        let divisor = if uniform && scaled_h && cheapest > 0 {
            cheapest
        } else {
            factors().fold(100, greatest_common_divisor)
        };
        let h_weight = if scaled_h { cheapest } else { 100 } / divisor;
        let (scale, limit) = scale(instance, heaviest / divisor, h_weight);
        let moves = instance.question.moves;
        Ok(Self {
            stride,
            squares,
            ground,
            is_uniform: uniform && heaviest == divisor,
            // A class that is not on this map may have a price beyond 32 bits.
            prices: known.map(|factor| {
                [scale.straight, scale.diagonal].map(|step| step.saturating_mul(factor / divisor))
            }),
            factors: known,
            heaviest: heaviest / divisor,
            limit,
            guarantee: Guarantee::new(
                instance.question.costs,
                u64::from(scale.straight) * u64::from(divisor),
                h_weight * divisor <= cheapest,
            ),
            scale,
            canonical: CanonicalNeighbours::new(moves),
        })
    }

    /// The padded number of a cell.
    #[inline]
    pub fn square(&self, cell: Cell) -> usize {
        square(self.stride, cell)
    }

    /// The canonical neighbours of a cell of this ground after arriving in direction `arrival`: a bit for each.
    #[inline]
    pub fn canonical(&self, ground: u16, arrival: usize) -> u8 {
        self.canonical.of(ground, arrival)
    }

    /// What a step in `direction` onto this ground costs.
    #[inline]
    pub fn step_onto(&self, ground: u16, direction: usize) -> u32 {
        self.prices[class(ground)][direction & 1]
    }

    /// What to add to a padded number for a step in each direction.
    pub fn offsets(&self) -> [isize; 8] {
        Heading::ALL.map(|direction| {
            let (dx, dy) = direction.offset();
            isize::from(dy) * self.stride as isize + isize::from(dx)
        })
    }

    /// The exact length of a path given by its waypoints.
    pub fn length(&self, waypoints: &[Cell]) -> Length {
        let mut length = Length::default();
        for leg in waypoints.windows(2) {
            let (dx, dy) = (leg[0].x.abs_diff(leg[1].x), leg[0].y.abs_diff(leg[1].y));
            // Over mixed ground paths lead cell by cell only.
            let class = class(self.ground[self.square(leg[1])]);
            let factor = u64::from(self.factors[class]) * u64::from(dx.max(dy));
            if dx == 0 || dy == 0 {
                length.straight += factor;
            } else {
                length.diagonal += factor;
            }
        }
        length
    }

    /// Bytes of the arrays.
    pub fn bytes(&self) -> u64 {
        (2 * self.ground.len() + self.canonical.bytes()) as u64
    }
}

fn square(stride: usize, cell: Cell) -> usize {
    (usize::from(cell.y) + 1) * stride + usize::from(cell.x) + 1
}

fn greatest_common_divisor(a: u32, b: u32) -> u32 {
    if b == 0 {
        a
    } else {
        greatest_common_divisor(b, a % b)
    }
}

/// The different factors of an instance's question in rising order.
fn classes(instance: &Instance) -> [u32; CLASSES] {
    let mut classes = [u32::MAX; CLASSES];
    let mut known: Vec<u32> = instance.question.factors.0.into_iter().flatten().collect();
    known.sort_unstable();
    known.dedup();
    for (class, factor) in classes.iter_mut().zip(known) {
        *class = factor;
    }
    classes
}

fn class(ground: u16) -> usize {
    usize::from(ground >> CLASS) % CLASSES
}

/// The ground of every padded cell, and the classes of factor that it has, a bit each.
fn ground(
    instance: &Instance,
    classes: &[u32],
    stride: usize,
    deadline: Deadline,
) -> Result<(Vec<u16>, u32), Refusal> {
    let map = instance.map();
    let class_of = |letter: u8| {
        let factor = instance.question.factors.of(Terrain::of(letter)?)?;
        Some(classes.partition_point(|known| *known < factor) as u8)
    };
    let classes_of: Vec<u8> = (0..=u8::MAX)
        .map(|letter| class_of(letter).unwrap_or(BLOCKED))
        .collect();
    // Classes of three rows, the one at hand and those around it, blocked at both ends.
    let mut rows = [(); 3].map(|()| vec![BLOCKED; stride]);
    let mut letters = map.letters().chunks(map.width());
    let mut read_row = |row: &mut Vec<u8>| {
        row.fill(BLOCKED);
        for (class, letter) in row[1..].iter_mut().zip(letters.next().unwrap_or_default()) {
            *class = classes_of[usize::from(*letter)];
        }
    };
    read_row(&mut rows[2]);
    let mut ticker = deadline.ticker(ROWS_PER_LOOK);
    let mut ground = vec![0; stride * (map.height() + 2)];
    let mut present = 0;
    for ground in ground.chunks_mut(stride).skip(1).take(map.height()) {
        ticker.check()?;
        rows.rotate_left(1);
        read_row(&mut rows[2]);
        for column in 1..stride - 1 {
            let own = rows[1][column];
            if own == BLOCKED {
                continue;
            }
            present |= 1_u32 << own;
            let mut around = if classes[usize::from(own)] == 0 {
                MIXED
            } else {
                0
            };
            for direction in Heading::ALL {
                let (dx, dy) = direction.offset();
                let row = &rows[(1 + dy) as usize];
                let other = row[column.wrapping_add_signed(isize::from(dx))];
                if other != BLOCKED {
                    around |= 1 << direction.0;
                    if other != own {
                        around |= MIXED;
                    }
                }
            }
            ground[column] = u16::from(own) << CLASS | around;
        }
    }
    Ok((ground, present))
}

/// A diagonal step of the scaled √2 costs less than this: the finest that leaves 32 bits for paths of 90,000 steps.
const FINEST: u64 = 50_000;

/// Scaled costs, and the estimates that a search may look at: 0 if the costs are too large for 32 bits.
fn scale(instance: &Instance, heaviest: u32, h_weight: u32) -> (CostScale, u32) {
    let (straight, diagonal) = match instance.question.costs {
        Costs::Tenths => (5, 7),
        Costs::Octile => {
            let finest = Convergent::below(FINEST);
            (finest.straight as u32, finest.diagonal as u32)
        }
    };
    // One step, or one jump, and the estimate of the rest are added to what is below the limit.
    let sides = (instance.map().width() + instance.map().height()) as u64;
    let added = u64::from(heaviest) + 2 * sides * u64::from(h_weight.max(1));
    let limit = u64::from(u32::MAX).saturating_sub(added * u64::from(diagonal)) as u32;
    let h_weight = if limit == 0 { 0 } else { h_weight };
    let h_straight = straight * h_weight;
    let h_diagonal = if instance.question.moves.diagonal {
        diagonal * h_weight
    } else {
        2 * h_straight
    };
    let scale = CostScale {
        straight,
        diagonal,
        h_straight,
        h_diagonal,
    };
    (scale, limit)
}
