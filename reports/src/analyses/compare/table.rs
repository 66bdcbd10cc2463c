//! The table of a comparison.

use ikeru_compare::comparison::Comparison;
use ikeru_compare::words::Words;

use crate::row;
use crate::table::Table;
use crate::units::Quantity;

/// The columns that a narrow table drops first.
const GIVEN_UP_FIRST: &str = "level | pairs | n | clock | needs | over";

/// The comparisons as a table for people.
pub fn table(title: String, all: &[Comparison], words: Words) -> Table {
    let heads = "variant | over | B against A | scope | needs | n | pairs | level | clock";
    let fields = |one: &Comparison| {
        row![
            if one.a == one.b {
                one.b.clone()
            } else {
                format!("{} → {}", one.a, one.b)
            },
            &one.over,
            words.decision(one),
            one.scope.name(),
            &one.needs,
            one.n,
            one.pairs,
            (one.level, Quantity::Share),
            &one.clock,
        ]
    };
    Table {
        rows: all.iter().map(fields).collect(),
        comparisons: all.to_vec(),
        given_up_first: GIVEN_UP_FIRST,
        ..Table::new(title, heads)
    }
}
