//! The shipped tables follow from the shipped counts, to the last digit in every build.

use ikeru_console_fit::written::written;
use ikeru_console_fit::{SHIPPED, costs, counts, kept};
use ikeru_consoles::Consoles;

#[test]
fn the_shipped_costs_are_fitted_to_the_shipped_counts() {
    let consoles = Consoles::built_in().expect("the facts read").consoles;
    let counts = counts("counts.csv", SHIPPED, &consoles).expect("the counts read");
    let text = written(&costs::costs(&counts, &consoles)).expect("a table");
    assert!(
        text == include_str!("../../../costs.csv"),
        "`ikeru-console-fit --out consoles/costs.csv` writes others"
    );
}

#[test]
fn the_program_keeps_a_part_of_the_shipped_counts() {
    let own = include_str!("../../../counts.csv");
    assert!(
        kept("counts.csv", SHIPPED, own).expect("the counts read") == own,
        "`ikeru-console-fit --kept consoles/counts.csv` writes others"
    );
}
