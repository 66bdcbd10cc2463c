//! `matrices`: formula 3.7 as printed.

use ikeru_chain::begin;
use ikeru_core::{Attempt, Refusal, Search, Variant};

use crate::relation::Relation;
use crate::templates::matrix::{StateMatrix, TemplateMatrix};

pub const VARIANT: Variant<Relation> = Variant {
    name: "matrices",
    about: "formula 3.7 as printed, all pairs of cells",
    source: "Thesis, 3.4",
    exact: true,
    version: 1,
    settings: &[],
    prepare: |comparison, _, deadline| {
        begin(deadline)?;
        let cells = comparison.stones.len() as u128;
        let bytes = cells * cells * BYTES_PER_PAIR;
        if bytes > MOST_BYTES {
            return Err(Refusal::skip(format!(
                "matrices of {cells} cells take {bytes} bytes, at most {MOST_BYTES} are allowed"
            )));
        }
        let matrix = TemplateMatrix::new(&comparison.template);
        Ok(Box::new(move |_: &mut Search| {
            Attempt::proven(matrix.match_with(&StateMatrix::new(&comparison.stones)))
        }))
    },
};

/// A pair of cells has a template's number, whether it is hard, and a state.
const BYTES_PER_PAIR: u128 = 6;
const MOST_BYTES: u128 = 128 << 20;
