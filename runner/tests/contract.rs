//! The contract of every registered problem: see `ikeru_core::testing`.

use ikeru::registry;
use ikeru_core::testing::violations;
use rayon::prelude::*;

/// One line for each clause that a problem breaks.
#[test]
fn every_problem_keeps_the_contract() {
    let broken: Vec<String> = registry::problems()
        .par_iter()
        .flat_map_iter(|&problem| {
            let started = std::time::Instant::now();
            let broken = violations(problem, 1);
            println!(
                "{}: {:.1} s",
                problem.name(),
                started.elapsed().as_secs_f64()
            );
            broken
        })
        .map(|violation| violation.to_string())
        .collect();
    assert!(
        broken.is_empty(),
        "{} violations:\n{}",
        broken.len(),
        broken.join("\n")
    );
}
