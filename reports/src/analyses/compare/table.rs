//! The table of a comparison.

use ikeru_compare::comparison::Comparison;
use ikeru_compare::words::Words;

use crate::row;
use crate::table::Table;
use crate::units::{Quantity, differing_words};

/// The columns that a narrow table drops first; the sides are in the title, so those of a single pair too.
pub(super) const GIVEN_UP_FIRST: [&str; 2] = [
    "level | pairs | n | clock | needs",
    "level | pairs | n | clock | needs | variant",
];

/// The comparisons as a table for people.
pub fn table(title: String, all: &[Comparison], words: Words) -> Table {
    let heads = "variant | over | B against A | instances | needs | n | pairs | level | clock";
    let parts: Vec<&str> = all.iter().map(|one| one.over.as_str()).collect();
    let (over, _) = differing_words(&parts, |over| *over != "all");
    let fields = |(one, over): (&Comparison, String)| {
        row![
            if one.a == one.b {
                one.b.clone()
            } else {
                format!("{} → {}", one.a, one.b)
            },
            over,
            words.decision(one),
            one.scope.name().replace("instances", "").trim(),
            &one.needs,
            one.n,
            one.pairs,
            (one.level, Quantity::Share),
            &one.clock,
        ]
    };
    let is_one = all
        .iter()
        .all(|one| (&one.a, &one.b) == (&all[0].a, &all[0].b));
    Table {
        rows: all.iter().zip(over).map(fields).collect(),
        comparisons: all.to_vec(),
        given_up_first: GIVEN_UP_FIRST[usize::from(is_one)],
        ..Table::new(title, heads)
    }
}

#[cfg(test)]
mod tests {
    use ikeru_compare::comparison::Terms;
    use ikeru_core::Better;

    use super::*;
    use crate::statistics::Estimate;

    #[test]
    fn a_narrow_table_keeps_what_tells_its_rows_apart() {
        let terms = Terms {
            a: "dfs".to_owned(),
            b: "dfs+bound".to_owned(),
            metric: "cpu".to_owned(),
            clock: "cpu".to_owned(),
            better: Better::Lower,
            is_ratio: true,
            margin: 0.05,
            level: 0.05,
            withheld: None,
        };
        let row = |over: &str| {
            let factor = Some(Estimate::within(17.0, 20.5, 25.5));
            Comparison::of_pairs(&terms, over.to_owned(), factor, (8, 0.05))
        };
        let rows = [
            "all",
            "instance=g height=3 width=4",
            "instance=g height=5 width=4",
        ]
        .map(row);
        let words = Words {
            better: "faster",
            worse: "slower",
            margin: 0.05,
        };
        let text = table("times".to_owned(), &rows, words).within(Some(60));
        for line in [
            "all       20.5× (17.0 … 25.5×) faster",
            "height=5  20.5× (17.0",
        ] {
            assert!(text.contains(line), "{text}");
        }
        assert!(
            text.lines().all(|line| line.chars().count() <= 60),
            "{text}"
        );
    }
}
