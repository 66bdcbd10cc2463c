//! `ikeru console model`: the facts of one console, and the costs of the variants on it.

use anyhow::Result;
use clap::Args;
use ikeru_consoles::Basis;
use ikeru_consoles::Console;
use ikeru_consoles::cost::{CostSum, CounterCost};
use ikeru_consoles::facts::{Cycles, ProcessorModel};
use ikeru_consoles::validation::said;
use ikeru_core::unknown;
use ikeru_reports::row;
use ikeru_reports::table::{Cell, Table};
use ikeru_reports::units::{Quantity, rounded};

use crate::output::{self, Format};

/// The arguments of `console model`.
#[derive(Debug, Args)]
#[command(after_help = "Example: ikeru console model PS2")]
pub struct Arguments {
    /// The console's name
    name: String,
    #[command(flatten)]
    format: Format,
}

/// Prints the facts with their sources, then the costs.
///
/// # Errors
/// An unknown console, with the nearest known one.
pub fn run(arguments: &Arguments, basis: &Basis) -> Result<()> {
    let all = &basis.consoles.consoles;
    let name = &arguments.name;
    let Some(console) = all.iter().find(|console| console.name == *name) else {
        let known = all.iter().map(|console| console.name.as_str());
        return Err(unknown("console", name, known).into());
    };
    let mut table = facts(console);
    table.notes.push(said(&basis.checks, console, all));
    output::print_table(table, arguments.format)?;
    let own = basis.costs.iter().filter(|cost| cost.console == *name);
    let costs = costs(own);
    if !costs.rows.is_empty() {
        output::print_table(costs, arguments.format)?;
    }
    Ok(())
}

fn facts(console: &Console) -> Table {
    let mut table = Table::new(&console.name, "fact | value | source");
    let mut fact = |name: &str, value: String, source: &str| {
        table.rows.push(row![name, value, Cell::prose(source)]);
    };
    fact("year", console.year.to_string(), &console.year_source);
    fact(
        "clock",
        format!("{} MHz", console.clock_mhz),
        &console.clock_source,
    );
    let memory = Quantity::Bytes.word(console.memory_bytes as f64);
    fact("memory", memory, &console.memory_source);
    if let Some(why) = &console.not_modelled {
        fact("not modelled", String::new(), why);
    }
    if let Some(model) = &console.model {
        fact("scoreboard", model.processor.clone(), &console.cpu);
        fact("code", model.target.clone(), "");
        for (name, cache) in model.caches() {
            let cache = cache.map(|cache| {
                let size = Quantity::Bytes.word(f64::from(cache.bytes));
                format!("{size}, {} ways, lines of {} bytes", cache.ways, cache.line)
            });
            let said = cache.unwrap_or("none".to_owned());
            fact(&name.replace('_', " "), said, &model.cache_source);
        }
        for (name, cycles) in charged(model) {
            let Cycles { low, mid, high } = cycles;
            let value = format!("{mid} ({low} … {high}) cycles");
            let basis = model.basis.get(name);
            let source = basis.map_or(String::new(), |basis| {
                let known = format!("{:?}", basis.known).to_lowercase();
                format!("{known}: {}", basis.source)
            });
            fact(&name.replace('_', " "), value, &source);
        }
    }
    table
}

/// The penalties that are not 0.
fn charged(model: &ProcessorModel) -> impl Iterator<Item = (&'static str, Cycles)> {
    let all = model.penalties().into_iter();
    all.filter(|(_, cycles)| cycles.high > 0.0)
}

fn costs<'a>(costs: impl Iterator<Item = &'a CounterCost>) -> Table {
    let heads = "variant | work, cycles | misses, cycles | tables, bytes | 9 in 10 within";
    let mut table = Table::new("What the counters cost", heads);
    for cost in costs {
        let within = format!("×{}", rounded(cost.misses.residual.p90, 3));
        let confidence = if cost.is_confident() {
            ""
        } else {
            "low confidence"
        };
        table.rows.push(row![
            Cell::from(format!("{} {}", cost.problem, cost.variant))
                .with_detail(format!("version {}", cost.version)),
            sum(&cost.work),
            sum(&cost.misses),
            sum(&cost.memory),
            Cell::from(within).with_detail(confidence),
        ]);
    }
    table.notes.push("Beyond: only the share of the counter that the cache leaves outside, `1 − cache / (share · tables)`.".to_owned());
    table
}

/// A row as a sum.
fn sum(row: &CostSum) -> String {
    let terms = row.terms.iter().map(|term| {
        let beyond = term.beyond.map_or(String::new(), |beyond| {
            let cache = Quantity::Bytes.word(beyond.bytes);
            format!(" beyond {cache} / {}", beyond.share)
        });
        let counter = term.counter.replace('*', "·");
        format!("{} {counter}{beyond}", rounded(term.coefficient, 3))
    });
    let sum: Vec<String> = terms.collect();
    if sum.is_empty() {
        "0".to_owned()
    } else {
        sum.join(" + ")
    }
}
