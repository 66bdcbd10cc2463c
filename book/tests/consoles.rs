//! The shipped tables of the consoles: the costs follow from the counts, and a run's numbers from the costs, to the last
//! digit in every build.

use ikeru_consoles::Console;
use ikeru_consoles::cost::{CounterCost, written};
use ikeru_consoles::{Basis, fit};

fn basis() -> &'static Basis {
    Basis::built_in().expect("the shipped tables read")
}

fn cost<'a>(basis: &'a Basis, (problem, variant, console): (&str, &str, &str)) -> &'a CounterCost {
    let is_it = |cost: &&CounterCost| {
        (
            cost.problem.as_str(),
            cost.variant.as_str(),
            cost.console.as_str(),
        ) == (problem, variant, console)
    };
    basis.costs.iter().find(is_it).expect("a shipped cost")
}

#[test]
fn the_shipped_costs_are_fitted_to_the_shipped_counts() {
    let basis = basis();
    let costs = fit::costs(&basis.counts, &basis.consoles.consoles);
    let text = written(&costs).expect("a table");
    assert!(
        text == include_str!("../../consoles/costs.csv"),
        "`ikeru console fit --out consoles/costs.csv` writes others"
    );
}

#[test]
fn every_counted_console_has_every_problem() {
    let basis = basis();
    let is_counted =
        |console: &&Console| basis.costs.iter().any(|cost| cost.console == console.name);
    let counted: Vec<&Console> = basis.consoles.consoles.iter().filter(is_counted).collect();
    assert!(counted.len() > 5, "{counted:?}");
    for console in counted {
        for (problem, variant) in [
            ("reach", "memo"),
            ("reach", "bitboard"),
            ("trail", "dfs+bound"),
            ("path", "heap"),
            ("chain", "flood"),
        ] {
            let cost = cost(basis, (problem, variant, &console.name));
            assert!(!cost.work.terms.is_empty() && cost.tested > 0, "{cost:?}");
        }
    }
}
