//! Tables in Bencher's metric format: a benchmark for each row, named by its variant, instance and settings, and a measure for each column of
//! numbers, with the ends of its interval.

use serde_json::{Map, Value as Json, json};

use super::{Cell, Content, Table, csv};
use crate::statistics::Estimate;
use crate::units::Quantity;

impl Table {
    /// The table as a JSON value, see [`Form::Bmf`](super::Form::Bmf).
    pub fn bmf(&self) -> Json {
        let benchmarks = self.rows.iter().map(|row| {
            let cells = self.heads.iter().zip(row);
            let named = cells.filter(|(head, _)| NAMES.contains(&head.as_str()));
            let mut name: Vec<String> = named.map(|(_, cell)| cell.to_string()).collect();
            name.retain(|word| !word.is_empty());
            let cells = self.heads.iter().zip(row);
            let measures: Map<String, Json> = cells
                .filter_map(|(head, cell)| measure(head, cell))
                .collect();
            (name.join(", "), Json::Object(measures))
        });
        let known = benchmarks.filter(|(_, measures)| measures != &json!({}));
        Json::Object(known.collect())
    }
}

/// The heads of the columns that name a row; a verdict is no part of a name, because names stay from run to run.
const NAMES: [&str; 7] = [
    "variant",
    "against",
    "instance",
    "over",
    "instances",
    "settings",
    "experiment",
];

/// The measure of a number: the unit of times is part of its name, because the format has none.
fn measure(head: &str, cell: &Cell) -> Option<(String, Json)> {
    if let Some(row) = cell.comparison() {
        let ends = [
            ("value", row.estimate),
            ("lower_value", row.low),
            ("upper_value", row.high),
        ];
        let known = ends.into_iter().filter(|(_, end)| end.is_some());
        let measure: Map<String, Json> = known
            .map(|(name, end)| (name.to_owned(), json!(end)))
            .collect();
        return Some((csv::name(head, None), measure.into()));
    }
    let (estimate, quantity) = match &cell.content {
        Content::Number(estimate, quantity) => (*estimate, quantity),
        Content::Part(part, _) => (Estimate::exact(*part as f64), &Quantity::Count),
        _ => return None,
    };
    let mut measure = json!({ "value": estimate.value });
    if let Some(ends) = estimate.interval {
        measure["lower_value"] = json!(ends.low);
        measure["upper_value"] = json!(ends.high);
    }
    let unit = Some(*quantity).filter(|quantity| *quantity == Quantity::Time);
    Some((csv::name(head, unit), measure))
}
