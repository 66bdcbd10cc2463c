//! Every model of a console's time beside the others: the articles' ratios, costs, counts and cross-checks.

use crate::consoles::facts::{Console, Consoles};
use ikeru_bench_data::experiment::Analysis;
use ikeru_bench_data::{Experiment, builtin};

use super::consoles::Shown;
use super::{Finding, parameter};
use crate::consoles::Basis;
use crate::consoles::budget::Manages;
use crate::consoles::cycles::{CONTRADICTION, Modelled};
use crate::consoles::history::{self, Ratio};
use crate::consoles::throughput::Throughput;
use crate::error::ReportError;
use crate::row;
use crate::rows::{Rows, TIME};
use crate::sampled::Statistic;
use crate::statistics::Estimate;
use crate::table::{Cell, Table, Tone};
use crate::units::{Quantity, rounded};

const MODELS: [&str; 5] = [
    "cost table",
    "simulated",
    "compiler's schedule",
    "emulator's rule",
    "models differ by",
];

const ABOUT: &str = "Cost table: the counters of this run at fitted costs. Simulated: the same question counted on the console's instruction set; empty where it was not. Compiler's schedule and emulator's rule: the same with the compiler's description of the pipeline, and by an emulator's cycles per instruction. A rule that charges an average miss on every instruction (N64, DS) is shown and does not widen the band.";

/// Every model beside the others on some consoles (`set.consoles`, names with commas between them): the articles' methods
/// applied to a time that they printed (the published figure `set.history`, in ms) and to the median here, the cost table,
/// the simulation, the emulator's rule and the compiler's schedule.
pub(super) fn tiers(
    rows: &Rows,
    selection: &[u32],
    analysis: &Analysis,
    _: &Experiment,
) -> Result<Finding, ReportError> {
    let basis = Basis::built_in()?;
    let shown = Shown::of(rows, selection, basis);
    let printed = printed(parameter(analysis, "history", ""))?;
    let all = history::ratios(&basis.consoles.reference);
    let ratios = if printed.is_some() { &all[..] } else { &[] };
    let mut table = Table::new("Every model beside the others", "console | variant");
    let heads = ratios
        .iter()
        .map(|ratio| format!("history: {}", ratio.name));
    table.heads.extend(heads.chain(MODELS.map(str::to_owned)));
    let wanted = parameter(analysis, "consoles", "PS2, DS, Wii, Switch");
    for name in wanted.split(',').map(str::trim) {
        let place = place(&basis.consoles, name)?;
        let console = &basis.consoles.consoles[place];
        let scaled = |time: Option<Estimate>| {
            let on = move |ratio: &Ratio| time.and_then(|time| ratio.scaled(console, time));
            ratios
                .iter()
                .map(move |ratio| Cell::from((on(ratio), Quantity::Time)))
        };
        for (label, one) in shown.on_console(place) {
            let mut row = row![name, &label];
            row.extend(scaled(printed));
            row.extend(models_of(one, console));
            table.rows.push(row);
            if printed.is_some() {
                let cell = rows.with("cell", rows.text("cell", one.row));
                let here = Statistic::Median.of(rows, TIME, &cell);
                let mut row = row![name, format!("{label}, from the time here")];
                row.extend(scaled(here).chain(MODELS.map(|_| Cell::EMPTY)));
                table.rows.push(row);
            }
        }
    }
    table.notes = vec![ABOUT.to_owned()];
    if printed.is_some() {
        let reference = &basis.consoles.reference.name;
        table.notes.push(format!(
            "History: what the articles' methods make of the time that the article printed for {reference}, and in a row of its own of the median time on this machine, as if it were that one. No verdict rests on it."
        ));
    }
    table
        .notes
        .extend(ratios.iter().map(|ratio| ratio.about.clone()));
    Ok(table.into())
}

/// The time of a published figure in milliseconds; `None` without a name.
fn printed(id: &str) -> Result<Option<Estimate>, ReportError> {
    if id.is_empty() {
        return Ok(None);
    }
    let sources = builtin::published()?;
    let (_, figure) = builtin::figure(&sources, id)?;
    Ok(figure.value.map(|value| Estimate::exact(value * 1e6)))
}

/// The place of a console.
fn place(consoles: &Consoles, name: &str) -> Result<usize, ReportError> {
    let all = &consoles.consoles;
    let found = all.iter().position(|console| console.name == name);
    found.ok_or_else(|| {
        ReportError::unknown(
            "console",
            name,
            all.iter().map(|console| console.name.as_str()),
        )
    })
}

/// The cells of a row's own models; of what does not fit there is no time.
fn models_of(one: &Throughput, console: &Console) -> Vec<Cell> {
    if !one.fits {
        let misfit = || Cell::from(Manages::DoesNotFit.name());
        return row![misfit(), misfit(), Cell::EMPTY, Cell::EMPTY, Cell::EMPTY];
    }
    let each = 1e3 / console.clock_mhz;
    let time =
        |cycles: Option<f64>| Cell::from((cycles.map(|cycles| cycles * each), Quantity::Time));
    let banded = |modelled: Option<Modelled>| {
        Cell::from((
            modelled.map(|modelled| modelled.time(console)),
            Quantity::Time,
        ))
    };
    let modelled = one.modelled();
    let differs = modelled.map(|modelled| modelled.disagreement());
    let differs = differs.map_or(Cell::EMPTY, |factor| {
        let tone = if factor > CONTRADICTION {
            Tone::Warn
        } else {
            Tone::Still
        };
        Cell::badge(format!("×{}", rounded(factor, 2)), tone)
    });
    row![
        banded(one.by_cost),
        banded(one.by_count),
        time(modelled.and_then(|modelled| modelled.schedule)),
        time(modelled.and_then(|modelled| modelled.emulator)),
        differs
    ]
}
