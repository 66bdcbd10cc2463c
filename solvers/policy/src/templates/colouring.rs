//! The colourings that a template's truth table allows, and the puyos of each colour that they need.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use ikeru_chain::PuyoColour;

use super::Template;
use super::truth::LabelRelation;

/// The colourings of more groups are too many to list (the domino has 18 groups and some 10⁸ colourings).
const LISTED_GROUPS: usize = 12;
/// The most colourings that are listed: drawings with few neighbours have many.
const LISTED_COLOURINGS: u32 = 1 << 20;

/// Puyos of each colour.
pub(crate) type Needs = [u32; PuyoColour::COUNT];

/// Whether some colouring of a template's capitals is proper.
pub(crate) fn can_be_coloured(template: &Template, colours: usize) -> bool {
    for_each_colouring(template, colours, &mut |_| ControlFlow::Break(())).is_break()
}

/// The puyos of each colour in every proper colouring of a template's capitals, of which there is one. For many groups those of every colouring, proper or not: a bound derived from them
/// stays valid.
pub(crate) fn colour_needs(template: &Template, colours: usize) -> BTreeSet<Needs> {
    let capitals = template.labels.capitals();
    let mut sizes = vec![0; capitals];
    let labels = template
        .capital_cells()
        .filter_map(|cell| template.labels.label(cell));
    labels.for_each(|label| sizes[label] += 1);
    if capitals > LISTED_GROUPS {
        return proper_or_not(&sizes, colours);
    }
    let mut listed = 0;
    let mut proper = BTreeSet::new();
    let all = for_each_colouring(template, colours, &mut |colouring| {
        listed += 1;
        let mut need = [0; PuyoColour::COUNT];
        for (&colour, &size) in colouring.iter().zip(&sizes) {
            need[colour] += size;
        }
        proper.insert(need);
        if listed < LISTED_COLOURINGS {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    });
    match all {
        ControlFlow::Break(()) => proper_or_not(&sizes, colours),
        ControlFlow::Continue(()) => proper,
    }
}

/// The puyos of each colour in every colouring of groups of these sizes.
fn proper_or_not(sizes: &[u32], colours: usize) -> BTreeSet<Needs> {
    let mut partial = BTreeSet::from([[0; PuyoColour::COUNT]]);
    for &size in sizes {
        let extended = partial.iter().flat_map(|need| {
            (0..colours).map(move |colour| {
                let mut need = *need;
                need[colour] += size;
                need
            })
        });
        partial = extended.collect();
    }
    partial
}

/// Calls `visit` with every colouring of a template's capitals that its truth table allows, a colour
/// number per capital, until it breaks.
pub fn for_each_colouring(
    template: &Template,
    colours: usize,
    visit: &mut dyn FnMut(&[usize]) -> ControlFlow<()>,
) -> ControlFlow<()> {
    fn extend(
        template: &Template,
        colours: usize,
        colouring: &mut Vec<usize>,
        visit: &mut dyn FnMut(&[usize]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let label = colouring.len();
        if label == template.labels.capitals() {
            return visit(colouring);
        }
        for colour in 0..colours {
            let clash = (0..label).any(|other| {
                colouring[other] == colour
                    && template.truth.relation(label, other) == LabelRelation::Differ
            });
            if !clash {
                colouring.push(colour);
                extend(template, colours, colouring, visit)?;
                colouring.pop();
            }
        }
        ControlFlow::Continue(())
    }
    extend(template, colours, &mut Vec::new(), visit)
}
