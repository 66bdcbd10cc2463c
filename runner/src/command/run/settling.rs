//! Open figures of `reproduce`: the time to settle them, and the list of those that are open at the end.

use std::time::Duration;

use ikeru_book::BookReport;
use ikeru_reports::row;
use ikeru_reports::table::Table;

use super::Common;

/// The time of `reproduce`.
const REPRODUCE: Duration = Duration::from_secs(300);

impl Common {
    /// Settles published figures after the first pass, unless only a part of the samples is requested.
    pub fn settle(&mut self) {
        let is_part = self.shard.is_some() || self.until_decided || self.list;
        #[cfg(feature = "mpi")]
        let is_part = is_part || self.on.is_some();
        if !is_part {
            self.settle = Some(self.budget.unwrap_or(REPRODUCE));
        }
    }
}

/// The figures that are open, and what each needs.
pub(super) fn open_figures(report: &BookReport, width: Option<usize>) -> String {
    let mut table = Table::new("", "open | ours | needs");
    let open = report.figures.iter().filter(|one| !one.needs.is_empty());
    table.rows = open
        .map(|one| row![&one.id, &one.ours, &one.needs])
        .collect();
    match table.rows.as_slice() {
        [] => String::new(),
        _ => format!("\n{}", table.within(width)),
    }
}
