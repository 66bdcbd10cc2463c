//! One template, compiled into bit planes and penalties.

use ikeru_chain::Size;

use super::planes::{BITS, CellBit, bit_of, bits};
use crate::templates::Template;
use crate::templates::truth::LabelRelation;

/// A compiled template.
pub(super) struct Compiled {
    /// The plane of its capital cells.
    pub(super) capitals: u128,
    pub(super) capital_count: u32,
    /// The plane of the cells under hard relations.
    pub(super) hard: u128,
    /// Planes of labels with a hard relation.
    pub(super) groups: Vec<u128>,
    /// For each group, a mask of the groups that must differ from it.
    pub(super) differing: Vec<u32>,
    /// Twice Σ |t|.
    pub(super) total: i64,
    /// Twice Σ |t| of each cell with all cells, largest first.
    pub(super) rows: Vec<i64>,
    /// Border pairs of vertical neighbours by their lower cell, with the penalty of a violation.
    pub(super) vertical: Penalties,
    /// The same for horizontal neighbours, by their left cell.
    pub(super) horizontal: Penalties,
    /// Soft pairs of cells that are not neighbours, with the penalty of a violation.
    pub(super) distant: Vec<(CellBit, CellBit, i32)>,
    /// Border cells with the penalty for garbage in them: their relation to themselves.
    pub(super) diagonal: Penalties,
}

/// Border cells, each with the penalty of a violation on the sum Σ s·t.
pub(super) struct Penalties {
    plane: u128,
    penalty: Box<[i32; BITS]>,
}

impl Penalties {
    fn new() -> Self {
        Self {
            plane: 0,
            penalty: Box::new([0; BITS]),
        }
    }

    fn add(&mut self, bit: CellBit, penalty: i32) {
        self.plane |= 1 << bit;
        self.penalty[bit] += penalty;
    }

    #[inline]
    pub(super) fn taken(&self, violated: u128) -> i32 {
        bits(self.plane & violated)
            .map(|bit| self.penalty[bit])
            .sum()
    }
}

impl Compiled {
    pub(super) fn new(template: &Template, size: Size) -> Self {
        let extent = template.labels.extent();
        let cells = 0..extent.cells();
        let plane = |cells: &mut dyn Iterator<Item = usize>| {
            cells.fold(0_u128, |plane, cell| plane | 1 << bit_of(size, cell))
        };
        // Labels with a hard relation are the capitals, and the border labels if the border is hard.
        let hard: Vec<usize> = (0..template.labels.len())
            .filter(|&label| {
                cells
                    .clone()
                    .any(|c| template.labels.label(c) == Some(label) && template.is_hard(c, c))
            })
            .collect();
        let of_label = |label: usize| {
            plane(
                &mut cells
                    .clone()
                    .filter(|&cell| template.labels.label(cell) == Some(label)),
            )
        };
        let groups: Vec<u128> = hard.iter().map(|&label| of_label(label)).collect();
        let differing = hard
            .iter()
            .map(|&a| {
                (0..hard.len()).fold(0, |mask, other| {
                    let differ = template.truth.relation(a, hard[other]) == LabelRelation::Differ;
                    mask | u32::from(differ) << other
                })
            })
            .collect();
        let weight = |i: usize, j: usize| template.pair(i, j).abs();
        let row = |i: usize| cells.clone().map(|j| i64::from(weight(i, j))).sum();
        let mut rows: Vec<i64> = cells.clone().map(row).collect();
        rows.sort_unstable_by(|a, b| b.cmp(a));
        let capitals = plane(&mut template.capital_cells());
        let mut compiled = Self {
            capitals,
            capital_count: capitals.count_ones(),
            hard: groups.iter().fold(0, |plane, group| plane | group),
            groups,
            differing,
            total: rows.iter().sum(),
            rows,
            vertical: Penalties::new(),
            horizontal: Penalties::new(),
            distant: Vec::new(),
            diagonal: Penalties::new(),
        };
        compiled.add_border(template, size);
        compiled
    }

    fn add_border(&mut self, template: &Template, size: Size) {
        let cells = template.labels.extent().cells();
        for i in 0..cells {
            for j in (i..cells).filter(|&j| template.pair(i, j) != 0 && !template.is_hard(i, j)) {
                let weight = template.pair(i, j).abs();
                // A violation turns +t into −t, in both orders of the pair.
                let (low, high) = (bit_of(size, i), bit_of(size, j));
                match high.abs_diff(low) {
                    0 => self.diagonal.add(low, 2 * weight),
                    1 => self.vertical.add(low.min(high), 4 * weight),
                    16 => self.horizontal.add(low.min(high), 4 * weight),
                    _ => self.distant.push((low, high, 4 * weight)),
                }
            }
        }
    }
}
