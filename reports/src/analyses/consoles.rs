//! What the measured times would be on consoles, by every model there is.

use ikeru_bench_data::Consoles;
use ikeru_bench_data::Experiment;
use ikeru_bench_data::experiment::Analysis;

use super::{Finding, labelled};
use crate::consoles::{budget, first_tier};
use crate::error::ReportError;
use crate::row;
use crate::rows::Rows;
use crate::statistics::Estimate;
use crate::statistics::sample::Units;
use crate::table::{Cell, Table};
use crate::units::Quantity;

/// One row per console, variant and question. Of a setting with many values (steps) only the
/// largest solved one stands here.
pub(super) fn consoles(
    rows: &Rows,
    selection: &[u32],
    _: &Analysis,
    _: &Experiment,
) -> Result<Finding, ReportError> {
    let facts = Consoles::built_in()?;
    let models = first_tier(&facts.reference);
    let mut table = Table::new(
        "On the consoles, by the articles' own methods",
        "console | variant",
    );
    let ways = models.iter().map(|model| model.name);
    let heads = ways.chain(["questions per second", "budget"]);
    table.heads.extend(heads.map(str::to_owned));
    table.notes = vec![format!(
        "First tier: the measured median here is scaled as if this machine's core were {}. Questions per second and the budget (a frame of 16.7 ms, 100 ms that a player notices) are by MIPS, by clock where no rate is known. No cache, memory or vector unit is in these models.",
        facts.reference.name
    )];
    table
        .notes
        .extend(models.iter().map(|model| model.about.clone()));
    let cells = hardest(rows, selection);
    for console in &facts.consoles {
        for (name, here) in &cells {
            let times: Vec<Option<Estimate>> = models
                .iter()
                .map(|model| model.modelled(console, *here))
                .collect();
            let Some(first) = times.iter().flatten().next() else {
                continue;
            };
            let mut row = row![&console.name, name];
            let value = |time: &Option<Estimate>| time.map(|time| time.value);
            let time = |time| Cell::from((value(time), Quantity::Time));
            row.extend(times.iter().map(time));
            row.extend(row![
                (1e9 / first.value, Quantity::Plain),
                budget(first.value)
            ]);
            table.rows.push(row);
        }
    }
    Ok(table.into())
}

/// Name and median time of each label at its hardest solved question.
fn hardest(rows: &Rows, selection: &[u32]) -> Vec<(String, Estimate)> {
    let steps = "setting_steps";
    let all_steps = rows.distinct(steps, &rows.solved(selection)).len() > 1;
    let mut cells = Vec::new();
    for (label, place, group) in labelled(rows, selection, steps) {
        let hardest = rows.group(steps, &group).pop().map_or(group, |(_, at)| at);
        let mut name = format!("{label} {place}");
        if all_steps {
            name += &format!(" {}", rows.described([steps], hardest[0]));
        }
        let time = Units::medians(rows, "wall_ns", &hardest).median();
        cells.extend(time.map(|time| (name.trim().to_owned(), time)));
    }
    cells
}
