//! Open figures of `reproduce`: the page while they are settled, and the list of those that are open at the end.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;
use ikeru_reports::table::Table;
use ikeru_reports::{Report, row};

use super::Common;
use crate::campaign::settle::SettleStep;

/// The time of `reproduce`.
const REPRODUCE: Duration = Duration::from_secs(300);

/// The interval at which the page is written again while figures are settled.
const PAGE: Duration = Duration::from_secs(120);

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

/// Writes the page after the first pass, and again at intervals of [`PAGE`]. Returns a line with its path if it was
/// written.
pub(super) fn page_meanwhile(
    folder: &Path,
    step: &SettleStep,
    written: &mut Instant,
) -> Result<Option<String>> {
    let (decided, open) = (step.so_far.decided, step.so_far.open.len());
    let is_first = !folder.join("index.html").exists();
    if step.is_over || !(is_first || written.elapsed() > PAGE) {
        return Ok(None);
    }
    let page = ikeru_reports::report(folder)?.page;
    *written = Instant::now();
    let page = page.display();
    Ok(Some(format!(
        "{decided} figures are decided, {open} are open; the page so far: {page}"
    )))
}

/// The figures that are open, and what each needs.
pub(super) fn open_figures(report: &Report, width: Option<usize>) -> String {
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
