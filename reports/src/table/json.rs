//! Tables as JSON: one object, each row an object by the heads of its columns.
//!
//! A cell is `null`, a text, or for a number `{"value": 1.5, "unit": "ns", "bound": "≥", "low": 1.2, "high": 1.9}`:
//! bare, in the named unit, without `bound` if the value is exact, and without `low` and `high` if there is no
//! interval. An unknown end is `null`. A cell with a small addition is an object with `detail`.

use serde_json::{Map, Value, json};

use super::cell::sign;
use super::{Cell, Content, Table};
use crate::statistics::{Bound, Interval};
use crate::units::Quantity;

impl Table {
    /// The table as a JSON value, see [`Form::Json`](super::Form::Json).
    pub fn json(&self) -> Value {
        let rows = |table: &Table| -> Value {
            let row = |cells: &Vec<Cell>| -> Value {
                let cells = table.heads.iter().zip(cells);
                cells.map(|(head, cell)| (head.clone(), of(cell))).collect()
            };
            table.rows.iter().map(row).collect()
        };
        let mut json = json!({
            "title": self.title,
            "notes": self.notes,
            "columns": self.heads,
            "rows": rows(self),
        });
        if !self.command.is_empty() {
            json["command"] = json!(self.command);
        }
        if !self.comparisons.is_empty() {
            json["comparisons"] = json!(self.comparisons);
        }
        json
    }
}

fn of(cell: &Cell) -> Value {
    let mut object = match &cell.content {
        Content::Number(estimate, quantity) => {
            let mut object = number(*quantity);
            object.insert("value".to_owned(), json!(estimate.value));
            if estimate.bound != Bound::Exact {
                object.insert("bound".to_owned(), json!(sign(estimate.bound)));
            }
            object
        }
        Content::Interval(_, quantity) => number(*quantity),
        Content::Part(part, whole) => {
            let known = [("value", json!(part)), ("of", json!(whole))];
            known
                .map(|(name, value)| (name.to_owned(), value))
                .into_iter()
                .collect()
        }
        Content::Compared(said, row) => Map::from_iter([
            ("text".to_owned(), json!(said)),
            ("value".to_owned(), json!(row.estimate)),
            ("low".to_owned(), json!(row.low)),
            ("high".to_owned(), json!(row.high)),
            ("scope".to_owned(), json!(row.scope)),
            ("decision".to_owned(), json!(row.decision)),
        ]),
        Content::Empty if cell.detail.is_empty() => return Value::Null,
        _ if cell.detail.is_empty() => return json!(cell.to_string()),
        _ => Map::from_iter([("text".to_owned(), json!(cell.to_string()))]),
    };
    if let Some(Interval { low, high }) = cell.interval() {
        object.extend(
            [("low", low), ("high", high)].map(|(name, end)| (name.to_owned(), json!(end))),
        );
    }
    if !cell.detail.is_empty() {
        object.insert("detail".to_owned(), json!(cell.detail));
    }
    Value::Object(object)
}

fn number(quantity: Quantity) -> Map<String, Value> {
    let unit = Some(quantity.unit()).filter(|unit| !unit.is_empty());
    unit.map(|unit| ("unit".to_owned(), json!(unit)))
        .into_iter()
        .collect()
}
