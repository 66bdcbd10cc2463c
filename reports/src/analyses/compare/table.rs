//! The table of a comparison.

use ikeru_compare::comparison::Comparison;
use ikeru_compare::words::Words;

use crate::row;
use crate::table::{Content, Table};
use crate::units::{Quantity, differing_words};

/// The columns that a narrow table drops first; the sides are in the title, so those of a single pair too.
pub(super) const GIVEN_UP_FIRST: [&str; 2] = [
    "level | pairs | n | clock | needs | against",
    "level | pairs | n | clock | needs | against | variant",
];

/// The comparisons as a table for people.
pub fn table(title: String, all: &[Comparison], words: Words) -> Table {
    let heads =
        "variant | against | over | instances | B against A | needs | n | pairs | level | clock";
    let parts: Vec<&str> = all.iter().map(|one| one.over.as_str()).collect();
    let (over, _) = differing_words(&parts, |over| *over != "all");
    let fields = |(one, over): (&Comparison, String)| {
        row![
            &one.b,
            &one.a,
            over,
            one.scope.name().replace("instances", "").trim(),
            Content::Compared(words.decision(one), Box::new((*one).clone())),
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

    use super::super::ComparedSides;
    use super::*;
    use crate::statistics::Estimate;

    const FASTER: Words = Words {
        better: "faster",
        worse: "slower",
        margin: 0.05,
    };

    fn terms(b: &str) -> Terms {
        Terms {
            margin: 0.05,
            ..Terms::of_ratios(["dfs", b].map(str::to_owned), "cpu".to_owned(), 0.05)
        }
    }

    fn assert_width(text: &str, width: usize) {
        let is_narrow = |line: &str| line.chars().count() <= width;
        assert!(text.lines().all(is_narrow), "{text}");
    }

    #[test]
    fn a_narrow_table_keeps_what_tells_its_rows_apart() {
        let terms = terms("dfs+bound");
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
        let text = table("times".to_owned(), &rows, FASTER).within(Some(60));
        for line in [
            "all       these      20.5× (17.0 … 25.5×) faster",
            "height=5  these      20.5× (17.0",
        ] {
            assert!(text.contains(line), "{text}");
        }
        assert_width(&text, 60);
    }

    #[test]
    fn several_sides_keep_variant_instances_factor_and_verdict_in_a_narrow_terminal() {
        let sides = ["memo-flat", "lagrangian-parallel"].map(|b| {
            let factor = Some(Estimate::within(1_476.0, 2_660.0, 11_800.0));
            Comparison::of_pairs(&terms(b), "all".to_owned(), factor, (8, 0.05))
        });
        for width in [60, 80] {
            let short = table("times".to_owned(), &sides[..1], FASTER);
            let mut all = ComparedSides {
                table: short.clone(),
                ..ComparedSides::default()
            };
            all.append(ComparedSides {
                table: short,
                ..ComparedSides::default()
            });
            let text = all.table.within(Some(width));
            let line = "  all   these      2,660× (1,480 … 11,800×) faster";
            assert!(
                text.contains("\nmemo-flat  ") && text.contains(line),
                "{text}"
            );
            assert_width(&text, width);
        }
        // A longer name: the verdict is wrapped, and no column is dropped.
        let text = table("times".to_owned(), &sides, FASTER).within(Some(60));
        for word in ["memo-flat", "lagran…allel", "instances", "these", "faster"] {
            assert!(text.contains(word), "{text}");
        }
        assert_width(&text, 60);
    }
}
