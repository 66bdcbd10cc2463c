//! The order of rows in memory: the rows of a cell follow each other.

use super::Rows;
use super::column::{StoredColumn, WordColumn};

/// Runs of rows of one cell.
#[derive(Debug, Default)]
pub(super) struct Runs {
    /// The end of each run; without any, each row is a run.
    ends: Vec<u32>,
}

impl Runs {
    /// Divides `rows` into parts whose rows follow each other in `rows` and are of one run.
    pub(super) fn parts<'a>(&'a self, mut rows: &'a [u32]) -> impl Iterator<Item = &'a [u32]> {
        let mut at = 0;
        std::iter::from_fn(move || {
            let first = *rows.first()?;
            let run = |at: usize| {
                let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
                self.ends.get(at).map(|end| start..*end)
            };
            if run(at).is_none_or(|run| !run.contains(&first)) {
                at = self.ends.partition_point(|end| *end <= first);
            }
            let run = run(at).unwrap_or(first..first + 1);
            at = (at + 1).min(self.ends.len());
            let inside = rows.iter().take_while(|row| run.contains(row));
            let (part, rest) = rows.split_at(inside.count());
            rows = rest;
            Some(part)
        })
    }
}

impl Rows {
    /// Moves the rows of each cell together, in the order of the file.
    // PERF: tables and plots read a column cell by cell. Of a million rows of a random order, each read would be of another
    // line of the cache.
    pub(super) fn sort_by_cell(&mut self) {
        let Some(cell) = self.column("cell").map(StoredColumn::words) else {
            return;
        };
        let mut cells = vec![Vec::new(); cell.len()];
        for row in 0..self.len as u32 {
            cells[cell.symbol(row)].push(row);
        }
        let order = cells.concat();
        for column in &mut self.columns {
            column.sort(&order);
        }
        let words = self.words_of(&["experiment", "cell"]);
        let is_end = |row: &u32| {
            let next = row + 1;
            next as usize == self.len || words.iter().any(|of| of.symbol(*row) != of.symbol(next))
        };
        let ends = (0..self.len as u32).filter(is_end).map(|row| row + 1);
        self.runs.ends = ends.collect();
    }

    /// Returns whether a column has one value in each run.
    pub(super) fn is_of_cells(&self, words: &WordColumn) -> bool {
        *words.is_of_cells.get_or_init(|| {
            let mut start = 0;
            self.runs.ends.iter().all(|end| {
                let first = words.symbol(start);
                let mut rest = start + 1..*end;
                start = *end;
                rest.all(|row| words.symbol(row) == first)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_in_any_order_are_divided_at_the_ends_of_runs() {
        let runs = Runs {
            ends: vec![3, 5, 9],
        };
        let parts = |rows: &[u32]| runs.parts(rows).map(<[u32]>::to_vec).collect::<Vec<_>>();
        assert_eq!(
            parts(&[0, 2, 3, 4, 6, 8]),
            [vec![0, 2], vec![3, 4], vec![6, 8]]
        );
        assert_eq!(parts(&[4, 3, 1, 7, 7, 2]).concat(), [4, 3, 1, 7, 7, 2]);
        assert_eq!(parts(&[6, 1, 2]), [vec![6], vec![1, 2]]);
        assert_eq!(parts(&[]), Vec::<Vec<u32>>::new());
        let none = Runs::default();
        assert_eq!(none.parts(&[2, 0, 1]).count(), 3);
    }
}
