//! The layouts of generated maps.

use ikeru_core::Random;

use crate::map::{Cell, Terrain, TerrainMap};

/// Blocks each cell with probability `density`.
pub fn scatter(map: &mut TerrainMap, density: f64, random: &mut Random) {
    for cell in map.cells() {
        if random.chance(density) {
            map.set(cell, Terrain::Wall);
        }
    }
}

/// Opens a maze without loops in a blocked map by a random depth-first search over its chambers. Walls are one cell
/// thick.
pub fn maze(map: &mut TerrainMap, corridor: usize, random: &mut Random) {
    let pitch = corridor + 1;
    let columns = ((map.width() + 1) / pitch).max(1);
    let rows = ((map.height() + 1) / pitch).max(1);
    let mut seen = vec![false; columns * rows];
    let mut trail: Vec<(usize, usize)> = vec![(0, 0)];
    seen[0] = true;
    open_block(map, (0, 0), (corridor, corridor));
    while let Some(&(column, row)) = trail.last() {
        let mut sides = Vec::with_capacity(4);
        let mut add = |column: usize, row: usize| {
            if column < columns && row < rows && !seen[row * columns + column] {
                sides.push((column, row));
            }
        };
        add(column, row.wrapping_sub(1));
        add(column + 1, row);
        add(column, row + 1);
        add(column.wrapping_sub(1), row);
        if sides.is_empty() {
            trail.pop();
            continue;
        }
        let next = sides[random.index(sides.len())];
        seen[next.1 * columns + next.0] = true;
        // One block opens the chamber and the passage to it.
        let from = (column.min(next.0) * pitch, row.min(next.1) * pitch);
        let size = (
            column.abs_diff(next.0) * pitch + corridor,
            row.abs_diff(next.1) * pitch + corridor,
        );
        open_block(map, from, size);
        trail.push(next);
    }
}

fn open_block(map: &mut TerrainMap, (left, top): (usize, usize), (width, height): (usize, usize)) {
    let (right, bottom) = (
        (left + width).min(map.width()),
        (top + height).min(map.height()),
    );
    for y in top..bottom {
        for x in left..right {
            map.set(Cell::new(x as u16, y as u16), Terrain::Plain);
        }
    }
}

/// Walls along a lattice of pitch `side`; each wall between two rooms has a door with probability 0.9.
pub fn rooms(map: &mut TerrainMap, side: usize, random: &mut Random) {
    let is_wall = |at: u16| usize::from(at) % side == side - 1;
    for cell in map.cells() {
        if is_wall(cell.x) || is_wall(cell.y) {
            map.set(cell, Terrain::Wall);
        }
    }
    let (columns, rows) = (map.width() / side, map.height() / side);
    for row in 0..=rows {
        for column in 0..=columns {
            // The wall to the right and the wall below.
            for (dx, dy) in [(1, 0), (0, 1)] {
                let along = random.index(side - 1);
                if !random.chance(0.9) {
                    continue;
                }
                let x = column * side + if dx == 1 { side - 1 } else { along };
                let y = row * side + if dy == 1 { side - 1 } else { along };
                if x < map.width() && y < map.height() {
                    map.set(Cell::new(x as u16, y as u16), Terrain::Plain);
                }
            }
        }
    }
}

/// Smooth noise of four octaves: the lowest quarter of the cells becomes sea, then plain ground up to three fifths,
/// forest up to nine tenths, and mountains above.
pub fn terrain(map: &mut TerrainMap, feature: usize, random: &mut Random) {
    let (heights, level) = noise(map, feature, random);
    let (shore, edge, foot) = (level(0.25), level(0.6), level(0.9));
    for (cell, height) in map.cells().zip(heights) {
        let terrain = match height {
            height if height < shore => Terrain::Sea,
            height if height < edge => Terrain::Plain,
            height if height < foot => Terrain::Forest,
            _ => Terrain::Mountain,
        };
        map.set(cell, terrain);
    }
}

/// Smooth noise of four octaves, of which the lowest quarter becomes swamp, crossed by roads from side to side: one
/// across and one down in each stripe of `spacing` cells.
pub fn roads(map: &mut TerrainMap, feature: usize, spacing: usize, random: &mut Random) {
    let (heights, level) = noise(map, feature, random);
    let bank = level(0.25);
    for (cell, height) in map.cells().zip(heights) {
        if height < bank {
            map.set(cell, Terrain::Swamp);
        }
    }
    let (width, height) = (map.width(), map.height());
    for stripe in (0..height).step_by(spacing) {
        let y = stripe + random.index(spacing.min(height - stripe));
        (0..width).for_each(|x| map.set(Cell::new(x as u16, y as u16), Terrain::Road));
    }
    for stripe in (0..width).step_by(spacing) {
        let x = stripe + random.index(spacing.min(width - stripe));
        (0..height).for_each(|y| map.set(Cell::new(x as u16, y as u16), Terrain::Road));
    }
}

/// Smooth noise of four octaves for each cell, and a function that returns the height below which a share of all
/// cells is.
fn noise(
    map: &TerrainMap,
    feature: usize,
    random: &mut Random,
) -> (Vec<f64>, impl Fn(f64) -> f64 + use<>) {
    let mut heights = vec![0.0; map.letters().len()];
    let mut octave = feature;
    let mut weight = 1.0;
    for _ in 0..4 {
        add_octave(map, octave.max(1), weight, &mut heights, random);
        octave /= 2;
        weight /= 2.0;
    }
    let mut sorted = heights.clone();
    sorted.sort_by(f64::total_cmp);
    let level = move |share: f64| sorted[(share * (sorted.len() - 1) as f64) as usize];
    (heights, level)
}

/// Adds random values on a lattice of pitch `pitch`, smoothly interpolated.
fn add_octave(
    map: &TerrainMap,
    pitch: usize,
    weight: f64,
    heights: &mut [f64],
    random: &mut Random,
) {
    let columns = map.width() / pitch + 2;
    let rows = map.height() / pitch + 2;
    let lattice: Vec<f64> = (0..columns * rows).map(|_| random.unit()).collect();
    let smooth = |t: f64| t * t * (3.0 - 2.0 * t);
    for (cell, height) in map.cells().zip(heights) {
        let (x, y) = (usize::from(cell.x), usize::from(cell.y));
        let (column, row) = (x / pitch, y / pitch);
        let across = smooth((x % pitch) as f64 / pitch as f64);
        let down = smooth((y % pitch) as f64 / pitch as f64);
        let at = |dx: usize, dy: usize| lattice[(row + dy) * columns + column + dx];
        let upper = at(0, 0) + (at(1, 0) - at(0, 0)) * across;
        let lower = at(0, 1) + (at(1, 1) - at(0, 1)) * across;
        *height += weight * (upper + (lower - upper) * down);
    }
}
