//! What can only be told when all rows are read: exact times, and which rows count.

use super::Rows;
use super::column::Column;
use crate::records::Outcome;

impl Rows {
    /// Does all of it.
    pub(super) fn complete(&mut self) {
        self.divide_batches();
        self.replace();
    }

    /// Makes `wall_ns` the quotient that the file rounds: a short answer lasts few nanoseconds.
    fn divide_batches(&mut self) {
        let quotient = |row: u32| {
            let (batch, iterations) = (
                self.number("batch_ns", row)?,
                self.number("iterations", row)?,
            );
            self.number("wall_ns", row)?;
            (iterations > 0.0).then_some(batch / iterations)
        };
        let exact: Vec<Option<f64>> = (0..self.len as u32).map(quotient).collect();
        let Some(place) = self.place.get("wall_ns") else {
            return;
        };
        if let Column::Numbers(times, _) = &mut self.columns[*place] {
            for (time, exact) in times.iter_mut().zip(exact) {
                *time = exact.unwrap_or(*time);
            }
        }
    }

    /// Leaves out the rows that a later attempt at the same repeat of the same cell stands in for. An attempt that
    /// was skipped stands in for none that was taken.
    fn replace(&mut self) {
        let attempt = |row: u32| self.number("attempt", row).unwrap_or(0.0);
        let is_taken = |row: u32| self.outcome(row) != Some(Outcome::Skipped);
        let all: Vec<u32> = (0..self.len as u32).collect();
        if all.iter().all(|row| attempt(*row) == 0.0) {
            return;
        }
        let latest = |rows: Vec<u32>| {
            rows.into_iter().max_by(|a, b| {
                let by_attempt = attempt(*a).total_cmp(&attempt(*b));
                is_taken(*a).cmp(&is_taken(*b)).then(by_attempt)
            })
        };
        let mut count: Vec<u32> = self
            .group_by(&["experiment", "cell", "repeat"], &all)
            .into_iter()
            .filter_map(latest)
            .collect();
        count.sort_unstable();
        self.count = Some(count);
    }
}
