//! The map for the fast variants: padded arrays, costs scaled to exact integers, canonical neighbours.

use ikeru_core::{Deadline, Refusal};

use super::canonical::{CanonicalNeighbours, MIXED};
use crate::cost::{Convergent, Costs, Guarantee, Length};
use crate::instance::Instance;
use crate::map::{Cell, Heading, ROWS_PER_LOOK, Terrain};

/// The lowest bit of the cell's class of factor, above the neighbourhood and four bits that are free for a search.
pub const CLASS: u32 = 13;

/// The number of classes of factor; there are fewer terrains.
const CLASSES: usize = 8;

/// The class of a blocked cell.
const BLOCKED: u8 = u8::MAX;

/// Integer costs of steps onto ground of factor 1, and the costs that the heuristic counts for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CostScale {
    /// A straight step.
    pub straight: u32,
    /// A diagonal step.
    pub diagonal: u32,
    /// A straight step in the heuristic.
    pub h_straight: u32,
    /// A diagonal step in the heuristic; twice `h_straight` if there are no diagonal steps.
    pub h_diagonal: u32,
}

impl CostScale {
    /// Scaled octile (or, without diagonal steps, Manhattan) distance over `dx` columns and `dy` rows.
    #[inline]
    pub fn heuristic(&self, dx: u32, dy: u32) -> u32 {
        // The saving of a diagonal step over two straight steps.
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
    /// The ground of each cell: bit d is set if the neighbour in direction d can be entered, [`MIXED`] if these cells
    /// differ in factor or the cell has factor 0; the highest bits are its class of factor. 0 if the cell is blocked.
    pub ground: Vec<u16>,
    /// True if all open cells have the same factor, and it is not 0.
    pub is_uniform: bool,
    /// The factor of each class in hundredths.
    factors: [u32; CLASSES],
    /// The costs of a straight and a diagonal step onto ground of each class.
    prices: [[u32; 2]; CLASSES],
    /// The largest factor, divided by the common divisor of all factors.
    pub heaviest: u32,
    /// Costs of steps.
    pub scale: CostScale,
    /// The limit for estimates in a search: with one more step, larger ones might not fit 32 bits.
    pub limit: u32,
    canonical: &'static CanonicalNeighbours,
    /// The guarantee for a path that is shortest in these costs.
    pub guarantee: Guarantee,
}

impl DenseMap {
    /// The board of an instance. With `scaled_h` the heuristic counts the cheapest ground of the map, so that it
    /// never overestimates; otherwise it counts plain ground, like the article.
    ///
    /// # Errors
    /// Refuses an instance without queries; [`Refusal::Timeout`] if the deadline passes first.
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
            // The price of a class that is not on this map may not fit 32 bits.
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
            canonical: CanonicalNeighbours::of_rule(moves),
        })
    }

    /// The padded number of a cell.
    #[inline]
    pub fn square(&self, cell: Cell) -> usize {
        square(self.stride, cell)
    }

    /// The canonical neighbours of a cell of this ground after arriving in direction `arrival`, one bit for each
    /// direction.
    #[inline]
    pub fn canonical(&self, ground: u16, arrival: usize) -> u8 {
        self.canonical.of(ground, arrival)
    }

    /// The cost of a step in `direction` onto this ground.
    #[inline]
    pub fn step_onto(&self, ground: u16, direction: usize) -> u32 {
        self.prices(ground)[direction & 1]
    }

    /// The costs of a straight and of a diagonal step onto this ground.
    #[inline]
    pub fn prices(&self, ground: u16) -> [u32; 2] {
        self.prices[class(ground)]
    }

    /// The increment of a padded number for a step in each direction.
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
            // On mixed ground, waypoints are always adjacent cells.
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

    /// The size of the arrays in bytes.
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

/// The distinct factors of an instance's question in rising order.
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

/// The class of factor of this ground.
#[inline]
pub fn class(ground: u16) -> usize {
    usize::from(ground >> CLASS) % CLASSES
}

/// The ground of every padded cell, and the classes of factor on the map, one bit each.
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
    // The classes of the current row and its two neighbours, blocked at both ends.
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
    let width = map.width();
    let (mut around, mut differs) = (vec![0_u8; width], vec![false; width]);
    // Factors rise, and ground of factor 0 counts as mixed.
    let zero = if classes[0] == 0 { 0 } else { BLOCKED };
    for ground in ground.chunks_mut(stride).skip(1).take(map.height()) {
        ticker.check()?;
        rows.rotate_left(1);
        read_row(&mut rows[2]);
        let own = &rows[1][1..=width];
        for class in 0..CLASSES as u8 {
            if present >> class & 1 == 0 && own.contains(&class) {
                present |= 1_u32 << class;
            }
        }
        around.fill(0);
        for (differs, own) in differs.iter_mut().zip(own) {
            *differs = *own == zero;
        }
        // PERF: one direction after another, so that the compiler takes 16 cells at a time: two thirds of the time of
        // the preparation of `bucket` on 512×512, with the nodes (bench `preparation`).
        for direction in Heading::ALL {
            let (dx, dy) = direction.offset();
            let others = &rows[(1 + dy) as usize][(1 + dx) as usize..][..width];
            let cells = around.iter_mut().zip(&mut differs);
            for ((around, differs), (other, own)) in cells.zip(others.iter().zip(own)) {
                let open = *other != BLOCKED;
                *around |= u8::from(open) << direction.0;
                *differs |= open & (other != own);
            }
        }
        let cells = around.iter().zip(&differs).zip(own);
        for (ground, ((around, differs), own)) in ground[1..].iter_mut().zip(cells) {
            let mixed = if *differs { MIXED } else { 0 };
            if *own != BLOCKED {
                *ground = u16::from(*own) << CLASS | mixed | u16::from(*around);
            }
        }
    }
    Ok((ground, present))
}

/// The upper limit for the scaled cost of a diagonal step with costs of 1 and √2: paths of 90,000 steps then fit 32
/// bits.
const FINEST: u64 = 50_000;

/// The scaled costs, and the limit for estimates: 0 if the costs are too large for 32 bits.
fn scale(instance: &Instance, heaviest: u32, h_weight: u32) -> (CostScale, u32) {
    let (straight, diagonal) = match instance.question.costs {
        Costs::Tenths => (5, 7),
        Costs::Octile => {
            let finest = Convergent::below(FINEST);
            (finest.straight as u32, finest.diagonal as u32)
        }
    };
    // One step, or one jump, and the estimate of the rest are added to a value below the limit.
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
