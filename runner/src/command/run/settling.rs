//! The figures that are open at the end of `reproduce`.

use ikeru_book::BookReport;
use ikeru_reports::row;
use ikeru_reports::table::Table;

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
