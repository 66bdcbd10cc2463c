//! Prepared solvers that are kept between the samples of their cells, within a budget of bytes.
//!
//! Every round visits every cell once. The first solvers that fit are therefore kept, and the others are prepared
//! again for each sample; any other choice would prepare more often.

/// The maximum size of all kept solvers of a stage, in bytes.
const BUDGET: u64 = 256 << 20;
/// The size of a solver beyond the tables that it declares, in bytes.
const FLOOR: u64 = 16 << 10;

/// A place for a solver per cell.
pub(crate) struct KeptSolvers<P> {
    /// Each solver, if it is kept, and the bytes that are counted for it.
    solvers: Vec<(Option<P>, u64)>,
    held: u64,
}

impl<P> KeptSolvers<P> {
    /// Places for `cells` solvers.
    pub fn of(cells: usize) -> Self {
        Self {
            solvers: (0..cells).map(|_| (None, 0)).collect(),
            held: 0,
        }
    }

    /// The place of a cell's solver.
    pub fn place(&mut self, cell: usize) -> &mut Option<P> {
        &mut self.solvers[cell].0
    }

    /// Called after a sample of the cell, whose solver declares `table_bytes`. Drops the solver if no sample
    /// `follows` or if there is no room for it.
    pub fn settle(&mut self, cell: usize, table_bytes: u64, follows: bool) {
        let (solver, bytes) = &mut self.solvers[cell];
        self.held -= std::mem::take(bytes);
        let needed = table_bytes.saturating_add(FLOOR);
        if !follows || self.held.saturating_add(needed) > BUDGET {
            *solver = None;
        }
        if solver.is_some() {
            *bytes = needed;
            self.held += needed;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solvers_are_kept_while_they_fit_and_samples_follow() {
        let mut kept = KeptSolvers::of(4);
        let mut taken = |cell: usize, table_bytes, follows| {
            kept.place(cell).get_or_insert(cell);
            kept.settle(cell, table_bytes, follows);
            let which: Vec<usize> = kept.solvers.iter().filter_map(|(it, _)| *it).collect();
            which
        };
        assert_eq!(taken(0, BUDGET / 2, true), [0]);
        assert_eq!(taken(1, BUDGET / 2, true), [0], "no room beside the first");
        assert_eq!(taken(2, BUDGET / 4, true), [0, 2]);
        assert_eq!(taken(0, BUDGET / 2, true), [0, 2], "counted once");
        assert_eq!(taken(0, BUDGET / 2, false), [2], "its last sample");
        assert_eq!(taken(1, BUDGET / 2, true), [1, 2]);
        assert_eq!(taken(3, u64::MAX, true), [1, 2]);
    }

    #[test]
    fn a_solver_that_was_dropped_gives_its_room_back() {
        let mut kept = KeptSolvers::of(2);
        *kept.place(0) = Some(());
        kept.settle(0, BUDGET - FLOOR, true);
        *kept.place(0) = None;
        kept.settle(0, 0, true);
        assert_eq!(kept.held, 0);
        *kept.place(1) = Some(());
        kept.settle(1, BUDGET - FLOOR, true);
        assert!(kept.place(1).is_some());
    }

    #[test]
    fn solvers_that_declare_nothing_have_a_bound_too() {
        let cells = (BUDGET / FLOOR) as usize + 10;
        let mut kept = KeptSolvers::of(cells);
        for cell in 0..cells {
            *kept.place(cell) = Some(());
            kept.settle(cell, 0, true);
        }
        let count = kept.solvers.iter().filter(|(it, _)| it.is_some()).count();
        assert_eq!(count, cells - 10);
    }
}
