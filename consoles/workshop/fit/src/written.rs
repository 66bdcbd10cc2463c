//! Writes `costs.csv`, which the program reads (`ikeru_consoles::cost::read`).

use ikeru_consoles::cost::{CostSum, CounterCost, Term};
use serde::Serialize;

/// One line: a term, or a sum without terms.
#[derive(Serialize)]
struct WrittenLine<'a> {
    problem: &'a str,
    variant: &'a str,
    version: u32,
    console: &'a str,
    row: &'a str,
    counter: &'a str,
    beyond_bytes: Option<f64>,
    memory_share: Option<f64>,
    coefficient: f64,
    from: f64,
    to: f64,
    low: f64,
    high: f64,
    residual_p50: f64,
    residual_p90: f64,
    residual_max: f64,
    trained: usize,
    tested: usize,
}

fn line<'a>(
    cost: &'a CounterCost,
    kind: &'a str,
    sum: &CostSum,
    term: Option<&'a Term>,
) -> WrittenLine<'a> {
    WrittenLine {
        problem: &cost.problem,
        variant: &cost.variant,
        version: cost.version,
        console: &cost.console,
        row: kind,
        counter: term.map_or("", |term| &term.counter),
        beyond_bytes: term.and_then(|term| Some(term.beyond?.bytes)),
        memory_share: term.and_then(|term| Some(term.beyond?.share)),
        coefficient: term.map_or(0.0, |term| term.coefficient),
        from: term.map_or(0.0, |term| term.range.0),
        to: term.map_or(0.0, |term| term.range.1),
        low: sum.low,
        high: sum.high,
        residual_p50: sum.residual.p50,
        residual_p90: sum.residual.p90,
        residual_max: sum.residual.max,
        trained: cost.trained,
        tested: cost.tested,
    }
}

/// The text of `costs.csv`.
///
/// # Errors
/// A line that CSV cannot represent.
pub fn written(costs: &[CounterCost]) -> Result<String, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for cost in costs {
        let sums = [
            ("work", &cost.work),
            ("misses", &cost.misses),
            ("memory", &cost.memory),
        ];
        for (kind, sum) in sums {
            let nothing = sum.terms.is_empty().then_some(None);
            for term in sum.terms.iter().map(Some).chain(nothing) {
                writer.serialize(line(cost, kind, sum, term))?;
            }
        }
    }
    let bytes = writer
        .into_inner()
        .map_err(csv::IntoInnerError::into_error)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
