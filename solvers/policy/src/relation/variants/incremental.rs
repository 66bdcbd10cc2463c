//! `incremental`: the matcher that policies use, at a single board.

use ikeru_chain::{Board, Cell, PuyoColour, Size, begin};
use ikeru_core::{
    Attempt, BoxedSolve, Deadline, InputError, OURS, Refusal, Search, Settings, Variant,
};

use crate::matching::{Contacts, Matcher};
use crate::relation::Relation;
use crate::relation::comparison::Comparison;
use crate::templates::matrix::{Match, Stone, TemplateMatrix};

pub const VARIANT: Variant<Relation> = Variant {
    name: "incremental",
    about: "violation by masks of templates, sums by column heights",
    source: OURS,
    exact: true,
    version: 1,
    settings: &[],
    prepare,
};

fn prepare<'a>(
    comparison: &'a Comparison,
    _: &Settings,
    deadline: Deadline,
) -> Result<BoxedSolve<'a, Relation>, Refusal> {
    begin(deadline)?;
    let extent = comparison.template.labels.extent();
    let skip = |error: InputError| Refusal::skip(error.message);
    let size = Size::new(extent.width, extent.height).map_err(skip)?;
    let mut board = Board::empty(size);
    for (index, stone) in comparison.stones.iter().enumerate() {
        let cell = match stone {
            Stone::Empty => continue,
            Stone::Garbage => Cell::Garbage,
            Stone::Kind(kind) => PuyoColour::new(usize::from(*kind))
                .map(Cell::Puyo)
                .ok_or_else(|| Refusal::skip("more kinds of stones than colours"))?,
        };
        board.set(index % extent.width, index / extent.width, cell);
    }
    if !board.is_settled() {
        return Err(Refusal::skip(
            "stones float: their sum is no function of the heights",
        ));
    }
    let matcher = Matcher::new(std::slice::from_ref(&comparison.template), size).map_err(skip)?;
    let total = TemplateMatrix::new(&comparison.template).total();
    Ok(Box::new(move |_: &mut Search| {
        let agrees = matcher.agrees(0, &board);
        let agreeing = agrees.then(|| matcher.agreeing(0, &board, &Contacts::of(&board)));
        Attempt::proven(agreeing.map(|agreeing| Match { agreeing, total }))
    }))
}
