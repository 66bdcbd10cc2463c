//! `auto`: jump point search or A* with buckets, chosen by the map.
//!
//! Jump point search scans lines and stops at corners; with short walls there are more corners than cells to scan. A
//! single blocked cell has four corners on four sides; the walls of mazes, rooms, terrain and cities have fewer
//! corners or are far apart. The rule counts jump points, open cells and their blocked sides in a sample of the rows.
//! Buckets are used
//!
//! - if there are fewer than three sides and fewer than thirty open cells for each jump point: noise with up to a
//!   third of the cells blocked;
//! - if there are fewer than two sides for each jump point and more than seven jump points for each row length of
//!   open cells: sparse noise;
//! - if jump point search refuses the question.
//!
//! On ground of different factors it is `jps-weighted` if fewer than three tenths of the open cells are beside ground
//! of another factor, else `bucket`.
//!
//! PERF: of 15 published and 60 generated maps, of which 40 are noise of 0.03 to 40 %, it chooses the slower variant
//! on three, at the limits of the rule, and loses up to 6 % there. `jps` alone loses up to 80 %, `bucket` alone a
//! factor of up to 170.

use std::sync::Arc;

use ikeru_core::{Deadline, OURS, Refusal, Settings, Variant};

use super::dense::board::DenseMap;
use super::dense::bucket;
use super::dense::canonical::MIXED;
use super::finder::Prepared;
use super::jps::jumps::forced;
use super::jps::weighted::{self, JumpMap};
use super::jps::{online, search};
use crate::GridPath;
use crate::instance::Instance;

/// `auto`.
pub const AUTO: Variant<GridPath> = Variant {
    name: "auto",
    about: "jps where walls are long, jps-weighted on regions of equal ground, else bucket: the map decides",
    source: OURS,
    exact: true,
    version: 4,
    settings: &[],
    prepare,
};

fn prepare<'a>(instance: &'a Instance, _: &Settings, deadline: Deadline) -> Prepared<'a> {
    let board = DenseMap::new(instance, true, deadline)?;
    if !board.is_uniform && has_regions(&board) {
        match JumpMap::new(instance, &board, deadline) {
            Err(Refusal::Skip(_)) => {}
            map => return Ok(weighted::on_board(instance, board, map?)),
        }
    }
    let board = Arc::new(board);
    if search::refuse_unfit(instance, &board).is_ok() && !is_noise(&board) {
        return online::on_board(instance, board, deadline);
    }
    Ok(bucket::on_board(instance, board))
}

/// Returns whether fewer than three tenths of the open cells are beside ground of another factor.
fn has_regions(board: &DenseMap) -> bool {
    let open = board.ground.iter().filter(|ground| **ground != 0);
    let mixed = open.clone().filter(|ground| **ground & MIXED != 0);
    10 * mixed.count() < 3 * open.count()
}

/// Returns whether the walls are as short as those of noise.
fn is_noise(board: &DenseMap) -> bool {
    let (open, sides, points) = sample(board);
    let lone = 2 * points > sides && points * board.stride as u32 > 7 * open;
    lone || 3 * points > sides && 30 * points > open
}

/// Returns whether the walls are short, and more than a quarter of the open cells are jump points: noise of more than
/// about 7 %.
pub fn is_dense_noise(board: &DenseMap) -> bool {
    let (open, _, points) = sample(board);
    4 * points > open && is_noise(board)
}

/// The open cells, their blocked sides and the jump points in a sample of the rows.
fn sample(board: &DenseMap) -> (u32, u32, u32) {
    let (mut open, mut sides, mut points) = (0, 0, 0);
    for (row, grounds) in (0_u32..).zip(board.ground.chunks(board.stride)) {
        // An eighth of the rows of a large map, selected by multiples of the golden ratio, so that their distances
        // match no regular pattern of rooms.
        if board.squares > 1 << 14 && row.wrapping_mul(0x9e37_79b9) >> 29 != 0 {
            continue;
        }
        for ground in grounds.iter().filter(|ground| **ground != 0) {
            open += 1;
            sides += (!ground & 0b0101_0101).count_ones();
            points += u32::from(forced(*ground as u8) != 0);
        }
    }
    (open, sides, points)
}
