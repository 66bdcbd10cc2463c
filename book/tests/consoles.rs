//! The shipped costs of the consoles.

use ikeru_consoles::cost::CounterCost;
use ikeru_consoles::{Basis, Console};

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
