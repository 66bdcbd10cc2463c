//! Which samples of two sides answer the same question.

use ikeru_bench_data::Pairing;
use ikeru_records::Family;
use ikeru_records::rows::{QUESTION, Rows, WAYS};

/// The columns in which paired rows of the sides are equal.
pub fn columns<'a>(pairing: Pairing, rows: &'a Rows, a: &[u32], b: &[u32]) -> Vec<&'a str> {
    let is_known = |column: &str| {
        let all = a.iter().chain(b);
        all.copied().all(|row| !rows.text(column, row).is_empty())
    };
    let differs = |column: &str| rows.distinct(column, a) != rows.distinct(column, b);
    let varies = |column: &str| {
        [a, b]
            .iter()
            .any(|own| rows.distinct(column, own).len() > 1)
    };
    let of_sides = |column: &&str| {
        // A setting of a method, or a label, may be the difference between the sides.
        let is_of_side = Family::Method.holds(column) || **column == *"label";
        varies(column) && is_known(column) && !(is_of_side && differs(column))
    };
    let mut columns: Vec<&str> = match pairing {
        Pairing::Question => {
            let methods = rows.family(Family::Method).chain(["label"]);
            let own = methods.filter(of_sides);
            QUESTION.into_iter().chain(own).collect()
        }
        Pairing::Instance => {
            let settings = rows.settings().chain(WAYS).chain(["label"]);
            let own = settings.filter(of_sides);
            own.chain(["instance_hash"]).collect()
        }
    };
    columns.retain(|column| rows.has(column));
    columns
}

/// The first column of the question in which no row of one side agrees with a row of the other, so that nothing is compared.
pub fn differs_in<'a>(rows: &'a Rows, a: &[u32], b: &[u32]) -> Option<&'a str> {
    let ways = ["instance_hash"].into_iter().chain(WAYS);
    let settings = rows.family(Family::Setting);
    let mut columns = ways.chain(settings).chain(["question"]);
    columns.find(|column| {
        let of_b = rows.distinct(column, b);
        let of_a = rows.distinct(column, a);
        let is_there = !of_a.is_empty() || !of_b.is_empty();
        is_there && !of_a.iter().any(|value| of_b.contains(value))
    })
}
