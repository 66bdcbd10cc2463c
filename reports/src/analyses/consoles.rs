//! What the measured times would be on consoles, by every model there is.

use ikeru_bench_data::Consoles;

use super::{Finding, short, varying};
use crate::consoles::{budget, first_tier};
use crate::error::ReportError;
use crate::rows::Rows;
use crate::statistics::Estimate;
use crate::statistics::sample::Units;

/// One row per console, variant and question. Of a setting with many values (steps) only the
/// largest solved one stands here.
pub(super) fn consoles(rows: &Rows, selection: &[u32]) -> Result<Finding, ReportError> {
    let facts = Consoles::built_in()?;
    let models = first_tier(&facts.reference);
    let mut header = vec!["console".to_owned(), "variant".to_owned()];
    header.extend(models.iter().map(|model| format!("{}, ms", model.name())));
    header.extend(["questions per second", "budget"].map(str::to_owned));
    let mut finding = Finding {
        title: "On the consoles, by the articles' own methods".to_owned(),
        paragraphs: vec![format!(
            "First tier: the measured median here is scaled as if this machine's core were {}. Questions per second and the budget (a frame of 16.7 ms, 100 ms that a player notices) are by MIPS, by clock where no rate is known. No cache, memory or vector unit is in these models.",
            facts.reference.name
        )],
        header,
        rows: Vec::new(),
        chart: None,
    };
    finding
        .paragraphs
        .extend(models.iter().map(|model| model.about()));
    let cells = hardest(rows, selection);
    for console in &facts.consoles {
        for (name, here) in &cells {
            let times: Vec<Option<Estimate>> = models
                .iter()
                .map(|model| model.modelled(console, *here))
                .collect();
            let mut row = vec![console.name.clone(), name.clone()];
            row.extend(times.iter().map(|time| match time {
                Some(time) => short(time.value / 1e6),
                None => "–".to_owned(),
            }));
            let Some(first) = times.iter().flatten().next() else {
                continue;
            };
            row.extend([short(1e9 / first.value), budget(first.value).to_owned()]);
            finding.rows.push(row);
        }
    }
    Ok(finding)
}

/// Name and median time of each label at its hardest solved question.
fn hardest(rows: &Rows, selection: &[u32]) -> Vec<(String, Estimate)> {
    let solved = rows.solved(selection);
    let steps = "setting_steps";
    let apart = varying(rows, &solved, steps);
    let mut by = vec!["label"];
    by.extend(&apart);
    let all_steps = rows.distinct(steps, &solved).len() > 1;
    let mut cells = Vec::new();
    for group in rows.group_by(&by, &solved) {
        let hardest = rows.group(steps, &group).pop().map_or(group, |(_, at)| at);
        let mut name = format!(
            "{} {}",
            rows.text("label", hardest[0]),
            rows.described(apart.iter().copied(), hardest[0])
        );
        if all_steps {
            name += &format!(" {}", rows.described([steps], hardest[0]));
        }
        if let Some(time) = Units::medians(rows, "wall_ns", &hardest).median() {
            cells.push((name.trim().to_owned(), time));
        }
    }
    cells
}
