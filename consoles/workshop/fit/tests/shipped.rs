//! The shipped tables follow from the shipped counts, to the last digit in every build.

use ikeru_console_fit::{SHIPPED, costs, counts, reference};
use ikeru_consoles::Consoles;
use ikeru_consoles::cost::written;

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
fn the_program_keeps_the_counts_of_the_reference_questions() {
    let kept = reference("counts.csv", SHIPPED).expect("the counts read");
    assert!(
        kept == include_str!("../../../counts.csv"),
        "`ikeru-console-fit --reference consoles/counts.csv` writes others"
    );
}
